//! Games of a PGN file, grouped into pairs.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::string_slice))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::io::{Read as _, Seek as _};
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::Context as _;
use pgn_reader::{Outcome, RawTag, Reader, SanPlus, Visitor};
use shakmaty::Color;

use crate::rules::{RepeatedTags, tag_text};
use crate::stats::rating::{Game, Games};

/// The headers by which games are grouped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Header {
    white: String,
    black: String,
    /// White's half points; `None` if the game was not finished.
    half_points: Option<usize>,
    /// The `Round` tag up to the first dot, because some programs number the games of a round
    /// "3.1", "3.2".
    round: Option<String>,
    /// The start position, or the first moves; empty if the file has neither.
    opening: String,
    /// Of all tags and moves, without comments.
    digest: u64,
}

impl Header {
    /// White's half points, if the game has two players and a result.
    fn counts(&self) -> Option<usize> {
        let is_named = !self.white.is_empty() && !self.black.is_empty();
        let has_players = is_named && self.white != self.black;
        self.half_points.filter(|_| has_players)
    }
}

/// Plies that identify the opening of a game from the standard starting position.
const OPENING_PLIES: usize = 4;

/// Adds the finished games of a file. Two games are a pair if the same players met with
/// colours reversed: in the same round, if exactly two of their games have it; or else from
/// the same opening, each game with the next such one.
pub(super) fn add_pgn(path: &Path, games: &mut Games) -> Result<Added, anyhow::Error> {
    let mut file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let mut start = [0; 2];
    let is_compressed = file.read_exact(&mut start).is_ok() && start == GZIP;
    anyhow::ensure!(
        !is_compressed,
        "{} is compressed\nhelp: unpack it first, as in `gunzip {0}`",
        path.display()
    );
    file.rewind()?;
    let read = read_headers(file).with_context(|| format!("cannot read {}", path.display()))?;
    anyhow::ensure!(
        !read.headers.is_empty(),
        "{} contains no games",
        path.display()
    );
    let counted = read.headers.iter().filter(|game| game.counts().is_some());
    Ok(Added {
        digests: counted.map(|game| game.digest).collect(),
        left_out: add(&read.headers, games),
        cut_off_at: read.cut_off_at,
    })
}

/// The digests of the games of a PGN.
pub(super) fn digests_of(pgn: &[u8]) -> Result<Vec<u64>, anyhow::Error> {
    let games = read_headers(pgn)?.headers;
    Ok(games.into_iter().map(|game| game.digest).collect())
}

/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The games of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Added {
    /// For each counted game, the digest of its tags and moves.
    pub(super) digests: Vec<u64>,
    /// Number of games that are left out: without a result or without two players.
    pub(super) left_out: usize,
    /// Number of the first game that is cut off, from which on all are left out.
    pub(super) cut_off_at: Option<usize>,
}

/// The headers of a file.
struct Read {
    headers: Vec<Header>,
    /// Number of a game whose tags or comment are cut off.
    cut_off_at: Option<usize>,
}

fn add(headers: &[Header], games: &mut Games) -> usize {
    let mut keyed: BTreeMap<Key<'_>, VecDeque<Game>> = BTreeMap::new();
    let rounds = complete_rounds(headers);
    let mut left_out = 0_usize;
    for header in headers {
        let Some(half_points) = header.counts() else {
            left_out = left_out.saturating_add(1);
            continue;
        };
        let game = Game {
            white: games.player(&header.white),
            black: games.player(&header.black),
            half_points,
        };
        let by_round = Key::of(header, header.round.as_deref(), "");
        let key = if header.round.is_some() && rounds.get(&by_round) == Some(&2) {
            by_round
        } else if header.opening.is_empty() {
            games.add_single(game, 1);
            continue;
        } else {
            Key::of(header, None, &header.opening)
        };
        pair_up(keyed.entry(key).or_default(), game, games);
    }
    for game in keyed.into_values().flatten() {
        games.add_single(game, 1);
    }
    left_out
}

