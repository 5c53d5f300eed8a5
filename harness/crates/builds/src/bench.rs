//! The node count of `ENGINE bench`: a fingerprint of the engine's search.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::limits::BuildLimits;
use hone_base::platform::{
    Access, BUSY_PAUSE, Ended, StopWatch, is_busy, sandbox, supervise, supervised,
};

/// Time limit of `bench`.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Interval at which a running bench is checked; short, because short benches are timed.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Maximum number of bytes read from the end of a log.
const READ_BYTES: u64 = 256 * 1024;

/// Maximum number of bytes read from the start of a failed build's log.
const START_BYTES: u64 = 4 * 1024 * 1024;

/// How an engine's `bench` is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BenchCheck {
    /// It must equal the count in the commit's message, if there is one.
    #[default]
    Commit,
    /// It must equal this count.
    Nodes(u64),
    /// It is recorded, but not compared.
    Record,
}

impl BenchCheck {
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The fault of the bench that `found` returns, or `None`.
    /// `found` is called only if there is a count to compare with.
    pub(super) fn fault(
        self,
        found: impl FnOnce() -> Result<u64, BenchError>,
        of_message: Option<u64>,
    ) -> Option<String> {
        let (expected, who) = match self {
            Self::Commit => (of_message?, "its message"),
            Self::Nodes(nodes) => (nodes, "the configuration"),
            Self::Record => return None,
        };
        let fault = match found() {
            Ok(bench) if bench == expected => return None,
            Ok(bench) => format!("the bench is {bench}"),
            Err(error) => error.to_string(),
        };
        Some(format!("{who} gives bench {expected}, but {fault}"))
    }
}

impl Serialize for BenchCheck {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Commit => serializer.serialize_str("check"),
            Self::Nodes(nodes) => serializer.serialize_u64(*nodes),
            Self::Record => serializer.serialize_str("record"),
        }
    }
}

impl<'de> Deserialize<'de> for BenchCheck {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CheckVisitor;
        impl Visitor<'_> for CheckVisitor {
            type Value = BenchCheck;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("\"check\", \"record\" or a node count")
            }

            fn visit_i64<E: de::Error>(self, nodes: i64) -> Result<BenchCheck, E> {
                u64::try_from(nodes)
                    .map(BenchCheck::Nodes)
                    .map_err(|_| E::custom("a node count is not negative"))
            }

            fn visit_u64<E>(self, nodes: u64) -> Result<BenchCheck, E> {
                Ok(BenchCheck::Nodes(nodes))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<BenchCheck, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(CheckVisitor)
    }
}

/// The format that [`BenchCheck::from_str`](std::str::FromStr::from_str) parses.
impl std::fmt::Display for BenchCheck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Commit => f.write_str("check"),
            Self::Nodes(nodes) => write!(f, "{nodes}"),
            Self::Record => f.write_str("record"),
        }
    }
}

impl std::str::FromStr for BenchCheck {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "check" => Ok(Self::Commit),
            "record" => Ok(Self::Record),
            number => number
                .parse()
                .map(Self::Nodes)
                .map_err(|_| format!("`{text}` is neither `check`, `record` nor a node count")),
        }
    }
}

/// The reason why a bench has no node count.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    #[error("its `bench` cannot be run: {0}")]
    Io(#[from] io::Error),
    #[error("its `bench` failed ({0}) and printed no node count")]
    Failed(String),
    #[error("its `bench` did not finish ({0})")]
    Killed(String),
    #[error("its `bench` printed no node count")]
    NoCount,
}

