//! Files of a run: its games, and the evidence of failures. Names from a request are looked up
//! among the existing ones.

use std::fs;
use std::io::{self, Read};
use std::path::{Path as FilePath, PathBuf};

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{Html, IntoResponse, Response};
use futures_util::stream;
use maud::html;

use super::guard::refused;
use super::state::Shared;
use crate::pages;
use hone_base::platform::open_regular;
use hone_run::ledger::{FAILURES, GAMES_PGN};

/// Size in bytes of the pieces in which a file is sent.
const PIECE: usize = 64 << 10;
/// Maximum number of bytes shown of a file of evidence.
const SHOWN: u64 = 4 << 20;

/// All games so far.
pub(super) async fn games(State(shared): State<Shared>, Path(run): Path<String>) -> Response {
    let Some(opened) = shared.open(&run).await else {
        return none();
    };
    let Ok(file) = open_regular(&opened.games.dir.join(GAMES_PGN)) else {
        return none();
    };
    let headers = [
        (CONTENT_TYPE, "application/vnd.chess-pgn"),
        (CONTENT_DISPOSITION, "attachment; filename=\"games.pgn\""),
    ];
    (headers, streamed(file)).into_response()
}

/// Streams a file in pieces, so that only one piece is in memory.
fn streamed(file: fs::File) -> Body {
    Body::from_stream(stream::unfold(Some(file), |file| async move {
        let mut file = file?;
        let read = tokio::task::spawn_blocking(move || -> io::Result<_> {
            let mut piece = vec![0; PIECE];
            let count = file.read(&mut piece)?;
            piece.truncate(count);
            Ok((piece, file))
        });
        match read
            .await
            .unwrap_or_else(|error| Err(io::Error::other(error)))
        {
            Ok((piece, _)) if piece.is_empty() => None,
            Ok((piece, file)) => Some((Ok(Bytes::from(piece)), Some(file))),
            Err(error) => Some((Err(error), None)),
        }
    }))
}

/// The files that are kept of a failure.
pub(super) async fn bundle(
    State(shared): State<Shared>,
    Path((run, bundle)): Path<(String, String)>,
) -> Response {
    let Some(opened) = shared.open(&run).await else {
        return none();
    };
    let wanted = bundle.clone();
    let found = blocking(move || {
        let folder = folder_of(&opened.games.dir, &wanted)?;
        let mut names: Vec<String> = entries(&folder).map(|(name, _)| name).collect();
        names.sort_unstable();
        Some((folder, names))
    });
    let Some((folder, names)) = found.await else {
        return none();
    };
    let base = pages::run_href(&run) + "/failures/" + &bundle;
    let list = html! {
        p { a href=(pages::run_href(&run)) { "The run" } }
        ul { @for name in &names { li { a href={ (base) "/" (name) } { (name) } } } }
        p { "Repeat the situation: " code { "hone replay " (folder.display()) } }
    };
    let title = format!("Failure in game {bundle}");
    let page = pages::plain(&title, shared.site(), &list);
    Html(page.into_string()).into_response()
}

/// One of them, as text.
pub(super) async fn evidence(
    State(shared): State<Shared>,
    Path((run, bundle, file)): Path<(String, String, String)>,
) -> Response {
    let Some(opened) = shared.open(&run).await else {
        return none();
    };
    let text = blocking(move || {
        let folder = folder_of(&opened.games.dir, &bundle)?;
        let (_, path) = entries(&folder).find(|(name, _)| *name == file)?;
        let mut text = Vec::new();
        let file = open_regular(&path).ok()?;
        file.take(SHOWN).read_to_end(&mut text).ok()?;
        Some(text)
    });
    match text.await {
        Some(text) => ([(CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response(),
        None => none(),
    }
}

/// Runs a function that reads files without blocking other requests.
async fn blocking<T: Send + 'static>(
    read: impl FnOnce() -> Option<T> + Send + 'static,
) -> Option<T> {
    tokio::task::spawn_blocking(read).await.ok().flatten()
}

/// The folder of a failure of the run in `dir`.
fn folder_of(dir: &FilePath, bundle: &str) -> Option<PathBuf> {
    entries(&dir.join(FAILURES)).find_map(|(name, path)| (name == bundle).then_some(path))
}

/// The entries of a folder, without symbolic links, which may lead elsewhere.
fn entries(folder: &FilePath) -> impl Iterator<Item = (String, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()))
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
}

fn none() -> Response {
    refused(StatusCode::NOT_FOUND, "there is no such file")
}
