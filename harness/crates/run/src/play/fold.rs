//! Absorbs results in pair order; playing, resuming, reporting and verifying share it.

use std::path::Path;

use super::repeats::{RepeatRule, Repeats};
use super::tally::Tally;
use crate::files::manifest::{EarlierRun, Manifest};
use crate::ledger::{LedgerError, PairOrder, Pairs};
use hone_experiment::{Experiment, PairResult, Verdict};

/// An experiment and the totals of the pairs it has absorbed. Results may come
/// in any order; they are absorbed strictly by number, and none after the
/// verdict.
#[derive(Debug)]
pub struct Fold<E> {
    pub experiment: E,
    pub tally: Tally,
    order: PairOrder<PairResult>,
    repeats: Repeats,
}

impl<E: Experiment> Fold<E> {
    /// Nothing absorbed yet; `engines` is their number.
    pub fn new(experiment: E, engines: usize, rule: RepeatRule) -> Self {
        Self {
            order: PairOrder::new(experiment.shard()),
            experiment,
            tally: Tally::new(engines),
            repeats: Repeats::new(rule),
        }
    }

    /// Before the first pair of the run in `dir`: the games of the runs before it are known.
    ///
    /// # Errors
    /// If the ledger of one of those cannot be read.
    pub fn begin(experiment: E, manifest: &Manifest, dir: &Path) -> Result<Self, LedgerError> {
        let mut fold = Self::new(experiment, manifest.engines.len(), manifest.repeats);
        for run in &manifest.earlier {
            fold.know(run, dir)
                .map_err(|error| LedgerError::earlier(&dir.join(&run.folder), error))?;
        }
        Ok(fold)
    }

    /// Adds the games of a run before the one in `dir`.
    fn know(&mut self, run: &EarlierRun, dir: &Path) -> anyhow::Result<()> {
        let dir = dir.join(&run.folder);
        let manifest = Manifest::read(&dir)?;
        for entry in Pairs::open(&dir, &manifest.names())?.by_arrival()? {
            let result = entry?.result;
            if result.pair < run.pairs {
                self.repeats.know(&result);
                // The values of a tuning were chosen by its games, whichever side played them.
                if manifest.kind.has_tuned_values() {
                    let [first, second] = result.engines;
                    self.repeats.know(&PairResult {
                        engines: [second, first],
                        ..result
                    });
                }
            }
        }
        Ok(())
    }

    /// The state after all pairs of the ledger of the run in `dir`.
    ///
    /// # Errors
    /// If a ledger cannot be read.
    pub fn of(
        experiment: E,
        manifest: &Manifest,
        dir: &Path,
        pairs: &Pairs,
    ) -> Result<Self, LedgerError> {
        let mut fold = Self::begin(experiment, manifest, dir)?;
        for entry in pairs.by_arrival()? {
            fold.push(entry?.result);
        }
        Ok(fold)
    }

    /// Adds a result, and absorbs all that are next in order.
    pub fn push(&mut self, result: PairResult) {
        self.add(result);
        while self.absorb_next() {}
    }

    /// Adds a result without absorbing it.
    pub(super) fn add(&mut self, result: PairResult) {
        self.order.add(result.pair, result);
    }

    /// Absorbs the next pair in order. Returns false if its result is unknown, or after the
    /// verdict.
    pub(super) fn absorb_next(&mut self) -> bool {
        if self.verdict().is_some() {
            return false;
        }
        let Some(result) = self.order.pop() else {
            return false;
        };
        let judged = self.repeats.take(&result);
        self.tally.distinct_games += judged.new_games;
        self.tally.repeated_pairs += u64::from(judged.new_games == 0);
        if judged.is_dropped {
            self.experiment.pass_over(&result);
            self.tally.pass_over(&result);
        } else {
            self.experiment.absorb(&result);
            self.tally.absorb(&result);
        }
        true
    }

    /// The verdict, once there is one: the experiment's, or that the games
    /// repeat.
    pub fn verdict(&self) -> Option<Verdict> {
        let pairings = self.tally.pairings.len();
        let repeated = || {
            // The other shards may have new games.
            let is_repeated =
                self.experiment.shard().is_whole() && self.repeats.is_exhausted(pairings);
            is_repeated.then_some(Verdict::Repeated)
        };
        self.experiment.verdict().or_else(repeated)
    }

    /// Whether an absorbed pair is evidence, and not left out as a repeat.
    pub fn counts(&self, pair: u64) -> bool {
        let shard = self.experiment.shard();
        pair < self.absorbed() && shard.contains(pair) && !self.repeats.is_dropped(pair)
    }

    /// The number of the first pair that is not absorbed. All smaller numbers of the run are
    /// absorbed; without shards it is also the count of absorbed pairs.
    pub fn absorbed(&self) -> u64 {
        self.order.next()
    }

