//! The files of a ledger.

/// Names of the files in a run's folder. `run.toml` has the conditions.
pub const MANIFEST: &str = "run.toml";
pub const GAMES_CSV: &str = "games.csv";
pub const GAMES_PGN: &str = "games.pgn";
pub const GAMES_EPD: &str = "games.epd";
/// How every game of [`GAMES_PGN`] begins.
pub(crate) const GAME_START: &[u8] = b"[Event ";
/// The folder with the evidence of failures, one folder each.
pub const FAILURES: &str = "failures";
