//! The slots of a worker, and what each is doing.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::timeout;

use super::slot::{Slot, SlotEvent};
use crate::executor::{LiveGame, PairJob};

/// How long engines may take to end.
const QUIT: Duration = Duration::from_secs(3);

/// What a slot is doing, as its worker knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doing {
    Nothing,
    /// The job with this ticket.
    Plays(u64),
    /// It was asked to leave: what it reports before [`SlotEvent::Left`] is void.
    Leaves,
}

/// As many slots as a worker has threads.
pub(super) struct Slots {
    slots: Vec<Slot>,
    doing: Vec<Doing>,
    reports: mpsc::UnboundedReceiver<(usize, SlotEvent)>,
}

impl Slots {
    pub(super) fn start(count: usize) -> Self {
        let (sender, reports) = mpsc::unbounded_channel();
        Self {
            slots: (0..count)
                .map(|number| Slot::start(number, sender.clone()))
                .collect(),
            doing: vec![Doing::Nothing; count],
            reports,
        }
    }

    /// The number of a slot, and what it reports. Cancel safe.
    pub(super) async fn next(&mut self) -> Option<(usize, SlotEvent)> {
        self.reports.recv().await
    }

    /// Takes a slot's report: it is idle then. Returns the ticket of the job that the
    /// report is about, unless that job was left.
    pub(super) fn reported(&mut self, slot: usize, report: &SlotEvent) -> Option<u64> {
        let doing = &mut self.doing[slot];
        match (*doing, report) {
            (Doing::Plays(ticket), _) => {
                *doing = Doing::Nothing;
                Some(ticket)
            }
            (Doing::Leaves, SlotEvent::Left) => {
                *doing = Doing::Nothing;
                None
            }
            _ => None,
        }
    }

    /// Whether no slot plays, or is leaving its pair.
    pub(super) fn are_idle(&self) -> bool {
        self.doing.iter().all(|doing| *doing == Doing::Nothing)
    }

    /// The number of an idle slot.
    pub(super) fn idle(&self) -> Option<usize> {
        self.doing.iter().position(|doing| *doing == Doing::Nothing)
    }

    /// Plays the job with a ticket in an idle slot.
    pub(super) fn play(&mut self, slot: usize, ticket: u64, job: PairJob) {
        self.doing[slot] = Doing::Plays(ticket);
        self.slots[slot].play(job);
    }

    /// Takes the jobs with these tickets from the slots that play them.
    pub(super) fn leave(&mut self, tickets: &BTreeSet<u64>) {
        for (slot, doing) in self.slots.iter().zip(&mut self.doing) {
            if let Doing::Plays(ticket) = doing
                && tickets.contains(ticket)
            {
                slot.leave();
                *doing = Doing::Leaves;
            }
        }
    }

    /// The games that are being played, each with the ticket of its job.
    pub(super) fn games(&self) -> impl Iterator<Item = (u64, LiveGame)> {
        let playing = self.slots.iter().zip(&self.doing);
        playing.filter_map(|(slot, doing)| match doing {
            Doing::Plays(ticket) => Some((*ticket, slot.game()?)),
            _ => None,
        })
    }

    /// Ends all slots and their engines.
    pub(super) async fn end(self) {
        // All at once: an engine may take a while to end.
        let ending: Vec<_> = self.slots.into_iter().map(Slot::end).collect();
        for task in ending {
            let _ = timeout(QUIT, task).await;
        }
    }

    /// As if a slot played a job.
    #[cfg(test)]
    pub(super) fn set_playing(&mut self, slot: usize, ticket: u64) {
        self.doing[slot] = Doing::Plays(ticket);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::message::samples::played_pair;

    #[tokio::test]
    async fn what_a_slot_reports_of_a_job_that_it_was_asked_to_leave_is_void() {
        let played = || SlotEvent::Played(Box::new(played_pair(3)), Vec::new());
        let mut slots = Slots::start(2);
        assert!(slots.are_idle());
        slots.set_playing(0, 7);
        assert_eq!(slots.idle(), Some(1));
        slots.set_playing(1, 8);
        assert_eq!(slots.idle(), None);
        slots.leave(&BTreeSet::from([7]));
        assert_eq!(slots.reported(0, &played()), None);
        assert_eq!(slots.idle(), None, "it still leaves");
        assert_eq!(slots.reported(1, &played()), Some(8));
        assert!(!slots.are_idle());
        assert_eq!(slots.reported(0, &SlotEvent::Left), None);
        assert!(slots.are_idle());
    }
}
