//! `hone serve` as programs and attackers meet it.
#![cfg(all(unix, feature = "serve"))]

mod common;

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

use common::server::Server;
use common::{Setup, engines, finish, hone, rows, scripted, wait_until};
use harness::stats::Pentanomial;
use harness::stats::definitions::Definition;
use serde_json::{Value, json};

const EVIL: &str = "</script><script>alert(1)</script>";

/// A match of hostile names; the second engine fails in some games.
fn played() -> Setup {
    let cmd = |seed: u32, script: &str| format!("{} --seed {seed} {script}", scripted());
    let setup = Setup::new(&format!(
        "[[engine]]\nname = '''{EVIL}'''\ncmd = '{}'\n[[engine]]\nname = 'b\"&'\ncmd = '{}'\n\
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
fn a_finished_run_is_served_and_left_alone() {
    let setup = played();
    let results = setup.run("results");
    two_scores(&results);
    let before = files(&results);
    let server = Server::start(&results, &[]);
    wait_until("the run is read", || {
        server.get("/api/runs").json()["runs"][0]["state"] == "finished"
    });
    let listed = server.get("/api/runs").json();
    assert_eq!(listed["runs"][0]["run"], "evil & run");
    assert_eq!(listed["runs"][0]["engines"], json!([EVIL, "b\"&"]));
    let failures = csv(&results).matches(",disconnect,").count();
    assert!(failures > 0);
    assert_eq!(listed["runs"][0]["failures"], failures);

    // The same facts as in the run's own report.
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
    assert!(page.contains("Ptnml(0-2): "), "the numbers to copy");
    assert!(page.contains("property=\"og:description\""));
    games_and_files(&server, &results);
    other_views(&server, &results);
    let metrics = server.get("/metrics").body;
    assert!(
        metrics.contains("hone_runs{state=\"finished\"} 1\n"),
        "{metrics}"
    );
    drop(server);
    assert_eq!(files(&results), before, "nothing was written");
}

/// After few pairs the interval is not symmetric: the list of runs has its ends, as
/// the report. The forms of other programs have the intervals of these programs.
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
    let by = |definition: Definition| {
        let summary = definition.summary(Pentanomial(pairs).into());
        summary.expect("of pairs").elo.expect("of many pairs")
    };
    let stats = |form: &str| server.get(&format!("/api{RUN}/stats?form={form}")).body;
    let elo = by(Definition::OpenBench);
    let margin = (elo.high - elo.estimate).max(elo.estimate - elo.low);
    let line = format!("Elo   | {:.2} +- {margin:.2} (95%)\n", elo.estimate);
    assert!(stats("openbench").starts_with(&line), "{line}");
    let elo = by(Definition::Fishtest);
    let line = format!(
        "Elo: {:.2} ± {:.1} (95%)\n",
        elo.estimate,
        (elo.high - elo.low) / 2.0
    );
    assert!(stats("fishtest").starts_with(&line), "{line}");
}

/// Scores of other sizes in the comments of two games, of the same length.
fn two_scores(results: &Path) {
    let path = results.join("evil & run/games.pgn");
    let text = fs::read_to_string(&path).expect("there");
    let mut games: Vec<String> = text.split_inclusive("\n\n").map(str::to_string).collect();
    // The movetext of the third and of the tenth game, behind their tags.
    for (game, score) in [(2, "7.50/"), (9, "3.25/")] {
        let movetext = &mut games[2 * game + 1];
        let at = movetext.rfind("0.00/").expect("a score");
        movetext.replace_range(at..at + score.len(), score);
    }
    fs::write(&path, games.concat()).expect("written");
}

/// By worker, in other forms, and by the swings of evaluation.
fn other_views(server: &Server, results: &Path) {
    let workers = server.get(&format!("/api{RUN}/workers")).json();
    let workers = workers["workers"].as_array().expect("a list").clone();
    let sum = |name: &str| -> u64 { workers.iter().filter_map(|one| one[name].as_u64()).sum() };
    assert_eq!((workers.len(), sum("games")), (2, 60));
    let crashes = csv(results).matches(",disconnect,").count();
    assert_eq!(sum("crash"), crashes as u64);
    let page = server.get(RUN).body;
    let link = format!(
        "{RUN}?worker={}&amp;termination=disconnect#games",
        workers[0]["worker"]
    );
    assert!(page.contains(&link), "{page}");
    assert!(page.contains("Openings furthest from level"), "{page}");

    let text = |form: &str| server.get(&format!("/api{RUN}/stats?form={form}"));
    assert!(text("openbench").body.contains("Games | N: 60 W: "));
    assert!(text("fishtest").body.contains("Ptnml(0-2): "));
    assert_eq!(text("other").status, 400);
    assert_eq!(server.get("/api/runs/none/stats?form=fishtest").status, 404);

    let games = |query: &str| server.get(&format!("/api{RUN}/games?{query}")).json();
    let found = games("order=swing&limit=60");
    assert_eq!(found["searched"], json!({ "games": 60, "of": 60 }));
    let swings: Vec<u64> = found["games"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|game| game["swing"]["cp"].as_u64().unwrap_or(0))
        .collect();
    assert!(swings.is_sorted_by(|a, b| a >= b), "{swings:?}");
    assert_eq!(swings[..3], [750, 325, 0]);
    assert_eq!(games("min_swing=300")["count"], 2);
    assert_eq!(
        games("min_swing=326&result=w")["count"]
            .as_u64()
            .map(|n| n < 2),
        Some(true)
    );
    assert!(games("")["searched"].is_null());
}

fn csv(results: &Path) -> String {
    fs::read_to_string(results.join("evil & run/games.csv")).expect("there")
}

fn games_and_files(server: &Server, results: &Path) {
    let games = |query: &str| server.get(&format!("/api{RUN}/games?{query}")).json();
    assert_eq!(games("")["count"], 60);
    assert_eq!(games("")["games"].as_array().map(Vec::len), Some(25));
    let count = |text: &str| csv(results).matches(text).count();
    let failed = count(",disconnect,");
    assert_eq!(games("failed=true")["count"], failed);
    assert_eq!(
        games("termination=disconnect&result=lost:1")["count"],
        failed
    );
    assert_eq!(games("result=w")["count"], count(",1-0,"));
    for address in [
        format!("/api{RUN}/games"),
        "/api/runs".to_string(),
        format!("/api{RUN}"),
    ] {
        let refused = server.get(&format!("{address}?nonsense=1"));
        assert_eq!(refused.status, 400, "{address}");
        assert!(
            refused.body.starts_with("unknown parameter `nonsense`"),
            "{refused:?}"
        );
    }
    let game = server.get(&format!("/api{RUN}/games/3-2")).json();
    let pgn = fs::read_to_string(results.join("evil & run/games.pgn")).expect("there");
    assert!(pgn.contains(game["pgn"].as_str().expect("a PGN")));
    assert!(
        game["pgn"]
            .as_str()
            .expect("a PGN")
            .contains("[Round \"3\"]")
    );
    assert_eq!(server.get(&format!("{RUN}/games.pgn")).body, pgn);

    // The evidence of the failure, and nothing beside it.
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
    // Without --token-file there is nothing to act on.
    for path in ["/api/queue", "/api/runs/x/stop", "/submit"] {
        let answer = server.post(path, "0123456789abcdef", "");
        assert!([404, 405].contains(&answer.status), "{path}: {answer:?}");
    }
    // A head without end, and one that is too long.
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
        "a head that never ends"
    );
    assert_eq!(server.get("/").status, 200, "it is still there");
}

#[test]
fn an_open_address_needs_a_reason() {
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
    let missing = finish({
        let mut command = hone();
        command.args(["serve", "no-such-folder"]);
        command
    });
    assert!(
        missing
            .stderr
            .contains("cannot serve the runs: no-such-folder is not a folder"),
        "{}",
        missing.stderr
    );
}

/// A run that grows while it is served: every browser is sent what changed.
#[test]
fn a_run_is_followed_while_another_process_plays_it() {
    let cmd = |seed: u32| format!("{} --seed {seed} go=late:20", scripted());
    let players = engines(("one", &cmd(1), ""), ("two", &cmd(2), ""));
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"60+1\"\npairs = 1000\nconcurrency = 2\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 20\n"
    ));
    let results = setup.run("results");
    fs::create_dir(&results).expect("made");
    let server = Server::start(&results, &[]);
    let mut first = setup.command("match", "results/run", &[]);
    let mut player = first.stderr(Stdio::null()).spawn().expect("hone starts");
    let run = results.join("run");
    wait_until("the first games", || rows(&run) >= 4);
    wait_until("it is seen to be running", || {
        server.get("/api/runs").json()["runs"][0]["state"] == "running"
    });
    let mut stream = server.connect();
    let request = format!(
        "GET /runs/run/events HTTP/1.1\r\nHost: {}\r\n\r\n",
        server.address
    );
    stream.write_all(request.as_bytes()).expect("sent");
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
    common::signal(&player, libc::SIGINT);
    assert_eq!(player.wait().expect("it ends").code(), Some(130));
    assert!(
        !run.join("live.json").exists(),
        "what was published is removed"
    );
    wait_until("it is seen to be stopped", || {
        let run = &server.get("/api/runs").json()["runs"][0];
        run["state"] == "stopped"
            && run["games"].as_u64() == Some(rows(&run_folder(&results)) as u64)
    });
}

