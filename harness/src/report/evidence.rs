//! What makes the games of a run no evidence, from its totals.

use crate::run::{Manifest, Tally};
use crate::rules::{Spending, departure};
use crate::stats::detect::{
    Finding, Repetition, alike, few_openings, limit_ignored, repeated_games,
};

/// The fewest moves by which an engine's keeping to its limit is judged.
const FEWEST_MOVES: u64 = 100;

/// What stands out in a run of any kind.
pub(crate) fn evidence_findings(manifest: &Manifest, tally: &Tally) -> Vec<Finding> {
    let repetition = Repetition {
        pairs: tally.pairs + tally.dropped_pairs,
        repeated: tally.repeated_pairs,
        dropped: tally.dropped_pairs,
        distinct_games: tally.distinct_games,
    };
    let openings = manifest.book.as_ref().map_or(1, |book| {
        book.distinct.unwrap_or(book.openings) as u64
    });
    let longest = tally.pairings.values().map(|pairing| pairing.wdl.games() / 2);
    let pairs = longest.max().unwrap_or(0);
    let mut findings: Vec<Finding> = [
        repeated_games(repetition),
        few_openings(pairs, openings),
        alike(tally.pairs, tally.mirrored_pairs),
    ]
    .into_iter()
    .flatten()
    .collect();
    findings.extend(departures(manifest, tally));
    findings
}

/// The engines that do not keep to their limits.
fn departures(manifest: &Manifest, tally: &Tally) -> impl Iterator<Item = Finding> {
    let engines = manifest.config.engine.iter().zip(&tally.engines);
    engines.filter_map(|(config, engine)| {
        if engine.moves < FEWEST_MOVES {
            return None;
        }
        let limit = config.limit.as_ref().unwrap_or(&manifest.config.r#match.limit);
        let spent = Spending {
            games: engine.games,
            moves: engine.moves,
            nodes: engine.nodes,
            depth: engine.depth,
            ms: engine.ms,
        };
        Some(limit_ignored(&config.name, &departure(limit, &spent)?))
    })
}
