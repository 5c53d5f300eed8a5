//! The page of a fleet on `hone serve`.

use std::fs;
use std::io::{Read, Write};

use super::server::Fleet;
use crate::common::chromium::Chromium;
use crate::common::server::Server;
use crate::common::{Setup, finish, player, wait_until};

#[test]
fn machines_runs_and_shares_are_shown_until_the_server_is_away() {
    let Some(fleet) = Fleet::start() else { return };
    let setup = long_match(10);
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
        fleet.spawn(name, command)
    };
    let mut runs = [spawn("one", "300"), spawn("two", "100")];
    let state = || server.get("/api/fleet").json();
    wait_until("machines and runs", || {
        let fleet = state();
        let names = fleet["names"].as_object().map_or(0, |names| names.len());
        let count = |name: &str| fleet[name].as_array().map_or(0, Vec::len);
        (count("workers"), count("runs"), names) == (2, 2, 2)
    });
    wait_until("games of both machines", || {
        let fleet = state();
        let workers = fleet["workers"].as_array().cloned().unwrap_or_default();
        let has_played = |one: &serde_json::Value| one["games"].as_u64() > Some(0);
        workers.iter().all(has_played)
            && fleet["residuals"].as_array().is_some_and(|r| !r.is_empty())
    });
    // On a busy machine, a run that answers late is missing in one state.
    wait_until("a page with all of them", || {
        let page = server.get("/fleet").body;
        let texts = [
            "workers/a",
            "workers/b",
            "of 2 cores",
            "of 1 core",
            "75.0 %",
            "25.0 %",
            "/runs/one\"",
            "/runs/two\"",
        ];
        texts.iter().all(|text| page.contains(text))
    });
    assert!(server.get("/").body.contains("href=\"/fleet\""));
    if let Some(mut browser) = Chromium::or_skipped() {
        browser.check_live_page(&server.home(), "/fleet");
        let text = "document.querySelector('#part-state').textContent";
        let before = browser.eval(text);
        browser.wait_for(&format!("{text} !== {before}"));
        browser.has_no_errors();
    }
    for run in &mut runs {
        assert!(!run.has_ended(), "a run ended by itself: {}", run.printed());
        run.terminate();
    }
    drop(workers);
    drop(fleet);
    // The last state stays on the page, with the error.
    wait_until("the error", || state()["error"].is_string());
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
    let bob = fleet.credential(&["bob", "--role", "submit"]);
    let act = |token: &str| server.post("/api/runs/none/stop", token, "").status;
    for token in [&bob, &fleet.submit] {
        assert_eq!(
            act(token),
            404,
            "the token is valid, but the run does not exist"
        );
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
    assert!(!audit.contains(&bob), "the audit log has no secrets");
}

/// More games than a test plays. They have a clock: with a node limit, a run ends when its
/// games only repeat earlier ones.
fn long_match(ms_a_move: u32) -> Setup {
    let slow = |name: &str, seed| player(name, &format!("--seed {seed} go=late:{ms_a_move}"));
    let players = slow("one", 1) + &slow("two", 2);
    Setup::new(&format!(
        "{players}[match]\nlimit = \"60+1\"\npairs = 20000\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 40\n"
    ))
}

#[test]
fn games_on_other_machines_are_followed_move_by_move() {
    let Some(fleet) = Fleet::start() else { return };
    let setup = long_match(100);
    let results = setup.run("results");
    fs::create_dir(&results).expect("made");
    let server = Server::start(&results, &[&format!("--fleet={}", fleet.submit)]);
    let _workers = ["a", "b"].map(|name| fleet.worker(name, &["--cores", "1"]));
    let command = fleet.command(&setup, "match", "results/one");
    let mut run = fleet.spawn("one", command);
    wait_until("the run", || server.get("/runs/one").status == 200);
    assert!(!results.join("one/live.json").exists());
    // Games of both machines, and moves as they come.
    let mut stream = server.connect();
    let request = format!(
        "GET /runs/one/events HTTP/1.1\r\nHost: {}\r\n\r\n",
        server.address
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut text = String::new();
    let mut piece = [0; 65_536];
    wait_until("boards of both machines", || {
        let count = stream.read(&mut piece).expect("more comes");
        text += &String::from_utf8_lossy(&piece[..count]);
        let boards = text.split("event: boards\ndata: ").skip(1);
        let boards = boards.filter_map(|rest| rest.split_once("\n\n"));
        let of_both = boards.filter(|(json, _)| json.matches("\"line\"").count() == 2);
        of_both.count() >= 3
    });
    if let Some(mut browser) = Chromium::or_skipped() {
        browser.visit(&server.home(), "/runs/one");
        browser.wait_for("document.querySelectorAll('.live-game').length === 2");
        let plies = "Number(document.querySelector('.live-game').dataset.plies)";
        for _ in 0..2 {
            let before = browser.eval(plies);
            browser.wait_for(&format!("{plies} !== {before}"));
        }
        let names = "[...document.querySelectorAll('.live-game:first-child .name')].map((one) => one.textContent).sort()";
        assert_eq!(browser.eval(names), serde_json::json!(["one", "two"]));
        browser.has_no_errors();
    }
    run.terminate();
}
