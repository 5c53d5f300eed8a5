//! The jobs of a worker: takes, prepares and plays them, and replies to them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::abilities::Resources;
use super::builder::EngineBuilder;
use super::held::{Held, Phase, files_key, reply_of};
use super::prepare::{GoneFile, IdleThreads, Prepared, prepare};
use super::refusals::{in_minutes, shortened};
use super::slot::SlotEvent;
use super::{Preparation, Worker};
use crate::ids::Name;
use crate::link::WorkerLink;
use crate::message::{Job, Refusal, Reply, decode, encode};
use hone_base::errln;
use hone_base::text::with_causes;
use hone_run::executor::{Evidence, PlayedPair};

/// A job that this worker must not play is offered to the others for this time.
const FOR_OTHERS: Duration = Duration::from_secs(5);
/// Time limit of a pull.
const PULL_WAIT: Duration = Duration::from_secs(1);

fn print_fetched_again(run: &Name, gone: &GoneFile) {
    errln!("run {run}: {gone}; it is fetched again");
}

impl<L: WorkerLink> Worker<L> {
    /// Takes a job if its engines are ready. Otherwise gives it back and prepares them.
    pub(super) async fn take_job(&mut self, run: Name, bytes: &[u8], delivery: L::Delivery) {
        let mut job = match decode::<Job>(bytes) {
            Ok(job) if job.run == run => job,
            Ok(_) => return self.link.done(&delivery).await,
            Err(error) => {
                // Its runner sends it again if it is still needed.
                errln!("run {run}: a job is refused: {error}");
                return self.link.done(&delivery).await;
            }
        };
        if job.not_by.contains(&self.id.to_string()) {
            // Delivered again at once, it would keep this worker from the other jobs.
            return self.link.give_back_for(&delivery, FOR_OTHERS).await;
        }
        let cannot = self.leaving.is_some()
            || self.building.is_some()
            || self.runs.is_refused(&run, Instant::now());
        let Some(notice) = self.runs.notice(&run).filter(|_| !cannot) else {
            return self.link.give_back(&delivery).await;
        };
        let resources = Resources {
            threads: notice.threads,
            memory_mb: notice.memory_mb,
        };
        let builds = self.abilities.builds(notice);
        let files = files_key(&job);
        let state = self.runs.get(&run);
        let are_ready = state.and_then(|state| state.engines.are_ready(&files));
        if are_ready != Some(true) {
            // While its engines are prepared, other workers can play the job, and this
            // worker other runs.
            self.link.give_back(&delivery).await;
            self.host_rules.apply(&mut job.pair, resources);
            return match are_ready {
                Some(_) => {}
                None if builds => self.order_build(run, files, job, resources.threads).await,
                None => {
                    self.runs.state(&run).engines.begin(&files);
                    self.start_preparing(run, files, job, resources.threads, None);
                }
            };
        }
        self.runs.taken(&run);
        self.held.push(Held {
            ticket: self.next_ticket,
            run,
            job,
            files,
            delivery,
            resources,
            phase: Phase::Waiting,
            nps: None,
            built: false,
        });
        self.next_ticket += 1;
    }

    /// Starts a task that prepares a job's engines, with the ticket and the builder of an
    /// order if they must be built. A game needs `threads` threads.
    pub(super) fn start_preparing(
        &mut self,
        run: Name,
        key: String,
        job: Job,
        threads: usize,
        order: Option<(u64, EngineBuilder)>,
    ) {
        let (pair, lease) = (job.pair.pair, job.lease.clone());
        let (build, builder) = order.unzip();
        let preparing = prepare(
            self.store.clone(),
            self.link.files(),
            job,
            IdleThreads {
                idle: Arc::clone(&self.idle),
                of_game: threads,
            },
            builder,
        );
        self.preparing.spawn(async move {
            let begun = Instant::now();
            let prepared = preparing.await;
            Preparation {
                run,
                key,
                build,
                pair,
                lease,
                took: begun.elapsed(),
                prepared,
            }
        });
    }

