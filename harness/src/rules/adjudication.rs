//! Ends games whose result is known, from tablebases, or agreed on by the
//! engines. The rules count as fastchess counts (`docs/playing.md` has the
//! comparison): a game's natural end comes first, then the tablebase, then
//! resignation, then a draw, then the maximum length.

use std::path::PathBuf;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use shakmaty::Color;
use shakmaty_syzygy::Wdl;

use super::referee::Ending;
use crate::rules::Score;
use crate::rules::{Outcome, Termination};

/// A draw once both engines have seen nothing for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawRule {
    /// Not before this number of full moves has been played, counted by the
    /// position's own move number.
    #[serde(rename = "move")]
    pub from_move: u32,
    /// This number of consecutive moves of each side. A capture or a pawn's
    /// move starts the count again.
    #[serde(deserialize_with = "moves")]
    pub count: u32,
    /// Centipawns: neither score further from zero. A mate score never counts.
    pub score: u32,
}

/// A loss for the engine that sees itself lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResignRule {
    /// This number of consecutive moves of the losing side.
    #[serde(deserialize_with = "moves")]
    pub count: u32,
    /// Centipawns: its score at least this far below zero, or being mated.
    pub score: u32,
    /// Whether the winner's scores must say the same.
    #[serde(default)]
    pub twosided: bool,
}

/// The result that Syzygy tables give a position with few pieces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TablebaseRule {
    /// Folders with the tables, separated as in `PATH`.
    pub path: PathBuf,
    /// Positions with at most this number of pieces, kings included; by default
    /// as many as there are tables for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pieces: Option<usize>,
    /// Whether a win counts that the fifty-move rule would spoil.
    #[serde(default)]
    pub ignore_fifty: bool,
    /// Which results end a game.
    #[serde(default)]
    pub results: TablebaseResults,
}

/// Which results of tablebases end a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TablebaseResults {
    #[default]
    All,
    Wins,
    Draws,
}

impl TablebaseRule {
    /// What the tables' word for the side to move means for the game.
    /// `halfmoves` are those since the last capture or pawn's move: the tables'
    /// wins hold for a count of zero, so that without `ignore_fifty` a win is
    /// only believed there. A draw is one whatever the count.
    pub fn decide(&self, turn: Color, wdl: Wdl, halfmoves: u32) -> Option<Ending> {
        let sign = match wdl {
            Wdl::CursedWin | Wdl::BlessedLoss if !self.ignore_fifty => 0,
            wdl => wdl.signum(),
        };
        let winner = match sign {
            0 => None,
            1 => Some(turn),
            _ => Some(!turn),
        };
        let wanted = match (self.results, winner) {
            (TablebaseResults::Draws, Some(_)) | (TablebaseResults::Wins, None) => false,
            (_, None) => true,
            (_, Some(_)) => self.ignore_fifty || halfmoves == 0,
        };
        wanted.then_some(Ending {
            outcome: match winner {
                None => Outcome::Draw,
                Some(Color::White) => Outcome::White,
                Some(Color::Black) => Outcome::Black,
            },
            termination: Termination::Tablebase,
        })
    }
}

/// The adjudication rules of a run; a rule that is absent is off.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adjudication {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw: Option<DrawRule>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resign: Option<ResignRule>,
    /// A draw after this number of full moves of play, without the opening.
    #[serde(default, deserialize_with = "some_moves", skip_serializing_if = "Option::is_none")]
    pub max_moves: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub syzygy: Option<TablebaseRule>,
}

/// A number of moves. None at all would end every game at once.
fn moves<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        0 => Err(D::Error::custom(
            "0 is out of range: a whole number of at least 1 is allowed",
        )),
        moves => Ok(moves),
    }
}

fn some_moves<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    moves(deserializer).map(Some)
}

/// Watches one game.
#[derive(Debug, Clone)]
pub(crate) struct Adjudicator {
    rules: Adjudication,
    plies: u32,
    draw_plies: u32,
    /// Consecutive moves for which White or Black has seen itself lost, and
    /// won.
    lost: [u32; 2],
    won: [u32; 2],
}

impl Adjudicator {
    pub(crate) fn new(rules: &Adjudication) -> Self {
        Self {
            rules: rules.clone(),
            plies: 0,
            draw_plies: 0,
            lost: [0; 2],
            won: [0; 2],
        }
    }

