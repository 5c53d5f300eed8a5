//! The moves of a game as PGN movetext, written while the game is played.

use std::fmt::Write;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shakmaty::san::San;
use shakmaty::{Chess, Color, Move, Position};

use crate::rules::{LinePattern, SearchInfo, millis};

/// The notation of moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notation {
    /// `Nf3`
    #[default]
    San,
    /// `Ng1f3`
    Lan,
    /// `g1f3`
    Uci,
}

/// What is written of each game besides its moves and result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecordStyle {
    pub notation: Notation,
    /// Moves and the main tags only: no comments.
    pub minimal: bool,
    pub seldepth: bool,
    pub nodes: bool,
    pub nps: bool,
    pub hashfull: bool,
    pub tbhits: bool,
    /// Time left on the mover's clock.
    pub timeleft: bool,
    /// The part of the move's time that was not charged to the engine.
    pub latency: bool,
    /// The principal variation, as the engine wrote it.
    pub pv: bool,
    /// For each pattern, the last line before the move that matches it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_line: Vec<LinePattern>,
    /// `Event` and `Site` tags.
    pub event: String,
    pub site: String,
    /// Also write the final position of each game to `games.epd`.
    pub epd: bool,
}

impl Default for RecordStyle {
    fn default() -> Self {
        Self {
            notation: Notation::San,
            minimal: false,
            seldepth: false,
            nodes: false,
            nps: false,
            hashfull: false,
            tbhits: false,
            timeleft: false,
            latency: false,
            pv: false,
            match_line: Vec::new(),
            event: "hone match".to_string(),
            site: "?".to_string(),
            epd: false,
        }
    }
}

/// A move of an engine, with what the engine reported about it.
#[derive(Debug, Clone, Copy)]
pub struct PlayedMove<'a> {
    /// The position it was played in.
    pub before: &'a Chess,
    pub legal: Move,
    pub san: San,
    /// The position it led to.
    pub after: &'a Chess,
    pub info: &'a SearchInfo,
    pub used: Duration,
    /// The part of `used` that was not charged to the engine.
    pub latency: Duration,
    /// Milliseconds left on the engine's clock, if it has one.
    pub left: Option<u64>,
    /// The first illegal move of the principal variation.
    pub illegal_pv: Option<&'a str>,
}

/// Movetext that grows with the game. Lines are wrapped move by move, so that little is
/// left to do at the end of the game.
#[derive(Debug, Clone, Default)]
pub struct Movetext {
    lines: Lines,
    /// The last move with its comment, which is not yet in `lines`.
    last: String,
    plies: u32,
    /// Index of the comment's end in `last`, where the reason for the game's end is
    /// inserted; `None` without a comment of an engine's move.
    comment_end: Option<usize>,
}

/// Words separated by spaces, in lines of at most 80 columns where the words
/// allow it.
#[derive(Debug, Clone, Default)]
struct Lines {
    text: String,
    column: usize,
}

impl Lines {
    fn push(&mut self, word: &str) {
        if self.column > 0 {
            if self.column + 1 + word.len() > 80 {
                self.text.push('\n');
                self.column = 0;
            } else {
                self.text.push(' ');
                self.column += 1;
            }
        }
        self.text.push_str(word);
        self.column += word.len();
    }
}

impl Movetext {
    /// Clears the text, but keeps the allocations.
    pub fn clear(&mut self) {
        self.lines.text.clear();
        self.lines.column = 0;
        self.last.clear();
        self.plies = 0;
        self.comment_end = None;
    }

    /// Plies written, those of the opening included.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Adds a move of the opening.
    pub fn push_book(&mut self, style: &RecordStyle, before: &Chess, legal: Move, after: &Chess) {
        let san = San::from_move(before, legal);
        self.push_move(style, before, (legal, san), after);
        if !style.minimal {
            self.last.push_str(" {book}");
        }
        self.comment_end = None;
    }

