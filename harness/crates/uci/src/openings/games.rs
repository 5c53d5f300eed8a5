//! The leading moves of PGN games.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::{
    borrow::Cow,
    cell::Cell,
    io::{self, Cursor, Read},
    ops::ControlFlow,
    rc::Rc,
};

use pgn_reader::{Outcome, RawTag, Reader, SanPlus, Visitor};
use shakmaty::{
    Chess, Move, Position, Role, Square,
    san::{San, SanError},
    uci::UciMove,
};
use thiserror::Error;

use super::{
    Variant,
    epd::{LineError, PositionLine, playable},
    spellings::readable,
    unreadable::{MovetextFault, TAG_BYTES, first_fatal_fault},
};
use crate::rules::{RepeatedTags, position_key};
use hone_base::text::shown_word;

/// The leading moves of a game.
#[derive(Debug, Clone)]
pub struct Game {
    /// The position of the `FEN` tag, if there is one.
    pub start: Option<Chess>,
    pub moves: Vec<Move>,
    /// After the moves.
    pub end: Chess,
}

impl Game {
    /// Moves its content into another one.
    fn take(&mut self) -> Self {
        Self {
            start: self.start.take(),
            moves: std::mem::take(&mut self.moves),
            end: self.end.clone(),
        }
    }
}

/// The reason why a game cannot be used.
#[derive(Debug, Error)]
pub enum GameError {
    #[error("the FEN tag \"{text}\": {source}")]
    Start { text: String, source: LineError },
    #[error("move {number}{dots} {san}: {source}")]
    Move {
        number: u32,
        dots: &'static str,
        san: String,
        source: SanError,
    },
    #[error("neither moves nor a FEN tag; without them, a game needs tags and a result")]
    Empty,
    #[error("only tags, and then those of another game; put a result (*) between")]
    OnlyTags,
    #[error("after {plies} plies {source}; read fewer of them with `plies`")]
    End { plies: usize, source: LineError },
    /// The reader cannot continue after this fault.
    #[error("{0}")]
    Broken(MovetextFault),
    #[error("unreadable game: {0}")]
    Syntax(io::Error),
}

/// A game that cannot be used, with its place.
#[derive(Debug, Error)]
#[error("line {line}: game {game}: {error}")]
pub struct BadGame {
    /// Line of the fault in the file, from 1.
    pub line: u64,
    /// Number of the game in the file, from 1.
    pub game: u64,
    #[source]
    pub error: GameError,
}

impl BadGame {
    /// Whether the game starts from a position that exists only in Chess960.
    pub fn needs_chess960(&self) -> bool {
        matches!(
            self.error,
            GameError::Start {
                source: LineError::NeedsChess960(_),
                ..
            }
        )
    }
}

/// Iterator over the games of a PGN text, each truncated after a number of plies. Moves may be
/// in SAN or UCI notation. It continues after a faulty game; only an unreadable one ends it.
#[derive(Debug)]
pub struct Games<'a> {
    text: &'a [u8],
    reader: Reader<LineCounter<Cursor<Cow<'a, [u8]>>>>,
    lines: Rc<Cell<u64>>,
    visitor: Leading,
    game: u64,
    ended: bool,
}

impl<'a> Games<'a> {
    /// The games of `text`, each with its first `plies` moves (`None` for all).
    pub fn new(text: &'a [u8], plies: Option<usize>, variant: Variant) -> Self {
        let lines = Rc::new(Cell::new(0));
        let counted = LineCounter {
            text: Cursor::new(readable(text)),
            lines: Rc::clone(&lines),
        };
        let reader = Reader::build(counted).set_supported_tag_line_length(TAG_BYTES);
        Self {
            text,
            reader: reader.finish(),
            lines,
            visitor: Leading {
                plies: plies.unwrap_or(usize::MAX),
                variant,
                tags: RepeatedTags::default(),
                has_tags: false,
                has_result: false,
            },
            game: 0,
            ended: false,
        }
    }

