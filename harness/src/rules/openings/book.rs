//! A file of openings.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use shakmaty::{Role, Square, uci::UciMove};
use thiserror::Error;

use super::{
    Opening, Variant,
    epd::{LineError, PositionLine, is_blank},
    games::{BadGame, Games, unreadable_move},
    source::{self, BYTE_ORDER_MARK, Format, Source, SourceError},
};

/// The books that are built in.
const STANDARD_BOOK: &str = "balanced.epd";
const CHESS960_BOOK: &str = "chess960.epd";

/// How a book is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BookOptions {
    /// What the file is written in; `None` tells by its name, or else by its
    /// contents.
    pub format: Option<Format>,
    /// Half-moves taken from each PGN game; `None` takes all. Positions are
    /// not affected.
    pub plies: Option<usize>,
    pub variant: Variant,
}

/// Why a book cannot be used.
#[derive(Debug, Error)]
pub enum BookError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(
        "{error}{}{}", more(*others), places(path, lines)
    )]
    Position {
        path: PathBuf,
        /// What is wrong with the first line that cannot be used.
        error: LineError,
        /// Up to three such lines of the file, from 1.
        lines: Vec<usize>,
        /// Number of further lines that cannot be used.
        others: usize,
    },
    #[error("game {}: {}\n  --> {}:{}", bad.game, bad.error, path.display(), bad.line)]
    Game { path: PathBuf, bad: BadGame },
    #[error("\"{word}\" is not a move\n  --> {}:{line}", path.display())]
    Word {
        path: PathBuf,
        line: u64,
        word: String,
    },
    #[error("{} contains no openings", path.display())]
    Empty { path: PathBuf },
    #[error(
        "{} is a Polyglot book: it has no list of openings\n\
         help: convert it with `hone book convert {} --plies 8 --out BOOK.epd`",
        path.display(), path.display()
    )]
    Polyglot { path: PathBuf },
}

fn more(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => " (and 1 more invalid line)".to_owned(),
        n => format!(" (and {n} more invalid lines)"),
    }
}

fn places(path: &Path, lines: &[usize]) -> String {
    let places = lines
        .iter()
        .map(|line| format!("\n  --> {}:{line}", path.display()));
    places.collect()
}

/// How many lines an error names.
const NAMED: usize = 3;

/// A file of openings, those that are asked for checked. Positions are kept as the text of
/// the file and parsed when asked for; moves of games in two bytes each.
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

/// The openings of games, all in one list of moves.
#[derive(Debug, Default)]
struct PackedGames {
    moves: Vec<u16>,
    /// Where in `moves` each game ends.
    ends: Vec<u32>,
    /// Start positions other than the usual one, by game.
    starts: Vec<(u32, Arc<str>)>,
}

impl Book {
    /// Reads a book and checks every opening in it.
    ///
    /// # Errors
    /// The first opening that is illegal or leaves nothing to play, with its
    /// file and line; a file that cannot be read, or that holds no opening.
    pub fn open(path: &Path, options: BookOptions) -> Result<Self, BookError> {
        let book = Self::read(path, options)?;
        if let Openings::Lines { text, starts } = &book.openings {
            check_lines(path, text, starts, options.variant)?;
        }
        Ok(book)
    }

