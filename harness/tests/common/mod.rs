//! What the tests of the built program share.
#![allow(dead_code, reason = "each test program uses a part of it")]

#[cfg(unix)]
pub(crate) mod action;
#[cfg(unix)]
pub(crate) mod chromium;
#[cfg(target_os = "linux")]
pub(crate) mod crowd;
pub(crate) mod json;
pub(crate) mod repository;
#[cfg(unix)]
pub(crate) mod server;
pub(crate) mod skip;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The program under test.
pub(crate) fn hone() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hone"));
    command.stdin(Stdio::null()).current_dir(workspace());
    command
}

/// The workspace's folder, in which a user would start the program.
pub(crate) fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn target_dir() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_hone"));
    program.parent().expect("a program is in a folder").into()
}

/// Stillwater, built with the tests' profile.
pub(crate) fn stillwater() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT
        .get_or_init(|| built(&["-p", "engine"], "stillwater"))
        .clone()
}

/// The engine that plays random moves and misbehaves on request.
pub(crate) fn scripted() -> String {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT
        .get_or_init(|| example("scripted_engine"))
        .display()
        .to_string()
}

/// An example of this crate.
pub(crate) fn example(name: &str) -> PathBuf {
    let arguments = ["-p", "harness", "--example", name];
    built(&arguments, &format!("examples/{name}"))
}

/// `cargo test --workspace` has built everything; a single test has not.
fn built(arguments: &[&str], program: &str) -> PathBuf {
    let path = target_dir().join(format!("{program}{}", std::env::consts::EXE_SUFFIX));
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet"]).args(arguments);
    // What cargo tells this test of its package would be a new environment for the
    // build scripts of libraries, which would be built again, now and next time.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&name);
        }
    }
    let status = cargo.current_dir(workspace()).status();
    assert!(path.exists(), "{program} could not be built: {status:?}");
    path
}

/// A folder with a configuration.
pub(crate) struct Setup {
    pub(crate) dir: TempDir,
    pub(crate) config: PathBuf,
}

impl Setup {
    /// Writes `config` to a fresh folder.
    pub(crate) fn new(config: &str) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("config.toml");
        fs::write(&path, config).expect("written");
        Self { dir, config: path }
    }

    /// Where a run of this name goes.
    pub(crate) fn run(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// `hone COMMAND CONFIG --out NAME ARGS…`.
    pub(crate) fn command(&self, command: &str, out: &str, args: &[&str]) -> Command {
        let mut hone = hone();
        hone.arg(command)
            .arg(&self.config)
            .arg("--out")
            .arg(self.run(out))
            .args(args);
        hone
    }

    /// Runs it to its end.
    pub(crate) fn play(&self, command: &str, out: &str, args: &[&str]) -> Finished {
        finish(self.command(command, out, args))
    }
}

/// What a finished program left.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Finished {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("standard output is text"),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The JSON object that standard output must consist of.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", self.stdout, self.stderr))
    }

    /// The last line of standard output.
    pub(crate) fn last_line(&self) -> String {
        self.stdout.lines().next_back().unwrap_or("").to_string()
    }
}

/// Runs a command to its end.
pub(crate) fn finish(mut command: Command) -> Finished {
    Finished::of(command.output().expect("hone starts"))
}

/// Writes an executable script, or replaces it.
#[cfg(unix)]
pub(crate) fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    fs::write(&path, text).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    path
}

/// `hone ARGS…` in a folder, to its end.
pub(crate) fn hone_in(folder: &Path, args: &[&str]) -> Finished {
    let mut command = hone();
    command.args(args).current_dir(folder);
    finish(command)
}

/// `hone book ARGS…` in a folder, to its end.
pub(crate) fn hone_book(folder: &Path, args: &[&str]) -> Finished {
    hone_in(folder, &[&["book"], args].concat())
}

/// `hone PROGRAM` in a folder, with the words of `line`, in which `ENGINE` is the
/// scripted engine.
pub(crate) fn calling(program: &str, folder: &Path, line: &str) -> Command {
    let words = shlex::split(&line.replace("ENGINE", &scripted())).expect("quotes match");
    let mut command = hone();
    command.current_dir(folder).arg(program).args(words);
    command
}

/// Runs that to its end.
pub(crate) fn called(program: &str, folder: &Path, line: &str) -> Finished {
    finish(calling(program, folder, line))
}

/// Runs a subcommand on a run's folder.
pub(crate) fn on_run(subcommand: &str, run: &Path) -> Finished {
    let mut command = hone();
    command.arg(subcommand).arg(run);
    finish(command)
}

