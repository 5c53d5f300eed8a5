//! What a run does about engines that fail: too many failures stop it, and games that
//! were played again are reported.

use std::collections::BTreeMap;

use super::tally::{Failures, Tally};
use crate::config::MatchConfig;
use crate::executor::PlayedPair;
use hone_base::diagnostic::{Diagnostic, Setting};
use hone_experiment::settings::{OnFailure, OnMachineFault};
use hone_uci::rules::Detail;

/// An engine that fails in too large a share of its games.
#[derive(Debug, thiserror::Error)]
#[error("{name} failed in {failures} of its {games} games: {by_kind}")]
pub struct TooManyFailures {
    pub(crate) name: String,
    failures: u64,
    games: u64,
    by_kind: String,
    #[source]
    pub(crate) remedy: Diagnostic,
}

impl TooManyFailures {
    /// Adds a line of help.
    pub(crate) fn advise(&mut self, help: String) {
        self.remedy = std::mem::take(&mut self.remedy).help(help);
    }
}

const MARGIN: Setting = Setting {
    key: "match.margin_ms",
    words: "`margin_ms` in [match]",
};

#[derive(Debug)]
pub(super) struct FailureLimit {
    /// The largest share of its games that an engine may lose by failing, 0 to 1.
    max_share: f64,
    /// Whether games that were played again after a failure count too.
    counts_replays: bool,
    /// Whether pairs with a time forfeit that the machine caused are kept.
    keeps_machine_faults: bool,
    margin_ms: u64,
    /// The help line of [`TooManyFailures`].
    pub(super) remedy: &'static str,
    /// By engine: the largest overrun, in milliseconds, that lost it a game in this process.
    overruns_ms: BTreeMap<usize, u64>,
}

impl FailureLimit {
    pub(super) fn new(play: &MatchConfig) -> Self {
        Self {
            max_share: play.max_failures,
            counts_replays: play.on_failure == OnFailure::Replay,
            keeps_machine_faults: play.on_machine_fault == OnMachineFault::Keep,
            margin_ms: play.margin_ms,
            remedy: "fix the engine",
            overruns_ms: BTreeMap::new(),
        }
    }

    /// Records the time overruns in a pair.
    pub(super) fn note(&mut self, played: &PlayedPair) {
        let games = played.result.games.iter().zip(&played.texts);
        for (number, (game, text)) in games.enumerate() {
            if let Some(loser) = game.outcome.loser()
                && let Detail::Overrun(ms) = text.detail
            {
                let engine = played.result.players(number)[loser];
                let largest = self.overruns_ms.entry(engine).or_default();
                *largest = ms.max(*largest);
            }
        }
    }

    /// # Errors
    /// [`TooManyFailures`] of the first engine that exceeds the limit and is needed.
    pub(super) fn check(
        &self,
        tally: &Tally,
        names: &[String],
        can_do_without: impl Fn(usize) -> bool,
    ) -> Result<(), TooManyFailures> {
        let mut failing = tally.failing_engines(self.max_share, self.counts_replays);
        let Some(engine) = failing.find(|engine| !can_do_without(*engine)) else {
            return Ok(());
        };
        let [failures, games] = tally.engines[engine].failed(self.counts_replays);
        let starved = tally.engines[engine].starved;
        let mut by_kind = tally.engines[engine].failures;
        by_kind.time_forfeit = by_kind.time_forfeit.saturating_sub(starved);
        let replayed = if self.counts_replays {
            tally.engines[engine].replayed
        } else {
            0
        };
        Err(TooManyFailures {
            name: names[engine].clone(),
            failures,
            games,
            by_kind: in_words(&by_kind, replayed),
            remedy: [self.margin_hint(engine, &by_kind), machine_hint(starved)]
                .into_iter()
                .flatten()
                .fold(Diagnostic::default().help(self.remedy), Diagnostic::help),
        })
    }

    /// A further line for an engine that mostly loses on time.
    fn margin_hint(&self, engine: usize, failures: &Failures) -> Option<String> {
        if 2 * failures.time_forfeit <= failures.total() {
            return None;
        }
        let now = self.margin_ms;
        Some(match self.overruns_ms.get(&engine) {
            Some(ms) => format!(
                "its moves were up to {ms} ms late: {MARGIN}, now {now}, allows that from {} on",
                ms.saturating_add(1)
            ),
            None => {
                format!("{MARGIN}, now {now}, allows moves that are a little late")
            }
        })
    }

    /// The warnings at the end of a run: failures that do not count, and losses that the
    /// machine caused.
    pub(super) fn warnings(&self, tally: &Tally, names: &[String]) -> Vec<String> {
        let warnings = [
            self.replay_warning(tally, names),
            self.machine_warning(tally, names),
        ];
        warnings.into_iter().flatten().collect()
    }

    /// The warning of games that were lost on time because the machine was busy.
    fn machine_warning(&self, tally: &Tally, names: &[String]) -> Option<String> {
        let engines = tally.engines.iter().zip(names);
        let starved: Vec<String> = engines
            .filter(|(engine, _)| self.keeps_machine_faults && engine.starved > 0)
            .map(|(engine, name)| format!("`{name}` {}", engine.starved))
            .collect();
        (!starved.is_empty()).then(|| {
            format!(
                "warning: games were lost on time while the engine was starved of CPU for longer than its overrun: {}\nhelp: `on_machine_fault = \"replay\"` in [match] plays such pairs again; `--concurrency` with fewer pairs at a time avoids them",
                starved.join(", ")
            )
        })
    }