    /// Takes in one engine move: who made it, the score it gave for itself,
    /// and the position's clocks after it (plies since the last capture
    /// or pawn move, and the full move number).
    pub(crate) fn observe(
        &mut self,
        mover: Color,
        score: Option<Score>,
        halfmoves: u32,
        fullmoves: u32,
    ) -> Option<Ending> {
        self.plies += 1;
        self.observe_resign(mover, score)
            .or_else(|| self.observe_draw(score, halfmoves, fullmoves))
            .or_else(|| self.observe_length())
    }

    fn observe_resign(&mut self, mover: Color, score: Option<Score>) -> Option<Ending> {
        let rule = self.rules.resign?;
        let bound = i32::try_from(rule.score).unwrap_or(i32::MAX);
        let lost = match score {
            Some(Score::Cp(cp)) => cp <= -bound,
            Some(Score::Mate(moves)) => moves <= 0,
            None => false,
        };
        let won = match score {
            Some(Score::Cp(cp)) => cp >= bound,
            Some(Score::Mate(moves)) => moves > 0,
            None => false,
        };
        let side = mover as usize;
        self.lost[side] = if lost { self.lost[side] + 1 } else { 0 };
        self.won[side] = if won { self.won[side] + 1 } else { 0 };
        let loser = [Color::White, Color::Black].into_iter().find(|loser| {
            self.lost[*loser as usize] >= rule.count
                && (!rule.twosided || self.won[!*loser as usize] >= rule.count)
        })?;
        Some(Ending {
            outcome: match loser {
                Color::White => Outcome::Black,
                Color::Black => Outcome::White,
            },
            termination: Termination::ResignAdjudication,
        })
    }

    fn observe_draw(
        &mut self,
        score: Option<Score>,
        halfmoves: u32,
        fullmoves: u32,
    ) -> Option<Ending> {
        let rule = self.rules.draw?;
        if halfmoves == 0 {
            self.draw_plies = 0;
        }
        match score {
            Some(Score::Cp(cp)) if cp.unsigned_abs() <= rule.score => self.draw_plies += 1,
            _ => self.draw_plies = 0,
        }
        let long_enough = self.draw_plies >= rule.count.saturating_mul(2);
        (long_enough && fullmoves.saturating_sub(1) >= rule.from_move).then_some(Ending {
            outcome: Outcome::Draw,
            termination: Termination::DrawAdjudication,
        })
    }

