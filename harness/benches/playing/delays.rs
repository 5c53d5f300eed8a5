//! The times between the answer of one engine and the `go` to the other.

use std::collections::HashMap;
use std::time::Duration;

use super::engine::{Event, EventKind, Record};

/// Times in nanoseconds, sorted.
#[derive(Debug, Default)]
pub(crate) struct Delays(Vec<u64>);

impl Delays {
    /// The quantile at `share`, from 0 to 1; 0 without times.
    pub(crate) fn quantile(&self, share: f64) -> Duration {
        let last = self.0.len().saturating_sub(1);
        let at = (last as f64 * share).round() as usize;
        Duration::from_nanos(self.0.get(at).copied().unwrap_or(0))
    }
}

/// Times from a `bestmove` to the next `go` of the same game.
pub(crate) fn between_moves(records: &[Record]) -> Delays {
    let answers: HashMap<u64, u64> = events(records)
        .filter(|event| event.kind == EventKind::BestMove)
        .map(|event| (event.position, event.ns))
        .collect();
    let delays = events(records)
        .filter(|event| event.kind == EventKind::Go)
        .filter_map(|event| event.ns.checked_sub(*answers.get(&event.position)?));
    sorted(delays.collect())
}

/// Times from the last `bestmove` of a game to the first `go` of the next, if one game at a
/// time is played.
pub(crate) fn between_games(records: &[Record]) -> Delays {
    let mut all: Vec<Event> = events(records).copied().collect();
    all.sort_unstable_by_key(|event| event.ns);
    let delays = all
        .windows(2)
        .filter(|two| two[0].kind == EventKind::BestMove && two[1].kind == EventKind::Go)
        .filter(|two| two[0].position != two[1].position)
        .map(|two| two[1].ns - two[0].ns);
    sorted(delays.collect())
}

fn events(records: &[Record]) -> impl Iterator<Item = &Event> {
    records.iter().flat_map(|record| &record.events)
}

fn sorted(mut delays: Vec<u64>) -> Delays {
    delays.sort_unstable();
    Delays(delays)
}