/// Runs `PROGRAM ARGS bench`, in a sandbox if `sandbox`, with its output in the file `log`,
/// and returns the node count.
///
/// # Errors
/// [`BenchError`]. A bench that prints a node count may fail afterwards.
pub fn run(program: &Path, args: &[String], log: &Path, sandbox: bool) -> Result<u64, BenchError> {
    let output = File::create(log)?;
    let errors = output.try_clone()?;
    let mut command = Command::new(program);
    command.args(args).arg("bench");
    if let Some(folder) = program.parent() {
        command.current_dir(folder);
    }
    if sandbox {
        command = sandbox::wrap(&command, &Access::default())?;
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::from(output))
        .stderr(Stdio::from(errors));
    supervised(&mut command);
    let watch = StopWatch::start();
    let begun = Instant::now();
    let child = loop {
        match command.spawn() {
            Err(error) if is_busy(&error, begun) => thread::sleep(BUSY_PAUSE),
            spawned => break spawned?,
        }
    };
    let limits = BuildLimits {
        time: TIME_LIMIT,
        stop: Arc::default(),
    };
    let mut must_end = limits.watch(log);
    match supervise(child, POLL_INTERVAL, || {
        must_end().or_else(|| watch.reason())
    })? {
        Ended::Itself(status) => {
            let failed = if status.success() {
                BenchError::NoCount
            } else {
                BenchError::Failed(status.to_string())
            };
            of_output(&end_of_file(log)?).ok_or(failed)
        }
        Ended::Killed(why) => Err(BenchError::Killed(why)),
    }
}

/// The last [`READ_BYTES`] of a log, which may be very long.
pub(super) fn end_of_file(log: &Path) -> io::Result<String> {
    let mut file = File::open(log)?;
    let from = file.metadata()?.len().saturating_sub(READ_BYTES);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(READ_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A log without its middle if it is very long.
pub(super) fn start_and_end_of_file(log: &Path) -> io::Result<String> {
    let file = File::open(log)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    file.take(START_BYTES).read_to_end(&mut bytes)?;
    let start = String::from_utf8_lossy(&bytes).into_owned();
    if length <= START_BYTES {
        return Ok(start);
    }
    Ok(format!("{start}\n{}", end_of_file(log)?))
}

/// The node count in the output of a bench: that of the last line in one of the usual
/// formats.
fn of_output(text: &str) -> Option<u64> {
    text.lines().rev().find_map(|line| {
        let line = line.trim().to_ascii_lowercase();
        before_nodes(&line).or_else(|| {
            ["nodes searched", "total nodes", "nodes", "bench"]
                .iter()
                .find_map(|label| number(after_label(&line, label)?))
        })
    })
}

/// `1463953 nodes 1680000 nps`.
fn before_nodes(line: &str) -> Option<u64> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "nodes")?;
    let (before, after) = words.split_at_checked(at)?;
    let speed = after.iter().any(|word| word.starts_with("nps"));
    number(before.last().filter(|_| speed)?)
}

/// `Nodes searched  : 1463953`.
fn after_label<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(label)?.trim_start();
    rest.strip_prefix([':', '=']).map(str::trim)
}

/// The node count in a commit's message, as OpenBench and fishtest find it: after the word
/// `bench` or `nodes` anywhere in a line. The last `bench` counts, or else the last `nodes`.
pub(super) fn of_message(message: &str) -> Option<u64> {
    let message = message.to_ascii_lowercase();
    let last = |word: &str| {
        let mut places = message.rmatch_indices(word);
        places.find_map(|(at, _)| {
            let (before, found) = message.split_at_checked(at)?;
            let is_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            count_after(found.strip_prefix(word)?).filter(|_| is_word)
        })
    };
    // `nodes=5000` is the limit of a test.
    last("bench").or_else(|| last("nodes").filter(|_| !message.contains("nodes=")))
}

/// The number at the start of a text, after blanks and signs. Percentages, decimals and words
/// such as `2x` are not counts.
fn count_after(text: &str) -> Option<u64> {
    let is_sign = |c: char| matches!(c, ' ' | '\t' | ':' | '=' | '*' | '`');
    let found = text.trim_start_matches(is_sign);
    if found.len() == text.len() {
        return None;
    }
    let is_digit = |c: char| c.is_ascii_digit() || ",_'".contains(c);
    let (digits, after) = found.split_at(found.find(|c| !is_digit(c)).unwrap_or(found.len()));
    let mut after = after.chars();
    let (next, second) = (after.next(), after.next());
    let is_part = match next {
        Some('.') => second.is_some_and(|c| c.is_ascii_digit()),
        Some(' ') => second == Some('%'),
        Some(c) => c == '%' || c.is_alphabetic(),
        None => false,
    };
    if is_part { None } else { number(digits) }
}

