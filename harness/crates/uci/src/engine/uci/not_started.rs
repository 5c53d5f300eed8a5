//! Why the system did not start an engine's process.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use super::process::Launch;
use hone_base::diagnostic::{Diagnostic, Setting};
use hone_base::platform::{is_executable, quoted};

/// Bytes read of a script's first line.
const MAX_LINE: u64 = 256;

/// The reason of a failed start, if possible with help. The system's own error does not name
/// the file that is missing.
pub(super) fn reason(launch: &Launch, error: &io::Error) -> Diagnostic {
    let is_of_file = matches!(
        error.kind(),
        ErrorKind::NotFound | ErrorKind::PermissionDenied | ErrorKind::NotADirectory
    );
    // What is started in a sandbox is bubblewrap.
    let fault = if is_of_file && !launch.sandbox {
        fault(launch, error.kind())
    } else {
        None
    };
    fault.unwrap_or_else(|| Diagnostic::new(error.to_string()))
}

const FOLDER: Setting = Setting {
    key: "engine.dir",
    words: "`dir` in [[engine]]",
};

/// What is wrong with the program or its working folder; `None` if nothing is found.
fn fault(launch: &Launch, kind: ErrorKind) -> Option<Diagnostic> {
    if let Some(dir) = launch.dir.as_deref().filter(|dir| !dir.is_dir()) {
        let missing = format!("its working folder {} does not exist", dir.display());
        return Some(Diagnostic::new(missing).help(format!("correct {FOLDER}")));
    }
    let program = &launch.program;
    if program.components().count() == 1 && program.is_relative() {
        return (kind == ErrorKind::NotFound).then(|| {
            Diagnostic::new("not found on the PATH")
                .help("write a path for a program in a folder, as in `./name`")
        });
    }
    if program.is_dir() {
        return Some(Diagnostic::new("it is a folder").help("name the program in it"));
    }
    if program.exists() && !is_executable(program) {
        let help = format!("`chmod +x {}`", quoted(program));
        return Some(Diagnostic::new("the file is not executable").help(help));
    }
    let interpreter = interpreter(program)?;
    if interpreter.ends_with('\r') {
        return Some(
            Diagnostic::new("its first line ends with a carriage return")
                .help("save the script with Unix line ends (LF)"),
        );
    }
    (!Path::new(&interpreter).exists()).then(|| {
        Diagnostic::new(format!(
            "its first line names the interpreter `{interpreter}`, which does not exist"
        ))
        .help(format!(
            "install the interpreter, or correct the line `#!{interpreter}`"
        ))
    })
}

/// The program that the `#!` line of a script names, with a carriage return after it if the
/// line has one there. `None` for other files.
fn interpreter(script: &Path) -> Option<String> {
    let mut start = Vec::new();
    let file = File::open(script).ok()?;
    file.take(MAX_LINE).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n');
    let line = String::from_utf8_lossy(line.into_iter().next()?).into_owned();
    let words = line.trim_start_matches([' ', '\t']);
    words.split([' ', '\t']).next().map(str::to_string)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use super::*;
    use hone_base::diagnostic::shown;

    /// The reason why a start that must fail does so.
    async fn reason_of(launch: &Launch) -> String {
        let error = launch.spawn().await.expect_err("it does not start");
        shown(&reason(launch, &error))
    }

    fn launch(program: PathBuf) -> Launch {
        Launch {
            program,
            ..Launch::default()
        }
    }

    #[tokio::test]
    async fn the_missing_file_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let script = |name: &str, text: &str, mode: u32| {
            let path = folder.path().join(name);
            fs::write(&path, text).expect("written");
            fs::set_permissions(&path, Permissions::from_mode(mode)).expect("set");
            path
        };
        let gone = folder.path().join("gone");
        let no_mode = script("no_mode", "#!/bin/sh\n", 0o644);
        let chmod = format!("help: `chmod +x {}`", no_mode.display());
        let cases = [
            (
                launch(script("a", "#!/no/python9 -u\n", 0o755)),
                "names the interpreter `/no/python9`, which does not exist\nhelp: ",
            ),
            (
                launch(script("b", "#! /bin/sh\r\necho\r\n", 0o755)),
                "ends with a carriage return\nhelp: ",
            ),
            (launch(no_mode), chmod.as_str()),
            (
                launch(folder.path().to_path_buf()),
                "it is a folder\nhelp: ",
            ),
            (launch("no-such-engine".into()), "not found on the PATH\n"),
            (launch(gone.clone()), "No such file or directory"),
            (
                Launch {
                    dir: Some(gone),
                    ..launch(script("c", "#!/bin/sh\n", 0o755))
                },
                "gone does not exist\nhelp: correct `dir` in [[engine]]",
            ),
        ];
        for (launch, words) in cases {
            let reason = reason_of(&launch).await;
            assert!(reason.contains(words), "{words}: {reason}");
        }
    }
}
