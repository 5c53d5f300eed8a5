//! The games that are being played, for the boards of a page.

use serde_json::json;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Position};

use crate::executor::{LiveGame, LiveMove};
use crate::openings::usual_start;
use crate::report::html::{Head, Ply, Record, Said, Value, game_line, start_text};
use crate::rules::Score;

/// The games of a run as JSON, moves as the page's board reads them. `mode` and
/// the number of `engines` are the run's.
pub(crate) fn boards(games: &[LiveGame], mode: CastlingMode, engines: usize) -> String {
    let now = jiff::Timestamp::now().as_millisecond();
    let games = games
        .iter()
        .filter(|game| game.players.iter().all(|player| *player < engines));
    let games = games.map(|game| {
        json!({
            "line": line(game, mode),
            "opening": game.opening,
            "left_ms": game.left_ms,
            "thinking_ms": (now - game.thinking_since_ms).max(0),
        })
    });
    serde_json::Value::Array(games.collect()).to_string()
}

fn line(game: &LiveGame, mode: CastlingMode) -> String {
    let head = Head {
        pair: game.pair,
        game: game.game.min(1),
        players: game.players,
        outcome: None,
        termination: 0,
    };
    let record = record(game, mode);
    let start = start_text(record.as_ref().and_then(|record| record.fen.as_deref()));
    game_line(&head, record.as_ref(), &start, true)
}

/// The moves as far as they are legal; none if the first position is not one.
fn record(game: &LiveGame, mode: CastlingMode) -> Option<Record> {
    let (fen, mut position) = match &game.fen {
        None => (None, usual_start(mode)),
        Some(fen) => {
            let setup: Fen = fen.parse().ok()?;
            // As it is written, not as it was sent: it goes into a page.
            (Some(setup.to_string()), setup.into_position(mode).ok()?)
        }
    };
    let mut plies = Vec::with_capacity(game.moves.len());
    for played in &game.moves {
        let Ok(legal) = played.uci.to_move(&position) else {
            break;
        };
        let before = position.clone();
        position.play_unchecked(legal);
        plies.push(Ply {
            before,
            legal,
            said: said(played),
        });
    }
    Some(Record { fen, plies })
}

fn said(played: &LiveMove) -> Option<Said> {
    let search = played.search?;
    let score = match search.score {
        Score::Cp(cp) => Value::Centipawns(cp),
        Score::Mate(moves) => {
            let plies = moves.saturating_mul(2);
            Value::Mate(if moves > 0 { plies - 1 } else { plies })
        }
    };
    Some(Said {
        score,
        depth: search.depth,
        ms: search.ms,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(text: &str) -> LiveGame {
        serde_json::from_str(text).expect(text)
    }

    #[test]
    fn moves_are_shown_as_far_as_they_are_legal() {
        let game = live(
            r#"{"pair":4,"game":1,"players":[1,0],"opening":3,"fen":null,"moves":[
            {"uci":"e2e4"},{"uci":"e7e5","search":{"score":{"cp":30},"depth":7,"ms":20}},
            {"uci":"e4e6"},{"uci":"g1f3"}],"left_ms":[null,20],"thinking_since_ms":5}"#,
        );
        let line = line(&game, CastlingMode::Standard);
        assert!(line.starts_with("5 2 1 0 * 0 2 . "), "{line}");
        let bad = live(
            r#"{"pair":4,"game":9,"players":[1,0],"opening":3,"fen":"no </script> fen",
            "moves":[],"left_ms":[null,20],"thinking_since_ms":5}"#,
        );
        assert!(super::line(&bad, CastlingMode::Standard).contains(" . ? "));
    }
}
