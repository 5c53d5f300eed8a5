//! The grammar of one EPD or FEN line.
//!
//! EPD is the four position fields of FEN followed by operations, each an opcode with
//! operands and a semicolon (PGN standard, section 16.2.4). Opening books mix both formats:
//! FEN with six fields, EPD with the counters as `hmvc` and `fmvn`, FEN followed by
//! operations. All are accepted.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::num::NonZeroU32;

use shakmaty::{
    Chess, FromSetup, Position, PositionError, PositionErrorKinds, Setup,
    fen::{Fen, ParseFenError},
};
use thiserror::Error;

use super::Variant;
use hone_base::diagnostic::Setting;
use hone_base::text::shown_word;

/// Plies without capture or pawn move after which a game is drawn.
const FIFTY_MOVES: u32 = 100;

const CHESS960: Setting = Setting {
    key: "match.variant",
    words: "set the variant to chess960 (match.variant=chess960, or --chess960 with `hone book`)",
};

/// The reason why a line cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LineError {
    #[error(
        "only {0} of the four position fields (pieces, side to move, castling, en passant) {verb} present",
        verb = if *.0 == 1 { "is" } else { "are" }
    )]
    TooFewFields(usize),
    #[error("{0}")]
    Fen(ParseFenError),
    #[error("{field} \"{text}\" is not a number")]
    Counter { field: &'static str, text: String },
    #[error("\"{0}\" is neither an EPD operation nor a FEN counter")]
    Operation(String),
    #[error("pieces in hand belong to another variant")]
    Pocket,
    #[error("{0}")]
    Illegal(String),
    #[error(
        "illegal position: castling rights \"{0}\" are impossible in standard chess; \
         if this is a Chess960 book, {CHESS960}"
    )]
    NeedsChess960(String),
    #[error("the game is already over: {0}")]
    Over(&'static str),
}

impl From<ParseFenError> for LineError {
    fn from(error: ParseFenError) -> Self {
        LineError::Fen(error)
    }
}

/// A parsed line: a position that may be illegal, and its operations.
#[derive(Debug, Clone)]
pub struct PositionLine<'a> {
    setup: Setup,
    /// The four position fields as written.
    fields: [&'a [u8]; 4],
    operations: &'a [u8],
    /// Whether the line has a move number.
    counted: bool,
    /// Whether a number after an extra dash may be either counter.
    doubtful: bool,
}

impl<'a> PositionLine<'a> {
    /// Parses a line without checking that its position is legal.
    ///
    /// # Errors
    /// Any [`LineError`] about notation.
    pub fn parse(line: &'a [u8]) -> Result<Self, LineError> {
        let mut rest = line.trim_ascii();
        let mut fields: [&[u8]; 4] = [b""; 4];
        for (index, field) in fields.iter_mut().enumerate() {
            (*field, rest) = next_field(rest);
            if field.is_empty() {
                return Err(LineError::TooFewFields(index));
            }
        }
        // Between fields any white space is allowed.
        let mut setup = Fen::from_ascii(&fields.join(&b' '))?.into_setup();
        if setup.pockets.is_some() {
            return Err(LineError::Pocket);
        }
        let (after_dashes, dashes) = skip_dashes(rest);
        rest = after_dashes;
        let (first, tail) = next_number(rest);
        let (second, after_both) = next_number(tail);
        let counted = !second.is_empty();
        // The dash may stand for the half-move clock, or for nothing.
        let doubtful = dashes && !first.is_empty() && !counted;
        if doubtful {
            setup.fullmoves = move_number(counter("move number", first)?);
            rest = tail;
        } else if !first.is_empty() {
            setup.halfmoves = counter("half-move clock", first)?;
            rest = tail;
        }
        if counted {
            setup.fullmoves = move_number(counter("move number", second)?);
            rest = after_both;
        }
        let line = Self {
            setup,
            fields,
            operations: rest.trim_ascii_start(),
            counted: counted || doubtful,
            doubtful,
        };
        line.with_counters()
    }

    /// Applies `hmvc` and `fmvn`, and checks the syntax of the operations.
    fn with_counters(mut self) -> Result<Self, LineError> {
        for (opcode, operands) in self.operations() {
            match opcode {
                b"hmvc" => self.setup.halfmoves = counter("hmvc", operands)?,
                b"fmvn" => {
                    self.setup.fullmoves = move_number(counter("fmvn", operands)?);
                    self.counted = true;
                }
                // `moves` after a position is UCI syntax and not supported.
                _ if is_opcode(opcode) && opcode != b"moves" => {}
                _ => return Err(LineError::Operation(shown_word(opcode))),
            }
        }
        Ok(self)
    }

    /// Whether the line has a move number, as a field or as `fmvn`.
    pub fn is_counted(&self) -> bool {
        self.counted
    }

