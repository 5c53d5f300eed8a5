//! Adjudication: ends games by tablebases, by the engines' scores or at a maximum length.
//! The rules count as those of fastchess (`docs/playing.md` compares them). The end by the
//! rules of chess comes first, then the tablebase, the resign rule, the draw rule and the
//! maximum length.

use std::path::PathBuf;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use shakmaty::Color;
use shakmaty_syzygy::Wdl;

use super::referee::Ending;
use crate::rules::{Outcome, Score, Termination};

/// Draws a game after a number of scores near zero from both engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawRule {
    /// Full moves that must have been played, by the move number of the position.
    #[serde(rename = "move")]
    pub from_move: u32,
    /// Number of consecutive moves of each side. A capture or a pawn move starts the count
    /// again.
    #[serde(deserialize_with = "moves")]
    pub count: u32,
    /// Largest distance of the scores from zero, in centipawns. A mate score never counts.
    pub score: u32,
}

/// Ends a game as lost for an engine after a number of its scores far below zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResignRule {
    /// Number of consecutive moves of the losing side.
    #[serde(deserialize_with = "moves")]
    pub count: u32,
    /// Smallest distance of its score below zero, in centipawns. Being mated also counts.
    pub score: u32,
    /// Whether the winner's scores must agree.
    #[serde(default = "yes")]
    pub twosided: bool,
}

/// Ends games by the result of Syzygy tables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TablebaseRule {
    /// Folders with the tables, separated as in `PATH`.
    pub path: PathBuf,
    /// Largest number of pieces, kings included; by default that of the largest tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pieces: Option<usize>,
    /// Whether wins count that the fifty-move rule would make draws.
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
    /// The end of the game for the WDL value of the side to move. `halfmoves` is the number
    /// of plies since the last capture or pawn move. The wins of the tables hold for a count
    /// of 0, so that without `ignore_fifty` a win ends a game only then; a draw always does.
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
            outcome: winner.map_or(Outcome::Draw, Outcome::won_by),
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
    /// Draws a game after this number of full moves, those of the opening not counted.
    #[serde(default, deserialize_with = "some_moves", skip_serializing_if = "Option::is_none")]
    pub max_moves: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub syzygy: Option<TablebaseRule>,
}

fn yes() -> bool {
    true
}

/// Reads a number of moves. 0 would end every game at once.
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

/// Applies the rules to one game.
#[derive(Debug, Clone)]
pub struct Adjudicator {
    rules: Adjudication,
    plies: u32,
    /// Consecutive plies that count for the draw rule.
    draw_plies: u32,
    /// Consecutive moves of White and of Black with a losing score, and with a winning one.
    lost: [u32; 2],
    won: [u32; 2],
}

impl Adjudicator {
    pub fn new(rules: &Adjudication) -> Self {
        Self {
            rules: rules.clone(),
            plies: 0,
            draw_plies: 0,
            lost: [0; 2],
            won: [0; 2],
        }
    }

    /// Counts a move of an engine: its side, its score from its own side, and from the
    /// position after it the plies since the last capture or pawn move and the full move
    /// number. Returns the end of the game, if a rule applies.
    pub fn observe(
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
        let (lost, won) = match score {
            Some(Score::Cp(cp)) => (cp <= -bound, cp >= bound),
            Some(Score::Mate(moves)) => (moves <= 0, moves > 0),
            None => (false, false),
        };
        let side = mover as usize;
        self.lost[side] = if lost { self.lost[side] + 1 } else { 0 };
        self.won[side] = if won { self.won[side] + 1 } else { 0 };
        let loser = [Color::White, Color::Black].into_iter().find(|loser| {
            self.lost[*loser as usize] >= rule.count
                && (!rule.twosided || self.won[!*loser as usize] >= rule.count)
        })?;
        Some(Ending {
            outcome: Outcome::won_by(!loser),
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
    fn a_tablebase_win_needs_a_fifty_move_count_of_zero_and_a_draw_does_not() {
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
    fn being_mated_counts_as_lost_and_a_missing_score_restarts_the_count() {
        let mut adjudicator = adjudicator(None, Some((2, 100, false)));
        assert_eq!(
            adjudicator.observe(Color::White, Some(Score::Mate(-3)), 1, 30),
            None
        );
        assert_eq!(adjudicator.observe(Color::White, None, 1, 30), None);
        assert_eq!(
            adjudicator.observe(Color::White, Some(Score::Mate(-3)), 1, 30),
            None
        );
        let ending = adjudicator.observe(Color::White, Some(Score::Cp(-100)), 1, 31);
        assert_eq!(ending.expect("resigned").outcome, Outcome::Black);
    }

    #[test]
    fn the_maximum_length_counts_both_sides_moves() {
        let mut adjudicator = Adjudicator::new(&Adjudication {
            max_moves: Some(2),
            ..Adjudication::default()
        });
        for _ in 0..3 {
            assert_eq!(adjudicator.observe(Color::White, None, 0, 1), None);
        }
        let ending = adjudicator.observe(Color::Black, None, 0, 3).expect("over");
        assert_eq!(ending.termination, Termination::MaxMoves);
    }
}
