//! Positions with results, from games in PGN or from lines `FEN;result`.

use anyhow::Context as _;
use pgn_reader::{RawComment, RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};
use std::ops::ControlFlow;
use stillwater::board::{Color, Position};
use stillwater::uci::parse::find_move;

/// A position with its result.
pub(crate) struct Sample {
    pub(crate) position: Position,
    /// 1 if White won, 0 if Black did, between them for a draw.
    pub(crate) result: f32,
    /// The engine's score for White, in pawns.
    pub(crate) score: Option<f32>,
}

/// Plies at the start of a game that are left out.
const OPENING_PLIES: usize = 6;

/// Reads games in PGN, or lines of `FEN;result` with the result as `1-0`,
/// `0-1`, `1/2-1/2` or a number. Takes the positions that are `wanted`; from games,
/// only those where the move played is not a capture.
pub(crate) fn read(
    text: &str,
    wanted: fn(&Position) -> bool,
    mut take: impl FnMut(Sample),
) -> anyhow::Result<()> {
    if text.trim_start().starts_with('[') {
        let mut reader = Reader::new(text.as_bytes());
        for number in 1.. {
            let Some(game) = reader.read_game(&mut Replay { wanted })? else {
                break;
            };
            let samples = game.with_context(|| format!("game {number}"))?;
            samples.into_iter().for_each(&mut take);
        }
        return Ok(());
    }
    for (number, line) in (1..).zip(text.lines()) {
        if !line.trim().is_empty() {
            let sample = read_line(line).with_context(|| format!("line {number}"))?;
            if wanted(&sample.position) {
                take(sample);
            }
        }
    }
    Ok(())
}

fn read_line(line: &str) -> anyhow::Result<Sample> {
    let (fen, result) = line.split_once(';').context("needs FEN;result")?;
    let result = result.trim();
    let target = outcome(result)
        .or_else(|| result.parse().ok())
        .filter(|target| (0.0..=1.0).contains(target))
        .with_context(|| format!("no result '{result}'"))?;
    let position = Position::from_fen(fen).map_err(anyhow::Error::msg)?;
    Ok(Sample {
        position,
        result: target,
        score: None,
    })
}

fn outcome(text: &str) -> Option<f32> {
    match text {
        "1-0" => Some(1.0),
        "0-1" => Some(0.0),
        "1/2-1/2" => Some(0.5),
        _ => None,
    }
}

/// The game being read.
struct Game {
    wanted: fn(&Position) -> bool,
    position: Position,
    /// The same position, for parsing moves.
    chess: Chess,
    plies: usize,
    /// Positions kept, with the mover's score from White's view.
    kept: Vec<(Position, Option<f32>)>,
    /// The side that moved last, if that position was kept.
    scored: Option<Color>,
    result: Option<f32>,
}

impl Game {
    fn from_fen(fen: &str, wanted: fn(&Position) -> bool) -> anyhow::Result<Game> {
        let setup = fen.parse::<Fen>()?.into_setup();
        let mode = CastlingMode::detect(&setup);
        Ok(Game {
            wanted,
            position: Position::from_fen(fen).map_err(anyhow::Error::msg)?,
            chess: setup.position(mode)?,
            plies: 0,
            kept: Vec::new(),
            scored: None,
            result: None,
        })
    }

    fn play(&mut self, san: &SanPlus) -> anyhow::Result<()> {
        let legal = san.san.to_move(&self.chess);
        let legal = legal.with_context(|| format!("no legal move '{san}'"))?;
        let uci = legal.to_uci(CastlingMode::Chess960).to_string();
        let mv = find_move(&self.position, &uci).context("the rules disagree")?;
        self.plies += 1;
        self.scored = None;
        if self.plies > OPENING_PLIES
            && !self.position.is_noisy(mv)
            && (self.wanted)(&self.position)
        {
            self.scored = Some(self.position.turn);
            self.kept.push((self.position.clone(), None));
        }
        self.position = self.position.play(mv);
        shakmaty::Position::play_unchecked(&mut self.chess, legal);
        Ok(())
    }

    fn samples(self) -> Vec<Sample> {
        let Some(result) = self.result else {
            return Vec::new();
        };
        let kept = self.kept.into_iter();
        kept.map(|(position, score)| Sample {
            position,
            result,
            score,
        })
        .collect()
    }
}

