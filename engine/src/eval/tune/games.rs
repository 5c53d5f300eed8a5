//! Positions with results, from games in PGN or from lines `FEN;result`.

use crate::board::{Kind, Move, Position, Role, Square, movegen};

/// A position and what came of it.
pub struct Sample {
    pub position: Position,
    /// 1 if White won, 0 if Black did, between them for a draw.
    pub target: f32,
}

/// Moves at the beginning of a game that say little about its result.
const OPENING_PLIES: usize = 6;

/// Reads games in PGN, or lines of `FEN;result` with the result as `1-0`,
/// `0-1`, `1/2-1/2` or a number. Positions in check or with a capture pending
/// are left out, because their evaluation means little.
pub fn read(text: &str) -> Result<Vec<Sample>, String> {
    if text.trim_start().starts_with('[') {
        return games(text);
    }
    let mut samples = Vec::new();
    for (number, line) in (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let wrong = |what: String| format!("line {number}: {what}");
        let (fen, result) = line
            .split_once(';')
            .ok_or_else(|| wrong("needs FEN;result".to_owned()))?;
        let position = Position::from_fen(fen).map_err(|error| wrong(error.to_string()))?;
        let result = result.trim();
        let target = outcome(result)
            .or_else(|| result.parse().ok())
            .filter(|target| (0.0..=1.0).contains(target))
            .ok_or_else(|| wrong(format!("no result '{result}'")))?;
        if is_quiet(&position) {
            samples.push(Sample { position, target });
        }
    }
    Ok(samples)
}

fn outcome(text: &str) -> Option<f32> {
    match text {
        "1-0" => Some(1.0),
        "0-1" => Some(0.0),
        "1/2-1/2" => Some(0.5),
        _ => None,
    }
}

/// No check, and no capture that wins something.
fn is_quiet(position: &Position) -> bool {
    const VALUES: [i32; 6] = [100, 320, 330, 500, 950, 0];
    let mut noisy = Vec::new();
    movegen::noisy(position, &mut noisy);
    !position.in_check()
        && !noisy
            .iter()
            .any(|scored| position.see_at_least(scored.mv, 1, &VALUES))
}

/// The game being read.
struct Reading {
    position: Option<Position>,
    plies: usize,
    pending: Vec<Position>,
    target: Option<f32>,
}

impl Reading {
    fn new() -> Reading {
        Reading {
            position: Some(Position::start()),
            plies: 0,
            pending: Vec::new(),
            target: None,
        }
    }

    fn finish(&mut self, samples: &mut Vec<Sample>) {
        let done = std::mem::replace(self, Reading::new());
        if let Some(target) = done.target {
            let keep = |position| Sample { position, target };
            samples.extend(done.pending.into_iter().map(keep));
        }
    }
}

fn games(text: &str) -> Result<Vec<Sample>, String> {
    let mut samples = Vec::new();
    let mut game = Reading::new();
    let mut in_moves = false;
    for (number, line) in (1..).zip(text.lines()) {
        let wrong = |what: String| format!("line {number}: {what}");
        if let Some(tag) = line.strip_prefix('[') {
            if in_moves {
                game.finish(&mut samples);
                in_moves = false;
            }
            let (name, value) = tag.split_once(' ').unwrap_or((tag, ""));
            let value = value.trim_end_matches(']').trim_matches('"');
            match name {
                "FEN" => {
                    let read = Position::from_fen(value);
                    game.position = Some(read.map_err(|error| wrong(error.to_string()))?);
                }
                "Result" => game.target = outcome(value),
                _ => {}
            }
        } else if !line.trim().is_empty() {
            in_moves = true;
            // Comments do not span lines in what `hone` writes.
            let line = without_comments(line);
            for word in line.split_ascii_whitespace() {
                game_word(&mut game, word).map_err(wrong)?;
            }
        }
    }
    game.finish(&mut samples);
    Ok(samples)
}

