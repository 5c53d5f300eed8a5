//! Positions in FEN, and the `position` command.

/// The standard start position, all six fields.
pub(crate) const STANDARD_START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Adds a `position` command without a line end, from a six-field FEN (`None` is the
/// standard start position) and moves in UCI notation, separated by spaces.
pub(crate) fn push_position(command: &mut Vec<u8>, fen: Option<&str>, moves: &str) {
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
pub(super) fn read_position(command: &str) -> Option<(&str, &str)> {
    let body = command.strip_prefix("position ")?;
    let (start, moves) = body.split_once(" moves ").unwrap_or((body, ""));
    let fen = match start.strip_prefix("fen ") {
        None if start.trim_end() == "startpos" => STANDARD_START,
        fen => fen?,
    };
    Some((fen, moves))
}

/// The first four fields of a position: all but the move counters.
pub(crate) fn without_counters(position: &[u8]) -> &[u8] {
    let position = position.trim_ascii_start();
    let is_end = |(at, pair): (usize, &[u8])| match pair {
        [end, next] if end.is_ascii_whitespace() && !next.is_ascii_whitespace() => Some(at),
        _ => None,
    };
    let end = position.windows(2).enumerate().filter_map(is_end).nth(3);
    let fields = end.and_then(|end| position.get(..end));
    fields.unwrap_or(position).trim_ascii_end()
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
