//! Requests and their answers.
//!
//! * `listen`: connections; `routes`: addresses and who answers them.
//! * `guard`: what is checked before any answer; `state`: what all answers share.
//! * `api`, `swings`: JSON of runs and games; `act`: actions, which need a token.
//! * `events`: changes of a page; `downloads`: files of a run; `metrics`: for Prometheus.

mod act;
mod api;
mod downloads;
mod events;
mod guard;
mod listen;
mod metrics;
mod parameters;
mod routes;
mod state;
mod swings;

pub(super) use listen::listen;
pub(super) use routes::router;
pub(super) use state::{Actions, State};
