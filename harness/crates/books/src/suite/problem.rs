//! Test positions and their right moves.
//!
//! Operations that are read: `bm` best moves, `am` moves to avoid, `dm` direct mate in N
//! moves, and `id` (all from the PGN standard); points for moves in `c0`, as in the
//! Strategic Test Suite: `"f5=10, Be5=2"`.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use shakmaty::{Chess, Move, san::SanPlus, uci::UciMove};
use thiserror::Error;

use hone_uci::openings::Variant;
use hone_uci::openings::epd::{LineError, PositionLine, is_blank, unquoted};
use hone_uci::openings::source::{self, BYTE_ORDER_MARK, SourceError};

/// A test position and its solution. Without points for moves, it is worth one point.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The `id` operation, or else the name of the file and the line.
    pub id: String,
    /// Line of the file, from 1.
    pub line: usize,
    pub position: Chess,
    /// Right moves.
    pub best: Vec<Move>,
    /// Wrong moves.
    pub avoid: Vec<Move>,
    /// Full moves to a forced mate.
    pub mate: Option<u32>,
    /// Points for moves; other moves have none.
    pub points: Vec<(Move, u32)>,
}

/// What is wrong with a line of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProblemError {
    #[error(transparent)]
    Line(#[from] LineError),
    #[error("{opcode} {text}: no legal move of this position")]
    Move { opcode: &'static str, text: String },
    #[error("dm {0}: not a number of moves")]
    Mate(String),
    #[error("{0} has no move")]
    NoMove(&'static str),
    #[error("nothing to solve: none of bm, am, dm, or points in c0")]
    Nothing,
}

/// A suite that cannot be run.
#[derive(Debug, Error)]
pub enum SuiteError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error("{error}\n  --> {}:{line}", path.display())]
    Problem {
        path: PathBuf,
        line: usize,
        error: ProblemError,
    },
    #[error("{} contains no positions", path.display())]
    Empty { path: PathBuf },
}

/// The problems of a file.
#[derive(Debug)]
pub struct Suite {
    pub problems: Vec<Problem>,
    /// What was corrected while reading, for the user.
    pub warnings: Vec<String>,
    /// The rules it was read by.
    pub variant: Variant,
}

impl Suite {
    /// Reads a suite, plain or compressed. A `standard` suite in which most positions castle as
    /// only in Chess960, or that is invalid as standard chess, is read as Chess960.
    ///
    /// # Errors
    /// If the file cannot be read, is empty, or has an invalid line. A castling right that a
    /// position cannot have is dropped with a warning: old suites contain some.
    pub fn open(path: &Path, variant: Variant) -> Result<Self, SuiteError> {
        let text = source::read(path)?.bytes;
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
        let suite = Self::read(path, text, variant);
        let warnings = match &suite {
            Ok(suite) if suite.warnings.len() <= suite.problems.len() / 2 => 0,
            Ok(suite) => suite.warnings.len(),
            Err(_) => usize::MAX,
        };
        if variant == Variant::Standard
            && warnings > 0
            && let Ok(chess960) = Self::read(path, text, Variant::Chess960)
            && chess960.warnings.len() < warnings
        {
            return Ok(chess960);
        }
        suite
    }

    fn read(path: &Path, text: &[u8], variant: Variant) -> Result<Self, SuiteError> {
        let mut suite = Self {
            problems: Vec::new(),
            warnings: Vec::new(),
            variant,
        };
        for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
            if is_blank(line) {
                continue;
            }
            let number = index.saturating_add(1);
            let (mut problem, corrected) =
                Problem::parse(line, variant).map_err(|error| SuiteError::Problem {
                    path: path.to_owned(),
                    line: number,
                    error,
                })?;
            problem.line = number;
            if problem.id.is_empty() {
                let name = path.file_stem().unwrap_or_default().to_string_lossy();
                problem.id = format!("{name}:{number}");
            }
            for words in corrected.words() {
                let id = &problem.id;
                let shown = path.display();
                suite
                    .warnings
                    .push(format!("{shown}:{number}: {id}: {words}"));
            }
            suite.problems.push(problem);
        }
        if suite.problems.is_empty() {
            return Err(SuiteError::Empty {
                path: path.to_owned(),
            });
        }
        Ok(suite)
    }
}

/// What was corrected in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Corrected {
    /// Castling rights that the position cannot have.
    dropped: String,
    /// Whether a number after an extra dash was read as the move number.
    doubtful: bool,
}

