//! The games of a run for the board of the page. A move is written as its changes of the
//! board, so the script of the page does not need the rules of chess.
//!
//! One line a game, fields separated by spaces: pair and game (from 1), indices of White
//! and Black, result (`w`, `d`, `b`, or `*` while the game is played), index of the
//! termination, plies, start (`.` the usual position, `=` that of the line before, else a
//! FEN with `_` for spaces), moves, comments. A square or a digit is one of the 64
//! characters of [`ALPHABET`]. A move is
//!
//! * any of `+` (check), `#` (mate), `/` `:` `;` (SAN names the file, the
//!   rank, both), then
//! * `from to`, or `!` king from, to, rook from, to (castling), or `*` from, to,
//!   captured square (en passant), or `=` letter of the piece, from, to.
//!
//! A comment has five characters: two for the score from White's side
//! ([`packed_score`]), one for the depth (at most 63), two for the time
//! ([`packed_time`]); `.....` for a ply without a comment.

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use maud::{Markup, PreEscaped, html};
use serde_json::json;
use shakmaty::san::San;
use shakmaty::{CastlingMode, CastlingSide, Color, Move, Position, Role, Square};
use tempfile::SpooledTempFile;

use super::markup::paragraph;
use super::numbers::counted;
use super::page::{GamesSection, LINES};
use super::record::{self, CommentScore, MoveComment, Ply, Record};
use super::{PageLocation, Source};
use crate::effort::MoveHistograms;
use hone_run::ledger::{GAMES_PGN, GamesFile, PgnSpan, RecordedPair};
use hone_uci::rules::{Notation, Outcome, Stage, Termination};

/// The digits 0 to 63.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Most games on a page: 20,000 games make a page of about 7 MB.
const MAX_GAMES: usize = 20_000;
/// Most games with scores and times.
const MAX_COMMENTED: usize = 4_000;

/// Bytes of games that are kept in memory; more are written to a temporary file.
const SPOOLED: usize = 1 << 16;

const VIEWER: PreEscaped<&str> = PreEscaped(include_str!("viewer.html"));

/// The section of the games of the first `pairs` pairs, and each engine's times and
/// depths from the comments. Live pages load the games later: their section is without
/// games, and the list is empty.
///
/// # Errors
/// If the ledger or the file of games cannot be read.
pub fn games_section(
    source: &Source<'_>,
    pairs: u64,
) -> anyhow::Result<(GamesSection, Vec<MoveHistograms>)> {
    if matches!(source.place, PageLocation::Served(_)) {
        let html = viewer(source, &Termination::ALL);
        return Ok((GamesSection { html, lines: None }, Vec::new()));
    }
    let mut packer = Packer::new(source)?;
    let shard = source.manifest.config.r#match.shard;
    for entry in source.pairs.in_order(shard, pairs)? {
        let entry = entry?;
        for game in 0..2 {
            packer.add(&entry, game)?;
        }
    }
    Ok(packer.finish(source))
}

/// Writes the lines of the games.
struct Packer {
    /// `None` if the run has no games.
    pgn: Option<GamesFile>,
    mode: CastlingMode,
    notation: Notation,
    /// Of each engine.
    histograms: Vec<MoveHistograms>,
    /// Those that occur, in the order of their first game.
    terminations: Vec<Termination>,
    lines: SpooledTempFile,
    /// Games so far.
    total: usize,
    /// Games on the page.
    games: usize,
    /// Games whose moves cannot be read.
    unreadable: usize,
    last_fen: Option<String>,
}

impl Packer {
    fn new(source: &Source<'_>) -> anyhow::Result<Self> {
        let path = source.dir.join(GAMES_PGN);
        let config = &source.manifest.config;
        Ok(Self {
            pgn: open(&path).with_context(|| format!("cannot read {}", path.display()))?,
            mode: config.r#match.variant.castling_mode(),
            notation: config.pgn.notation,
            histograms: vec![MoveHistograms::default(); source.manifest.engines.len()],
            terminations: Vec::new(),
            lines: SpooledTempFile::new_in(SPOOLED, spool_folder(source.dir)),
            total: 0,
            games: 0,
            unreadable: 0,
            last_fen: None,
        })
    }

