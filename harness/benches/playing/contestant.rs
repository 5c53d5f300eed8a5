//! The programs under measurement. All play the same matches.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::engine::{RECORDS, Record, TIMES};
use super::process::{self, Cost};

/// A program under measurement.
#[derive(Debug, Clone)]
pub(crate) enum Program {
    Hone,
    CChessCli(PathBuf),
    Fastchess(PathBuf),
}

/// A match of the instant engine against itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Match<'a> {
    pub(crate) games: u64,
    pub(crate) concurrency: usize,
    pub(crate) book: &'a Path,
    /// Whether all processes run on processor 0.
    pub(crate) pinned: bool,
    /// Whether the engines record the times of `go` and `bestmove`.
    pub(crate) timed: bool,
}

/// The cost of a match, and the records of its engines.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) cost: Cost,
    pub(crate) plies: u64,
    pub(crate) records: Vec<Record>,
}

impl Program {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Program::Hone => "hone",
            Program::CChessCli(_) => "c-chess-cli",
            Program::Fastchess(_) => "fastchess",
        }
    }

    pub(crate) fn play(&self, what: Match<'_>) -> io::Result<Measured> {
        let folder = tempfile::tempdir()?;
        let records = folder.path().join("records");
        fs::create_dir(&records)?;
        let mut command = self.command(what, folder.path())?;
        command.current_dir(folder.path()).env(RECORDS, &records);
        if what.timed {
            command.env(TIMES, "1");
        }
        let cost = process::run(&mut command, what.pinned)?;
        assert!(cost.succeeded, "{} failed: {command:?}", self.name());
        let records: Vec<Record> = fs::read_dir(&records)?
            .map(|entry| Ok(Record::read(&fs::read(entry?.path())?)))
            .collect::<io::Result<_>>()?;
        Ok(Measured {
            cost,
            plies: records.iter().map(|record| record.searches).sum(),
            records,
        })
    }

    fn command(&self, what: Match<'_>, folder: &Path) -> io::Result<Command> {
        let engine = env::current_exe()?;
        match self {
            Program::Hone => {
                let config = folder.join("match.toml");
                fs::write(&config, configuration(&engine, what))?;
                let mut command = Command::new(env!("CARGO_BIN_EXE_hone"));
                command
                    .arg("match")
                    .arg(config)
                    .arg("--out")
                    .arg(folder.join("run"));
                Ok(command)
            }
            Program::CChessCli(program) => {
                let mut command = Command::new(program);
                for number in ["1", "2"] {
                    command
                        .arg("-engine")
                        .arg(format!(
                            "cmd={} --instant-engine {number}",
                            engine.display()
                        ))
                        .arg(format!("name=instant{number}"));
                }
                command
                    .args(["-each", "tc=60+0.6"])
                    .args(["-games", &what.games.to_string(), "-repeat"])
                    .args(["-concurrency", &what.concurrency.to_string()])
                    .arg("-openings")
                    .arg(format!("file={}", what.book.display()))
                    .args(["order=random", "-pgn", "games.pgn"]);
                Ok(command)
            }
            Program::Fastchess(program) => {
                let mut command = Command::new(program);
                for number in ["1", "2"] {
                    command
                        .arg("-engine")
                        .arg(format!("cmd={}", engine.display()))
                        .arg(format!("name=instant{number}"))
                        .arg(format!("args=--instant-engine {number}"));
                }
                command
                    .args(["-each", "tc=60+0.6"])
                    .args(["-rounds", &(what.games / 2).to_string(), "-repeat"])
                    .args(["-concurrency", &what.concurrency.to_string()])
                    .arg("-force-concurrency")
                    .arg("-openings")
                    .arg(format!("file={}", what.book.display()))
                    .args(["format=epd", "order=random"])
                    .args(["-pgnout", "file=games.pgn"])
                    .args(["-config", "outname=config.json"]);
                Ok(command)
            }
        }
    }
}

fn configuration(engine: &Path, what: Match<'_>) -> String {
    let quoted = |path: &Path| format!("{:?}", path.display().to_string());
    let engines: String = ["1", "2"]
        .map(|number| {
            format!(
                "[[engine]]\nname = \"instant{number}\"\ncmd = {}\nargs = [\"--instant-engine\", \"{number}\"]\n",
                quoted(engine)
            )
        })
        .concat();
    format!(
        "{engines}[match]\nlimit = \"60+0.6\"\npairs = {}\nconcurrency = {}\nopenings = {{ file = {}, order = \"random\" }}\n",
        what.games / 2,
        what.concurrency,
        quoted(what.book),
    )
}
