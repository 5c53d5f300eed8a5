//! A server, three workers and a run, on this machine.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use tempfile::TempDir;

/// How long anything may take that must come about.
const PATIENCE: Duration = Duration::from_secs(600);

pub(crate) struct Scene {
    dir: TempDir,
    hone: PathBuf,
    up: Child,
    join: String,
    submit: String,
    workers: Vec<Child>,
    runner: Option<Child>,
    started: Instant,
    names: u32,
}

impl Scene {
    pub(crate) fn new(programs: &Path, pairs: usize) -> anyhow::Result<Self> {
        let dir = tempfile::tempdir()?;
        let hone = programs.join("hone");
        let engine = programs.join("examples/scripted_engine");
        let player = |name: &str, seed: u32| {
            let cmd = engine.display();
            format!("[[engine]]\nname = \"{name}\"\ncmd = '{cmd} --seed {seed}'\n")
        };
        let book = concat!(env!("CARGO_MANIFEST_DIR"), "/../books/quick.epd");
        let config = format!(
            "{}{}[match]\nlimit = \"nodes=1\"\npairs = {pairs}\nconcurrency = 2\n\
             openings = {{ file = '{book}' }}\n[adjudication]\nmax_moves = 60\n",
            player("one", 1),
            player("two", 2)
        );
        fs::write(dir.path().join("config.toml"), config)?;
        let free = TcpListener::bind("127.0.0.1:0")?;
        let address = free.local_addr()?.to_string();
        drop(free);
        let mut up = Command::new(&hone)
            .args(["fleet", "up", "--listen", &address, "--data"])
            .arg(dir.path().join("data"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(dir.path().join("up.log"))?)
            .spawn()?;
        let output = up.stdout.take().context("its output")?;
        let mut lines = BufReader::new(output).lines();
        let mut credential = || {
            let line = lines.next().context("the server did not start")??;
            let at = line.find("hone1.").context("a line without a credential")?;
            anyhow::Ok(line[at..].trim().to_string())
        };
        Ok(Self {
            join: credential()?,
            submit: credential()?,
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

    /// The digest of the games on this machine alone.
    pub(crate) fn undisturbed(&self) -> anyhow::Result<String> {
        let mut command = self.hone();
        command.arg("match").arg(self.run("config.toml"));
        let status = command.arg("--out").arg(self.run("undisturbed")).status()?;
        ensure!(status.success(), "the undisturbed run failed");
        self.digest("undisturbed")
    }

    pub(crate) fn digest(&self, run: &str) -> anyhow::Result<String> {
        let mut command = self.hone();
        command
            .arg("verify")
            .arg(self.run(run))
            .stdout(Stdio::piped());
        let output = command.output()?;
        ensure!(
            output.status.success(),
            "{run}: {}",
            String::from_utf8_lossy(&output.stdout)
        );
        let text = String::from_utf8(output.stdout)?;
        Ok(text.lines().next_back().unwrap_or_default().to_string())
    }

    /// Starts three workers and the run.
    pub(crate) fn start(&mut self) -> anyhow::Result<()> {
        for _ in 0..3 {
            let worker = self.worker()?;
            self.workers.push(worker);
        }
        self.runner = Some(self.runner()?);
        self.started = Instant::now();
        Ok(())
    }

    fn worker(&mut self) -> anyhow::Result<Child> {
        self.names += 1;
        let name = format!("w{}", self.names);
        let log = File::create(self.run(&format!("{name}.log")))?;
        let mut command = self.hone();
        command
            .args(["worker", &self.join, "--cores", "1", "--name", &name])
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
            command.arg("match").arg(self.run("config.toml"));
            command.arg("--fleet").arg("--out").arg(&run);
        }
        Ok(command.stderr(log).spawn()?)
    }

    /// Whether the run is over. One that has failed is an error.
    pub(crate) fn has_ended(&mut self) -> anyhow::Result<bool> {
        let Some(runner) = &mut self.runner else {
            return Ok(false);
        };
        let Some(status) = runner.try_wait()? else {
            return Ok(false);
        };
        ensure!(
            status.success(),
            "the run ended with {status}; see {}",
            self.keep().display()
        );
        Ok(true)
    }

    /// Kills a worker and starts another. Returns how long it took until its
    /// pairs were in the ledger, in seconds.
    pub(crate) fn kill_worker(&mut self, victim: usize) -> anyhow::Result<Option<f64>> {
        let held = self.pairs_of(victim);
        self.workers[victim].kill()?;
        self.workers[victim].wait()?;
        let killed = Instant::now();
        let worker = self.worker()?;
        self.workers[victim] = worker;
        while !held.is_empty() && !self.has_ended()? {
            if held.is_subset(&self.recorded()) {
                return Ok(Some(killed.elapsed().as_secs_f64()));
            }
            ensure!(
                killed.elapsed() < PATIENCE,
                "pairs {held:?} were lost; see {}",
                self.keep().display()
            );
            thread::sleep(Duration::from_millis(50));
        }
        Ok(None)
    }

    /// The pairs that a worker has and that are not in the ledger.
    fn pairs_of(&self, victim: usize) -> BTreeSet<u64> {
        let name = format!("workers/w{}", self.name_of(victim));
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

    /// A worker's number: the newest in its place.
    fn name_of(&self, victim: usize) -> u32 {
        let pid = self.workers[victim].id();
        let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let name = line.split('\0').skip_while(|word| *word != "--name").nth(1);
        name.and_then(|name| name.strip_prefix('w')?.parse().ok())
            .unwrap_or(0)
    }

    /// Pairs in the ledger, from 0.
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
        let worker = self.worker()?;
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
                begun.elapsed() < PATIENCE,
                "the server was not started again"
            );
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    pub(crate) fn freeze_worker(&mut self, victim: usize, time: Duration) -> anyhow::Result<()> {
        signal(&self.workers[victim], libc::SIGSTOP);
        thread::sleep(time);
        signal(&self.workers[victim], libc::SIGCONT);
        Ok(())
    }

    /// As a network that carries nothing: no connection is closed.
    pub(crate) fn freeze_server(&mut self, time: Duration) -> anyhow::Result<()> {
        let server = self.server().context("no server runs")?;
        send(server, libc::SIGSTOP);
        thread::sleep(time);
        send(server, libc::SIGCONT);
        Ok(())
    }

    /// Waits for the end of the run.
    pub(crate) fn finish(&mut self) -> anyhow::Result<()> {
        let begun = Instant::now();
        while !self.has_ended()? {
            ensure!(
                begun.elapsed() < PATIENCE,
                "the run does not end; see {}",
                self.keep().display()
            );
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// The folder, which is not removed any more.
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
