//! What an engine reports about its search.

use serde::{Deserialize, Serialize};

/// A score from the engine's own side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// Mate in this number of full moves; negative if the engine is mated.
    Mate(i32),
}

impl Score {
    /// Appends the score as in PGN comments of other tools: `+1.23`, `0.00`, `+M5`, `-M4`
    /// (mates in plies).
    pub fn write_pgn(self, out: &mut String) {
        let mut buffer = itoa::Buffer::new();
        match self {
            Score::Cp(0) => out.push_str("0.00"),
            Score::Cp(cp) => {
                out.push(if cp < 0 { '-' } else { '+' });
                let size = cp.unsigned_abs();
                out.push_str(buffer.format(size / 100));
                out.push('.');
                out.push(char::from(b'0' + (size / 10 % 10) as u8));
                out.push(char::from(b'0' + (size % 10) as u8));
            }
            Score::Mate(moves) => {
                out.push_str(if moves > 0 { "+M" } else { "-M" });
                let plies = u64::from(moves.unsigned_abs()) * 2;
                out.push_str(buffer.format(plies - u64::from(moves > 0)));
            }
        }
    }
}

/// What an engine reported about a search: the last value of each field. Score, depths and
/// variation are those of the last exact score (not a bound) of the first variation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchInfo {
    pub depth: u32,
    pub seldepth: u32,
    pub score: Option<Score>,
    pub nodes: u64,
    pub nps: u64,
    /// Used part of the transposition table in permill.
    pub hashfull: u32,
    pub tbhits: u64,
    /// The principal variation of the score, as sent.
    pub pv: Vec<u8>,
    /// For each pattern of the record, the last line that matches it.
    pub lines: Vec<Option<String>>,
}

impl SearchInfo {
    /// Clears all fields, but keeps the allocations.
    pub fn clear(&mut self) {
        let mut pv = std::mem::take(&mut self.pv);
        pv.clear();
        let mut lines = std::mem::take(&mut self.lines);
        lines.fill(None);
        *self = Self {
            pv,
            lines,
            ..Self::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_written_as_pgn_readers_expect() {
        let text = |score: Score| {
            let mut out = String::new();
            score.write_pgn(&mut out);
            out
        };
        assert_eq!(text(Score::Cp(0)), "0.00");
        assert_eq!(text(Score::Cp(100)), "+1.00");
        assert_eq!(text(Score::Cp(-7)), "-0.07");
        assert_eq!(text(Score::Mate(1)), "+M1");
        assert_eq!(text(Score::Mate(-1)), "-M2");
        assert_eq!(text(Score::Mate(100)), "+M199");
        assert_eq!(text(Score::Mate(-100)), "-M200");
    }
}
