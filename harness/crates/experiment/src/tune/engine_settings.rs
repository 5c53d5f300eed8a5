//! Options that set how an engine runs and are not constants of its search or evaluation.

/// Names, in lower case.
const NAMES: [&str; 3] = ["multipv", "move overhead", "nalimovcache"];
/// Beginnings of names, in lower case.
const PREFIXES: [&str; 2] = ["uci_", "syzygy"];
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

/// Whether the option of this name sets how the engine runs. Words end at blanks.
pub(super) fn is_setting(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let words: Vec<&str> = name.split_whitespace().collect();
    let has = |wanted: &&[&str]| words.windows(wanted.len()).any(|part| part == *wanted);
    NAMES.contains(&name.as_str())
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
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
            "NalimovCache",
            "UCI_Elo",
            "SyzygyProbeDepth",
            // Of Toga.
            "Number of Threads",
            "Search Depth",
            "Search Time",
            "Bitbases Cache Size",
            "Pawn hash size",
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
        ] {
            assert!(!is_setting(constant), "{constant}");
        }
    }
}