    fn add(&mut self, entry: &RecordedPair, game: usize) -> anyhow::Result<()> {
        self.total += 1;
        let record = self.record(entry.pgn[game])?;
        let result = &entry.result;
        let [white, black] = result.players(game);
        if let Some(record) = &record {
            self.add_effort(record, [white, black]);
        } else {
            self.unreadable += 1;
        }
        if self.games >= MAX_GAMES {
            return Ok(());
        }
        let head = Head {
            pair: result.pair,
            game,
            players: [white, black],
            outcome: Some(result.games[game].outcome),
            termination: self.termination(result.games[game].termination),
        };
        let start = self.start(record.as_ref().and_then(|record| record.fen.clone()));
        let line = line(&head, record.as_ref(), &start, self.games < MAX_COMMENTED);
        // A script element ends at `</script`, whatever is in it.
        self.lines
            .write_all((line + "\n").replace('<', "").as_bytes())
            .context("cannot write the temporary file for the page's games")?;
        self.games += 1;
        Ok(())
    }

    /// The game at a place in the file; `None` if its moves cannot be read.
    fn record(&mut self, place: PgnSpan) -> anyhow::Result<Option<Record>> {
        let Some(pgn) = &mut self.pgn else {
            return Ok(None);
        };
        let text = String::from_utf8_lossy(pgn.game(place)?);
        Ok(record::read(&text, self.mode, self.notation).ok())
    }

    /// Adds times and depths of the moves; `engines` are White and Black.
    fn add_effort(&mut self, record: &Record, engines: [usize; 2]) {
        for ply in &record.plies {
            let Some(comment) = &ply.comment else {
                continue;
            };
            let engine = ply.before.turn().fold_wb(engines[0], engines[1]);
            let histograms = &mut self.histograms[engine];
            histograms.ms.add(comment.ms);
            histograms.depth.add(u64::from(comment.depth));
        }
    }

    /// Index of the termination among those that occur.
    fn termination(&mut self, termination: Termination) -> usize {
        let known = self.terminations.iter().position(|t| *t == termination);
        known.unwrap_or_else(|| {
            self.terminations.push(termination);
            self.terminations.len() - 1
        })
    }

    /// The field of the first position.
    fn start(&mut self, fen: Option<String>) -> String {
        if fen.is_some() && fen == self.last_fen {
            return "=".to_string();
        }
        self.last_fen = fen;
        start_text(self.last_fen.as_deref())
    }

    fn finish(self, source: &Source<'_>) -> (GamesSection, Vec<MoveHistograms>) {
        let (total, shown) = (self.total, self.games);
        if total == 0 {
            let html = paragraph("No games yet.");
            return (GamesSection { html, lines: None }, self.histograms);
        }
        let html = html! {
            @if total > shown {
                p { "The page contains the first " (shown) " of " (total) " games; all are in games.pgn." }
            }
            @if shown > MAX_COMMENTED {
                p { "Scores and times are on the page for the first " (MAX_COMMENTED) " games; those of all games are in games.pgn." }
            }
            @if self.unreadable > 0 {
                p { "The moves of " (counted(self.unreadable as u64, "game")) " could not be read from games.pgn." }
            }
            (viewer(source, &self.terminations))
            script type="text/plain" id="games-data" { (LINES) }
        };
        let lines = Some(self.lines);
        (GamesSection { html, lines }, self.histograms)
    }
}

/// The system's temporary folder if a file can be made there, else the folder of the run.
fn spool_folder(run: &Path) -> PathBuf {
    let system = env::temp_dir();
    match tempfile::tempfile_in(&system) {
        Ok(_) => system,
        Err(_) => run.to_path_buf(),
    }
}

/// The viewer, and the data that all games share: `terminations` as words, and on a live
/// page also as the names in the ledger.
fn viewer(source: &Source<'_>, terminations: &[Termination]) -> Markup {
    let variant = source.manifest.config.r#match.variant;
    let words: Vec<&str> = terminations.iter().map(|t| t.words()).collect();
    let mut meta = json!({
        "engines": source.manifest.names(),
        "terminations": words,
        "clocks": clocks(source),
        "chess960": variant.castling_mode() == CastlingMode::Chess960,
    });
    if matches!(source.place, PageLocation::Served(_)) {
        meta["termination_names"] = json!(terminations);
    }
    let meta = meta.to_string().replace('<', "\\u003c");
    html! {
        (VIEWER)
        script type="application/json" id="games-meta" { (PreEscaped(meta)) }
    }
}

