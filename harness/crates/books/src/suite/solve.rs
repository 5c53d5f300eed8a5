//! Searches the problems of a suite with an engine.

use std::{cell::RefCell, future::Future, pin::pin, rc::Rc, time::Duration};

use thiserror::Error;
use tokio::time::sleep;

use super::grade::Grade;
use super::problem::Problem;
use super::waits::{TICK, Waits};
use hone_uci::engine::analysis::{
    AnalysisError, Analyst, Evaluation, Request, SearchLimit, evaluate_all,
};
use hone_uci::openings::Opening;

/// The answers of an engine.
#[derive(Debug)]
pub struct Solved {
    /// In the order of the problems; `None` for those not answered.
    pub grades: Vec<Option<Grade>>,
    /// Why some problems are not answered.
    pub error: Option<SolveError>,
}

/// Why an engine did not answer all problems.
#[derive(Debug, Error)]
pub enum SolveError {
    #[error(transparent)]
    Engine(#[from] AnalysisError),
    #[error("interrupted")]
    Interrupted,
}

/// The limits of each search.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub search: SearchLimit,
    /// See [`Analyst::set_stall`].
    pub stall: Option<Duration>,
}

/// Delay of the first notice after the expected end of a search.
const NOTICE_DELAY: Duration = Duration::from_secs(5);

impl Limits {
    /// Time of a search until the first notice: at most a third of the stall limit.
    fn notice_after(self) -> Duration {
        let expected = match self.search {
            SearchLimit::MoveTime(ms) => Duration::from_millis(ms),
            SearchLimit::Nodes(_) | SearchLimit::Depth(_) => Duration::ZERO,
        };
        let usual = expected.saturating_add(NOTICE_DELAY);
        self.stall.map_or(usual, |stall| usual.min(stall / 3))
    }
}

/// Searches the problems with several processes of an engine, which are ended afterwards.
/// `answered` is called after each answer, `waiting` with the problem of the longest search
/// and its time so far. `interrupt` ends the search early.
pub async fn solve(
    mut analysts: Vec<Analyst>,
    problems: &[Problem],
    limits: Limits,
    answered: impl Fn() + 'static,
    waiting: impl Fn(&Problem, Duration),
    mut interrupt: impl Future + Unpin,
) -> Solved {
    if let Some(stall) = limits.stall {
        for analyst in &mut analysts {
            analyst.set_stall(stall);
        }
    }
    let waits = Waits::new(analysts.len(), problems.len(), limits.notice_after());
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
    let requests = problems.iter().map(request).collect();
    let mut work = pin!(evaluate_all(analysts, requests, limits.search, keep));
    let error = loop {
        tokio::select! {
            biased;
            outcome = &mut work => break outcome.err().map(SolveError::from),
            _ = &mut interrupt => break Some(SolveError::Interrupted),
            () = sleep(TICK) => {}
        }
        let notice = waits.borrow_mut().tick();
        if let Some((index, waited)) = notice {
            waiting(&problems[index], waited);
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

fn request(problem: &Problem) -> Request {
    Request {
        fen: Opening::from_position(&problem.position)
            .start_fen()
            .to_owned(),
        place: format!("position `{}`, line {}", problem.id, problem.line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_begin_beyond_the_expected_time_and_before_a_stall() {
        let notice = |search, stall: Option<u64>| {
            let stall = stall.map(Duration::from_secs);
            Limits { search, stall }.notice_after().as_secs()
        };
        assert_eq!(notice(SearchLimit::Nodes(1), None), 5);
        assert_eq!(notice(SearchLimit::MoveTime(7000), None), 12);
        assert_eq!(notice(SearchLimit::Depth(1), Some(900)), 5);
        assert_eq!(notice(SearchLimit::Depth(1), Some(9)), 3);
    }
}
