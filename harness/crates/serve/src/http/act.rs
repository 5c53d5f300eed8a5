//! Actions. Each needs a token and is recorded in the audit log.

use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};

use axum::Json;
use axum::extract::rejection::StringRejection;
use axum::extract::{Extension, Path, Query, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tokio::task::spawn_blocking;

use super::guard::refused;
use super::parameters::{NoParameters, Parameters};
use super::state::{Actions, Shared};
use crate::actions::{Action, Event, Refusal, Submission, priority_of};
use crate::summary::RunSummary;
use hone_base::checksum::sha256_of;

/// Maximum size of a request's body (a configuration), in bytes.
pub(super) const BODY: usize = 256 << 10;

/// The parameters of a request. Only the owner of a token receives errors in them.
type Params = Query<Vec<(String, String)>>;

pub(super) async fn queue(State(shared): State<Shared>, _: Parameters<NoParameters>) -> Response {
    // The queue is locked while files are written.
    let jobs = spawn_blocking(move || Some(shared.actions.as_ref()?.queue.jobs().1));
    match jobs.await {
        Ok(Some(jobs)) => Json(json!({ "queue": jobs })).into_response(),
        _ => refused(
            StatusCode::NOT_FOUND,
            "actions are off: this server has no queue",
        ),
    }
}

/// Header with the SHA-256 of a configuration. `ETag` is not used, because proxies change it
/// when they compress.
const CONFIG_SHA256: HeaderName = HeaderName::from_static("config-sha256");

/// The configuration of a run in the queue, for the person who approves it.
pub(super) async fn configuration(
    State(shared): State<Shared>,
    Path(run): Path<String>,
    _: Parameters<NoParameters>,
) -> Response {
    let text = spawn_blocking(move || shared.actions.as_ref()?.queue.configuration(&run));
    match text.await {
        Ok(Some(text)) => {
            let headers = [
                (CONTENT_TYPE, "text/plain; charset=utf-8".to_string()),
                (CONFIG_SHA256, sha256_of(text.as_bytes())),
            ];
            (headers, text).into_response()
        }
        _ => refused(StatusCode::NOT_FOUND, "this run is not in the queue"),
    }
}

pub(super) async fn submit(
    State(shared): State<Shared>,
    Extension(from): Extension<SocketAddr>,
    Query(params): Params,
    headers: HeaderMap,
    config: Result<String, StringRejection>,
) -> Response {
    let name = param(&params, "name").unwrap_or_default();
    let asked = ActionRequest::new(from, &headers, "submit", name);
    acting(shared, asked, move |actions, by| {
        let submission = Submission::of(&params).map_err(Refusal::Invalid)?;
        let config = config.map_err(|rejection| unread(&rejection))?;
        actions.queue.submit(&submission, &config, by)
    })
    .await
}

/// The refusal of a submission whose configuration could not be read.
fn unread(rejection: &StringRejection) -> Refusal {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Refusal::TooLarge(format!(
            "the configuration is larger than {} kB",
            BODY >> 10
        )),
        _ => Refusal::Invalid(anyhow::anyhow!(
            "cannot read the configuration: it is not UTF-8 text, or incomplete"
        )),
    }
}

pub(super) async fn action(
    State(shared): State<Shared>,
    Extension(from): Extension<SocketAddr>,
    Path((run, action)): Path<(String, String)>,
    Query(params): Params,
    headers: HeaderMap,
) -> Response {
    let asked = ActionRequest::new(from, &headers, &action, &run);
    let overview = shared.overview.borrow().clone();
    acting(shared, asked, move |actions, by| {
        let action: Action = serde_json::from_value(json!(action)).map_err(|_| {
            let allowed = "allowed are pause, resume, stop, approve and priority";
            Refusal::Unknown(format!("unknown action: {allowed}"))
        })?;
        let is_over = overview.find(&run).is_some_and(RunSummary::is_over);
        if action == Action::Resume && is_over && !actions.queue.has(&run) {
            return Err(Refusal::Conflict(format!("`{run}` is finished")));
        }
        // The approval applies to the configuration with this SHA-256.
        let config = param(&params, "config");
        actions.queue.act(&run, action, by, config)
    })
    .await
}

pub(super) async fn priority(
    State(shared): State<Shared>,
    Extension(from): Extension<SocketAddr>,
    Path(run): Path<String>,
    Query(params): Params,
    headers: HeaderMap,
) -> Response {
    let asked = ActionRequest::new(from, &headers, "priority", &run);
    acting(shared, asked, move |actions, _| {
        let value = param(&params, "priority").unwrap_or_default();
        let priority = priority_of(value).map_err(Refusal::Invalid)?;
        actions.queue.set_priority(&run, priority)
    })
    .await
}

