//! What `stillwater` can be told besides UCI, on its command line or among UCI
//! commands.

pub mod bench;
pub mod counting;

use crate::board::Position;
use crate::engine::Engine;
use crate::params::{self, Params, Settings, format};
use crate::search::Game;
use crate::uci::output::score;
use std::fmt;
use std::time::Instant;

/// Bad usage, or input that cannot be read.
#[derive(Debug)]
pub struct CommandError(String);

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn fail<T>(error: impl fmt::Display) -> Result<T, CommandError> {
    Err(CommandError(error.to_string()))
}

const USAGE: &str = "\
usage: stillwater [--set NAME=VALUE]... [--options FILE]... [COMMAND]

Options are set first, also from files with lines NAME = VALUE. Without a
command it talks UCI on standard input and output. Commands, which it also takes
in between (there without FEN: the current position is meant):

  bench [DEPTH]              search fixed positions; last line: N nodes M nps
  stats [DEPTH]              the same, with what happened in the search
  perft DEPTH [FEN]          count legal lines
  qperft DEPTH [FEN]         count legal lines followed by captures
  qsearch [FEN]              quiescence search by itself
  eval [FEN]                 the evaluation, term by term
  display [FEN]              the board
  params [--format text|toml|json|openbench|weather-factory|markdown]
  --version, --help";

/// Carries out a command line and returns what it prints; `None` for UCI, which
/// begins with the engine returned.
pub fn run(arguments: &[String]) -> Result<(Engine, Option<String>), CommandError> {
    let (mut params, mut settings) = (Params::DEFAULT, Settings::DEFAULT);
    let mut words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    while let [flag @ ("--set" | "--options"), value, ..] = words[..] {
        let pairs = match flag {
            "--set" => value.to_owned(),
            _ => option_file(value)?,
        };
        for pair in pairs.lines().filter(|line| !line.is_empty()) {
            let Some((name, value)) = pair.split_once('=') else {
                return fail(format!("{flag} needs NAME=VALUE, not '{pair}'\n{USAGE}"));
            };
            let (name, value) = (name.trim(), value.trim().trim_matches('"'));
            if let Err(error) = params::set(&mut params, &mut settings, name, value) {
                return fail(error);
            }
        }
        words.drain(..2);
    }
    let mut engine = Engine::new(params, settings);
    if words.is_empty() {
        return Ok((engine, None));
    }
    let output = match words[..] {
        ["--help" | "-h" | "help"] => USAGE.to_owned(),
        ["--version" | "-V"] => format!("stillwater {}", env!("CARGO_PKG_VERSION")),
        ["params"] => parameters("text")?,
        ["params", "--format", format] => parameters(format)?,
        _ => {
            let (command, game) = with_position(&words)?;
            match execute(&mut engine, &game, &command)? {
                Some(output) => output,
                None => return fail(format!("unknown command '{}'\n{USAGE}", words.join(" "))),
            }
        }
    };
    Ok((engine, Some(output)))
}

/// The lines `Name = value` of a file, without comments.
fn option_file(path: &str) -> Result<String, CommandError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(text
            .lines()
            .map(|line| line.split('#').next().unwrap_or("").trim())
            .collect::<Vec<_>>()
            .join("\n")),
        Err(error) => fail(format!("{path}: {error}")),
    }
}

/// Takes the FEN off the end of a command line.
fn with_position<'a>(words: &[&'a str]) -> Result<(Vec<&'a str>, Game), CommandError> {
    let fen = words.iter().position(|word| word.contains('/'));
    let (command, fen) = words.split_at(fen.unwrap_or(words.len()));
    let position = match fen {
        [] => Position::start(),
        _ => match Position::from_fen(&fen.join(" ")) {
            Ok(position) => position,
            Err(error) => return fail(error),
        },
    };
    Ok((command.to_vec(), Game::new(position)))
}

/// Carries out a command on an engine and a position; `None` if there is no
/// such command.
pub fn execute(
    engine: &mut Engine,
    game: &Game,
    words: &[&str],
) -> Result<Option<String>, CommandError> {
    let position = &game.position;
    let chess960 = engine.settings().chess960;
    Ok(Some(match *words {
        ["bench"] => bench::run(engine.params(), bench::DEPTH),
        ["bench", depth] => bench::run(engine.params(), number(depth)?),
        ["stats"] => bench::stats(engine.params(), bench::DEPTH),
        ["stats", depth] => bench::stats(engine.params(), number(depth)?),
        ["perft", depth] => counting::perft(position, number(depth)?, chess960),
        ["qperft", depth] => counting::qperft(position, number(depth)?, counting::QUIESCENCE_PLIES),
        ["qsearch"] => qsearch(engine, game),
        ["eval"] => crate::eval::explain(position),
        ["d" | "display"] => display(position, chess960),
        _ => return Ok(None),
    }))
}

fn number<N: std::str::FromStr>(text: &str) -> Result<N, CommandError> {
    text.parse()
        .map_err(|_| CommandError(format!("'{text}' is not a number that makes sense here")))
}

fn parameters(form: &str) -> Result<String, CommandError> {
    match format::render(form) {
        Some(text) => Ok(text.trim_end().to_owned()),
        None => fail(format!(
            "no format '{form}'; there are {}",
            format::FORMATS.join(", ")
        )),
    }
}

fn qsearch(engine: &mut Engine, game: &Game) -> String {
    let start = Instant::now();
    let outcome = engine.quiescence(game);
    let elapsed = start.elapsed();
    let nps = outcome.nodes as f64 / elapsed.as_secs_f64().max(1e-6);
    let mut out = format!(
        "score {}\nnodes {}\ntime {:.3} ms\nnps {}",
        score(outcome.score),
        outcome.nodes,
        1000.0 * elapsed.as_secs_f64(),
        nps as u64
    );
    for line in outcome.stats.lines() {
        out += &format!("\n{line}");
    }
    out
}

fn display(position: &Position, chess960: bool) -> String {
    let mut out = String::new();
    for (number, rank) in (1..=8).rev().zip(position.ranks()) {
        let spaced: String = rank.chars().map(|letter| format!(" {letter}")).collect();
        out += &format!("{number} {spaced}\n");
    }
    let checkers: Vec<String> = position
        .checkers()
        .map(|square| square.to_string())
        .collect();
    out + &format!(
        "   a b c d e f g h\n\nFEN: {}\nkey: {:016x}\nchecks: {}",
        position.fen(chess960),
        position.key(),
        checkers.join(" ")
    )
}
