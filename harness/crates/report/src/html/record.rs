//! Reads games in the PGN that `hone` writes: moves and the engines' comments.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Move, Position};

use hone_uci::openings::usual_start;
use hone_uci::rules::Notation;

/// What an engine reported about its move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveComment {
    pub score: CommentScore,
    pub depth: u32,
    /// Time of the move in milliseconds.
    pub ms: u64,
}

/// A score from the engine's own side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommentScore {
    Centipawns(i32),
    /// Plies to the mate; negative if the engine is being mated.
    Mate(i32),
}

/// One ply of a game.
#[derive(Debug, Clone)]
pub struct Ply {
    /// The position before the move.
    pub before: Chess,
    pub legal: Move,
    /// `None` in the opening, and in games without comments.
    pub comment: Option<MoveComment>,
}

/// A game.
#[derive(Debug, Clone)]
pub struct Record {
    /// The first position; `None` for the usual one.
    pub fen: Option<String>,
    pub plies: Vec<Ply>,
}

/// Reads one game.
///
/// # Errors
/// What is wrong with it, as text.
pub fn read(text: &str, mode: CastlingMode, notation: Notation) -> Result<Record, String> {
    let (tags, movetext) = text.split_once("\n\n").ok_or("it has no moves")?;
    let fen = tags
        .lines()
        .find_map(|line| line.strip_prefix("[FEN \"")?.strip_suffix("\"]"));
    let mut position = match fen {
        None => usual_start(mode),
        Some(fen) => fen
            .parse::<Fen>()
            .map_err(|error| error.to_string())?
            .into_position(mode)
            .map_err(|error| format!("its FEN is not a position: {error}"))?,
    };
    let mut plies: Vec<Ply> = Vec::new();
    for token in Tokens(movetext) {
        match token {
            Token::Comment(comment) => {
                if let Some(ply) = plies.last_mut() {
                    ply.comment = parse_comment(comment);
                }
            }
            Token::Move(word) => {
                let legal = parse_move(word, &position, notation)
                    .ok_or_else(|| format!("{word} is not a legal move"))?;
                plies.push(Ply {
                    before: position.clone(),
                    legal,
                    comment: None,
                });
                position.play_unchecked(legal);
            }
        }
    }
    Ok(Record {
        fen: fen.map(str::to_string),
        plies,
    })
}

fn parse_move(word: &str, position: &Chess, notation: Notation) -> Option<Move> {
    if notation == Notation::Uci {
        return word.parse::<UciMove>().ok()?.to_move(position).ok();
    }
    let san = word.trim_end_matches(['+', '#']);
    san.parse::<San>().ok()?.to_move(position).ok()
}

enum Token<'a> {
    Move(&'a str),
    Comment(&'a str),
}

/// The moves and comments of a movetext. Move numbers and the result are skipped.
struct Tokens<'a>(&'a str);

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            self.0 = self.0.trim_start();
            if let Some(rest) = self.0.strip_prefix('{') {
                let (comment, rest) = rest.split_once('}')?;
                self.0 = rest;
                return Some(Token::Comment(comment));
            }
            if self.0.is_empty() {
                return None;
            }
            let end = self.0.find(|c: char| c.is_whitespace() || c == '{');
            let (word, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
            self.0 = rest;
            let is_result = ["1-0", "0-1", "1/2-1/2", "*"].contains(&word);
            if !word.ends_with('.') && !is_result {
                return Some(Token::Move(word));
            }
        }
    }
}

/// Parses `+1.23/15 0.430s, …`. `None` for a comment of another form.
#[cfg_attr(
    not(test),
    expect(
        clippy::cast_possible_truncation,
        reason = "values out of range become the nearest integer"
    )
)]
fn parse_comment(comment: &str) -> Option<MoveComment> {
    let comment = comment.replace('\n', " ");
    let (head, _) = comment.split_once(',').unwrap_or((&comment, ""));
    let (evaluation, time) = head.trim().split_once(' ')?;
    let (score, depth) = evaluation.split_once('/')?;
    let seconds: f64 = time.strip_suffix('s')?.parse().ok()?;
    Some(MoveComment {
        score: parse_score(score)?,
        depth: depth.parse().ok()?,
        ms: (seconds * 1000.0).round() as u64,
    })
}

/// Parses `+1.23` (pawns) or `-M4` (plies).
#[cfg_attr(
    not(test),
    expect(
        clippy::cast_possible_truncation,
        reason = "values out of range become the nearest integer"
    )
)]
fn parse_score(text: &str) -> Option<CommentScore> {
    let (sign, size) = match text.strip_prefix('-') {
        Some(size) => (-1, size),
        None => (1, text.trim_start_matches('+')),
    };
    if let Some(plies) = size.strip_prefix('M') {
        return Some(CommentScore::Mate(
            plies.parse::<i32>().ok()?.checked_mul(sign)?,
        ));
    }
    let pawns: f64 = size.parse().ok()?;
    Some(CommentScore::Centipawns(
        (f64::from(sign) * (pawns * 100.0).round()) as i32,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(movetext: &str, notation: Notation) -> Result<Record, String> {
        let text = format!("[White \"a\"]\n[Black \"b\"]\n\n{movetext}\n\n");
        read(&text, CastlingMode::Standard, notation)
    }

    #[test]
    fn moves_and_comments() {
        let record = game(
            "1. e4 {book} 1... e5 {+1.23/15\n0.430s, n=5} 2. Nf3 {-M4/9 1.000s, White disconnects} 1-0",
            Notation::San,
        )
        .unwrap();
        let comments: Vec<_> = record.plies.iter().map(|ply| ply.comment).collect();
        assert_eq!(comments[0], None);
        let second = MoveComment {
            score: CommentScore::Centipawns(123),
            depth: 15,
            ms: 430,
        };
        assert_eq!(comments[1], Some(second));
        assert_eq!(comments[2].unwrap().score, CommentScore::Mate(-4));
    }

    #[test]
    fn every_notation() {
        for (notation, text) in [
            (Notation::San, "1. f3 e5 2. g4 Qh4# 0-1"),
            (Notation::Lan, "1. f2f3 e7e5 2. g2g4 Qd8h4# 0-1"),
            (Notation::Uci, "1. f2f3 e7e5 2. g2g4 d8h4 0-1"),
        ] {
            assert_eq!(game(text, notation).unwrap().plies.len(), 4);
        }
    }

    #[test]
    fn errors_name_the_fault() {
        assert!(game("1. e5 *", Notation::San).unwrap_err().contains("e5"));
        assert!(read("", CastlingMode::Standard, Notation::San).is_err());
        let bad = "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n*\n\n";
        assert!(read(bad, CastlingMode::Standard, Notation::San).is_err());
    }
}
