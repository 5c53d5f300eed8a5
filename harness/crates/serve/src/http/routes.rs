//! URLs and their handlers.

use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;

use super::parameters::Parameters;
use super::state::{FOLLOWERS, Shared};
use super::{act, api, downloads, events, guard};
use crate::pages::{self, Site, assets};

/// Time limit for an answer; event streams are exempt.
const ANSWER: Duration = Duration::from_secs(30);

/// All routes. `openapi.json` describes those below `/api`.
pub(crate) fn router(shared: Shared) -> Router {
    let mut routes = Router::new()
        .route("/", get(overview))
        .route("/events", get(overview_events))
        .route("/finished", get(finished))
        .route("/runs/{run}", get(run))
        .route("/runs/{run}/events", get(run_events))
        .route("/runs/{run}/games.pgn", get(downloads::games))
        .route("/runs/{run}/failures/{bundle}", get(downloads::bundle))
        .route("/runs/{run}/failures/{bundle}/", get(downloads::bundle))
        .route(
            "/runs/{run}/failures/{bundle}/{file}",
            get(downloads::evidence),
        )
        .route("/assets/{name}", get(asset))
        .route("/api", get(api::description))
        .route("/api/runs", get(api::runs))
        .route("/api/runs/{run}", get(api::run))
        .route("/api/runs/{run}/stats", get(api::stats))
        .route("/api/runs/{run}/workers", get(api::workers))
        .route("/api/runs/{run}/games", get(api::games))
        .route("/api/runs/{run}/games/{game}", get(api::game));
    if shared.fleet.is_some() {
        routes = routes
            .route("/fleet", get(fleet))
            .route("/fleet/events", get(fleet_events))
            .route("/api/fleet", get(api::fleet));
    }
    if shared.actions.is_some() {
        routes = routes
            .route("/submit", get(submit))
            .route("/api/queue", get(act::queue).post(act::submit))
            .route("/api/queue/{run}", get(act::configuration))
            .route("/api/runs/{run}/priority", post(act::priority))
            .route("/api/runs/{run}/{action}", post(act::action));
    }
    routes
        .fallback(not_found)
        .layer(DefaultBodyLimit::max(act::BODY))
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
    let page = pages::document(&overview.snapshot, "/events", shared.site());
    Html(page.into_string()).into_response()
}

async fn finished(
    State(shared): State<Shared>,
    Parameters(search): Parameters<pages::Search>,
) -> Response {
    let overview = shared.overview().await;
    let page = pages::finished_page(&overview, &search, shared.site());
    Html(page.into_string()).into_response()
}

async fn run(State(shared): State<Shared>, Path(run): Path<String>) -> Response {
    let site = shared.site();
    let Some(opened) = shared.open(&run).await else {
        return match shared.overview.borrow().reason(&run) {
            Some(reason) => {
                let page = pages::offline(reason, site);
                (StatusCode::INTERNAL_SERVER_ERROR, Html(page.into_string())).into_response()
            }
            None => missing(site),
        };
    };
    let snapshot = opened.snapshot.borrow().clone();
    let events = pages::run_href(&run) + "/events";
    Html(pages::document(&snapshot, &events, site).into_string()).into_response()
}

/// The parts that a browser has already.
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
    let message = format!("too many browsers follow pages: at most {FOLLOWERS} are allowed");
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

async fn submit(State(shared): State<Shared>) -> Response {
    let actions = shared.actions.as_ref();
    let needs_approval = actions.is_some_and(|actions| actions.queue.needs_approval());
    let page = pages::submit_page(shared.site(), needs_approval);
    Html(page.into_string()).into_response()
}

/// The machines and runs of a fleet, if one is watched.
async fn fleet(State(shared): State<Shared>) -> Response {
    let Some(fleet) = &shared.fleet else {
        return missing(shared.site());
    };
    let snapshot = fleet.borrow().clone();
    let page = pages::document(&snapshot, "/fleet/events", shared.site());
    Html(page.into_string()).into_response()
}

async fn fleet_events(State(shared): State<Shared>, Query(have): Query<Have>) -> Response {
    let Some(fleet) = shared.fleet.clone() else {
        return missing(shared.site());
    };
    let Ok(place) = shared.followers.clone().try_acquire_owned() else {
        return crowded();
    };
    let ending = shared.ending.clone();
    events::events(fleet, &have.have, ending, place, None)
}

async fn not_found(State(shared): State<Shared>) -> Response {
    missing(shared.site())
}

fn missing(site: Site) -> Response {
    let page = pages::not_found(site).into_string();
    (StatusCode::NOT_FOUND, Html(page)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_uci::rules::Termination;

    #[test]
    fn every_address_of_the_api_is_described() {
        let described: serde_json::Value = serde_json::from_str(api::OPENAPI).expect("JSON");
        let paths = described["paths"].as_object().expect("paths");
        let routes = include_str!("routes.rs");
        let mut served: Vec<&str> = routes
            .split("route(\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .filter(|path| path.starts_with("/api/"))
            .collect();
        served.sort_unstable();
        let mut all: Vec<&str> = paths.keys().map(String::as_str).collect();
        all.sort_unstable();
        assert_eq!(all, served);
    }

    #[test]
    fn every_termination_is_described() {
        let described: serde_json::Value = serde_json::from_str(api::OPENAPI).expect("JSON");
        let parameters = &described["paths"]["/api/runs/{run}/games"]["get"]["parameters"];
        let mut parameters = parameters.as_array().expect("a list").iter();
        let termination = parameters.find(|one| one["name"] == "termination");
        let described = &termination.expect("a parameter")["schema"]["enum"];
        assert_eq!(*described, serde_json::json!(Termination::ALL));
    }
}
