//! Sandboxes made by bubblewrap.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::access::{Access, SandboxError};
use crate::diagnostic::Diagnostic;

const PROGRAM: &str = "bwrap";

/// Folders that are empty in a sandbox. They hold the sockets of other programs, to which a
/// process can connect even in a read-only file system.
const HIDDEN: [&str; 3] = ["/tmp", "/run", "/var/run"];

/// Features of the installed bubblewrap.
#[derive(Debug, Clone, Copy)]
struct Features {
    /// Whether it has `--size` (version 0.7 or later).
    has_size: bool,
}

/// Checks that sandboxes can be made on this machine. Probes once per process.
///
/// # Errors
/// Why not.
pub fn check() -> Result<(), Diagnostic> {
    Ok(features().map(drop)?)
}

fn features() -> Result<Features, SandboxError> {
    static FOUND: OnceLock<Result<Features, SandboxError>> = OnceLock::new();
    FOUND
        .get_or_init(|| {
            let with_size = Features { has_size: true };
            match probe(with_size) {
                Err(SandboxError::Refused { reason }) if reason.contains("--size") => {
                    let without = Features { has_size: false };
                    probe(without).map(|()| without)
                }
                done => done.map(|()| with_size),
            }
        })
        .clone()
}

/// Runs `true` in a sandbox.
fn probe(features: Features) -> Result<(), SandboxError> {
    let access = Access {
        scratch: Some(1 << 20),
        ..Access::default()
    };
    let mut command = around(&Command::new("true"), &access, features);
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| match error.kind() {
        ErrorKind::NotFound => SandboxError::Missing,
        _ => SandboxError::Refused {
            reason: format!("{PROGRAM}: {error}"),
        },
    })?;
    if output.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let reason = errors.lines().next().map_or_else(
        || format!("{PROGRAM} failed ({})", output.status),
        |line| line.trim().to_string(),
    );
    Err(SandboxError::Refused { reason })
}

/// The command that runs `inner` in a sandbox, with its program, arguments, working
/// directory and environment.
///
/// # Errors
/// As [`check`], in an [`io::Error`].
pub fn wrap(inner: &Command, access: &Access) -> io::Result<Command> {
    let features = features().map_err(|error| io::Error::other(Diagnostic::from(error)))?;
    Ok(around(inner, access, features))
}

fn around(inner: &Command, access: &Access, features: Features) -> Command {
    let mut command = Command::new(PROGRAM);
    // Otherwise root's capabilities are inherited.
    command.args(["--unshare-all", "--die-with-parent", "--cap-drop", "ALL"]);
    if access.new_session {
        command.arg("--new-session");
    }
    command.args(["--ro-bind", "/", "/"]);
    command.args(["--dev", "/dev"]);
    let mut scratch = |folder: &OsStr| {
        if let Some(bytes) = access.scratch.filter(|_| features.has_size) {
            command.arg("--size").arg(bytes.to_string());
        }
        command.arg("--tmpfs").arg(folder);
    };
    scratch(OsStr::new("/dev/shm"));
    let hidden = hidden();
    hidden.iter().for_each(|folder| scratch(folder.as_os_str()));
    command.args(["--remount-ro", "/dev", "--proc", "/proc"]);
    let folder = inner
        .get_current_dir()
        .map_or_else(env::current_dir, |folder| Ok(folder.to_path_buf()))
        .and_then(std::path::absolute);
    for path in shown(inner, folder.as_deref().ok(), &hidden) {
        command.arg("--ro-bind-try").arg(&path).arg(&path);
    }
    for path in &access.writable {
        command.arg("--bind").arg(path).arg(path);
    }
    for path in &access.sealed {
        command.arg("--ro-bind-try").arg(path).arg(path);
    }
    command.args(["--setenv", "TMPDIR", "/tmp"]);
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.arg("--setenv").arg(name).arg(value),
            None => command.arg("--unsetenv").arg(name),
        };
    }
    if let Ok(folder) = folder {
        command.arg("--chdir").arg(folder);
    }
    command
        .arg("--")
        .arg(inner.get_program())
        .args(inner.get_args());
    command
}

/// The existing folders to hide: [`HIDDEN`] and the folder for temporary files.
fn hidden() -> Vec<PathBuf> {
    let is_folder = |path: &&PathBuf| {
        let kind = fs::symlink_metadata(path).map(|file| file.file_type());
        kind.is_ok_and(|kind| kind.is_dir())
    };
    let mut folders: Vec<PathBuf> = HIDDEN.iter().map(PathBuf::from).collect();
    let temporary = env::temp_dir();
    if temporary.is_absolute() && !folders.iter().any(|folder| temporary.starts_with(folder)) {
        folders.push(temporary);
    }
    folders.iter().filter(is_folder).cloned().collect()
}

