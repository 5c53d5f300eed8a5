//! Engines that this machine builds from their commits. A build uses all of the
//! machine: it waits until no game is played, and no game starts beside it.

use std::sync::Arc;

use super::Worker;
use super::builder::{BuildOrder, EngineBuilder};
use crate::fleet::ids::Name;
use crate::fleet::link::WorkerLink;
use crate::fleet::message::Job;

impl<L: WorkerLink> Worker<L> {
    /// Notes that the engines of a job must be built, and gives back all jobs
    /// that wait: others need not wait for the build.
    pub(super) async fn order_build(&mut self, run: Name, key: String, job: Job, threads: usize) {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.building = Some(BuildOrder {
            ticket,
            run,
            key,
            job: Some(Box::new(job)),
            threads,
            stop: Arc::default(),
        });
        self.give_back_waiting(|_| true).await;
    }

    /// Starts the build that was ordered, once no game is played.
    pub(super) async fn start_build(&mut self) {
        if !self.slots.are_idle() || self.leaving.is_some() {
            return;
        }
        let Some(order) = &mut self.building else {
            return;
        };
        let Some(job) = order.job.take() else { return };
        errln!("run {}: building its engines", order.run);
        let builder = EngineBuilder {
            cache: self.cache.clone(),
            stop: Arc::clone(&order.stop),
        };
        let (run, key, ticket) = (order.run.clone(), order.key.clone(), order.ticket);
        let threads = order.threads;
        self.make_ready(run, key, *job, threads, Some((ticket, builder)));
        self.report().await;
    }

    /// A build is over. Returns whether it is still wanted.
    pub(super) fn end_build(&mut self, ticket: u64) -> bool {
        let order = self.building.take_if(|order| order.ticket == ticket);
        order.is_some()
    }
}
