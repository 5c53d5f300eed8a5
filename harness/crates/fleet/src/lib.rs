//! Runs on many machines: the runner of a run sends its pairs to workers and receives
//! their results. NATS with JetStream is the transport. The run's ledger is the only
//! lasting state, so everything that the server loses is sent again.
//!
//! Uses: the core and `report`. The program hands it to a run as an executor: no kind of run
//! and no page imports it.
//!
//! ```text
//! runner ──Job──► queue ──► worker (its own `local` executor)
//!        ◄─Reply─ results ◄─┘      Notice, Status: which runs and workers exist
//! ```
//!
//! Three times decide about lost workers. The server delivers a job to another worker when
//! its worker has not kept it alive for `nats::runner::JOB_ACK_WAIT` (30 s). The runner counts
//! a worker as dead that has sent no status for `runner::presence::STATUS_TIMEOUT` (30 s).
//! `runner::dispatch::Dispatch::lost` then finds the pairs that no living worker holds and
//! whose jobs the server does not deliver any more, and they are sent again: with an empty
//! queue after `LOST_AFTER` (20 s), otherwise once a pair has been played that was sent
//! `OVERTAKEN_AFTER` (60 s) later. The lease in a job has no time limit: a late result counts
//! if no other result of the pair has arrived.
//!
//! * `message`, `ids`, `access`: the messages, names and credentials.
//! * `link`: the interface of a transport; `nats` implements it.
//! * `runner`, `worker`: the two sides. `server`: `hone fleet up`. `overview`:
//!   `hone fleet status`.

// `println!` panics on a closed pipe: `hone_base::output` prints in its place.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::string_slice))]

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
mod worker;

pub use access::{Access, FLEET_VARIABLE, Role, data_dir};
pub use ids::Name;
pub use live_message::read_any_message;
pub use message::Notice;
pub use overview::{FleetOverview, MachineStatus, Observer, RunLine, Spectator};
pub use overview::{check_reachable, overview};
pub use runner::{FleetRun, RunKey, start};
pub use server::{Setup, Token, Tokens, unit, up};
pub use worker::{BuildWhen, RequestedOptions, WorkerOptions, platform, work};
