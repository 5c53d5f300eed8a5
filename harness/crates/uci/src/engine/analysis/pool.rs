//! Evaluates a list of positions with several engine processes.

use std::{cell::RefCell, rc::Rc};

use super::{AnalysisError, Analyst, Evaluation, SearchLimit, at_once};

/// A position to evaluate.
#[derive(Debug)]
pub struct Request {
    /// The position as six-field FEN.
    pub fen: String,
    /// Names the position in errors.
    pub place: String,
}

/// Evaluates all positions, each as a new game. Returns the evaluations in the order of
/// the positions. `done` is called with the index of each position after its evaluation.
/// Ends the engines.
///
/// # Errors
/// The first failure of an engine.
pub async fn evaluate_all(
    analysts: Vec<Analyst>,
    positions: Vec<Request>,
    limit: SearchLimit,
    done: impl FnMut(usize, &Evaluation) + 'static,
) -> Result<Vec<Evaluation>, AnalysisError> {
    let count = positions.len();
    let work = Rc::new(RefCell::new(Work {
        next: 0,
        evaluations: vec![Evaluation::default(); count],
        done,
    }));
    let positions = Rc::new(positions);
    let works = analysts
        .into_iter()
        .map(|analyst| work_of_one(analyst, Rc::clone(&positions), limit, Rc::clone(&work)));
    at_once(works).await?;
    let mut work = work.borrow_mut();
    Ok(std::mem::take(&mut work.evaluations))
}

struct Work<F> {
    next: usize,
    evaluations: Vec<Evaluation>,
    done: F,
}

async fn work_of_one<F: FnMut(usize, &Evaluation)>(
    mut analyst: Analyst,
    positions: Rc<Vec<Request>>,
    limit: SearchLimit,
    work: Rc<RefCell<Work<F>>>,
) -> Result<(), AnalysisError> {
    loop {
        let index = {
            let mut work = work.borrow_mut();
            work.next += 1;
            work.next - 1
        };
        let Some(Request { fen, place }) = positions.get(index) else {
            analyst.quit().await;
            return Ok(());
        };
        analyst.forget().await?;
        let evaluation = analyst.evaluate(fen, place, limit).await?;
        let mut work = work.borrow_mut();
        (work.done)(index, &evaluation);
        work.evaluations[index] = evaluation;
    }
}