/// The digest of a run's games, which `hone verify` accepts.
pub(crate) fn digest(run: &Path) -> String {
    let verified = on_run("verify", run);
    assert_eq!(verified.code, Some(0), "{}", verified.stdout);
    verified.last_line()
}

/// Resumes a run with these options.
pub(crate) fn resume(run: &Path, more: &[&str]) -> Finished {
    let mut command = hone();
    command.arg("resume").arg(run).args(more);
    finish(command)
}

/// Openings of a match.
pub(crate) const BOOK: &str = "openings = { file = \"books/quick.epd\" }\n";

/// Plays and verifies the match of a configuration.
pub(crate) fn play(config: &str) -> (Setup, Finished) {
    let setup = Setup::new(config);
    let finished = setup.play("match", "run", &["--json"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let verified = on_run("verify", &setup.run("run"));
    assert_eq!(verified.code, Some(0), "{}", verified.stdout);
    (setup, finished)
}

/// No engine of a run failed.
pub(crate) fn no_failures(finished: &Finished) {
    let json = finished.json();
    for (kind, counts) in json["failures"].as_object().expect("an object") {
        let counts = counts.as_array().expect("an array");
        assert!(counts.iter().all(|count| count == 0), "{kind}: {json}");
    }
}

/// Sends a signal to a child that has not been waited for.
#[cfg(unix)]
pub(crate) fn signal(child: &std::process::Child, signal: i32) {
    let pid = i32::try_from(child.id()).expect("a process id");
    // SAFETY: the process is our child and has not been waited for.
    unsafe {
        libc::kill(pid, signal);
    }
}

/// Runs a command whose build makes `marker` and waits, and sends Ctrl-C to both then.
#[cfg(unix)]
pub(crate) fn interrupted(mut command: Command, marker: &Path) -> Finished {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
    // A shell that started the tests in the background has them ignore it.
    let heed = || {
        // SAFETY: the default action is set in a process that has one thread.
        unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
        Ok(())
    };
    // SAFETY: `heed` only makes a system call.
    unsafe { command.pre_exec(heed) };
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("starts");
    wait_until("the build", || marker.exists());
    let group = -i32::try_from(child.id()).expect("a process id");
    // SAFETY: the group is that of our child, which has not been waited for.
    unsafe {
        libc::kill(group, libc::SIGINT);
    }
    Finished::of(child.wait_with_output().expect("ends"))
}

/// Waits until something holds, at most five minutes: a busy machine takes its time.
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(300);
    while !holds() {
        assert!(Instant::now() < deadline, "{what} did not come about");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Number of complete rows in a run's ledger.
pub(crate) fn rows(run: &Path) -> usize {
    fs::read_to_string(run.join("games.csv"))
        .map_or(0, |text| text.matches('\n').count().saturating_sub(1))
}

/// Processes whose command line holds `mark`, this one left out.
#[cfg(target_os = "linux")]
pub(crate) fn processes_with(mark: &str) -> Vec<String> {
    let own = std::process::id().to_string();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").expect("proc is mounted").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == own || !name.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let state = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let is_zombie = state
            .rsplit(')')
            .next()
            .is_some_and(|s| s.trim().starts_with('Z'));
        if line.contains(mark) && !is_zombie {
            found.push(format!("{name}: {line}"));
        }
    }
    found
}

/// Two players as `[[engine]]` tables: names, commands and further lines.
pub(crate) fn engines(first: (&str, &str, &str), second: (&str, &str, &str)) -> String {
    let table = |(name, cmd, more): (&str, &str, &str)| {
        format!("[[engine]]\nname = \"{name}\"\ncmd = '{cmd}'\n{more}\n")
    };
    table(first) + &table(second)
}

/// A tuning of `QsDeltaMargin`, and of more parameters, by short games of Stillwater.
pub(crate) fn tuning(tune: &str, params: &str) -> Setup {
    let path = stillwater().display().to_string();
    Setup::new(&format!(
        "[[engine]]\nname = \"sw\"\ncmd = {path:?}\noptions = {{ QsDeltaMargin = 20 }}\n\
         [match]\nlimit = \"nodes=300\"\nopenings = {{ file = \"books/quick.epd\" }}\n\
         [adjudication]\nresign = {{ count = 2, score = 400 }}\n\
         draw = {{ move = 15, count = 4, score = 30 }}\nmax_moves = 60\n\
         [tune]\nbatch = 2\nwindow = 6\n{tune}\n[tune.params]\n\
         QsDeltaMargin = {{ min = 0, max = 400 }}\n{params}\n"
    ))
}
