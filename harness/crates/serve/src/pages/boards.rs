//! The games in progress, for the boards of a page.

use serde_json::json;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Position};

use hone_report::html::{CommentScore, Head, MoveComment, Ply, Record, game_line, start_text};
use hone_run::executor::{LiveGame, LiveMove};
use hone_uci::openings::usual_start;
use hone_uci::rules::Score;

/// The games of a run as JSON, with moves in the format of the page's board. `mode` and the
/// number of `engines` are those of the run.
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
            "thinking_ms": now.saturating_sub(game.thinking_since_ms).max(0),
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

/// The moves up to the first illegal one; `None` if the start position is invalid.
fn record(game: &LiveGame, mode: CastlingMode) -> Option<Record> {
    let (fen, mut position) = match &game.fen {
        None => (None, usual_start(mode)),
        Some(fen) => {
            let setup: Fen = fen.parse().ok()?;
            // Written anew, because the received text must not enter a page.
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
            comment: comment(played),
        });
    }
    Some(Record { fen, plies })
}

fn comment(played: &LiveMove) -> Option<MoveComment> {
    let search = played.search?;
    let score = match search.score {
        Score::Cp(cp) => CommentScore::Centipawns(cp),
        Score::Mate(moves) => {
            let plies = moves.saturating_mul(2);
            CommentScore::Mate(if moves > 0 { plies - 1 } else { plies })
        }
    };
    Some(MoveComment {
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

    #[test]
    fn any_time_of_a_worker_can_be_shown() {
        let thinking = |since: i64| {
            let mut game = live(
                r#"{"pair":4,"game":1,"players":[1,0],"opening":3,"fen":null,"moves":[],
                "left_ms":[null,20],"thinking_since_ms":5}"#,
            );
            game.thinking_since_ms = since;
            let json = boards(&[game], CastlingMode::Standard, 2);
            let games: serde_json::Value = serde_json::from_str(&json).expect("JSON");
            games[0]["thinking_ms"].as_i64()
        };
        assert_eq!(thinking(i64::MIN), Some(i64::MAX));
        assert_eq!(thinking(i64::MAX), Some(0));
    }
}
