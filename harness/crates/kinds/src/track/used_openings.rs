//! The openings that earlier nights have used.

use serde::{Deserialize, Serialize};

use super::night::Night;
use hone_run::config::MatchConfig;

/// The openings of earlier nights, also of those that were given up. The next night has others:
/// otherwise builds that play alike would repeat their games, which would count as new ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct UsedOpenings {
    /// Number of nights. In random order, each has a seed of its own.
    pub(super) nights: u64,
    /// Number of openings in sequential order.
    pub(super) openings: u64,
}

/// Maximum integer of TOML.
const MAX: u64 = i64::MAX as u64;

impl UsedOpenings {
    /// With the openings of the rows and of the runs: a table of an earlier version has no
    /// counter. `first` has the seed and the start of the configuration.
    pub(super) fn including(
        mut self,
        nights: &[Night],
        runs: &[MatchConfig],
        first: &MatchConfig,
    ) -> Self {
        let openings = nights.iter().map(pairs).fold(0, u64::saturating_add);
        self.nights = self.nights.max(nights.len() as u64);
        self.openings = self.openings.max(openings);
        for run in runs {
            let end = (run.openings.start as u64).saturating_add(run.pairs);
            let used = end.saturating_sub(first.openings.start as u64);
            self.openings = self.openings.max(used);
        }
        let has_next_seed = |nights: u64| {
            let seed = first.seed_after(nights);
            runs.iter().any(|run| run.seed == seed)
        };
        while has_next_seed(self.nights) {
            self.nights = self.nights.saturating_add(1);
        }
        self
    }

    /// With those of another night of `pairs` pairs against each opponent.
    pub(super) fn after(self, pairs: u64) -> Self {
        Self {
            nights: self.nights.saturating_add(1).min(MAX),
            openings: self.openings.saturating_add(pairs).min(MAX),
        }
    }
}

/// The openings of a night: its matches have the same ones.
fn pairs(night: &Night) -> u64 {
    let pairs = night
        .matches
        .iter()
        .map(|played| played.pentanomial.pairs());
    pairs.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::night::tests::night;
    use super::*;
    use crate::track::Role;

    #[test]
    fn a_table_without_a_counter_has_the_openings_of_its_rows() {
        let first = MatchConfig::default();
        let of = |pairs| [(Role::Anchor, "a", [0, 0, pairs, 0, 0])];
        let mut nights = [12, 12, 6].map(|pairs| night(1, "b", &of(pairs)));
        let mut two = of(6).to_vec();
        two.push((Role::Previous, "c", [1, 1, 3, 1, 0]));
        nights[2] = night(1, "b", &two);
        let used = UsedOpenings::default().including(&nights, &[], &first);
        let expected = UsedOpenings {
            nights: 3,
            openings: 30,
        };
        assert_eq!(used, expected);
        // A row was removed afterwards.
        let next = used.after(6).including(&nights[..2], &[], &first);
        assert_eq!((next.nights, next.openings), (4, 36));
        // The run of a night that cannot be finished has used more.
        let mut stuck = first.clone();
        (stuck.seed, stuck.pairs) = (first.seed + 3, 12);
        stuck.openings.start += 30;
        let used = UsedOpenings::default().including(&nights, &[stuck], &first);
        assert_eq!((used.nights, used.openings), (4, 42));
        let most = UsedOpenings {
            nights: MAX,
            openings: MAX,
        };
        assert_eq!(most.after(6), most);
    }
}
