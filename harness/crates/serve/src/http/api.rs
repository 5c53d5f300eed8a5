//! The JSON API, described by `openapi.json`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::guard::refused;
use super::parameters::{NoParameters, Parameters};
use super::state::Shared;
use crate::index::{self, GameIndex, GameRow};
use crate::opened::RunGames;
use hone_report::Form;
use hone_report::html::{Head, Record, game_line, read_record, start_text};
use hone_run::ledger::{GAMES_PGN, GamesFile};
use hone_uci::rules::Termination;

/// The description of all paths below `/api`.
pub(super) const OPENAPI: &str = include_str!("openapi.json");

pub(super) async fn description() -> Response {
    json(OPENAPI)
}

/// An answer with serialized JSON.
fn json(text: &str) -> Response {
    ([(CONTENT_TYPE, "application/json")], text.to_string()).into_response()
}

pub(super) async fn runs(State(shared): State<Shared>, _: Parameters<NoParameters>) -> Response {
    let overview = shared.overview().await;
    Json(overview.as_ref()).into_response()
}

/// The machines and runs of the fleet.
pub(super) async fn fleet(State(shared): State<Shared>, _: Parameters<NoParameters>) -> Response {
    match &shared.fleet {
        Some(fleet) => json(&fleet.borrow().json),
        None => refused(
            StatusCode::NOT_FOUND,
            "this server was started without `--fleet`",
        ),
    }
}

/// The facts of the run, as in its `report.json`.
pub(super) async fn run(
    State(shared): State<Shared>,
    Path(run): Path<String>,
    _: Parameters<NoParameters>,
) -> Response {
    match shared.open(&run).await {
        Some(opened) => json(&opened.snapshot.borrow().json),
        None => unreadable(&shared, &run),
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StatsQuery {
    form: Form,
}

/// The numbers of a run as text, in the format of another test page.
pub(super) async fn stats(
    State(shared): State<Shared>,
    Path(run): Path<String>,
    Parameters(StatsQuery { form }): Parameters<StatsQuery>,
) -> Response {
    let overview = shared.overview().await;
    let Some(summary) = overview.find(&run) else {
        return unreadable(&shared, &run);
    };
    match summary.form(form) {
        Some(text) => text.into_response(),
        None => refused(
            StatusCode::NOT_FOUND,
            "these forms are for runs whose pairs are all those of the first engine: \
             matches and tests of two engines, and gauntlets with one seed",
        ),
    }
}

/// The games of each worker, and the test of whether its results differ from the others'.
pub(super) async fn workers(
    State(shared): State<Shared>,
    Path(run): Path<String>,
    _: Parameters<NoParameters>,
) -> Response {
    match shared.open(&run).await {
        Some(opened) => {
            let workers = Arc::clone(&opened.snapshot.borrow().workers);
            // A folder of nights does not have these; its nights are separate runs.
            if workers.is_empty() {
                unknown()
            } else {
                json(&workers)
            }
        }
        None => unreadable(&shared, &run),
    }
}

pub(super) async fn games(
    State(shared): State<Shared>,
    Path(run): Path<String>,
    Parameters(query): Parameters<index::Query>,
) -> Response {
    let Some(opened) = shared.open(&run).await else {
        return unreadable(&shared, &run);
    };
    let games = opened.games;
    let found = tokio::task::spawn_blocking(move || {
        let (count, rows, finished) = {
            let index = games.read();
            let (count, rows) = index.find(&query);
            (count, rows, index.count())
        };
        let records = records(&games, rows.iter());
        let index = games.read();
        let rows = rows.iter().zip(&records);
        let list: Vec<Value> = rows
            .map(|(row, record)| described(row, record.as_ref(), &index))
            .collect();
        json!({
            "count": count, "finished": finished, "offset": query.offset, "games": list
        })
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
    _: Parameters<NoParameters>,
) -> Response {
    let numbers = game
        .split_once('-')
        .and_then(|(pair, game)| Some((pair.parse().ok()?, game.parse().ok()?)));
    let Some(opened) = shared.open(&run).await else {
        return unreadable(&shared, &run);
    };
    let Some((pair, number)) = numbers else {
        return unknown();
    };
    let games = opened.games;
    let found = tokio::task::spawn_blocking(move || {
        let row = games.read().game(pair, number)?;
        let mut file = GamesFile::open(&games.dir.join(GAMES_PGN)).ok()?;
        let pgn = String::from_utf8_lossy(file.game(row.pgn).ok()?).into_owned();
        let record = read_record(&pgn, games.mode, games.notation).ok();
        let mut game = described(&row, record.as_ref(), &games.read());
        game["pgn"] = pgn.into();
        Some(game)
    });
    match found.await {
        Ok(Some(game)) => Json(game).into_response(),
        _ => unknown(),
    }
}

/// The games of these rows; `None` for those that cannot be read.
fn records<'a>(games: &RunGames, rows: impl Iterator<Item = &'a GameRow>) -> Vec<Option<Record>> {
    let Ok(mut file) = GamesFile::open(&games.dir.join(GAMES_PGN)) else {
        return rows.map(|_| None).collect();
    };
    let mut record = |row: &GameRow| {
        let text = String::from_utf8_lossy(file.game(row.pgn).ok()?).into_owned();
        read_record(&text, games.mode, games.notation).ok()
    };
    rows.map(&mut record).collect()
}

fn described(row: &GameRow, record: Option<&Record>, index: &GameIndex) -> Value {
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
        "after_verdict": index.is_after_verdict(row),
        "line": game_line(&head, record, &start, true),
    })
}

/// The answer for a run that is damaged or does not exist.
fn unreadable(shared: &Shared, run: &str) -> Response {
    match shared.overview.borrow().reason(run) {
        Some(reason) => refused(StatusCode::INTERNAL_SERVER_ERROR, reason),
        None => unknown(),
    }
}

fn unknown() -> Response {
    refused(StatusCode::NOT_FOUND, "there is no such run or game")
}
