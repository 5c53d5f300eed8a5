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
pub mod tablebase;
mod tag_text;
mod termination;

pub use adjudication::{Adjudication, Adjudicator, DrawRule, ResignRule, TablebaseRule};
pub use clock::{Clock, ClockState, millis};
pub use digest::{GameDigest, game_digests};
pub use fen::STANDARD_START;
pub(crate) use fen::without_counters;
pub use limit::{Limit, Stage};
pub use line_pattern::LinePattern;
pub use movetext::without_engine_lines;
pub use movetext::{Movetext, Notation, PlayedMove, RecordStyle};
pub use outcome::Outcome;
pub use pgn_writer::{GameHeader, final_epd, termination_tag, write_game};
pub use pv::illegal_move;
pub use referee::{Ending, Referee, legal_uci_move};
pub(crate) use referee::{legal_move, position_key};
pub use repeated_tags::RepeatedTags;
pub use result::{Effort, GameResult};
pub use search_info::{Score, SearchInfo};
pub use spending::{Departure, Spending, compared, departure};
pub use tag_text::tag_text;
pub use termination::Detail;
pub use termination::Termination;
