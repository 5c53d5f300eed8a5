//! A fleet for one test: `hone fleet up` with its own data, and workers with their own
//! caches.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Lines, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use tempfile::TempDir;

use crate::common::running::Running;
use crate::common::skip::skipped;
use crate::common::{Setup, finish, hone, signal, wait_until, wrapped};

/// A running `hone fleet up`.
pub(crate) struct Fleet {
    pub(crate) dir: TempDir,
    up: Child,
    printed: Lines<BufReader<ChildStdout>>,
    /// The JOIN line: the credential of workers.
    pub(crate) join: String,
    /// The credential of runs.
    pub(crate) submit: String,
}

/// A worker or a run, killed at the end of its test.
pub(crate) struct Process {
    child: Running,
    log: PathBuf,
}

/// The same command with a disk of this size mounted in a folder. `None`, and the test counts
/// as skipped, if no file system can be mounted.
fn with_disk(command: &Command, folder: &Path, size: &str) -> Option<Command> {
    let on_disk = |command: &Command| {
        let mount = format!("mount -t tmpfs -o size={size} tmpfs \"$0\" && exec \"$@\"");
        let mut unshare = Command::new("unshare");
        unshare.args(["--map-root-user", "--mount", "sh", "-c", &mount]);
        unshare.arg(folder).stdin(Stdio::null());
        wrapped(unshare, command)
    };
    let tried = on_disk(&Command::new("true"))
        .stderr(Stdio::null())
        .status();
    if !tried.is_ok_and(|status| status.success()) {
        skipped("no file system can be mounted here");
        return None;
    }
    Some(on_disk(command))
}

/// The content of a credential.
pub(crate) fn access(credential: &str) -> Value {
    let encoded = credential.strip_prefix("hone1.").expect("a credential");
    let json = URL_SAFE_NO_PAD.decode(encoded).expect("base64");
    serde_json::from_slice(&json).expect("JSON")
}

fn free_port() -> u16 {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    free.local_addr().expect("its address").port()
}

/// A free address of this machine.
fn local() -> String {
    format!("127.0.0.1:{}", free_port())
}

/// A folder for a fleet; `None`, and the test counts as skipped, if there is no
/// nats-server.
fn folder() -> Option<TempDir> {
    let is_named = env::var_os("HONE_NATS_SERVER").is_some();
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders = env::split_paths(&path);
    if !is_named && !folders.any(|folder| folder.join("nats-server").is_file()) {
        skipped("nats-server is not installed");
        return None;
    }
    Some(tempfile::tempdir().expect("a temporary folder"))
}

impl Fleet {
    /// `None`, and the test counts as skipped, if there is no nats-server.
    pub(crate) fn start() -> Option<Self> {
        let dir = folder()?;
        Some(Self::started(dir, &local(), hone(), &[]))
    }

    /// One that listens at this address. `by` returns the command that starts it.
    pub(crate) fn start_at(listen: &str, by: impl Fn(&Command) -> Command) -> Option<Self> {
        let dir = folder()?;
        let mut up = hone();
        Self::complete(&mut up, &dir, listen, &[]);
        Some(Self::spawned(dir, by(&up)))
    }

    /// One that also listens for WebSocket, and its JOIN line for WebSocket.
    pub(crate) fn start_with_websocket() -> Option<(Self, String)> {
        let dir = folder()?;
        let at = local();
        let mut fleet = Self::started(dir, &local(), hone(), &["--websocket", &at]);
        let join = fleet.line("over WebSocket:");
        Some((fleet, join))
    }

    /// One whose data is on a disk of 64 MiB. `None`, and the test counts as skipped, if no
    /// file system can be mounted.
    pub(crate) fn start_on_small_disk() -> Option<Self> {
        let dir = folder()?;
        let data = dir.path().join("data");
        fs::create_dir(&data).expect("made");
        let up = with_disk(&hone(), &data, "64m")?;
        Some(Self::started(dir, &local(), up, &[]))
    }

