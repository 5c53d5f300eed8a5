//! The games of a PGN file: their players, results, rounds and openings.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::ops::ControlFlow;

use anyhow::Context as _;
use pgn_reader::{Outcome, RawComment, RawTag, Reader, SanPlus, Visitor};
use shakmaty::Color;

use hone_uci::openings::joined::JoinedGames;
use hone_uci::rules::{RepeatedTags, tag_text};

/// The headers by which games are grouped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) white: String,
    pub(super) black: String,
    /// White's half points; `None` if the game was not finished.
    pub(super) half_points: Option<usize>,
    /// The `Round` tag up to the first dot, because some programs number the games of a round
    /// "3.1", "3.2".
    pub(super) round: Option<String>,
    /// The start position with the moves that are marked as book moves, or else the first
    /// moves; empty if the file has neither.
    pub(super) opening: String,
    /// Of all tags and moves, without comments.
    pub(super) digest: u64,
}

impl Header {
    /// White's half points, if the game has two players and a result.
    pub(super) fn counts(&self) -> Option<usize> {
        let is_named = !self.white.is_empty() && !self.black.is_empty();
        let has_players = is_named && self.white != self.black;
        self.half_points.filter(|_| has_players)
    }
}

/// Plies that identify the opening of a game from the standard starting position without marked
/// book moves.
const OPENING_PLIES: usize = 8;

/// The headers of a file.
pub(super) struct Read {
    pub(super) headers: Vec<Header>,
    /// Number of a game whose tags or comment are cut off.
    pub(super) cut_off_at: Option<usize>,
}

/// Reads the games of a PGN.
///
/// # Errors
/// If it cannot be read, or a game is not valid.
pub(super) fn read_headers(source: impl std::io::Read) -> Result<Read, anyhow::Error> {
    let mut reader = Reader::new(JoinedGames::new(source));
    let mut visitor = HeaderVisitor::default();
    let mut headers = Vec::new();
    let cut_off_at = loop {
        match reader.read_game(&mut visitor) {
            Ok(Some(header)) => {
                headers.append(&mut visitor.without_movetext);
                headers.push(header);
            }
            Ok(None) => break None,
            // The file ends within this game.
            Err(_) if matches!(reader.read_game(&mut visitor), Ok(None)) => {
                headers.append(&mut visitor.without_movetext);
                break Some(headers.len().saturating_add(1));
            }
            Err(error) => {
                let number = headers.len().saturating_add(1);
                return Err(error).with_context(|| format!("game {number}"));
            }
        }
    };
    Ok(Read {
        headers,
        cut_off_at,
    })
}

#[derive(Debug, Default)]
struct HeaderVisitor {
    tags: RepeatedTags,
    /// Games without movetext before the current one: [`Reader`] joins their tags with those of
    /// the current game.
    without_movetext: Vec<Header>,
}

impl Visitor for HeaderVisitor {
    type Tags = Header;
    type Movetext = Movetext;
    type Output = Header;

    fn begin_tags(&mut self) -> ControlFlow<Header, Header> {
        self.tags = RepeatedTags::default();
        ControlFlow::Continue(Header::default())
    }

    fn tag(&mut self, header: &mut Header, name: &[u8], value: RawTag<'_>) -> ControlFlow<Header> {
        let text = || tag_text(value.as_bytes()).trim().to_owned();
        // Any white space is allowed between the tokens of a tag pair.
        let name = name.trim_ascii();
        if self.tags.begins_game(name) {
            self.without_movetext.push(std::mem::take(header));
        }
        header.digest = extended(header.digest, (name, value.as_bytes()));
        match name {
            b"White" => header.white = text(),
            b"Black" => header.black = text(),
            b"FEN" => header.opening = text(),
            b"Result" => {
                let outcome = hone_uci::rules::Outcome::parse(&text());
                header.half_points = outcome.map(hone_uci::rules::Outcome::white_half_points);
            }
            b"Round" => {
                let round = text();
                let number = round.split('.').next().unwrap_or_default();
                header.round = number.parse::<u64>().ok().map(|number| number.to_string());
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, header: Header) -> ControlFlow<Header, Movetext> {
        ControlFlow::Continue(Movetext {
            header,
            moves: String::new(),
            plies: 0,
            book: 0,
        })
    }

    fn san(&mut self, game: &mut Movetext, san: SanPlus) -> ControlFlow<Header> {
        game.header.digest = extended(game.header.digest, san.san);
        if game.plies < OPENING_PLIES || game.is_in_book() {
            game.moves.push_str(&san.san.to_string());
            game.moves.push(' ');
        }
        game.plies = game.plies.saturating_add(1);
        ControlFlow::Continue(())
    }

    fn comment(&mut self, game: &mut Movetext, comment: RawComment<'_>) -> ControlFlow<Header> {
        let is_next = game.plies == game.book.saturating_add(1);
        if is_next && comment.as_bytes().trim_ascii() == b"book" {
            game.book = game.plies;
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, game: &mut Movetext, outcome: Outcome) -> ControlFlow<Header> {
        // Files without a `Result` tag have the result only here.
        if game.header.half_points.is_none() {
            game.header.half_points = match outcome {
                Outcome::Known(known) => Some(match known.winner() {
                    Some(Color::White) => 2,
                    Some(Color::Black) => 0,
                    None => 1,
                }),
                Outcome::Unknown => None,
            };
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Movetext) -> Header {
        let opening = game.opening();
        Header {
            opening,
            ..game.header
        }
    }
}

/// A game whose moves are being read.
#[derive(Debug)]
struct Movetext {
    header: Header,
    /// The book moves and the first ones, each with a blank after it.
    moves: String,
    /// Number of moves so far.
    plies: usize,
    /// How many of the first moves are marked as book moves (`{book}`).
    book: usize,
}

impl Movetext {
    fn is_in_book(&self) -> bool {
        self.plies == self.book
    }

    /// The opening, which a start position, if there is one, determines without more moves than
    /// those of the book.
    fn opening(&self) -> String {
        let start = self.header.opening.as_str();
        let plies = match (self.book, start.is_empty()) {
            (0, true) => OPENING_PLIES,
            (book, _) => book,
        };
        let mut opening = start.to_owned();
        for san in self.moves.split_inclusive(' ').take(plies) {
            opening.push_str(san);
        }
        opening
    }
}

/// A digest with one more part.
fn extended(digest: u64, part: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    (digest, part).hash(&mut hasher);
    hasher.finish()
}