    /// Reads a book and checks the openings that will be played: those for
    /// which `indices`, given the number of openings, gives the places in the
    /// file. Books run to hundreds of thousands of positions, of which a test
    /// plays a few thousand. A book of games is checked as a whole.
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
            let mut part: Vec<u32> = indices(starts.len()).iter().map(|&i| starts[i]).collect();
            part.sort_unstable();
            check_lines(path, text, &part, options.variant)?;
        }
        Ok(book)
    }

    /// The book that is built in for a variant. Its openings are legal.
    ///
    /// # Errors
    /// None, if the program was built from sound sources.
    pub fn built_in(variant: Variant) -> Result<Self, BookError> {
        let (name, text): (_, &[u8]) = match variant {
            Variant::Standard => (
                STANDARD_BOOK,
                include_bytes!("../../../../books/balanced.epd"),
            ),
            Variant::Chess960 => (
                CHESS960_BOOK,
                include_bytes!("../../../../books/chess960.epd"),
            ),
        };
        let options = BookOptions {
            format: Some(Format::Epd),
            plies: None,
            variant,
        };
        Self::of(Path::new(name), Source::of_text(text), options)
    }

    /// Name of the book that is built in for a variant.
    pub(crate) fn built_in_name(variant: Variant) -> &'static str {
        match variant {
            Variant::Standard => STANDARD_BOOK,
            Variant::Chess960 => CHESS960_BOOK,
        }
    }

    /// Reads a book whose positions nobody has checked yet.
    fn read(path: &Path, options: BookOptions) -> Result<Self, BookError> {
        Self::of(path, source::read(path)?, options)
    }

    fn of(path: &Path, source: Source, options: BookOptions) -> Result<Self, BookError> {
        let openings = match options.format.unwrap_or(source.format) {
            Format::Epd => Openings::Lines {
                starts: line_starts(&source.bytes),
                text: source.bytes,
            },
            Format::Pgn => read_games(path, &source.bytes, options)?,
            Format::Polyglot => {
                return Err(BookError::Polyglot {
                    path: path.to_owned(),
                });
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
            Openings::Games(games) => games.ends.len(),
        }
    }

    /// Number of openings that differ in more than their move counters, at
    /// least 1: moves that transpose count as different.
    pub fn distinct(&self) -> usize {
        match &self.openings {
            Openings::Lines { text, starts } => {
                let lines = starts.iter().map(|&start| line_at(text, start));
                lines.map(without_counters).collect::<HashSet<_>>().len()
            }
            Openings::Games(games) => {
                let openings = (0..games.ends.len()).map(|index| {
                    let opening = games.opening(index);
                    let start = without_counters(opening.start_fen().as_bytes()).to_vec();
                    (start, opening.moves)
                });
                openings.collect::<HashSet<_>>().len()
            }
        }
    }

    /// Never true of a book that could be opened.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// SHA-256 of the file as it lies on disk, in hexadecimal.
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

/// The first four fields of a position: all but the move counters.
pub(crate) fn without_counters(position: &[u8]) -> &[u8] {
    let position = position.trim_ascii_start();
    let is_end = |at: &usize| {
        position[*at].is_ascii_whitespace()
            && position
                .get(at + 1)
                .is_some_and(|next| !next.is_ascii_whitespace())
    };
    let end = (0..position.len()).filter(is_end).nth(3);
    position[..end.unwrap_or(position.len())].trim_ascii_end()
}

/// Where each line that holds a position starts.
fn line_starts(text: &[u8]) -> Vec<u32> {
    let mut starts = Vec::with_capacity(memchr::memchr_iter(b'\n', text).count() + 1);
    let mut at = text
        .strip_prefix(BYTE_ORDER_MARK)
        .map_or(0, |_| BYTE_ORDER_MARK.len());
    while at < text.len() {
        let line = line_at(text, at as u32);
        if !is_blank(line) {
            starts.push(at as u32);
        }
        at += line.len() + 1;
    }
    starts.shrink_to_fit();
    starts
}

fn line_at(text: &[u8], start: u32) -> &[u8] {
    let rest = &text[start as usize..];
    &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())]
}

/// Checks the positions that start at these places.
fn check_lines(
    path: &Path,
    text: &[u8],
    starts: &[u32],
    variant: Variant,
) -> Result<(), BookError> {
    let faults = faults(text, starts, variant);
    let Some((error, first)) = faults.first else {
        return Ok(());
    };
    let number = |index: &usize| {
        let before = &text[..starts[*index] as usize];
        memchr::memchr_iter(b'\n', before).count() + 1
    };
    Err(BookError::Position {
        path: path.to_owned(),
        lines: first.iter().map(number).collect(),
        error,
        others: faults.count - 1,
    })
}

/// Faulty lines.
#[derive(Default)]
struct Faults {
    count: usize,
    /// What is wrong with the first, and the numbers of the first few.
    first: Option<(LineError, Vec<usize>)>,
}

/// The faulty lines among those that start at these places. All processors
/// help.
fn faults(text: &[u8], starts: &[u32], variant: Variant) -> Faults {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = starts.len().div_ceil(threads).max(1024);
    let check = |number: usize, chunk: &[u32]| {
        let mut faults = chunk.iter().enumerate().filter_map(|(index, &start)| {
            let line = PositionLine::parse(line_at(text, start));
            let error = line.and_then(|line| line.position(variant)).err()?;
            Some((number * share + index, error))
        });
        let (index, error) = faults.next()?;
        let mut indices = vec![index];
        indices.extend(faults.by_ref().take(NAMED - 1).map(|(index, _)| index));
        Some((indices.len() + faults.count(), error, indices))
    };
    let found: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = starts
            .chunks(share)
            .enumerate()
            .map(|(number, chunk)| scope.spawn(move || check(number, chunk)))
            .collect();
        workers
            .into_iter()
            .filter_map(|worker| worker.join().expect("checking a line does not panic"))
            .collect()
    });
    let mut all = Faults::default();
    for (count, error, indices) in found {
        all.count += count;
        let (_, named) = all.first.get_or_insert((error, Vec::new()));
        let missing = NAMED - named.len();
        named.extend(indices.into_iter().take(missing));
    }
    all
}

