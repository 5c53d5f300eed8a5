//! How long an engine may think.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use hone_base::text::excerpt;

/// One stage of a time control. Times in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stage {
    /// Moves in this stage; `None` for the rest of the game.
    pub moves: Option<u32>,
    pub base: u64,
    pub increment: u64,
}

/// How long an engine may think: a clock of one or several stages, a fixed
/// time, a number of nodes or a depth, or several of these at once.
///
/// Written as `8+0.08`, `40/60`, `40/60+0.5`, `40/120,20/60`, `1:30+0.5`
/// (seconds, or minutes:seconds), `movetime=100` (milliseconds), `nodes=5000`,
/// `depth=8`, or several of them separated by spaces. After the last stage of
/// a clock that counts moves, that stage begins again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Limit {
    stages: Vec<Stage>,
    pub movetime: Option<u64>,
    pub nodes: Option<u64>,
    pub depth: Option<u32>,
}

/// Why a text is not a valid limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a valid limit: {reason}; write for example \"8+0.08\", \"40/60+0.5\", \"40/120,20/60\", \"1:30+0.5\", \"movetime=100\", \"nodes=5000\" or \"depth=8\""
)]
pub struct LimitError {
    text: String,
    reason: &'static str,
}

/// The longest time in milliseconds. Sums of several fit into 64 bits, and each is exact as
/// an `f64`.
const MAX_MS: u64 = 1_000_000_000_000;
const OUT_OF_RANGE: &str = "a time must lie between 0 and 1e9 seconds";

impl Limit {
    /// A limit without any restriction, which is not valid.
    const EMPTY: Self = Self {
        stages: Vec::new(),
        movetime: None,
        nodes: None,
        depth: None,
    };

    /// A limit of nodes alone.
    pub fn nodes(nodes: u64) -> Self {
        Self {
            nodes: Some(nodes),
            ..Self::EMPTY
        }
    }

    /// The stages of the clock; empty without a clock.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// The limit with all times multiplied by `factor` and rounded to milliseconds; times
    /// above 0 stay above 0.
    pub fn scaled(&self, factor: f64) -> Self {
        let scaled = |ms: u64| match ms {
            0 => 0,
            #[cfg_attr(
                not(test),
                expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "between 1 and MAX_MS"
                )
            )]
            ms => (ms as f64 * factor).round().clamp(1.0, MAX_MS as f64) as u64,
        };
        let stages = self.stages.iter().map(|stage| Stage {
            moves: stage.moves,
            base: scaled(stage.base),
            increment: scaled(stage.increment),
        });
        Self {
            stages: stages.collect(),
            movetime: self.movetime.map(scaled),
            ..self.clone()
        }
    }

    /// Sets a limit written as `key=value`.
    ///
    /// # Errors
    /// The reason of a [`LimitError`].
    fn set(&mut self, key: &str, value: &str) -> Result<(), &'static str> {
        let number = || {
            let number = whole_number(value).filter(|number| *number > 0);
            number.ok_or("a whole number above 0 must follow `=`")
        };
        let is_second = match key {
            "movetime" => {
                let ms = u64::try_from(number()?).ok().filter(|ms| *ms <= MAX_MS);
                let ms = ms.ok_or("movetime must be at most 1e12 ms")?;
                self.movetime.replace(ms).is_some()
            }
            "nodes" => {
                let nodes = u64::try_from(number()?);
                let nodes = nodes.map_err(|_| "nodes must be at most 18446744073709551615")?;
                self.nodes.replace(nodes).is_some()
            }
            "depth" => {
                let depth = u32::try_from(number()?);
                let depth = depth.map_err(|_| "depth must be at most 4294967295")?;
                self.depth.replace(depth).is_some()
            }
            _ => return Err("the key before `=` must be movetime, nodes or depth"),
        };
        if is_second {
            Err("it contains a key twice")
        } else {
            Ok(())
        }
    }

    /// The clock that was probably meant, if this one is most unusual: `8/0.08` and `8:0.08`
    /// are often slips for `8+0.08`, and `0.08+8` has its times swapped.
    pub fn likely_meant(&self) -> Option<Self> {
        let [stage] = self.stages[..] else {
            return None;
        };
        let (minutes, rest) = (stage.base / 60_000, stage.base % 60_000);
        let meant = match (stage.moves, stage.increment) {
            (Some(moves), 0) if stage.base < 1000 => {
                [u64::from(moves).saturating_mul(1000), stage.base]
            }
            (None, 0) if minutes > 0 && 0 < rest && rest < 1000 => {
                [minutes.saturating_mul(1000), rest]
            }
            (None, increment) if 0 < stage.base && stage.base.saturating_mul(10) <= increment => {
                [increment, stage.base]
            }
            _ => return None,
        };
        let [base, increment] = meant;
        let stage = Stage {
            moves: None,
            base,
            increment,
        };
        Some(Self {
            stages: vec![stage],
            ..self.clone()
        })
    }

    /// Whether an engine can lose on time under this limit.
    pub fn is_timed(&self) -> bool {
        !self.stages.is_empty() || self.movetime.is_some()
    }
}