/// Pairs a game with the first unpaired one of the same group with colours reversed. All
/// unpaired games of a group have the same colours.
fn pair_up(waiting: &mut VecDeque<Game>, game: Game, games: &mut Games) {
    match waiting.front() {
        Some(first) if first.white == game.black => {
            games.add_pair([*first, game]);
            waiting.pop_front();
        }
        _ => waiting.push_back(game),
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'a> {
    players: [&'a str; 2],
    round: Option<&'a str>,
    opening: &'a str,
}

impl<'a> Key<'a> {
    fn of(header: &'a Header, round: Option<&'a str>, opening: &'a str) -> Self {
        let mut players = [header.white.as_str(), header.black.as_str()];
        players.sort_unstable();
        Key {
            players,
            round,
            opening,
        }
    }
}

/// Number of games of two players in each round.
fn complete_rounds(headers: &[Header]) -> BTreeMap<Key<'_>, usize> {
    let mut rounds = BTreeMap::new();
    for header in headers.iter().filter(|header| header.round.is_some()) {
        let key = Key::of(header, header.round.as_deref(), "");
        let games = rounds.entry(key).or_insert(0_usize);
        *games = games.saturating_add(1);
    }
    rounds
}

fn read_headers(source: impl std::io::Read) -> Result<Read, anyhow::Error> {
    let mut reader = Reader::new(source);
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
    type Movetext = (Header, usize);
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
                let outcome = crate::rules::Outcome::parse(&text());
                header.half_points = outcome.map(crate::rules::Outcome::white_half_points);
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

    fn begin_movetext(&mut self, header: Header) -> ControlFlow<Header, (Header, usize)> {
        // With a start position the moves do not matter.
        let plies = if header.opening.is_empty() {
            0
        } else {
            OPENING_PLIES
        };
        ControlFlow::Continue((header, plies))
    }

    fn san(&mut self, (header, plies): &mut (Header, usize), san: SanPlus) -> ControlFlow<Header> {
        header.digest = extended(header.digest, san.san);
        if *plies < OPENING_PLIES {
            header.opening.push_str(&san.san.to_string());
            header.opening.push(' ');
            *plies = plies.saturating_add(1);
        }
        ControlFlow::Continue(())
    }

    fn outcome(
        &mut self,
        (header, _): &mut (Header, usize),
        outcome: Outcome,
    ) -> ControlFlow<Header> {
        // Files without a `Result` tag have the result only here.
        if header.half_points.is_none() {
            header.half_points = match outcome {
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

    fn end_game(&mut self, (header, _): (Header, usize)) -> Header {
        header
    }
}

/// A digest with one more part.
fn extended(digest: u64, part: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    (digest, part).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pgn(games: &[(&str, &str, &str, &str, &str)]) -> String {
        games
            .iter()
            .map(|(white, black, round, fen, result)| {
                let fen = if fen.is_empty() {
                    String::new()
                } else {
                    format!("[FEN \"{fen}\"]\n")
                };
                format!(
                    "[White \"{white}\"]\n[Black \"{black}\"]\n[Round \"{round}\"]\n{fen}\
                     [Result \"{result}\"]\n\n1. e4 e5 {result}\n\n"
                )
            })
            .collect()
    }

    fn read(games: &[(&str, &str, &str, &str, &str)]) -> (Games, usize) {
        let mut read = Games::default();
        let headers = headers(&pgn(games));
        let left_out = add(&headers, &mut read);
        (read, left_out)
    }

    #[test]
    fn pairs_by_round() {
        let (games, left_out) = read(&[
            ("a", "b", "1.1", "", "1-0"),
            ("a", "b", "2.1", "", "0-1"),
            ("b", "a", "1.2", "", "1/2-1/2"),
            ("b", "a", "2.2", "", "1-0"),
            ("a", "b", "3", "", "*"),
        ]);
        assert_eq!((games.pairs(), left_out), (2, 1));
    }

    #[test]
    fn pairs_by_opening_where_rounds_do_not_tell() {
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let other = "rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 2 2";
        let (games, _) = read(&[
            ("a", "b", "1", fen, "1-0"),
            ("b", "a", "2", fen, "1-0"),
            ("a", "b", "3", other, "1-0"),
            ("b", "c", "4", other, "1-0"),
            ("a", "b", "5", fen, "1-0"),
        ]);
        assert_eq!(games.pairs(), 1);
    }

    /// A search of all unpaired games would take 10^10 steps.
    #[test]
    fn games_of_one_colour_take_linear_time() {
        let header = |white: &str, black: &str| Header {
            white: white.to_owned(),
            black: black.to_owned(),
            half_points: Some(2),
            opening: "e4 ".to_owned(),
            ..Header::default()
        };
        let mut headers = vec![header("a", "b"); 200_000];
        headers.extend(vec![header("b", "a"); 150_000]);
        headers.push(header("a", "b"));
        let mut games = Games::default();
        assert_eq!(add(&headers, &mut games), 0);
        assert_eq!(games.pairs(), 150_000);
    }

    #[test]
    fn the_result_may_be_in_the_moves_only() {
        let text = "[White \"a\"]\n[Black \"b\"]\n\n1. e4 0-1\n";
        assert_eq!(headers(text)[0].half_points, Some(0));
    }

    fn headers(text: &str) -> Vec<Header> {
        let read = read_headers(std::io::Cursor::new(text)).unwrap();
        assert_eq!(read.cut_off_at, None);
        read.headers
    }

    /// After a kill, or while the file is being written.
    #[test]
    fn a_file_may_end_anywhere_in_a_game() {
        let whole = pgn(&[
            ("a", "b", "1", "", "1-0"),
            ("b", "a", "1", "", "1-0"),
            ("a", "b", "2", "", "0-1"),
        ])
        .replace("1. e4", "1. e4 {+0.10/2 \"x\"}");
        let two = whole.rfind("[White").unwrap();
        for end in two..whole.len() {
            let read = read_headers(std::io::Cursor::new(&whole[..end])).unwrap();
            let complete = read.headers.iter().filter(|game| game.counts().is_some());
            let complete = complete.count();
            assert!(
                (2..=3).contains(&complete),
                "{}: {complete}",
                &whole[two..end]
            );
        }
        let in_comment = whole.rfind("\"x\"}").unwrap();
        let read = read_headers(std::io::Cursor::new(&whole[..in_comment])).unwrap();
        assert_eq!((read.cut_off_at, read.headers.len()), (Some(3), 2));
    }

    #[test]
    fn tags_without_movetext_are_games() {
        let game = |white: &str, black: &str, result: &str| {
            format!(
                "[Event \"x\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n"
            )
        };
        for between in ["", "\n", "\r\n\r\n", "\n% a comment\n"] {
            let games = [
                game("a", "b", "1-0"),
                game("b", "a", "1/2-1/2"),
                game("b", "c", "*") + "\n1. e4 0-1\n",
                game("c", "a", "0-1"),
            ];
            let found = headers(&games.join(between));
            let names: Vec<_> = found.iter().map(|game| game.white.as_str()).collect();
            assert_eq!(names, ["a", "b", "b", "c"], "{between:?}");
            let results: Vec<_> = found.iter().map(|game| game.half_points).collect();
            assert_eq!(results, [Some(2), Some(1), Some(0), Some(0)]);
            // Without moves, their openings are unknown.
            let mut games = Games::default();
            assert_eq!((add(&found, &mut games), games.pairs()), (0, 0));
        }
    }

    #[test]
    fn white_space_in_a_tag_pair_means_nothing() {
        let text = "[White  \"a\"]\n[\tBlack\t \"b \\\"c\\\\\" ]\n[Result\"1-0\"] [ Round \"3.1\"]\n\n1. e4 1-0\n";
        let found = headers(text);
        assert_eq!(found.len(), 1);
        assert_eq!((&*found[0].white, &*found[0].black), ("a", "b \"c\\"));
        assert_eq!(found[0].half_points, Some(2));
        assert_eq!(found[0].round.as_deref(), Some("3"));
    }

    #[test]
    fn a_digest_is_of_the_tags_and_the_moves() {
        let digest = |text: &str| digests_of(text.as_bytes()).unwrap();
        let game = "[White \"a\"]\n[Round \"1\"]\n\n1. e4 {+0.10/2 0.1s} e5 1-0\n\n";
        let one = digest(game);
        assert_eq!(one.len(), 1);
        assert_eq!(digest(&game.replace("0.10/2 0.1s", "x")), one);
        assert_eq!(digest(&game.repeat(2)), [one[0], one[0]]);
        for (old, new) in [
            ("\"a\"", "\"b\""),
            ("Round", "Event"),
            ("e5", "d5"),
            (" e5", ""),
        ] {
            assert_ne!(digest(&game.replace(old, new)), one, "{new}");
        }
    }

    #[test]
    fn a_game_without_two_players_is_left_out() {
        let text = "[White \"\"]\n[Black \"b\"]\n\n1-0\n\n[Black \"b\"]\n\n1-0\n\n[White \"b\"]\n[Black \"b\"]\n\n1-0\n";
        let mut games = Games::default();
        assert_eq!(add(&headers(text), &mut games), 3);
    }
}
