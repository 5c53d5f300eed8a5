//! The commands of `stillwater` besides UCI, on its command line or among UCI
//! commands.

pub mod bench;
pub mod counting;

use crate::board::Position;
use crate::engine::Engine;
use crate::params::{self, Params, Settings, format};
use crate::search::Game;
use crate::search::score::INFINITE;
use crate::uci::output::{nps, score};
use std::str::FromStr;
use std::time::Instant;

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
pub fn run(arguments: &[String]) -> Result<(Engine, Option<String>), String> {
    let (mut params, mut settings) = (Params::DEFAULT, Settings::DEFAULT);
    let mut words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    while let [flag @ ("--set" | "--options"), value, ..] = words[..] {
        let pairs = match flag {
            "--set" => value.to_owned(),
            _ => std::fs::read_to_string(value).map_err(|error| format!("{value}: {error}"))?,
        };
        for line in pairs.lines() {
            let pair = line.split('#').next().unwrap_or("").trim();
            if pair.is_empty() {
                continue;
            }
            let Some((name, value)) = pair.split_once('=') else {
                return Err(format!("{flag} needs NAME=VALUE, not '{pair}'\n{USAGE}"));
            };
            let (name, value) = (name.trim(), value.trim().trim_matches('"'));
            params::set(&mut params, &mut settings, name, value)?;
        }
        words.drain(..2);
    }
    let mut engine = Engine::new(params, settings);
    let output = match words[..] {
        [] => return Ok((engine, None)),
        ["--help" | "-h" | "help"] => USAGE.to_owned(),
        ["--version" | "-V"] => format!("stillwater {}", env!("CARGO_PKG_VERSION")),
        ["params"] => format::render("text")?.trim_end().to_owned(),
        ["params", "--format", form] => format::render(form)?.trim_end().to_owned(),
        _ => {
            let fen = words.iter().position(|word| word.contains('/'));
            let (command, fen) = words.split_at(fen.unwrap_or(words.len()));
            let position = match fen {
                [] => Position::start(),
                _ => Position::from_fen(&fen.join(" "))?,
            };
            execute(&mut engine, &Game::new(position), command)?
                .ok_or_else(|| format!("unknown command '{}'\n{USAGE}", words.join(" ")))?
        }
    };
    Ok((engine, Some(output)))
}

/// Carries out a command on an engine and a position; `None` if there is no
/// such command.
pub fn execute(engine: &mut Engine, game: &Game, words: &[&str]) -> Result<Option<String>, String> {
    let position = &game.position;
    let chess960 = engine.settings().uci_chess960;
    Ok(Some(match *words {
        ["bench"] => bench::run(engine.params(), bench::DEPTH),
        ["bench", depth] => bench::run(engine.params(), number(depth)?),
        ["stats"] => bench::stats(engine.params(), bench::DEPTH),
        ["stats", depth] => bench::stats(engine.params(), number(depth)?),
        ["perft", depth] => counting::perft(position, number(depth)?, chess960),
        ["qperft", depth] => counting::qperft(position, number(depth)?, counting::QUIESCENCE_PLIES),
        ["qsearch"] => qsearch(engine, game),
        ["eval"] => crate::eval::explain(position, engine.params().network),
        ["d" | "display"] => display(position, chess960),
        _ => return Ok(None),
    }))
}

fn number<N: FromStr>(text: &str) -> Result<N, String> {
    let wrong = |_| format!("'{text}' is not a depth");
    text.parse().map_err(wrong)
}

fn qsearch(engine: &mut Engine, game: &Game) -> String {
    let start = Instant::now();
    let outcome = engine.quiescence(game, -INFINITE, INFINITE);
    let (elapsed, nodes) = (start.elapsed(), outcome.stats.nodes());
    format!(
        "score {}\nnodes {nodes}\ntime {:.3} ms\nnps {}\n{}",
        score(outcome.score),
        1000.0 * elapsed.as_secs_f64(),
        nps(nodes, elapsed),
        outcome.stats.lines().join("\n")
    )
}

fn display(position: &Position, chess960: bool) -> String {
    let mut out = String::new();
    for (number, rank) in (1..=8).rev().zip(position.ranks()) {
        let spaced: String = rank.chars().map(|letter| format!(" {letter}")).collect();
        out += &format!("{number} {spaced}\n");
    }
    let checkers = position.checkers.map(|square| square.to_string());
    out + &format!(
        "   a b c d e f g h\n\nFEN: {}\nkey: {:016x}\nchecks: {}",
        position.fen(chess960),
        position.key,
        checkers.collect::<Vec<_>>().join(" ")
    )
}
