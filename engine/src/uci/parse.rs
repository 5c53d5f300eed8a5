//! Parsing of UCI commands.

use crate::board::{Move, Position, fen, movegen};
use crate::params::table;
use crate::search::Game;
use crate::search::limits::Limits;
use std::time::Instant;

/// The legal move written as `text`. Castling may be written as king takes rook or as a
/// king's move of two squares.
pub fn find_move(position: &Position, text: &str) -> Option<Move> {
    let legal = movegen::legal_moves(position);
    let written = |chess960| {
        let mut legal = legal.iter().copied();
        legal.find(|mv| mv.uci(chess960).eq_ignore_ascii_case(text))
    };
    written(true).or_else(|| written(false))
}

/// Parses `startpos | fen FEN [moves MOVE…]`.
pub fn position(text: &str) -> Result<Game, String> {
    let (setup, moves) = text.split_once("moves").unwrap_or((text, ""));
    let setup = setup.trim();
    let fen = match setup.split_once(char::is_whitespace) {
        Some(("fen", fen)) => fen,
        None if setup == "startpos" => fen::START,
        _ => return Err("usage: position startpos|fen FEN [moves …]".to_owned()),
    };
    let unchanged = |error: String| format!("{error}; the position is unchanged");
    let position = Position::from_fen(fen).map_err(unchanged)?;
    let mut game = Game::new(position);
    for text in moves.split_ascii_whitespace() {
        let mv = find_move(&game.position, text);
        game.play(mv.ok_or_else(|| unchanged(format!("illegal move '{text}'")))?);
    }
    Ok(game)
}

/// Parses the arguments of `go`. Returns the limits and messages about ignored arguments.
/// Numbers are rounded and clamped.
pub fn go(text: &str, position: &Position) -> (Limits, Vec<String>) {
    let mut limits = Limits {
        start: Some(Instant::now()),
        ..Limits::default()
    };
    let (mut warnings, mut lists_moves, mut has_clock) = (Vec::new(), false, false);
    let mut words = text.split_ascii_whitespace();
    let small = |number| i32::try_from(number).unwrap_or(i32::MAX);
    while let Some(word) = words.next() {
        has_clock |= matches!(word, "wtime" | "btime" | "winc" | "binc" | "movestogo");
        let mut number = || {
            let value = words.next().unwrap_or("");
            // Some interfaces send negative clocks: they become 0.
            let number = table::number(value).map(|number| number as u64);
            if number.is_none() {
                let warning = format!("go: '{word}' needs a number, not '{value}'; ignored");
                warnings.push(warning);
            }
            number
        };
        match word {
            "wtime" => limits.time[0] = number(),
            "btime" => limits.time[1] = number(),
            "winc" => limits.increment[0] = number().unwrap_or(0),
            "binc" => limits.increment[1] = number().unwrap_or(0),
            "movestogo" => limits.moves_to_go = number().filter(|&moves| moves > 0),
            "depth" => limits.depth = number().map(small),
            "nodes" => limits.nodes = number(),
            "mate" => limits.mate = number().map(small),
            "movetime" => limits.movetime = number(),
            "infinite" => limits.infinite = true,
            "searchmoves" => lists_moves = true,
            _ => match find_move(position, word).filter(|_| lists_moves) {
                Some(mv) => limits.search_moves.push(mv),
                None => warnings.push(format!(
                    "go: unknown limit or illegal move '{word}'; ignored"
                )),
            },
        }
    }
    let own = &mut limits.time[position.turn.index()];
    if has_clock && own.is_none() {
        warnings.push("go: the side to move has no clock; 0 is assumed".to_owned());
        *own = Some(0);
    }
    (limits, warnings)
}

/// Parses `name NAME [value VALUE]`; both may contain spaces.
pub fn setoption(text: &str) -> Result<(String, String), String> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let Some((&"name", rest)) = words.split_first() else {
        return Err("usage: setoption name NAME value VALUE".to_owned());
    };
    let mut parts = rest.splitn(2, |&word| word == "value");
    let mut part = || parts.next().unwrap_or_default().join(" ");
    Ok((part(), part()))
}
