//! Games of a PGN file, grouped into pairs.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;

use super::pgn_headers::{Header, read_headers};
use hone_base::diagnostic::Diagnostic;
use hone_base::platform::quoted;
use hone_base::text::is_utf16;
use hone_stats::rating::{Game, Games};
use hone_uci::openings::source::unpacker_of;

/// First bytes of a file that show how it is compressed or encoded.
const MARK: u64 = 8;

/// Adds the finished games of a file. Two games are a pair if the same players met with
/// colours reversed: in the same round, if exactly two of their games have it; or else from
/// the same opening, in the same round if possible, each game with the next such one.
///
/// # Errors
/// If the file cannot be read, is not text, or contains no games.
pub(super) fn add_pgn(path: &Path, games: &mut Games) -> Result<Added, anyhow::Error> {
    let mut file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let mut start = Vec::new();
    file.by_ref()
        .take(MARK)
        .read_to_end(&mut start)
        .with_context(|| format!("cannot read {}", path.display()))?;
    check_start(path, &start)?;
    // A pipe cannot be rewound.
    let file = start.as_slice().chain(file);
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

/// Refuses a file that is compressed or in UTF-16, by its first bytes.
fn check_start(path: &Path, start: &[u8]) -> Result<(), anyhow::Error> {
    let shown = path.display();
    if let Some((program, arguments)) = unpacker_of(start) {
        let words = [program, arguments, &quoted(path)];
        let command = words.map(str::to_owned).join(" ").replace("  ", " ");
        anyhow::bail!(
            Diagnostic::new(format!("{shown} is compressed"))
                .help(format!("unpack it first: `{command}`"))
        );
    }
    anyhow::ensure!(!is_utf16(start), "{shown} is UTF-16; save it as UTF-8");
    Ok(())
}

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

/// A game without a partner so far, by its number in the file.
#[derive(Clone, Copy)]
struct Unpaired<'a> {
    number: usize,
    header: &'a Header,
    game: Game,
}

/// The unpaired games of each group, in the order of the file. All of a group have the same
/// colours.
type Groups<'a> = BTreeMap<Key<'a>, VecDeque<Unpaired<'a>>>;

fn add(headers: &[Header], games: &mut Games) -> usize {
    let rounds = games_of_rounds(headers);
    let mut by_round = Groups::new();
    let mut left_out = 0_usize;
    for (number, header) in headers.iter().enumerate() {
        let Some(half_points) = header.counts() else {
            left_out = left_out.saturating_add(1);
            continue;
        };
        let game = Game {
            white: games.player(&header.white),
            black: games.player(&header.black),
            half_points,
        };
        let round = header.round.as_deref();
        let of_round = Key::of(header, round, "");
        let key = if round.is_some() && rounds.get(&of_round) == Some(&2) {
            of_round
        } else if header.opening.is_empty() {
            games.add_single(game, 1);
            continue;
        } else {
            Key::of(header, round, &header.opening)
        };
        let unpaired = Unpaired {
            number,
            header,
            game,
        };
        pair_up(by_round.entry(key).or_default(), unpaired, games);
    }
    // The two games of a pair may have different rounds.
    let mut rest: Vec<Unpaired<'_>> = by_round.into_values().flatten().collect();
    rest.sort_unstable_by_key(|unpaired| unpaired.number);
    let mut by_opening = Groups::new();
    for unpaired in rest {
        let opening = unpaired.header.opening.as_str();
        if opening.is_empty() {
            games.add_single(unpaired.game, 1);
            continue;
        }
        let key = Key::of(unpaired.header, None, opening);
        pair_up(by_opening.entry(key).or_default(), unpaired, games);
    }
    for unpaired in by_opening.into_values().flatten() {
        games.add_single(unpaired.game, 1);
    }
    left_out
}

