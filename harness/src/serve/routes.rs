//! Addresses and who answers them.

use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;

use super::state::{FOLLOWERS, Shared};
use super::{act, api, assets, events, files, guard, metrics, pages};

/// Bytes of a request.
const BODY: usize = 256 << 10;
/// Time for an answer; events go on for longer.
const ANSWER: Duration = Duration::from_secs(30);

/// All addresses. `openapi.json` describes those below `/api`.
pub(super) fn router(shared: Shared) -> Router {
    let mut routes = Router::new()
        .route("/", get(overview))
        .route("/events", get(overview_events))
        .route("/runs/{run}", get(run))
        .route("/runs/{run}/events", get(run_events))
        .route("/runs/{run}/games.pgn", get(files::games))
        .route("/runs/{run}/failures/{bundle}", get(files::bundle))
        .route("/runs/{run}/failures/{bundle}/", get(files::bundle))
        .route("/runs/{run}/failures/{bundle}/{file}", get(files::evidence))
        .route("/assets/{name}", get(asset))
        .route("/metrics", get(metrics::metrics))
        .route("/api", get(api::description))
        .route("/api/runs", get(api::runs))
        .route("/api/runs/{run}", get(api::run))
        .route("/api/runs/{run}/games", get(api::games))
        .route("/api/runs/{run}/games/{game}", get(api::game));
    if shared.actions.is_some() {
        routes = routes
            .route("/submit", get(submit))
            .route("/api/queue", get(act::queue).post(act::submit))
            .route("/api/runs/{run}/priority", post(act::priority))
            .route("/api/runs/{run}/{action}", post(act::action));
    }
    routes
        .fallback(not_found)
        .layer(DefaultBodyLimit::max(BODY))
        .layer(middleware::from_fn(in_time))
        .layer(middleware::from_fn_with_state(shared.clone(), guard::check))
        .with_state(shared)
}

/// Ends requests that take too long to arrive or to be answered.
async fn in_time(request: Request, next: Next) -> Response {
    match tokio::time::timeout(ANSWER, next.run(request)).await {
        Ok(answer) => answer,
        Err(_) => guard::refused(StatusCode::REQUEST_TIMEOUT, "this took too long"),
    }
}

async fn overview(State(shared): State<Shared>) -> Response {
    let overview = shared.overview().await;
    let page = pages::document(&overview.snapshot, "/events", shared.actions.is_some());
    Html(page.into_string()).into_response()
}

async fn run(State(shared): State<Shared>, Path(run): Path<String>) -> Response {
    let can_act = shared.actions.is_some();
    let Some(opened) = shared.open(&run).await else {
        return match shared.overview.borrow().reason(&run) {
            Some(reason) => {
                let page = pages::offline(reason, can_act);
                (StatusCode::INTERNAL_SERVER_ERROR, Html(page.into_string())).into_response()
            }
            None => missing(can_act),
        };
    };
    let snapshot = opened.snapshot.borrow().clone();
    let events = pages::run_href(&run) + "/events";
    Html(pages::document(&snapshot, &events, can_act).into_string()).into_response()
}

/// What a browser has already.
#[derive(Deserialize)]
struct Have {
    #[serde(default)]
    have: String,
}

async fn overview_events(State(shared): State<Shared>, Query(have): Query<Have>) -> Response {
    let Ok(place) = shared.followers.clone().try_acquire_owned() else {
        return crowded();
    };
    let ending = shared.ending.clone();
    events::events(shared.overview.clone(), &have.have, ending, place, None)
}

async fn run_events(
    State(shared): State<Shared>,
    Path(run): Path<String>,
    Query(have): Query<Have>,
) -> Response {
    let Ok(place) = shared.followers.clone().try_acquire_owned() else {
        return crowded();
    };
    let Some(opened) = shared.open(&run).await else {
        return guard::refused(StatusCode::NOT_FOUND, "there is no such run");
    };
    let viewer = opened.viewer();
    let ending = shared.ending.clone();
    events::events(opened.snapshot, &have.have, ending, place, Some(viewer))
}

fn crowded() -> Response {
    let message = format!("{FOLLOWERS} browsers follow pages already");
    guard::refused(StatusCode::SERVICE_UNAVAILABLE, &message)
}

async fn asset(Path(name): Path<String>) -> Response {
    let address = format!("/assets/{name}");
    let forever = (CACHE_CONTROL, "public, max-age=31536000, immutable");
    let (style, script) = (assets::style(), assets::script());
    if address == style.address {
        let headers = [(CONTENT_TYPE, "text/css; charset=utf-8"), forever];
        return (headers, style.content.clone()).into_response();
    }
    if address == script.address {
        let headers = [(CONTENT_TYPE, "text/javascript; charset=utf-8"), forever];
        return (headers, script.content.clone()).into_response();
    }
    if address == assets::ICON {
        return ([(CONTENT_TYPE, "image/svg+xml")], assets::ICON_SVG).into_response();
    }
    guard::refused(StatusCode::NOT_FOUND, "there is no such file")
}

async fn submit() -> Response {
    Html(pages::submit_page().into_string()).into_response()
}

async fn not_found(State(shared): State<Shared>) -> Response {
    missing(shared.actions.is_some())
}

fn missing(can_act: bool) -> Response {
    let page = pages::not_found(can_act).into_string();
    (StatusCode::NOT_FOUND, Html(page)).into_response()
}
