//! Writes a finished game as PGN.

use std::time::Duration;

use shakmaty::fen::Epd;
use shakmaty::{Chess, EnPassantMode, Position};

use super::STANDARD_START;
use super::movetext::RecordStyle;
use crate::rules::{Outcome, Termination};

/// The tags of a game.
#[derive(Debug, Clone, Copy)]
pub struct GameHeader<'a> {
    pub white: &'a str,
    pub black: &'a str,
    /// Number of the pair, from 1.
    pub round: u64,
    pub outcome: Outcome,
    pub termination: Termination,
    /// The start position, unless it is the standard one.
    pub fen: Option<&'a str>,
    pub chess960: bool,
    pub plies: u32,
    /// Time controls of White and Black.
    pub limits: [&'a str; 2],
    pub started: &'a jiff::Zoned,
    pub duration: Duration,
}

/// Appends a game to `out`: tags and movetext, each followed by an empty line.
pub fn write_game(out: &mut String, style: &RecordStyle, header: &GameHeader<'_>, movetext: &str) {
    out.reserve(TAGS_SIZE + movetext.len());
    push_tags(out, style, header);
    out.push('\n');
    out.push_str(movetext);
    out.push_str("\n\n");
}

/// A game's last position, as a line of `games.epd`.
pub fn final_epd(position: &Chess) -> String {
    format!(
        "{} hmvc {}; fmvn {};\n",
        Epd::from_position(position, EnPassantMode::Legal),
        position.halfmoves(),
        position.fullmoves()
    )
}

/// Bytes that suffice for the tags of most games.
const TAGS_SIZE: usize = 1024;

fn push_tags(out: &mut String, style: &RecordStyle, header: &GameHeader<'_>) {
    let mut tag = |name: &str, value: &str| {
        out.push('[');
        out.push_str(name);
        out.push_str(" \"");
        for c in value.chars() {
            if c == '"' || c == '\\' {
                out.push('\\');
            }
            out.push(if c.is_control() { ' ' } else { c });
        }
        out.push_str("\"]\n");
    };
    tag("Event", &style.event);
    tag("Site", &style.site);
    tag("Date", &header.started.strftime("%Y.%m.%d").to_string());
    tag("Round", &header.round.to_string());
    tag("White", header.white);
    tag("Black", header.black);
    tag("Result", header.outcome.as_str());
    // Readers of Chess960 expect the position even if it is the standard one.
    let standard = header.chess960.then_some(STANDARD_START);
    if let Some(fen) = header.fen.or(standard) {
        tag("SetUp", "1");
        tag("FEN", fen);
    }
    if header.chess960 {
        tag("Variant", "Chess960");
    }
    if style.minimal {
        return;
    }
    let seconds = header.duration.as_secs();
    let duration = format!(
        "{:02}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    );
    tag("GameDuration", &duration);
    let stamp = |time: &jiff::Zoned| time.strftime("%Y-%m-%dT%H:%M:%S %z").to_string();
    tag("GameStartTime", &stamp(header.started));
    let ended = header
        .started
        .checked_add(header.duration)
        .unwrap_or_else(|_| header.started.clone());
    tag("GameEndTime", &stamp(&ended));
    tag("PlyCount", &header.plies.to_string());
    tag("Termination", termination_tag(header.termination));
    let [white, black] = header.limits;
    let [white, black] = [time_control(white), time_control(black)];
    if white == black {
        tag("TimeControl", &white);
    } else {
        tag("WhiteTimeControl", &white);
        tag("BlackTimeControl", &black);
    }
}

/// A limit as a `TimeControl` tag: stages are separated by colons (PGN standard, section
/// 9.6.1), and a fixed time is `0.5/move`, as in other programs.
fn time_control(limit: &str) -> String {
    let movetime = limit.strip_prefix("movetime=").map(first_word);
    match movetime.and_then(|(ms, rest)| Some((ms.parse::<u32>().ok()?, rest))) {
        Some((ms, rest)) => format!("{}/move{rest}", f64::from(ms) / 1000.0),
        None => limit.replace(',', ":"),
    }
}

/// Splits a text before its first space.
fn first_word(text: &str) -> (&str, &str) {
    text.split_at(text.find(' ').unwrap_or(text.len()))
}

/// The value of the `Termination` tag, as fastchess writes it.
pub fn termination_tag(termination: Termination) -> &'static str {
    match termination {
        Termination::Checkmate
        | Termination::Stalemate
        | Termination::InsufficientMaterial
        | Termination::Repetition
        | Termination::FiftyMoves => "normal",
        Termination::DrawAdjudication
        | Termination::ResignAdjudication
        | Termination::MaxMoves
        | Termination::Tablebase => "adjudication",
        Termination::TimeForfeit => "time forfeit",
        Termination::IllegalMove => "illegal move",
        Termination::Disconnect | Termination::Stall => "abandoned",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(style: &RecordStyle) -> String {
        let started: jiff::Zoned = "2026-11-21T10:00:00+00:00[UTC]".parse().expect("a date");
        let mut out = String::new();
        write_game(
            &mut out,
            style,
            &GameHeader {
                white: "a \"b\"",
                black: "c",
                round: 3,
                outcome: Outcome::White,
                termination: Termination::TimeForfeit,
                fen: Some("k7/8/8/8/8/8/8/K6R w - - 0 1"),
                chess960: false,
                plies: 1,
                limits: ["8+0.08", "8+0.08"],
                started: &started,
                duration: Duration::from_secs(61),
            },
            "1. Rh2 {+1.00/1 0.001s} 1-0",
        );
        out
    }

    #[test]
    fn tags_come_in_the_order_of_fastchess() {
        let text = game(&RecordStyle::default());
        let names: Vec<_> = text
            .lines()
            .filter_map(|line| line.strip_prefix('[')?.split(' ').next())
            .collect();
        assert_eq!(
            names.join(" "),
            "Event Site Date Round White Black Result SetUp FEN GameDuration GameStartTime \
             GameEndTime PlyCount Termination TimeControl"
        );
        assert!(text.contains("[White \"a \\\"b\\\"\"]"));
        assert!(text.contains("[GameEndTime \"2026-11-21T10:01:01 +0000\"]"));
        assert!(text.contains("[Termination \"time forfeit\"]"));
        assert!(text.ends_with("\n\n1. Rh2 {+1.00/1 0.001s} 1-0\n\n"));
    }

    #[test]
    fn a_time_control_is_that_of_the_standard() {
        for (limit, tag) in [
            ("40/4,20/2+0.01", "40/4:20/2+0.01"),
            ("40/120,20/60 nodes=5000", "40/120:20/60 nodes=5000"),
            ("8+0.08", "8+0.08"),
            ("movetime=500 depth=8", "0.5/move depth=8"),
        ] {
            assert_eq!(time_control(limit), tag);
        }
    }

    #[test]
    fn minimal_games_have_the_main_tags_only() {
        let text = game(&RecordStyle {
            minimal: true,
            ..RecordStyle::default()
        });
        assert!(!text.contains("GameDuration"));
        assert!(text.contains("[FEN "));
    }
}
