//! The actions that a token allows: submit, pause, resume and stop runs. Runs are separate
//! processes; nothing here writes to their folders.

mod action;
mod audit;
mod child;
mod queue;
mod queued_run;
mod tokens;

pub(super) use action::{Action, Refusal};
pub(super) use audit::{Audit, Event};
pub(super) use queue::Queue;
pub(super) use queued_run::{QueuedRun, Submission, priority_of};
pub(super) use tokens::Tokens;
