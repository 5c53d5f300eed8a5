//! A server, three workers and a test, on this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use tempfile::TempDir;

use super::fleet_server::credentials;
use super::relay::Relay;
use super::tally::Tally;

/// Timeout of all waits, long enough for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(600);
/// Time of a move, in milliseconds: a run takes a few minutes.
const MOVE_MS: u32 = 8;
/// Shell command that mounts a small disk at `$0` and runs the rest of its arguments.
const MOUNT: &str = "mount -t tmpfs -o size=96m tmpfs \"$0\" && exec \"$@\"";

/// Whether a file system can be mounted in a namespace of its own.
pub(crate) fn can_mount() -> bool {
    let Ok(dir) = tempfile::tempdir() else {
        return false;
    };
    let mut command = with_disk(dir.path());
    let status = command.arg("true").stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// A command that runs the command in its further arguments with a small disk at `dir`.
fn with_disk(dir: &Path) -> Command {
    let mut command = Command::new("unshare");
    command
        .args(["--map-root-user", "--mount", "sh", "-c", MOUNT])
        .arg(dir);
    command
}

pub(crate) struct Scene {
    dir: TempDir,
    hone: PathBuf,
    up: Child,
    join: String,
    submit: String,
    /// Relays of the three workers and of the run to the server.
    relays: Vec<Relay>,
    workers: Vec<Child>,
    runner: Option<Child>,
    started: Instant,
    names: u32,
}

/// The result of a run.
pub(crate) struct RunResult {
    digest: String,
    verdict: serde_json::Value,
    /// Number of rows of each game in the ledger.
    games: BTreeMap<String, u32>,
}

impl Scene {
    pub(crate) fn new(programs: &Path, seed: u64, fills_disk: bool) -> anyhow::Result<Self> {
        let dir = tempfile::tempdir()?;
        let hone = programs.join("hone");
        let engine = programs.join("examples/scripted_engine");
        for (name, slow) in [
            ("undisturbed", String::new()),
            ("disturbed", format!(" go=late:{MOVE_MS}")),
        ] {
            let config = config(&engine, seed, &slow);
            fs::write(dir.path().join(format!("{name}.toml")), config)?;
        }
        let free = TcpListener::bind("127.0.0.1:0")?;
        let address = free.local_addr()?;
        drop(free);
        let data = dir.path().join("data");
        fs::create_dir(&data)?;
        let mut up = if fills_disk {
            let mut command = with_disk(&data);
            command.arg(&hone);
            command
        } else {
            Command::new(&hone)
        };
        let mut up = up
            .args(["fleet", "up", "--listen", &address.to_string(), "--data"])
            .arg(&data)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(dir.path().join("up.log"))?)
            .spawn()?;
        let (join, submit) = credentials(&mut up)?;
        Ok(Self {
            join,
            submit,
            relays: relays(address)?,
            dir,
            hone,
            up,
            workers: Vec::new(),
            runner: None,
            started: Instant::now(),
            names: 0,
        })
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    fn run(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn hone(&self) -> Command {
        let mut command = Command::new(&self.hone);
        command
            .env("HONE_FLEET", &self.submit)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Plays the run on this machine, without a fleet.
    pub(crate) fn undisturbed(&self) -> anyhow::Result<RunResult> {
        let mut command = self.hone();
        command.arg("sprt").arg(self.run("undisturbed.toml"));
        let status = command.arg("--out").arg(self.run("undisturbed")).status()?;
        ensure!(has_verdict(status.code()), "the undisturbed run failed");
        self.result("undisturbed")
    }

    fn result(&self, run: &str) -> anyhow::Result<RunResult> {
        let mut command = self.hone();
        command
            .arg("verify")
            .arg(self.run(run))
            .stdout(Stdio::piped());
        let output = command.output()?;
        let text = String::from_utf8(output.stdout)?;
        ensure!(output.status.success(), "{run}: {text}");
        let report = fs::read(self.run(run).join("report.json"))?;
        let report: serde_json::Value = serde_json::from_slice(&report)?;
        let ledger = fs::read_to_string(self.run(run).join("games.csv"))?;
        let mut games = BTreeMap::new();
        for row in ledger.lines().skip(1) {
            let mut columns = row.splitn(3, ',');
            let game = [columns.next(), columns.next()].map(Option::unwrap_or_default);
            *games.entry(game.join(" ")).or_default() += 1;
        }
        Ok(RunResult {
            digest: text.lines().next_back().unwrap_or_default().to_string(),
            verdict: report["verdict"].clone(),
            games,
        })
    }

    /// Compares the disturbed run with the undisturbed one.
    pub(crate) fn compare(
        &mut self,
        expected: &RunResult,
        tally: &mut Tally,
    ) -> anyhow::Result<()> {
        let found = self.result("disturbed")?;
        // Both runs may have games of pairs after the deciding one.
        let judged = self.judged()?;
        let games = (1..=judged).flat_map(|pair| [1, 2].map(|game| format!("{pair} {game}")));
        let missing = games.filter(|game| !found.games.contains_key(game)).count();
        let lost = missing.div_ceil(2);
        let doubled = found.games.values().filter(|times| **times > 1).count();
        tally.pairs += judged;
        tally.lost += lost;
        tally.doubled += doubled;
        let is_same = found.digest == expected.digest && found.verdict == expected.verdict;
        ensure!(
            is_same && lost == 0 && doubled == 0,
            "{lost} pairs are lost, {doubled} games are doubled; the digest is {} and the verdict \
             {}, and {} and {} on one machine; see {}",
            found.digest,
            found.verdict,
            expected.digest,
            expected.verdict,
            self.keep().display()
        );
        Ok(())
    }

    /// Number of pairs up to the verdict.
    fn judged(&self) -> anyhow::Result<usize> {
        let report = fs::read(self.run("undisturbed").join("report.json"))?;
        let report: serde_json::Value = serde_json::from_slice(&report)?;
        let pairs = report["pairs"].as_u64().context("a number of pairs")?;
        Ok(usize::try_from(pairs)?)
    }

    /// Starts three workers and the run.
    pub(crate) fn start(&mut self) -> anyhow::Result<()> {
        for place in 0..3 {
            let worker = self.worker(place)?;
            self.workers.push(worker);
        }
        self.runner = Some(self.runner()?);
        self.started = Instant::now();
        Ok(())
    }

    fn worker(&mut self, place: usize) -> anyhow::Result<Child> {
        self.names += 1;
        let name = format!("w{}", self.names);
        let log = File::create(self.run(&format!("{name}.log")))?;
        let join = self.relays[place].credential(&self.join)?;
        let mut command = self.hone();
        command
            .args(["worker", &join, "--cores", "1", "--name", &name])
            .env("HONE_CACHE", self.run("cache"))
            .stderr(log);
        Ok(command.spawn()?)
    }

    /// Starts the run, or resumes it.
    fn runner(&self) -> anyhow::Result<Child> {
        let run = self.run("disturbed");
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.run("runner.log"))?;
        let mut command = self.hone();
        if run.join("run.toml").exists() {
            command.arg("resume").arg(&run);
        } else {
            // A kill before the manifest leaves at most an empty folder.
            let _ = fs::remove_dir_all(&run);
            command.arg("sprt").arg(self.run("disturbed.toml"));
            command.arg("--fleet").arg("--out").arg(&run);
        }
        let access = self.relays[RUNNER].credential(&self.submit)?;
        command.env("HONE_FLEET", access);
        Ok(command.stderr(log).spawn()?)
    }

    /// Whether the run has ended. Fails if the run failed.
    pub(crate) fn has_ended(&mut self) -> anyhow::Result<bool> {
        let Some(runner) = &mut self.runner else {
            return Ok(false);
        };
        let Some(status) = runner.try_wait()? else {
            return Ok(false);
        };
        ensure!(
            has_verdict(status.code()),
            "the run ended with {status}; see {}",
            self.keep().display()
        );
        Ok(true)
    }

    /// Kills a worker and starts another. Returns the seconds until its pairs were in the
    /// ledger; `None` if it had none or the run ended.
    pub(crate) fn kill_worker(&mut self, victim: usize) -> anyhow::Result<Option<f64>> {
        let held = self.pairs_of(victim);
        self.workers[victim].kill()?;
        self.workers[victim].wait()?;
        let killed = Instant::now();
        let worker = self.worker(victim)?;
        self.workers[victim] = worker;
        while !held.is_empty() {
            if held.is_subset(&self.recorded()) {
                return Ok(Some(killed.elapsed().as_secs_f64()));
            }
            if self.has_ended()? {
                break;
            }
            ensure!(
                killed.elapsed() < TIMEOUT,
                "pairs {held:?} were lost; see {}",
                self.keep().display()
            );
            thread::sleep(Duration::from_millis(50));
        }
        Ok(None)
    }

    /// The pairs that a worker holds and that are not in the ledger.
    fn pairs_of(&self, victim: usize) -> BTreeSet<u64> {
        let name = format!("workers/w{}", self.number_of(victim));
        let status = self
            .hone()
            .args(["fleet", "status", "--json"])
            .stdout(Stdio::piped())
            .output();
        let Ok(status) = status else {
            return BTreeSet::new();
        };
        let json: serde_json::Value = serde_json::from_slice(&status.stdout).unwrap_or_default();
        let all = json["workers"].as_array().cloned().unwrap_or_default();
        let own = all.iter().find(|worker| worker["worker"] == name.as_str());
        let holds = own
            .and_then(|worker| worker["holds"].as_object().cloned())
            .unwrap_or_default();
        let pairs = holds
            .values()
            .filter_map(|pairs| pairs.as_array())
            .flatten();
        let held: BTreeSet<u64> = pairs.filter_map(serde_json::Value::as_u64).collect();
        held.difference(&self.recorded()).copied().collect()
    }

    /// The number in the name of the worker that runs in a place; 0 if it is not known.
    fn number_of(&self, victim: usize) -> u32 {
        let pid = self.workers[victim].id();
        let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let name = line.split('\0').skip_while(|word| *word != "--name").nth(1);
        name.and_then(|name| name.strip_prefix('w')?.parse().ok())
            .unwrap_or(0)
    }

    /// Numbers of the pairs in the ledger, from 0.
    fn recorded(&self) -> BTreeSet<u64> {
        let text = fs::read_to_string(self.run("disturbed").join("games.csv")).unwrap_or_default();
        let rows = text
            .lines()
            .skip(1)
            .filter_map(|row| row.split(',').next()?.parse::<u64>().ok());
        rows.map(|pair| pair - 1).collect()
    }

    /// Lets a worker finish its pairs and starts another.
    pub(crate) fn replace_worker(&mut self, victim: usize) -> anyhow::Result<()> {
        signal(&self.workers[victim], libc::SIGINT);
        let worker = self.worker(victim)?;
        let mut left = std::mem::replace(&mut self.workers[victim], worker);
        let status = left.wait()?;
        ensure!(
            status.success(),
            "a worker that was interrupted ended with {status}"
        );
        Ok(())
    }

    pub(crate) fn kill_runner(&mut self) -> anyhow::Result<()> {
        if let Some(mut runner) = self.runner.take() {
            runner.kill()?;
            runner.wait()?;
        }
        self.runner = Some(self.runner()?);
        Ok(())
    }

    fn server(&self) -> Option<i32> {
        let pid = self.up.id();
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
        children.split_whitespace().next()?.parse().ok()
    }

    pub(crate) fn kill_server(&mut self) -> anyhow::Result<()> {
        let before = self.server().context("no server runs")?;
        send(before, libc::SIGKILL);
        let begun = Instant::now();
        while self.server().is_none_or(|now| now == before) {
            ensure!(
                begun.elapsed() < TIMEOUT,
                "the server was not started again"
            );
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    pub(crate) fn freeze_worker(&mut self, victim: usize, time: Duration) {
        signal(&self.workers[victim], libc::SIGSTOP);
        thread::sleep(time);
        signal(&self.workers[victim], libc::SIGCONT);
    }

    pub(crate) fn cut_worker(&self, victim: usize, time: Duration) {
        self.relays[victim].cut_for(time);
    }

    pub(crate) fn cut_runner(&self, time: Duration) {
        self.relays[RUNNER].cut_for(time);
    }

    /// Fills the server's disk for a time.
    pub(crate) fn fill_disk(&mut self, time: Duration) -> anyhow::Result<()> {
        let root = PathBuf::from(format!("/proc/{}/root", self.up.id()));
        let data = self.run("data");
        let filler = root.join(data.strip_prefix("/")?).join("filler");
        let mut file = File::create(&filler)?;
        for size in [1024 * 1024, 4096, 1] {
            let zeros = vec![0; size];
            while file.write_all(&zeros).is_ok() {}
        }
        thread::sleep(time);
        Ok(fs::remove_file(&filler)?)
    }

    /// Waits for the next pair in the ledger. Returns the time in seconds; `None` if the run
    /// has ended.
    pub(crate) fn next_pair(&mut self) -> anyhow::Result<Option<f64>> {
        let (begun, before) = (Instant::now(), self.recorded().len());
        while self.recorded().len() == before {
            if self.has_ended()? {
                return Ok(None);
            }
            ensure!(
                begun.elapsed() < TIMEOUT,
                "the run records no further pair; see {}",
                self.keep().display()
            );
            thread::sleep(Duration::from_millis(20));
        }
        Ok(Some(begun.elapsed().as_secs_f64()))
    }

    pub(crate) fn freeze_server(&mut self, time: Duration) -> anyhow::Result<()> {
        let server = self.server().context("no server runs")?;
        send(server, libc::SIGSTOP);
        thread::sleep(time);
        send(server, libc::SIGCONT);
        Ok(())
    }

    /// Waits for the end of the run.
    pub(crate) fn finish(&mut self) -> anyhow::Result<()> {
        while self.next_pair()?.is_some() {}
        Ok(())
    }

    /// Returns the folder, which is kept after the campaign.
    pub(crate) fn keep(&mut self) -> PathBuf {
        self.dir.disable_cleanup(true);
        self.dir.path().to_path_buf()
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        for child in self.workers.iter_mut().chain(&mut self.runner) {
            let _ = child.kill();
            let _ = child.wait();
        }
        signal(&self.up, libc::SIGTERM);
        let _ = self.up.wait();
    }
}

/// Index of the run's relay.
const RUNNER: usize = 3;

fn relays(server: SocketAddr) -> anyhow::Result<Vec<Relay>> {
    (0..=RUNNER).map(|_| Relay::to(server)).collect()
}

/// Whether an exit code is that of a test with a verdict or of one that is undecided.
fn has_verdict(code: Option<i32>) -> bool {
    matches!(code, Some(0 | 1 | 3))
}

/// A test of two engines that move at random.
fn config(engine: &Path, seed: u64, more: &str) -> String {
    let cmd = engine.display();
    let player = |name: &str, seed: u32| {
        format!("[[engine]]\nname = \"{name}\"\ncmd = '{cmd} --seed {seed}{more}'\n")
    };
    let book = concat!(env!("CARGO_MANIFEST_DIR"), "/../books/quick.epd");
    format!(
        "{}{}[match]\nlimit = \"nodes=1\"\nconcurrency = 2\nseed = {seed}\n\
         openings = {{ file = '{book}' }}\n[adjudication]\nmax_moves = 60\n\
         [sprt]\nelo0 = 0.0\nelo1 = 30.0\nmax_pairs = 600\n",
        player("one", 1),
        player("two", 2)
    )
}

fn signal(child: &Child, signal: i32) {
    if let Ok(pid) = i32::try_from(child.id()) {
        send(pid, signal);
    }
}

fn send(pid: i32, signal: i32) {
    // SAFETY: a signal to a process of this campaign.
    unsafe {
        libc::kill(pid, signal);
    }
}
