//! The transport: NATS with JetStream. Three streams store the jobs, results and files;
//! all other messages are not stored.

mod api;
mod connect;
mod denials;
mod pull;
mod runner;
mod streams;
mod subjects;
mod watch;
mod worker;

pub(crate) use connect::{connect, fingerprint};
pub(crate) use runner::{NatsRunner, check_rights};
pub(crate) use streams::{prepare, probe};
pub(crate) use subjects::Permissions;
pub(crate) use subjects::{has_several_answers, inboxes, submit_permissions, worker_permissions};
pub(crate) use watch::BoardWatch;
pub(crate) use watch::FleetMessage;
pub(crate) use watch::Watch;
pub(crate) use worker::NatsWorker;