    /// Adds prepared engines, or refuses their run if they could not be prepared.
    pub(super) async fn prepared(&mut self, preparation: Preparation) {
        let (run, key) = (&preparation.run, &preparation.key);
        let is_obsolete = match preparation.build {
            Some(ticket) => !self.end_build(ticket),
            None => {
                let state = self.runs.get(run);
                state.is_none_or(|state| state.engines.are_ready(key).is_none())
            }
        };
        if is_obsolete {
            return;
        }
        let engines = &mut self.runs.state(run).engines;
        match preparation.prepared {
            Ok(prepared) => engines.insert(preparation.key, prepared),
            Err(error) => {
                engines.remove(key);
                if let Some(gone) = error.downcast_ref::<GoneFile>()
                    && engines.fetch_again()
                {
                    return print_fetched_again(run, gone);
                }
                let refusal = Refusal {
                    pair: preparation.pair,
                    lease: preparation.lease,
                    reason: with_causes(&error),
                    stops_run: false,
                };
                // Only a build prevents games.
                let cost = match preparation.build {
                    Some(_) => preparation.took,
                    None => Duration::ZERO,
                };
                self.cannot_play(&preparation.run, refusal, cost).await;
            }
        }
    }

    /// Pauses a run after a failure that has cost the playing time `cost`: gives back its
    /// pairs and sends its runner the reason, with the lease of a pair that this worker
    /// was given. Several failures at the same time count as one.
    async fn cannot_play(&mut self, run: &Name, mut refusal: Refusal, cost: Duration) {
        self.runs.withdraw(run);
        self.give_back_run(run).await;
        let reason = &refusal.reason;
        match self.runs.failed(run, reason, cost, Instant::now()) {
            Some(wait) => {
                let wait = in_minutes(wait);
                errln!("run {run} is not played here: {reason}; next try in {wait}");
            }
            None if refusal.stops_run => {}
            None => return,
        }
        refusal.reason = shortened(&refusal.reason);
        let reply = Reply::Refused(refusal);
        if let Ok(bytes) = encode(&reply) {
            let sent = self.link.reply(run, bytes);
            self.sending.spawn(async move {
                sent.await;
                None
            });
        }
        self.send_status().await;
    }

    /// Gives back the jobs of a run, except those whose result is being sent.
    pub(super) async fn give_back_run(&mut self, run: &Name) {
        self.give_back(|held| held.run == *run && held.phase != Phase::Answered)
            .await;
    }

    /// Gives back the jobs for which `is_given` is true, and aborts their games.
    pub(super) async fn give_back(&mut self, is_given: impl Fn(&Held<L::Delivery>) -> bool) {
        let given: Vec<_> = self.held.extract_if(.., |held| is_given(held)).collect();
        for held in &given {
            self.link.give_back(&held.delivery).await;
        }
        self.slots
            .abort(|ticket| given.iter().any(|held| held.ticket == ticket));
    }

    /// Gives waiting jobs to idle slots, the oldest first, while threads and memory suffice.
    pub(super) fn start_games(&mut self) {
        let idle = Arc::clone(&self.idle);
        // The machine's speed is measured on the idle threads.
        let Ok(mut idle) = idle.try_lock() else {
            return;
        };
        let mut free = self.free(|held| held.phase == Phase::Playing);
        *idle = free.threads;
        if self.building.is_some() {
            return;
        }
        for held in &mut self.held {
            if held.phase != Phase::Waiting {
                continue;
            }
            let fits = held.resources.threads <= free.threads
                && held.resources.memory_mb <= free.memory_mb;
            let Some(slot) = self.slots.idle().filter(|_| fits) else {
                // No later job starts before it, or it could wait forever.
                return;
            };
            let state = self.runs.get(&held.run);
            let Some(prepared) = state.and_then(|state| state.engines.get(&held.files)) else {
                continue;
            };
            let mut job = prepared.localized(held.job.pair.clone());
            self.host_rules.apply(&mut job, held.resources);
            held.nps = prepared.nps();
            held.built = prepared.is_built();
            self.runs.number_engines(&held.run, &mut job);
            free.threads -= held.resources.threads;
            free.memory_mb -= held.resources.memory_mb;
            *idle = free.threads;
            held.phase = Phase::Playing;
            self.slots.play(slot, held.ticket, job);
        }
    }

