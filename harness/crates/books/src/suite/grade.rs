//! Grades the search of a problem.

use std::time::Duration;

use serde::Serialize;
use shakmaty::Move;

use super::problem::Problem;
use hone_uci::engine::analysis::{Evaluation, Iteration};
use hone_uci::rules::{Score, legal_uci_move};

/// Where in a search a move was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FoundAt {
    pub depth: u32,
    pub nodes: u64,
    /// Milliseconds.
    pub ms: u64,
}

/// The grade of one search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grade {
    /// Whether the engine's final move is right.
    pub solved: bool,
    /// Points for that move.
    pub points: u32,
    /// The first iteration with a right move; `None` without one.
    pub first: Option<FoundAt>,
    /// The iteration from which on the move was right to the end; `None` if the problem is
    /// not solved.
    pub last: Option<FoundAt>,
    /// Whether the final move is legal.
    pub legal: bool,
    /// The final move in standard algebraic notation; `illegal: ` and the text of the engine
    /// if it is not legal; `none` without a move.
    pub played: String,
}

impl Grade {
    /// Grades a search.
    pub fn new(problem: &Problem, evaluation: &Evaluation) -> Self {
        let read = |text: &str| legal_uci_move(&problem.position, text.as_bytes());
        let played = read(&evaluation.best_move);
        let solved = is_right(problem, played, evaluation.score);
        let right =
            |iteration: &Iteration| is_right(problem, read(&iteration.best_move), iteration.score);
        let end = FoundAt {
            depth: evaluation.iterations.last().map_or(0, |last| last.depth),
            nodes: evaluation.nodes,
            ms: milliseconds(evaluation.elapsed),
        };
        let first = evaluation
            .iterations
            .iter()
            .find(|i| right(i))
            .map(found_at);
        // Backwards from the end, while the move is right.
        let steady = evaluation.iterations.iter().rev().take_while(|i| right(i));
        let last = solved.then(|| steady.last().map_or(end, found_at));
        Self {
            solved,
            points: points(problem, played, solved),
            // A move of an unfinished iteration is in none of the iterations.
            first: first.or(solved.then_some(end)),
            last,
            legal: played.is_some(),
            played: match played {
                Some(m) => problem.san(m),
                None if evaluation.best_move.is_empty() => "none".to_owned(),
                None => format!("illegal: {}", evaluation.best_move),
            },
        }
    }
}

/// Whether a move is a best move, or not one to avoid. An announced mate within the limit
/// is right with any move. If a problem has only points, its moves with the most points
/// are right.
fn is_right(problem: &Problem, played: Option<Move>, score: Option<Score>) -> bool {
    let Some(played) = played else {
        return false;
    };
    if let (Some(limit), Some(Score::Mate(moves))) = (problem.mate, score)
        && u32::try_from(moves).is_ok_and(|moves| (1..=limit).contains(&moves))
    {
        return true;
    }
    if !problem.best.is_empty() {
        return problem.best.contains(&played);
    }
    if !problem.avoid.is_empty() {
        return !problem.avoid.contains(&played);
    }
    !problem.points.is_empty() && points(problem, Some(played), false) == problem.worth()
}

/// Points for a move: one for a solved problem without points.
fn points(problem: &Problem, played: Option<Move>, solved: bool) -> u32 {
    if problem.points.is_empty() {
        return u32::from(solved);
    }
    let mut of_move = problem.points.iter().filter(|(m, _)| Some(*m) == played);
    of_move.next().map_or(0, |(_, points)| *points)
}

fn found_at(iteration: &Iteration) -> FoundAt {
    FoundAt {
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
    use hone_uci::openings::Variant;

    const KINGS: &str = "4k3/8/8/8/8/8/4P3/4K3 w - -";

    fn problem(operations: &str) -> Problem {
        let line = format!("{KINGS} {operations}");
        Problem::parse(line.as_bytes(), Variant::Standard)
            .unwrap()
            .0
    }

    /// A search with one iteration for each of these moves, 100 nodes each.
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

    fn nodes(found: Option<FoundAt>) -> Option<u64> {
        found.map(|found| found.nodes)
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
    fn a_move_of_the_unfinished_iteration_is_found_at_the_end() {
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
    fn missing_and_illegal_moves_are_not_solutions() {
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
