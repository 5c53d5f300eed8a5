//! The slots of a worker and their states.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::timeout;

use super::slot::{Slot, SlotEvent};
use hone_run::executor::{LiveGame, PairJob};

/// Time limit for the end of an engine.
const QUIT: Duration = Duration::from_secs(3);

/// The state of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SlotState {
    Idle,
    /// It plays the job with this ticket.
    Playing(u64),
    /// Its pair is being aborted: events before [`SlotEvent::Aborted`] are ignored.
    Aborting,
}

/// One slot for each thread of a worker.
pub(super) struct Slots {
    slots: Vec<Slot>,
    states: Vec<SlotState>,
    events: mpsc::UnboundedReceiver<(usize, SlotEvent)>,
}

impl Slots {
    pub(super) fn start(count: usize) -> Self {
        let (sender, events) = mpsc::unbounded_channel();
        Self {
            slots: (0..count)
                .map(|number| Slot::start(number, sender.clone()))
                .collect(),
            states: vec![SlotState::Idle; count],
            events,
        }
    }

    /// The next event, with the number of its slot. Cancel safe.
    pub(super) async fn next(&mut self) -> Option<(usize, SlotEvent)> {
        self.events.recv().await
    }

    /// Updates a slot by its event. Returns the ticket of the job that the event is about,
    /// unless that job was aborted.
    pub(super) fn update(&mut self, slot: usize, event: &SlotEvent) -> Option<u64> {
        let state = &mut self.states[slot];
        match (*state, event) {
            (SlotState::Playing(ticket), _) => {
                *state = SlotState::Idle;
                Some(ticket)
            }
            (SlotState::Aborting, SlotEvent::Aborted) => {
                *state = SlotState::Idle;
                None
            }
            _ => None,
        }
    }

    /// Whether all slots are idle.
    pub(super) fn are_idle(&self) -> bool {
        self.states.iter().all(|state| *state == SlotState::Idle)
    }

    /// The number of an idle slot.
    pub(super) fn idle(&self) -> Option<usize> {
        self.states
            .iter()
            .position(|state| *state == SlotState::Idle)
    }

    /// Plays the job with a ticket in an idle slot.
    pub(super) fn play(&mut self, slot: usize, ticket: u64, job: PairJob) {
        self.states[slot] = SlotState::Playing(ticket);
        self.slots[slot].play(job);
    }

    /// Aborts the jobs for whose ticket `is_aborted` is true.
    pub(super) fn abort(&mut self, is_aborted: impl Fn(u64) -> bool) {
        for (slot, state) in self.slots.iter().zip(&mut self.states) {
            if let SlotState::Playing(ticket) = state
                && is_aborted(*ticket)
            {
                slot.abort();
                *state = SlotState::Aborting;
            }
        }
    }

    /// The games that are being played, each with the ticket of its job.
    pub(super) fn games(&self) -> impl Iterator<Item = (u64, LiveGame)> {
        let playing = self.slots.iter().zip(&self.states);
        playing.filter_map(|(slot, state)| match state {
            SlotState::Playing(ticket) => Some((*ticket, slot.game()?)),
            _ => None,
        })
    }

    /// Ends all slots and their engines.
    pub(super) async fn end(self) {
        // All end at the same time.
        let ending: Vec<_> = self.slots.into_iter().map(Slot::end).collect();
        for task in ending {
            let _ = timeout(QUIT, task).await;
        }
    }

    /// Puts a slot into the state of playing a job.
    #[cfg(test)]
    pub(super) fn set_playing(&mut self, slot: usize, ticket: u64) {
        self.states[slot] = SlotState::Playing(ticket);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::samples::played_pair;

    #[tokio::test]
    async fn events_of_an_aborted_job_are_ignored() {
        let played = || SlotEvent::Played(Box::new(played_pair(3)), Vec::new());
        let mut slots = Slots::start(2);
        assert!(slots.are_idle());
        slots.set_playing(0, 7);
        assert_eq!(slots.idle(), Some(1));
        slots.set_playing(1, 8);
        assert_eq!(slots.idle(), None);
        slots.abort(|ticket| ticket == 7);
        assert_eq!(slots.update(0, &played()), None);
        assert_eq!(slots.idle(), None, "its pair is still being aborted");
        assert_eq!(slots.update(1, &played()), Some(8));
        assert!(!slots.are_idle());
        assert_eq!(slots.update(0, &SlotEvent::Aborted), None);
        assert!(slots.are_idle());
    }
}
