//! Reading what a user interface sends.

use crate::board::{FenError, Move, Position, fen, movegen};
use crate::search::Game;
use crate::search::limits::Limits;
use std::fmt;

/// Why a command was not carried out.
#[derive(Debug, PartialEq, Eq)]
pub enum CommandError {
    Fen(FenError),
    IllegalMove(String),
    Argument { word: String, value: String },
    Malformed(&'static str),
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            CommandError::Fen(error) => write!(f, "{error}; the position is unchanged"),
            CommandError::IllegalMove(mv) => {
                write!(f, "illegal move '{mv}'; the position is unchanged")
            }
            CommandError::Argument { word, value } => {
                write!(f, "go: '{word}' needs a number, not '{value}'; ignored")
            }
            CommandError::Malformed(usage) => write!(f, "usage: {usage}"),
        }
    }
}

impl From<FenError> for CommandError {
    fn from(error: FenError) -> CommandError {
        CommandError::Fen(error)
    }
}

/// The legal move that `text` names. Castling may be written as king takes
/// rook or as the king's two steps.
pub fn find_move(position: &Position, text: &str) -> Option<Move> {
    let legal = movegen::legal_moves(position);
    let written = |chess960| {
        legal
            .iter()
            .copied()
            .find(|mv| mv.uci(chess960).eq_ignore_ascii_case(text))
    };
    written(true).or_else(|| written(false))
}

/// `startpos | fen FEN [moves MOVE…]`
pub fn position(text: &str) -> Result<Game, CommandError> {
    let (setup, moves) = match text.split_once("moves") {
        Some((setup, moves)) => (setup.trim(), moves),
        None => (text.trim(), ""),
    };
    let fen = match setup.split_once(char::is_whitespace) {
        Some(("fen", fen)) => fen,
        None if setup == "startpos" => fen::START,
        _ => {
            return Err(CommandError::Malformed(
                "position startpos|fen FEN [moves …]",
            ));
        }
    };
    let mut game = Game::new(Position::from_fen(fen)?);
    for text in moves.split_ascii_whitespace() {
        let mv = find_move(&game.position, text)
            .ok_or_else(|| CommandError::IllegalMove(text.to_owned()))?;
        game.play(mv);
    }
    Ok(game)
}

/// The arguments of `go`, and complaints about those that were ignored.
pub fn go(text: &str, position: &Position) -> (Limits, Vec<CommandError>) {
    let mut limits = Limits::default();
    let mut errors = Vec::new();
    let mut words = text.split_ascii_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "infinite" => limits.infinite = true,
            "searchmoves" => {
                while let Some(mv) = words.peek().and_then(|text| find_move(position, text)) {
                    limits.search_moves.push(mv);
                    words.next();
                }
            }
            "wtime" | "btime" | "winc" | "binc" | "movestogo" | "depth" | "nodes" | "mate"
            | "movetime" => {
                let value = words.next().unwrap_or("");
                // Some interfaces send negative clocks.
                let Ok(number) = value.parse::<i64>().map(|number| number.max(0) as u64) else {
                    errors.push(CommandError::Argument {
                        word: word.to_owned(),
                        value: value.to_owned(),
                    });
                    continue;
                };
                let small = i32::try_from(number).unwrap_or(i32::MAX);
                match word {
                    "wtime" => limits.time[0] = Some(number),
                    "btime" => limits.time[1] = Some(number),
                    "winc" => limits.increment[0] = number,
                    "binc" => limits.increment[1] = number,
                    "movestogo" => limits.moves_to_go = Some(number),
                    "depth" => limits.depth = Some(small),
                    "nodes" => limits.nodes = Some(number),
                    "mate" => limits.mate = Some(small),
                    _ => limits.movetime = Some(number),
                }
            }
            _ => {}
        }
    }
    (limits, errors)
}

/// `name NAME [value VALUE]`, both of which may contain spaces.
pub fn setoption(text: &str) -> Result<(&str, &str), CommandError> {
    let rest = text
        .trim()
        .strip_prefix("name ")
        .ok_or(CommandError::Malformed("setoption name NAME value VALUE"))?;
    match rest.split_once(" value") {
        Some((name, value)) => Ok((name.trim(), value.trim())),
        None => Ok((rest.trim(), "")),
    }
}
