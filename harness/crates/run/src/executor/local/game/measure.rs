//! The processor time of both engines during a move.

use std::time::Duration;

use shakmaty::Color;

use super::Game;
use super::turn::PendingSearch;
use hone_base::platform::ProcessorClocks;

/// The processor time of both players so far; `None` if one cannot be read.
pub(super) fn read(processors: &[ProcessorClocks; 2]) -> Option<[Duration; 2]> {
    let [first, second] = processors;
    Some([first.read()?, second.read()?])
}

impl Game<'_> {
    /// Adds the processor time that both engines have used in a move of `color` that took
    /// `used`.
    pub(super) fn measure(&mut self, color: Color, search: &PendingSearch, used: Duration) {
        let Some(spent) = self.spent_since(search) else {
            return;
        };
        let [own, other] = [color, !color].map(|color| spent[self.player(color)]);
        let mover = &mut self.effort[color];
        mover.measured_us = mover.measured_us.saturating_add(micros(used));
        mover.cpu_us = mover.cpu_us.saturating_add(micros(own));
        let waiting = &mut self.effort[!color];
        waiting.idle_cpu_us = waiting.idle_cpu_us.saturating_add(micros(other));
    }

    /// How much less processor time than its `Threads` could use an engine got since its
    /// search began: what the machine denied it, not what its own further threads took.
    pub(super) fn denied(&self, color: Color, search: &PendingSearch) -> Option<Duration> {
        let player = self.player(color);
        let got = self.spent_since(search)?[player];
        let options = &self.job.players[player].options;
        let threads = options
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("threads"));
        let threads = threads
            .and_then(|(_, value)| value.parse().ok())
            .unwrap_or(1);
        Some(
            search
                .at
                .elapsed()
                .saturating_mul(threads)
                .saturating_sub(got),
        )
    }

    fn spent_since(&self, search: &PendingSearch) -> Option<[Duration; 2]> {
        let before = search.processor?;
        let now = read(&self.processors)?;
        Some([0, 1].map(|player| now[player].saturating_sub(before[player])))
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
