//! Helpers of the tests that run the built program.
#![allow(dead_code, reason = "each test program uses a part of it")]

#[cfg(unix)]
pub(crate) mod action;
pub(crate) mod calc;
#[cfg(unix)]
pub(crate) mod chromium;
#[cfg(target_os = "linux")]
pub(crate) mod crowd;
pub(crate) mod dropin;
pub(crate) mod formats;
pub(crate) mod json;
pub(crate) mod repository;
pub(crate) mod running;
#[cfg(unix)]
pub(crate) mod server;
pub(crate) use hone_testing as skip;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

#[cfg(unix)]
use running::Running;

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

/// The filter of a snapshot that shows the path of [`scripted`].
pub(crate) const ENGINE: (&str, &str) =
    (r"[^\s`']*examples[/\\]scripted_engine(\.exe)?", "[ENGINE]");

/// An example of this crate.
pub(crate) fn example(name: &str) -> PathBuf {
    let arguments = ["-p", "harness", "--example", name];
    built(&arguments, &format!("examples/{name}"))
}

/// The path of a built program. `cargo test --workspace` has built it; a single test may have
/// to.
fn built(arguments: &[&str], program: &str) -> PathBuf {
    let path = target_dir().join(format!("{program}{}", std::env::consts::EXE_SUFFIX));
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet"]).args(arguments);
    // Cargo has set these variables for this test. Build scripts of libraries would see a
    // changed environment, so the libraries would be built again, now and at the next build.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&name);
        }
    }
    let status = cargo.current_dir(workspace()).status();
    // Without cargo, the program of an earlier build is used.
    let has_failed = status.as_ref().is_ok_and(|status| !status.success());
    let is_built = !has_failed && path.exists();
    assert!(is_built, "{program} could not be built: {status:?}");
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

    /// The folder of the run of this name.
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

/// Exit code and output of a finished program.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Finished {
    pub(crate) fn of(output: Output) -> Self {
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

    /// The digest in the last line of `hone verify`.
    pub(crate) fn digest(&self) -> String {
        let line = self.last_line();
        line.split(' ').next_back().unwrap_or("").to_string()
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

/// `outer`, whose last arguments are a command, with the environment and the folder of that.
pub(crate) fn wrapped(mut outer: Command, command: &Command) -> Command {
    outer.arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        outer.current_dir(folder);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => outer.env(name, value),
            None => outer.env_remove(name),
        };
    }
    outer
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
    verified.digest()
}

/// Resumes a run with these options.
pub(crate) fn resume(run: &Path, more: &[&str]) -> Finished {
    let mut command = hone();
    command.arg("resume").arg(run).args(more);
    finish(command)
}

