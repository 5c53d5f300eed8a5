//! A file of openings.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::{collections::HashSet, path::Path};

use super::{
    BookError, BookOptions, Opening, Variant,
    epd::PositionLine,
    lines::{check_lines, line_at, line_starts},
    normal_form::normal_form,
    packed::{PackedGames, read_games},
    source::{self, Format, Source, SourceError},
};
use crate::rules::without_counters;

/// The books that are built in.
const STANDARD_BOOK: &str = "default.epd.gz";
const CHESS960_BOOK: &str = "chess960.epd";

/// A file of openings. Only the requested ones are checked. Positions are kept as text and
/// parsed on demand; moves of games take two bytes each.
#[derive(Debug)]
pub struct Book {
    openings: Openings,
    variant: Variant,
    sha256: String,
}

#[derive(Debug)]
enum Openings {
    Lines { text: Vec<u8>, starts: Vec<u32> },
    Games(PackedGames),
}

impl Book {
    /// Reads a book and checks every opening in it.
    ///
    /// # Errors
    /// The first opening that is illegal or ends the game, with its file and line; a file that
    /// cannot be read, or has no openings.
    pub fn open(path: &Path, options: BookOptions) -> Result<Self, BookError> {
        let book = Self::read(path, options)?;
        if let Openings::Lines { text, starts } = &book.openings {
            check_lines(path, text, starts, options.variant)?;
        }
        Ok(book)
    }

    /// Reads a book and checks the openings that will be played: `indices` returns their
    /// indices in the file, given the number of openings. A book can have hundreds of
    /// thousands of positions, of which a test plays a few thousand. A book of games is
    /// checked as a whole.
    ///
    /// # Errors
    /// As [`Book::open`].
    ///
    /// # Panics
    /// If an index is not below the number of openings.
    pub fn open_part(
        path: &Path,
        options: BookOptions,
        indices: impl FnOnce(usize) -> Vec<usize>,
    ) -> Result<Self, BookError> {
        let book = Self::read(path, options)?;
        if let Openings::Lines { text, starts } = &book.openings {
            let mut part: Vec<u32> = indices(starts.len())
                .iter()
                .filter_map(|&index| starts.get(index).copied())
                .collect();
            part.sort_unstable();
            check_lines(path, text, &part, options.variant)?;
        }
        Ok(book)
    }

    /// The book that is built in for a variant. Its openings are legal.
    ///
    /// # Errors
    /// Only if the book in the program is damaged.
    pub fn built_in(variant: Variant) -> Result<Self, BookError> {
        let options = BookOptions {
            format: Some(Format::Epd),
            plies: None,
            variant,
        };
        let name = Path::new(Self::built_in_name(variant));
        Self::of(name, Self::built_in_source(variant)?, options)
    }

    /// The file that is built in for a variant.
    fn built_in_source(variant: Variant) -> Result<Source, SourceError> {
        let file: &[u8] = match variant {
            Variant::Standard => include_bytes!("../../../../../books/default.epd.gz"),
            Variant::Chess960 => include_bytes!("../../../../../books/chess960.epd"),
        };
        Source::of_file(Path::new(Self::built_in_name(variant)), file.to_vec())
    }

