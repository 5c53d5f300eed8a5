//! `hone serve`: what it answers to programs and to hostile requests.
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

use crate::common::json::number;
use crate::common::running::Running;
use crate::common::server::Server;
use crate::common::{
    Setup, column, copy_run, finish, hone, player, rows, scripted, signal, wait_until,
};
use hone_stats::{Pentanomial, elo};
use serde_json::{Value, json};

/// The name of an engine that is HTML.
const SCRIPT: &str = "</script><script>alert(1)</script>";

/// A match of engines whose names are HTML; the second fails in some games.
fn played() -> Setup {
    let cmd = |seed: u32, script: &str| format!("{} --seed {seed} {script}", scripted());
    let setup = Setup::new(&format!(
        "[[engine]]\nname = '''{SCRIPT}'''\ncmd = '{}'\n[[engine]]\nname = 'b\"&'\ncmd = '{}'\n\
         [match]\nlimit = \"nodes=5\"\npairs = 30\nconcurrency = 2\nstall_ms = 5000\n\
         max_failures = 1.0\nopenings = {{ file = \"books/quick.epd\" }}\n\
         [adjudication]\nmax_moves = 20\n",
        cmd(17, ""),
        cmd(18, "go:200=exit:3"),
    ));
    let run = setup.play("match", "results/evil & run", &[]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    setup
}

const RUN: &str = "/runs/evil%20%26%20run";

/// All files of a folder with their sizes and times.
fn files(folder: &Path) -> Vec<(String, u64, SystemTime)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let data = entry.metadata().expect("there");
        let name = entry.file_name().to_string_lossy().into_owned();
        if data.is_dir() {
            files.extend(self::files(&entry.path()));
        }
        files.push((name, data.len(), data.modified().expect("a time")));
    }
    files.sort();
    files
}