    /// Whether a pair need not be played: its result is known, or it belongs to
    /// another shard.
    pub fn holds(&self, pair: u64) -> bool {
        self.order.holds(pair)
    }

    /// The pairs of an undivided run whose results are known, ascending.
    pub fn known(&self) -> impl Iterator<Item = u64> {
        (0..self.absorbed()).chain(self.order.early())
    }

    /// Number of results that wait for one of a smaller number.
    pub fn waiting(&self) -> u64 {
        self.order.waiting() as u64
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::executor::{GameText, PlayedPair};
    use crate::ledger::{Ledger, LedgerOptions, Lock, MANIFEST, Recovery};
    use hone_experiment::TournamentExperiment;

    fn manifest(kind: &str, more: &str) -> String {
        let engine = |name: &str| {
            format!(
                "[[engines]]\nname = \"{name}\"\nid = \"\"\nauthor = \"\"\nprogram = \"x\"\n\
                 sha256 = \"\"\n[[config.engine]]\nname = \"{name}\"\ncmd = \"x\"\n"
            )
        };
        format!(
            "hone = \"1\"\nkind = \"{kind}\"\ncreated = \"2026-01-01T00:00:00Z\"\nbase = \"/\"\n\
             concurrency = 1\nrepeats = \"drop\"\n{more}{}{}[config.match]\n",
            engine("one"),
            engine("two")
        )
    }

    fn pair(pair: u64, digests: [u64; 2]) -> PairResult {
        PairResult {
            pair,
            engines: [0, 1],
            games: digests.map(crate::samples::drawn_game),
        }
    }

    /// A run of these pairs.
    fn write(dir: &Path, kind: &str, pairs: &[PairResult]) {
        let lock = Lock::begin(dir).expect("free");
        fs::write(dir.join(MANIFEST), manifest(kind, "")).expect("written");
        let options = LedgerOptions {
            names: &["one", "two"].map(String::from),
            epd: false,
            conditions: 0,
            recovery: Recovery::LastPair,
        };
        let (mut ledger, _) = Ledger::open(dir, lock, options).expect("empty");
        for result in pairs {
            let played = PlayedPair {
                result: result.clone(),
                opening_number: 1,
                texts: [0, 1].map(|_| GameText {
                    pgn: "[Event \"?\"]\n\n1/2-1/2\n\n".to_string(),
                    ..GameText::default()
                }),
                worker: 0,
                finished_ms: 0,
            };
            ledger.append(&played).expect("written");
        }
        ledger.sync().expect("synced");
    }

    /// A run after another of `kind`, whose two judged pairs have the games 1 to 4.
    fn after(kind: &str, dir: &Path) -> Fold<TournamentExperiment> {
        let pairs = [pair(0, [1, 2]), pair(1, [3, 4]), pair(2, [5, 6])];
        write(dir, kind, &pairs);
        let earlier = "earlier = [{ folder = \"..\", pairs = 2 }]\n";
        let later: Manifest = toml::from_str(&manifest("sprt", earlier)).expect("a manifest");
        let experiment = TournamentExperiment::round_robin(2, 100);
        let stage = dir.join("stage-2");
        fs::create_dir(&stage).expect("made");
        Fold::begin(experiment, &later, &stage).expect("read")
    }

    #[test]
    fn games_of_an_earlier_stage_are_not_new() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut fold = after("sprt", dir.path());
        fold.push(pair(0, [3, 4]));
        assert_eq!((fold.tally.pairs, fold.tally.dropped_pairs), (0, 1));
        // Pairs after the verdict are those that happened to be in flight.
        fold.push(pair(1, [5, 6]));
        // The other engine has White.
        fold.push(pair(2, [2, 1]));
        assert_eq!((fold.tally.pairs, fold.tally.dropped_pairs), (2, 1));
    }

    #[test]
    fn games_of_a_tuning_are_not_new_whichever_side_played_them() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut fold = after("tune", dir.path());
        fold.push(pair(0, [3, 4]));
        fold.push(pair(1, [2, 1]));
        assert_eq!((fold.tally.pairs, fold.tally.dropped_pairs), (0, 2));
        fold.push(pair(2, [7, 8]));
        assert_eq!(fold.tally.pairs, 1);
    }

    #[test]
    fn a_run_without_the_one_before_it_is_an_error() {
        let dir = tempfile::tempdir().expect("a folder");
        let earlier = "earlier = [{ folder = \"..\", pairs = 2 }]\n";
        let later: Manifest = toml::from_str(&manifest("sprt", earlier)).expect("a manifest");
        let stage = dir.path().join("stage-2");
        fs::create_dir(&stage).expect("made");
        let experiment = TournamentExperiment::round_robin(2, 100);
        let error = Fold::begin(experiment, &later, &stage).expect_err("missing");
        assert!(matches!(error, LedgerError::Earlier(_)), "{error}");
    }
}