    /// Ends `hone fleet up` and starts it again with the same data. Returns what it
    /// reports until it listens.
    pub(crate) fn start_again(&mut self) -> String {
        signal(&self.up, libc::SIGTERM);
        self.up.wait().expect("waited for");
        let log = self.dir.path().join("again.log");
        let mut up = hone();
        Self::complete(&mut up, &self.dir, &local(), &[]);
        up.stdout(Stdio::null());
        up.stderr(fs::File::create(&log).expect("a log"));
        self.up = up.spawn().expect("hone starts");
        let reported = || fs::read_to_string(&log).unwrap_or_default();
        wait_until("a server that listens", || {
            reported().contains(" listens on ")
        });
        reported()
    }

    fn started(dir: TempDir, listen: &str, mut up: Command, more: &[&str]) -> Self {
        Self::complete(&mut up, &dir, listen, more);
        Self::spawned(dir, up)
    }

    /// Completes the command `hone` to `hone fleet up`.
    fn complete(up: &mut Command, dir: &TempDir, listen: &str, more: &[&str]) {
        up.args(["fleet", "up", "--listen", listen, "--data"])
            .arg(dir.path().join("data"))
            .arg("--shared-credential")
            .args(more);
    }

    fn spawned(dir: TempDir, mut up: Command) -> Self {
        up.stdout(Stdio::piped())
            .stderr(fs::File::create(dir.path().join("up.log")).expect("a log"));
        let mut up = up.spawn().expect("hone starts");
        let stdout = up.stdout.take().expect("its output");
        let mut fleet = Self {
            dir,
            up,
            printed: BufReader::new(stdout).lines(),
            join: String::new(),
            submit: String::new(),
        };
        fleet.join = fleet.line("workers:");
        fleet.submit = fleet.line("runs:");
        fleet
    }

    /// The credential in the next line of its output, which begins with `label`.
    fn line(&mut self, label: &str) -> String {
        let line = self.printed.next().and_then(Result::ok).unwrap_or_default();
        let log = fs::read_to_string(self.dir.path().join("up.log")).unwrap_or_default();
        assert!(line.starts_with(label), "{line}\n{log}");
        let at = line.find("hone1.").expect("a line with a credential");
        line[at..].trim().to_string()
    }

    /// Fills the small disk. Returns the file whose removal makes room.
    pub(crate) fn fill_disk(&self) -> PathBuf {
        let root = PathBuf::from(format!("/proc/{}/root", self.up.id()));
        let data = self.data();
        let filler = root.join(data.strip_prefix("/").expect("absolute"));
        let filler = filler.join("filler");
        let mut file = fs::File::create(&filler).expect("a file");
        for size in [1024 * 1024, 1] {
            let zeros = vec![0; size];
            while file.write_all(&zeros).is_ok() {}
        }
        filler
    }

    /// A command that uses this fleet.
    pub(crate) fn hone(&self, args: &[&str]) -> Command {
        let mut hone = hone();
        hone.args(args).env("HONE_FLEET", &self.submit);
        hone
    }

    /// `hone COMMAND CONFIG --out NAME --fleet`.
    pub(crate) fn command(&self, setup: &Setup, command: &str, out: &str) -> Command {
        let mut hone = setup.command(command, out, &["--fleet"]);
        hone.env("HONE_FLEET", &self.submit);
        hone
    }

    /// `hone fleet ARGS…` on the server's data.
    pub(crate) fn tokens(&self, args: &[&str]) -> Command {
        let mut hone = hone();
        hone.arg("fleet").args(args).arg("--data").arg(self.data());
        hone
    }

