//! Builds of engines from their commits. A build uses the whole machine: it starts when
//! no game is being played, and no game starts while it runs.

use std::sync::Arc;

use super::Worker;
use super::builder::{BuildOrder, EngineBuilder};
use super::held::Phase;
use crate::ids::Name;
use crate::link::WorkerLink;
use crate::message::Job;
use hone_base::errln;

impl<L: WorkerLink> Worker<L> {
    /// Orders a build of a job's engines, and gives back all waiting jobs, which other
    /// workers can play meanwhile.
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
        self.give_back(|held| held.phase == Phase::Waiting).await;
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
        self.start_preparing(run, key, *job, threads, Some((ticket, builder)));
        self.send_status().await;
    }

    /// Removes the order of a build that has ended. Returns whether it was still needed.
    pub(super) fn end_build(&mut self, ticket: u64) -> bool {
        let order = self.building.take_if(|order| order.ticket == ticket);
        order.is_some()
    }
}