#[test]
fn a_finished_run_is_served_and_not_changed() {
    let setup = played();
    let results = setup.run("results");
    let before = files(&results);
    let server = Server::start(&results, &[]);
    wait_until("the run is read", || {
        server.get("/api/runs").json()["runs"][0]["state"] == "finished"
    });
    let listed = server.get("/api/runs").json();
    assert_eq!(listed["runs"][0]["run"], "evil & run");
    assert_eq!(listed["runs"][0]["engines"], json!([SCRIPT, "b\"&"]));
    let failures = games_with(&results, "termination", "disconnect");
    assert!(failures > 0);
    assert_eq!(listed["runs"][0]["failures"], failures);

    // The same JSON as the run's own report.
    let report: Value = serde_json::from_str(
        &fs::read_to_string(results.join("evil & run/report.json")).expect("there"),
    )
    .expect("JSON");
    assert_eq!(server.get(&format!("/api{RUN}")).json(), report);
    intervals(&server, &report);

    for page in ["/", RUN] {
        let page = server.get(page);
        assert_eq!(page.status, 200, "{page:?}");
        assert!(!page.body.contains("<script>"), "{}", page.body);
        assert!(page.body.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
        for rule in [
            "script-src 'self'",
            "frame-ancestors 'none'",
            "default-src 'none'",
        ] {
            assert!(page.head.contains(rule), "{}", page.head);
        }
        assert!(page.body.len() < 150_000, "{} bytes", page.body.len());
    }
    let page = server.get(RUN).body;
    assert!(page.contains("Ptnml(0-2): "), "numbers to copy: {page}");
    assert!(page.contains("property=\"og:description\""));
    without_javascript(&page);
    let list = server.get("/").body;
    let (_, started) = list.split_once("data-name=\"started\">").expect("a run");
    let started = started.split('<').next();
    assert!(
        started.is_some_and(|time| time.ends_with(" UTC")),
        "{started:?}"
    );
    games_and_files(&server, &results);
    the_api_is_described(&server);
    other_views(&server, &results);
    drop(server);
    assert_eq!(files(&results), before, "nothing was written");
}

/// What the script of a page fills is empty before, and the page names what needs JavaScript.
/// The page of a finished run has no boards.
fn without_javascript(page: &str) {
    assert!(!page.contains("Connecting"), "{page}");
    assert!(page.contains("Updates need JavaScript."), "{page}");
    assert!(!page.contains("No game of this run"), "{page}");
}

/// After few pairs the interval is not symmetric: the list of runs shows both ends, as the
/// report does. The forms of other programs show the intervals of these programs.
fn intervals(server: &Server, report: &Value) {
    assert_eq!(report["interval"], "always_valid");
    let elo = &report["elo"];
    let number = |name: &str| elo[name].as_f64().expect("a number");
    let sides = ["high", "low"].map(|end| (number(end) - number("estimate")).abs());
    assert!((sides[0] - sides[1]).abs() > 1.0, "{elo}");
    let [value, low, high] = ["estimate", "low", "high"]
        .map(|name| format!("{:+.1}", number(name)).replace('-', "\u{2212}"));
    let list = server.get("/").body;
    let cell = format!("{value}</span> <small>[{low}, {high}]</small>");
    assert!(list.contains(&cell), "{cell} in {list}");
    let preview = format!("Elo {value} [{low}, {high}]");
    let page = server.get(RUN).body;
    assert!(page.contains(&preview), "{preview} in {page}");

    let pairs = serde_json::from_value(report["pentanomial"].clone()).expect("counts");
    let stats = |form: &str| server.get(&format!("/api{RUN}/stats?form={form}")).body;
    let pairs = Pentanomial(pairs);
    let elo = elo::elo_by_student(&pairs).expect("of many pairs");
    let margin = (elo.high - elo.estimate).max(elo.estimate - elo.low);
    let line = format!("Elo   | {:.2} +- {margin:.2} (95%)\n", elo.estimate);
    assert!(stats("openbench").starts_with(&line), "{line}");
    let elo = elo::elo(pairs).expect("of many pairs");
    let line = format!(
        "Elo: {:.2} ± {:.1} (95%)\n",
        elo.estimate,
        (elo.high - elo.low) / 2.0
    );
    assert!(stats("fishtest").starts_with(&line), "{line}");
}

/// Games by worker and by length, and the forms of other programs.
fn other_views(server: &Server, results: &Path) {
    let workers = server.get(&format!("/api{RUN}/workers")).json();
    let workers = workers["workers"].as_array().expect("a list").clone();
    let sum = |name: &str| -> u64 { workers.iter().filter_map(|one| one[name].as_u64()).sum() };
    assert_eq!((workers.len(), sum("games")), (2, 60));
    let crashes = games_with(results, "termination", "disconnect");
    assert_eq!(sum("crash"), crashes as u64);
    let page = server.get(RUN).body;
    let link = format!(
        "{RUN}?worker={}&amp;termination=disconnect#games",
        workers[0]["worker"]
    );
    assert!(page.contains(&link), "{page}");
    // Each opening was played once.
    assert!(!page.contains("Openings furthest from level"), "{page}");

    let text = |form: &str| server.get(&format!("/api{RUN}/stats?form={form}"));
    assert!(text("openbench").body.contains("Games | N: 60 W: "));
    assert!(text("fishtest").body.contains("Ptnml(0-2): "));
    assert_eq!(text("other").status, 400);
    assert_eq!(server.get("/api/runs/none/stats?form=fishtest").status, 404);

    let games = |query: &str| server.get(&format!("/api{RUN}/games?{query}")).json();
    let found = games("order=longest&limit=60");
    let plies: Vec<u64> = found["games"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|game| number(&game["plies"]) as u64)
        .collect();
    assert_eq!(plies.len(), 60);
    assert!(plies.is_sorted_by(|a, b| a >= b), "{plies:?}");
}

/// The number of games with this value in a column of the ledger.
fn games_with(results: &Path, name: &str, value: &str) -> usize {
    let values = column(&results.join("evil & run"), name);
    values.iter().filter(|one| *one == value).count()
}

fn games_and_files(server: &Server, results: &Path) {
    let games = |query: &str| server.get(&format!("/api{RUN}/games?{query}")).json();
    assert_eq!(games("")["count"], 60);
    assert_eq!(games("")["games"].as_array().map(Vec::len), Some(25));
    let failed = games_with(results, "termination", "disconnect");
    assert_eq!(games("failed=true")["count"], failed);
    assert_eq!(
        games("termination=disconnect&result=lost:1")["count"],
        failed
    );
    assert_eq!(
        games("result=w")["count"],
        games_with(results, "result", "1-0")
    );
    for address in [
        format!("/api{RUN}/games"),
        "/api/runs".to_string(),
        format!("/api{RUN}"),
    ] {
        let refused = server.get(&format!("{address}?nonsense=1"));
        assert_eq!(refused.status, 400, "{address}");
        assert!(
            refused.body.contains("unknown field `nonsense`"),
            "{refused:?}"
        );
    }
    for query in ["result=nonsense", "termination=nonsense"] {
        let refused = server.get(&format!("/api{RUN}/games?{query}"));
        assert_eq!(refused.status, 400, "{refused:?}");
    }
    let names = "\"termination_names\":[\"checkmate\",\"stalemate\",\"insufficient_material\"";
    assert!(server.get(RUN).body.contains(names));
    let game = server.get(&format!("/api{RUN}/games/3-2")).json();
    let pgn = fs::read_to_string(results.join("evil & run/games.pgn")).expect("there");
    let game = game["pgn"].as_str().expect("a PGN");
    assert!(pgn.contains(game) && game.contains("[Round \"3\"]"));
    assert_eq!(server.get(&format!("{RUN}/games.pgn")).body, pgn);

    // The evidence of the failure, and no other file of the run.
    let bundle = fs::read_dir(results.join("evil & run/failures")).expect("there");
    let bundle = bundle.flatten().next().expect("one").file_name();
    let bundle = format!("{RUN}/failures/{}", bundle.to_string_lossy());
    assert!(server.get(&bundle).body.contains("summary.txt"));
    let summary = server.get(&format!("{bundle}/summary.txt"));
    assert!(
        summary.head.contains("content-type: text/plain"),
        "{summary:?}"
    );
    for path in [
        format!("{bundle}/..%2F..%2Frun.toml"),
        format!("{bundle}/../../run.toml"),
        format!("{RUN}/failures/..%2F"),
        format!("{RUN}/run.toml"),
        "/runs/..".to_string(),
        "/runs/..%2F..%2Fetc".to_string(),
        "/runs/none".to_string(),
        "/api/runs/none/games".to_string(),
        "/assets/..%2F..%2FCargo.toml".to_string(),
        "/none".to_string(),
    ] {
        assert_eq!(server.get(&path).status, 404, "{path}");
    }
}

/// Each status of an answer to a reader and each parameter of a search is described at `/api`.
fn the_api_is_described(server: &Server) {
    let described = server.get("/api").json();
    let paths = described["paths"].as_object().expect("paths");
    for (path, methods) in paths
        .iter()
        .filter(|(path, _)| path.starts_with("/api/runs"))
    {
        let Some(responses) = methods["get"]["responses"].as_object() else {
            continue;
        };
        for run in ["evil%20%26%20run", "none"] {
            let path = path.replace("{run}", run).replace("{game}", "1-1");
            for query in ["", "?form=fishtest", "?nonsense=1"] {
                let status = server.get(&format!("{path}{query}")).status;
                let known = responses.contains_key(&status.to_string());
                assert!(known, "{path}{query}: {status}");
            }
        }
    }
    let refused = server.get(&format!("/api{RUN}/games?nonsense=1")).body;
    // `nonsense`, and then the names that are allowed.
    let mut allowed: Vec<&str> = refused.split('`').skip(3).step_by(2).collect();
    allowed.sort_unstable();
    let games = &described["paths"]["/api/runs/{run}/games"]["get"]["parameters"];
    let parameters = games.as_array().expect("a list").iter();
    let mut named: Vec<&str> = parameters.filter_map(|one| one["name"].as_str()).collect();
    named.sort_unstable();
    assert_eq!(named, allowed);
}

#[test]
fn foreign_requests_and_actions_without_a_token_are_refused() {
    let setup = Setup::new("");
    fs::create_dir(setup.run("results")).expect("made");
    let server = Server::start(&setup.run("results"), &[]);
    let with_host = |host: &str| {
        server.send(&format!(
            "GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        ))
    };
    assert_eq!(with_host(&server.address).status, 200);
    assert_eq!(with_host("localhost").status, 200);
    for host in [
        "evil.example",
        "127.0.0.1.evil.example",
        "evil.example:8017",
    ] {
        assert_eq!(with_host(host).status, 403, "{host}");
    }
    for foreign in [
        "Origin: http://evil.example\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: cors\r\n",
    ] {
        assert_eq!(
            server.request("GET", "/api/runs", foreign, "").status,
            403,
            "{foreign}"
        );
    }
    // Without --token-file no address accepts actions.
    for path in ["/api/queue", "/api/runs/x/stop", "/submit"] {
        let answer = server.post(path, "0123456789abcdef", "");
        assert!([404, 405].contains(&answer.status), "{path}: {answer:?}");
    }
    // A head that is too long, and one that is never complete.
    let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(100_000));
    assert!([0, 400, 431].contains(&server.send(&long).status));
    let began = Instant::now();
    let mut stream = server.connect();
    stream
        .write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        .expect("sent");
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(
        began.elapsed() < Duration::from_secs(100),
        "an incomplete head must time out"
    );
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn unsafe_or_invalid_arguments_are_refused() {
    let setup = Setup::new("");
    let results = setup.dir.path();
    let serve = |args: &[&str]| {
        let mut command = hone();
        command.arg("serve").arg(results).args(args);
        finish(command)
    };
    let refused = serve(&["--listen", "0.0.0.0:0"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("--read-only"), "{}", refused.stderr);
    let token = setup.run("tokens");
    fs::write(&token, "too-short\n").expect("written");
    let weak = serve(&["--token-file", token.to_str().expect("text")]);
    assert_eq!(weak.code, Some(2));
    assert!(weak.stderr.contains("chmod 600"), "{}", weak.stderr);
    let mut missing = hone();
    missing.args(["serve", "no-such-folder"]);
    let missing = finish(missing);
    assert!(
        missing
            .stderr
            .contains("cannot serve the runs: no-such-folder is not a folder"),
        "{}",
        missing.stderr
    );
}

/// The page of a run in play is sent its changes.
#[test]
fn a_run_is_followed_while_another_process_plays_it() {
    let players = player("one", "--seed 1 go=late:20") + &player("two", "--seed 2 go=late:20");
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"60+1\"\npairs = 1000\nconcurrency = 2\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 20\n"
    ));
    let results = setup.run("results");
    fs::create_dir(&results).expect("made");
    let server = Server::start(&results, &[]);
    let mut command = setup.command("match", "results/run", &[]);
    let playing = Running::start(command.stderr(Stdio::null()));
    let run = results.join("run");
    wait_until("the first games", || rows(&run) >= 4);
    wait_until("it is seen to be running", || {
        server.get("/api/runs").json()["runs"][0]["state"] == "running"
    });
    let mut stream = server.open("/runs/run/events");
    let mut text = String::new();
    let mut piece = [0; 65_536];
    wait_until("results and boards are sent again and again", || {
        let count = stream.read(&mut piece).expect("more comes");
        text += &String::from_utf8_lossy(&piece[..count]);
        text.matches("event: boards").count() >= 3 && text.matches("\"name\":\"lead\"").count() >= 2
    });
    let games = |state: &str| {
        let run = &server.get("/api/runs").json()["runs"][0];
        assert_eq!(run["state"], state, "{run}");
        run["games"].as_u64().expect("a number")
    };
    let early = games("running");
    wait_until("more games", || games("running") > early);
    signal(&playing, libc::SIGINT);
    assert_eq!(playing.finish().code, Some(130));
    assert!(
        !run.join("live.json").exists(),
        "what was published is removed"
    );
    wait_until("it is seen to be stopped", || {
        let run = &server.get("/api/runs").json()["runs"][0];
        run["state"] == "stopped" && run["games"] == rows(&results.join("run"))
    });
}

/// Scripts cannot read the comments of an event stream.
#[test]
fn a_page_without_changes_sends_keep_alive_events() {
    let setup = Setup::new("");
    let results = setup.run("results");
    fs::create_dir(&results).expect("made");
    let server = Server::start(&results, &[]);
    let mut stream = server.open("/events");
    let mut text = String::new();
    let mut piece = [0; 65_536];
    wait_until("a keep-alive event", || {
        let count = stream.read(&mut piece).expect("more comes");
        text += &String::from_utf8_lossy(&piece[..count]);
        text.contains("event: alive\ndata: {}\n\n")
    });
}

/// The page of all runs lists only the newest ones.
#[test]
fn every_finished_run_is_found_on_its_page() {
    let setup = played();
    let results = setup.run("results");
    let one = results.join("evil & run");
    for number in 0..204 {
        copy_run(&one, &results.join(format!("night-{number}")));
    }
    let server = Server::start(&results, &[]);
    wait_until("the runs are read", || {
        let found = server.get("/finished").body;
        found.contains("Runs 1 to 200 of 205, newest first.")
    });
    let rows = |query: &str| {
        let page = server.get(&format!("/finished?{query}"));
        assert_eq!(page.status, 200, "{query}");
        page.body.matches("<tr data-text").count()
    };
    assert_eq!(
        (rows(""), rows("offset=200"), rows("offset=9999")),
        (200, 5, 0)
    );
    assert_eq!(rows("text=night-203+NODES%3D5&kind=match&verdict=none"), 1);
    assert_eq!((rows("kind=sprt"), rows("verdict=H1")), (0, 0));
    assert_eq!((rows("since=2999-01-01"), rows("until=2000-01-01")), (0, 0));
    assert_eq!(rows("since=2000-01-01&until=2999-01-01&offset=204"), 1);
    let hostile = server.get("/finished?text=%22%3E%3Cscript%3Ealert(1)%3C/script%3E");
    assert!(hostile.body.contains("No finished run matches."));
    assert!(!hostile.body.contains("<script>alert"), "{}", hostile.body);
    let beyond = server.get("/finished?offset=9999").body;
    assert!(beyond.contains("Only 205 runs match."), "{beyond}");
    let refused = server.get("/finished?offset=x");
    let words = "offset: invalid digit found in string";
    assert_eq!(refused.status, 400);
    assert!(refused.body.contains(words), "{refused:?}");
}