impl FromStr for Limit {
    type Err = LimitError;

    fn from_str(text: &str) -> Result<Self, LimitError> {
        let error = |reason| LimitError {
            text: excerpt(text, 0).into_owned(),
            reason,
        };
        let mut limit = Self::EMPTY;
        for word in joined(text).split_whitespace() {
            if let Some(reason) = unsupported(word) {
                return Err(error(reason));
            }
            let Some((key, value)) = word.split_once('=') else {
                if !limit.stages.is_empty() {
                    return Err(error("it contains two time controls"));
                }
                limit.stages = word
                    .split(',')
                    .map(parse_stage)
                    .collect::<Result<_, _>>()
                    .map_err(error)?;
                if has_decimal_comma(word) {
                    return Err(error(DECIMAL_COMMA));
                }
                continue;
            };
            limit.set(key, value).map_err(error)?;
        }
        if limit == Self::EMPTY {
            return Err(error("it is empty"));
        }
        if limit
            .stages
            .iter()
            .rev()
            .skip(1)
            .any(|stage| stage.moves.is_none())
        {
            return Err(error(
                "only the last stage may lack its number of moves (decimals have a point)",
            ));
        }
        Ok(limit)
    }
}

/// The text without blanks around the signs of a limit, as in `8 + 0.08`.
fn joined(text: &str) -> String {
    let is_sign = |c: char| matches!(c, '+' | '/' | ',' | ':' | '=');
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() && !out.ends_with(is_sign) && !word.starts_with(is_sign) {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Why a time control of other programs is not supported.
fn unsupported(word: &str) -> Option<&'static str> {
    if matches!(word, "inf" | "infinite") {
        return Some("without a limit, a game might never end");
    }
    word.starts_with("hg")
        .then_some("hourglass clocks are not supported")
}

/// Whether a whole number follows a comma after a whole increment, as in
/// `40/60+0,5`: a last stage of 5 s without increment would be written `5+0`.
fn has_decimal_comma(clock: &str) -> bool {
    let is_whole = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let Some((before, last)) = clock.rsplit_once(',') else {
        return false;
    };
    let increment = before.rsplit_once('+').map(|(_, increment)| increment);
    is_whole(last) && increment.is_some_and(is_whole)
}

const DECIMAL_COMMA: &str = "the comma after the increment looks like a decimal comma (a decimal \
     has a point, as in 40/60+0.5; a last stage without increment ends with +0, as in 40/60+1,30+0)";

/// A whole number, not negative; the greatest one if it has too many digits.
fn whole_number(text: &str) -> Option<u128> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u128::MAX))
}

/// Reads a stage: `[moves/]time[+increment]`.
fn parse_stage(text: &str) -> Result<Stage, &'static str> {
    let (moves, rest) = match text.split_once('/') {
        Some((moves, rest)) => {
            let moves = whole_number(moves)
                .filter(|moves| *moves > 0)
                .ok_or("the number of moves before `/` must be a whole number above 0")?;
            let moves = u32::try_from(moves)
                .map_err(|_| "the number of moves before `/` must be at most 4294967295")?;
            (Some(moves), rest)
        }
        None => (None, text),
    };
    let (base, increment) = match rest.split_once('+') {
        Some((base, increment)) => (base, parse_seconds(increment)?),
        None => (rest, 0),
    };
    let base = match base.split_once(':') {
        Some((minutes, seconds)) => {
            let minutes =
                whole_number(minutes).ok_or("the minutes before `:` must be a whole number")?;
            let seconds = parse_seconds(seconds)?;
            u64::try_from(minutes)
                .ok()
                .and_then(|minutes| minutes.checked_mul(60_000))
                .and_then(|ms| ms.checked_add(seconds))
                .filter(|ms| *ms <= MAX_MS)
                .ok_or(OUT_OF_RANGE)?
        }
        None => parse_seconds(base)?,
    };
    if base == 0 && increment == 0 {
        return Err("the time and the increment must not both be 0");
    }
    Ok(Stage {
        moves,
        base,
        increment,
    })
}