fn param<'a>(params: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let mut all = params.iter();
    let (_, value) = all.find(|(known, _)| known == name)?;
    Some(value)
}

/// A requested action, and its sender.
struct ActionRequest {
    /// The other end of the connection.
    from: SocketAddr,
    token: Option<String>,
    action: String,
    run: String,
}

impl ActionRequest {
    fn new(from: SocketAddr, headers: &HeaderMap, action: &str, run: &str) -> Self {
        let token = headers
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        // The client may send names of any length.
        let short = |name: &str| name.chars().take(100).collect();
        Self {
            from,
            token: token.map(|token| token.trim().to_string()),
            action: short(action),
            run: short(run),
        }
    }

    /// Carries out the action if the token is valid, and logs it in either case. Returns the
    /// answer.
    fn answer(
        &self,
        actions: &Actions,
        act: impl FnOnce(&Actions, &str) -> Result<(), Refusal>,
    ) -> (StatusCode, String) {
        let token = self.token.as_deref();
        let by = token.and_then(|token| actions.tokens.owner(token));
        let note = |outcome: &str| {
            actions.audit.note(&Event {
                by: by.as_deref(),
                from: self.from.to_string(),
                action: &self.action,
                run: &self.run,
                outcome,
            })
        };
        let Some(owner) = &by else {
            let words = "this needs a valid token: `Authorization: Bearer TOKEN`";
            return match note("no valid token") {
                Ok(()) => (StatusCode::UNAUTHORIZED, words.to_string()),
                Err(_) => unwritable(),
            };
        };
        // An action that cannot be logged is not carried out.
        if note("asked").is_err() {
            return unwritable();
        }
        let (status, words) = match catch_unwind(AssertUnwindSafe(|| act(actions, owner))) {
            Ok(Ok(())) => (StatusCode::OK, "ok".to_string()),
            Ok(Err(refusal)) => (status_of(&refusal), refusal.message()),
            Err(_) => panicked(),
        };
        match note(&words) {
            Ok(()) => (status, words),
            Err(_) => unwritable(),
        }
    }
}

/// Answers in a thread that may block on files.
async fn acting(
    shared: Shared,
    asked: ActionRequest,
    act: impl FnOnce(&Actions, &str) -> Result<(), Refusal> + Send + 'static,
) -> Response {
    let answer = spawn_blocking(move || match &shared.actions {
        Some(actions) => asked.answer(actions, act),
        None => (StatusCode::NOT_FOUND, "actions are off".to_string()),
    });
    match answer.await {
        Ok((status, words)) => (status, format!("{words}\n")).into_response(),
        Err(error) => refused(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

fn status_of(refusal: &Refusal) -> StatusCode {
    match refusal {
        Refusal::Unknown(_) => StatusCode::NOT_FOUND,
        Refusal::Invalid(_) => StatusCode::BAD_REQUEST,
        Refusal::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
        Refusal::Conflict(_) => StatusCode::CONFLICT,
        Refusal::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn panicked() -> (StatusCode, String) {
    (
        StatusCode::INTERNAL_SERVER_ERROR,
        "this failed because of an error in hone: the server has printed it".to_string(),
    )
}

fn unwritable() -> (StatusCode, String) {
    (
        StatusCode::INTERNAL_SERVER_ERROR,
        "cannot write the audit log".to_string(),
    )
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::actions::{Audit, Queue, Tokens};
    use crate::kinds::samples;

    #[test]
    fn the_audit_log_has_an_action_that_panics() {
        const TOKEN: &str = "0123456789abcdef0123";
        let dir = tempfile::tempdir().expect("a folder");
        let tokens = dir.path().join("tokens");
        fs::write(&tokens, format!("ann {TOKEN}\n")).expect("written");
        fs::set_permissions(&tokens, fs::Permissions::from_mode(0o600)).expect("ours");
        let queue = Queue::open(samples::kinds(), dir.path(), 1, false).expect("free");
        let actions = Actions {
            tokens: Tokens::read(&tokens).expect("valid"),
            audit: Audit::open(queue.folder()).expect("made"),
            queue: queue.into(),
        };
        let mut headers = HeaderMap::new();
        let value = format!("Bearer {TOKEN}").parse().expect("a value");
        headers.insert(AUTHORIZATION, value);
        let from = ([127, 0, 0, 1], 1).into();
        let asked = ActionRequest::new(from, &headers, "stop", "x");
        let (status, words) = asked.answer(&actions, |_, _| panic!("a test"));
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
        let log = fs::read_to_string(actions.queue.folder().join("audit.jsonl"));
        let log = log.expect("there");
        let last = log.lines().last().expect("a line");
        assert!(last.contains(&words), "{log}");
        assert_eq!(log.lines().count(), 2, "{log}");
    }
}