    /// The warning of failures that do not count.
    fn replay_warning(&self, tally: &Tally, names: &[String]) -> Option<String> {
        let engines = tally.engines.iter().zip(names);
        let replayed: Vec<String> = engines
            .filter(|(engine, _)| self.counts_replays && engine.replayed > 0)
            .map(|(engine, name)| format!("`{name}` {}", engine.replayed))
            .collect();
        (!replayed.is_empty()).then(|| {
            format!(
                "warning: failures do not count, because their games were played again: {}\nhelp: an engine that fails in bad positions gains from that; `on_failure = \"count\"` in [match] counts its failures as losses",
                replayed.join(", ")
            )
        })
    }
}

fn in_words(failures: &Failures, replayed: u64) -> String {
    match replayed {
        0 => failures.to_string(),
        replayed => format!("{failures}, in games that were played again {replayed}"),
    }
}

/// A further line for an engine that also lost on time because the machine was busy.
fn machine_hint(starved: u64) -> Option<String> {
    (starved > 0).then(|| {
        format!(
            "{starved} more time forfeits are not counted, because the machine starved the engine of CPU: in a new run, `on_machine_fault = \"replay\"` in [match] plays such pairs again, and `--concurrency` with fewer pairs at a time avoids them"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::tally::EngineTally;
    use hone_base::diagnostic::shown;

    /// Two engines; the first has these failures in 20 games that count.
    fn tally(failures: Failures, replayed: u64) -> Tally {
        let mut tally = Tally::new(2);
        tally.engines[0] = EngineTally {
            games: 20,
            failures,
            replayed,
            ..EngineTally::default()
        };
        tally
    }

    fn limit(on_failure: OnFailure) -> FailureLimit {
        FailureLimit::new(&MatchConfig {
            on_failure,
            ..MatchConfig::default()
        })
    }

    fn error(limit: &FailureLimit, tally: &Tally) -> Option<String> {
        let names = ["a".to_string(), "b".to_string()];
        let checked = limit.check(tally, &names, |_| false);
        checked.err().map(|error| shown(&error))
    }

    #[test]
    fn failures_in_games_that_are_played_again_stop_a_run_and_are_reported() {
        let names = ["a".to_string(), "b".to_string()];
        let crashes = Failures {
            crash: 1,
            ..Failures::default()
        };
        let tally = tally(crashes, 10);
        let limit = limit(OnFailure::Replay);
        let text = error(&limit, &tally).expect("too many");
        assert!(
            text.starts_with("a failed in 11 of its 30 games: "),
            "{text}"
        );
        assert!(
            text.contains("in games that were played again 10"),
            "{text}"
        );
        assert!(!text.contains("margin_ms"), "{text}");
        let [warning] = &limit.warnings(&tally, &names)[..] else {
            panic!("one warning");
        };
        assert!(warning.contains("`a` 10"), "{warning}");
        // Games that `on_machine_fault` replays are not failures of the engine.
        let limit = super::tests::limit(OnFailure::Count);
        assert_eq!(error(&limit, &tally), None);
        assert_eq!(limit.warnings(&tally, &names), [""; 0]);
    }

    #[test]
    fn time_forfeits_that_the_machine_caused_do_not_stop_a_run_and_are_reported() {
        let names = ["a".to_string(), "b".to_string()];
        let forfeits = Failures {
            time_forfeit: 19,
            ..Failures::default()
        };
        let mut tally = tally(forfeits, 0);
        let keeping = limit(OnFailure::Count);
        tally.engines[0].starved = 10;
        assert_eq!(error(&keeping, &tally), None);
        let warnings = keeping.warnings(&tally, &names);
        assert!(warnings[0].contains("overrun: `a` 10\nhelp: `on_machine_fault = "));
        assert_eq!(warnings.len(), 1);
        tally.engines[0].starved = 9;
        let text = error(&keeping, &tally).expect("ten are its own");
        assert!(
            text.starts_with("a failed in 10 of its 20 games: time forfeits 10, "),
            "{text}"
        );
        assert!(
            text.contains("help: 9 more time forfeits are not counted"),
            "{text}"
        );
        let replaying = FailureLimit::new(&MatchConfig {
            on_machine_fault: OnMachineFault::Replay,
            ..MatchConfig::default()
        });
        assert_eq!(replaying.warnings(&tally, &names), [""; 0]);
    }

    #[test]
    fn an_engine_that_loses_on_time_gets_the_hint_of_a_margin() {
        let forfeits = Failures {
            time_forfeit: 10,
            ..Failures::default()
        };
        let tally = tally(forfeits, 0);
        let mut limit = limit(OnFailure::Count);
        let text = error(&limit, &tally).expect("too many");
        assert!(
            text.contains("help: `margin_ms` in [match], now 0"),
            "{text}"
        );
        limit.overruns_ms.insert(0, 4);
        let text = error(&limit, &tally).expect("too many");
        assert!(text.contains("up to 4 ms late"), "{text}");
        assert!(text.contains("from 5 on"), "{text}");
    }
}
