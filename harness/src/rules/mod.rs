//! The rules of a game between engines: limits and clocks, the referee, adjudication,
//! tablebases, and the record. No engine runs here.

mod adjudication;
mod clock;
mod digest;
mod fen;
mod go;
mod limit;
mod line_pattern;
mod movetext;
mod pgn;
mod pv;
mod referee;
mod repeated_tags;
mod result;
mod search_info;
mod spending;
pub(crate) mod tablebase;

pub(crate) use adjudication::{Adjudication, Adjudicator, TablebaseRule};
pub(crate) use clock::{Clock, ClockState, millis};
pub(crate) use digest::{GameDigest, game_digests};
pub(crate) use fen::{STANDARD_START, push_position, without_counters};
pub(crate) use go::push_go;
pub use limit::{Limit, Stage};
pub(crate) use line_pattern::LinePattern;
#[cfg(feature = "fleet")]
pub(crate) use movetext::without_engine_lines;
pub(crate) use movetext::{Movetext, Notation, PlayedMove, RecordStyle};
pub(crate) use pgn::{GameHeader, final_epd, overrun_ms, tag_text, termination_tag, write_game};
pub(crate) use pv::illegal_move;
pub(crate) use referee::{Ending, Referee, legal_uci_move, position_key};
pub(crate) use repeated_tags::RepeatedTags;
pub(crate) use result::{Effort, GameResult};
pub use result::{Outcome, Termination};
pub(crate) use search_info::{Info, Score};
pub(crate) use spending::{Spending, departure};
