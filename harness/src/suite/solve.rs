//! An engine at work on the problems of a suite.

use std::{cell::RefCell, future::Future, pin::pin, rc::Rc, time::Duration};

use thiserror::Error;
use tokio::time::sleep;

use super::grade::Grade;
use super::problem::Problem;
use super::waits::{TICK, Waits};
use crate::engine::analysis::{
    AnalysisError, Analyst, Evaluation, Request, SearchLimit, evaluate_all,
};
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
    #[error("interrupted")]
    Interrupted,
}

/// The limits of each search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub search: SearchLimit,
    /// See [`Analyst::set_stall`].
    pub stall: Option<Duration>,
}

/// The first notice of a wait, beyond the time that a search should take.
const SOON: Duration = Duration::from_secs(5);

impl Limits {
    /// After how long a wait is worth a notice.
    fn notice_after(self) -> Duration {
        let expected = match self.search {
            SearchLimit::MoveTime(ms) => Duration::from_millis(ms),
            SearchLimit::Nodes(_) | SearchLimit::Depth(_) => Duration::ZERO,
        };
        let soon = expected + SOON;
        self.stall.map_or(soon, |stall| soon.min(stall / 3))
    }
}

/// Solves the problems with several processes of an engine, which are ended.
/// `answered` is called after each answer, `waiting` with the problem of an
/// engine that has taken this long. An `interrupt` ends the work.
pub(crate) async fn solve(
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
        let silence = waits.borrow_mut().tick();
        if let Some((index, waited)) = silence {
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
