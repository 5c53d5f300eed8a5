//! Warnings of runs whose pairs would repeat games or show no difference.

use crate::config::{Config, EngineConfig, Tournament};
use crate::files::kind::Kind;
use crate::files::manifest::EngineIdentity;
use crate::play::repeats::RepeatRule;
use hone_base::diagnostic::Setting;
use hone_base::output::Announce;
use hone_uci::engine::uci::split_command;

const BOOK: Setting = Setting {
    key: "match.openings.file",
    words: "`openings = \"default\"` is the built-in one",
};

/// Warns of a run that plans more pairs of a pairing than its book has `distinct`
/// openings (`None`: no book), where repeated games do not count as evidence.
pub fn warn_of_repeats(
    kind: Kind,
    planned: Option<u64>,
    distinct: Option<usize>,
    rule: RepeatRule,
    announce: Announce<'_>,
) {
    let all = distinct.unwrap_or(1) as u64;
    let Some(planned) = planned.filter(|planned| *planned > all && rule == RepeatRule::Drop) else {
        return;
    };
    let openings = match distinct {
        None => "every game begins at the start position".to_string(),
        Some(1) => "the book has 1 distinct opening".to_string(),
        Some(distinct) => format!("the book has {distinct} distinct openings"),
    };
    // Other kinds have one pairing, or many that share the pairs.
    let of = match kind {
        Kind::Match => " of two engines",
        _ => "",
    };
    let help = match distinct {
        None => format!("use a book ({BOOK})"),
        Some(_) => "use a larger book".to_string(),
    };
    announce(&format!(
        "warning: up to {planned} pairs{of} are planned, but {openings}: with a limit of \
         nodes or depth, later pairs repeat earlier games and do not count, and a run that only \
         repeats games ends early\n\
         help: {help} or a time control"
    ));
}

/// Warns of two engines that do not differ if games do not depend on speed. The sides of a
/// tuning differ in the tuned parameters.
pub fn warn_of_same_engines(
    kind: Kind,
    config: &Config,
    engines: &[EngineIdentity],
    announce: Announce<'_>,
) {
    // A nightly may be the same program as an opponent: a commit need not change the games.
    if kind.has_one_engine() || config.is_timed() || config.track.is_some() {
        return;
    }
    let all: Vec<_> = config.engine.iter().zip(engines).collect();
    // In a gauntlet only the first engines meet the others.
    let first = match config.r#match.tournament {
        Tournament::Gauntlet => config.r#match.seeds.min(all.len()),
        _ => all.len(),
    };
    let mut pairs = (0..first).flat_map(|at| all[at + 1..].iter().map(move |two| (at, two)));
    let same = pairs.find(|(at, (other, identity))| {
        let (one, known) = all[*at];
        // Commits that are not built yet have none.
        let is_same_program = known.sha256 == identity.sha256 && !known.sha256.is_empty();
        is_same_program && plays_like(one, other)
    });
    if let Some((at, (other, _))) = same {
        announce(&format!(
            "warning: `{}` and `{}` are the same program with the same options: with a limit of \
             nodes or depth a deterministic engine plays the same moves in both games of every pair\n\
             help: check that the change is saved, committed and built; if both are meant to be \
             the same program, stop the run, because its games show no difference",
            all[at].0.name, other.name
        ));
    }
}

/// Whether two engines with the same program play alike.
fn plays_like(one: &EngineConfig, other: &EngineConfig) -> bool {
    let arguments = |engine: &EngineConfig| {
        let words = split_command(&engine.cmd).unwrap_or_default();
        let words: Vec<String> = words.into_iter().skip(1).collect();
        [words, engine.args.clone()].concat()
    };
    arguments(one) == arguments(other)
        && one.options == other.options
        && one.limit == other.limit
        && one.ponder == other.ponder
        && one.dir == other.dir
        && one.env == other.env
}