    /// Adds an engine's move with its comment: `{+1.23/15 0.430s, n=5000, …}`.
    pub fn push(&mut self, style: &RecordStyle, played: &PlayedMove<'_>) {
        let written = (played.legal, played.san);
        self.push_move(style, played.before, written, played.after);
        self.comment_end = None;
        if style.minimal {
            return;
        }
        self.last.push_str(" {");
        match played.info.score {
            Some(score) => score.write_pgn(&mut self.last),
            None => self.last.push_str("0.00"),
        }
        self.last.push('/');
        push_number(&mut self.last, u64::from(played.info.depth));
        self.last.push(' ');
        push_seconds(&mut self.last, millis(played.used));
        self.push_fields(style, played);
        self.comment_end = Some(self.last.len());
        self.last.push('}');
    }

    /// Adds the reason for the game's end to the last move's comment (or as a comment of its
    /// own), then the result. Returns the whole text.
    pub fn finish(&mut self, style: &RecordStyle, reason: &str, result: &str) -> &str {
        if !style.minimal {
            match self.comment_end.take() {
                Some(at) => self.last.insert_str(at, &format!(", {reason}")),
                None => write!(self.last, " {{{reason}}}").expect(INFALLIBLE),
            }
        }
        self.wrap_last();
        self.lines.push(result);
        &self.lines.text
    }

    /// Moves the last move to the lines.
    fn wrap_last(&mut self) {
        for word in self.last.split_ascii_whitespace() {
            self.lines.push(word);
        }
        self.last.clear();
    }

    fn push_move(
        &mut self,
        style: &RecordStyle,
        before: &Chess,
        (legal, san): (Move, San),
        after: &Chess,
    ) {
        let number = before.fullmoves().get();
        self.wrap_last();
        let dots = match before.turn() {
            Color::White => ". ",
            // After a comment the move number is repeated for Black.
            Color::Black if self.plies == 0 || !style.minimal => "... ",
            Color::Black => "",
        };
        if !dots.is_empty() {
            push_number(&mut self.last, u64::from(number));
            self.last.push_str(dots);
        }
        self.plies += 1;
        match style.notation {
            Notation::San => san.append_to_string(&mut self.last),
            Notation::Lan => push_lan(&mut self.last, legal),
            Notation::Uci => {
                let uci = legal.to_uci(before.castles().mode());
                write!(self.last, "{uci}").expect(INFALLIBLE);
                return;
            }
        }
        if after.is_check() {
            let mate = after.legal_moves().is_empty();
            self.last.push(if mate { '#' } else { '+' });
        }
    }

    fn push_fields(&mut self, style: &RecordStyle, played: &PlayedMove<'_>) {
        let info = played.info;
        let text = &mut self.last;
        if style.timeleft
            && let Some(left) = played.left
        {
            text.push_str(", tl=");
            push_seconds(text, left);
        }
        if style.latency {
            write!(text, ", latency={:.6}s", played.latency.as_secs_f64()).expect(INFALLIBLE);
        }
        let numbers = [
            (style.nodes, "n", info.nodes),
            (style.seldepth, "sd", u64::from(info.seldepth)),
            (style.nps, "nps", info.nps),
            (style.hashfull, "hashfull", u64::from(info.hashfull)),
            (style.tbhits, "tbhits", info.tbhits),
        ];
        for (wanted, name, value) in numbers {
            if wanted {
                write!(text, ", {name}={value}").expect(INFALLIBLE);
            }
        }
        if style.pv {
            text.push_str(", pv=\"");
            // A brace or quote would end the comment.
            let clean = |c: char| c.is_ascii_alphanumeric() || c == ' ';
            text.extend(
                String::from_utf8_lossy(&info.pv)
                    .chars()
                    .filter(|c| clean(*c)),
            );
            text.push('"');
        }
        for line in info.lines.iter().flatten() {
            write!(text, ", line=\"{}\"", clean_line(line)).expect(INFALLIBLE);
        }
        if let Some(illegal) = played.illegal_pv {
            write!(text, ", illegal PV move {illegal}").expect(INFALLIBLE);
        }
    }
}

