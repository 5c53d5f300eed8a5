//! The results of a suite, as data and as text.

use std::fmt::Write;

use serde::Serialize;

use super::{
    compare::McNemar,
    grade::{FoundAt, Grade},
    problem::Problem,
    solve::Solved,
};

/// The results of an engine on a suite.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SuiteReport {
    /// The engine's name.
    pub engine: String,
    pub solved: usize,
    /// Problems that the engine answered: fewer than `total` if it failed or was interrupted.
    pub answered: usize,
    /// Problems of the suite.
    pub total: usize,
    /// Why the engine did not answer all problems.
    pub error: Option<String>,
    /// Sum of the points.
    pub score: u32,
    /// The most points for the answered problems.
    pub max_score: u32,
    /// Problems with a right move in any iteration.
    pub solved_first: usize,
    /// Means over these problems, at the first iteration with a right move.
    pub first: Option<Mean>,
    /// Means over the solved problems, at the iteration from which on the move was right.
    pub last: Option<Mean>,
    /// Problems that the engine answered with an illegal move, or with none.
    pub without_legal_move: usize,
    pub failures: Vec<Unsolved>,
    /// In the order of the suite; `None` where the engine did not answer.
    pub positions: Vec<Option<PositionResult>>,
}

/// Means over problems.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mean {
    pub depth: f64,
    pub nodes: f64,
    /// Milliseconds.
    pub ms: f64,
}

/// An unsolved problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unsolved {
    pub id: String,
    /// Line of the file, from 1.
    pub line: usize,
    /// The solution, see [`Problem::wanted`].
    pub best: String,
    /// The engine's move, see [`Grade::played`].
    pub played: String,
}

/// The result of one answered problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PositionResult {
    pub id: String,
    pub solved: bool,
    pub points: u32,
    pub played: String,
    pub first: Option<FoundAt>,
    pub last: Option<FoundAt>,
}

impl SuiteReport {
    /// Sums up the grades of the answered problems.
    pub fn new(engine: String, problems: &[Problem], solved: &Solved) -> Self {
        let rows = || problems.iter().zip(&solved.grades);
        let graded = || rows().filter_map(|(problem, grade)| Some((problem, grade.as_ref()?)));
        let grades = || graded().map(|(_, grade)| grade);
        let failures = graded()
            .filter(|(_, grade)| !grade.solved)
            .map(|(problem, grade)| Unsolved {
                id: problem.id.clone(),
                line: problem.line,
                best: problem.wanted(),
                played: grade.played.clone(),
            })
            .collect();
        let first: Vec<FoundAt> = grades().filter_map(|grade| grade.first).collect();
        let last: Vec<FoundAt> = grades().filter_map(|grade| grade.last).collect();
        Self {
            engine,
            solved: last.len(),
            answered: grades().count(),
            total: problems.len(),
            error: solved.error.as_ref().map(ToString::to_string),
            score: grades().map(|grade| grade.points).sum(),
            max_score: graded().map(|(problem, _)| problem.worth()).sum(),
            solved_first: first.len(),
            first: mean(&first),
            last: mean(&last),
            without_legal_move: grades().filter(|grade| !grade.legal).count(),
            failures,
            positions: rows()
                .map(|(problem, grade)| Some(PositionResult::new(problem, grade.as_ref()?)))
                .collect(),
        }
    }

