//! The output and the files of a program.

use std::fmt;
use std::fs;
use std::process::{Command, Stdio};

use anyhow::Context;

use super::case::{Case, write_books};

/// The texts of one program.
#[derive(Debug, Default)]
pub(crate) struct Played {
    /// The lines of `output`, `g.pgn` and `e.epd`, as far as the files exist.
    pub texts: Vec<(&'static str, Vec<String>)>,
    pub code: Option<i32>,
}

impl Played {
    /// Runs a command in a folder of its own.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(crate) fn of(mut command: Command, case: &Case) -> anyhow::Result<Self> {
        let dir = tempfile::tempdir()?;
        write_books(dir.path())?;
        let output = command
            .current_dir(dir.path())
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot start {command:?}"))?;
        // cutechess-cli prints part of its lines on standard error.
        let mut printed = output.stdout;
        if case.program == "cutechess-cli" && printed.is_empty() {
            printed = output.stderr;
        }
        let lines = |bytes: &[u8]| -> Vec<String> {
            let text = String::from_utf8_lossy(bytes);
            text.lines().map(str::to_string).collect()
        };
        let mut texts = vec![("output", lines(&printed))];
        for name in ["g.pgn", "e.epd"] {
            if let Ok(bytes) = fs::read(dir.path().join(name)) {
                texts.push((name, lines(&bytes)));
            }
        }
        Ok(Self {
            texts,
            code: output.status.code(),
        })
    }
}

impl fmt::Display for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, lines) in &self.texts {
            writeln!(f, "{name}:\n{}", lines.join("\n"))?;
        }
        writeln!(f, "exit code: {:?}", self.code)
    }
}

/// The differences, at most twelve lines of each text; empty if there are none.
pub(crate) fn compare(theirs: &Played, ours: &Played) -> String {
    let mut text = String::new();
    if theirs.code != ours.code {
        text += &format!("  exit code: {:?}, hone {:?}\n", theirs.code, ours.code);
    }
    for (name, lines) in &theirs.texts {
        let other = ours.texts.iter().find(|(other, _)| other == name);
        let Some((_, own)) = other else {
            text += &format!("  {name}: hone does not write it\n");
            continue;
        };
        let wrong: Vec<String> = (0..lines.len().max(own.len()))
            .filter(|index| lines.get(*index) != own.get(*index))
            .map(|index| {
                let line = |of: &[String]| of.get(index).cloned().unwrap_or_default();
                format!(
                    "  {name}:{}\n    - {}\n    + {}\n",
                    index + 1,
                    line(lines),
                    line(own)
                )
            })
            .collect();
        text.extend(wrong.into_iter().take(12));
    }
    text
}