impl Corrected {
    /// A sentence for each correction.
    fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if !self.dropped.is_empty() {
            let dropped = &self.dropped;
            words.push(format!("castling right {dropped} is impossible, dropped"));
        }
        if self.doubtful {
            let text =
                "extra dash before the counters; the number after it is read as the move number";
            words.push(text.to_owned());
        }
        words
    }
}

impl Problem {
    /// Reads a line. Returns the problem, with `line` 0 and perhaps an empty `id`, and what
    /// was corrected in the line.
    ///
    /// # Errors
    /// If the position, an operand or the castling rights are invalid, or the line has no
    /// solution.
    pub fn parse(line: &[u8], variant: Variant) -> Result<(Self, Corrected), ProblemError> {
        let parsed = PositionLine::parse(line)?;
        let (position, dropped) = parsed.position_with_possible_castling(variant)?;
        let text = |opcode| {
            let operand = parsed.operation(opcode)?;
            Some(String::from_utf8_lossy(unquoted(operand)).into_owned())
        };
        let moves = |opcode: &'static str| match text(opcode) {
            None => Ok(Vec::new()),
            Some(list) => read_moves(&position, opcode, &list),
        };
        let points = match text("c0").as_deref().and_then(split_points) {
            Some(points) => points
                .into_iter()
                .map(|(text, points)| Ok((read_move(&position, "c0", text)?, points)))
                .collect::<Result<_, ProblemError>>()?,
            None => Vec::new(),
        };
        let mate = match text("dm") {
            None => None,
            Some(text) => match text.parse() {
                Ok(moves) if moves > 0 => Some(moves),
                _ => return Err(ProblemError::Mate(text)),
            },
        };
        let problem = Self {
            id: text("id").unwrap_or_default(),
            line: 0,
            best: moves("bm")?,
            avoid: moves("am")?,
            mate,
            points,
            position,
        };
        let nothing = problem.best.is_empty()
            && problem.avoid.is_empty()
            && problem.mate.is_none()
            && problem.points.iter().all(|(_, points)| *points == 0);
        if nothing {
            return Err(ProblemError::Nothing);
        }
        let corrected = Corrected {
            dropped,
            doubtful: parsed.is_doubtful(),
        };
        Ok((problem, corrected))
    }

    /// A move of this position in standard algebraic notation.
    pub fn san(&self, m: Move) -> String {
        SanPlus::from_move(self.position.clone(), m).to_string()
    }

    /// The solution as text: `Qg6`, `not Kf1`, `mate in 3`.
    pub fn wanted(&self) -> String {
        let list = |moves: &[Move]| {
            let words: Vec<String> = moves.iter().map(|&m| self.san(m)).collect();
            words.join(" ")
        };
        let mut parts = Vec::new();
        if !self.best.is_empty() {
            parts.push(list(&self.best));
        } else if let Some(most) = self.points.iter().map(|(_, points)| points).max() {
            let best = self.points.iter().filter(|(_, points)| points == most);
            parts.push(list(&best.map(|(m, _)| *m).collect::<Vec<_>>()));
        }
        if !self.avoid.is_empty() {
            parts.push(format!("not {}", list(&self.avoid)));
        }
        if let Some(moves) = self.mate {
            parts.push(format!("mate in {moves}"));
        }
        parts.join(", ")
    }

    /// The most points for a move.
    pub fn worth(&self) -> u32 {
        self.points
            .iter()
            .map(|(_, points)| *points)
            .max()
            .unwrap_or(1)
    }
}

/// Reads a list of moves, separated by spaces or commas.
fn read_moves(
    position: &Chess,
    opcode: &'static str,
    list: &str,
) -> Result<Vec<Move>, ProblemError> {
    let moves = list
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !is_annotation(word))
        .map(|word| read_move(position, opcode, word))
        .collect::<Result<Vec<_>, _>>()?;
    if moves.is_empty() {
        return Err(ProblemError::NoMove(opcode));
    }
    Ok(moves)
}

/// Whether a word is empty or belongs to the move before it: a check sign after a blank,
/// `!`, `?`, or `e.p.`.
fn is_annotation(word: &str) -> bool {
    let signs = ['+', '#', '!', '?'];
    word.trim_end_matches(signs).is_empty() || word == "e.p." || word == "ep"
}

