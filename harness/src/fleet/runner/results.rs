//! What workers send to a run: their state, results and refusals; and workers
//! that get no more of its pairs.

use std::time::Instant;

use futures_util::FutureExt;

use super::{Runner, TOGETHER};
use crate::executor::Event;
use crate::fleet::ids::WorkerId;
use crate::fleet::link::{RunnerLink, ToRunner};
use crate::fleet::message::{MessageError, PlayedReply, Refusal, Reply, Status, VERSION, decode};
use crate::fleet::runner::accept::Accepted;
use crate::fleet::runner::connection::Change;
use crate::fleet::runner::dispatch::{Dropped, Judged};
use crate::fleet::runner::incidents::Incidents;
use crate::output::with_causes;
use crate::run::files::machines::{ClockRow, IncidentKind};

/// A worker with this many results that contradict their pairs is at fault: an
/// honest one has none.
const MOST_WRONG: u32 = 3;

impl<L: RunnerLink> Runner<L> {
    pub(super) async fn arrived(&mut self, arrival: ToRunner<L::Receipt>) {
        match arrival {
            ToRunner::StatusRequested => self.announce_soon(),
            ToRunner::Connection(change) => self.connection_changed(change).await,
            ToRunner::Status { worker, bytes } => match decode::<Status>(&bytes) {
                Ok(status) => {
                    self.bar(&worker);
                    if status.builds {
                        self.offer_sources();
                    }
                    let is_new = self.dispatch.heard(worker.clone(), &status, Instant::now());
                    self.warn_of_shared_name(&worker);
                    self.note_refusal(&worker, &status);
                    self.statuses.insert(worker, status);
                    if is_new {
                        self.announce_soon();
                    }
                }
                Err(error) => self.warn_of_version(&worker, &error),
            },
            ToRunner::Reply {
                worker,
                bytes,
                receipt,
            } => match decode::<Reply>(&bytes) {
                Ok(_) if self.bar(&worker) => self.acknowledge(receipt).await,
                Ok(Reply::Played(played)) => self.judge(&worker, played, receipt).await,
                Ok(Reply::Refused(refusal)) => self.refused(&worker, refusal, receipt).await,
                Err(error) => {
                    errln!("warning: worker {worker} sent a result that is refused: {error}");
                    self.acknowledge(receipt).await;
                }
            },
        }
    }

    async fn connection_changed(&mut self, change: Change) {
        if let Some(text) = self.connection.changed(change, Instant::now()) {
            errln!("{text}");
        }
        if change == Change::Up {
            self.announce_soon();
            self.report(self.link.ask().await);
        }
    }

    /// Keeps why a worker does not play the run, unless the run itself excludes it.
    fn note_refusal(&mut self, worker: &WorkerId, status: &Status) {
        let reason = status.refusal(self.dispatch.run()).unwrap_or_default();
        if !reason.is_empty() && !self.dispatch.is_excluded(worker) {
            self.noted(|all| all.declined(worker, reason));
        }
    }

    /// Tells the user when the number of workers has changed, and a reason if there is
    /// none.
    pub(super) fn show_workers(&mut self) {
        let now = Instant::now();
        let workers = self.dispatch.workers(now);
        if workers == 0 && !self.connection.is_settled(now) {
            return;
        }
        let text = match (workers, self.dispatch.presence().refusal(now)) {
            (0, None) => "no worker takes part; the run waits for one".to_string(),
            (0, Some((worker, why))) => format!(
                "no worker takes part; the run waits for one; worker {worker} does not play it: {why}"
            ),
            (1, _) => "1 worker takes part".to_string(),
            _ => format!("{workers} workers take part"),
        };
        if self.shown_workers.as_ref() != Some(&text) {
            errln!("fleet: {text}");
            self.shown_workers = Some(text);
        }
    }

    /// Warns once of a worker whose `hone` cannot play the run.
    fn warn_of_version(&mut self, worker: &WorkerId, error: &MessageError) {
        let MessageError::Version(theirs) = error else {
            return tracing::info!("worker {worker}: {error}");
        };
        if self.foreign.insert(worker.clone()) {
            errln!(
                "warning: worker {worker} cannot play this run: its hone has protocol version {theirs}, and this one {VERSION}\nhelp: install the same hone on both machines"
            );
        }
    }

    /// Warns once if several machines seem to work under one name: their pairs and
    /// games are counted as those of one.
    fn warn_of_shared_name(&mut self, worker: &WorkerId) {
        if self.dispatch.presence().shares_name(worker) && self.shared_names.insert(worker.clone())
        {
            errln!(
                "warning: several machines seem to work as worker {worker}\nhelp: start each with its own name, as in `hone worker JOIN --name {}-2`",
                worker.machine
            );
        }
    }

    /// Forgets the statuses of workers that have been gone for long.
    pub(super) fn forget_gone(&mut self) {
        let presence = self.dispatch.presence();
        presence.forget_gone(Instant::now());
        self.statuses.retain(|worker, _| presence.knows(worker));
    }

    async fn judge(&mut self, worker: &WorkerId, played: Box<PlayedReply>, receipt: L::Receipt) {
        let pair = played.pair;
        match self.dispatch.take(worker, played, receipt) {
            Judged::Counts(accepted, before) => self.deliver(worker, *accepted, before).await,
            Judged::Dropped(receipt, why) => self.dropped(worker, pair, receipt, &why).await,
            Judged::Early | Judged::Repeated => {}
        }
    }

