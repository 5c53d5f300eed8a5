//! Positions with results, from games in PGN or from lines `FEN;result`.

use crate::board::{Color, Kind, Move, Position, Role, Square, movegen};

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
/// are left out, because their evaluation means little. Where a game's comments
/// hold the scores that the engines found, these are mixed into the result, as
/// the part `blend` (0 to 1) of it.
pub fn read(text: &str, blend: f32) -> Result<Vec<Sample>, String> {
    if text.trim_start().starts_with('[') {
        return games(text, blend);
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
    position: Position,
    plies: usize,
    in_comment: bool,
    /// Positions kept, with the score that the mover found, for White.
    kept: Vec<(Position, Option<f32>)>,
    /// The last move's position was kept, and who moved.
    scored: Option<Color>,
    result: Option<f32>,
}

impl Reading {
    fn new() -> Reading {
        Reading {
            position: Position::start(),
            plies: 0,
            in_comment: false,
            kept: Vec::new(),
            scored: None,
            result: None,
        }
    }

    fn finish(&mut self, blend: f32, samples: &mut Vec<Sample>) {
        let done = std::mem::replace(self, Reading::new());
        let Some(result) = done.result else { return };
        samples.extend(done.kept.into_iter().map(|(position, score)| Sample {
            target: match score {
                Some(score) => {
                    let expected = 1.0 / (1.0 + (-score / PAWNS_PER_UNIT).exp());
                    (1.0 - blend) * result + blend * expected
                }
                None => result,
            },
            position,
        }));
    }

    fn tag(&mut self, tag: &str) -> Result<(), String> {
        let (name, value) = tag.split_once(' ').unwrap_or((tag, ""));
        let value = value.trim_end_matches(']').trim_matches('"');
        match name {
            "FEN" => self.position = Position::from_fen(value).map_err(|e| e.to_string())?,
            "Result" => self.result = outcome(value),
            _ => {}
        }
        Ok(())
    }

    fn word(&mut self, word: &str) -> Result<(), String> {
        if let Some(comment) = word.strip_prefix('{') {
            self.in_comment = true;
            self.comment(comment);
        }
        if self.in_comment {
            self.in_comment = !word.ends_with('}');
            return Ok(());
        }
        let word = word.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        if word.is_empty() || word.starts_with(['-', '/', '*', '$']) {
            return Ok(());
        }
        let position = &self.position;
        let mv = san(position, word).ok_or_else(|| format!("no legal move '{word}'"))?;
        self.plies += 1;
        self.scored = None;
        if self.plies > OPENING_PLIES && !position.is_noisy(mv) && is_quiet(position) {
            self.scored = Some(position.turn());
            self.kept.push((position.clone(), None));
        }
        self.position = position.play(mv);
        Ok(())
    }

    /// `+0.32/9`: the score, in pawns, that the mover found for itself.
    fn comment(&mut self, text: &str) {
        let score = text.split('/').next().and_then(|pawns| pawns.parse().ok());
        if let (Some(mover), Some(score), Some(last)) = (self.scored, score, self.kept.last_mut()) {
            let score: f32 = score;
            last.1 = Some(match mover {
                Color::White => score,
                Color::Black => -score,
            });
        }
    }
}

/// Pawns ahead that make a win e times as likely as a loss.
const PAWNS_PER_UNIT: f32 = 1.6;

fn games(text: &str, blend: f32) -> Result<Vec<Sample>, String> {
    let mut samples = Vec::new();
    let mut game = Reading::new();
    let mut in_moves = false;
    for (number, line) in (1..).zip(text.lines()) {
        let wrong = |what: String| format!("line {number}: {what}");
        if let Some(tag) = line.strip_prefix('[').filter(|_| !game.in_comment) {
            if in_moves {
                game.finish(blend, &mut samples);
                in_moves = false;
            }
            game.tag(tag).map_err(wrong)?;
        } else if !line.trim().is_empty() {
            in_moves = true;
            for word in line.split_ascii_whitespace() {
                game.word(word).map_err(wrong)?;
            }
        }
    }
    game.finish(blend, &mut samples);
    Ok(samples)
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
        let pgn = "[Event \"x\"]\n[Result \"0-1\"]\n\n1. e4 {+0.2/9 0.1s} 1... e5 {book\n\
                   line} 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 {+9.99/1\n1s} Nf6 5. O-O Be7\n\
                   6. Re1 b5 7. Bb3 d6 0-1\n";
        let samples = read(pgn, 0.5).unwrap();
        assert!(samples.len() >= 4, "{}", samples.len());
        assert!(samples[0].target > 0.49, "result 0, score very high");
        assert!(samples[1..].iter().all(|sample| sample.target == 0.0));
    }

    #[test]
    fn lines_of_fen_and_result() {
        let lines = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1;1-0\n4k3/8/8/8/8/8/4P3/4K3 b - - 0 1;0.5\n";
        let targets: Vec<f32> = read(lines, 0.5).unwrap().iter().map(|s| s.target).collect();
        assert_eq!(targets, [1.0, 0.5]);
        for bad in [
            "nonsense",
            "8/8/8/8/8/8/8/8 w - -;1-0",
            "4k3/8/8/8/8/8/8/4K3 w - -;2",
        ] {
            assert!(read(bad, 0.5).is_err(), "{bad}");
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
