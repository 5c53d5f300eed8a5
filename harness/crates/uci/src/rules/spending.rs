//! Checks from an engine's reports whether it keeps to its limit.

use std::time::Duration;

use super::clock::millis;
use super::limit::Limit;
use super::search_info::SearchInfo;

/// Sums over an engine's moves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spending {
    pub games: u64,
    pub moves: u64,
    /// Reported nodes and depths; 0 if the engine reports none.
    pub nodes: u64,
    pub depth: u64,
    pub ms: u64,
}

impl Spending {
    /// The spending of one search that took the time `used`.
    pub fn of_search(info: &SearchInfo, used: Duration) -> Self {
        Self {
            games: 0,
            moves: 1,
            nodes: info.nodes,
            depth: u64::from(info.depth),
            ms: millis(used),
        }
    }
}

/// The mean of a quantity and its expected range.
struct Range {
    mean: f64,
    low: f64,
    high: f64,
    /// The mean and the limit as text.
    text: String,
}

/// Nodes that an engine may search beyond twice its limit: many engines check the limit
/// only every 1,024 to 4,096 nodes.
const NODES_SLACK: f64 = 5000.0;
/// Plies beyond 1.5 times the limit.
const DEPTH_SLACK: f64 = 4.0;
/// Milliseconds beyond twice the limit.
const MS_SLACK: f64 = 1000.0;
/// The smallest share of its clock that an engine uses in a game.
const CLOCK_SHARE: f64 = 0.03;

/// How far an engine is from its limit, as text, if it is above one part of the limit or
/// below all parts. Below is less than a quarter of the nodes or the time for a move, half
/// of the depth, or 3 % of a clock: engines stop early at forced moves and mates, and when
/// another iteration would take too long, but less on average. Quantities that the engine
/// does not report are not checked.
pub fn departure(limit: &Limit, spent: &Spending) -> Option<String> {
    let ranges = ranges(limit, spent);
    let above = ranges.iter().find(|range| range.mean > range.high);
    let is_below = !ranges.is_empty() && ranges.iter().all(|range| range.mean < range.low);
    let found = above.or_else(|| ranges.first().filter(|_| is_below))?;
    Some(found.text.clone())
}

/// How an engine's use of its limit differs from that of others under the same limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Departure {
    /// Far above the limit, or twice what others use.
    Excess(String),
    /// Above the limit by more than 5 % and 2,048 nodes or a ply, and above another engine by
    /// more than 5 %, 2,048 nodes and what chance explains.
    Advantage(String),
    /// Far below the limit, or nothing is reported. Engines that report only finished
    /// iterations or no nodes do so too.
    Shortfall(String),
}

/// What differs by more than this factor is not the same.
const TOLERATED: f64 = 1.05;
/// Five standard errors of the ratio of two means over one move each: the nodes of a move
/// vary by half.
const CHANCE: f64 = 3.5;
/// Mean nodes by which an engine exceeds its limit that checks it every 4,096 nodes.
const TOLERATED_NODES: f64 = 2048.0;
/// Plies by which an engine may report more than its depth limit.
const TOLERATED_PLIES: f64 = 1.0;
/// An engine that searches less deep than this under a limit of nodes, and a third as deep
/// as another, does not use its limit.
const SHALLOW: f64 = 1.5;
/// The fewest nodes with which every engine is deeper than that.
const FEWEST_NODES: u64 = 500;