    /// Whether the line has a dash too many before a single number, which is then read as
    /// the move number but may be the half-move clock.
    pub fn is_doubtful(&self) -> bool {
        self.doubtful
    }

    /// The operations in their order: opcode and operands, without the
    /// semicolon. Quoted operands keep their quotes.
    pub fn operations(&self) -> Operations<'a> {
        Operations {
            rest: self.operations,
        }
    }

    /// The operands of the first operation with this opcode.
    pub fn operation(&self, opcode: &str) -> Option<&'a [u8]> {
        self.operations()
            .find(|(name, _)| *name == opcode.as_bytes())
            .map(|(_, operands)| operands)
    }

    /// The position, if it is legal and the game is not over.
    ///
    /// # Errors
    /// [`LineError::Illegal`] or [`LineError::Over`].
    pub fn position(&self, variant: Variant) -> Result<Chess, LineError> {
        let position = Chess::from_setup(self.setup.clone(), variant.castling_mode())
            .map_err(|error| self.illegal(&error, variant))?;
        playable(&position)?;
        Ok(position)
    }

    /// The position without impossible castling rights, and those rights as the line writes
    /// them (empty if all are possible).
    ///
    /// # Errors
    /// If anything else is wrong with it.
    pub fn position_with_possible_castling(
        &self,
        variant: Variant,
    ) -> Result<(Chess, String), LineError> {
        let position = match Chess::from_setup(self.setup.clone(), variant.castling_mode()) {
            Ok(position) => {
                playable(&position)?;
                return Ok((position, String::new()));
            }
            Err(error) => {
                let described = self.illegal(&error, variant);
                error
                    .ignore_invalid_castling_rights()
                    .map_err(|_| described)?
            }
        };
        playable(&position)?;
        let dropped = self.impossible_rights(&position);
        Ok((position, dropped))
    }

    /// The rights of the line that `kept` does not have, as the line writes them.
    fn impossible_rights(&self, kept: &Chess) -> String {
        let [board, turn, castling, _] = self.fields;
        let possible = kept.castles().castling_rights();
        castling
            .iter()
            .filter(|&&right| {
                let alone = [board, turn, &[right]].join(&b' ');
                Fen::from_ascii(&alone)
                    .is_ok_and(|fen| (fen.as_setup().castling_rights & possible).is_empty())
            })
            .map(|&right| char::from(right))
            .collect()
    }

    fn illegal(&self, error: &PositionError<Chess>, variant: Variant) -> LineError {
        let only_castling = error.kinds() == PositionErrorKinds::INVALID_CASTLING_RIGHTS;
        if only_castling
            && variant == Variant::Standard
            && Chess::from_setup(self.setup.clone(), Variant::Chess960.castling_mode()).is_ok()
        {
            return LineError::NeedsChess960(shown_word(self.fields[2]));
        }
        LineError::Illegal(error.to_string())
    }
}

/// Iterator over the operations of a line.
#[derive(Debug, Clone)]
pub struct Operations<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Operations<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.rest = self.rest.trim_ascii_start();
            if self.rest.is_empty() {
                return None;
            }
            let end = operation_end(self.rest);
            let (operation, rest) = self.rest.split_at_checked(end)?;
            let operation = operation.trim_ascii_end();
            self.rest = rest.strip_prefix(b";").unwrap_or(rest);
            if !operation.is_empty() {
                return Some(opcode_and_operands(operation));
            }
        }
    }
}

/// Splits an operation. Some programs write `v=-328` for `v -328`.
fn opcode_and_operands(operation: &[u8]) -> (&[u8], &[u8]) {
    let (word, operands) = next_field(operation);
    let sign = word.iter().position(|byte| *byte == b'=');
    let split = sign.and_then(|at| operation.split_at_checked(at));
    if let Some((opcode, value)) = split
        && is_opcode(opcode)
    {
        let value = value.strip_prefix(b"=").unwrap_or(value);
        return (opcode, value.trim_ascii_start());
    }
    (word, operands.trim_ascii_start())
}

/// Whether a word may name an operation: letters, digits and underscores after a letter.
fn is_opcode(word: &[u8]) -> bool {
    let is_inner = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    word.first().is_some_and(u8::is_ascii_alphabetic) && word.iter().all(is_inner)
}

/// End of the first operation: its semicolon outside of quotes, or the end of the line.
fn operation_end(text: &[u8]) -> usize {
    let mut quoted = false;
    for (index, &byte) in text.iter().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b';' if !quoted => return index,
            _ => {}
        }
    }
    text.len()
}

/// The text inside the quotes of an operand, or the operand as it is.
pub fn unquoted(operand: &[u8]) -> &[u8] {
    let operand = operand.trim_ascii();
    let inner = operand.strip_prefix(b"\"").unwrap_or(operand);
    inner.strip_suffix(b"\"").unwrap_or(inner)
}

