//! The command lines, and the programs and books that they name.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

/// A command line.
#[derive(Debug)]
pub(crate) struct Case {
    pub program: String,
    pub name: String,
    pub line: String,
}

impl Case {
    /// Whether games may end in another order than they start.
    pub(crate) fn is_parallel(&self) -> bool {
        self.line.contains("-concurrency")
    }
}

/// The command lines of `cases.txt`.
pub(crate) fn cases() -> Vec<Case> {
    include_str!("cases.txt")
        .lines()
        .filter_map(|line| {
            let mut parts = line.splitn(3, " | ").map(str::to_string);
            Some(Case {
                program: parts.next()?,
                name: parts.next()?,
                line: parts.next()?,
            })
        })
        .collect()
}

/// The compared programs and their engines.
#[derive(Debug)]
pub(crate) struct Programs {
    other: PathBuf,
    hone: PathBuf,
    scripted: PathBuf,
    stillwater: PathBuf,
    tables: Option<PathBuf>,
}

const ONE: &str = "-openings file=one.epd format=epd order=sequential";
const BOOK: &str = "-openings file=book.epd format=epd order=sequential";

impl Programs {
    /// Finds the programs that were built into the folders beside this one.
    pub(crate) fn find(other: &Path, tables: Option<&Path>) -> anyhow::Result<Self> {
        let here = std::env::current_exe()?;
        let examples = here.parent().context("this program is in a folder")?;
        let absolute = |path: &Path| {
            fs::canonicalize(path).with_context(|| format!("cannot find {}", path.display()))
        };
        Ok(Self {
            other: absolute(other)?,
            hone: absolute(&examples.join("../hone"))?,
            scripted: absolute(&examples.join("scripted_engine"))?,
            stillwater: absolute(&examples.join("../stillwater"))?,
            tables: tables.map(absolute).transpose()?,
        })
    }

    /// The words of a command line; `None` if it needs tables and none are given.
    pub(crate) fn fill_in(&self, case: &Case) -> Option<Vec<String>> {
        let is_cutechess = case.program == "cutechess-cli";
        let engines = |count: usize| {
            let mut text = String::new();
            for (number, name) in ["A", "B", "C", "D"].iter().enumerate().take(count) {
                let seed = 3 * number + 4;
                text += &if is_cutechess {
                    format!("-engine cmd=SCRIPTED name={name} arg=--seed arg={seed} ")
                } else {
                    format!("-engine cmd=SCRIPTED name={name} args='--seed {seed}' ")
                };
            }
            let each = if is_cutechess {
                "proto=uci tc=inf "
            } else {
                ""
            };
            let book = if count > 2 { ONE } else { BOOK };
            format!("{text}-each {each}nodes=100 {book}")
        };
        let mut line = case
            .line
            .replace("TWO", &engines(2))
            .replace("THREE", &engines(3))
            .replace("FOUR", &engines(4))
            .replace("BOOK", BOOK)
            .replace("SCRIPTED", &self.scripted.display().to_string())
            .replace("STILLWATER", &self.stillwater.display().to_string());
        if line.contains("TABLES") {
            line = line.replace("TABLES", &self.tables.as_ref()?.display().to_string());
        }
        shlex::split(&line)
    }

    pub(crate) fn other(&self, words: &[String]) -> Command {
        let mut command = Command::new(&self.other);
        command.args(words);
        command
    }

    pub(crate) fn hone(&self, program: &str, words: &[String]) -> Command {
        let mut command = Command::new(&self.hone);
        command.arg(program).args(words).args(["--out", "run"]);
        command
    }
}

/// Writes the books that the command lines name.
pub(crate) fn write_books(dir: &Path) -> std::io::Result<()> {
    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    // More openings than any of the command lines plays.
    let book: Vec<&str> = include_str!("../../../books/balanced.epd")
        .lines()
        .take(40)
        .collect();
    fs::write(dir.join("book.epd"), book.join("\n") + "\n")?;
    fs::write(dir.join("one.epd"), format!("{START}\n"))?;
    let frc = [
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - hmvc 2; fmvn 9;",
        "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - hmvc 1; fmvn 9;",
        "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - hmvc 1; fmvn 9;",
    ];
    fs::write(dir.join("frc.epd"), frc.join("\n") + "\n")?;
    let games = [
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1/2-1/2",
        "1. d4 d5 2. c4 e6 3. Nc3 Nf6 1/2-1/2",
        "1. c4 e5 2. Nc3 Nf6 3. g3 d5 1/2-1/2",
        "1. Nf3 d5 2. g3 c5 3. Bg2 Nc6 1/2-1/2",
    ];
    let pgn: String = games
        .iter()
        .map(|game| format!("[Event \"?\"]\n[Result \"1/2-1/2\"]\n\n{game}\n\n"))
        .collect();
    fs::write(dir.join("book.pgn"), pgn)
}
