//! Replays a game from its PGN on a board.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::io;
use std::mem;
use std::ops::ControlFlow;

use pgn_reader::{RawComment, RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Move, Position};

use hone_uci::openings::usual_start;
use hone_uci::rules::STANDARD_START;
use hone_uci::rules::{Ending, Notation, Referee, tag_text};

/// A replayed game.
pub(crate) struct Replayed {
    pub(super) white: String,
    pub(super) black: String,
    pub(super) round: String,
    pub(super) result: String,
    pub(super) fen: Option<String>,
    /// UCI moves separated by spaces.
    pub(super) moves: String,
    /// Moves with the comment `book`.
    pub(super) book_moves: usize,
    /// The last comment, with its line ends.
    pub(super) comment: Vec<u8>,
    /// The tags of these names; games without comments do not have them.
    pub(super) ply_count: Option<String>,
    pub(super) termination: Option<String>,
    pub(crate) referee: Referee,
    pub(super) ending: Option<Ending>,
}

/// Replays one game.
///
/// # Errors
/// What is wrong with it, in words.
pub(crate) fn replay(
    pgn: &[u8],
    mode: CastlingMode,
    notation: Notation,
) -> Result<Replayed, String> {
    let mut game = read_pgn(pgn, mode, notation)?;
    // `pgn_reader` does not read UCI moves.
    if notation == Notation::Uci {
        for text in uci_moves(pgn)? {
            game.play(&text, |referee| referee.find(text.as_bytes()))?;
        }
    }
    Ok(game)
}

/// The moves of a game written in UCI notation.
fn uci_moves(pgn: &[u8]) -> Result<Vec<String>, String> {
    let text = std::str::from_utf8(pgn).map_err(|error| error.to_string())?;
    let (_, movetext) = text.split_once("\n\n").ok_or("it has no moves")?;
    let mut moves = Vec::new();
    let mut outside = String::new();
    let mut depth = 0_u64;
    for c in movetext.chars() {
        match c {
            '{' => depth = depth.saturating_add(1),
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => outside.push(c),
            _ => {}
        }
    }
    for word in outside.split_whitespace() {
        let is_number = word
            .trim_end_matches('.')
            .bytes()
            .all(|b| b.is_ascii_digit());
        if !is_number && !["1-0", "0-1", "1/2-1/2", "*"].contains(&word) {
            moves.push(word.to_string());
        }
    }
    Ok(moves)
}

impl Replayed {
    /// Plays the move `text`, which `find` converts.
    fn play(
        &mut self,
        text: &str,
        find: impl FnOnce(&Referee) -> Option<Move>,
    ) -> Result<(), String> {
        if let Some(ending) = self.ending {
            return Err(format!("it continues after {}", ending.termination.words()));
        }
        let legal = find(&self.referee)
            .ok_or_else(|| format!("{text} is not a legal move after{}", self.moves))?;
        let mode = self.referee.position().castles().mode();
        self.moves.push(' ');
        self.moves += &legal.to_uci(mode).to_string();
        self.ending = self.referee.play(legal);
        Ok(())
    }
}

fn read_pgn(pgn: &[u8], mode: CastlingMode, notation: Notation) -> Result<Replayed, String> {
    let mut reader = Reader::new(io::Cursor::new(pgn));
    let mut replay = Replay {
        mode,
        notation,
        comment: Vec::new(),
    };
    reader
        .read_game(&mut replay)
        .map_err(|error| error.to_string())?
        .ok_or("the PGN contains no game")?
}

struct Replay {
    mode: CastlingMode,
    notation: Notation,
    /// The beginning of a long comment.
    comment: Vec<u8>,
}

impl Visitor for Replay {
    type Tags = Replayed;
    type Movetext = (Replayed, Option<String>);
    type Output = Result<Replayed, String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        ControlFlow::Continue(Replayed {
            white: String::new(),
            black: String::new(),
            round: String::new(),
            result: String::new(),
            fen: None,
            moves: String::new(),
            book_moves: 0,
            comment: Vec::new(),
            ply_count: None,
            termination: None,
            referee: Referee::new(usual_start(self.mode)),
            ending: None,
        })
    }

    fn tag(
        &mut self,
        tags: &mut Self::Tags,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        let value = tag_text(value.as_bytes());
        match name {
            b"White" => tags.white = value,
            b"Black" => tags.black = value,
            b"Round" => tags.round = value,
            b"Result" => tags.result = value,
            b"FEN" => tags.fen = (value != STANDARD_START).then_some(value),
            b"PlyCount" => tags.ply_count = Some(value),
            b"Termination" => tags.termination = Some(value),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(
        &mut self,
        mut tags: Self::Tags,
    ) -> ControlFlow<Self::Output, Self::Movetext> {
        if let Some(fen) = &tags.fen {
            let position = Fen::from_ascii(fen.as_bytes())
                .map_err(|error| error.to_string())
                .and_then(|fen| {
                    fen.into_position(self.mode)
                        .map_err(|error| error.to_string())
                });
            match position {
                Ok(position) => tags.referee = Referee::new(position),
                Err(error) => {
                    return ControlFlow::Break(Err(format!(
                        "its FEN tag is not a position: {error}"
                    )));
                }
            }
        }
        tags.ending = tags.referee.ending();
        ControlFlow::Continue((tags, None))
    }

    fn san(
        &mut self,
        (game, fault): &mut Self::Movetext,
        san: SanPlus,
    ) -> ControlFlow<Self::Output> {
        if fault.is_none() && self.notation != Notation::Uci {
            *fault = game
                .play(&san.to_string(), |referee| {
                    san.san.to_move(referee.position()).ok()
                })
                .err();
        }
        ControlFlow::Continue(())
    }

    fn partial_comment(
        &mut self,
        _: &mut Self::Movetext,
        comment: RawComment<'_>,
    ) -> ControlFlow<Self::Output> {
        self.comment.extend_from_slice(comment.as_bytes());
        ControlFlow::Continue(())
    }

    fn comment(
        &mut self,
        (game, _): &mut Self::Movetext,
        comment: RawComment<'_>,
    ) -> ControlFlow<Self::Output> {
        self.comment.extend_from_slice(comment.as_bytes());
        let is_book = self.comment.trim_ascii() == b"book";
        game.book_moves = game.book_moves.saturating_add(usize::from(is_book));
        mem::swap(&mut game.comment, &mut self.comment);
        self.comment.clear();
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Self::Movetext) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, (game, fault): Self::Movetext) -> Self::Output {
        match fault {
            Some(fault) => Err(fault),
            None => Ok(game),
        }
    }
}