/// Reads seconds; returns milliseconds.
fn parse_seconds(text: &str) -> Result<u64, &'static str> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "a time must be a number of seconds")?;
    if !(0.0..=1e9).contains(&seconds) {
        return Err(OUT_OF_RANGE);
    }
    #[cfg_attr(
        not(test),
        expect(
            clippy::cast_possible_truncation,
            reason = "rounded from a number within the range of u64"
        )
    )]
    let ms = (seconds * 1000.0).round() as u64;
    if ms == 0 && seconds > 0.0 {
        return Err("a time above 0 must be at least 0.001 seconds");
    }
    Ok(ms)
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if !self.stages.is_empty() {
            let stages: Vec<String> = self.stages.iter().map(Stage::to_string).collect();
            let mut clock = stages.join(",");
            if has_decimal_comma(&clock) {
                clock += "+0";
            }
            parts.push(clock);
        }
        if let Some(ms) = self.movetime {
            parts.push(format!("movetime={ms}"));
        }
        if let Some(nodes) = self.nodes {
            parts.push(format!("nodes={nodes}"));
        }
        if let Some(depth) = self.depth {
            parts.push(format!("depth={depth}"));
        }
        f.write_str(&parts.join(" "))
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        // The shortest decimal that gives the same milliseconds.
        write!(f, "{}", self.base as f64 / 1000.0)?;
        if self.increment > 0 {
            write!(f, "+{}", self.increment as f64 / 1000.0)?;
        }
        Ok(())
    }
}

impl TryFrom<String> for Limit {
    type Error = LimitError;

    fn try_from(text: String) -> Result<Self, LimitError> {
        text.parse()
    }
}