    /// The current line of the reader.
    fn line(&self) -> u64 {
        let ahead = memchr::memchr_iter(b'\n', self.reader.buffer()).count() as u64;
        self.lines.get().saturating_sub(ahead).saturating_add(1)
    }
}

impl Iterator for Games<'_> {
    type Item = Result<Game, BadGame>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        self.game = self.game.saturating_add(1);
        let outcome = match self.reader.read_game(&mut self.visitor) {
            Ok(None) => {
                self.ended = true;
                return None;
            }
            Ok(Some(outcome)) => outcome,
            Err(error) => {
                self.ended = true;
                // The reader is at the end of the fault.
                let start = first_fatal_fault(self.text);
                let (line, error) = match start {
                    Some((line, fault)) => (line, GameError::Broken(fault)),
                    None => (self.line(), GameError::Syntax(error)),
                };
                let game = self.game;
                return Some(Err(BadGame { line, game, error }));
            }
        };
        Some(outcome.map_err(|error| BadGame {
            line: self.line(),
            game: self.game,
            error,
        }))
    }
}

/// A reader that counts line breaks.
#[derive(Debug)]
struct LineCounter<R> {
    text: R,
    lines: Rc<Cell<u64>>,
}

impl<R: Read> Read for LineCounter<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.text.read(buffer)?;
        let read = buffer.get(..count).unwrap_or_default();
        let ends = memchr::memchr_iter(b'\n', read).count() as u64;
        self.lines.set(self.lines.get().saturating_add(ends));
        Ok(count)
    }
}

/// Follows the main line for a number of plies.
#[derive(Debug)]
struct Leading {
    plies: usize,
    variant: Variant,
    tags: RepeatedTags,
    /// Whether the current game has tags and a result.
    has_tags: bool,
    has_result: bool,
}

/// Minimum plies without capture or pawn move before a position can occur for the third time.
const REPETITION: u32 = 8;

impl Leading {
    fn finished(&self, game: Game) -> Result<Game, GameError> {
        // Text that is not PGN has neither, and a game that is cut off has no result.
        let is_game = self.has_tags && self.has_result;
        if game.start.is_none() && game.moves.is_empty() && self.plies > 0 && !is_game {
            return Err(GameError::Empty);
        }
        let playable = if repeats(&game) {
            Err(LineError::Over("threefold repetition"))
        } else {
            playable(&game.end)
        };
        match playable {
            Ok(()) => Ok(game),
            Err(source) => Err(GameError::End {
                plies: game.moves.len(),
                source,
            }),
        }
    }
}

/// Whether the last position occurs for the third time.
fn repeats(game: &Game) -> bool {
    if game.end.halfmoves() < REPETITION {
        return false;
    }
    let last = position_key(&game.end);
    let mut position = game.start.clone().unwrap_or_default();
    let mut seen = usize::from(position_key(&position) == last);
    for &m in &game.moves {
        position.play_unchecked(m);
        seen = seen.saturating_add(usize::from(position_key(&position) == last));
    }
    seen >= 3
}