/// Whether a line of a book is blank or a comment with `#`.
pub fn is_blank(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.first().is_none_or(|first| *first == b'#')
}

/// Splits off the first field, which ends at white space or before a semicolon.
fn next_field(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_start();
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b';';
    let end = text.iter().position(is_end).unwrap_or(text.len());
    text.split_at(end)
}

/// Splits off the first field if it begins with a digit; otherwise the field is empty.
fn next_number(text: &[u8]) -> (&[u8], &[u8]) {
    let (field, rest) = next_field(text);
    if field.first().is_some_and(u8::is_ascii_digit) {
        (field, rest)
    } else {
        (b"", text)
    }
}

/// Dashes that may follow the four fields: as many as there are counters.
const EXTRA_DASHES: usize = 2;

/// Skips the fields that are only a dash, and returns whether there are any.
fn skip_dashes(text: &[u8]) -> (&[u8], bool) {
    let mut rest = text;
    for _ in 0..EXTRA_DASHES {
        let (field, tail) = next_field(rest);
        if field != b"-" {
            break;
        }
        rest = tail;
    }
    (rest, rest.len() < text.len())
}

fn counter(field: &'static str, text: &[u8]) -> Result<u32, LineError> {
    std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| LineError::Counter {
            field,
            text: shown_word(text),
        })
}

/// Move number at least 1, because some programs count from 0.
fn move_number(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN)
}

