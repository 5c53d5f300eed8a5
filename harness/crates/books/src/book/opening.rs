//! An opening with its annotations in a book, and its text as EPD or PGN.

use std::fmt::Write;

use shakmaty::{Chess, Color, EnPassantMode, Move, Position, fen::Epd, san::SanPlus};

use hone_uci::openings::{Opening, Variant};

/// One opening of a book.
#[derive(Debug, Clone)]
pub struct BookOpening {
    /// Its number among the openings of the file it was read from, from 1;
    /// faulty ones count too, as in a run. `None` if it is not one of a file.
    pub number: Option<u64>,
    /// The position before the moves; `None` is the standard starting position.
    pub start: Option<Chess>,
    pub moves: Vec<Move>,
    /// The position after the moves.
    pub end: Chess,
    /// The judge's score in centipawns from White's side.
    pub score: Option<i32>,
    /// Further EPD operations, each with a space before and a semicolon after.
    pub operations: String,
    /// Whether the move counters of `end` are known, not assumed.
    pub counted: bool,
    /// The rules it is read by.
    pub variant: Variant,
}

impl Default for BookOpening {
    fn default() -> Self {
        Self {
            number: None,
            start: None,
            moves: Vec::new(),
            end: Chess::default(),
            score: None,
            operations: String::new(),
            counted: true,
            variant: Variant::Standard,
        }
    }
}

impl BookOpening {
    /// Removes the moves after the first `plies`, and then the score, which belongs to
    /// another position. An opening without moves is unchanged.
    pub fn cut(&mut self, plies: usize) {
        if plies >= self.moves.len() {
            return;
        }
        self.moves.truncate(plies);
        self.end = self.start.clone().unwrap_or_default();
        for &m in &self.moves {
            self.end.play_unchecked(m);
        }
        self.score = None;
    }

    /// The moves in standard algebraic notation, separated by spaces.
    pub fn san(&self) -> String {
        let mut position = self.start.clone().unwrap_or_default();
        let words: Vec<String> = self
            .moves
            .iter()
            .map(|&m| SanPlus::from_move_and_play_unchecked(&mut position, m).to_string())
            .collect();
        words.join(" ")
    }