/// The first fields of a game's line.
#[derive(Debug, Clone, Copy)]
pub struct Head {
    /// Number of the pair, from 0.
    pub pair: u64,
    /// Number of the game in its pair, 0 or 1.
    pub game: usize,
    /// Indices of White and Black.
    pub players: [usize; 2],
    /// `None` while the game is played.
    pub outcome: Option<Outcome>,
    /// Index among the terminations of the page.
    pub termination: usize,
}

/// The line of a game, without a line end. `record` is `None` if the moves cannot be read;
/// `start` is the field of the first position.
pub fn line(head: &Head, record: Option<&Record>, start: &str, with_comments: bool) -> String {
    let outcome = match head.outcome {
        Some(Outcome::White) => 'w',
        Some(Outcome::Draw) => 'd',
        Some(Outcome::Black) => 'b',
        None => '*',
    };
    let plies = record.map_or(0, |record| record.plies.len());
    let (moves, comments) = match record {
        Some(record) => packed_moves(&record.plies, with_comments),
        None => ("?".to_string(), String::new()),
    };
    let [white, black] = head.players;
    format!(
        "{} {} {white} {black} {outcome} {} {plies} {start} {moves} {comments}",
        head.pair + 1,
        head.game + 1,
        head.termination
    )
}

/// The field of a first position; `None` is the usual one.
pub fn start_text(fen: Option<&str>) -> String {
    fen.map_or(".".to_string(), |fen| fen.replace(' ', "_"))
}

/// The stages of each engine's clock, in milliseconds; an empty list without a clock.
fn clocks(source: &Source<'_>) -> Vec<serde_json::Value> {
    let config = &source.manifest.config;
    let engines = config.engine.iter();
    let limits = engines.map(|engine| config.limit_of(engine));
    let stage = |stage: &Stage| json!({ "moves": stage.moves, "base": stage.base, "increment": stage.increment });
    limits
        .map(|limit| limit.stages().iter().map(stage).collect())
        .collect()
}

/// The file of games; `None` if the run has none.
fn open(path: &Path) -> io::Result<Option<GamesFile>> {
    match GamesFile::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The fields of the moves and of the comments.
fn packed_moves(plies: &[Ply], with_comments: bool) -> (String, String) {
    let mut moves = String::with_capacity(plies.len() * 2);
    let mut comments = String::new();
    for ply in plies {
        push_move(&mut moves, ply);
        if with_comments {
            push_comment(&mut comments, ply);
        }
    }
    if plies.is_empty() {
        moves.push('.');
    }
    (moves, comments)
}

fn push_move(out: &mut String, Ply { before, legal, .. }: &Ply) {
    let mut after = before.clone();
    after.play_unchecked(*legal);
    if after.is_check() {
        let is_mate = after.legal_moves().is_empty();
        out.push(if is_mate { '#' } else { '+' });
    }
    if let San::Normal {
        role, file, rank, ..
    } = San::from_move(before, *legal)
        && role != Role::Pawn
    {
        match (file, rank) {
            (Some(_), Some(_)) => out.push(';'),
            (Some(_), None) => out.push('/'),
            (None, Some(_)) => out.push(':'),
            (None, None) => {}
        }
    }
    let mut squares: Vec<Square> = Vec::with_capacity(4);
    match *legal {
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(king < rook);
            let color = before.turn();
            out.push('!');
            squares.extend([king, side.king_to(color), rook, side.rook_to(color)]);
        }
        Move::EnPassant { from, to } => {
            out.push('*');
            squares.extend([from, to, Square::from_coords(to.file(), from.rank())]);
        }
        Move::Normal {
            from,
            to,
            promotion,
            ..
        } => {
            if let Some(role) = promotion {
                out.push('=');
                out.push(role.upper_char());
            }
            squares.extend([from, to]);
        }
        Move::Put { to, .. } => squares.extend([to, to]),
    }
    out.extend(
        squares
            .into_iter()
            .map(|square| letter(usize::from(square))),
    );
}

fn push_comment(out: &mut String, ply: &Ply) {
    let Some(MoveComment { score, depth, ms }) = ply.comment else {
        out.push_str(".....");
        return;
    };
    let score = packed_score(score, ply.before.turn());
    let time = packed_time(ms);
    let depth = (depth as usize).min(63);
    let digits = [score / 64, score % 64, depth, time / 64, time % 64];
    out.extend(digits.map(letter));
}