impl Visitor for Leading {
    type Tags = Option<Chess>;
    type Movetext = Game;
    type Output = Result<Game, GameError>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        self.tags = RepeatedTags::default();
        (self.has_tags, self.has_result) = (false, false);
        ControlFlow::Continue(None)
    }

    fn tag(
        &mut self,
        start: &mut Self::Tags,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        // Between the tokens of a tag pair any white space is allowed, in any amount.
        let name = name.trim_ascii();
        self.has_tags = true;
        if self.tags.begins_game(name) {
            return ControlFlow::Break(Err(GameError::OnlyTags));
        }
        if !name.eq_ignore_ascii_case(b"FEN") {
            return ControlFlow::Continue(());
        }
        let text = value.decode();
        match PositionLine::parse(&text).and_then(|line| line.position(self.variant)) {
            Ok(position) => {
                *start = Some(position);
                ControlFlow::Continue(())
            }
            Err(source) => ControlFlow::Break(Err(GameError::Start {
                text: shown_word(&text),
                source,
            })),
        }
    }

    fn begin_movetext(&mut self, start: Self::Tags) -> ControlFlow<Self::Output, Self::Movetext> {
        let end = start.clone().unwrap_or_default();
        let game = Game {
            start,
            moves: Vec::new(),
            end,
        };
        if self.plies == 0 {
            return ControlFlow::Break(self.finished(game));
        }
        ControlFlow::Continue(game)
    }

    fn san(&mut self, game: &mut Self::Movetext, san: SanPlus) -> ControlFlow<Self::Output> {
        match legal_move(san.san, &game.end) {
            Ok(legal) => {
                game.end.play_unchecked(legal);
                game.moves.push(legal);
            }
            Err(source) => {
                return ControlFlow::Break(Err(GameError::Move {
                    number: game.end.fullmoves().get(),
                    dots: game.end.turn().fold_wb(".", "..."),
                    san: san.to_string(),
                    source,
                }));
            }
        }
        if game.moves.len() < self.plies {
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(self.finished(game.take()))
    }

    /// A result ends the game; the reader continues until an empty line or a tag.
    fn outcome(&mut self, game: &mut Self::Movetext, _: Outcome) -> ControlFlow<Self::Output> {
        self.has_result = true;
        ControlFlow::Break(self.finished(game.take()))
    }

    fn end_game(&mut self, game: Self::Movetext) -> Self::Output {
        self.finished(game)
    }
}

/// The legal move written as `san`. UCI notation is parsed as a pawn move with both squares.
fn legal_move(san: San, position: &Chess) -> Result<Move, SanError> {
    let legal = san.to_move(position);
    let San::Normal {
        role: Role::Pawn,
        file: Some(file),
        rank: Some(rank),
        capture: false,
        to,
        promotion,
    } = san
    else {
        return legal;
    };
    let uci = UciMove::Normal {
        from: Square::from_coords(file, rank),
        to,
        promotion,
    };
    legal.or_else(|error| uci.to_move(position).map_err(|_| error))
}

#[cfg(test)]
mod tests {
    use shakmaty::{EnPassantMode, fen::Fen};

    use super::super::unreadable::first_fault;
    use super::*;

    fn read(text: &str, plies: Option<usize>) -> Vec<Result<Game, BadGame>> {
        Games::new(text.as_bytes(), plies, Variant::Standard).collect()
    }

    fn end_of(text: &str, plies: Option<usize>) -> String {
        let game = read(text, plies).remove(0).unwrap();
        Fen::from_position(&game.end, EnPassantMode::Legal).to_string()
    }

    #[test]
    fn moves_after_the_limit_are_left_out() {
        let text = "[Event \"?\"]\n\n1. e4 {best} c5 (1... e5 2. Nf3) 2. Nf3 $1 d6 *\n";
        assert_eq!(
            end_of(text, Some(2)),
            "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
        );
        assert_eq!(read(text, None)[0].as_ref().unwrap().moves.len(), 4);
    }

    #[test]
    fn moves_may_be_in_uci_notation() {
        // Every kind of move: of pieces, captures, en passant, castling, a promotion.
        let text = "1. e2e4 {book} d7d5 2. e4d5 c7c5 3. d5c6 g8f6 4. c6b7 g7g6 5. b7a8q f8g7\n\
                    6. g1f3 e8g8 *\n";
        assert_eq!(
            end_of(text, None),
            "Qnbq1rk1/p3ppbp/5np1/8/8/5N2/PPPP1PPP/RNBQKB1R w KQ - 3 7"
        );
        let game = read("1. e2e4 e7e5 2. g1f4 *", None).remove(0);
        let message = game.unwrap_err().to_string();
        assert!(message.contains("move 2. g1f4: illegal san"), "{message}");
    }

