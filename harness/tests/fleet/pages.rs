//! The page of a fleet on `hone serve`.

use std::fs;
use std::process::Stdio;

use super::fast_match;
use super::server::Fleet;
use crate::common::chromium::Chromium;
use crate::common::server::Server;
use crate::common::{finish, signal, wait_until};

#[test]
fn machines_runs_and_shares_are_shown_until_the_server_is_away() {
    let Some(fleet) = Fleet::start() else { return };
    let setup = fast_match(20_000, "");
    let results = setup.run("results");
    fs::create_dir(&results).expect("made");
    let server = Server::start(&results, &[&format!("--fleet={}", fleet.submit)]);
    let workers = [
        fleet.worker("a", &["--cores", "2"]),
        fleet.worker("b", &["--cores", "1"]),
    ];
    let spawn = |name: &str, priority: &str| {
        let mut command = fleet.command(&setup, "match", &format!("results/{name}"));
        command.args(["--priority", priority]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("hone starts")
    };
    let mut runs = [spawn("one", "300"), spawn("two", "100")];
    let seen = || server.get("/api/fleet").json();
    wait_until("machines and runs", || {
        let fleet = seen();
        let names = fleet["names"].as_object().map_or(0, |names| names.len());
        let count = |name: &str| fleet[name].as_array().map_or(0, Vec::len);
        (count("workers"), count("runs"), names) == (2, 2, 2)
    });
    wait_until("games of both machines", || {
        let fleet = seen();
        let workers = fleet["workers"].as_array().cloned().unwrap_or_default();
        let has_played = |one: &serde_json::Value| one["games"].as_u64() > Some(0);
        workers.iter().all(has_played)
            && fleet["residuals"].as_array().is_some_and(|r| !r.is_empty())
    });
    let page = server.get("/fleet").body;
    for text in [
        "workers/a",
        "workers/b",
        "of 2 cores",
        "of 1 core",
        "75.0 %",
        "25.0 %",
        "/runs/one\"",
        "/runs/two\"",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(server.get("/").body.contains("href=\"/fleet\""));
    if let Some(mut browser) = Chromium::or_skipped() {
        browser.look(&server.home(), "/fleet");
        let heard = "document.querySelector('#part-state').textContent";
        let before = browser.eval(heard);
        browser.wait_for(&format!("{heard} !== {before}"));
        browser.has_behaved();
    }
    for run in &mut runs {
        signal(run, libc::SIGTERM);
        run.wait().expect("it ends");
    }
    drop(workers);
    drop(fleet);
    // The pages wait for nobody: what was heard last stays, and why no more is.
    wait_until("the loss is seen", || seen()["error"].is_string());
    assert!(server.get("/fleet").body.contains("workers/a"));
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn a_page_without_a_fleet_does_not_exist() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path(), &[]);
    assert_eq!(server.get("/fleet").status, 404);
    assert_eq!(server.get("/api/fleet").status, 404);
    assert!(!server.get("/").body.contains("/fleet"));
}

#[test]
fn a_credential_for_runs_is_a_token_until_it_is_revoked() {
    let Some(fleet) = Fleet::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = format!("--fleet-tokens={}", fleet.data().display());
    let server = Server::start(folder.path(), &[&tokens]);
    let joined = finish(fleet.tokens(&["join", "bob", "--role", "submit"])).stdout;
    let bob = joined
        .trim()
        .rsplit('=')
        .next()
        .expect("a line")
        .to_string();
    let act = |token: &str| server.post("/api/runs/none/stop", token, "").status;
    for token in [&bob, &fleet.submit] {
        assert_eq!(act(token), 404, "there is no such run, and it may ask");
    }
    let cut = &bob[..bob.len() - 8];
    let file = fleet.data().join("submit.toml").display().to_string();
    for token in [fleet.join.as_str(), cut, "", "hone1.", &file] {
        assert_eq!(act(token), 401, "{token}");
    }
    let revoked = finish(fleet.tokens(&["revoke", "bob"]));
    assert_eq!(revoked.code, Some(0), "{}", revoked.stderr);
    assert_eq!(act(&bob), 401, "it is revoked");
    let audit = fs::read_to_string(folder.path().join("queue/audit.jsonl")).expect("there");
    assert!(audit.contains("\"by\":\"fleet/bob\""), "{audit}");
    assert!(!audit.contains(&bob), "secrets stay out of it");
}
