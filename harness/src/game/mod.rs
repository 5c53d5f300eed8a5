//! The rules of a game between engines: limits and clocks, the referee, the
//! adjudication rules and the record. All pure: what happens is passed in.

mod adjudication;
mod clock;
mod digest;
mod go;
mod limit;
mod movetext;
mod pgn;
mod pv;
mod referee;

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
