//! What `stillwater` does besides talking UCI.

pub mod bench;

use crate::board::{Position, fen, perft};
use crate::params::format;
use std::fmt;
use std::time::Instant;

/// Bad usage.
#[derive(Debug)]
pub struct UsageError(String);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}\n{USAGE}", self.0)
    }
}

const USAGE: &str = "\
usage: stillwater                         talk UCI on standard input and output
       stillwater bench [DEPTH]           search fixed positions
       stillwater perft DEPTH [FEN]       count legal lines
       stillwater params [--format text|toml|json|openbench|weather-factory]";

/// Carries out a command line and returns what it prints; `None` for UCI.
pub fn run(arguments: &[String]) -> Result<Option<String>, UsageError> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = match words[..] {
        [] => return Ok(None),
        ["bench"] => bench::run(bench::DEPTH),
        ["bench", depth] => bench::run(number(depth)?),
        ["perft", depth] => count(number(depth)?, fen::START)?,
        ["perft", depth, ref fen @ ..] => count(number(depth)?, &fen.join(" "))?,
        ["params"] => parameters("text")?,
        ["params", "--format", format] => parameters(format)?,
        ["help" | "--help" | "-h"] => USAGE.to_owned(),
        ["--version" | "-V"] => format!("stillwater {}", env!("CARGO_PKG_VERSION")),
        _ => return Err(UsageError(format!("unknown command '{}'", words.join(" ")))),
    };
    Ok(Some(output))
}

fn number<N: std::str::FromStr>(text: &str) -> Result<N, UsageError> {
    text.parse()
        .map_err(|_| UsageError(format!("'{text}' is not a number")))
}

fn parameters(form: &str) -> Result<String, UsageError> {
    let text = format::render(form);
    let text = text.ok_or_else(|| UsageError(format!("unknown format '{form}'")))?;
    Ok(text.trim_end().to_owned())
}

fn count(depth: usize, fen: &str) -> Result<String, UsageError> {
    let position = Position::from_fen(fen).map_err(|error| UsageError(error.to_string()))?;
    let start = Instant::now();
    let mut out = String::new();
    let mut total = 0;
    for (mv, nodes) in perft::divide(&position, depth) {
        out += &format!("{}: {nodes}\n", mv.uci(false));
        total += nodes;
    }
    if depth == 0 {
        total = 1;
    }
    let nps = total as f64 / start.elapsed().as_secs_f64().max(1e-6);
    Ok(out + &format!("{total} nodes {} nps", nps as u64))
}