/// A score from White's side, 0 to 4095: 2048 plus the centipawns (limited to 2000 either
/// way); for a mate, 2048 plus or minus 2047 less its plies (limited to 46).
fn packed_score(score: CommentScore, turn: Color) -> usize {
    let own = match score {
        CommentScore::Centipawns(cp) => cp.clamp(-2000, 2000),
        CommentScore::Mate(plies) => plies.signum() * (2047 - plies.saturating_abs().min(46)),
    };
    let white = if turn == Color::White { own } else { -own };
    usize::try_from(2048 + white).unwrap_or(0)
}

/// 200 times the binary logarithm of one plus the milliseconds, at most 4095 (24 minutes):
/// the error is at most 0.4 %.
fn packed_time(ms: u64) -> usize {
    ((1.0 + ms as f64).log2() * 200.0).round().min(4095.0) as usize
}

fn letter(number: usize) -> char {
    char::from(ALPHABET[number])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(movetext: &str) -> (String, String) {
        let text = format!("[White \"a\"]\n\n{movetext} *\n\n");
        let record = record::read(&text, CastlingMode::Standard, Notation::San).expect(movetext);
        packed_moves(&record.plies, true)
    }

    /// A square as the page writes it.
    fn at(square: &str) -> char {
        letter(usize::from(square.parse::<Square>().expect(square)))
    }

    fn squares(list: &str) -> String {
        list.split(' ').map(at).collect()
    }

    #[test]
    fn moves_are_changes_of_the_board() {
        let (moves, _) = packed("1. e4 a6 2. e5 d5 3. exd6 Nf6 4. Nf3 e6 5. Be2 Be7 6. O-O");
        let expected = squares("e2 e4 a7 a6 e4 e5 d7 d5") + "*" + &squares("e5 d6 d5");
        assert!(moves.starts_with(&expected), "{moves}");
        let castling = "!".to_string() + &squares("e1 g1 h1 f1");
        assert!(moves.ends_with(&castling), "{moves}");
        for piece in ["Q", "N"] {
            let game = format!("1. b4 a5 2. bxa5 b6 3. axb6 Nc6 4. b7 Nb8 5. bxa8={piece}");
            let (moves, _) = packed(&game);
            let promotion = format!("={piece}{}", squares("b7 a8"));
            assert!(moves.ends_with(&promotion), "{moves}");
        }
    }

    #[test]
    fn names_of_pieces_are_disambiguated_and_checks_marked() {
        let (moves, _) = packed("1. Nf3 d5 2. Nc3 d4 3. Nb5 d3 4. Nbd4");
        assert!(
            moves.ends_with(&("/".to_string() + &squares("b5 d4"))),
            "{moves}"
        );
        let (moves, _) = packed("1. e4 f6 2. d4 g5 3. Qh5#");
        assert!(
            moves.ends_with(&("#".to_string() + &squares("d1 h5"))),
            "{moves}"
        );
    }

    #[test]
    fn scores_are_from_whites_side() {
        assert_eq!(
            packed_score(CommentScore::Centipawns(123), Color::White),
            2171
        );
        assert_eq!(
            packed_score(CommentScore::Centipawns(123), Color::Black),
            1925
        );
        assert_eq!(
            packed_score(CommentScore::Centipawns(9999), Color::White),
            4048
        );
        assert_eq!(
            packed_score(CommentScore::Mate(3), Color::White),
            2048 + 2044
        );
        assert_eq!(
            packed_score(CommentScore::Mate(-200), Color::White),
            2048 - 2001
        );
        assert_eq!(
            packed_score(CommentScore::Mate(i32::MIN), Color::White),
            2048 - 2001
        );
        let (_, comments) = packed("1. e4 {+0.35/12 0.500s} e5 {book}");
        assert_eq!(comments.len(), 10);
        assert!(comments.ends_with("....."));
    }

    #[test]
    fn times_have_an_error_below_half_a_percent() {
        for ms in [0, 1, 17, 430, 59_999, 900_000] {
            let back = 2f64.powf(packed_time(ms) as f64 / 200.0) - 1.0;
            assert!(
                (back - ms as f64).abs() <= 0.004 * ms as f64 + 0.01,
                "{ms}: {back}"
            );
        }
    }
}