    #[test]
    fn a_fen_tag_gives_the_start() {
        let text = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 Kd7 *\n";
        assert_eq!(end_of(text, None), "8/3k4/8/8/4P3/8/8/4K3 w - - 1 2");
    }

    #[test]
    fn white_space_in_a_tag_pair_means_nothing() {
        let text = "[FEN\t \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\" ]\n\n1. e4 Kd7 *\n";
        assert_eq!(end_of(text, None), "8/3k4/8/8/4P3/8/8/4K3 w - - 1 2");
    }

    #[test]
    fn a_game_of_tags_alone_is_not_joined_to_the_next() {
        let fen = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n";
        let games = read(
            &[fen, "\n", fen, "\n1. e4 *\n\n", fen, "\n*\n"].concat(),
            None,
        );
        let message = games[0].as_ref().unwrap_err().to_string();
        assert!(message.contains("game 1: only tags"), "{message}");
        assert_eq!(games.len(), 2);
        assert!(games[1].is_ok());
    }

    #[test]
    fn faults_are_named_with_their_line_and_the_rest_is_read() {
        let text = "[Event \"a\"]\n\n1. e4 e5\n2. Nf6 *\n\n[Event \"b\"]\n\n1. d4 *\n";
        let games = read(text, None);
        assert_eq!(games.len(), 2);
        let message = games[0].as_ref().unwrap_err().to_string();
        assert_eq!(message, "line 4: game 1: move 2. Nf6: illegal san");
        assert_eq!(games[1].as_ref().unwrap().moves.len(), 1);
    }

    #[test]
    fn usual_spellings_of_moves_are_read() {
        let fen = "[FEN \"3r2k1/4P3/8/6pP/8/8/8/4K2R w - g6 0 1\"]\n\n1. ";
        for (moves, plies) in [
            ("hxg6e.p. Kg7 2. e8Q", 3),
            ("hxg6 e.p. Kg7 2. exd8Q", 3),
            ("hxg6ep Kg7 2. e8/N++", 3),
            ("e8(Q)+ Rxe8++", 2),
            ("e8=Q++ Rxe8+", 2),
            ("exd8Q+", 1),
            ("h5xg6 e.p. Kg7 2. e7e8Q", 3),
            ("hxg6!? e.p. Kg7 2. e8Q!", 3),
            ("e7e8Q+ Rxe8+", 2),
            ("e8q+ $1 Rxe8 ++", 2),
        ] {
            let text = format!("{fen}{moves} *\n");
            assert_eq!(first_fault(text.as_bytes(), None), None, "{moves}");
            let game = read(&text, None).remove(0).unwrap();
            assert_eq!(game.moves.len(), plies, "{moves}");
        }
    }

    #[test]
    fn an_empty_line_within_a_game_does_not_end_it() {
        let blank = "[Event \"x\"]\n[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nc6\n\n3. d4 d5 *\n";
        let comment = "[Event \"x\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1/2-1/2\"]\n\n\
            { A remark before the game. }\n\n1. e4 e5 2. Nf3 Nc6 1/2-1/2\n";
        let windows = blank.replace('\n', "\r\n");
        let result = "[Event \"x\"]\n\n1. e4 e5\n\n*\n";
        let variation = "[Event \"x\"]\n\n1. e4\n\n(1. d4 d5\n\n2. c4)\n\n1... e5 *\n";
        for (text, plies) in [
            (blank, 6),
            (comment, 4),
            (&*windows, 6),
            (result, 2),
            (variation, 2),
            ("[Event \"x\"]\n\n1.\n\ne4 e5\n\n2. Nf3 *\n", 3),
            ("[Event \"x\"]\n\n1. e4\n \t\n$1\n\n\n\ne5 1-0\n", 2),
            ("[Event \"x\"]\n\n1. e4 e5\n\n; resigned\n\n1-0\n", 2),
            (
                "[Event \"x\"]\n\n1. e4 {a\n\n[Event \"y\"]\n\nb}\n\ne5 0-1\n",
                2,
            ),
        ] {
            let twice = format!("{text}\n{{ A remark. }}\n\n{text}");
            assert_eq!(first_fault(twice.as_bytes(), None), None, "{text}");
            let games = read(&twice, None);
            let found = games.iter().map(|game| game.as_ref().unwrap().moves.len());
            assert_eq!(found.collect::<Vec<_>>(), [plies, plies], "{text}");
        }
    }

