//! The server and the run of the simulated workers.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use tempfile::TempDir;
use tokio::time::sleep;

use super::fleet_server::credentials;

/// How a simulated worker reaches the server.
#[derive(Debug, Clone)]
pub(crate) struct WorkerAccess {
    pub(crate) url: String,
    pub(crate) seed: String,
    pub(crate) certificate: PathBuf,
}

pub(crate) struct Stage {
    dir: TempDir,
    up: Child,
    runner: Child,
    access: WorkerAccess,
    /// Bytes of the ledger that have been read, and lines in them.
    read: (u64, u64),
}

impl Stage {
    pub(crate) fn new(programs: &Path) -> anyhow::Result<Self> {
        let dir = tempfile::tempdir()?;
        let hone = programs.join("hone");
        let data = dir.path().join("data");
        let free = TcpListener::bind("127.0.0.1:0")?;
        let address = free.local_addr()?.to_string();
        drop(free);
        let mut up = Command::new(&hone)
            .args(["fleet", "up", "--listen", &address, "--data"])
            .arg(&data)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(dir.path().join("up.log"))?)
            .spawn()?;
        let (join, submit) = credentials(&mut up)?;
        let json = URL_SAFE_NO_PAD.decode(join.trim_start_matches("hone1."))?;
        let json: Value = serde_json::from_slice(&json)?;
        let text = |name: &str| {
            json[name]
                .as_str()
                .map(str::to_string)
                .context("a JOIN line")
        };
        let access = WorkerAccess {
            url: text("url")?,
            seed: text("seed")?,
            certificate: data.join("server.crt"),
        };
        let config = dir.path().join("config.toml");
        fs::write(
            &config,
            configuration(&programs.join("examples/scripted_engine")),
        )?;
        let runner = Command::new(&hone)
            .arg("match")
            .arg(&config)
            .args(["--fleet", "--out"])
            .arg(dir.path().join("run"))
            .env("HONE_FLEET", submit)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(dir.path().join("runner.log"))?)
            .spawn()?;
        Ok(Self {
            dir,
            up,
            runner,
            access,
            read: (0, 0),
        })
    }

    pub(crate) fn worker_access(&self) -> &WorkerAccess {
        &self.access
    }

    /// The name of the run in the fleet.
    pub(crate) async fn run_name(&mut self) -> anyhow::Result<String> {
        let path = self.dir.path().join("run").join("lease.toml");
        for _ in 0..600 {
            let text = fs::read_to_string(&path).unwrap_or_default();
            let name = text.lines().find_map(|line| line.strip_prefix("run = "));
            if let Some(name) = name {
                return Ok(name.trim_matches('"').to_string());
            }
            self.check()?;
            sleep(Duration::from_millis(100)).await;
        }
        bail!("the run did not start")
    }

    /// Fails if the run or the server has ended.
    pub(crate) fn check(&mut self) -> anyhow::Result<()> {
        for (child, log) in [(&mut self.up, "up.log"), (&mut self.runner, "runner.log")] {
            let ended = child.try_wait()?;
            let log = fs::read_to_string(self.dir.path().join(log)).unwrap_or_default();
            ensure!(ended.is_none(), "a process has ended: {log}");
        }
        Ok(())
    }

    pub(crate) fn runner(&self) -> u32 {
        self.runner.id()
    }

    pub(crate) fn server(&self) -> anyhow::Result<u32> {
        let pid = self.up.id();
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))?;
        let first = children
            .split_whitespace()
            .next()
            .context("no server runs")?;
        Ok(first.parse()?)
    }

    /// Pairs in the ledger.
    pub(crate) fn recorded(&mut self) -> anyhow::Result<u64> {
        let mut file = File::open(self.dir.path().join("run").join("games.csv"))?;
        let (offset, rows) = self.read;
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let new = bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.read = (offset + bytes.len() as u64, rows + new);
        Ok(self.read.1.saturating_sub(1) / 2)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = self.runner.kill();
        let _ = self.runner.wait();
        if let Ok(pid) = i32::try_from(self.up.id()) {
            // SAFETY: a signal to a child that has not been waited for.
            unsafe {
                libc::kill(pid, libc::SIGTERM);
            }
        }
        let _ = self.up.wait();
    }
}

/// A match with clocks and without a book: repeated games are allowed.
fn configuration(engine: &Path) -> String {
    let cmd = engine.display();
    let player = |name: &str| format!("[[engine]]\nname = \"{name}\"\ncmd = '{cmd}'\n");
    format!(
        "{}{}[match]\nlimit = \"10+0.1\"\npairs = 100000000\nconcurrency = 1\nopenings = \"none\"\n",
        player("one"),
        player("two")
    )
}
