//! Many machines: the runner of a run sends its pairs to workers and takes
//! their results. NATS with JetStream carries the messages; only the run's ledger
//! counts, so whatever the server loses is sent again.
//!
//! ```text
//! runner ──Job──► queue ──► worker (its own `local` executor)
//!        ◄─Reply─ results ◄─┘      Notice, Status: who is there
//! ```
//!
//! * `message`, `ids`, `access`: what travels, and who may send it.
//! * `link`: what is needed of a transport; `nats` is one.
//! * `runner`, `worker`: the two sides. `server`: `hone fleet up`. `overview`:
//!   `hone fleet status`.

mod access;
mod clock;
mod ids;
mod link;
mod live_message;
mod message;
mod nats;
mod overview;
mod runner;
#[cfg(test)]
mod samples;
mod server;
mod table;
mod worker;

pub(crate) use access::{Access, FLEET_VARIABLE, Role, data_dir};
pub(crate) use ids::Name;
pub(crate) use message::{Notice, read_any as read_any_message};
#[cfg(feature = "serve")]
pub(crate) use overview::{Machine, Observer, Overview, RunLine, Spectator};
pub(crate) use overview::{check_reachable, overview};
pub(crate) use runner::{FleetRun, RunKey, start};
pub(crate) use server::{Setup, Token, Tokens, unit, up};
pub(crate) use worker::{BuildWhen, RequestedOptions, WorkerOptions, platform, work};