    /// The resources of the machine that are left beside the jobs for which `counts` is
    /// true.
    fn free(&self, counts: impl Fn(&Held<L::Delivery>) -> bool) -> Resources {
        let used = self.held.iter().filter(|held| counts(held));
        let (threads, memory) = used.fold((0, 0), |(threads, memory), held| {
            (
                threads + held.resources.threads,
                memory + held.resources.memory_mb,
            )
        });
        let all = self.abilities.resources;
        Resources {
            threads: all.threads.saturating_sub(threads),
            memory_mb: all.memory_mb.saturating_sub(memory),
        }
    }

    /// Requests jobs of the next run whose engines are not being prepared. As many jobs
    /// wait as the machine can play at a time.
    pub(super) async fn pull(&mut self) {
        let is_paused =
            self.building.is_some() || self.leaving.is_some() || self.connection.is_cut_off();
        if self.is_pulling || is_paused {
            return;
        }
        let waiting = self.free(|held| held.phase == Phase::Waiting);
        let now = Instant::now();
        let run = self.runs.next(waiting, now);
        let Some(run) = run.cloned() else { return };
        let Some(notice) = self.runs.notice(&run) else {
            return;
        };
        let by_memory = waiting
            .memory_mb
            .checked_div(notice.memory_mb)
            .unwrap_or(u64::MAX);
        let jobs = (waiting.threads / notice.threads)
            .min(usize::try_from(by_memory).unwrap_or(usize::MAX));
        if jobs > 0 {
            self.is_pulling = true;
            self.link.pull(&run, jobs, PULL_WAIT).await;
        }
    }

    pub(super) async fn slot_event(&mut self, slot: usize, event: SlotEvent) {
        let Some(ticket) = self.slots.update(slot, &event) else {
            return;
        };
        match event {
            SlotEvent::Aborted => {}
            SlotEvent::Played(played, evidence) => self.played(ticket, *played, evidence).await,
            SlotEvent::Failed { reason, in_game } => self.failed(ticket, reason, in_game).await,
        }
    }

    /// Handles a job that could not be played, or in one of whose games an engine of a run with
    /// `on_failure = "stop"` has failed.
    async fn failed(&mut self, ticket: u64, reason: String, in_game: bool) {
        let held = self.held.iter().find(|held| held.ticket == ticket);
        let Some(held) = held else { return };
        let run = held.run.clone();
        let mut refusal = held.refusal(reason, in_game && held.stops_run());
        let engines = &mut self.runs.state(&run).engines;
        let gone = engines.get(&held.files).and_then(Prepared::first_gone);
        // Its files may be damaged.
        engines.clear();
        if let Some(gone) = gone.filter(|_| !in_game) {
            if engines.fetch_again() {
                print_fetched_again(&run, &gone);
                return self.give_back_run(&run).await;
            }
            refusal.reason = gone.to_string();
        }
        self.cannot_play(&run, refusal, Duration::ZERO).await;
    }

    async fn played(&mut self, ticket: u64, played: PlayedPair, evidence: Vec<Evidence>) {
        self.totals.count(&played, Instant::now());
        let Some(held) = self.held.iter_mut().find(|held| held.ticket == ticket) else {
            // The job was dropped.
            return;
        };
        held.phase = Phase::Answered;
        let run = held.run.clone();
        match reply_of(held, played, evidence) {
            Ok(bytes) => {
                self.runs.played(&run);
                let sent = self.link.reply(&run, bytes);
                self.sending.spawn(async move {
                    sent.await;
                    Some(ticket)
                });
            }
            Err(error) => {
                held.phase = Phase::Waiting;
                let refusal = held.refusal(format!("a result cannot be sent: {error}"), false);
                self.cannot_play(&run, refusal, Duration::ZERO).await;
            }
        }
    }

    pub(super) async fn reply_stored(&mut self, ticket: u64) {
        if let Some(at) = self.held.iter().position(|held| held.ticket == ticket) {
            let held = self.held.remove(at);
            self.link.done(&held.delivery).await;
        }
    }
}
