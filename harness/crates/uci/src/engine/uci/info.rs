//! `info` lines.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use crate::rules::{Score, SearchInfo};

impl SearchInfo {
    /// Reads one `info` line, without the line end. Fields that cannot be read are skipped,
    /// but for an exact score: without it, that of an earlier line is cleared.
    pub fn update(&mut self, line: &[u8]) {
        let mut line_info = LineInfo::default();
        line_info.read(line);
        self.nodes = line_info.nodes.unwrap_or(self.nodes);
        if line_info.multipv > 1 {
            return;
        }
        self.nps = line_info.nps.unwrap_or(self.nps);
        self.hashfull = line_info.hashfull.unwrap_or(self.hashfull);
        self.tbhits = line_info.tbhits.unwrap_or(self.tbhits);
        if line_info.has_score && !line_info.bound {
            self.score = line_info.score;
            self.depth = line_info.depth.unwrap_or(self.depth);
            self.seldepth = line_info.seldepth.unwrap_or(self.seldepth);
            if let Some(pv) = line_info.pv {
                self.pv.clear();
                self.pv.extend_from_slice(shortened(pv));
            }
        }
    }
}

/// Bytes kept of a principal variation: about 200 moves.
const MAX_PV: usize = 1024;

/// The principal variation of an `info` line, if it has one.
pub(crate) fn principal_variation(line: &[u8]) -> Option<&[u8]> {
    let mut line_info = LineInfo::default();
    line_info.read(line);
    line_info.pv
}

/// The moves of a variation that fit into [`MAX_PV`] bytes.
fn shortened(pv: &[u8]) -> &[u8] {
    let Some(kept) = pv.get(..=MAX_PV) else {
        return pv;
    };
    let end = kept.iter().rposition(u8::is_ascii_whitespace);
    end.and_then(|end| kept.get(..end)).unwrap_or_default()
}

#[derive(Default)]
struct LineInfo<'a> {
    depth: Option<u32>,
    seldepth: Option<u32>,
    multipv: u32,
    has_score: bool,
    /// The score, if it can be read.
    score: Option<Score>,
    bound: bool,
    nodes: Option<u64>,
    nps: Option<u64>,
    hashfull: Option<u32>,
    tbhits: Option<u64>,
    pv: Option<&'a [u8]>,
}

impl<'a> LineInfo<'a> {
    fn read(&mut self, line: &'a [u8]) {
        let mut words = Words { rest: line };
        while let Some(word) = words.next() {
            match word {
                b"depth" => self.depth = words.number(),
                b"seldepth" => self.seldepth = words.number(),
                b"multipv" => self.multipv = words.number().unwrap_or(0),
                b"nodes" => self.nodes = words.number(),
                b"nps" => self.nps = words.number(),
                b"hashfull" => self.hashfull = words.number(),
                b"tbhits" => self.tbhits = words.number(),
                b"score" => self.has_score = true,
                b"cp" => self.set_score(words.clamped().map(Score::Cp)),
                b"mate" => self.set_score(words.clamped().map(Score::Mate)),
                b"lowerbound" | b"upperbound" => self.bound = true,
                b"pv" => self.pv = Some(words.until_key()),
                // The rest of the line is free text.
                b"string" => return,
                _ => {}
            }
        }
    }

    fn set_score(&mut self, score: Option<Score>) {
        self.has_score = true;
        self.score = score.or(self.score);
    }
}

/// Whether a word begins a field of an `info` line. UCI does not fix the order of fields.
fn is_key(word: &[u8]) -> bool {
    matches!(
        word,
        b"depth"
            | b"seldepth"
            | b"time"
            | b"nodes"
            | b"pv"
            | b"multipv"
            | b"score"
            | b"currmove"
            | b"currmovenumber"
            | b"hashfull"
            | b"nps"
            | b"tbhits"
            | b"sbhits"
            | b"cpuload"
            | b"string"
            | b"refutation"
            | b"currline"
            | b"wdl"
    )
}

