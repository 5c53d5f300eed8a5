//! One row of `games.csv`.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::borrow::Cow;
use std::io::Read;

use serde::{Deserialize, Serialize};

use super::pgn_file::PgnSpan;
use crate::executor::PlayedPair;
use hone_experiment::PairResult;
use hone_uci::rules::{Effort, GameResult, Outcome, Termination};

/// A row as it is written: the columns of the contract first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// From 1; the `Round` tag of the game.
    pub pair: u64,
    /// 1 or 2.
    pub game: u8,
    pub white: String,
    pub black: String,
    /// Number of the opening in its book, from 1.
    pub opening: u64,
    pub result: String,
    pub termination: Termination,
    pub plies: u32,
    pub white_ms: u64,
    pub black_ms: u64,
    pub white_nodes: u64,
    pub black_nodes: u64,
    /// Offset of the game's first byte in `games.pgn`.
    pub pgn_offset: u64,
    /// Sixteen hexadecimal digits.
    pub digest: String,
    pub pgn_bytes: u64,
    pub white_moves: u32,
    pub black_moves: u32,
    /// Sums over the moves.
    pub white_depth: u64,
    pub black_depth: u64,
    pub white_seldepth: u64,
    pub black_seldepth: u64,
    pub white_latency_us: u64,
    pub black_latency_us: u64,
    pub worker: usize,
    /// When the pair was finished: milliseconds since 1970.
    pub finished_ms: i64,
    #[serde(default)]
    pub white_starved_us: u64,
    #[serde(default)]
    pub black_starved_us: u64,
    #[serde(default)]
    pub white_illegal_pvs: u32,
    #[serde(default)]
    pub black_illegal_pvs: u32,
    /// As `digest`, without the move counters of the start position.
    #[serde(default)]
    pub line: String,
    /// Sixteen hexadecimal digits: the digest of `run.toml`, without what has
    /// no influence on the games. Empty in runs of earlier versions.
    #[serde(default)]
    pub conditions: String,
    #[serde(default)]
    pub white_replayed: u32,
    #[serde(default)]
    pub black_replayed: u32,
    #[serde(default)]
    pub white_measured_us: u64,
    #[serde(default)]
    pub black_measured_us: u64,
    #[serde(default)]
    pub white_cpu_us: u64,
    #[serde(default)]
    pub black_cpu_us: u64,
    #[serde(default)]
    pub white_idle_cpu_us: u64,
    #[serde(default)]
    pub black_idle_cpu_us: u64,
}

/// The header line: the columns of the contract, then further ones.
pub(super) const HEADER: &str = "pair,game,white,black,opening,result,termination,plies,\
    white_ms,black_ms,white_nodes,black_nodes,pgn_offset,digest,pgn_bytes,white_moves,black_moves,\
    white_depth,black_depth,white_seldepth,black_seldepth,white_latency_us,black_latency_us,\
    worker,finished_ms,white_starved_us,black_starved_us,white_illegal_pvs,black_illegal_pvs,\
     line,conditions,white_replayed,black_replayed,white_measured_us,black_measured_us,\
     white_cpu_us,black_cpu_us,white_idle_cpu_us,black_idle_cpu_us\n";

/// Why a row is not valid.
#[derive(Debug, thiserror::Error)]
pub enum RowError {
    #[error("not a row of games: {0}")]
    Csv(#[from] csv::Error),
    #[error("this run has no engine `{0}`")]
    Name(String),
    #[error("`{0}` is not a result")]
    Result(String),
    #[error("`{0}` is not a digest")]
    Digest(String),
    #[error("the two games of a pair must follow each other")]
    Order,
    #[error("the two games of a pair must have the same opening")]
    Opening,
}

/// A complete pair of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedPair {
    pub result: PairResult,
    pub opening_number: u64,
    pub pgn: [PgnSpan; 2],
    pub worker: usize,
    pub finished_ms: i64,
    /// The digest of the run's conditions; `None` in ledgers of earlier versions.
    pub conditions: Option<u64>,
}

/// A row whose engine names are resolved to indices.
#[derive(Debug, Clone)]
pub(super) struct Parsed {
    pair: u64,
    game: u8,
    white: usize,
    black: usize,
    opening: u64,
    result: GameResult,
    pub(super) pgn: PgnSpan,
    worker: usize,
    finished_ms: i64,
    conditions: Option<u64>,
}

impl RecordedPair {
    /// Whether its games follow each other in `games.pgn`, from the byte `offset` on.
    pub(crate) fn is_at(&self, offset: u64) -> bool {
        let [first, second] = self.pgn;
        first.begins_at(offset) && second.begins_at(first.end())
    }

    /// Whether it was played under these conditions. Rows of earlier versions have no digest
    /// of them and are accepted.
    pub(crate) fn is_under(&self, conditions: u64) -> bool {
        self.conditions.is_none_or(|then| then == conditions)
    }