/// A line of an engine without braces and quotes, which would end the comment or the field,
/// and without control characters, which a terminal would execute.
fn clean_line(line: &str) -> String {
    let is_unsafe = |c: char| c.is_control() || matches!(c, '{' | '}' | '"');
    line.replace(is_unsafe, "")
}

/// A game in PGN without the fields `pv` and `line`, which hold text of the engines; no
/// other field of a comment has quotes.
pub fn without_engine_lines(pgn: &str) -> String {
    let header = pgn.find("\n\n").map_or(0, |end| end + 2);
    let (header, mut rest) = pgn.split_at(header);
    let mut text = header.to_string();
    while let Some(at) = ENGINE_LINES
        .iter()
        .filter_map(|field| rest.find(field))
        .min()
    {
        let (before, field) = rest.split_at(at);
        text.push_str(before);
        let mut parts = field.splitn(3, '"');
        rest = parts.nth(2).unwrap_or_default();
    }
    text + rest
}

/// The starts of the fields with text of an engine. Lines of the movetext may be wrapped
/// before them.
const ENGINE_LINES: [&str; 4] = [", pv=\"", ",\npv=\"", ", line=\"", ",\nline=\""];

const INFALLIBLE: &str = "writing to a string cannot fail";

/// Called for every move, so `itoa` rather than the slower `format!`.
fn push_number(text: &mut String, value: u64) {
    text.push_str(itoa::Buffer::new().format(value));
}

/// `0.430s`
fn push_seconds(text: &mut String, ms: u64) {
    push_number(text, ms / 1000);
    text.push('.');
    for unit in [100, 10, 1] {
        text.push(char::from(b'0' + (ms / unit % 10) as u8));
    }
    text.push('s');
}

