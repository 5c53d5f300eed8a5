//! A fleet for one test: `hone fleet up` with its own data, and workers with
//! their own caches.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Lines, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use tempfile::TempDir;

use crate::common::skip::skipped;
use crate::common::{Setup, finish, hone, signal, wait_until};

/// A running `hone fleet up`.
pub(crate) struct Fleet {
    pub(crate) dir: TempDir,
    up: Child,
    printed: Lines<BufReader<ChildStdout>>,
    pub(crate) join: String,
    pub(crate) submit: String,
}

/// A running worker, killed at the end of its test.
pub(crate) struct Worker {
    child: Child,
    pub(crate) log: PathBuf,
}

/// The same command with a disk of its own of that size in a folder. `None`, and the
/// test counts as skipped, where no file system can be mounted.
fn with_disk(command: &Command, folder: &Path, size: &str) -> Option<Command> {
    let on_disk = |command: &Command| {
        let mount = format!("mount -t tmpfs -o size={size} tmpfs \"$0\" && exec \"$@\"");
        let mut there = Command::new("unshare");
        there.args(["--map-root-user", "--mount", "sh", "-c", &mount]);
        there.arg(folder).arg(command.get_program());
        there.args(command.get_args()).stdin(Stdio::null());
        for (name, value) in command.get_envs() {
            if let Some(value) = value {
                there.env(name, value);
            }
        }
        there
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

fn free_port() -> u16 {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    free.local_addr().expect("its address").port()
}

/// An address that is free.
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

    /// One that listens there, started by another command than its own.
    pub(crate) fn start_at(listen: &str, by: impl Fn(&Command) -> Command) -> Option<Self> {
        let dir = folder()?;
        let mut up = hone();
        Self::complete(&mut up, &dir, listen, &[]);
        Some(Self::spawned(dir, by(&up)))
    }

    /// One that also listens for WebSocket, and its JOIN line for that.
    pub(crate) fn start_with_websocket() -> Option<(Self, String)> {
        let dir = folder()?;
        let at = local();
        let mut fleet = Self::started(dir, &local(), hone(), &["--websocket", &at]);
        let join = fleet.line("over WebSocket:");
        Some((fleet, join))
    }

    /// One whose data are on a disk of their own of 64 MB. `None` where no file
    /// system can be mounted.
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

    /// `hone` becomes `hone fleet up`.
    fn complete(up: &mut Command, dir: &TempDir, listen: &str, more: &[&str]) {
        up.args(["fleet", "up", "--listen", listen, "--data"])
            .arg(dir.path().join("data"))
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

    /// The credential in the next line that it prints.
    fn line(&mut self, label: &str) -> String {
        let line = self.printed.next().and_then(Result::ok).unwrap_or_default();
        let log = fs::read_to_string(self.dir.path().join("up.log")).unwrap_or_default();
        assert!(line.starts_with(label), "{line}\n{log}");
        let at = line.find("hone1.").expect("a line with a credential");
        line[at..].trim().to_string()
    }

    /// Leaves no room on the small disk until the file that is returned is
    /// removed.
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

    /// A command on the server's data.
    pub(crate) fn tokens(&self, args: &[&str]) -> Command {
        let mut hone = hone();
        hone.arg("fleet").args(args).arg("--data").arg(self.data());
        hone
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    pub(crate) fn worker(&self, name: &str, args: &[&str]) -> Worker {
        self.worker_with(name, &self.join, args)
    }

    /// A worker with another JOIN line.
    pub(crate) fn worker_with(&self, name: &str, join: &str, args: &[&str]) -> Worker {
        self.spawn(name, self.worker_command(name, join, args))
    }

    /// A worker whose cache is on a disk of its own of that size. `None` where no file
    /// system can be mounted.
    pub(crate) fn worker_on_disk(&self, name: &str, size: &str, args: &[&str]) -> Option<Worker> {
        let cache = self.dir.path().join(format!("cache-{name}"));
        fs::create_dir(&cache).expect("made");
        let command = self.worker_command(name, &self.join, args);
        Some(self.spawn(name, with_disk(&command, &cache, size)?))
    }

    /// A worker that is started by another command than its own.
    pub(crate) fn worker_by(
        &self,
        name: &str,
        args: &[&str],
        by: impl Fn(&Command) -> Command,
    ) -> Worker {
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

    fn spawn(&self, name: &str, mut command: Command) -> Worker {
        let log = self.dir.path().join(format!("{name}.log"));
        command
            .stdout(Stdio::null())
            .stderr(fs::File::create(&log).expect("a log"));
        Worker {
            child: command.spawn().expect("a worker starts"),
            log,
        }
    }

    /// Kills nats-server and removes all that it has stored; `hone fleet up`
    /// starts it again.
    pub(crate) fn lose_disk(&mut self) {
        signal(&self.up, libc::SIGSTOP);
        let before = self.server_pid();
        signal_pid(before, libc::SIGKILL);
        // It writes until it is dead.
        let stored = self.data().join("jetstream");
        wait_until("an empty disk", || {
            let _ = fs::remove_dir_all(&stored);
            !stored.exists()
        });
        signal(&self.up, libc::SIGCONT);
        self.wait_for_another_than(before);
    }

    /// Kills nats-server; `hone fleet up` starts it again.
    pub(crate) fn kill_server(&mut self) {
        let before = self.server_pid();
        signal_pid(before, libc::SIGKILL);
        self.wait_for_another_than(before);
    }

    fn wait_for_another_than(&self, before: i32) {
        wait_until("another server", || {
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
    // SAFETY: it is a child of our child, which has not waited for it.
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

impl Worker {
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    pub(crate) fn interrupt(&mut self) {
        signal(&self.child, libc::SIGINT);
    }

    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.child.wait().expect("waited for").code()
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("its state").is_some()
    }

    /// What it has printed.
    pub(crate) fn printed(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}