/// Reads a move in standard algebraic notation, also with the variants of [`with_signs`] and
/// with `!` or `?`, or else in UCI notation.
fn read_move(position: &Chess, opcode: &'static str, text: &str) -> Result<Move, ProblemError> {
    let plain = plain_move(text);
    let san = || {
        let san: SanPlus = with_signs(plain).parse().ok()?;
        san.san.to_move(position).ok()
    };
    let uci = || plain.parse::<UciMove>().ok()?.to_move(position).ok();
    san().or_else(uci).ok_or_else(|| ProblemError::Move {
        opcode,
        text: text.to_owned(),
    })
}

/// A move without signs of check, annotation and en passant.
fn plain_move(text: &str) -> &str {
    let plain = text.trim_end_matches(['!', '?', '+', '#']);
    let taken = plain.strip_suffix("e.p.").or(plain.strip_suffix("ep"));
    taken.unwrap_or(plain)
}

/// `O-O` for `0-0`, and `a8=Q` for `a8Q`.
fn with_signs(san: &str) -> Cow<'_, str> {
    if san.starts_with('0') {
        return Cow::Owned(san.replace('0', "O"));
    }
    let piece = san.find(['Q', 'R', 'B', 'N']);
    match piece.and_then(|at| san.split_at_checked(at)) {
        Some((to, piece)) if to.ends_with(['1', '8']) => Cow::Owned(format!("{to}={piece}")),
        _ => Cow::Borrowed(san),
    }
}

/// Whether a text has the form of a move.
fn is_move(text: &str) -> bool {
    let plain = plain_move(text);
    with_signs(plain).parse::<SanPlus>().is_ok() || plain.parse::<UciMove>().is_ok()
}

