//! Runs the judges: distributes candidates and collects judgements.

use std::{cell::RefCell, rc::Rc};

use thiserror::Error;

use super::{
    Recipe,
    candidates::{BARREN, Candidate, Candidates},
    journal::{Journal, JournalError},
    judge::{Judgement, judge},
    selection::Selection,
};
use crate::book::opening::BookOpening;
use hone_uci::engine::analysis::{AnalysisError, Analyst, at_once};

/// The reason why a book was not finished. The journal has all judgements so far.
#[derive(Debug, Error)]
pub enum MakeError {
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Progress of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Positions in the book.
    pub chosen: usize,
    /// Positions judged, in this session or before.
    pub judged: u64,
}

/// A book being made.
struct Session {
    candidates: Candidates,
    selection: Selection,
    journal: Journal,
    judged: u64,
    report: Box<dyn Fn(Progress)>,
}

/// A book, its journal (to be removed once the book is written), and the
/// progress at the end.
#[derive(Debug)]
pub struct Made {
    pub entries: Vec<BookOpening>,
    pub journal: Journal,
    pub progress: Progress,
}

/// Runs the judges until the book is complete or the candidates are used up.
/// Judgements in the journal are not repeated.
///
/// # Errors
/// If a judge fails, or the journal cannot be written.
pub async fn run(
    recipe: &Recipe,
    candidates: Candidates,
    journal: Journal,
    judges: Vec<Analyst>,
    report: Box<dyn Fn(Progress)>,
) -> Result<Made, MakeError> {
    let session = Rc::new(RefCell::new(Session {
        candidates,
        selection: Selection::new(recipe),
        journal,
        judged: 0,
        report,
    }));
    let recipe = Rc::new(recipe.clone());
    let works = judges
        .into_iter()
        .map(|analyst| work_of_one(analyst, Rc::clone(&session), Rc::clone(&recipe)));
    at_once(works).await?;
    let session = Rc::into_inner(session)
        .expect("all judges are done")
        .into_inner();
    Ok(Made {
        progress: session.progress(),
        entries: session.selection.into_entries(),
        journal: session.journal,
    })
}

async fn work_of_one(
    mut analyst: Analyst,
    session: Rc<RefCell<Session>>,
    recipe: Rc<Recipe>,
) -> Result<(), MakeError> {
    loop {
        let next = session.borrow_mut().next();
        let Some(candidate) = next else {
            analyst.quit().await;
            return Ok(());
        };
        let judgement = judge(&mut analyst, &candidate.entry.end, &recipe).await?;
        session.borrow_mut().absorb(candidate, judgement)?;
    }
}

impl Session {
    /// The next candidate to judge.
    fn next(&mut self) -> Option<Candidate> {
        let mut refused = 0;
        while !self.selection.is_complete() {
            let candidate = self.candidates.next()?;
            if !self.selection.expect(&candidate) {
                // If all families are full, every candidate is refused.
                refused += 1;
                if refused == BARREN {
                    return None;
                }
                continue;
            }
            match self.journal.take(candidate.draw) {
                Some(judgement) => self.take_in(candidate, judgement),
                None => return Some(candidate),
            }
        }
        None
    }

    fn absorb(&mut self, candidate: Candidate, judgement: Judgement) -> Result<(), JournalError> {
        self.journal.add(candidate.draw, judgement)?;
        self.take_in(candidate, judgement);
        (self.report)(self.progress());
        Ok(())
    }

    fn take_in(&mut self, candidate: Candidate, judgement: Judgement) {
        self.judged += 1;
        self.selection.absorb(candidate, judgement);
    }

    fn progress(&self) -> Progress {
        Progress {
            chosen: self.selection.len(),
            judged: self.judged,
        }
    }
}