    pub(super) fn join(first: Parsed, second: Parsed) -> Result<Self, RowError> {
        let fits = first.pair == second.pair
            && (first.game, second.game) == (1, 2)
            && (first.white, first.black) == (second.black, second.white)
            && first.conditions == second.conditions;
        let Some(pair) = first.pair.checked_sub(1).filter(|_| fits) else {
            return Err(RowError::Order);
        };
        if first.opening != second.opening {
            return Err(RowError::Opening);
        }
        Ok(Self {
            result: PairResult {
                pair,
                engines: [first.white, first.black],
                games: [first.result, second.result],
            },
            opening_number: first.opening,
            pgn: [first.pgn, second.pgn],
            worker: first.worker,
            finished_ms: first.finished_ms,
            conditions: first.conditions,
        })
    }
}

/// Reads the rows of a `games.csv`.
pub(super) struct RowReader<R> {
    reader: csv::Reader<R>,
    record: csv::StringRecord,
    headers: csv::StringRecord,
}

impl Row {
    /// The text of the two rows of a pair whose games begin at `offsets`.
    #[cfg_attr(
        not(test),
        expect(clippy::expect_used, reason = "writes to memory what was played; nothing is read")
    )]
    pub(super) fn pair(
        names: &[String],
        played: &PlayedPair,
        offsets: [u64; 2],
        conditions: u64,
    ) -> String {
        let mut writer = csv::WriterBuilder::new()
            .has_headers(false)
            .from_writer(Vec::new());
        for (game, offset) in offsets.into_iter().enumerate() {
            writer
                .serialize(Row::of(names, played, game, offset, conditions))
                .expect("a row can be written to memory");
        }
        let text = writer.into_inner().expect("memory can be flushed");
        String::from_utf8(text).expect("rows are text")
    }

    #[cfg_attr(
        not(test),
        expect(
            clippy::indexing_slicing,
            clippy::arithmetic_side_effects,
            reason = "takes what was played; nothing is read"
        )
    )]
    fn of(
        names: &[String],
        played: &PlayedPair,
        game: usize,
        offset: u64,
        conditions: u64,
    ) -> Self {
        let result = &played.result.games[game];
        let players = played.result.players(game);
        let [white, black] = players.map(|engine| names[engine].clone());
        let [we, be] = result.effort;
        Self {
            pair: played.result.pair + 1,
            game: if game == 0 { 1 } else { 2 },
            white,
            black,
            opening: played.opening_number,
            result: result.outcome.as_str().to_string(),
            termination: result.termination,
            plies: result.plies,
            white_ms: result.ms[0],
            black_ms: result.ms[1],
            white_nodes: result.nodes[0],
            black_nodes: result.nodes[1],
            pgn_offset: offset,
            digest: digest_text(result.digest),
            pgn_bytes: played.texts[game].pgn.len() as u64,
            white_moves: we.moves,
            black_moves: be.moves,
            white_depth: we.depth,
            black_depth: be.depth,
            white_seldepth: we.seldepth,
            black_seldepth: be.seldepth,
            white_latency_us: we.latency_us,
            black_latency_us: be.latency_us,
            worker: played.worker,
            finished_ms: played.finished_ms,
            white_starved_us: we.starved_us,
            black_starved_us: be.starved_us,
            white_illegal_pvs: we.illegal_pvs,
            black_illegal_pvs: be.illegal_pvs,
            line: result.line.map_or(String::new(), digest_text),
            conditions: digest_text(conditions),
            white_replayed: we.replayed,
            black_replayed: be.replayed,
            white_measured_us: we.measured_us,
            black_measured_us: be.measured_us,
            white_cpu_us: we.cpu_us,
            black_cpu_us: be.cpu_us,
            white_idle_cpu_us: we.idle_cpu_us,
            black_idle_cpu_us: be.idle_cpu_us,
        }
    }

    /// The efforts of White and Black.
    fn efforts(&self) -> [Effort; 2] {
        [
            Effort {
                moves: self.white_moves,
                depth: self.white_depth,
                seldepth: self.white_seldepth,
                latency_us: self.white_latency_us,
                starved_us: self.white_starved_us,
                illegal_pvs: self.white_illegal_pvs,
                replayed: self.white_replayed,
                measured_us: self.white_measured_us,
                cpu_us: self.white_cpu_us,
                idle_cpu_us: self.white_idle_cpu_us,
            },
            Effort {
                moves: self.black_moves,
                depth: self.black_depth,
                seldepth: self.black_seldepth,
                latency_us: self.black_latency_us,
                starved_us: self.black_starved_us,
                illegal_pvs: self.black_illegal_pvs,
                replayed: self.black_replayed,
                measured_us: self.black_measured_us,
                cpu_us: self.black_cpu_us,
                idle_cpu_us: self.black_idle_cpu_us,
            },
        ]
    }

    /// Resolves the engines' names to their indices.
    fn resolve(self, names: &[String]) -> Result<Parsed, RowError> {
        let engine = |name: String| {
            names
                .iter()
                .position(|known| *known == name)
                .ok_or(RowError::Name(name))
        };
        let effort = self.efforts();
        let outcome = Outcome::parse(&self.result).ok_or(RowError::Result(self.result))?;
        Ok(Parsed {
            pair: self.pair,
            game: self.game,
            white: engine(self.white)?,
            black: engine(self.black)?,
            opening: self.opening,
            result: GameResult {
                outcome,
                termination: self.termination,
                plies: self.plies,
                ms: [self.white_ms, self.black_ms],
                nodes: [self.white_nodes, self.black_nodes],
                effort,
                digest: parse_digest(self.digest)?,
                line: parse_optional_digest(self.line)?,
            },
            pgn: PgnSpan {
                offset: self.pgn_offset,
                bytes: self.pgn_bytes,
            },
            worker: self.worker,
            finished_ms: self.finished_ms,
            conditions: parse_optional_digest(self.conditions)?,
        })
    }
}

