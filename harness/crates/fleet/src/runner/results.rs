//! Handles the messages of workers to a run: statuses, results and refusals. Excludes
//! workers and puts them in quarantine.

use std::time::Instant;

use futures_util::FutureExt;

use super::{MAX_BATCH, Runner};
use crate::ids::WorkerId;
use crate::link::{ConnectionChange, RunnerLink, ToRunner};
use crate::message::{MessageError, PlayedReply, Refusal, Reply, Status, VERSION, decode};
use crate::runner::accept::Accepted;
use crate::runner::checks::Second;
use crate::runner::dispatch::{Dropped, Judged};
use crate::runner::incidents::Incidents;
use crate::runner::presence::Overdue;
use hone_base::diagnostic::Diagnostic;
use hone_base::errln;
use hone_report::duration;
use hone_run::executor::Event;
use hone_run::files::findings::PairFinding;
use hone_run::files::machines::IncidentKind;
use hone_stats::detect::{Rank, Test};

/// Number of results contradicting their pairs after which a worker is put in
/// quarantine: a correct worker sends none.
const MAX_WRONG: u32 = 3;

/// The error of a process that has found an earlier one of the same run.
fn second_process() -> Diagnostic {
    Diagnostic::new("another process plays this run on the fleet: the run was resumed in two copies of its folder").help(
        "continue only one of them; to continue this copy, end the other process first",
    )
}

