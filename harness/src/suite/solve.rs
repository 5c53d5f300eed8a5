//! An engine at work on the problems of a suite.

use std::{cell::RefCell, pin::pin, rc::Rc, time::Duration};

use thiserror::Error;
use tokio::time::sleep;

use super::grade::Grade;
use super::problem::Problem;
use super::waits::{Silence, TICK, Waits};
use crate::engine::analysis::{AnalysisError, Analyst, Evaluation, SearchLimit, evaluate_all};
use crate::openings::Opening;

/// What an engine answered.
#[derive(Debug)]
pub(crate) struct Solved {
    /// In the order of the problems; `None` for those not answered.
    pub grades: Vec<Option<Grade>>,
    /// Why some problems have no answer.
    pub error: Option<SolveError>,
}

/// Why an engine did not answer all problems.
#[derive(Debug, Error)]
pub(crate) enum SolveError {
    #[error(transparent)]
    Engine(#[from] AnalysisError),
    #[error(
        "engine `{engine}` stalls: no answer for {} s (position `{id}`, line {line})\nhelp: if it needs longer, raise `--stall-ms`",
        after.as_secs_f64()
    )]
    Stall {
        engine: String,
        id: String,
        /// Line of the file, from 1.
        line: usize,
        after: Duration,
    },
}

/// The limits of each search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub search: SearchLimit,
    /// After this time without an answer an engine stalls. Without it the limit
    /// of [`evaluate_all`] applies.
    pub stall: Option<Duration>,
}

/// Solves the problems with several processes of an engine, which are ended.
/// `answered` is called after each answer, `waiting` with the problem of an
/// engine that has taken this long.
pub(crate) async fn solve(
    analysts: Vec<Analyst>,
    problems: &[Problem],
    limits: Limits,
    answered: impl Fn() + 'static,
    waiting: impl Fn(&Problem, Duration),
) -> Solved {
    let engine = analysts[0].name().to_owned();
    let expected = match limits.search {
        SearchLimit::MoveTime(ms) => Duration::from_millis(ms),
        SearchLimit::Nodes(_) | SearchLimit::Depth(_) => Duration::ZERO,
    };
    let waits = Waits::new(analysts.len(), problems.len(), expected, limits.stall);
    let waits = Rc::new(RefCell::new(waits));
    let evaluations = Rc::new(RefCell::new(vec![None; problems.len()]));
    let keep = {
        let (waits, evaluations) = (Rc::clone(&waits), Rc::clone(&evaluations));
        move |index: usize, evaluation: &Evaluation| {
            evaluations.borrow_mut()[index] = Some(evaluation.clone());
            waits.borrow_mut().answered(index);
            answered();
        }
    };
    let mut work = pin!(evaluate_all(analysts, fens(problems), limits.search, keep));
    let error = loop {
        tokio::select! {
            biased;
            outcome = &mut work => break outcome.err().map(SolveError::from),
            () = sleep(TICK) => {}
        }
        let silence = waits.borrow_mut().tick();
        match silence {
            None => {}
            Some(Silence::Long(index, waited)) => waiting(&problems[index], waited),
            Some(Silence::Stall(index)) => {
                break Some(SolveError::Stall {
                    engine,
                    id: problems[index].id.clone(),
                    line: problems[index].line,
                    after: limits.stall.unwrap_or_default(),
                });
            }
        }
    };
    let evaluations = evaluations.borrow();
    let grade = |(problem, evaluation): (&Problem, &Option<Evaluation>)| {
        Some(Grade::new(problem, evaluation.as_ref()?))
    };
    Solved {
        grades: problems.iter().zip(evaluations.iter()).map(grade).collect(),
        error,
    }
}

fn fens(problems: &[Problem]) -> Vec<String> {
    let fen = |problem: &Problem| {
        Opening::from_position(&problem.position)
            .start_fen()
            .to_owned()
    };
    problems.iter().map(fen).collect()
}