/// A whole number, with or without separators of thousands.
fn number(text: &str) -> Option<u64> {
    let digits: String = text.chars().filter(|c| !",_'".contains(*c)).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn reads_the_usual_forms() {
        for (text, nodes) in [
            (
                "info depth 1 nodes 20 nps 5\n1463953 nodes 1312053 nps\n",
                Some(1_463_953),
            ),
            (
                "===\nTotal time (ms) : 1200\nNodes searched  : 2030154\nNodes/second    : 1691795\n",
                Some(2_030_154),
            ),
            ("Time  : 12 ms\nNodes : 4,512\nNPS   : 37\n", Some(4512)),
            ("Bench: 77", Some(77)),
            ("OVERALL: 3000 ms 5 nodes 1 nps", Some(5)),
            ("id name X\nuciok\n", None),
            ("", None),
        ] {
            assert_eq!(of_output(text), nodes, "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_bench_that_is_open_for_writing_is_waited_for() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("engine");
        fs::write(&program, "#!/bin/sh\necho '5 nodes 1 nps'\n").expect("written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("executable");
        let open = File::options().append(true).open(&program).expect("open");
        let closing = thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            drop(open);
        });
        let log = folder.path().join("log");
        assert!(matches!(run(&program, &[], &log, false), Ok(5)));
        closing.join().expect("closed");
    }

    #[test]
    fn reads_commit_messages() {
        for (message, nodes) in [
            ("Prune more\n\nPassed.\n\nBench: 1463953\n", Some(1_463_953)),
            ("x\n\nbench 5", Some(5)),
            ("x\n\nBench = 1,234", Some(1234)),
            // Messages of PlentyChess and seajay.
            ("x\n\n* Bench: 2391045", Some(2_391_045)),
            ("History tweak. Bench 1734021 (#240)", Some(1_734_021)),
            ("Revert \"x\n\nBench: 77\"", Some(77)),
            ("Merge dev. Bench: 4521\n\nPassed STC.", Some(4521)),
            ("x\n\nBENCH : 12 ", Some(12)),
            ("x (bench: 12)", Some(12)),
            ("x\n\n**Bench:** 1,234,567.", Some(1_234_567)),
            ("x\n\n`bench 42`", Some(42)),
            ("x\n\nbench:\t42, faster", Some(42)),
            ("Bench: 1\n\nBench: 2\n", Some(2)),
            ("x\r\n\r\nBench: 12\r\n", Some(12)),
            ("x [bench=12]", Some(12)),
            ("x\n\nBench: 12 nodes", Some(12)),
            ("x\n\nbench: 12;\n\nCo-authored-by: nodes <a@b>", Some(12)),
            ("x\n\n<!-- Bench  12 -->", Some(12)),
            ("Nodes: 12345", Some(12345)),
            ("x\n\n1 nodes 2 nps", Some(2)),
            ("x\n\nBench: 5\n\nNodes 600", Some(5)),
            ("Bench is faster\n\nNo functional change", None),
            ("benchmarks: 3", None),
            ("workbench 3", None),
            ("bench5", None),
            ("bench: 7.5% faster", None),
            ("bench 5% faster", None),
            ("bench 5 % faster", None),
            ("bench 2x faster", None),
            ("+53 Elo at nodes=8000", None),
            ("Bench:\n5", None),
            ("bench: ,,", None),
        ] {
            assert_eq!(of_message(message), nodes, "{message}");
        }
    }

    #[test]
    fn compares_with_what_is_expected() {
        let five = || Ok(5);
        assert_eq!(BenchCheck::Commit.fault(five, None), None);
        assert_eq!(BenchCheck::Commit.fault(five, Some(5)), None);
        assert_eq!(
            BenchCheck::Commit.fault(five, Some(6)).as_deref(),
            Some("its message gives bench 6, but the bench is 5")
        );
        let failed = || Err(BenchError::Failed("exit status: 3".into()));
        assert_eq!(
            BenchCheck::Commit.fault(failed, Some(6)).as_deref(),
            Some(
                "its message gives bench 6, but its `bench` failed (exit status: 3) and printed no node count"
            )
        );
        assert_eq!(BenchCheck::Record.fault(five, Some(6)), None);
        assert_eq!(BenchCheck::Nodes(5).fault(five, Some(6)), None);
        assert!(BenchCheck::Nodes(7).fault(five, Some(5)).is_some());
    }
}
