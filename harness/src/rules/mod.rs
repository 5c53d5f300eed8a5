//! The rules of a game between engines: openings, limits and clocks, the
//! referee, adjudication, endgame tables, and the record. No engine runs here:
//! what happens is passed in.

mod adjudication;
mod clock;
mod digest;
mod go;
mod limit;
mod movetext;
pub mod openings;
mod pgn;
mod pv;
mod referee;
mod result;
mod search_info;
pub mod tablebase;

pub use adjudication::{
    Adjudication, Adjudicator, DrawRule, ResignRule, TablebaseResults, TablebaseRule,
};
pub use clock::{Clock, Overrun};
pub use digest::{GameDigest, game_digest};
pub use go::push_go;
pub use limit::{Limit, LimitError, Stage};
pub use movetext::{Movetext, Notation, PlayedMove, RecordStyle};
pub use pgn::{GameHeader, write_game};
pub use pv::illegal_move;
pub use referee::{Ending, Referee};
pub use result::{Effort, GameResult, Outcome, Termination};
pub use search_info::{Info, Score};