    fn observe_length(&self) -> Option<Ending> {
        let moves = self.rules.max_moves?;
        (self.plies >= moves.saturating_mul(2)).then_some(Ending {
            outcome: Outcome::Draw,
            termination: Termination::MaxMoves,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tablebase_win_needs_a_fresh_fifty_move_count_and_a_draw_does_not() {
        let rule = |ignore_fifty, results| TablebaseRule {
            path: PathBuf::new(),
            pieces: None,
            ignore_fifty,
            results,
        };
        let outcome = |rule: &TablebaseRule, wdl, halfmoves| {
            let ending = rule.decide(Color::Black, wdl, halfmoves)?;
            assert_eq!(ending.termination, Termination::Tablebase);
            Some(ending.outcome)
        };
        let strict = rule(false, TablebaseResults::All);
        assert_eq!(outcome(&strict, Wdl::Win, 0), Some(Outcome::Black));
        assert_eq!(outcome(&strict, Wdl::Loss, 0), Some(Outcome::White));
        assert_eq!(outcome(&strict, Wdl::Win, 1), None);
        assert_eq!(outcome(&strict, Wdl::CursedWin, 0), Some(Outcome::Draw));
        assert_eq!(outcome(&strict, Wdl::BlessedLoss, 7), Some(Outcome::Draw));
        assert_eq!(outcome(&strict, Wdl::Draw, 99), Some(Outcome::Draw));
        let lenient = rule(true, TablebaseResults::All);
        assert_eq!(outcome(&lenient, Wdl::CursedWin, 7), Some(Outcome::Black));
        assert_eq!(outcome(&lenient, Wdl::BlessedLoss, 7), Some(Outcome::White));
        let wins = rule(false, TablebaseResults::Wins);
        assert_eq!(outcome(&wins, Wdl::Draw, 0), None);
        assert_eq!(outcome(&wins, Wdl::Win, 0), Some(Outcome::Black));
        let draws = rule(false, TablebaseResults::Draws);
        assert_eq!(outcome(&draws, Wdl::Draw, 3), Some(Outcome::Draw));
        assert_eq!(outcome(&draws, Wdl::Win, 0), None);
    }

    fn adjudicator(draw: Option<(u32, u32, u32)>, resign: Option<(u32, u32, bool)>) -> Adjudicator {
        Adjudicator::new(&Adjudication {
            draw: draw.map(|(from_move, count, score)| DrawRule {
                from_move,
                count,
                score,
            }),
            resign: resign.map(|(count, score, twosided)| ResignRule {
                count,
                score,
                twosided,
            }),
            max_moves: None,
            syzygy: None,
        })
    }

    /// Scores of White and Black in turn, the position's clocks fixed.
    fn feed(
        adjudicator: &mut Adjudicator,
        scores: &[Score],
        halfmoves: u32,
        fullmoves: u32,
    ) -> Option<Ending> {
        let mut ending = None;
        for (ply, score) in scores.iter().enumerate() {
            let mover = if ply % 2 == 0 {
                Color::White
            } else {
                Color::Black
            };
            ending = adjudicator.observe(mover, Some(*score), halfmoves, fullmoves);
        }
        ending
    }

    /// The cases of fastchess's own tests: (move 10, count 3, score 50).
    #[test]
    fn draws_as_fastchess_does() {
        let quiet = [Score::Cp(40); 6];
        let is_draw = |ending: Option<Ending>| {
            ending.is_some_and(|e| e.termination == Termination::DrawAdjudication)
        };
        let rule = Some((10, 3, 50));
        assert!(is_draw(feed(&mut adjudicator(rule, None), &quiet, 1, 11)));
        assert!(!is_draw(feed(&mut adjudicator(rule, None), &quiet, 1, 10)));
        assert!(!is_draw(feed(&mut adjudicator(rule, None), &quiet, 0, 11)));
        assert!(!is_draw(feed(
            &mut adjudicator(rule, None),
            &quiet[..5],
            1,
            11
        )));
        let mated = [Score::Mate(5); 6];
        assert!(!is_draw(feed(&mut adjudicator(rule, None), &mated, 1, 11)));
    }

    /// The cases of fastchess's own tests: (count 2, score 100), two-sided.
    #[test]
    fn resigns_as_fastchess_does() {
        let rule = Some((2, 100, true));
        let agreed = [
            Score::Cp(150),
            Score::Cp(-150),
            Score::Cp(150),
            Score::Cp(-150),
        ];
        let ending = feed(&mut adjudicator(None, rule), &agreed, 5, 20).expect("resigned");
        assert_eq!(ending.outcome, Outcome::White);
        assert_eq!(ending.termination, Termination::ResignAdjudication);
        let doubted = [
            Score::Cp(150),
            Score::Cp(-150),
            Score::Cp(50),
            Score::Cp(-150),
        ];
        assert_eq!(feed(&mut adjudicator(None, rule), &doubted, 5, 20), None);
        let one_sided = Some((2, 100, false));
        assert!(feed(&mut adjudicator(None, one_sided), &doubted, 5, 20).is_some());
    }

    #[test]
    fn being_mated_counts_as_lost_and_silence_breaks_the_count() {
        let mut watch = adjudicator(None, Some((2, 100, false)));
        assert_eq!(
            watch.observe(Color::White, Some(Score::Mate(-3)), 1, 30),
            None
        );
        assert_eq!(watch.observe(Color::White, None, 1, 30), None);
        assert_eq!(
            watch.observe(Color::White, Some(Score::Mate(-3)), 1, 30),
            None
        );
        let ending = watch.observe(Color::White, Some(Score::Cp(-100)), 1, 31);
        assert_eq!(ending.expect("resigned").outcome, Outcome::Black);
    }

    #[test]
    fn the_maximum_length_counts_both_sides_moves() {
        let mut watch = Adjudicator::new(&Adjudication {
            max_moves: Some(2),
            ..Adjudication::default()
        });
        for _ in 0..3 {
            assert_eq!(watch.observe(Color::White, None, 0, 1), None);
        }
        let ending = watch.observe(Color::Black, None, 0, 3).expect("over");
        assert_eq!(ending.termination, Termination::MaxMoves);
    }
}