    pub(super) async fn dropped(
        &mut self,
        worker: &WorkerId,
        pair: u64,
        receipt: L::Receipt,
        why: &Dropped,
    ) {
        let number = pair + 1;
        match why {
            Dropped::Known => tracing::debug!("pair {number} came again, from worker {worker}"),
            Dropped::NotLeased => errln!(
                "warning: worker {worker} sent a result of pair {number}, which it was not given: refused"
            ),
            Dropped::Excluded => {}
            Dropped::Wrong(why) => {
                errln!(
                    "warning: worker {worker} sent a result of pair {number} that is refused: {why}"
                );
                self.wrong_result(worker, pair, why).await;
            }
        }
        self.acknowledge(receipt).await;
    }

    /// The worker's job is done, as far as the queue knows: it is sent again.
    async fn wrong_result(&mut self, worker: &WorkerId, pair: u64, why: &str) {
        let reason = format!("its result was refused: {why}");
        self.noted(|all| all.played_again(worker, pair, &reason));
        self.send(pair);
        let count = self.wrong.entry(worker.clone()).or_default();
        *count += 1;
        if *count >= MOST_WRONG {
            let why = format!("{count} of its results were refused, the last because {why}");
            self.quarantine(worker, why).await;
        }
    }

    pub(super) async fn deliver(
        &mut self,
        worker: &WorkerId,
        accepted: Accepted,
        before: Option<WorkerId>,
    ) {
        let status = self.statuses.get(worker);
        let number = self.roster.number(worker, accepted.built, status);
        let mut played = accepted.played;
        // A worker's clock may be ahead; `dispatch` sees to one that is behind.
        let now = jiff::Timestamp::now().as_millisecond();
        played.finished_ms = played.finished_ms.clamp(0, now);
        match number {
            Ok(number) => played.worker = number,
            Err(error) => return self.fail(with_causes(&error)),
        }
        if let Some((nps, factor)) = accepted.clock {
            let row = ClockRow {
                pair: played.result.pair + 1,
                worker: played.worker,
                nps,
                factor,
            };
            if let Err(error) = self.clocks.add(&row) {
                return self.fail(with_causes(&error));
            }
        }
        if let Some(before) = before {
            let pair = played.result.pair;
            self.noted(|all| all.played_again(&before, pair, "it stopped answering"));
        }
        if let Some(why) = self.suspects.absorb(worker, &played.result) {
            self.quarantine(worker, why).await;
        }
        for evidence in accepted.evidence {
            self.event(Event::Evidence(Box::new(evidence)));
        }
        self.notice.recorded += 1;
        self.results.push(played);
    }

    /// Takes what has come already: many results need one sync of the tables.
    pub(super) async fn take_waiting(&mut self) {
        for _ in 1..TOGETHER {
            let Some(arrival) = self.link.next().now_or_never() else {
                return;
            };
            self.arrived(arrival).await;
        }
    }

    /// Hands the results over to the ledger, once the rows that it refers to are
    /// on disk.
    pub(super) fn hand_over(&mut self) {
        if self.results.is_empty() {
            return;
        }
        let synced = self.roster.sync().and_then(|()| self.clocks.sync());
        if let Err(error) = synced {
            return self.fail(with_causes(&error));
        }
        for played in std::mem::take(&mut self.results) {
            self.event(Event::Played(Box::new(played)));
        }
    }

    /// Takes nothing more of a worker. What it has played before stays: which
    /// results count must not depend on what they are.
    async fn quarantine(&mut self, worker: &WorkerId, why: String) {
        if self.dispatch.is_excluded(worker) {
            return;
        }
        errln!("warning: worker {worker} is in quarantine for this run: {why}");
        self.noted(|all| all.worker(worker, IncidentKind::Quarantined, &why));
        for pair in self.dispatch.exclude(worker) {
            self.noted(|all| all.played_again(worker, pair, "it was quarantined"));
            self.send(pair);
        }
        self.notice.quarantined.insert(worker.to_string(), why);
        self.announce().await;
    }

    /// Takes nothing of a worker that the configuration excludes. Returns
    /// whether it does.
    pub(super) fn bar(&mut self, worker: &WorkerId) -> bool {
        let name = worker.to_string();
        if !self.notice.exclude.iter().any(|one| one.matches(&name)) {
            return false;
        }
        if !self.dispatch.is_excluded(worker) {
            self.dispatch.exclude(worker);
            let reason = "the configuration excludes it";
            self.noted(|all| all.worker(worker, IncidentKind::Excluded, reason));
        }
        true
    }

    /// Keeps an incident.
    fn noted(&mut self, note: impl FnOnce(&mut Incidents) -> anyhow::Result<()>) {
        if let Err(error) = note(&mut self.incidents) {
            self.fail(with_causes(&error));
        }
    }

    async fn refused(&mut self, worker: &WorkerId, refusal: Refusal, receipt: L::Receipt) {
        let is_honest = refusal.lease == self.dispatch.lease(refusal.pair)
            && !self.dispatch.is_excluded(worker);
        if is_honest && refusal.stops_run && self.dispatch.stops_at_failure(refusal.pair) {
            self.fail(format!("worker {worker}: {}", refusal.reason));
        } else if is_honest {
            errln!(
                "warning: worker {worker} does not play this run: {}",
                refusal.reason
            );
            let kind = IncidentKind::Declined;
            self.noted(|all| all.worker(worker, kind, &refusal.reason));
        }
        self.acknowledge(receipt).await;
    }
}
