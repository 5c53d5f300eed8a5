//! The live pages in a browser.
#![cfg(all(unix, feature = "serve"))]

mod common;

use std::fs;
use std::path::Path;
use std::process::Stdio;

use common::chromium::Chromium;
use common::repository::{BUILD, EngineRepository};
use common::server::Server;
use common::{Setup, engines, finish, rows, scripted, signal, stillwater, wait_until, workspace};
use serde_json::json;

const EVIL: &str = "<img src=x onerror=alert(1)>";

/// Looks a page over, with axe-core if `HONE_AXE` names its script.
fn look(browser: &mut Chromium, server: &Server, path: &str) {
    browser.visit(&server.home(), path);
    browser.wait_for("document.getElementById('connection').textContent === 'Live'");
    browser.suits_everyone();
    let Some(axe) = std::env::var_os("HONE_AXE") else {
        common::skip::skipped("HONE_AXE does not name the script of axe-core");
        return;
    };
    let script = fs::read_to_string(axe).expect("HONE_AXE names axe.js");
    browser.eval(&format!("{script};0"));
    for scheme in ["light", "dark"] {
        browser.theme(scheme);
        browser.eval("axe.run().then((found) => { window.found = found.violations; }); 0");
        browser.wait_for("Boolean(window.found)");
        let serious = browser.eval(
            "window.found.filter((one) => ['serious', 'critical'].includes(one.impact))\
             .map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)",
        );
        assert_eq!(serious, json!([]), "{path} in the {scheme} theme");
        browser.eval("delete window.found");
    }
}

#[test]
fn a_match_is_followed_move_by_move() {
    let Some(mut browser) = Chromium::or_skipped() else {
        return;
    };
    let cmd = |seed: u32| format!("{} --seed {seed} go=late:100", scripted());
    let setup = Setup::new(&format!(
        "[[engine]]\nname = '''{EVIL}'''\ncmd = '{}'\n[[engine]]\nname = 'two'\ncmd = '{}'\n\
         [match]\nlimit = \"60+1\"\npairs = 1000\nconcurrency = 2\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 40\n",
        cmd(1),
        cmd(2)
    ));
    let results = setup.run("results");
    fs::create_dir(&results).expect("made");
    let server = Server::start(&results, &[]);
    browser.visit(&server.home(), "/");
    browser.wait_for("document.querySelector('#part-running').textContent.includes('No run')");
    let mut command = setup.command("match", "results/run", &[]);
    let mut player = command.stderr(Stdio::null()).spawn().expect("hone starts");
    browser.wait_for("document.querySelectorAll('#part-running tbody tr').length === 1");
    assert_eq!(browser.eval("document.querySelectorAll('img').length"), 0);
    browser.click("#part-running tbody a");
    browser.wait_for("document.querySelectorAll('.live-game').length === 2");
    // The board goes on, by the moves of the game.
    let plies = "Number(document.querySelector('.live-game').dataset.plies)";
    for _ in 0..3 {
        let before = browser.eval(plies);
        browser.wait_for(&format!("{plies} !== {before}"));
    }
    let board = browser.eval("document.querySelector('.live-board').dataset.placement");
    assert_eq!(
        board.as_str().map(|rows| rows.matches('/').count()),
        Some(7),
        "{board}"
    );
    let clock = browser.eval("document.querySelector('.live-game .turn .clock').textContent");
    assert!(
        clock.as_str().is_some_and(|clock| clock.contains(':')),
        "{clock}"
    );
    let name = browser.eval("document.querySelector('.live-game .name').textContent");
    assert!(name == EVIL || name == "two", "{name}");

    // Results come by themselves, and nothing moves while they do.
    browser.eval(
        "window.shift = 0; new PerformanceObserver((list) => { for (const one of list.getEntries())\
         if (!one.hadRecentInput) window.shift += one.value; }).observe({ type: 'layout-shift' }); 0",
    );
    let games = "document.querySelector('#part-pace').textContent";
    let before = browser.eval(games);
    browser.wait_for(&format!("{games} !== {before}"));
    let shift = browser.eval("window.shift").as_f64().expect("a number");
    assert!(shift < 0.1, "the layout shifts by {shift}");
    wait_until("finished games", || rows(&results.join("run")) >= 4);
    signal(&player, libc::SIGINT);
    player.wait().expect("it ends");
    browser.wait_for("document.querySelector('#part-pace').textContent.startsWith('Stopped')");
    browser.wait_for("document.querySelectorAll('.live-game').length === 0");
    look(&mut browser, &server, "/runs/run");
    look(&mut browser, &server, "/");
    finished_games(&mut browser, &server);
}

