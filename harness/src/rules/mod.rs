//! The rules of a game between engines: limits and clocks, the referee, adjudication,
//! tablebases, and the record. No engine runs here.

mod adjudication;
mod clock;
mod digest;
mod fen;
mod limit;
mod line_pattern;
mod movetext;
mod outcome;
mod pgn_writer;
mod pv;
mod referee;
mod repeated_tags;
mod result;
mod search_info;
mod spending;
pub(crate) mod tablebase;
mod tag_text;
mod termination;

pub(crate) use adjudication::{Adjudication, Adjudicator, TablebaseRule};
pub(crate) use clock::{Clock, ClockState, millis};
pub(crate) use digest::{GameDigest, game_digests};
pub(crate) use fen::{STANDARD_START, without_counters};
pub use limit::{Limit, Stage};
pub(crate) use line_pattern::LinePattern;
#[cfg(feature = "fleet")]
pub(crate) use movetext::without_engine_lines;
pub(crate) use movetext::{Movetext, Notation, PlayedMove, RecordStyle};
pub use outcome::Outcome;
pub(crate) use pgn_writer::{GameHeader, final_epd, termination_tag, write_game};
pub(crate) use pv::illegal_move;
pub(crate) use referee::{Ending, Referee, legal_move, legal_uci_move, position_key};
pub(crate) use repeated_tags::RepeatedTags;
pub(crate) use result::{Effort, GameResult};
pub(crate) use search_info::{Score, SearchInfo};
pub(crate) use spending::{Spending, departure};
pub(crate) use tag_text::tag_text;
pub use termination::Termination;
pub(crate) use termination::overrun_ms;