/// Scripts do not see the comments of a stream.
#[test]
fn a_page_without_changes_sends_events_as_signs_of_life() {
    let setup = Setup::new("");
    let results = setup.run("results");
    fs::create_dir(&results).expect("made");
    let server = Server::start(&results, &[]);
    let mut stream = server.connect();
    let request = format!("GET /events HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    stream.write_all(request.as_bytes()).expect("sent");
    let mut text = String::new();
    let mut piece = [0; 65_536];
    wait_until("a sign of life", || {
        let count = stream.read(&mut piece).expect("more comes");
        text += &String::from_utf8_lossy(&piece[..count]);
        text.contains("event: alive\ndata: {}\n\n")
    });
}

fn run_folder(results: &Path) -> std::path::PathBuf {
    results.join("run")
}

/// However many there are, also those that the page of all runs has no room for.
#[test]
fn every_finished_run_is_found_on_its_page() {
    let setup = played();
    let results = setup.run("results");
    let one = results.join("evil & run");
    for number in 0..204 {
        let copy = results.join(format!("night-{number}"));
        fs::create_dir(&copy).expect("made");
        for file in ["run.toml", "games.csv", "games.pgn"] {
            fs::copy(one.join(file), copy.join(file)).expect("copied");
        }
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
    assert_eq!(server.get("/finished?offset=x").status, 400);
}