/// Splits a line at white space (all control characters) without allocating.
struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    /// The words before the next key.
    fn until_key(&mut self) -> &'a [u8] {
        let mut ahead = Words { rest: self.rest };
        let mut end = self.rest;
        while ahead.next().is_some_and(|word| !is_key(word)) {
            end = ahead.rest;
        }
        let words = self.rest.strip_suffix(end).unwrap_or_default();
        self.rest = end;
        words.trim_ascii()
    }

    /// Reads the next word; `None` if it is not a number in the range of `T`.
    fn number<T: TryFrom<i64>>(&mut self) -> Option<T> {
        T::try_from(self.integer()?).ok()
    }

    /// Reads the next word; `None` if it is not a whole number. One beyond the range becomes
    /// `i32::MAX`, or its negative, whose sign can be changed.
    fn clamped(&mut self) -> Option<i32> {
        let value = self.integer()?;
        let size = i32::try_from(value.unsigned_abs()).unwrap_or(i32::MAX);
        Some(if value < 0 {
            size.saturating_neg()
        } else {
            size
        })
    }

    /// Reads the next word; `None` if it is not a whole number. One beyond the range becomes
    /// the nearest bound.
    fn integer(&mut self) -> Option<i64> {
        let (is_negative, digits) = match self.next()? {
            [b'-', digits @ ..] => (true, digits),
            [b'+', digits @ ..] => (false, digits),
            digits => (false, digits),
        };
        if digits.is_empty() {
            return None;
        }
        let mut value = 0_i64;
        for digit in digits {
            let digit = i64::from(char::from(*digit).to_digit(10)?);
            value = value.saturating_mul(10).saturating_add(digit);
        }
        Some(if is_negative {
            value.saturating_neg()
        } else {
            value
        })
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let is_space = |byte: &u8| *byte <= b' ';
        let start = self.rest.iter().position(|byte| !is_space(byte))?;
        let (_, rest) = self.rest.split_at_checked(start)?;
        let end = rest.iter().position(is_space).unwrap_or(rest.len());
        let (word, rest) = rest.split_at_checked(end)?;
        self.rest = rest;
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(lines: &[&str]) -> SearchInfo {
        let mut info = SearchInfo::default();
        for line in lines {
            info.update(line.as_bytes());
        }
        info
    }

    #[test]
    fn reads_every_field() {
        let info = info(&[
            "info depth 12 seldepth 20 multipv 1 score cp -31 nodes 1234 nps 99 hashfull 7 tbhits 3 time 15 pv e2e4 e7e5",
        ]);
        assert_eq!(info.depth, 12);
        assert_eq!(info.seldepth, 20);
        assert_eq!(info.score, Some(Score::Cp(-31)));
        assert_eq!((info.nodes, info.nps), (1234, 99));
        assert_eq!((info.hashfull, info.tbhits), (7, 3));
        assert_eq!(info.pv, b"e2e4 e7e5");
    }

    #[test]
    fn fields_may_come_in_any_order() {
        for line in [
            "info depth 12 pv e2e4 e7e5 score cp -31 nodes 1234",
            "info pv  e2e4 e7e5  nodes 1234 multipv 1 score cp -31 depth 12",
            "info score cp -31 nodes 1234 depth 12 pv e2e4 e7e5 string pv a2a3 depth 99",
        ] {
            let info = info(&[line]);
            assert_eq!((info.depth, info.nodes), (12, 1234), "{line}");
            assert_eq!(info.score, Some(Score::Cp(-31)), "{line}");
            assert_eq!(info.pv, b"e2e4 e7e5", "{line}");
        }
        let second = info(&["info depth 3 pv a2a3 multipv 2 score cp 9"]);
        assert_eq!(second, SearchInfo::default());
    }

    #[test]
    fn bounds_and_other_variations_do_not_give_the_score() {
        let info = info(&[
            "info depth 5 score cp 10 nodes 100 pv a2a3",
            "info depth 6 score cp 90 lowerbound nodes 200 pv b2b3",
            "info depth 6 multipv 2 score cp -50 nodes 300 pv c2c3",
        ]);
        assert_eq!(info.score, Some(Score::Cp(10)));
        assert_eq!(info.depth, 5);
        assert_eq!(info.nodes, 300);
        assert_eq!(info.pv, b"a2a3");
    }

    #[test]
    fn free_text_is_not_searched_for_fields() {
        let info = info(&["info string depth 99 score cp 5000"]);
        assert_eq!(info, SearchInfo::default());
    }

    #[test]
    fn a_long_variation_is_cut_between_moves() {
        let line = format!("info depth 1 score cp 1 pv {}", "e2e4 g8f6 ".repeat(500));
        let info = info(&[&line]);
        assert!(info.pv.len() <= MAX_PV);
        assert!(info.pv.ends_with(b" e2e4") || info.pv.ends_with(b" g8f6"));
    }

    #[test]
    fn fields_without_a_valid_value_are_skipped() {
        let info = info(&["info depth x score cp nodes -5 pv", "info", ""]);
        assert_eq!(info.score, None);
    }

    #[test]
    fn an_absurd_score_is_clamped_and_not_replaced_by_an_older_one() {
        for (text, score) in [
            ("cp -99999999999", Score::Cp(-i32::MAX)),
            ("cp 99999999999999999999999", Score::Cp(i32::MAX)),
            ("cp -2147483648", Score::Cp(-i32::MAX)),
            ("mate -99999999999", Score::Mate(-i32::MAX)),
        ] {
            let line = format!("info depth 2 score {text}");
            let info = info(&["info depth 1 score cp 50", &line]);
            assert_eq!((info.score, info.depth), (Some(score), 2), "{text}");
        }
    }

    #[test]
    fn an_exact_score_that_cannot_be_read_clears_the_older_one() {
        for (line, score) in [
            ("info depth 2 score cp 0.11", None),
            ("info depth 2 score", None),
            ("info depth 2 score cp x lowerbound", Some(Score::Cp(50))),
            ("info depth 2 multipv 2 score cp x", Some(Score::Cp(50))),
            ("info depth 2 nodes 9", Some(Score::Cp(50))),
        ] {
            let info = info(&["info depth 1 score cp 50", line]);
            assert_eq!(info.score, score, "{line}");
        }
    }
}
