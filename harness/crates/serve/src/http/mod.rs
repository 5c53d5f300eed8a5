//! Requests and their answers.
//!
//! * `listen`: connections; `routes`: URLs and their handlers.
//! * `guard`: checks before any answer; `state`: the state that all handlers share.
//! * `api`: JSON of runs and games; `act`: actions, which need a token.
//! * `events`: changes of a page; `downloads`: files of a run.

mod act;
mod api;
mod downloads;
mod events;
mod guard;
mod listen;
mod parameters;
mod routes;
mod state;

pub(super) use listen::listen;
pub(super) use routes::router;
pub(super) use state::{Actions, State};