fn digest_text(digest: u64) -> String {
    format!("{digest:016x}")
}

fn parse_digest(text: String) -> Result<u64, RowError> {
    u64::from_str_radix(&text, 16).map_err(|_| RowError::Digest(text))
}

/// `None` for an empty text.
fn parse_optional_digest(text: String) -> Result<Option<u64>, RowError> {
    (!text.is_empty()).then(|| parse_digest(text)).transpose()
}

impl<R: Read> RowReader<R> {
    /// Reads the header line.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn new(rows: R) -> Result<Self, csv::Error> {
        // Lines end at the line feed, so that a position between two rows is
        // one between two lines, whatever an editor has made of the line ends.
        let mut reader = csv::ReaderBuilder::new()
            .flexible(true)
            .terminator(csv::Terminator::Any(b'\n'))
            .from_reader(rows);
        let headers = without_return(reader.headers()?).into_owned();
        Ok(Self {
            reader,
            record: csv::StringRecord::new(),
            headers,
        })
    }

    /// Reads rows without a header line, with the column names of an earlier reader.
    pub(super) fn with_headers(rows: R, headers: csv::StringRecord) -> Self {
        Self {
            reader: csv::ReaderBuilder::new()
                .flexible(true)
                .has_headers(false)
                .terminator(csv::Terminator::Any(b'\n'))
                .from_reader(rows),
            record: csv::StringRecord::new(),
            headers,
        }
    }

    /// The names of the columns.
    pub(super) fn headers(&self) -> &csv::StringRecord {
        &self.headers
    }

    /// Bytes read so far.
    pub(super) fn position(&self) -> u64 {
        self.reader.position().byte()
    }

    /// The line number of the last row, from 1.
    pub(super) fn line(&self) -> u64 {
        self.record.position().map_or(1, csv::Position::line)
    }

    /// The next row.
    ///
    /// # Errors
    /// The line number and why the row is not valid.
    pub(super) fn next_row(&mut self, names: &[String]) -> Result<Option<Parsed>, (u64, RowError)> {
        let row = match self.reader.read_record(&mut self.record) {
            Ok(false) => return Ok(None),
            Ok(true) => without_return(&self.record)
                .deserialize::<Row>(Some(&self.headers))
                .map_err(RowError::from),
            Err(error) => Err(error.into()),
        };
        row.and_then(|row| row.resolve(names))
            .map(Some)
            .map_err(|error| (self.line(), error))
    }
}

/// A line without the carriage return at its end.
fn without_return(line: &csv::StringRecord) -> Cow<'_, csv::StringRecord> {
    let Some(last) = line
        .iter()
        .next_back()
        .and_then(|last| last.strip_suffix('\r'))
    else {
        return Cow::Borrowed(line);
    };
    let before = line.iter().take(line.len().saturating_sub(1));
    Cow::Owned(before.chain([last]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scripts read columns by number.
    #[test]
    fn the_columns_of_the_contract_come_first() {
        let contract = "pair,game,white,black,opening,result,termination,plies,white_ms,\
                        black_ms,white_nodes,black_nodes,pgn_offset,digest,";
        assert!(HEADER.starts_with(contract), "{HEADER}");
    }

    #[test]
    fn the_header_names_the_columns_of_a_row() {
        let values = "1,1,a,b,1,1-0,checkmate,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,ab,0,0,0,0,0,0,0,0\n";
        let text = format!("{HEADER}{values}");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let row: Row = reader.deserialize().next().unwrap().unwrap();
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.serialize(row).unwrap();
        let written = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        assert_eq!(written, text);
    }
}