/// `hone report RUN` with these options.
pub(crate) fn report(run: &Path, more: &[&str]) -> Finished {
    let mut command = hone();
    command.arg("report").arg(run).args(more);
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
    let failures = json["failures"].as_object().expect("an object");
    assert_eq!(failures.len(), 4, "{json}");
    for (kind, counts) in failures {
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

/// Runs a command whose build creates `marker` and waits, and then sends SIGINT to both.
#[cfg(unix)]
pub(crate) fn interrupted(mut command: Command, marker: &Path) -> Finished {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
    // Tests that a shell started in the background ignore SIGINT.
    let restore_default = || {
        // SAFETY: the default action is set in a process that has one thread.
        unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
        Ok(())
    };
    // SAFETY: `restore_default` only makes a system call.
    unsafe { command.pre_exec(restore_default) };
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = Running::start(&mut command);
    wait_until("the build", || marker.exists());
    let group = -i32::try_from(child.id()).expect("a process id");
    // SAFETY: the group is that of our child, which has not been waited for.
    unsafe {
        libc::kill(group, libc::SIGINT);
    }
    child.finish()
}

/// Waits until `holds` returns true, at most five minutes, which is long enough on a busy
/// machine.
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(300);
    while !holds() {
        assert!(Instant::now() < deadline, "timed out waiting for {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Number of complete rows in a run's ledger.
pub(crate) fn rows(run: &Path) -> usize {
    fs::read_to_string(run.join("games.csv"))
        .map_or(0, |text| text.matches('\n').count().saturating_sub(1))
}

/// The result on the page of a run, from the class of its `div` on.
pub(crate) fn lead(page: &str) -> &str {
    let (_, rest) = page.split_once("<div class=\"lead").expect("a lead");
    rest.split("</div>").next().expect("its end")
}

/// What a reader sees of HTML, a line for each block.
pub(crate) fn words(html: &str) -> String {
    const BLOCKS: [&str; 11] = [
        "p", "div", "section", "li", "tr", "dt", "dd", "h1", "h2", "h3", "caption",
    ];
    const HIDDEN: [&str; 3] = ["script", "style", "svg"];
    let mut text = String::new();
    let mut hidden = None;
    for part in html.split('<') {
        let (tag, after) = part.split_once('>').unwrap_or(("", part));
        let name = tag.split([' ', '\n']).next().unwrap_or_default();
        if hidden.is_none() {
            hidden = HIDDEN.into_iter().find(|hidden| *hidden == name);
        } else if name.strip_prefix('/') == hidden {
            hidden = None;
        }
        let is_block = BLOCKS.contains(&name.trim_start_matches('/'));
        text.push(if is_block { '\n' } else { ' ' });
        text.push_str(if hidden.is_none() { after } else { "" });
    }
    let lines = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    let text = lines.join("\n");
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    text.replace("&quot;", "\"").replace("&amp;", "&")
}

/// The words of a run's page down to its results, and its `report.md`.
pub(crate) fn reported(run: &Path) -> String {
    let read = |name: &str| fs::read_to_string(run.join(name)).expect(name);
    let page = read("report.html");
    let (_, page) = page.split_once("<h1").expect("a title");
    // A tournament has no chart of its progress.
    let mut ends = ["progress", "pairs"].into_iter();
    let ends = ends.find_map(|id| page.find(&format!("<section id=\"{id}\"")));
    let results = words(&format!("<h1{}", &page[..ends.expect("more")]));
    format!("{}\n---\n{results}", read("report.md"))
}

/// The filters of a snapshot of [`reported`].
pub(crate) const REPORTED: [(&str, &str); 3] = [
    (r"started \d{4}-\d\d-\d\d \d\d:\d\d UTC", "started [DATE]"),
    (r"(time of play|ms per move|nodes per second) .*", "$1 […]"),
    (r"\d+\.\d+ games/s", "[…] games/s"),
];

/// A column of a run's `games.csv`, without its name: a value for each game.
pub(crate) fn column(run: &Path, name: &str) -> Vec<String> {
    let text = fs::read_to_string(run.join("games.csv")).expect("a ledger");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let at = header.iter().position(|column| *column == name);
    let at = at.unwrap_or_else(|| panic!("no column {name}"));
    lines.map(|row| row[at].to_string()).collect()
}

/// Copies the manifest and the ledger of a run to a new folder.
pub(crate) fn copy_run(from: &Path, to: &Path) {
    fs::create_dir(to).expect("made");
    for file in ["run.toml", "games.csv", "games.pgn"] {
        fs::copy(from.join(file), to.join(file)).expect("copied");
    }
}

/// Processes whose command line contains `mark`, except this one.
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

/// An `[[engine]]` table: an engine that plays random moves, with further arguments.
pub(crate) fn player(name: &str, arguments: &str) -> String {
    let cmd = scripted();
    format!("[[engine]]\nname = \"{name}\"\ncmd = '{cmd} {arguments}'\n")
}

/// The engines `one` and `two`, which play different random moves.
pub(crate) fn random_players() -> String {
    player("one", "--seed 1") + &player("two", "--seed 2")
}

/// A match of `pairs` pairs of short games.
pub(crate) fn short_match(pairs: usize) -> Setup {
    let players = random_players();
    Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\npairs = {pairs}\nconcurrency = 2\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 20\n"
    ))
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