    /// A table as text.
    pub fn text(&self) -> String {
        let &Self {
            solved,
            answered,
            total,
            ..
        } = self;
        let progress = if answered == total {
            format!("{solved} of {total} solved")
        } else {
            format!("incomplete, {answered} of {total} positions answered, {solved} of them solved")
        };
        let mut text = format!(
            "{}: {progress} ({:.1} %), score {} of {}\n\
             {:<28} {:>6} {:>10} {:>12} {:>8}\n",
            self.engine,
            100.0 * solved as f64 / answered.max(1) as f64,
            self.score,
            self.max_score,
            "",
            "solved",
            "mean ms",
            "mean nodes",
            "depth"
        );
        let mut row = |name: &str, solved: usize, mean: Option<Mean>| {
            let means = mean.map_or_else(String::new, |mean| {
                format!(
                    " {:>10.0} {:>12.0} {:>8.1}",
                    mean.ms, mean.nodes, mean.depth
                )
            });
            writeln!(text, "{name:<28} {solved:>6}{means}").expect("writing to a string succeeds");
        };
        row("found at any iteration", self.solved_first, self.first);
        row("found and kept to the end", self.solved, self.last);
        if self.without_legal_move > 0 {
            let count = self.without_legal_move;
            writeln!(text, "illegal or missing answers: {count}")
                .expect("writing to a string succeeds");
        }
        text
    }

    /// The unsolved problems.
    pub fn failures_text(&self) -> String {
        let mut text = format!("Not solved by {}:\n", self.engine);
        for failed in &self.failures {
            let Unsolved {
                id, best, played, ..
            } = failed;
            writeln!(text, "  {id:<20} played {played:<8} best {best}")
                .expect("writing to a string succeeds");
        }
        text
    }
}

impl PositionResult {
    fn new(problem: &Problem, grade: &Grade) -> Self {
        Self {
            id: problem.id.clone(),
            solved: grade.solved,
            points: grade.points,
            played: grade.played.clone(),
            first: grade.first,
            last: grade.last,
        }
    }
}

/// Two runs of the same suite, compared on the problems that both engines
/// answered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The second engine's run.
    #[serde(flatten)]
    pub report: SuiteReport,
    /// Problems that only the first, or only the second engine solved.
    pub only_first: Vec<String>,
    pub only_second: Vec<String>,
    pub mcnemar: McNemar,
}

impl Comparison {
    /// Compares the second run with the first.
    pub fn new(first: &SuiteReport, second: SuiteReport) -> Self {
        let only = |one: &SuiteReport, other: &SuiteReport| -> Vec<String> {
            let pairs = one.positions.iter().zip(&other.positions);
            pairs
                .filter_map(|(one, other)| one.as_ref().zip(other.as_ref()))
                .filter(|(one, other)| one.solved && !other.solved)
                .map(|(one, _)| one.id.clone())
                .collect()
        };
        let only_first = only(first, &second);
        let only_second = only(&second, first);
        Self {
            mcnemar: McNemar::new(only_first.len() as u64, only_second.len() as u64),
            only_first,
            only_second,
            report: second,
        }
    }

    /// The comparison as text, without the engines' own tables.
    pub fn text(&self, first: &SuiteReport) -> String {
        let ids = |ids: &[String]| match ids {
            [] => "none".to_owned(),
            ids => ids.join(", "),
        };
        let second = &self.report;
        let head = if second.answered == second.total {
            format!(
                "{} solved {} of {}, {} solved {}",
                first.engine, first.solved, first.total, second.engine, second.solved
            )
        } else {
            format!(
                "Incomplete: compared on the {} of {} positions that both engines answered",
                second.answered, second.total
            )
        };
        format!(
            "{head}\nOnly the first engine ({}) solved: {}\nOnly the second ({}) solved: {}\n\
             McNemar's test: {} against {}, p = {:.3}\n",
            first.engine,
            ids(&self.only_first),
            second.engine,
            ids(&self.only_second),
            self.mcnemar.first_only,
            self.mcnemar.second_only,
            self.mcnemar.p
        )
    }
}

fn mean(found: &[FoundAt]) -> Option<Mean> {
    let count = found.len() as f64;
    let of = |value: fn(&FoundAt) -> f64| found.iter().map(value).sum::<f64>() / count;
    (!found.is_empty()).then(|| Mean {
        depth: of(|found| f64::from(found.depth)),
        nodes: of(|found| found.nodes as f64),
        ms: of(|found| found.ms as f64),
    })
}
