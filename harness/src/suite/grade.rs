//! Grades an engine's search of a problem.

use std::time::Duration;

use serde::Serialize;
use shakmaty::Move;

use super::problem::Problem;
use crate::engine::analysis::{Evaluation, Iteration};
use crate::rules::{Score, legal_uci_move};

/// A moment of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Moment {
    pub depth: u32,
    pub nodes: u64,
    /// Milliseconds.
    pub ms: u64,
}

/// The grade of one search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grade {
    /// Whether the move that the engine decided on is right.
    pub solved: bool,
    /// Points for that move.
    pub points: u32,
    /// The first iteration with a right move, if any had one.
    pub first: Option<Moment>,
    /// The last iteration at which the move became right, to stay so to the
    /// end; only of a solved problem.
    pub last: Option<Moment>,
    /// Whether the engine answered with a legal move.
    pub legal: bool,
    /// The move in standard algebraic notation; `illegal: ` and what the engine
    /// wrote if it is not legal; `none` if it named none.
    pub played: String,
}

impl Grade {
    /// Grades a search.
    pub(crate) fn new(problem: &Problem, evaluation: &Evaluation) -> Self {
        let read = |text: &str| legal_uci_move(&problem.position, text.as_bytes());
        let decided = read(&evaluation.best_move);
        let solved = is_right(problem, decided, evaluation.score);
        let right =
            |iteration: &Iteration| is_right(problem, read(&iteration.best_move), iteration.score);
        let end = Moment {
            depth: evaluation.iterations.last().map_or(0, |last| last.depth),
            nodes: evaluation.nodes,
            ms: milliseconds(evaluation.elapsed),
        };
        let first = evaluation.iterations.iter().find(|i| right(i)).map(moment);
        // From the end backwards, as long as the move is right.
        let steady = evaluation.iterations.iter().rev().take_while(|i| right(i));
        let last = solved.then(|| steady.last().map_or(end, moment));
        Self {
            solved,
            points: points(problem, decided, solved),
            // A move decided on in an iteration that was cut off is shown by
            // no iteration.
            first: first.or(solved.then_some(end)),
            last,
            legal: decided.is_some(),
            played: match decided {
                Some(m) => problem.san(m),
                None if evaluation.best_move.is_empty() => "none".to_owned(),
                None => format!("illegal: {}", evaluation.best_move),
            },
        }
    }
}

/// A best move, or no move to avoid, or the mate: a mate counts whatever its
/// first move is. Points alone make the moves with the most of them right.
fn is_right(problem: &Problem, decided: Option<Move>, score: Option<Score>) -> bool {
    let Some(decided) = decided else {
        return false;
    };
    if let (Some(limit), Some(Score::Mate(moves))) = (problem.mate, score)
        && u32::try_from(moves).is_ok_and(|moves| (1..=limit).contains(&moves))
    {
        return true;
    }
    if !problem.best.is_empty() {
        return problem.best.contains(&decided);
    }
    if !problem.avoid.is_empty() {
        return !problem.avoid.contains(&decided);
    }
    !problem.points.is_empty() && points(problem, Some(decided), false) == problem.worth()
}

fn points(problem: &Problem, decided: Option<Move>, solved: bool) -> u32 {
    if problem.points.is_empty() {
        return u32::from(solved);
    }
    let mut of_move = problem.points.iter().filter(|(m, _)| Some(*m) == decided);
    of_move.next().map_or(0, |(_, points)| *points)
}

fn moment(iteration: &Iteration) -> Moment {
    Moment {
        depth: iteration.depth,
        nodes: iteration.nodes,
        ms: milliseconds(iteration.elapsed),
    }
}

