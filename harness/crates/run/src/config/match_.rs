//! `[match]`: how the engines play.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use hone_base::platform::physical_cores;
use hone_experiment::settings::{
    OnFailure, OnFinding, OnMachineFault, OpeningsConfig, Shard, TimeSpan, positive,
};
use hone_stats::confidence::StopRule;
use hone_uci::openings::{Order, Variant};
use hone_uci::rules::Limit;

/// The pairings of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tournament {
    /// Each engine against each other one.
    #[default]
    RoundRobin,
    /// The first engine against each of the others; with `seeds`, several.
    Gauntlet,
}

/// How the engines play.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MatchConfig {
    pub limit: Limit,
    pub openings: OpeningsConfig,
    pub variant: Variant,
    pub tournament: Tournament,
    /// Number of engines of a gauntlet that play all others.
    #[serde(deserialize_with = "positive")]
    pub seeds: usize,
    /// Pairs of each pairing of `hone match`.
    #[serde(deserialize_with = "positive")]
    pub pairs: u64,
    /// Ends a match of two engines early: `{ width = 5.0 }` once the always-valid interval of
    /// the Elo is this narrow, `"zero_outside"` once it excludes zero.
    #[serde(deserialize_with = "stop_rule", skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopRule>,
    /// Ends a run after this time, which includes builds (except the first one of a tuning), even
    /// without a decision. A resumed run gets the same time again, or another limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_time: Option<TimeSpan>,
    /// Pairs played at the same time; by default one for each physical core.
    #[serde(deserialize_with = "concurrency", skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<usize>,
    pub seed: u64,
    /// The shard of the pairs that is played here.
    #[serde(skip_serializing_if = "Shard::is_whole")]
    pub shard: Shard,
    /// Whether engines and builds run without network, with a read-only file system and
    /// without access to other processes.
    pub sandbox: bool,
    /// Whether the engines of each game are pinned to separate processors.
    pub affinity: bool,
    /// Milliseconds by which an engine may overrun its clock.
    pub margin_ms: u64,
    /// Milliseconds without `readyok`, or without `bestmove` at a limit without a clock, after
    /// which an engine counts as stalled.
    #[serde(deserialize_with = "positive")]
    pub stall_ms: u64,
    /// Milliseconds from an engine's start to its `uciok`.
    #[serde(deserialize_with = "positive")]
    pub startup_ms: u64,
    pub on_failure: OnFailure,
    pub on_machine_fault: OnMachineFault,
    pub on_finding: OnFinding,
    /// The run stops when more than this share of an engine's games (and at
    /// least ten) are lost by failures.
    #[serde(deserialize_with = "share")]
    pub max_failures: f64,
}

/// Maximum integer of TOML.
const LAST: u64 = i64::MAX as u64;

impl MatchConfig {
    /// Whether the run continues regardless of the number of failures.
    pub(crate) fn continues_after_failures(&self) -> bool {
        self.max_failures >= 1.0 && self.on_failure != OnFailure::Stop
    }

    /// Avoids the openings of `runs` earlier runs with this configuration, which have used at
    /// most `openings` in sequential order. Changes the seed; in sequential order also starts
    /// after their openings.
    pub fn use_openings_after(&mut self, runs: u64, openings: u64) {
        self.seed = self.seed_after(runs);
        self.skip_openings(openings);
    }

    /// The seed after `runs` earlier runs with this configuration.
    pub fn seed_after(&self, runs: u64) -> u64 {
        self.seed.wrapping_add(runs) & LAST
    }

    /// In sequential order, starts `used` openings later. A random order depends only on the
    /// seed.
    pub fn skip_openings(&mut self, used: u64) {
        if self.openings.order == Order::Sequential {
            self.continue_openings(used);
        }
    }

    /// Starts `used` openings later in the order of the seed: after those of an earlier run with
    /// the same book, order and seed.
    pub fn continue_openings(&mut self, used: u64) {
        let last = usize::try_from(LAST).unwrap_or(usize::MAX);
        let used = usize::try_from(used).unwrap_or(last);
        // Beyond the end of the book, it starts again at the first opening.
        self.openings.start = self.openings.start.saturating_add(used).min(last);
    }
}

impl Default for MatchConfig {
    #[cfg_attr(not(test), expect(clippy::expect_used, reason = "a constant"))]
    fn default() -> Self {
        Self {
            limit: "8+0.08".parse().expect("a limit"),
            openings: OpeningsConfig::default(),
            variant: Variant::Standard,
            tournament: Tournament::RoundRobin,
            seeds: 1,
            pairs: 1000,
            stop: None,
            max_time: None,
            concurrency: None,
            seed: 1,
            shard: Shard::WHOLE,
            sandbox: false,
            affinity: false,
            margin_ms: 0,
            stall_ms: 10_000,
            startup_ms: 10_000,
            on_failure: OnFailure::Count,
            on_machine_fault: OnMachineFault::Keep,
            on_finding: OnFinding::Report,
            max_failures: 0.1,
        }
    }
}

/// Maximum number of pairs at a time; each needs a thread and two processes.
pub const MAX_CONCURRENCY: usize = 1024;

/// The number of pairs at a time without `match.concurrency`: one for each physical core, at
/// most [`MAX_CONCURRENCY`].
pub fn default_concurrency() -> usize {
    physical_cores().min(MAX_CONCURRENCY)
}

/// Refuses more pairs at a time than [`MAX_CONCURRENCY`].
pub fn check_concurrency(pairs: usize) -> Result<(), String> {
    if (1..=MAX_CONCURRENCY).contains(&pairs) {
        Ok(())
    } else {
        Err(format!(
            "{pairs} is out of range: 1 to {MAX_CONCURRENCY} pairs at a time are allowed"
        ))
    }
}

fn concurrency<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    let pairs: usize = positive(deserializer)?;
    check_concurrency(pairs).map_err(D::Error::custom)?;
    Ok(Some(pairs))
}

fn stop_rule<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<StopRule>, D::Error> {
    let rule = StopRule::deserialize(deserializer)?;
    match rule {
        StopRule::Width(width) if !(width > 0.0 && width.is_finite()) => Err(D::Error::custom(
            format!("{width} is out of range: a width in Elo above 0 is allowed"),
        )),
        rule => Ok(Some(rule)),
    }
}

fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let share = f64::deserialize(deserializer)?;
    if !(0.0..=1.0).contains(&share) {
        return Err(D::Error::custom(format!(
            "{share} is out of range: a share from 0.0 to 1.0 is allowed"
        )));
    }
    Ok(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_other_openings_than_those_before() {
        let after = |order: Order, runs: u64, openings: u64| {
            let mut config = MatchConfig {
                seed: 7,
                ..MatchConfig::default()
            };
            config.openings.order = order;
            config.openings.start = 3;
            config.use_openings_after(runs, openings);
            (config.seed, config.openings.start)
        };
        assert_eq!(after(Order::Random, 0, 100), (7, 3));
        assert_eq!(after(Order::Random, 5, 100), (12, 3));
        assert_eq!(after(Order::Sequential, 0, 0), (7, 3));
        assert_eq!(after(Order::Sequential, 5, 500), (12, 503));
        // The maximum of TOML.
        let (seed, start) = after(Order::Sequential, u64::MAX, u64::MAX);
        assert!(i64::try_from(seed).is_ok() && i64::try_from(start).is_ok());
    }
}
