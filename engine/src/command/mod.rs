//! The commands of `stillwater` besides UCI, on its command line or among UCI
//! commands.

pub mod bench;
pub mod counting;

use crate::board::Position;
use crate::engine::Engine;
use crate::params::{Params, Settings, format};
use crate::search::Game;
use crate::search::limits::{Stop, StopSignal};
use crate::search::score::{self, INFINITE, MAX_PLY};
use crate::search::stats::nps;
use std::time::Instant;

const USAGE: &str = "\
usage: stillwater [--set NAME=VALUE]... [--options FILE]... [COMMAND]

Options are set first; an options FILE has lines NAME = VALUE. Without a COMMAND
the engine speaks UCI on standard input and output. The commands also work in a
UCI session: there FEN is omitted, they use the current position, and `stop` ends
bench, stats, perft, qperft and qsearch. `quit` and the end of the input let them
finish, except a search that never would (QsMoves=all without a limit of plies).

Commands:
  bench [DEPTH]              search fixed positions (default depth 14) with one
                             thread and Hash 16; last line: N nodes M nps
  stats [DEPTH]              bench with statistics of the search
  perft DEPTH [FEN]          count legal lines
  qperft DEPTH [FEN]         count legal lines followed by captures
  qsearch [FEN]              quiescence search only
  eval [FEN]                 the evaluation, term by term
  display [FEN]              the board
  params [--format text|toml|json|openbench|weather-factory|markdown]
  --version, --help
Examples:
  stillwater perft 5 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1
  stillwater --options tuned.txt --set NullMove=false bench 12";

/// Runs a command line and returns its output; `None` starts the UCI session with the
/// returned engine.
pub fn run(arguments: &[String]) -> Result<(Engine, Option<String>), String> {
    let mut engine = Engine::new(Params::DEFAULT, Settings::DEFAULT);
    let mut words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    while let [flag @ ("--set" | "--options"), value, ..] = words[..] {
        let pairs = match flag {
            "--set" => value.to_owned(),
            _ => std::fs::read_to_string(value)
                .map_err(|error| format!("cannot read the options file `{value}`: {error}"))?,
        };
        let lines = pairs
            .lines()
            .map(|line| line.split('#').next().unwrap_or("").trim());
        for pair in lines.filter(|pair| !pair.is_empty()) {
            let Some((name, value)) = pair.split_once('=') else {
                return Err(format!("{flag} needs NAME=VALUE, not `{pair}`\n{USAGE}"));
            };
            engine.set(name.trim(), value.trim().trim_matches('"'))?;
        }
        words.drain(..2);
    }
    if words.is_empty() {
        return Ok((engine, None));
    }
    let is_fen = |word: &&str| word.contains('/') || *word == "startpos";
    let fen = words.iter().position(is_fen);
    let (command, fen) = words.split_at(fen.unwrap_or(words.len()));
    let position = match fen {
        [] => Position::start(),
        _ => Position::from_fen(&fen.join(" "))?,
    };
    let (game, stop) = (Game::new(position), StopSignal::default());
    let output = execute(&mut engine, &game, command, (&stop, 1))?;
    let output = output.ok_or_else(|| format!("unknown command `{}`\n{USAGE}", words.join(" ")));
    Ok((engine, Some(output?)))
}

/// Runs a command on an engine and a position; `None` for an unknown command. A command that
/// counts nodes stops when the signal covers its number.
pub fn execute(
    engine: &mut Engine,
    game: &Game,
    words: &[&str],
    stop: Stop,
) -> Result<Option<String>, String> {
    let (position, params) = (&game.position, engine.params());
    let chess960 = engine.settings().uci_chess960;
    let stopped = || stop.0.covers(stop.1);
    let output = match *words {
        [.., "--help" | "-h"] | ["help"] => USAGE.to_owned(),
        [name @ ("bench" | "stats")] => bench::run(name, params, bench::DEPTH as usize, stop),
        [name @ ("bench" | "stats"), depth] => bench::run(name, params, plies(depth, 1)?, stop),
        ["perft", depth] => counting::perft(position, plies(depth, 0)?, chess960, &stopped),
        ["qperft", depth] => counting::qperft(position, plies(depth, 0)?, &stopped),
        ["perft" | "qperft", ..] => return Err(format!("usage: {} DEPTH", words[0])),
        ["qsearch"] => qsearch(engine, game, stop),
        ["eval"] => crate::eval::explain(position, params.network),
        ["d" | "display"] => display(position, chess960),
        ["--version" | "-V"] => format!("stillwater {}", env!("CARGO_PKG_VERSION")),
        ["params"] => format::render("text")?.trim_end().to_owned(),
        ["params", "--format", form] => format::render(form)?.trim_end().to_owned(),
        _ => return Ok(None),
    };
    if stopped() && ["bench", "stats", "perft", "qperft", "qsearch"].contains(&words[0]) {
        return Err(format!("{} was stopped", words[0]));
    }
    Ok(Some(output))
}

/// Parses a depth of at least `least` plies.
fn plies(text: &str, least: usize) -> Result<usize, String> {
    let depth = text.parse().ok();
    let depth = depth.filter(|depth| (least..MAX_PLY).contains(depth));
    let wrong = || format!("`{text}` is not a depth from {least} to {}", MAX_PLY - 1);
    depth.ok_or_else(wrong)
}

fn qsearch(engine: &mut Engine, game: &Game, stop: Stop) -> String {
    let start = Instant::now();
    let outcome = engine.quiescence(game, (-INFINITE, INFINITE), stop);
    let (elapsed, nodes) = (start.elapsed(), outcome.stats.nodes());
    format!(
        "score {}\nnodes {nodes}\ntime {:.3} ms\nnps {}\n{}",
        score::uci(outcome.score),
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