fn without_comments(line: &str) -> String {
    let mut depth = 0;
    line.chars()
        .filter(|&letter| {
            depth += i32::from(letter == '{');
            let keep = depth == 0;
            depth -= i32::from(letter == '}');
            keep
        })
        .collect()
}

fn game_word(game: &mut Reading, word: &str) -> Result<(), String> {
    let word = word.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    let (Some(position), false) = (&game.position, word.is_empty()) else {
        return Ok(());
    };
    if word.starts_with(['-', '/', '*', '$']) {
        return Ok(());
    }
    let mv = san(position, word).ok_or_else(|| format!("no legal move '{word}'"))?;
    game.plies += 1;
    if game.plies > OPENING_PLIES && !position.is_noisy(mv) && is_quiet(position) {
        game.pending.push(position.clone());
    }
    game.position = Some(position.play(mv));
    Ok(())
}

/// The legal move that is written so in standard algebraic notation.
fn san(position: &Position, text: &str) -> Option<Move> {
    let text = text.trim_end_matches(['+', '#', '!', '?']);
    let legal = movegen::legal_moves(position);
    if text == "O-O" || text == "O-O-O" {
        let king_side = |mv: &Move| mv.to().file() > mv.from().file();
        return legal
            .into_iter()
            .find(|mv| mv.is_castle() && king_side(mv) == (text == "O-O"));
    }
    let (text, promoted) = match text.split_once('=') {
        Some((text, role)) => {
            let letter = role.chars().next()?.to_ascii_lowercase();
            (text, Some(Role::from_letter(letter)?))
        }
        None => (text, None),
    };
    let first = text.chars().next()?;
    let (role, rest) = match first.is_ascii_uppercase() {
        true => (Role::from_letter(first.to_ascii_lowercase())?, &text[1..]),
        false => (Role::Pawn, text),
    };
    let to = Square::parse(rest.get(rest.len().checked_sub(2)?..)?)?;
    let origin = rest[..rest.len() - 2].replace('x', "");
    legal.into_iter().find(|&mv| {
        let from = mv.from().to_string();
        mv.to() == to
            && !mv.is_castle()
            && position.role_at(mv.from()) == Some(role)
            && origin.chars().all(|letter| from.contains(letter))
            && promoted
                .map(Kind::Promotion)
                .is_none_or(|kind| mv.kind() == kind)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_becomes_its_quiet_positions() {
        let pgn = "[Event \"x\"]\n[Result \"0-1\"]\n\n1. e4 {+0.2/9} e5 2. Nf3 Nc6 3. Bb5 a6 \
                   4. Ba4 Nf6 5. O-O Be7\n6. Re1 b5 7. Bb3 d6 0-1\n";
        let samples = read(pgn).unwrap();
        assert!(samples.len() >= 4, "{}", samples.len());
        assert!(samples.iter().all(|sample| sample.target == 0.0));
    }

    #[test]
    fn lines_of_fen_and_result() {
        let lines = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1;1-0\n4k3/8/8/8/8/8/4P3/4K3 b - - 0 1;0.5\n";
        let targets: Vec<f32> = read(lines).unwrap().iter().map(|s| s.target).collect();
        assert_eq!(targets, [1.0, 0.5]);
        for bad in [
            "nonsense",
            "8/8/8/8/8/8/8/8 w - -;1-0",
            "4k3/8/8/8/8/8/8/4K3 w - -;2",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn algebraic_notation() {
        let fen = "r3k2r/1P6/8/3pP3/8/N7/8/R3K2R w KQkq d6 0 1";
        let position = Position::from_fen(fen).unwrap();
        for (text, uci) in [
            ("O-O", "e1g1"),
            ("O-O-O+", "e1c1"),
            ("exd6", "e5d6"),
            ("bxa8=Q+", "b7a8q"),
            ("b8=N", "b7b8n"),
            ("Nb5", "a3b5"),
            ("Rh7", "h1h7"),
            ("Kf2", "e1f2"),
        ] {
            assert_eq!(san(&position, text).unwrap().uci(false), uci);
        }
        assert_eq!(san(&position, "Qd4"), None);
    }
}
