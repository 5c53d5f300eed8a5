//! What a token allows: to submit, pause, resume and stop runs. The runs are
//! processes of their own; nothing here writes to their folders.

mod audit;
mod job;
mod queue;
mod tokens;

pub(super) use audit::{Audit, Event};
pub(super) use job::{Job, Submission};
pub(super) use queue::{Action, Queue, Refusal};
pub(super) use tokens::Tokens;
