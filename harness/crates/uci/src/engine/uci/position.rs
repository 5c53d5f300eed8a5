//! The `position` command.

use shakmaty::CastlingMode;
use shakmaty::fen::Fen;

use crate::rules::{Referee, STANDARD_START};

/// Adds a `position` command without a line end, from a six-field FEN (`None` is the
/// standard start position) and moves in UCI notation, separated by spaces.
pub fn push_position(command: &mut Vec<u8>, fen: Option<&str>, moves: &str) {
    match fen {
        None => command.extend_from_slice(b"position startpos"),
        Some(fen) => {
            command.extend_from_slice(b"position fen ");
            command.extend_from_slice(fen.as_bytes());
        }
    }
    if !moves.is_empty() {
        command.extend_from_slice(b" moves ");
        command.extend_from_slice(moves.as_bytes());
    }
}

/// The FEN and the moves of a `position` command; `None` for other text.
fn read_position(command: &str) -> Option<(&str, &str)> {
    let body = command.strip_prefix("position ")?;
    let (start, moves) = body.split_once(" moves ").unwrap_or((body, ""));
    let fen = match start.strip_prefix("fen ") {
        None if start.trim_end() == "startpos" => STANDARD_START,
        fen => fen?,
    };
    Some((fen, moves))
}

/// The game after a `position` command. `castling` is the notation of castling moves;
/// `None` takes it from the FEN.
///
/// # Errors
/// A message if the text is not a `position` command, its position is invalid or one of
/// its moves is illegal.
pub fn referee_after(command: &str, castling: Option<CastlingMode>) -> Result<Referee, String> {
    let Some((fen, moves)) = read_position(command) else {
        return Err(format!("`{command}` is not a `position` command"));
    };
    let fen = fen.parse::<Fen>().map_err(|error| error.to_string())?;
    let castling = castling.unwrap_or_else(|| CastlingMode::detect(fen.as_setup()));
    let position = fen.into_position(castling);
    let mut referee = Referee::new(position.map_err(|error| error.to_string())?);
    for text in moves.split_whitespace() {
        let legal = referee
            .find(text.as_bytes())
            .ok_or_else(|| format!("the move {text} is illegal"))?;
        referee.play(legal);
    }
    Ok(referee)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_command_is_read_as_it_was_written() {
        let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 5 9";
        for (start, moves) in [
            (None, ""),
            (None, "e2e4 e7e5"),
            (Some(fen), ""),
            (Some(fen), "e2e4"),
        ] {
            let mut command = Vec::new();
            push_position(&mut command, start, moves);
            let command = String::from_utf8(command).expect("text");
            let found = read_position(&command);
            assert_eq!(found, Some((start.unwrap_or(STANDARD_START), moves)));
        }
        for other in ["position somewhere", "startpos", "go nodes 5"] {
            assert_eq!(read_position(other), None, "{other}");
        }
    }
}
