//! The JSON of a match or a sequential test, on which scripts depend: every field of these types
//! is one of its keys, and only a change of the contract changes them.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::machines::FleetFacts;
use super::standings::Standing;
use super::verdict::{EndReason, TestVerdict};
use hone_experiment::settings::Shard;
use hone_run::config::EngineOptions;
use hone_run::pool::MissingPairs;
use hone_run::{Failures, Kind, PooledRun};
use hone_stats::detect::Finding;
use hone_stats::sprt::SprtEstimate;
use hone_stats::summary::Interval;
use hone_stats::{Estimate, Model, Summary};
use hone_uci::rules::Termination;

/// A run in JSON. Top-level results are those of the first engine against all others together;
/// with two engines, that is the match.
#[derive(Debug, Clone, Serialize)]
pub struct RunJson {
    pub run: String,
    pub kind: Kind,
    pub verdict: TestVerdict,
    /// The verdict that a finding holds back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld: Option<TestVerdict>,
    /// Whether it is complete: nothing is left to resume.
    #[serde(rename = "finished")]
    pub is_finished: bool,
    /// The reason why it ended without its own verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<EndReason>,
    /// The part of all pairs that the run plays.
    #[serde(skip_serializing_if = "Shard::is_whole")]
    pub shard: Shard,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool: Option<PoolFacts>,
    /// Of a run that was played on other machines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fleet: Option<FleetFacts>,
    pub engines: Vec<EngineFacts>,
    pub pairs: u64,
    pub games: u64,
    /// Pairs whose games both repeat earlier games. With a limit of nodes or depth
    /// they are left out of all other numbers.
    pub repeated_pairs: u64,
    /// Games that do not repeat an earlier game.
    pub distinct_games: u64,
    /// The most pairs that the run may play.
    #[serde(rename = "max_pairs")]
    pub budget: u64,
    /// Whether pairs were added to the plan, perhaps because of the results.
    #[serde(rename = "extended", skip_serializing_if = "std::ops::Not::not")]
    pub is_extended: bool,
    /// Wins, draws, losses.
    pub wdl: [u64; 3],
    /// LL, LD, DD+WL, WD, WW.
    pub pentanomial: [u64; 5],
    pub elo: Option<Estimate>,
    /// Where the interval of `elo` comes from.
    pub interval: Interval,
    /// `None` if there are too few pairs.
    pub nelo: Option<Estimate>,
    /// `None` if there are too few pairs.
    pub los: Option<f64>,
    pub draw_ratio: Option<f64>,
    pub pair_ratio: Option<f64>,
    /// Level pairs with a win and a loss, divided by those with two draws.
    pub wl_dd_ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtFacts>,
    /// Failures of each engine.
    #[serde(serialize_with = "as_lists")]
    pub failures: Vec<Failures>,
    pub seconds: f64,
    /// Elo with an interval that is valid at every look and at any stop. `None` with more
    /// than two engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub always_valid: Option<Estimate>,
    /// Signs of bad data; only the noteworthy ones.
    pub findings: Vec<Finding>,
    /// The rating list of a tournament of more than two.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ratings: Vec<Standing>,
    /// Why the rating list is missing although there are games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating_error: Option<String>,
    pub pairings: Vec<PairingFacts>,
    /// Games by how they ended.
    pub terminations: Vec<(Termination, u64)>,
    /// Games won by White, drawn, won by Black.
    pub by_colour: [u64; 3],
    pub mean_plies: Option<f64>,
    /// See [`limits`].
    pub limit: String,
    pub openings: String,
    /// Processors of each worker's engines; empty if they were not bound.
    pub placement: Vec<Vec<usize>>,
}

/// What a run was pooled from.
#[derive(Debug, Clone, Serialize)]
pub struct PoolFacts {
    pub runs: Vec<PooledRun>,
    /// The first pair that is not judged, from 1.
    pub next: u64,
    /// Pairs after it that are played and wait for it.
    pub waiting: u64,
    /// Before the verdict: the missing pairs, of a divided run by shard.
    pub missing: Vec<MissingPairs>,
}

/// One engine and how it played.
#[derive(Debug, Clone, Serialize)]
pub struct EngineFacts {
    pub name: String,
    pub id: String,
    pub options: EngineOptions,
    /// Limit of its searches.
    pub limit: String,
    pub sha256: String,
    /// The commit it was built from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The first line of that commit's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Whether it was built from changes on that commit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub uncommitted: bool,
    /// Nodes of its `bench` command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bench: Option<u64>,
    pub games: u64,
    /// Wins, draws, losses.
    pub as_white: [u64; 3],
    pub as_black: [u64; 3],
    /// Means over its moves; `None` before the first. `depth`, `seldepth`, `nodes` and
    /// `nps` are also `None` if it never reports them.
    pub depth: Option<f64>,
    pub seldepth: Option<f64>,
    pub nodes: Option<f64>,
    pub ms: Option<f64>,
    /// Nodes per second.
    pub nps: Option<f64>,
    /// Mean latency of `hone` itself, in microseconds per move.
    pub latency_us: Option<f64>,
    /// Time forfeits in which it was starved of CPU for longer than the overrun.
    pub starved: u64,
    /// Moves whose principal variation contained an illegal move.
    pub illegal_pvs: u64,
    /// Its failures that did not count, because the game or the pair was played again.
    #[serde(skip_serializing_if = "is_zero")]
    pub replayed: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// One pairing, from the first engine's side.
#[derive(Debug, Clone, Serialize)]
pub struct PairingFacts {
    pub first: String,
    pub second: String,
    pub wdl: [u64; 3],
    pub pentanomial: [u64; 5],
    #[serde(flatten)]
    pub summary: Summary,
}

/// The sequential test.
#[derive(Debug, Clone, Serialize)]
pub struct SprtFacts {
    pub model: Model,
    pub elo0: f64,
    pub elo1: f64,
    pub alpha: f64,
    pub beta: f64,
    pub llr: f64,
    pub lower: f64,
    pub upper: f64,
    /// Median-unbiased estimate: the stopping rule biases the plain one. `None` with too
    /// few pairs.
    pub elo: Option<SprtEstimate>,
}

/// For each kind of failure, the list of its counts by engine.
fn as_lists<S: Serializer>(failures: &[Failures], serializer: S) -> Result<S::Ok, S::Error> {
    let list = |count: fn(&Failures) -> u64| failures.iter().map(count).collect::<Vec<u64>>();
    let mut lists = serializer.serialize_struct("Failures", 4)?;
    lists.serialize_field("time_forfeit", &list(|f| f.time_forfeit))?;
    lists.serialize_field("crash", &list(|f| f.crash))?;
    lists.serialize_field("stall", &list(|f| f.stall))?;
    lists.serialize_field("illegal_move", &list(|f| f.illegal_move))?;
    lists.end()
}