/// Refuses a position in which no game can start.
pub(super) fn playable(position: &Chess) -> Result<(), LineError> {
    if position.legal_moves().is_empty() {
        return Err(LineError::Over(if position.is_check() {
            "checkmate"
        } else {
            "stalemate"
        }));
    }
    if position.is_insufficient_material() {
        return Err(LineError::Over("insufficient material"));
    }
    if position.halfmoves() >= FIFTY_MOVES {
        return Err(LineError::Over("fifty moves without capture or pawn move"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use shakmaty::EnPassantMode;

    use super::*;

    fn fen(line: &str) -> Result<String, LineError> {
        let position = PositionLine::parse(line.as_bytes())?.position(Variant::Standard)?;
        Ok(Fen::from_position(&position, EnPassantMode::Legal).to_string())
    }

    #[test]
    fn what_follows_a_position_is_an_operation() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        for rest in [
            "0 1 moves e2e4",
            "\rrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
        ] {
            let error = fen(&format!("{start} {rest}")).unwrap_err();
            assert!(matches!(error, LineError::Operation(_)), "{error}");
        }
        let spaced = start.replace(' ', "\t");
        assert_eq!(fen(&spaced).unwrap(), fen(start).unwrap());
    }

    #[test]
    fn counters_come_from_the_fields_or_the_operations() {
        let board = "4k3/8/8/8/8/8/4P3/4K3 w - -";
        for (line, counters) in [
            ("", "0 1"),
            (" 3 17", "3 17"),
            (" 3", "3 1"),
            (" hmvc 3; fmvn 17;", "3 17"),
            (" fmvn 17; ce 5", "0 17"),
            (" 3 17 ce -25; id \"a;b\";", "3 17"),
            (" 0 0", "0 1"),
        ] {
            assert_eq!(
                fen(&format!("{board}{line}")).unwrap(),
                format!("{board} {counters}")
            );
        }
    }

    #[test]
    fn a_semicolon_may_follow_the_position() {
        let board = "4k3/8/8/8/8/8/4P3/4K3 w - -";
        for (rest, counters) in [
            (";", "0 1"),
            (" ; bm e4;", "0 1"),
            (" 3 17;", "3 17"),
            (" 3 17;; id \"x\";", "3 17"),
            (" 3 17; v=-328", "3 17"),
            ("; hmvc 3; fmvn 17", "3 17"),
            (";bm e4;", "0 1"),
            ("\t;\tbm e4;", "0 1"),
            (" 3;", "3 1"),
            (" 3 17 ;", "3 17"),
            (" 3 17;bm e4", "3 17"),
        ] {
            let line = format!("{board}{rest}");
            assert_eq!(fen(&line).unwrap(), format!("{board} {counters}"), "{rest}");
        }
        let line = format!("{board} 0 2; v=-328; c0=\"a;b=c\"");
        let parsed = PositionLine::parse(line.as_bytes()).unwrap();
        let operations: Vec<_> = parsed.operations().collect();
        assert_eq!(
            operations,
            [(&b"v"[..], &b"-328"[..]), (b"c0", b"\"a;b=c\"")]
        );
        for wrong in ["; moves e2e4", "; =5", " 1; 7=5"] {
            let error = fen(&format!("{board}{wrong}")).unwrap_err();
            assert!(matches!(error, LineError::Operation(_)), "{wrong}: {error}");
        }
    }

    #[test]
    fn extra_dashes_mean_nothing() {
        let board = "4k3/8/8/8/8/8/4P3/4K3 w - -";
        for (rest, counters, doubtful) in [
            (" - bm e4;", "0 1", false),
            (" -; bm e4;", "0 1", false),
            (" - - bm e4;", "0 1", false),
            (" - 3 17 bm e4;", "3 17", false),
            (" - 17; bm e4;", "0 17", true),
            (" 3 bm e4;", "3 1", false),
            ("\t-\tbm e4;", "0 1", false),
            (" - - 3 17;", "3 17", false),
            (" - ; bm e4;", "0 1", false),
        ] {
            let line = format!("{board}{rest}");
            assert_eq!(fen(&line).unwrap(), format!("{board} {counters}"), "{rest}");
            let parsed = PositionLine::parse(line.as_bytes()).unwrap();
            assert_eq!(parsed.is_doubtful(), doubtful, "{rest}");
        }
        assert!(fen(&format!("{board} - - - bm e4;")).is_err());
    }

    #[test]
    fn semicolons_in_quotes_do_not_end_an_operation() {
        let line = b"8/8/4k3/8/8/4K3/4P3/8 w - - bm Kd4 Kf4; id \"x; y\"; c0 \"z\"";
        let parsed = PositionLine::parse(line).unwrap();
        let operations: Vec<_> = parsed.operations().collect();
        assert_eq!(
            operations,
            [
                (&b"bm"[..], &b"Kd4 Kf4"[..]),
                (b"id", b"\"x; y\""),
                (b"c0", b"\"z\"")
            ]
        );
        assert_eq!(unquoted(operations[1].1), b"x; y");
    }

    #[test]
    fn refusals_say_what_is_wrong() {
        for (line, part) in [
            ("", "0 of the four position fields"),
            ("8/8/8/8/8/8/8/8 w -", "3 of the four"),
            ("4k3/8/8/8/8/8/8/4X3 w - -", "board part"),
            ("4k3/8/8/8/8/8/4P3/4K3 x - -", "turn"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - z9", "ep square"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 1x", "half-move clock \"1x\""),
            (
                "4k3/8/8/8/8/8/4P3/4K3 w - - 99999999999 1",
                "half-move clock",
            ),
            (
                "4k3/8/8/8/8/8/4P3/4K3 w - - 0 -5",
                "neither an EPD operation",
            ),
            ("8/8/8/8/8/8/8/8 w - -", "empty board"),
            ("4k3/8/8/8/8/8/4P3/8 w - -", "missing king"),
            ("4k3/8/8/8/8/8/4P3/4K2R w Q -", "castling"),
            ("4k3/4R3/8/8/8/8/8/4K3 w - -", "opposite check"),
            ("P3k3/8/8/8/8/8/8/4K3 w - -", "pawns on backrank"),
            ("7k/5Q2/6K1/8/8/8/8/8 b - -", "already over: stalemate"),
            ("7k/6Q1/6K1/8/8/8/8/8 b - -", "already over: checkmate"),
            ("7k/8/6K1/8/8/8/8/8 b - -", "insufficient material"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 100 80", "fifty moves"),
            (
                "nqbnrkrb/pppppppp/8/8/8/8/PPPPPPPP/NQBNRKRB w KQkq -",
                "chess960",
            ),
        ] {
            let message = fen(line).unwrap_err().to_string();
            assert!(message.contains(part), "{line}: {message}");
        }
    }

    #[test]
    fn a_long_word_is_cut_in_a_refusal() {
        let word = "-".repeat(1 << 20);
        for rest in [&word, &format!("hmvc {word};"), &format!("7{word}")] {
            let message = fen(&format!("4k3/8/8/8/8/8/4P3/4K3 w - - {rest}")).unwrap_err();
            let message = message.to_string();
            assert!(message.len() < 400 && message.contains("--…"), "{message}");
        }
    }

    #[test]
    fn impossible_castling_rights_can_be_dropped_by_name() {
        let line = PositionLine::parse(b"r3k2r/8/8/8/8/8/7P/4K2R w KQkq - bm O-O;").unwrap();
        assert!(line.position(Variant::Standard).is_err());
        let (position, dropped) = line
            .position_with_possible_castling(Variant::Standard)
            .unwrap();
        assert_eq!(dropped, "Q");
        assert_eq!(position.castles().castling_rights().count(), 3);
    }

    #[test]
    fn chess960_rights_of_inner_and_outer_rooks_are_kept() {
        let text = b"bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1";
        let line = PositionLine::parse(text).unwrap();
        let position = line.position(Variant::Chess960).unwrap();
        let written = Fen::from_position(&position, EnPassantMode::Legal).to_string();
        assert_eq!(written.as_bytes(), text);
    }
}