/// Finished games by filter, on the board, and by their address.
fn finished_games(browser: &mut Chromium, server: &Server) {
    browser.visit(&server.home(), "/runs/run#game-1-2");
    let title = "document.getElementById('game-title').textContent";
    browser.wait_for(&format!("{title}.startsWith('Game 1.2:')"));
    browser.eval(
        "(() => { const f = document.getElementById('filter-pair'); f.value = 1; \
         f.dispatchEvent(new Event('input', { bubbles: true })); })()",
    );
    browser.wait_for("document.querySelectorAll('#game-list tbody tr').length === 2");
    browser.click("#game-list tbody tr button");
    browser.wait_for(&format!("{title}.startsWith('Game 1.')"));
    let words = "document.getElementById('move-words').textContent";
    browser.click("#to-start");
    browser.wait_for(&format!("{words} === 'The first position'"));
    browser.press("ArrowRight");
    browser.wait_for(&format!("{words} !== 'The first position'"));
    browser.has_behaved();
}

/// Plays something of every kind into `results`.
fn play_every_kind(results: &Path) -> Setup {
    let cmd = |seed: u32| format!("{} --seed {seed}", scripted());
    let players = engines(("one", &cmd(1), ""), ("two", &cmd(2), ""))
        + &engines(("three", &cmd(3), ""), ("four", &cmd(4), ""));
    let rules = "openings = { file = \"books/quick.epd\" }\nconcurrency = 1\n\
                 [adjudication]\nmax_moves = 10\n";
    let play = |kind: &str, name: &str, config: &str| {
        let setup = Setup::new(config);
        let out = results.join(name);
        let played = setup.play(kind, out.to_str().expect("text"), &[]);
        assert!(
            matches!(played.code, Some(0 | 1 | 3)),
            "{name}: {}",
            played.stderr
        );
        setup
    };
    let two = engines(("one", &cmd(1), ""), ("two", &cmd(2), ""));
    play(
        "match",
        "robin",
        &format!("{players}[match]\nlimit = \"nodes=5\"\npairs = 4\n{rules}"),
    );
    play(
        "sprt",
        "sprt",
        &format!(
            "{two}[match]\nlimit = \"nodes=5\"\n{rules}[sprt]\nelo0 = -100\nelo1 = 100\nmax_pairs = 90\n"
        ),
    );
    play(
        "tune",
        "tune",
        &format!(
            "[[engine]]\nname = \"s\"\ncmd = \"{}\"\n[match]\nlimit = \"nodes=200\"\n{rules}\
             [tune]\npairs = 16\nbatch = 4\n[tune.params]\nQsDeltaMargin = {{}}\n",
            stillwater().display()
        ),
    )
}

#[test]
fn pages_of_every_kind_suit_everyone() {
    let Some(mut browser) = Chromium::or_skipped() else {
        return;
    };
    let repository = EngineRepository::new();
    let results = repository.dir.path().join("results");
    fs::create_dir(&results).expect("made");
    let _setup = play_every_kind(&results);
    let first = repository.commit_engine("", 1, "First <b>");
    repository.git(&["tag", "v1"]);
    let last = repository.commit_engine("--set Quiescence=false", 2, "Second");
    let book = workspace().join("books/quick.epd");
    let config = repository.dir.path().join("bisect.toml");
    let common = format!(
        "[[engine]]\ngit = \".\"\nbuild = '{BUILD}'\n[match]\nlimit = \"nodes=200\"\nconcurrency = 1\n\
         openings = {{ file = '{}' }}\n[adjudication]\nmax_moves = 20\n",
        book.display()
    );
    fs::write(&config, format!("{common}[bisect]\nmax_pairs = 8\n")).expect("written");
    let mut bisect = repository.hone();
    bisect
        .arg("bisect")
        .arg(&config)
        .args(["--good", &first, "--bad", &last]);
    bisect.arg("--out").arg(results.join("bisect"));
    let bisected = finish(bisect);
    assert!(
        results.join("bisect/report.json").exists(),
        "{}",
        bisected.stderr
    );
    let nightly = repository.dir.path().join("nightly.toml");
    let track = "[track]\nbranch = \"main\"\nanchor = \"v1\"\npairs = 4\n";
    fs::write(&nightly, format!("{common}{track}")).expect("written");
    let mut tracked = repository.hone();
    tracked
        .arg("track")
        .arg(&nightly)
        .arg("--out")
        .arg(results.join("nightly"));
    let tracked = finish(tracked);
    assert!(
        results.join("nightly/elo.csv").exists(),
        "{}",
        tracked.stderr
    );

    let server = Server::start(&results, &[]);
    wait_until("all runs are read", || {
        let runs = server.get("/api/runs").json();
        runs["loading"] == false && runs["runs"].as_array().map(Vec::len) == Some(5)
    });
    for (path, section) in [
        ("/runs/robin", "ratings"),
        ("/runs/sprt", "progress"),
        ("/runs/tune", "paths"),
        ("/runs/bisect", "suspects"),
        ("/runs/nightly", "nights"),
    ] {
        look(&mut browser, &server, path);
        let there = browser.eval(&format!("Boolean(document.querySelector('#{section} h2'))"));
        assert_eq!(there, true, "{path} has {section}");
    }
    look(&mut browser, &server, "/");
    // What is looked for is in the address.
    browser.visit(&server.home(), "/?kind=tune");
    browser.wait_for(
        "[...document.querySelectorAll('table.runs tbody tr')].filter((row) => !row.hidden).length === 1",
    );
}