    #[test]
    fn a_game_without_moves_is_the_start_position() {
        for text in ["[Event \"a\"]\n\n*\n", "[Result \"1-0\"]\n1-0\n"] {
            let games = read(&format!("{text}\n[Event \"b\"]\n\n1. e4 *\n"), None);
            let plies = games.iter().map(|game| game.as_ref().unwrap().moves.len());
            assert_eq!(plies.collect::<Vec<_>>(), [0, 1], "{text}");
            assert_eq!(games[0].as_ref().unwrap().end, Chess::default());
        }
        // Other text, and a game that is cut off.
        for text in ["* of words\n", "words\n", "[Event \"a\"]\n\n"] {
            let message = read(text, None).remove(0).unwrap_err().to_string();
            assert!(message.contains("neither moves nor a FEN tag"), "{message}");
        }
    }

    #[test]
    fn a_result_ends_a_game() {
        for text in [
            "1. e4 c5 *\n1. d4 d5 *\n\n1. c4 *\n",
            "1. e4 c5 1-0 1. d4 d5 *\n\n1. c4 *\n",
            "1. e4 c5 1-0\n{next} 1. d4 *\n[Event \"a\"]\n1. c4 *\n",
        ] {
            let games = read(text, None);
            let plies = games.iter().map(|game| game.as_ref().unwrap().moves.len());
            assert_eq!(plies.collect::<Vec<_>>(), [2, 1], "{text}");
        }
    }

    #[test]
    fn a_fault_that_ends_the_text_has_the_line_of_its_start() {
        let comment = "1. e4 *\n\n1. d4 {a\nb\n\n1. c4 *\n";
        let tag = format!("1. e4 *\n\n[Event \"{}\"]\n1. d4 *\n", "x".repeat(70_000));
        for (text, words) in [
            (comment, "the comment that begins here is not closed"),
            (&tag, "the tag that begins here has no end"),
        ] {
            let games = read(text, None);
            let message = games[1].as_ref().unwrap_err().to_string();
            assert!(message.starts_with("line 3: game 2: "), "{message}");
            assert!(message.contains(words), "{message}");
        }
        let tags = format!("[Event \"{}\"]\n", "x".repeat(3000)).repeat(9);
        assert!(read(&format!("{tags}\n1. e4 *\n"), None)[0].is_ok());
    }

    #[test]
    fn games_that_are_over_are_refused() {
        let mate = "1. f3 e5 2. g4 Qh4# 0-1";
        let message = read(mate, None).remove(0).unwrap_err().to_string();
        assert!(message.contains("after 4 plies the game is already over: checkmate"));
        assert!(read(mate, Some(3))[0].is_ok());
        let there_and_back = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 *";
        let message = read(there_and_back, None)
            .remove(0)
            .unwrap_err()
            .to_string();
        assert!(message.contains("threefold repetition"), "{message}");
        assert!(read(there_and_back, Some(7)).remove(0).is_ok());
        let bad_tag = "[FEN \"4k3/8/8/8/8/8/8/8 w - - 0 1\"]\n\n*\n";
        let message = read(bad_tag, None).remove(0).unwrap_err().to_string();
        assert!(message.contains("missing king"), "{message}");
    }
}
