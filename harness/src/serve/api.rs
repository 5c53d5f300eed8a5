//! The JSON of the pages, as `openapi.json` describes it.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::guard::refused;
use super::index::{self, GameRow};
use super::opened::RunGames;
use super::state::Shared;
use crate::ledger::{GAMES_PGN, GamesFile};
use crate::report::html::{Head, Record, game_line, read_record, start_text};
use crate::rules::Termination;

/// The description of all addresses below `/api`.
pub(super) const OPENAPI: &str = include_str!("openapi.json");

pub(super) async fn description() -> Response {
    ([(CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}

pub(super) async fn runs(State(shared): State<Shared>) -> Response {
    let overview = shared.overview().await;
    Json(overview.as_ref()).into_response()
}

/// The facts of the run, as in its `report.json`.
pub(super) async fn run(State(shared): State<Shared>, Path(run): Path<String>) -> Response {
    match shared.open(&run).await {
        Some(opened) => {
            let json = Arc::clone(&opened.snapshot.borrow().json);
            ([(CONTENT_TYPE, "application/json")], json.to_string()).into_response()
        }
        None => unknown(),
    }
}

pub(super) async fn games(
    State(shared): State<Shared>,
    Path(run): Path<String>,
    Query(query): Query<index::Query>,
) -> Response {
    let Some(opened) = shared.open(&run).await else {
        return unknown();
    };
    let games = opened.games;
    let found = tokio::task::spawn_blocking(move || {
        let (count, rows) = games.read().find(&query);
        let records = records(&games, &rows);
        let list: Vec<Value> = rows
            .iter()
            .zip(&records)
            .map(|(row, record)| described(row, record.as_ref()))
            .collect();
        json!({ "count": count, "offset": query.offset, "games": list })
    });
    match found.await {
        Ok(found) => Json(found).into_response(),
        Err(_) => refused(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the games cannot be read",
        ),
    }
}

/// `12-1`: a game with its PGN.
pub(super) async fn game(
    State(shared): State<Shared>,
    Path((run, game)): Path<(String, String)>,
) -> Response {
    let numbers = game
        .split_once('-')
        .and_then(|(pair, game)| Some((pair.parse().ok()?, game.parse().ok()?)));
    let (Some((pair, number)), Some(opened)) = (numbers, shared.open(&run).await) else {
        return unknown();
    };
    let games = opened.games;
    let found = tokio::task::spawn_blocking(move || {
        let row = games.read().game(pair, number)?;
        let mut file = GamesFile::open(&games.dir.join(GAMES_PGN)).ok()?;
        let pgn = String::from_utf8_lossy(file.game(row.pgn).ok()?).into_owned();
        let record = read_record(&pgn, games.mode, games.notation).ok();
        let mut game = described(&row, record.as_ref());
        game["pgn"] = pgn.into();
        Some(game)
    });
    match found.await {
        Ok(Some(game)) => Json(game).into_response(),
        _ => unknown(),
    }
}

/// The games of these rows; none of those that cannot be read.
fn records(games: &RunGames, rows: &[GameRow]) -> Vec<Option<Record>> {
    let Ok(mut file) = GamesFile::open(&games.dir.join(GAMES_PGN)) else {
        return rows.iter().map(|_| None).collect();
    };
    let mut record = |row: &GameRow| {
        let text = String::from_utf8_lossy(file.game(row.pgn).ok()?).into_owned();
        read_record(&text, games.mode, games.notation).ok()
    };
    rows.iter().map(&mut record).collect()
}

fn described(row: &GameRow, record: Option<&Record>) -> Value {
    let termination = Termination::ALL.iter().position(|t| *t == row.termination);
    let head = Head {
        pair: row.pair,
        game: usize::from(row.game),
        players: row.players.map(|player| player as usize),
        outcome: Some(row.outcome),
        termination: termination.unwrap_or_default(),
    };
    let start = start_text(record.and_then(|record| record.fen.as_deref()));
    json!({
        "pair": row.pair + 1,
        "game": row.game + 1,
        "white": row.players[0],
        "black": row.players[1],
        "result": row.outcome.as_str(),
        "termination": row.termination,
        "plies": row.plies,
        "opening": row.opening,
        "worker": row.worker,
        "finished_ms": row.finished_ms,
        "line": game_line(&head, record, &start, true),
    })
}

fn unknown() -> Response {
    refused(StatusCode::NOT_FOUND, "there is no such run or game")
}
