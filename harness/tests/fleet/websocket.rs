//! Workers and runs that reach the server over WebSocket.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

use crate::common::{finish, wait_until};
use crate::server::{Fleet, access};
use crate::{digest, fast_match, local_digest};

/// The inverse of [`access`].
fn credential(access: &Value) -> String {
    format!("hone1.{}", URL_SAFE_NO_PAD.encode(access.to_string()))
}

#[test]
fn a_fleet_over_websocket_plays_the_games_of_one_machine() {
    let Some((fleet, join)) = Fleet::start_with_websocket() else {
        return;
    };
    let url = access(&join)["url"].clone();
    assert!(
        url.as_str().is_some_and(|url| url.starts_with("wss://")),
        "{url}"
    );
    let setup = fast_match(40, "");
    let _workers = ["a", "b"].map(|name| fleet.worker_with(name, &join, &["--cores", "1"]));
    let submit = fleet.credential(&["ben", "--role", "submit", "--websocket"]);
    assert_eq!(access(&submit)["url"], url);
    // The server reads it within about a second.
    wait_until("the credential's acceptance", || {
        let mut status = fleet.hone(&["fleet", "status"]);
        status.env("HONE_FLEET", &submit);
        finish(status).code == Some(0)
    });
    let mut command = fleet.command(&setup, "match", "fleet");
    command.env("HONE_FLEET", &submit);
    let played = finish(command);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    assert_eq!(digest(&setup.run("fleet")), local_digest(&setup));
}

#[test]
fn a_server_with_another_certificate_is_refused_over_websocket_too() {
    let Some((fleet, join)) = Fleet::start_with_websocket() else {
        return;
    };
    let mut other = access(&join);
    other["fingerprint"] = Value::String("ab".repeat(32));
    let mut worker = fleet.worker_with("a", &credential(&other), &[]);
    wait_until("the end of the worker", || worker.has_ended());
    assert_eq!(worker.wait(), Some(2), "{}", worker.printed());
    let printed = worker.printed();
    assert!(printed.contains("error: cannot"), "{printed}");
}