impl From<Limit> for String {
    fn from(limit: Limit) -> Self {
        limit.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn limit(text: &str) -> Limit {
        text.parse().expect(text)
    }

    #[test]
    fn reads_every_form() {
        assert_eq!(
            limit("8+0.08").stages(),
            [Stage {
                moves: None,
                base: 8000,
                increment: 80
            }]
        );
        assert_eq!(
            limit("40/120,20/60+1").stages(),
            [
                Stage {
                    moves: Some(40),
                    base: 120_000,
                    increment: 0
                },
                Stage {
                    moves: Some(20),
                    base: 60_000,
                    increment: 1000
                }
            ]
        );
        assert_eq!(limit("1:30+0.5").stages()[0].base, 90_000);
        assert_eq!(limit("40/2:05").stages()[0].base, 125_000);
        assert_eq!(limit("nodes=5000"), Limit::nodes(5000));
        let both = limit("8+0.08 nodes=100000 depth=20");
        assert_eq!((both.nodes, both.depth), (Some(100_000), Some(20)));
        assert!(both.is_timed());
        assert_eq!(limit("movetime=100").movetime, Some(100));
    }

    #[test]
    fn blanks_around_signs_do_not_matter() {
        for (text, same) in [
            (" 8 + 0.08 ", "8+0.08"),
            ("40 / 60 + 0.5 , 20 /30", "40/60+0.5,20/30"),
            ("1 : 30 nodes = 5", "90 nodes=5"),
            ("\t8 +0.08\n", "8+0.08"),
            ("40 /60", "40/60"),
            ("depth =8  nodes= 5", "nodes=5 depth=8"),
        ] {
            assert_eq!(limit(text), limit(same), "{text}");
        }
        let error = "8 0.08".parse::<Limit>().expect_err("two clocks");
        assert!(error.to_string().contains("two time controls"), "{error}");
    }

    #[test]
    fn slips_of_a_clock_are_recognized() {
        for (text, meant) in [
            ("8/0.08", Some("8+0.08")),
            ("8:0.08", Some("8+0.08")),
            ("0.08+8", Some("8+0.08")),
            ("10:00.1 nodes=9", Some("10+0.1 nodes=9")),
            ("60 / 0.6", Some("60+0.6")),
            ("1:0.6", Some("1+0.6")),
            ("0.6+60", Some("60+0.6")),
            ("8+0.08", None),
            ("40/60", None),
            ("40/1", None),
            ("40/0.4+0.01", None),
            ("1:30+0.5", None),
            ("10:00", None),
            ("1+2", None),
            ("0+1", None),
            ("40/0.5,8+0.1", None),
            ("nodes=5", None),
        ] {
            let found = limit(text).likely_meant().map(|limit| limit.to_string());
            assert_eq!(found.as_deref(), meant, "{text}");
        }
    }

    #[test]
    fn a_decimal_comma_is_not_another_stage() {
        for text in ["40/60+0,5", "40/60,20/1+0,1", "8+0,08", "40/60+1,30"] {
            let error = text.parse::<Limit>().expect_err(text).to_string();
            assert!(error.contains("decimal comma"), "{error}");
        }
        let error = "8,5+0.1".parse::<Limit>().expect_err("refused").to_string();
        assert!(error.contains("decimals have a point"), "{error}");
        for text in ["40/60+1,30+0", "40/60,30", "40/60+0.5,30", "40/60+1,20/30"] {
            assert_eq!(limit(text).to_string(), text);
        }
    }

    #[test]
    fn the_key_is_checked_before_its_number() {
        for (text, reason) in [
            ("tc=8+0.08", "the key before `=` must be movetime"),
            ("inf", "without a limit, a game might never end"),
            ("hg60", "hourglass clocks are not supported"),
            ("nodes=8+0.08", "a whole number above 0 must follow"),
            ("depth=4294967296", "depth must be at most"),
            (
                "nodes=18446744073709551616",
                "nodes must be at most 18446744073709551615",
            ),
            (
                "movetime=99999999999999999999999999999999999999999",
                "movetime must be at most 1e12 ms",
            ),
            (
                "4294967296/60",
                "number of moves before `/` must be at most 4294967295",
            ),
            ("18446744073709551616:00", "between 0 and 1e9 seconds"),
            ("nodes=200 nodes=300", "contains a key twice"),
            ("depth=8 nodes=200 depth=8", "contains a key twice"),
            ("movetime=100 movetime=50", "contains a key twice"),
            ("8+0.0004", "must be at least 0.001 seconds"),
            ("0.0004+1", "must be at least 0.001 seconds"),
        ] {
            let error = text.parse::<Limit>().expect_err(text).to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn times_are_scaled_and_nodes_are_not() {
        for (text, factor, expected) in [
            ("8+0.08", 1.25, "10+0.1"),
            ("40/60,20/30+0.5 nodes=9", 0.5, "40/30,20/15+0.25 nodes=9"),
            ("movetime=100", 2.0, "movetime=200"),
            ("0.001+0", 0.05, "0.001"),
        ] {
            assert_eq!(limit(text).scaled(factor).to_string(), expected);
        }
    }

    #[test]
    fn refuses_invalid_limits() {
        for text in [
            "",
            "x",
            "8+",
            "-1+1",
            "nodes=0",
            "nodes=-5",
            "nodes=1.5",
            "time=5",
            "0/5",
            "0+0",
            "8+0.08 9+1",
            "5,40/5",
            "NaN",
            "inf",
            "1e300",
            "307445734561826:0",
            "18446744073709551615:1",
            "16666667:0",
            "movetime=1000000000001",
        ] {
            let error = text.parse::<Limit>().expect_err(text).to_string();
            assert!(error.contains("8+0.08"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn reads_what_it_writes(
            stages in proptest::collection::vec((1u32..100, 1u64..=MAX_MS, 0u64..=MAX_MS), 0..3),
            last_counts in proptest::bool::ANY,
            movetime in proptest::option::of(1u64..=MAX_MS),
            nodes in proptest::option::of(1u64..u64::MAX),
            depth in proptest::option::of(1u32..200),
        ) {
            let mut stages: Vec<Stage> = stages
                .into_iter()
                .map(|(moves, base, increment)| Stage { moves: Some(moves), base, increment })
                .collect();
            if let Some(last) = stages.last_mut().filter(|_| !last_counts) {
                last.moves = None;
            }
            let written = Limit {
                stages,
                movetime,
                nodes,
                depth,
            };
            let text = written.to_string();
            prop_assume!(!text.is_empty());
            prop_assert_eq!(text.parse::<Limit>().unwrap(), written);
        }

        #[test]
        fn never_panics(text in ".{0,20}") {
            let _ = text.parse::<Limit>();
        }
    }
}