fn milliseconds(elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openings::Variant;

    const KINGS: &str = "4k3/8/8/8/8/8/4P3/4K3 w - -";

    fn problem(operations: &str) -> Problem {
        let line = format!("{KINGS} {operations}");
        Problem::parse(line.as_bytes(), Variant::Standard)
            .unwrap()
            .0
    }

    /// A search whose iterations had these moves, a hundred nodes each.
    fn search(moves: &[(&str, Score)]) -> Evaluation {
        let iterations: Vec<Iteration> = moves
            .iter()
            .enumerate()
            .map(|(index, (text, score))| Iteration {
                depth: index as u32 + 1,
                best_move: (*text).to_owned(),
                score: Some(*score),
                nodes: 100 * (index as u64 + 1),
                elapsed: Duration::from_millis(index as u64 + 1),
            })
            .collect();
        let last = iterations.last().unwrap();
        Evaluation {
            best_move: last.best_move.clone(),
            score: last.score,
            nodes: last.nodes + 50,
            elapsed: Duration::from_millis(99),
            iterations: iterations.clone(),
        }
    }

    fn moves(list: &[&str]) -> Evaluation {
        let scored: Vec<_> = list.iter().map(|text| (*text, Score::Cp(0))).collect();
        search(&scored)
    }

    fn nodes(moment: Option<Moment>) -> Option<u64> {
        moment.map(|moment| moment.nodes)
    }

    #[test]
    fn the_first_and_the_last_right_iteration_are_distinguished() {
        let problem = problem("bm e4 Kd2;");
        let grade = Grade::new(&problem, &moves(&["e2e3", "e2e4", "e2e3", "e1d2", "e2e4"]));
        assert!(grade.solved);
        assert_eq!(
            (nodes(grade.first), nodes(grade.last)),
            (Some(200), Some(400))
        );
        assert_eq!((grade.points, grade.played.as_str()), (1, "e4"));

        let grade = Grade::new(&problem, &moves(&["e2e4", "e2e3"]));
        assert!(!grade.solved);
        assert_eq!((nodes(grade.first), nodes(grade.last)), (Some(100), None));
        assert_eq!((grade.points, grade.played.as_str()), (0, "e3"));
    }

    #[test]
    fn letters_of_a_move_may_be_of_either_case() {
        let grade = Grade::new(&problem("bm e4;"), &moves(&["e2e3", "E2E4"]));
        assert!(grade.solved && grade.legal);
        assert_eq!(
            (nodes(grade.first), grade.played.as_str()),
            (Some(200), "e4")
        );
    }

    #[test]
    fn a_move_changed_at_the_very_end_counts_from_there() {
        let mut evaluation = moves(&["e2e3", "e2e3"]);
        evaluation.best_move = "e2e4".to_owned();
        let grade = Grade::new(&problem("bm e4;"), &evaluation);
        assert!(grade.solved);
        assert_eq!(
            (nodes(grade.first), nodes(grade.last)),
            (Some(250), Some(250))
        );
    }

    #[test]
    fn moves_to_avoid_and_mates() {
        let avoid = problem("am e4;");
        assert!(Grade::new(&avoid, &moves(&["e2e3"])).solved);
        assert!(!Grade::new(&avoid, &moves(&["e2e4"])).solved);
        let mate = problem("dm 3;");
        for (score, solved) in [
            (Score::Mate(3), true),
            (Score::Mate(1), true),
            (Score::Mate(4), false),
            (Score::Mate(-2), false),
            (Score::Cp(900), false),
        ] {
            assert_eq!(
                Grade::new(&mate, &search(&[("e2e4", score)])).solved,
                solved
            );
        }
        let either = problem("bm Kd2; dm 3;");
        assert!(Grade::new(&either, &search(&[("e2e4", Score::Mate(3))])).solved);
    }

    #[test]
    fn points_are_those_of_the_move() {
        let sts = problem("bm e4; c0 \"e4=10, e3=4\";");
        for (text, points, solved) in [("e2e4", 10, true), ("e2e3", 4, false), ("e1d1", 0, false)] {
            let grade = Grade::new(&sts, &moves(&[text]));
            assert_eq!((grade.points, grade.solved), (points, solved), "{text}");
        }
        let only_points = problem("c0 \"e4=10, Kd1=10, e3=4\";");
        assert!(Grade::new(&only_points, &moves(&["e1d1"])).solved);
        assert!(!Grade::new(&only_points, &moves(&["e2e3"])).solved);
    }

    #[test]
    fn no_move_and_illegal_moves_solve_nothing() {
        let avoid = problem("am e4;");
        let mut evaluation = moves(&["e2e3"]);
        for (text, played) in [
            ("", "none"),
            ("0000", "illegal: 0000"),
            ("e2e5", "illegal: e2e5"),
            ("rubbish", "illegal: rubbish"),
        ] {
            evaluation.best_move = text.to_owned();
            let grade = Grade::new(&avoid, &evaluation);
            assert!(!grade.solved && !grade.legal && grade.last.is_none());
            assert_eq!(grade.played, played);
        }
    }
}