/// Replays games.
struct Replay {
    wanted: fn(&Position) -> bool,
}

impl Visitor for Replay {
    type Tags = Game;
    type Movetext = Game;
    type Output = anyhow::Result<Vec<Sample>>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Game> {
        or_break(Game::from_fen(stillwater::board::fen::START, self.wanted))
    }

    fn tag(&mut self, game: &mut Game, name: &[u8], value: RawTag) -> ControlFlow<Self::Output> {
        let value = value.decode_utf8_lossy();
        match name {
            b"FEN" => {
                *game = Game {
                    result: game.result,
                    ..or_break(Game::from_fen(&value, self.wanted))?
                };
            }
            b"Result" => game.result = outcome(&value),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, game: Game) -> ControlFlow<Self::Output, Game> {
        ControlFlow::Continue(game)
    }

    fn san(&mut self, game: &mut Game, san: SanPlus) -> ControlFlow<Self::Output> {
        or_break(game.play(&san))
    }

    /// `+0.32/9`: the mover's score in pawns, from its own view.
    fn comment(&mut self, game: &mut Game, comment: RawComment) -> ControlFlow<Self::Output> {
        let text = String::from_utf8_lossy(comment.as_bytes());
        let score = text.split('/').next().and_then(|pawns| pawns.parse().ok());
        if let (Some(mover), Some(score), Some(last)) = (game.scored, score, game.kept.last_mut()) {
            let score: f32 = score;
            last.1 = Some(match mover {
                Color::White => score,
                Color::Black => -score,
            });
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _game: &mut Game) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, game: Game) -> Self::Output {
        Ok(game.samples())
    }
}

/// An error ends the reading of the game.
fn or_break<T>(result: anyhow::Result<T>) -> ControlFlow<anyhow::Result<Vec<Sample>>, T> {
    match result {
        Ok(value) => ControlFlow::Continue(value),
        Err(error) => ControlFlow::Break(Err(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> anyhow::Result<Vec<Sample>> {
        let mut samples = Vec::new();
        read(
            text,
            |position| !position.in_check(),
            |sample| samples.push(sample),
        )
        .map(|()| samples)
    }

    #[test]
    fn a_game_becomes_its_quiet_positions() {
        let pgn = "[Event \"x\"]\n[Result \"0-1\"]\n\n1. e4 {+0.2/9 0.1s} 1... e5 {book\n\
                   line} 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 {+9.99/1\n1s} Nf6 5. O-O Be7\n\
                   6. Re1 b5 7. Bb3 d6 0-1\n";
        let samples = all(pgn).unwrap();
        assert!(samples.len() >= 4, "{}", samples.len());
        assert_eq!(samples[0].score, Some(9.99));
        assert!(samples[1..].iter().all(|sample| sample.score.is_none()));
        assert!(samples.iter().all(|sample| sample.result == 0.0));
    }

    #[test]
    fn lines_of_fen_and_result() {
        let lines = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1;1-0\n4k3/8/8/8/8/8/4P3/4K3 b - - 0 1;0.5\n";
        let targets: Vec<f32> = all(lines).unwrap().iter().map(|s| s.result).collect();
        assert_eq!(targets, [1.0, 0.5]);
        for bad in [
            "nonsense",
            "8/8/8/8/8/8/8/8 w - -;1-0",
            "4k3/8/8/8/8/8/8/4K3 w - -;2",
        ] {
            assert!(all(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn algebraic_notation() {
        let fen = "r3k2r/1P6/8/3pP3/8/N7/8/R3K2R w KQkq d6 0 1";
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
            let mut game = Game::from_fen(fen, |_| true).unwrap();
            let mv = find_move(&game.position, uci).unwrap();
            let expected = game.position.play(mv);
            game.play(&text.parse().unwrap()).unwrap();
            assert_eq!(game.position, expected, "{text}");
        }
        let illegal = "Qd4".parse().unwrap();
        assert!(
            Game::from_fen(fen, |_| true)
                .unwrap()
                .play(&illegal)
                .is_err()
        );
        assert!(all("[Result \"1-0\"]\n\n1. e4 e4 1-0\n").is_err());
    }
}
