//! Options that set how an engine runs and are not constants of its search or evaluation.

/// Names, in lower case and without separators.
const NAMES: [&str; 11] = [
    "nodestime",
    "skilllevel",
    "slowmover",
    "multipv",
    "moveoverhead",
    "movetimeoverhead",
    "timeoverhead",
    "communicationoverhead",
    "minimumthinkingtime",
    "nalimovcache",
    "ponder",
];
/// Ends of names without separators, such as `NumThreads`.
const ENDS: [&str; 6] = [
    "hash",
    "hashsize",
    "hashmb",
    "cache",
    "cachesize",
    "threads",
];
/// Words of a name, in lower case; several words follow each other. A name such as
/// `HashMoveBonus` is one other word.
const WORDS: [&[&str]; 6] = [
    &["hash"],
    &["cache"],
    &["thread"],
    &["threads"],
    &["search", "depth"],
    &["search", "time"],
];

/// Whether the option of this name sets how the engine runs. Words end at blanks, `_` and `-`.
pub(super) fn is_setting(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let words = lower.split(|c: char| c.is_whitespace() || "_-".contains(c));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let has = |wanted: &&[&str]| words.windows(wanted.len()).any(|part| part == *wanted);
    let joined = words.concat();
    // `UCI_Elo`, but not `UciteBonus`.
    let is_of_uci = words.len() > 1 && words.first() == Some(&"uci");
    NAMES.contains(&joined.as_str())
        || is_of_uci
        || joined.starts_with("syzygy")
        || ENDS.iter().any(|end| joined.ends_with(end))
        || WORDS.iter().any(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_known_by_whole_words() {
        for setting in [
            "Hash",
            "Threads",
            "MultiPV",
            "Move Overhead",
            "MoveOverhead",
            "Move_Overhead",
            "move-overhead",
            "MOVE OVERHEAD",
            "Multi PV",
            "uci_limitstrength",
            "Syzygy Probe Depth",
            "Hash_MB",
            "num-threads",
            "Ponder",
            "NalimovCache",
            "UCI_Elo",
            "SyzygyProbeDepth",
            // Of Toga.
            "Number of Threads",
            "Search Depth",
            "Search Time",
            "Bitbases Cache Size",
            "Pawn hash size",
            "HashSize",
            "EvalHash",
            "NumThreads",
            "SkillLevel",
            "Slow Mover",
        ] {
            assert!(is_setting(setting), "{setting}");
        }
        for constant in [
            "HashMoveBonus",
            "ThreadSafety",
            "SearchDepthScale",
            "History Threshold",
            "Depth Margin",
            "Time Search",
            "Search Extension Depth",
            "Overhead",
            "MoveOverheadScale",
            "PonderBonus",
            "Lmr_Base",
        ] {
            assert!(!is_setting(constant), "{constant}");
        }
    }
}
