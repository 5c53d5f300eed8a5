//! Known differences, each with its reason. They are removed from the texts of both
//! programs before these are compared.

use regex_lite::Regex;

use super::case::Case;
use super::played::Played;

/// A difference between `hone` and the program that it replaces.
pub(crate) struct Difference {
    pub name: &'static str,
    pub reason: &'static str,
    /// The regular expression that is replaced in each line.
    pattern: &'static str,
    /// A line that becomes empty is removed.
    replacement: &'static str,
}

/// A difference whose text is removed.
const fn removed(name: &'static str, reason: &'static str, pattern: &'static str) -> Difference {
    Difference {
        name,
        reason,
        pattern,
        replacement: "",
    }
}

pub(crate) const DIFFERENCES: [Difference; 21] = [
    removed(
        "names in the PGN",
        "the run's manifest has the names and authors of the engines, and readers of PGN name the opening",
        r#"^\[(EngineWhiteName|EngineWhiteAuthor|EngineBlackName|EngineBlackAuthor|ECO|Opening|Variation) ".*"\]$"#,
    ),
    Difference {
        name: "Event",
        reason: "the default names the program that played",
        pattern: r#"^\[Event "(Fastchess Tournament|hone match|\?|)"\]$"#,
        replacement: "[Event]",
    },
    Difference {
        name: "the sign of nan",
        reason: "in C++ it depends on the processor",
        pattern: " *-?nan",
        replacement: " nan",
    },
    Difference {
        name: "the sign of zero",
        reason: "it depends on rounding",
        pattern: r"-0\.00\b",
        replacement: "0.00",
    },
    removed(
        "notes at the start",
        "hone prints notes and warnings about the command line on standard error",
        r"^(Warning: No opening book.*|Warning: Unknown opening format.*|Indexing opening suite.*|Info: .*)$",
    ),
    Difference {
        name: "the illegal move",
        reason: "the warning names the game; the move is in the evidence",
        pattern: r"^Warning; Illegal move .* played by",
        replacement: "Warning; Illegal move played by",
    },
    removed(
        "variations",
        "one warning for each game instead of one for each search",
        r"^(Warning; Illegal PV move|Warning; Bestmove does not match|Info; |Position; |Moves; ).*$",
    ),
    removed(
        "errors",
        "errors are one line on standard error that begins with error:",
        r"^(Unrecognized option.*|Error.*|Reason: .*|Did you mean.*|Usage.*)$",
    ),
    Difference {
        name: "a time forfeit's overrun",
        reason: "hone measures to the millisecond when the answer is due, fastchess when it arrives",
        pattern: r"\((\d+ms overrun|no answer)\)",
        replacement: "(overrun)",
    },
    Difference {
        name: "numbers of moves",
        reason: "PGN repeats the number before Black's move after a comment; cutechess-cli counts from 1",
        pattern: r"\b\d+\.(\.\.)? ",
        replacement: "",
    },
    removed(
        "TimeControl without a clock",
        "hone writes the nodes or the depth",
        r#"^\[(White|Black)?TimeControl "(-|inf|nodes=\d+|depth=\d+)"\]$"#,
    ),
    Difference {
        name: "maximal length",
        reason: "the PGN of hone names the rule that ended the game",
        pattern: "Draw by adjudication: maximal game length",
        replacement: "Draw by adjudication",
    },
    Difference {
        name: "options of an engine that ended",
        reason: "fastchess does not read them again",
        pattern: r"\(100 nodes, NULL - 1t, NULL - 16MB",
        replacement: "(100 nodes, 1t, 16MB",
    },
    removed(
        "a stall before the first move: warning",
        "hone keeps evidence of the failure",
        r"^Warning; Engine \S+ is not responsive$|^\{Black's connection stalls\} ",
    ),
    Difference {
        name: "a stall before the first move: result",
        reason: "hone names the engine that stalls, fastchess the side to move",
        pattern: "White disconnects|Black's connection stalls",
        replacement: "fails",
    },
    Difference {
        name: "castling rights of Chess960",
        reason: "hone writes KQkq where that is enough (X-FEN)",
        pattern: r#"^\[FEN "(\S+ [wb]) \S+ (.*)"\]$"#,
        replacement: "[FEN $1 $2]",
    },
    Difference {
        name: "Variant",
        reason: "hone writes Chess960 as fastchess does",
        pattern: r#"^\[Variant ".*"\]$"#,
        replacement: "[Variant]",
    },
    removed(
        "notes of cutechess-cli",
        "the end of a process is in the evidence; a normal end has no Termination there",
        r#"^(Terminating process of engine .*|\[Termination "normal"\])$"#,
    ),
    removed(
        "PlyCount",
        "fastchess counts an illegal move",
        r#"^\[PlyCount ".*"\]$"#,
    ),
    Difference {
        name: "LLR in the lines of cutechess-cli",
        reason: "of pairs, as the test itself, and not of single games",
        pattern: r"^SPRT: llr \S+ \(\S+%\)",
        replacement: "SPRT: llr",
    },
    removed("time of the run", "a time", r"^Total Time: .*$"),
];