/// Pairs a game with the first one of its group, if colours are reversed.
fn pair_up<'a>(group: &mut VecDeque<Unpaired<'a>>, unpaired: Unpaired<'a>, games: &mut Games) {
    match group.front() {
        Some(first) if first.game.white == unpaired.game.black => {
            games.add_pair([first.game, unpaired.game]);
            group.pop_front();
        }
        _ => group.push_back(unpaired),
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
fn games_of_rounds(headers: &[Header]) -> BTreeMap<Key<'_>, usize> {
    let mut rounds = BTreeMap::new();
    for header in headers.iter().filter(|header| header.round.is_some()) {
        let key = Key::of(header, header.round.as_deref(), "");
        let games = rounds.entry(key).or_insert(0_usize);
        *games = games.saturating_add(1);
    }
    rounds
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

    /// Two files that were joined, each with a pair in every round.
    #[test]
    fn pairs_of_one_round_are_those_of_one_opening() {
        let file = |moves: &str| {
            let game = |white: &str, black: &str, round: u32| {
                format!(
                    "[White \"{white}\"]\n[Black \"{black}\"]\n[Round \"{round}\"]\n\
                     [Result \"1-0\"]\n\n{moves} 1-0\n\n"
                )
            };
            let rounds = 1..=3;
            let pair = |round| game("a", "b", round) + &game("b", "a", round);
            rounds.map(pair).collect::<String>() + &game("a", "b", 4)
        };
        let joined = file("1. e4 e5 2. Nf3 Nc6 3. h3 h6") + &file("1. e4 e5 2. Nf3 Nc6 3. a3 a6");
        let mut games = Games::default();
        assert_eq!(add(&headers(&joined), &mut games), 0);
        assert_eq!(games.pairs(), 6);
        // Neither a pair of two rounds is lost, nor are unknown openings the same.
        let two = [("a", "b", "1", "", "1-0"), ("b", "a", "2", "", "1-0")];
        let mut games = Games::default();
        add(&headers(&pgn(&two)), &mut games);
        assert_eq!(games.pairs(), 1);
        let unknown = pgn(&[two[0], ("b", "a", "1", "", "1-0")]).replace("1. e4 e5 ", "");
        let mut games = Games::default();
        add(&headers(&unknown.repeat(2)), &mut games);
        assert_eq!(games.pairs(), 0);
    }

    #[test]
    fn book_moves_are_the_opening() {
        let opening = |moves: &str, tag: &str| {
            let text = format!("[White \"a\"]\n[Black \"b\"]\n{tag}\n{moves} 1-0\n");
            headers(&text)[0].opening.clone()
        };
        let long = "1. e4 {book} e5 { book } 2. Nf3 {book} Nc6 {book} 3. Bb5 {book} a6 {book} \
                    4. Ba4 {book} Nf6 {book} 5. O-O {book} Be7 {+0.10/9 0.1s} 6. Re1 {book} d6";
        let nine = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O ";
        assert_eq!(opening(long, ""), nine);
        assert_eq!(opening("1. e4 {book} e5 2. Nf3 Nc6", ""), "e4 ");
        let eight = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 ";
        assert_eq!(opening(&long.replace("book", "x"), ""), eight);
        let tag = "[FEN \"x y\"]\n";
        assert_eq!(opening(&long.replace("book", "x"), tag), "x y");
        assert_eq!(opening("1. e4 {book} e5", tag), "x ye4 ");
    }

    #[test]
    fn packed_files_and_other_encodings_are_named() {
        let error = |start: &[u8]| {
            let error = check_start(Path::new("a b"), start).unwrap_err();
            hone_base::diagnostic::with_causes(&error)
        };
        for (start, command) in [
            (&b"\x1f\x8b\x08\0"[..], "gzip -dk"),
            (b"PK\x03\x04", "unzip"),
            (b"\xfd7zXZ\0\0\x04", "xz -dk"),
            (b"BZh91AY&", "bzip2 -dk"),
            (b"\x28\xb5\x2f\xfd\x04\x58", "zstd -d"),
            (b"7z\xbc\xaf\x27\x1c\0\x04", "7z x"),
        ] {
            let help = format!("a b is compressed\nhelp: unpack it first: `{command} ");
            assert!(error(start).starts_with(&help), "{}", error(start));
        }
        assert_eq!(error(b"\xff\xfe[\0"), "a b is UTF-16; save it as UTF-8");
        assert!(check_start(Path::new("a"), b"[Event \"").is_ok());
        assert!(check_start(Path::new("a"), b"").is_ok());
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

    /// Empty lines and comments within a game neither split it nor hide its result.
    #[test]
    fn paragraphs_of_a_game_are_one_game() {
        let tags = "[White \"a\"]\n[Black \"b\"]\n";
        for moves in [
            "1. e4 e5 2. Nf3 Nc6\n\n3. d4 d5 1-0\n",
            "{ A remark before the game. }\n\n1. e4 e5 1-0\n",
            "1. e4 e5\r\n\r\n(1... c5\r\n\r\n2. c3)\r\n\r\n1-0\r\n",
            "1. e4\n\n1... e5\n\n; A line.\n\n1-0\n",
        ] {
            let game = format!("{tags}\n{moves}\n{{ Between games. }}\n\n");
            let found = headers(&game.repeat(2));
            let results: Vec<_> = found.iter().map(Header::counts).collect();
            assert_eq!(results, [Some(2); 2], "{moves}");
            let opening = &found[0].opening;
            assert!(opening.starts_with("e4 e5 "), "{opening}");
        }
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