/// The paths in hidden folders that a program needs: its own folder, its working directory,
/// and files named by its arguments. Outer folders come first.
fn shown(inner: &Command, folder: Option<&Path>, hidden: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut wanted = BTreeSet::new();
    let program = Path::new(inner.get_program());
    let program = match folder {
        // A bare name is searched on the `PATH`.
        Some(folder) if program.components().count() > 1 => folder.join(program),
        _ => program.to_path_buf(),
    };
    if program.is_absolute() {
        for path in [Some(program.to_path_buf()), program.canonicalize().ok()] {
            let Some(path) = path else { continue };
            match path.parent() {
                Some(parent) if !hidden.iter().any(|folder| folder == parent) => {
                    wanted.insert(parent.to_path_buf())
                }
                _ => wanted.insert(path),
            };
        }
    }
    wanted.extend(folder.map(Path::to_path_buf));
    for argument in inner.get_args().map(Path::new) {
        wanted.extend(files_named_by(argument));
    }
    wanted.retain(|path| {
        hidden
            .iter()
            .any(|folder| path.starts_with(folder) && path != folder)
    });
    wanted
}

/// The file that an argument names, as named and with symbolic links resolved. Folders and
/// sockets are excluded: the arguments for a fleet worker come from another user.
fn files_named_by(argument: &Path) -> Vec<PathBuf> {
    let Ok(file) = argument.canonicalize() else {
        return Vec::new();
    };
    if !argument.is_absolute() || !file.is_file() {
        return Vec::new();
    }
    let is_plain = !argument
        .components()
        .any(|part| part == Component::ParentDir);
    let named = is_plain.then(|| argument.to_path_buf());
    named.into_iter().chain([file]).collect()
}

/// The id of the engine's process in the sandbox whose outer process is `pid`: a grandchild
/// of `pid`.
pub fn engine_in(pid: u32) -> Option<u32> {
    let child = |pid: u32| -> Option<u32> {
        let path = format!("/proc/{pid}/task/{pid}/children");
        let children = fs::read_to_string(path).ok()?;
        children.split_whitespace().next()?.parse().ok()
    };
    child(child(pid)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown_of(program: &str, args: &[&str], folder: &str) -> Vec<String> {
        let mut command = Command::new(program);
        command.args(args);
        let hidden = ["/tmp", "/run"].map(PathBuf::from);
        let shown = shown(&command, Some(Path::new(folder)), &hidden);
        shown
            .iter()
            .map(|path| path.display().to_string())
            .collect()
    }

    #[test]
    fn only_the_paths_that_a_program_needs_are_shown() {
        assert!(shown_of("/usr/bin/e", &["/"], "/srv/engines").is_empty());
        assert!(shown_of("e", &["/tmp", "/tmp/no such file"], "/tmp").is_empty());
        assert_eq!(shown_of("/tmp/e", &[], "/"), ["/tmp/e"]);
        assert_eq!(shown_of("./e", &[], "/tmp"), ["/tmp/./e"]);
        assert_eq!(shown_of("b/e", &[], "/tmp/a"), ["/tmp/a", "/tmp/a/b"]);
        assert_eq!(
            shown_of("/tmp/a/b/e", &[], "/tmp/a"),
            ["/tmp/a", "/tmp/a/b"]
        );
    }

    #[test]
    fn arguments_show_files_and_neither_folders_nor_sockets() {
        let folder = tempfile::tempdir_in("/tmp").expect("a folder");
        let at = |name: &str| folder.path().join(name).display().to_string();
        fs::write(at("net"), "").expect("written");
        std::os::unix::fs::symlink(at("net"), at("link")).expect("linked");
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).expect("bound");
        let shown = |argument: &str| shown_of("/usr/bin/e", &[argument], "/");
        assert_eq!(shown(&at("net")), [at("net")]);
        assert_eq!(shown(&at("link")), [at("link"), at("net")]);
        let roundabout = at("net").replacen("/tmp", "/tmp/../tmp", 1);
        assert_eq!(shown(&roundabout), [at("net")]);
        for hidden in [
            at("socket"),
            at(""),
            at("missing"),
            "/tmp/../tmp".to_string(),
        ] {
            assert!(shown(&hidden).is_empty(), "{hidden}");
        }
    }
}