/// The departure of an engine whose moves `spent` this, among `others` under the same limit.
pub fn compared(limit: &Limit, spent: &Spending, others: &[Spending]) -> Option<Departure> {
    let mean = |sum: fn(&Spending) -> u64, of: &Spending| sum(of) as f64 / of.moves.max(1) as f64;
    // The smallest that others report.
    let least = |sum: fn(&Spending) -> u64| {
        let means = others.iter().map(|other| mean(sum, other));
        means.filter(|mean| *mean > 0.0).min_by(f64::total_cmp)
    };
    let limited = [
        (
            limit.nodes.map(|nodes| nodes as f64),
            TOLERATED_NODES,
            TOLERATED_NODES,
            (|s| s.nodes) as fn(&Spending) -> u64,
            "nodes per move",
        ),
        (
            limit.depth.map(f64::from),
            TOLERATED_PLIES,
            0.0,
            |s| s.depth,
            "plies deep per move",
        ),
        (
            limit.movetime.map(|ms| ms as f64),
            0.0,
            0.0,
            |s| s.ms,
            "ms per move",
        ),
    ];
    // How far a check is late varies from move to move, a reported ply more does not.
    for (limit, slack, late, sum, unit) in limited {
        let (Some(limit), own, Some(other)) = (limit, mean(sum, spent), least(sum)) else {
            continue;
        };
        let chance = CHANCE / (spent.moves as f64).sqrt();
        if own > TOLERATED * limit + slack && own > (TOLERATED + chance) * other + late {
            let text = format!("{own:.0} {unit}, limit {limit}; the other engine {other:.0}");
            let is_far = own > 2.0 * limit + slack && own > 2.0 * other;
            return Some(if is_far {
                Departure::Excess(text)
            } else {
                Departure::Advantage(text)
            });
        }
    }
    let far = departure(limit, spent);
    let is_above = ranges(limit, spent)
        .iter()
        .any(|range| range.mean > range.high);
    if is_above {
        return far.map(Departure::Excess);
    }
    one_ply(limit, spent, least(|s| s.depth))
        .or_else(|| far.map(Departure::Shortfall))
        .or_else(|| no_nodes(limit, spent))
}

/// An engine that searches one ply under a limit of nodes.
fn one_ply(limit: &Limit, spent: &Spending, other_depth: Option<f64>) -> Option<Departure> {
    let nodes = limit.nodes.filter(|nodes| *nodes >= FEWEST_NODES)?;
    let depth = spent.depth as f64 / spent.moves.max(1) as f64;
    let other =
        other_depth.filter(|other| depth > 0.0 && depth < SHALLOW && *other > 3.0 * depth)?;
    let text = format!("depth {depth:.1} a move with {nodes} nodes; the other engine {other:.1}");
    Some(Departure::Advantage(text))
}

/// An engine that reports no nodes under a limit of nodes.
fn no_nodes(limit: &Limit, spent: &Spending) -> Option<Departure> {
    let nodes = limit
        .nodes
        .filter(|_| spent.moves > 0 && spent.nodes == 0)?;
    Some(Departure::Shortfall(format!(
        "reports no nodes, so its limit of {nodes} nodes cannot be checked"
    )))
}

