//! The exit codes in the help of each command.

const DONE: (u8, &str) = (0, "done");
const USAGE: (u8, &str) = (2, "bad usage, configuration or input; nothing was started");
const UNDECIDED: (u8, &str) = (
    3,
    "undecided at the end of the budget, the time or a shard, or because every new pair repeats earlier games",
);
const FAILED: (u8, &str) = (
    4,
    "an engine does not build, or fails too often; the run can be resumed",
);
const NOT_WRITTEN: (u8, &str) = (4, "the book cannot be written");
const INTERRUPTED: (u8, &str) = (130, "interrupted; the run can be resumed");

/// The exit codes of commands that have others than 0 and 2.
#[rustfmt::skip] // One line a code.
const CODES: &[(&str, &[(u8, &str)])] = &[
    ("sprt", &[(0, "H1 accepted"), (1, "H0 accepted"), USAGE, UNDECIDED, FAILED, INTERRUPTED]),
    ("match", &[
        (0, "all pairs, or those of the shard, were played"),
        USAGE,
        (3, "the time ended before the last pair, or every new pair repeats earlier games"),
        FAILED,
        INTERRUPTED,
    ]),
    ("bisect", &[
        (0, "a commit is named"),
        USAGE,
        (3, "the budget or the time is used up, or no commit changed the strength"),
        (4, "the good or the bad commit does not build, or fails too often; the run can be resumed"),
        INTERRUPTED,
    ]),
    ("resume", &[
        (0, "done; of a test: H1 accepted"),
        (1, "H0 accepted"),
        USAGE,
        (3, "undecided, or the time ended before the last pair, as in the command that started the run"),
        FAILED,
        INTERRUPTED,
    ]),
    ("pool", &[
        (0, "H1 accepted, or a match has all its pairs"),
        (1, "H0 accepted"),
        (2, "bad usage, or the runs do not agree; nothing was written"),
        (3, "undecided, or pairs are missing"),
        (4, "the pool cannot be read or written"),
    ]),
    ("tune", &[
        (0, "H1 accepted, or without a test the budget was played"),
        (1, "H0 accepted"),
        USAGE,
        (3, "undecided, not tested because the values did not change, or the time ended before the budget"),
        FAILED,
        INTERRUPTED,
    ]),
    ("track", &[
        (0, "no new regression, or nothing new to play"),
        (1, "a regression that no earlier call has reported"),
        (2, "bad usage or configuration, or the newest nightly cannot be resumed"),
        (3, "the time ended without a regression; the same command continues"),
        (4, "the newest commit or the anchor does not build or start, or an engine fails too often"),
        (130, "interrupted; the same command continues"),
    ]),
    ("verify", &[
        (0, "no fault"),
        (1, "at least one fault, or a file of the run cannot be read"),
        (2, "it is not a run"),
    ]),
    ("replay", &[
        (0, "the engine answers in time with a legal move"),
        (1, "it fails again"),
        (2, "bad usage, or the situation cannot be read"),
    ]),
    ("check", &[
        (0, "all checks passed"),
        (1, "at least one failed"),
        (2, "bad usage, or the program cannot be started"),
    ]),
    ("suite", &[
        (0, "all positions were answered"),
        USAGE,
        (4, "an engine failed"),
        (130, "interrupted"),
    ]),
    ("book info", &[DONE, USAGE]),
    ("book make", &[
        DONE,
        USAGE,
        (3, "too few candidates: the book is smaller than requested"),
        (4, "the engine failed, or the book cannot be written"),
        (130, "interrupted; the same command continues"),
    ]),
    ("book convert", &[DONE, USAGE, NOT_WRITTEN]),
];

/// The exit codes of a command, `sprt` or `book make`, in order. `None` for `hone` itself and
/// for the commands of other programs, which have the codes of these programs.
pub(super) fn of(path: &str) -> Option<Vec<(u8, &'static str)>> {
    if ["", "fastchess", "cutechess-cli"].contains(&path) {
        return None;
    }
    let found = CODES.iter().find(|(name, _)| *name == path);
    Some(match found {
        Some((_, codes)) => codes.to_vec(),
        None => vec![DONE, (2, "bad usage or input, or an error")],
    })
}

/// The commands with codes of their own.
#[cfg(all(test, feature = "fleet", feature = "serve"))]
pub(super) fn named() -> impl Iterator<Item = &'static str> {
    CODES.iter().map(|(name, _)| *name)
}
