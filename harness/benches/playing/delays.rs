//! The times between one engine's answer and the other's being asked.

use std::collections::HashMap;
use std::time::Duration;

use super::engine::{Event, Moment, Record};

/// Times of one kind, sorted.
#[derive(Debug, Default)]
pub(crate) struct Delays(Vec<u64>);

impl Delays {
    /// The `share` of them that is not longer.
    pub(crate) fn quantile(&self, share: f64) -> Duration {
        let last = self.0.len().saturating_sub(1);
        let at = (last as f64 * share).round() as usize;
        Duration::from_nanos(self.0.get(at).copied().unwrap_or(0))
    }
}

/// From an engine's `bestmove` to the `go` that follows it in the same game.
pub(crate) fn between_moves(records: &[Record]) -> Delays {
    let answered: HashMap<u64, u64> = moments(records)
        .filter(|moment| moment.event == Event::Answering)
        .map(|moment| (moment.position, moment.at))
        .collect();
    let delays = moments(records)
        .filter(|moment| moment.event == Event::Asked)
        .filter_map(|moment| moment.at.checked_sub(*answered.get(&moment.position)?));
    sorted(delays.collect())
}

/// From the last `bestmove` of a game to the first `go` of the next, where one
/// game at a time is played.
pub(crate) fn between_games(records: &[Record]) -> Delays {
    let mut all: Vec<Moment> = moments(records).copied().collect();
    all.sort_unstable_by_key(|moment| moment.at);
    let delays = all
        .windows(2)
        .filter(|two| two[0].event == Event::Answering && two[1].event == Event::Asked)
        .filter(|two| two[0].position != two[1].position)
        .map(|two| two[1].at - two[0].at);
    sorted(delays.collect())
}

fn moments(records: &[Record]) -> impl Iterator<Item = &Moment> {
    records.iter().flat_map(|record| &record.moments)
}

fn sorted(mut delays: Vec<u64>) -> Delays {
    delays.sort_unstable();
    Delays(delays)
}