fn ranges(limit: &Limit, spent: &Spending) -> Vec<Range> {
    let mut ranges = Vec::new();
    let moves = spent.moves as f64;
    if spent.moves == 0 {
        return ranges;
    }
    if let Some(nodes) = limit.nodes.filter(|_| spent.nodes > 0) {
        let (mean, limit) = (spent.nodes as f64 / moves, nodes as f64);
        ranges.push(Range {
            mean,
            low: limit / 4.0,
            high: 2.0 * limit + NODES_SLACK,
            text: format!("{mean:.0} nodes per move, limit {nodes}"),
        });
    }
    if let Some(depth) = limit.depth.filter(|_| spent.depth > 0) {
        let (mean, limit) = (spent.depth as f64 / moves, f64::from(depth));
        ranges.push(Range {
            mean,
            low: limit / 2.0,
            high: 1.5 * limit + DEPTH_SLACK,
            text: format!("depth {mean:.1} a move, limit {depth}"),
        });
    }
    let ms = spent.ms as f64;
    if let Some(movetime) = limit.movetime {
        let (mean, limit) = (ms / moves, movetime as f64);
        ranges.push(Range {
            mean,
            low: limit / 4.0,
            high: 2.0 * limit + MS_SLACK,
            text: format!("{mean:.0} ms per move, limit {movetime} ms"),
        });
    }
    if let Some(stage) = limit.stages().first()
        && spent.games > 0
    {
        // Without later stages, which only add time.
        let clock = (spent.games * stage.base + spent.moves * stage.increment) as f64;
        let share = ms / clock;
        ranges.push(Range {
            mean: share,
            low: CLOCK_SHARE,
            high: f64::INFINITY,
            text: format!("{:.1} % of its clock used", 100.0 * share),
        });
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spent(nodes: u64, depth: u64, ms: u64) -> Spending {
        // Two games of 50 moves.
        Spending {
            games: 2,
            moves: 100,
            nodes: 100 * nodes,
            depth: 100 * depth,
            ms: 100 * ms,
        }
    }

    fn departure_of(limit: &str, spending: Spending) -> String {
        let limit: Limit = limit.parse().expect(limit);
        departure(&limit, &spending).unwrap_or_default()
    }

    #[test]
    fn an_engine_that_ignores_its_limit_is_detected() {
        for (limit, spending, words) in [
            (
                "nodes=5000",
                spent(20, 1, 0),
                "20 nodes per move, limit 5000",
            ),
            (
                "nodes=5",
                spent(60_000, 9, 5),
                "60000 nodes per move, limit 5",
            ),
            ("depth=8", spent(30, 1, 0), "depth 1.0 a move, limit 8"),
            (
                "depth=2",
                spent(90_000, 12, 9),
                "depth 12.0 a move, limit 2",
            ),
            (
                "movetime=100",
                spent(30, 1, 1),
                "1 ms per move, limit 100 ms",
            ),
            ("8+0.08", spent(30, 1, 2), "0.8 % of its clock used"),
            ("nodes=5000 depth=8", spent(30, 1, 0), "30 nodes per move"),
            ("8+0.08 nodes=5000", spent(90_000, 20, 90), "90000 nodes"),
        ] {
            let text = departure_of(limit, spending);
            assert!(text.starts_with(words), "{limit}: {text}");
        }
    }

    #[test]
    fn engines_are_compared_with_each_other() {
        let found = |limit: &str, own, other| {
            let limit: Limit = limit.parse().expect(limit);
            compared(&limit, &own, &[other])
        };
        let honest = spent(1000, 8, 100);
        for (limit, own) in [
            ("nodes=1000", spent(3600, 8, 1)),
            ("depth=8", spent(1000, 12, 1)),
            ("movetime=100", spent(1000, 8, 150)),
            ("nodes=1000", spent(1000, 1, 1)),
            ("nodes=1000", spent(40, 1, 1)),
        ] {
            let departure = found(limit, own, honest);
            assert!(
                matches!(departure, Some(Departure::Advantage(_))),
                "{limit} {departure:?}"
            );
        }
        let text = "5900 nodes per move, limit 1000; the other engine 1000".to_string();
        let far = found("nodes=1000", spent(5900, 9, 1), honest);
        assert_eq!(far, Some(Departure::Excess(text)));
        // Only finished iterations, or nothing: a note at most.
        for nodes in [0, 200] {
            let departure = found("nodes=1000", spent(nodes, 6, 1), honest);
            assert!(
                matches!(departure, Some(Departure::Shortfall(_))),
                "{departure:?}"
            );
        }
        for (limit, own, other) in [
            ("nodes=1000", spent(600, 6, 1), honest),
            ("nodes=1000", spent(1040, 8, 1), honest),
            // Both check the limit every 4,096 nodes.
            ("nodes=1000", spent(4096, 9, 1), spent(4000, 9, 1)),
            ("depth=8", spent(1000, 9, 1), honest),
            ("movetime=100", spent(1000, 8, 104), honest),
            ("8+0.08", spent(5000, 12, 90), honest),
        ] {
            assert_eq!(found(limit, own, other), None, "{limit} {own:?}");
        }
    }

    #[test]
    fn ordinary_engines_are_not_suspected() {
        for (limit, spending) in [
            // Checks its limit every 4,096 nodes.
            ("nodes=5", spent(4096, 5, 1)),
            ("nodes=1000", spent(4096, 7, 1)),
            ("nodes=1", spent(20, 1, 0)),
            // Stops when the next iteration would not end within the limit.
            ("nodes=5000", spent(2600, 7, 1)),
            ("depth=8", spent(9000, 6, 1)),
            ("depth=1", spent(20, 3, 0)),
            ("movetime=100", spent(9000, 9, 55)),
            ("movetime=100", spent(9000, 9, 104)),
            ("8+0.08", spent(9000, 9, 60)),
            ("40/60+0.5", spent(9000, 9, 900)),
            // One of two limits always ends the search.
            ("nodes=1000000 depth=4", spent(3000, 4, 3)),
            ("8+0.08 depth=6", spent(3000, 6, 1)),
            // Reports nothing.
            ("nodes=5000", spent(0, 0, 1)),
            ("depth=9", spent(0, 0, 1)),
        ] {
            assert_eq!(departure_of(limit, spending), "", "{limit}: {spending:?}");
        }
        assert_eq!(departure_of("nodes=5000", Spending::default()), "");
    }
}