/// Replacements of text that differs from run to run.
const TIMES: &[(&str, &str)] = &[
    (
        r#"^\[(Date|GameDuration|GameStartTime|GameEndTime) ".*"\]$"#,
        "[$1]",
    ),
    (r"(/\d+) [0-9.]+s", "$1 TIME"),
    (r"has CRC32: 0x[0-9a-f]+", "has CRC32: X"),
    (r"run: \S+ (fastchess )?-config", "run: -config"),
];

/// Removes times and the known differences. Returns the indices of the differences that
/// were found.
pub(crate) fn remove(played: &mut [Played], case: &Case) -> Vec<usize> {
    for side in played.iter_mut() {
        for (name, lines) in &mut side.texts {
            if *name == "g.pgn" {
                *lines = unwrapped(lines);
                // cutechess-cli has them in alphabetic order.
                let tags = |line: &String| line.starts_with('[');
                lines
                    .split_mut(|line| !tags(line))
                    .for_each(<[String]>::sort);
            }
        }
    }
    for (pattern, replacement) in TIMES {
        replace(played, pattern, replacement);
    }
    let mut found = Vec::new();
    for (index, difference) in DIFFERENCES.iter().enumerate() {
        let counts = replace(played, difference.pattern, difference.replacement);
        if counts[0] != counts[1] {
            found.push(index);
        }
    }
    for side in played {
        for (_, lines) in &mut side.texts {
            if case.is_parallel() {
                sort(lines);
            }
        }
    }
    found
}

/// Joins each movetext of a PGN to one line: the two programs wrap them differently.
fn unwrapped(lines: &[String]) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for line in lines {
        let is_movetext = |line: &String| !line.is_empty() && !line.starts_with('[');
        match joined.last_mut() {
            Some(last) if is_movetext(last) && is_movetext(line) => {
                last.push(' ');
                last.push_str(line);
            }
            _ => joined.push(line.clone()),
        }
    }
    joined
}

/// Replaces a pattern in all lines. Returns the replaced texts of each program.
fn replace(played: &mut [Played], pattern: &str, replacement: &str) -> Vec<Vec<String>> {
    let regex = Regex::new(pattern).expect("the pattern is valid");
    let mut counts = Vec::new();
    for side in played {
        let mut replaced = Vec::new();
        for (_, lines) in &mut side.texts {
            for line in lines.iter_mut() {
                replaced.extend(
                    regex
                        .find_iter(line)
                        .map(|found| found.as_str().to_string()),
                );
            }
            let mut kept = Vec::new();
            for line in lines.drain(..) {
                let new = regex.replace_all(&line, replacement).into_owned();
                if !new.is_empty() || new == line {
                    kept.push(new);
                }
            }
            *lines = kept;
        }
        counts.push(replaced);
    }
    counts
}

/// Sorts the lines about games, which may end in another order. Of the other lines, only
/// those after the last game are kept.
fn sort(lines: &mut Vec<String>) {
    let is_game =
        |line: &String| line.starts_with("Started game") || line.starts_with("Finished game");
    let mut games: Vec<String> = lines.iter().filter(|line| is_game(line)).cloned().collect();
    games.sort();
    let last = lines.iter().rposition(is_game).map_or(0, |index| index + 1);
    games.extend(lines.drain(last..).filter(|line| !line.is_empty()));
    *lines = games;
}
