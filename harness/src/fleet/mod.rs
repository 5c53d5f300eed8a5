//! Runs on many machines: the runner of a run sends its pairs to workers and receives
//! their results. NATS with JetStream is the transport. The run's ledger is the only
//! lasting state, so everything that the server loses is sent again.
//!
//! ```text
//! runner ──Job──► queue ──► worker (its own `local` executor)
//!        ◄─Reply─ results ◄─┘      Notice, Status: which runs and workers exist
//! ```
//!
//! * `message`, `ids`, `access`: the messages, names and credentials.
//! * `link`: the interface of a transport; `nats` implements it.
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
mod timer;
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