    /// Makes a credential: `hone fleet invite ARGS…`.
    pub(crate) fn credential(&self, args: &[&str]) -> String {
        let made = finish(self.tokens(&[&["invite"], args].concat()));
        assert_eq!(made.code, Some(0), "{}", made.stderr);
        let at = made.stdout.find("hone1.").expect("a credential");
        made.stdout[at..].trim().to_string()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    pub(crate) fn worker(&self, name: &str, args: &[&str]) -> Process {
        self.worker_with(name, &self.join, args)
    }

    /// A worker with another JOIN line.
    pub(crate) fn worker_with(&self, name: &str, join: &str, args: &[&str]) -> Process {
        self.spawn(name, self.worker_command(name, join, args))
    }

    /// A worker whose cache is on a disk of this size. `None`, and the test counts as skipped,
    /// if no file system can be mounted.
    pub(crate) fn worker_on_disk(&self, name: &str, size: &str, args: &[&str]) -> Option<Process> {
        let cache = self.dir.path().join(format!("cache-{name}"));
        fs::create_dir(&cache).expect("made");
        let command = self.worker_command(name, &self.join, args);
        Some(self.spawn(name, with_disk(&command, &cache, size)?))
    }

    /// A worker. `by` returns the command that starts it.
    pub(crate) fn worker_by(
        &self,
        name: &str,
        args: &[&str],
        by: impl Fn(&Command) -> Command,
    ) -> Process {
        self.spawn(name, by(&self.worker_command(name, &self.join, args)))
    }

    fn worker_command(&self, name: &str, join: &str, args: &[&str]) -> Command {
        let mut command = hone();
        command
            .args(["worker", join, "--name", name])
            .args(args)
            .env("HONE_CACHE", self.dir.path().join(format!("cache-{name}")));
        command
    }

    /// A match of a configuration, `fleet` in its folder, with its messages in a log.
    pub(crate) fn start_run(&self, setup: &Setup, args: &[&str]) -> Process {
        let mut runner = self.command(setup, "match", "fleet");
        runner.args(args);
        self.spawn("run", runner)
    }

    /// Starts a command with its messages in the log of this name.
    pub(crate) fn spawn(&self, name: &str, mut command: Command) -> Process {
        let log = self.dir.path().join(format!("{name}.log"));
        command
            .stdout(Stdio::null())
            .stderr(fs::File::create(&log).expect("a log"));
        Process {
            child: Running::start(&mut command),
            log,
        }
    }

    /// Kills nats-server and removes its stored data; `hone fleet up` starts it again.
    pub(crate) fn lose_disk(&mut self) {
        signal(&self.up, libc::SIGSTOP);
        let before = self.server_pid();
        signal_pid(before, libc::SIGKILL);
        // It may write until it has ended.
        let stored = self.data().join("jetstream");
        wait_until("an empty disk", || {
            let _ = fs::remove_dir_all(&stored);
            !stored.exists()
        });
        signal(&self.up, libc::SIGCONT);
        self.wait_for_restart(before);
    }

    /// Kills nats-server; `hone fleet up` starts it again.
    pub(crate) fn kill_server(&mut self) {
        let before = self.server_pid();
        signal_pid(before, libc::SIGKILL);
        self.wait_for_restart(before);
    }

    fn wait_for_restart(&self, before: i32) {
        wait_until("the restart of the server", || {
            let is_started = self.server().is_some_and(|now| now != before);
            is_started && finish(self.hone(&["fleet", "status"])).code == Some(0)
        });
    }

    fn server_pid(&self) -> i32 {
        self.server().expect("one child")
    }

    /// The process id of nats-server, if one runs.
    fn server(&self) -> Option<i32> {
        let children = format!("/proc/{0}/task/{0}/children", self.up.id());
        let children = fs::read_to_string(children).unwrap_or_default();
        children.trim().parse().ok()
    }
}

fn signal_pid(pid: i32, signal: i32) {
    // SAFETY: kill has no requirements; the process is a child of our child.
    unsafe {
        libc::kill(pid, signal);
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        signal(&self.up, libc::SIGTERM);
        let _ = self.up.wait();
    }
}

impl Process {
    pub(crate) fn interrupt(&self) {
        signal(&self.child, libc::SIGINT);
    }

    /// Sends SIGTERM and waits for the end.
    #[cfg(feature = "serve")]
    pub(crate) fn terminate(&mut self) {
        signal(&self.child, libc::SIGTERM);
        self.wait();
    }

    /// Waits for the end. Returns the exit code.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.child.wait().expect("waited for").code()
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.has_ended()
    }

    /// What it has printed.
    pub(crate) fn printed(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}