fn read_games(path: &Path, text: &[u8], options: BookOptions) -> Result<Openings, BookError> {
    if let Some((line, word)) = unreadable_move(text) {
        return Err(BookError::Word {
            path: path.to_owned(),
            line,
            word,
        });
    }
    let mut packed = PackedGames::default();
    for game in Games::new(text, options.plies, options.variant) {
        let game = game.map_err(|bad| BookError::Game {
            path: path.to_owned(),
            bad,
        })?;
        if let Some(start) = game.start.as_ref().map(Opening::from_position)
            && let Some(fen) = start.fen
        {
            packed.starts.push((packed.ends.len() as u32, fen));
        }
        let mode = options.variant.castling_mode();
        let moves = game.moves.iter().map(|m| pack(m.to_uci(mode)));
        packed.moves.extend(moves);
        packed.ends.push(packed.moves.len() as u32);
    }
    packed.moves.shrink_to_fit();
    Ok(Openings::Games(packed))
}

impl PackedGames {
    fn opening(&self, index: usize) -> Opening {
        let from = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        let moves: Vec<String> = self.moves[from as usize..self.ends[index] as usize]
            .iter()
            .map(|&packed| unpack(packed).to_string())
            .collect();
        let fen = self
            .starts
            .binary_search_by_key(&(index as u32), |(game, _)| *game)
            .ok()
            .map(|place| Arc::clone(&self.starts[place].1));
        Opening {
            fen,
            moves: moves.join(" ").into(),
        }
    }
}

/// Six bits each for the squares, three for what a pawn becomes.
fn pack(uci: UciMove) -> u16 {
    let UciMove::Normal {
        from,
        to,
        promotion,
    } = uci
    else {
        unreachable!("standard chess has no other moves: {uci}")
    };
    let promotion = promotion.map_or(0, u16::from);
    u16::from(from) | u16::from(to) << 6 | promotion << 12
}

fn unpack(packed: u16) -> UciMove {
    let square = |bits: u16| Square::new(u32::from(bits & 63));
    UciMove::Normal {
        from: square(packed),
        to: square(packed >> 6),
        promotion: Role::try_from(packed >> 12).ok(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;
    use shakmaty::{Chess, Position};

    use super::*;

    fn book(name: &str, text: &str, options: BookOptions) -> Result<Book, BookError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        Book::open(&path, options)
    }

    #[test]
    fn the_books_that_are_built_in_are_sound() {
        for (variant, openings) in [(Variant::Standard, 5000), (Variant::Chess960, 1000)] {
            let built_in = Book::built_in(variant).unwrap();
            assert_eq!((built_in.len(), built_in.distinct()), (openings, openings));
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../books");
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
        let games = "[Event \"?\"]\n\n1. e4 e5 *\n\n[Event \"?\"]\n\n1. e4 e5 *\n\n[Event \"?\"]\n\n1. d4 *\n";
        let games = book("a.pgn", games, BookOptions::default()).unwrap();
        assert_eq!((games.len(), games.distinct()), (3, 2));
    }

    fn refusal(name: &str, text: &str) -> String {
        let options = BookOptions::default();
        book(name, text, options).unwrap_err().to_string()
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
        let Some(folder) = crate::skip::data("books") else {
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
        fn packed_moves_come_back(choices in prop::collection::vec(any::<prop::sample::Index>(), 1..120)) {
            let mut position = Chess::default();
            for choice in choices {
                let legal = position.legal_moves();
                if legal.is_empty() {
                    break;
                }
                let chosen = legal[choice.index(legal.len())];
                let uci = chosen.to_uci(Variant::Chess960.castling_mode());
                prop_assert_eq!(unpack(pack(uci)), uci);
                position.play_unchecked(chosen);
            }
        }

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

        /// Text made of the pieces that books are made of goes further into
        /// the parsers than random bytes do.
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
