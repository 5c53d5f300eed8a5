//! Actions: each needs a token, and each is in the audit log.

use axum::Json;
use axum::extract::{ConnectInfo, Extension, Path, Query, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;

use super::actions::{Action, Event, Refusal, Submission};
use super::guard::refused;
use super::peer::Peer;
use super::state::{Actions, Shared};
use crate::builds::sha256_of;

/// The other end of the connection.
type From = Extension<ConnectInfo<Peer>>;

pub(super) async fn queue(State(shared): State<Shared>) -> Response {
    match &shared.actions {
        Some(actions) => Json(json!({ "queue": actions.queue.jobs().1 })).into_response(),
        None => refused(StatusCode::NOT_FOUND, "there is no queue"),
    }
}

/// Has the SHA-256 of a configuration. Not the entity tag, which servers in between
/// change when they compress.
const CONFIG_SHA256: HeaderName = HeaderName::from_static("config-sha256");

/// The configuration of a run in the queue, for who is to approve it.
pub(super) async fn configuration(
    State(shared): State<Shared>,
    Path(run): Path<String>,
) -> Response {
    let actions = shared.actions.as_ref();
    match actions.and_then(|actions| actions.queue.configuration(&run)) {
        Some(text) => {
            let headers = [
                (CONTENT_TYPE, "text/plain; charset=utf-8".to_string()),
                (CONFIG_SHA256, sha256_of(text.as_bytes())),
            ];
            (headers, text).into_response()
        }
        None => refused(StatusCode::NOT_FOUND, "the queue does not have this run"),
    }
}

pub(super) async fn submit(
    State(shared): State<Shared>,
    Extension(ConnectInfo(peer)): From,
    Query(submission): Query<Submission>,
    headers: HeaderMap,
    config: String,
) -> Response {
    let name = submission.name.clone();
    acting(
        &shared,
        peer,
        &headers,
        "submit",
        &name,
        move |actions, by| actions.queue.submit(&submission, &config, by),
    )
    .await
}

/// What an approval is for.
#[derive(Deserialize)]
pub(super) struct Approval {
    /// SHA-256 of the configuration.
    config: Option<String>,
}

pub(super) async fn action(
    State(shared): State<Shared>,
    Extension(ConnectInfo(peer)): From,
    Path((run, action)): Path<(String, String)>,
    Query(Approval { config }): Query<Approval>,
    headers: HeaderMap,
) -> Response {
    let known: Result<Action, _> = serde_json::from_value(json!(action));
    let Ok(known) = known else {
        return refused(
            StatusCode::NOT_FOUND,
            "unknown action: the actions are pause, resume, stop, approve, priority",
        );
    };
    let name = run.clone();
    acting(
        &shared,
        peer,
        &headers,
        &action,
        &name,
        move |actions, by| actions.queue.act(&run, known, by, config.as_deref()),
    )
    .await
}

#[derive(Deserialize)]
pub(super) struct Priority {
    priority: i32,
}

pub(super) async fn priority(
    State(shared): State<Shared>,
    Extension(ConnectInfo(peer)): From,
    Path(run): Path<String>,
    Query(Priority { priority }): Query<Priority>,
    headers: HeaderMap,
) -> Response {
    let name = run.clone();
    acting(
        &shared,
        peer,
        &headers,
        "priority",
        &name,
        move |actions, _| actions.queue.set_priority(&run, priority),
    )
    .await
}

/// Does something if the token is right, and notes it either way.
async fn acting(
    shared: &Shared,
    Peer(from): Peer,
    headers: &HeaderMap,
    action: &str,
    run: &str,
    act: impl FnOnce(&Actions, &str) -> Result<(), Refusal> + Send + 'static,
) -> Response {
    let Some(actions) = &shared.actions else {
        return refused(StatusCode::NOT_FOUND, "actions are off");
    };
    let token = headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    let by = token.and_then(|token| actions.tokens.owner(token.trim()));
    // A name is as long as a sender likes.
    let run: String = run.chars().take(100).collect();
    let note = |outcome: &str| {
        let event = Event {
            by: by.as_deref(),
            from: from.to_string(),
            action,
            run: &run,
            outcome,
        };
        actions.audit.note(&event)
    };
    let Some(owner) = by.clone() else {
        return match note("no valid token") {
            Ok(()) => refused(
                StatusCode::UNAUTHORIZED,
                "this needs a valid token: `Authorization: Bearer TOKEN`",
            ),
            Err(_) => unwritable(),
        };
    };
    // What cannot be noted is not done.
    if note("asked").is_err() {
        return unwritable();
    }
    let shared = shared.clone();
    let done = tokio::task::spawn_blocking(move || match &shared.actions {
        Some(actions) => act(actions, &owner),
        None => Ok(()),
    });
    let done = done.await;
    let (status, words) = match &done {
        Ok(Ok(())) => (StatusCode::OK, "ok".to_string()),
        Ok(Err(refusal)) => (status_of(refusal), refusal.message()),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    };
    match note(&words) {
        Ok(()) => (status, format!("{words}\n")).into_response(),
        Err(_) => unwritable(),
    }
}

fn status_of(refusal: &Refusal) -> StatusCode {
    match refusal {
        Refusal::Unknown(_) => StatusCode::NOT_FOUND,
        Refusal::Invalid(_) => StatusCode::BAD_REQUEST,
        Refusal::Conflict(_) => StatusCode::CONFLICT,
    }
}

fn unwritable() -> Response {
    refused(
        StatusCode::INTERNAL_SERVER_ERROR,
        "the audit log cannot be written",
    )
}