    /// Name of the book that is built in for a variant.
    pub fn built_in_name(variant: Variant) -> &'static str {
        match variant {
            Variant::Standard => STANDARD_BOOK,
            Variant::Chess960 => CHESS960_BOOK,
        }
    }

    /// Reads a book whose positions are not checked yet.
    fn read(path: &Path, options: BookOptions) -> Result<Self, BookError> {
        Self::of(path, source::read(path)?, options)
    }

    fn of(path: &Path, source: Source, options: BookOptions) -> Result<Self, BookError> {
        let openings = match options.format.unwrap_or(source.format) {
            Format::Epd => Openings::Lines {
                starts: line_starts(&source.bytes),
                text: source.bytes,
            },
            Format::Pgn => Openings::Games(read_games(path, &source.bytes, options)?),
            Format::Polyglot => {
                return Err(BookError::polyglot(path));
            }
        };
        let book = Self {
            openings,
            variant: options.variant,
            sha256: source.sha256,
        };
        if book.is_empty() {
            return Err(BookError::Empty {
                path: path.to_owned(),
            });
        }
        Ok(book)
    }

    /// Number of openings, at least 1.
    pub fn len(&self) -> usize {
        match &self.openings {
            Openings::Lines { starts, .. } => starts.len(),
            Openings::Games(games) => games.len(),
        }
    }

    /// Number of openings that differ in more than their move counters, at
    /// least 1: moves that transpose count as different. Two ways to write a position count as
    /// one: castling rights as `KQ` or `HA`, an en passant square that no pawn can capture on.
    pub fn distinct(&self) -> usize {
        match &self.openings {
            Openings::Lines { text, starts } => {
                let lines = starts.iter().map(|&start| line_at(text, start));
                let kinds = lines.map(|line| normal_form(line, self.variant));
                kinds.collect::<HashSet<_>>().len()
            }
            Openings::Games(games) => {
                let openings = (0..games.len()).map(|index| {
                    let opening = games.opening(index);
                    let start = without_counters(opening.start_fen().as_bytes()).to_vec();
                    (start, opening.moves)
                });
                openings.collect::<HashSet<_>>().len()
            }
        }
    }

    /// Always false: a book without openings cannot be opened.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// SHA-256 of the file on disk, compressed or not, in hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// The rules the book was checked against.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The opening at `index` in the order of the file.
    ///
    /// # Panics
    /// If `index` is not below [`Book::len`], or the opening there is faulty
    /// and was not checked.
    #[cfg_attr(
        not(test),
        expect(
            clippy::expect_used,
            clippy::indexing_slicing,
            reason = "documented: openings are checked when the book is opened"
        )
    )]
    pub fn opening(&self, index: usize) -> Opening {
        match &self.openings {
            Openings::Lines { text, starts } => {
                let position = PositionLine::parse(line_at(text, starts[index]))
                    .and_then(|line| line.position(self.variant))
                    .expect("the line was checked when the book was opened");
                Opening::from_position(&position)
            }
            Openings::Games(games) => games.opening(index),
        }
    }

    /// All openings in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = Opening> {
        (0..self.len()).map(|index| self.opening(index))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;
    use hone_base::diagnostic::shown;

    fn book(name: &str, text: &str, options: BookOptions) -> Result<Book, BookError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        Book::open(&path, options)
    }

    #[test]
    fn the_books_that_are_built_in_are_sound() {
        for (variant, openings) in [(Variant::Standard, 12_000), (Variant::Chess960, 1000)] {
            let built_in = Book::built_in(variant).unwrap();
            assert_eq!((built_in.len(), built_in.distinct()), (openings, openings));
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../books");
            let options = BookOptions {
                variant,
                ..BookOptions::default()
            };
            let file = Book::open(&file.join(Book::built_in_name(variant)), options).unwrap();
            assert_eq!(file.sha256(), built_in.sha256());
        }
    }

    #[test]
    fn openings_that_differ_in_counters_only_are_one() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        let text = format!(
            "{start}\n{start} 0 1\n{start}  hmvc 7; fmvn 9;\n{start} 3 20\n4k3/8/8/8/8/8/4P3/4K3 w - - 5 9\n"
        );
        let positions = book("a.epd", &text, BookOptions::default()).unwrap();
        assert_eq!((positions.len(), positions.distinct()), (5, 2));
        let text = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1\n\
            bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 3 2\n\
            bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFh - 0 1\n";
        let options = BookOptions {
            variant: Variant::Chess960,
            ..BookOptions::default()
        };
        let chess960 = book("a.epd", text, options).unwrap();
        assert_eq!((chess960.len(), chess960.distinct()), (3, 2));
        let ways = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1\n\
            rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n\
            rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b kqKQ -\n\
            rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR\tb  HAha -\n\
            rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQk -\n";
        let ways = book("a.epd", ways, BookOptions::default()).unwrap();
        assert_eq!((ways.len(), ways.distinct()), (5, 2));
        let games = "[Event \"?\"]\n\n1. e4 e5 *\n\n[Event \"?\"]\n\n1. e4 e5 *\n\n[Event \"?\"]\n\n1. d4 *\n";
        let games = book("a.pgn", games, BookOptions::default()).unwrap();
        assert_eq!((games.len(), games.distinct()), (3, 2));
    }

    fn refusal(name: &str, text: &str) -> String {
        let options = BookOptions::default();
        shown(&book(name, text, options).unwrap_err())
    }

    #[test]
    fn positions_are_normalised() {
        let text = "\u{feff}# a comment\r\n\r\n\
            rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 hmvc 0; fmvn 1; ce 20;\r\n\
            rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        let book = book("a.epd", text, BookOptions::default()).unwrap();
        let fens: Vec<String> = book.iter().map(|o| o.start_fen().to_owned()).collect();
        assert_eq!(
            fens,
            [
                "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
            ]
        );
        assert_eq!(book.opening(1), Opening::default());
    }

    #[test]
    fn games_give_their_leading_moves() {
        let text = "[Event \"?\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n\
            [FEN \"r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 1\"]\n\n1. b8=N O-O 2. O-O-O *\n\n\
            [Event \"?\"]\n\n1. d4 *\n";
        let options = BookOptions {
            plies: Some(3),
            ..BookOptions::default()
        };
        let standard = book("a.pgn", text, options).unwrap();
        let openings: Vec<Opening> = standard.iter().collect();
        assert_eq!(&*openings[0].moves, "e2e4 e7e5 g1f3");
        assert_eq!(openings[0].fen, None);
        assert_eq!(&*openings[1].moves, "b7b8n e8g8 e1c1");
        assert_eq!(
            openings[1].start_fen(),
            "r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 1"
        );
        assert_eq!(&*openings[2].moves, "d2d4");
        assert_eq!(openings[2].fen, None);

        let options = BookOptions {
            variant: Variant::Chess960,
            ..options
        };
        let chess960 = book("a.pgn", text, options).unwrap().opening(1);
        assert_eq!(&*chess960.moves, "b7b8n e8h8 e1a1");
        let end = chess960.position(Variant::Chess960).unwrap();
        assert_eq!(end, openings[1].position(Variant::Standard).unwrap());
    }

    #[test]
    fn only_the_plies_that_are_used_must_be_readable() {
        let late = "[Event \"x\"]\n\n1. d4 Nf6 2. Bg5 c5 3. d5 Ne4 4. Bf4 Qb6 38. b8Q Rxb8 1-0\n";
        for (text, plies) in [
            (late, 8),
            (&*late.replace("b8Q", "b9Q"), 8),
            (&*late.replace("38.", "(").replace("b8Q", "Zz9"), 4),
            (&*late.replace("Qb6", "o-o"), 7),
            (&*late.replace("b8Q", "--"), 8),
            (&*late.replace("1-0", "1-O"), 8),
            (&*late.replace("1-0", "(38. b9 1-0"), 8),
        ] {
            let options = BookOptions {
                plies: Some(plies),
                ..BookOptions::default()
            };
            let read = book("a.pgn", text, options).unwrap();
            let moves = read.opening(0).moves;
            assert_eq!((read.len(), moves.split(' ').count()), (1, plies), "{text}");
            let whole = book("a.pgn", text, BookOptions::default());
            assert!(whole.is_err(), "{text}");
        }
    }

    #[test]
    fn positions_with_semicolons_and_dashes_are_openings() {
        let chess960 = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf -";
        for (text, variant) in [
            (
                &*format!("{chess960} 0 1;\n{chess960};\n"),
                Variant::Chess960,
            ),
            (
                "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2; v=-328\n\
                 rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - - bm Nf3;\n",
                Variant::Standard,
            ),
        ] {
            let options = BookOptions {
                variant,
                ..BookOptions::default()
            };
            let read = book("a.epd", text, options).unwrap();
            assert_eq!((read.len(), read.distinct()), (2, 1), "{text}");
        }
    }

    #[test]
    fn refusals_name_file_and_line() {
        let good = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n";
        let message = refusal(
            "a.epd",
            &format!("{good}\n# x\n8/8/8/8/8/8/8/8 w - -\nx\ny\n{good}"),
        );
        assert!(
            message.starts_with(
                "illegal position: empty board, missing king (and 2 more invalid lines)"
            ) && message.contains("a.epd:4\n")
                && message.ends_with("a.epd:6"),
            "{message}"
        );
        let message = refusal("a.pgn", "1. e4 e5\n2. Ke3 *\n");
        assert!(
            message.contains("game 1: move 2. Ke3: illegal san") && message.ends_with("a.pgn:2"),
            "{message}"
        );
        let message = refusal("a.pgn", "1. e4 e5\n2. Zz9 *\n");
        assert!(
            message.contains("\"Zz9\" is not a move") && message.ends_with("a.pgn:2"),
            "{message}"
        );
        for name in ["a.epd", "a.pgn", "a"] {
            assert!(refusal(name, "\n").ends_with("contains no openings"));
        }
        assert!(refusal("a.bin", "x").contains("hone book convert"));
        let missing = Book::open(Path::new("no/such.epd"), BookOptions::default());
        assert!(
            missing
                .unwrap_err()
                .to_string()
                .starts_with("cannot read no/such.epd")
        );
    }

    /// Books of the Stockfish project's collection and the number of their
    /// openings.
    #[test]
    fn well_known_books_read_completely() {
        let Some(folder) = hone_testing::data("books") else {
            return;
        };
        for (name, variant, count) in [
            ("8moves_v3.pgn.zip", Variant::Standard, 34_700),
            ("UHO_4060_v1.epd.zip", Variant::Standard, 246_759),
            ("2moves_v1.epd.zip", Variant::Standard, 40_457),
            ("FRC_openings.epd.zip", Variant::Chess960, 960),
            ("startpos.epd.zip", Variant::Standard, 1),
        ] {
            let options = BookOptions {
                variant,
                ..BookOptions::default()
            };
            let book = Book::open(&folder.join(name), options).unwrap();
            assert_eq!(book.len(), count, "{name}");
            let last = book.opening(count - 1);
            assert!(last.position(variant).is_ok(), "{name}: {last:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_a_reader(text: Vec<u8>, pgn: bool) {
            let name = if pgn { "a.pgn" } else { "a.epd" };
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(name);
            fs::write(&path, &text).unwrap();
            if let Ok(book) = Book::open(&path, BookOptions::default()) {
                for opening in book.iter() {
                    prop_assert!(opening.position(Variant::Standard).is_ok());
                }
            }
        }

        /// Text composed of the elements of books reaches more of the parsers than random
        /// bytes.
        #[test]
        fn no_mixture_of_book_parts_breaks_a_reader(
            parts in prop::collection::vec(prop::sample::select(PARTS), 0..40), pgn: bool,
        ) {
            let name = if pgn { "a.pgn" } else { "a.epd" };
            if let Ok(book) = book(name, &parts.concat(), BookOptions::default()) {
                for opening in book.iter() {
                    prop_assert!(opening.position(Variant::Standard).is_ok());
                }
            }
        }
    }

    const PARTS: &[&str] = &[
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
        "4k3/8/8/8/8/8/4P3/4K3",
        "8/8",
        "/",
        " w ",
        " b ",
        " KQkq ",
        " - ",
        " - - ",
        "e3",
        " 0 1",
        " 99",
        "\n",
        "\n\n",
        "\r\n",
        "# x",
        ";",
        " hmvc 4;",
        " id \"a;b\";",
        "\"",
        "[FEN \"",
        "\"]",
        "[Event \"x\"]",
        "1.",
        " e4",
        " e5",
        " Nf3",
        " O-O",
        "{",
        "}",
        "(",
        ")",
        " *",
        " 1-0",
        " $3",
        "%",
        "\u{feff}",
        "\\",
        " a8=Q",
    ];
}