    /// One EPD line without its end: the position after the moves, `hmvc`,
    /// `fmvn`, the score as `ce` (from the side to move, as EPD has it) and,
    /// from the standard starting position, the moves as `c0`.
    pub fn epd(&self) -> String {
        let mut line = format!(
            "{} hmvc {}; fmvn {};",
            Epd::from_position(&self.end, EnPassantMode::Legal),
            self.end.halfmoves(),
            self.end.fullmoves()
        );
        let mut push = |part: std::fmt::Arguments<'_>| {
            line.write_fmt(part).expect("writing to a string succeeds");
        };
        if let Some(score) = self.score {
            let score = from_white(score, self.end.turn());
            push(format_args!(" ce {score};"));
        }
        if self.start.is_none() && !self.moves.is_empty() {
            push(format_args!(" c0 \"{}\";", self.san()));
        }
        line.push_str(&self.operations);
        line
    }

    /// One PGN game, ending with an empty line. The score stands in a comment
    /// after the last move, in pawns from White's side.
    pub fn pgn(&self) -> String {
        let mut tags = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n\
            [White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n"
            .to_owned();
        if self.variant == Variant::Chess960 {
            tags.push_str("[Variant \"Chess960\"]\n");
        }
        let start = self.start.clone().unwrap_or_default();
        let opening = Opening::from_position(&start);
        // A game without moves needs its position, even if it is the standard one.
        if opening.fen.is_some() || self.moves.is_empty() {
            let fen = opening.start_fen();
            tags.push_str(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n"));
        }
        let mut words = Vec::new();
        let mut position = start;
        for (index, &m) in self.moves.iter().enumerate() {
            let number = position.fullmoves();
            match position.turn() {
                Color::White => words.push(format!("{number}.")),
                Color::Black if index == 0 => words.push(format!("{number}...")),
                Color::Black => {}
            }
            words.push(SanPlus::from_move_and_play_unchecked(&mut position, m).to_string());
        }
        if let Some(score) = self.score {
            words.push(format!("{{{:+.2}}}", f64::from(score) / 100.0));
        }
        words.push("*".to_owned());
        format!("{tags}\n{}\n\n", wrapped(&words))
    }
}

/// Converts a score between White's view and that of `side`.
pub fn from_white(score: i32, side: Color) -> i32 {
    match side {
        Color::White => score,
        Color::Black => score.saturating_neg(),
    }
}

/// Wraps words into lines of at most 80 characters, as PGN requires.
fn wrapped(words: &[String]) -> String {
    let mut text = String::new();
    let mut width = 0;
    for word in words {
        if width > 0 && width + 1 + word.len() > 80 {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += word.len();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_uci::openings::epd::PositionLine;
    use hone_uci::openings::games::Games;

    fn entry(moves: &str, score: Option<i32>) -> BookOpening {
        let opening = Opening {
            fen: None,
            moves: moves.into(),
        };
        let mut end = Chess::default();
        let mut played = Vec::new();
        for text in opening.uci_moves() {
            let uci: shakmaty::uci::UciMove = text.parse().unwrap();
            let m = uci.to_move(&end).unwrap();
            end.play_unchecked(m);
            played.push(m);
        }
        BookOpening {
            start: None,
            moves: played,
            end,
            score,
            ..BookOpening::default()
        }
    }

    #[test]
    fn scores_are_those_of_the_side_to_move() {
        let white = entry("e2e4 e7e5", Some(31)).epd();
        assert_eq!(
            white,
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - \
             hmvc 0; fmvn 2; ce 31; c0 \"e4 e5\";"
        );
        let black = entry("e2e4", Some(31)).epd();
        assert!(black.contains(" ce -31; c0 \"e4\";"), "{black}");
    }

    #[test]
    fn what_is_written_is_read() {
        let entry = entry("e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6", Some(-40));
        let epd = entry.epd();
        let line = PositionLine::parse(epd.as_bytes()).unwrap();
        assert_eq!(line.position(Variant::Standard).unwrap(), entry.end);
        let pgn = entry.pgn();
        assert!(pgn.contains("4. Nxd4 Nf6 {-0.40} *"), "{pgn}");
        assert!(!pgn.contains("Variant"), "{pgn}");
        let games: Vec<_> = Games::new(pgn.as_bytes(), None, Variant::Standard)
            .map(Result::unwrap)
            .collect();
        assert_eq!(games.len(), 1);
        assert_eq!(games[0].moves, entry.moves);
        assert!(pgn.lines().all(|line| line.len() <= 80));
    }

    #[test]
    fn the_usual_start_without_moves_is_read() {
        let pgn = BookOpening::default().pgn();
        let game = Games::new(pgn.as_bytes(), None, Variant::Standard).next();
        assert_eq!(game.unwrap().unwrap().end, Chess::default());
    }

    #[test]
    fn cut_moves_are_gone_and_so_is_the_score() {
        let mut cut = entry("e2e4 e7e5 g1f3", Some(30));
        cut.cut(3);
        assert_eq!(cut.score, Some(30));
        cut.cut(1);
        assert_eq!(cut.epd(), entry("e2e4", None).epd());
    }

    #[test]
    fn a_start_of_its_own_becomes_a_tag() {
        let start = super::super::chess960::start(0);
        let m = start.legal_moves()[0];
        let end = start.clone().play(m).unwrap();
        let entry = BookOpening {
            start: Some(start),
            moves: vec![m],
            end,
            variant: Variant::Chess960,
            ..BookOpening::default()
        };
        let pgn = entry.pgn();
        assert!(pgn.contains("\n[Variant \"Chess960\"]\n"), "{pgn}");
        assert!(pgn.contains("[FEN \"bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1\"]"));
        assert!(!entry.epd().contains("c0"));
        let game = Games::new(pgn.as_bytes(), None, Variant::Chess960).next();
        assert_eq!(game.unwrap().unwrap().end, entry.end);
    }
}