impl<L: RunnerLink> Runner<L> {
    pub(super) async fn handle(&mut self, message: ToRunner<L::Receipt>) {
        match message {
            ToRunner::NoticeRequested => self.announce_soon(),
            ToRunner::Announced(process) => {
                if self.processes.announced(process, Instant::now()) {
                    self.sender.abort();
                    self.fail(second_process());
                }
            }
            ToRunner::Connection(change) => self.connection_changed(change).await,
            ToRunner::Status { worker, bytes } => match decode::<Status>(&bytes) {
                Ok(status) => {
                    self.exclude_if_configured(&worker);
                    if status.builds {
                        self.sender.offer_sources();
                    }
                    let is_new = self
                        .dispatch
                        .update(worker.clone(), &status, Instant::now());
                    self.warn_of_shared_name(&worker);
                    self.record_refusal(&worker, &status);
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
                Ok(_) if self.exclude_if_configured(&worker) => self.acknowledge(receipt).await,
                Ok(Reply::Played(played)) => self.played(&worker, played, receipt).await,
                Ok(Reply::Refused(refusal)) => self.refused(&worker, refusal, receipt).await,
                Err(error) => {
                    errln!("warning: worker {worker} sent a result that is refused: {error}");
                    self.acknowledge(receipt).await;
                }
            },
        }
    }

    async fn connection_changed(&mut self, change: ConnectionChange) {
        if let Some(text) = self.connection.changed(change, Instant::now()) {
            errln!("{text}");
        }
        if change == ConnectionChange::Up {
            self.announce_soon();
            self.log_error(self.link.request_statuses().await);
        }
    }

    /// Records why a worker does not play the run, unless the run itself excludes it.
    fn record_refusal(&mut self, worker: &WorkerId, status: &Status) {
        let reason = status.refusal(self.dispatch.run()).unwrap_or_default();
        if !reason.is_empty() && !self.dispatch.is_excluded(worker) {
            self.record_incident(|incidents| incidents.declined(worker, reason));
        }
    }

    /// Prints the number of workers when it has changed, and if it is 0, the reason of
    /// one that does not play the run.
    pub(super) fn show_workers(&mut self) {
        let now = Instant::now();
        let workers = self.dispatch.workers(now);
        if workers == 0 && !self.connection.is_settled(now) {
            return;
        }
        let text = match (workers, self.dispatch.presence().refusal(now)) {
            (0, None) => "no worker is available; the run waits".to_string(),
            (0, Some((worker, why))) => format!(
                "no worker is available; the run waits; worker {worker} does not play it: {why}"
            ),
            (1, _) => "1 worker takes part".to_string(),
            _ => format!("{workers} workers take part"),
        };
        if self.shown_workers.as_ref() != Some(&text) {
            errln!("fleet: {text}");
            self.shown_workers = Some(text);
        }
    }

    /// Prints a warning, unless one with this key was printed before.
    fn warn_once(&mut self, key: String, warning: &str) {
        if self.warned.insert(key) {
            errln!("{warning}");
        }
    }

    /// Warns once of a worker whose `hone` has another protocol version.
    fn warn_of_version(&mut self, worker: &WorkerId, error: &MessageError) {
        let MessageError::Version(theirs) = error else {
            return tracing::info!("worker {worker}: {error}");
        };
        let warning = format!(
            "warning: worker {worker} cannot play this run: its hone has protocol version {theirs}, and this one {VERSION}\nhelp: install the same hone on both machines"
        );
        self.warn_once(format!("version of {worker}"), &warning);
    }

    /// Warns once if several machines seem to use one name: their pairs and games are
    /// counted as those of one machine.
    fn warn_of_shared_name(&mut self, worker: &WorkerId) {
        if self.dispatch.presence().shares_name(worker) {
            let warning = format!(
                "warning: several machines seem to work as worker {worker}\nhelp: start each with its own name, as in `hone worker JOIN --name {}-2`",
                worker.machine
            );
            self.warn_once(format!("name of {worker}"), &warning);
        }
    }

    /// Removes the workers that have been dead for long.
    pub(super) fn remove_gone(&mut self) {
        let presence = self.dispatch.presence();
        presence.remove_gone(Instant::now());
        self.statuses.retain(|worker, _| presence.contains(worker));
    }

    async fn played(&mut self, worker: &WorkerId, played: Box<PlayedReply>, receipt: L::Receipt) {
        let pair = played.pair;
        match self.dispatch.take(worker, played, receipt) {
            Judged::Counts(accepted, before) => self.accepted(worker, *accepted, before).await,
            Judged::Dropped(receipt, why) => self.dropped(worker, pair, receipt, &why).await,
            Judged::Repeated(second) => self.second(worker, pair, second).await,
            Judged::Early => {}
        }
    }

    pub(super) async fn dropped(
        &mut self,
        worker: &WorkerId,
        pair: u64,
        receipt: L::Receipt,
        why: &Dropped,
    ) {
        // A worker may send any number.
        let number = pair.saturating_add(1);
        match why {
            Dropped::Duplicate(second) => self.second(worker, pair, second.clone()).await,
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

    /// Sends the pair again, because its job has left the queue.
    async fn wrong_result(&mut self, worker: &WorkerId, pair: u64, why: &str) {
        let reason = format!("its result was refused: {why}");
        self.record_incident(|incidents| incidents.played_again(worker, pair, &reason));
        self.send(pair);
        self.count_wrong(worker, why).await;
    }

    async fn count_wrong(&mut self, worker: &WorkerId, why: &str) {
        let count = self.wrong.entry(worker.clone()).or_default();
        *count += 1;
        if *count >= MAX_WRONG {
            let why = format!("{count} of its results were refused, the last because {why}");
            self.quarantine(worker, why).await;
        }
    }

    /// Handles a further result of a pair that has one.
    pub(super) async fn second(&mut self, worker: &WorkerId, pair: u64, second: Second) {
        let number = pair + 1;
        match second {
            Second::Same | Second::Unknown => {
                tracing::debug!("pair {number} came again, from worker {worker}");
            }
            Second::Wrong(why) => {
                errln!(
                    "warning: worker {worker} sent a second result of pair {number} that is refused: {why}"
                );
                self.count_wrong(worker, &why).await;
            }
            Second::Differs { first, is_checked } => {
                let reason = format!("worker {first} has another result of the pair, which counts");
                self.record_incident(|incidents| incidents.contradicts(worker, pair, &reason));
                if is_checked {
                    let detail = format!(
                        "workers {first} and {worker} have played different games of pair {number}"
                    );
                    self.record_finding(pair, Test::Contradiction, Rank::Doubtful, detail);
                    errln!(
                        "warning: workers {first} and {worker} have played different games of pair {number}, although its limit allows only one: a third worker plays it too"
                    );
                    self.send_checks();
                } else {
                    // With a clock, no two machines play the same games.
                    tracing::info!("pair {number}: {worker} has another result than {first}");
                }
            }
            Second::Decided {
                loser,
                others: [one, other],
                is_recorded,
            } => {
                let counts = if is_recorded { ", which counts," } else { "" };
                let why = format!(
                    "its result of pair {number}{counts} differs from that of workers {one} and {other}"
                );
                self.record_incident(|incidents| incidents.contradicts(&loser, pair, &why));
                // The other results of this worker may be wrong too.
                let rank = if is_recorded {
                    Rank::Invalid
                } else {
                    Rank::Doubtful
                };
                let detail = format!("worker {loser}: {why}");
                self.record_finding(pair, Test::Contradiction, rank, detail);
                self.quarantine(&loser, why).await;
            }
            Second::Unrepeatable([one, other, third]) => {
                let reason = format!(
                    "workers {one}, {other} and {third} have played three different games: an engine does not repeat its games"
                );
                errln!("warning: pair {number}: {reason}
help: games on several machines are not compared any more; `hone check ENGINE` tests whether an engine repeats its search");
                self.record_incident(|incidents| incidents.contradicts(&third, pair, &reason));
                // From now on a worker could send games that no engine has played.
                let detail = format!(
                    "pair {number}: {reason}, so results of workers are no longer compared"
                );
                self.record_finding(pair, Test::Unrepeatable, Rank::Doubtful, detail);
            }
        }
    }

    fn record_finding(&mut self, pair: u64, test: Test, rank: Rank, detail: String) {
        let finding = PairFinding::now(pair, test, rank, detail);
        self.record_incident(|incidents| incidents.found(finding));
    }

    /// Sends the pairs that another worker plays again.
    pub(super) fn send_checks(&mut self) {
        if self.draining.is_some() || self.notice.draining {
            return;
        }
        for pair in self.dispatch.checks(Instant::now()) {
            self.send(pair);
        }
    }

    /// Takes the pairs from workers that have had them for far too long. A worker that has not
    /// answered meanwhile is put in quarantine.
    pub(super) async fn take_overdue(&mut self, now: Instant) {
        if self.draining.is_some() {
            return;
        }
        for late in self.dispatch.overdue(now) {
            let Overdue {
                pair, worker, held, ..
            } = late;
            let slowest = late.slowest.map_or_else(
                || "no pair has been returned".to_string(),
                |slowest| {
                    format!(
                        "the slowest returned pair took {}",
                        duration(slowest.as_secs_f64())
                    )
                },
            );
            let held = duration(held.as_secs_f64());
            if self.dispatch.is_excluded(&worker) {
                continue;
            }
            if late.is_silent {
                let why = format!(
                    "it has held pair {} for {held} without returning a result; {slowest}",
                    pair + 1
                );
                self.quarantine(&worker, why).await;
                errln!(
                    "help: if it keeps taking pairs, `hone fleet revoke {}` disconnects it",
                    worker.credential
                );
            } else {
                let reason = format!("it had held the pair for {held}; {slowest}");
                errln!(
                    "warning: pair {} is sent again: worker {worker}: {reason}",
                    pair + 1
                );
                self.record_incident(|incidents| incidents.played_again(&worker, pair, &reason));
                self.send(pair);
            }
        }
    }

    /// Defers a result that counts. `before` is the worker that had its pair before.
    pub(super) async fn accepted(
        &mut self,
        worker: &WorkerId,
        mut accepted: Accepted,
        before: Option<WorkerId>,
    ) {
        let evidence = std::mem::take(&mut accepted.evidence);
        let status = self.statuses.get(worker);
        let pair = match self.deferred.add(worker, accepted, status) {
            Ok(result) => {
                self.failures.absorb(worker, result);
                result.pair
            }
            Err(error) => return self.fail(Diagnostic::of(error)),
        };
        if let Some(before) = before {
            let reason = "it stopped answering";
            self.record_incident(|incidents| incidents.played_again(&before, pair, reason));
        }
        for evidence in evidence {
            self.event(Event::Evidence(Box::new(evidence)));
        }
        self.notice.recorded += 1;
        self.send_checks();
    }

    /// Handles the messages that have arrived already: many results need one sync of the
    /// tables.
    pub(super) async fn handle_waiting(&mut self) {
        for _ in 1..MAX_BATCH {
            let Some(message) = self.link.next().now_or_never() else {
                return;
            };
            self.handle(message).await;
        }
    }

    /// Sends the deferred results to the ledger.
    pub(super) fn deliver_deferred(&mut self) {
        match self.deferred.take() {
            Ok(results) => {
                for played in results {
                    self.event(Event::Played(Box::new(played)));
                }
            }
            Err(error) => self.fail(Diagnostic::of(error)),
        }
    }

    /// Refuses all further results of a worker. Its earlier results stay: whether a
    /// result counts must not depend on the result.
    async fn quarantine(&mut self, worker: &WorkerId, why: String) {
        if self.dispatch.is_excluded(worker) {
            return;
        }
        errln!("warning: worker {worker} is in quarantine for this run: {why}");
        self.record_incident(|incidents| incidents.worker(worker, IncidentKind::Quarantined, &why));
        for pair in self.dispatch.exclude(worker) {
            self.record_incident(|incidents| {
                incidents.played_again(worker, pair, "it was quarantined")
            });
            self.send(pair);
        }
        self.notice.quarantined.insert(worker.to_string(), why);
        self.announce().await;
    }

    /// Excludes a worker from the run if the configuration does. Returns whether it does.
    fn exclude_if_configured(&mut self, worker: &WorkerId) -> bool {
        let name = worker.to_string();
        if !self.notice.exclude.iter().any(|one| one.matches(&name)) {
            return false;
        }
        if !self.dispatch.is_excluded(worker) {
            self.dispatch.exclude(worker);
            let reason = "the configuration excludes it";
            self.record_incident(|incidents| {
                incidents.worker(worker, IncidentKind::Excluded, reason)
            });
        }
        true
    }

    /// Adds a row to the run's incidents.
    fn record_incident(&mut self, add: impl FnOnce(&mut Incidents) -> anyhow::Result<()>) {
        if let Err(error) = add(&mut self.incidents) {
            self.fail(Diagnostic::of(error));
        }
    }

    async fn refused(&mut self, worker: &WorkerId, refusal: Refusal, receipt: L::Receipt) {
        let is_valid = refusal.lease == self.dispatch.lease(refusal.pair)
            && !self.dispatch.is_excluded(worker);
        if is_valid && refusal.stops_run && self.dispatch.stops_at_failure(refusal.pair) {
            self.fail(Diagnostic::new(format!(
                "worker {worker}: {}",
                refusal.reason
            )));
        } else if is_valid {
            errln!(
                "warning: worker {worker} does not play this run: {}",
                refusal.reason
            );
            let kind = IncidentKind::Declined;
            self.record_incident(|incidents| incidents.worker(worker, kind, &refusal.reason));
            if let Some(name) = self.sender.replace_wrong(&refusal.reason, Instant::now()) {
                errln!(
                    "fleet: {name} is sent to the server again, because its content there is wrong"
                );
            }
        }
        self.acknowledge(receipt).await;
    }
}