/// Reads `f5=10, Be5=2`; `None` for another comment.
fn split_points(comment: &str) -> Option<Vec<(&str, u32)>> {
    let comment = comment.trim_end().trim_end_matches(',');
    comment
        .split(',')
        .map(|part| {
            // The last sign, as promotions have one too.
            let (text, points) = part.trim().rsplit_once('=')?;
            let text = text.trim();
            let is_move = is_move(text);
            is_move.then_some((text, points.trim().parse().ok()?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Problem, ProblemError> {
        Problem::parse(line.as_bytes(), Variant::Standard).map(|(problem, _)| problem)
    }

    const BOARD: &str = "2k1r3/P7/8/8/8/8/8/K2R4 w - -";

    #[test]
    fn all_operations_are_read() {
        let problem = parse(&format!(
            "{BOARD} bm axb8=Q Rd7; id \"x.1\"; c0 \"Rd7=10, a8=Q=7, Kb2=1\";"
        ));
        let message = problem.unwrap_err().to_string();
        assert_eq!(message, "bm axb8=Q: no legal move of this position");
        let problem = parse(&format!(
            "{BOARD} bm a8=Q+ d1d7; am Kb2; dm 4; id \"x.1\"; c0 \"Rd7=10, a8=Q=7, Kb2=1\";"
        ))
        .unwrap();
        assert_eq!(problem.wanted(), "a8=Q+ Rd7, not Kb2, mate in 4");
        assert_eq!(problem.id, "x.1");
        let points: Vec<(String, u32)> = problem
            .points
            .iter()
            .map(|&(m, points)| (problem.san(m), points))
            .collect();
        let expected = [("Rd7", 10), ("a8=Q+", 7), ("Kb2", 1)];
        assert_eq!(
            points,
            expected.map(|(san, points)| (san.to_owned(), points))
        );
        assert_eq!(problem.worth(), 10);
    }

    #[test]
    fn castling_with_zeros_and_promotions_without_a_sign_are_read() {
        const BOARD: &str = "1n2k3/P7/8/8/8/8/8/R3K2R w KQ -";
        let problem = parse(&format!(
            "{BOARD} bm 0-0 0-0-0! a8Q axb8N; am a7b8q Rb1; c0 \"0-0=10, axb8R+=7\";"
        ));
        let usual = parse(&format!(
            "{BOARD} bm O-O O-O-O a8=Q axb8=N; am axb8=Q Rb1; c0 \"O-O=10, axb8=R+=7\";"
        ));
        let (problem, usual) = (problem.unwrap(), usual.unwrap());
        assert_eq!(problem.best, usual.best);
        assert_eq!(problem.avoid, usual.avoid);
        assert_eq!(problem.points, usual.points);
    }

    #[test]
    fn a_sign_may_stand_apart_from_its_move() {
        let board = "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - -";
        for solution in [
            "Qd1 +", "Qd1+", "Qd1++", "Qd1 !", "Qd1+ !?", "Qd1 + !", "Qd1 #", "d6d1 +",
        ] {
            let problem = parse(&format!("{board} ; bm {solution} ; id BK.01 ")).unwrap();
            assert_eq!(problem.wanted(), "Qd1+", "{solution}");
            assert_eq!(problem.id, "BK.01");
        }
        let passant = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 bm";
        for solution in ["exd6e.p.", "exd6 e.p.", "exd6ep"] {
            let problem = parse(&format!("{passant} {solution};")).unwrap();
            assert_eq!(problem.wanted(), "exd6", "{solution}");
        }
        let alone = parse(&format!("{board} bm +;")).unwrap_err().to_string();
        assert_eq!(alone, "bm has no move");
    }

    #[test]
    fn an_extra_dash_is_accepted_with_a_warning_if_its_meaning_is_not_certain() {
        let board = "r1bqk1r1/1p1p1n2/p1n2pN1/2p1b2Q/2P1Pp2/1PN5/PB4PP/R4RK1 w q - -";
        for (rest, doubtful) in [("bm Rxf4; id \"ERET 001\";", false), ("7 bm Rxf4;", true)] {
            let line = format!("{board} {rest}");
            let (problem, corrected) = Problem::parse(line.as_bytes(), Variant::Standard).unwrap();
            assert_eq!(problem.wanted(), "Rxf4");
            assert_eq!(corrected.words().len(), usize::from(doubtful), "{rest}");
        }
    }

    #[test]
    fn other_comments_are_not_points() {
        for comment in [
            "Euwe - Tal, a=b",
            "Forum: http://example.org/topic_show.pl?tid=18253",
            "depth=20",
            "Rd7=10, time=5",
            "elo = 2800",
            "https://example.org/?move=Rd7, 3",
            "1. Rd7=10",
            "Rd7=ten",
            "Rd7",
            "",
        ] {
            let problem = parse(&format!("{BOARD} bm Rd7; c0 \"{comment}\";")).unwrap();
            assert!(problem.points.is_empty(), "{comment}");
            assert_eq!(problem.worth(), 1);
        }
        for points in ["Rd7=10,Kb2=1", "Rd7 = 10, Kb2 = 1", " Rd7=10, Kb2=1, "] {
            let problem = parse(&format!("{BOARD} bm Rd7; c0 \"{points}\";")).unwrap();
            assert_eq!(problem.points.len(), 2, "{points}");
        }
    }

    #[test]
    fn invalid_operations_are_refused() {
        for (operations, part) in [
            ("", "nothing to solve"),
            ("id \"x\";", "nothing to solve"),
            ("c0 \"Rd7=0\";", "nothing to solve"),
            ("bm;", "bm has no move"),
            ("bm Rd9;", "bm Rd9: no legal move"),
            ("am Nf3;", "am Nf3: no legal move"),
            ("dm x;", "dm x: not a number"),
            ("dm 0;", "dm 0: not a number"),
            ("bm Rd7; c0 \"Rd7=10, Qd7=5\";", "c0 Qd7: no legal move"),
        ] {
            let message = parse(&format!("{BOARD} {operations}"))
                .unwrap_err()
                .to_string();
            assert!(message.contains(part), "{operations}: {message}");
        }
    }

    /// Well-known suites have known numbers of positions, and one invalid castling right.
    #[test]
    fn well_known_suites_read_completely() {
        let Some(folder) = hone_testing::data("suites") else {
            return;
        };
        for (name, count, warnings) in [
            ("wac.epd", 300, 0),
            ("bratko-kopec.epd", 24, 0),
            ("lct2.epd", 35, 1),
        ] {
            let suite = Suite::open(&folder.join(name), Variant::Standard).unwrap();
            assert_eq!(suite.problems.len(), count, "{name}");
            assert_eq!(
                suite.warnings.len(),
                warnings,
                "{name}: {:?}",
                suite.warnings
            );
            let several = suite.problems.iter().filter(|p| p.best.len() > 1).count();
            if name == "wac.epd" {
                assert_eq!(several, 37);
            }
            if let Some(warning) = suite.warnings.first() {
                assert!(
                    warning.contains("castling right q is impossible"),
                    "{warning}"
                );
            }
        }
    }
}