fn push_lan(text: &mut String, legal: Move) {
    if legal.is_castle() {
        let long = legal.castling_side() == Some(shakmaty::CastlingSide::QueenSide);
        text.push_str(if long { "O-O-O" } else { "O-O" });
        return;
    }
    let role = legal.role();
    if role != shakmaty::Role::Pawn {
        text.push(role.upper_char());
    }
    if let Some(from) = legal.from() {
        write!(text, "{from}").expect(INFALLIBLE);
    }
    if legal.is_capture() {
        text.push('x');
    }
    write!(text, "{}", legal.to()).expect(INFALLIBLE);
    if let Some(promotion) = legal.promotion() {
        text.push('=');
        text.push(promotion.upper_char());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Referee;
    use crate::rules::Score;

    fn movetext(style: &RecordStyle, moves: &str, book: usize) -> Movetext {
        let mut referee = Referee::new(Chess::default());
        let mut movetext = Movetext::default();
        let info = SearchInfo {
            depth: 15,
            seldepth: 22,
            score: Some(Score::Cp(123)),
            nodes: 5000,
            pv: b"e2e4 {x}".to_vec(),
            ..SearchInfo::default()
        };
        for (ply, text) in moves.split_whitespace().enumerate() {
            let before = referee.position().clone();
            let (legal, san) = referee.find_written(text.as_bytes()).expect(text);
            referee.play(legal);
            if ply < book {
                movetext.push_book(style, &before, legal, referee.position());
            } else {
                movetext.push(
                    style,
                    &PlayedMove {
                        before: &before,
                        legal,
                        san,
                        after: referee.position(),
                        info: &info,
                        used: Duration::from_millis(430),
                        latency: Duration::from_micros(12),
                        left: Some(9570),
                        illegal_pv: None,
                    },
                );
            }
        }
        movetext
    }

    #[test]
    fn comments_as_fastchess_writes_them() {
        let style = RecordStyle::default();
        let mut text = movetext(&style, "e2e4 e7e5 g1f3", 1);
        assert_eq!(text.plies(), 3);
        assert_eq!(
            text.finish(&style, "White disconnects", "0-1"),
            "1. e4 {book} 1... e5 {+1.23/15 0.430s} 2. Nf3 {+1.23/15 0.430s, White\n\
             disconnects} 0-1"
        );
    }

    #[test]
    fn a_reason_without_a_move_stands_alone() {
        let style = RecordStyle::default();
        let mut text = movetext(&style, "", 0);
        let reason = "White's connection stalls";
        assert_eq!(
            text.finish(&style, reason, "0-1"),
            "{White's connection stalls} 0-1"
        );
    }

    #[test]
    fn lines_are_wrapped_between_words() {
        let style = RecordStyle::default();
        let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(2);
        let mut text = movetext(&style, &moves, 0);
        let text = text.finish(&style, "Draw by 3-fold repetition", "1/2-1/2");
        assert!(text.lines().count() > 2);
        assert!(
            text.lines()
                .all(|line| line.len() <= 80 && line.trim() == line)
        );
    }

    #[test]
    fn every_field_on_request() {
        let style = RecordStyle {
            seldepth: true,
            nodes: true,
            timeleft: true,
            latency: true,
            pv: true,
            ..RecordStyle::default()
        };
        assert_eq!(
            movetext(&style, "e2e4", 0).last,
            "1. e4 {+1.23/15 0.430s, tl=9.570s, latency=0.000012s, n=5000, sd=22, pv=\"e2e4 x\"}"
        );
    }

    #[test]
    fn a_line_of_an_engine_is_written_without_control_characters() {
        let line = "info string \u{1b}[31m{red}\"\0\u{7}";
        assert_eq!(clean_line(line), "info string [31mred");
    }

    #[test]
    fn the_text_of_engines_can_be_removed() {
        let header = "[Event \"a, pv=\\\"b\"]\n\n";
        let long = "1. e4 {+0.10/2 0.1s, n=5, pv=\"e2e4 e7e5\", line=\"info {\", illegal PV move x}\n\
                    e5 {+0.20/3 0.1s, line=\"\"} 1-0\n";
        assert_eq!(
            without_engine_lines(&format!("{header}{long}")),
            format!(
                "{header}1. e4 {{+0.10/2 0.1s, n=5, illegal PV move x}}\ne5 {{+0.20/3 0.1s}} 1-0\n"
            )
        );
        // Also in wrapped lines.
        let style = RecordStyle {
            seldepth: true,
            nodes: true,
            pv: true,
            ..RecordStyle::default()
        };
        let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(20);
        let mut text = movetext(&style, &moves, 0);
        let text = text.finish(&style, "Draw by 3-fold repetition", "1/2-1/2");
        assert!(text.contains("\npv="), "{text}");
        assert!(!without_engine_lines(text).contains("pv="));
        let torn = format!("{header}1. e4 {{x, pv=\"e2");
        assert_eq!(without_engine_lines(&torn), format!("{header}1. e4 {{x"));
    }

    #[test]
    fn notations_and_signs() {
        let mut style = RecordStyle {
            minimal: true,
            ..RecordStyle::default()
        };
        let text = |style: &RecordStyle| {
            let mut text = movetext(style, "f2f3 e7e5 g2g4 d8h4", 0);
            text.finish(style, "Black mates", "0-1").to_string()
        };
        assert_eq!(text(&style), "1. f3 e5 2. g4 Qh4# 0-1");
        style.notation = Notation::Lan;
        assert_eq!(text(&style), "1. f2f3 e7e5 2. g2g4 Qd8h4# 0-1");
        style.notation = Notation::Uci;
        assert_eq!(text(&style), "1. f2f3 e7e5 2. g2g4 d8h4 0-1");
    }
}
