//! The live pages in a browser.
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use crate::common::chromium::Chromium;
use crate::common::repository::{BUILD, EngineRepository, WEAK};
use crate::common::running::Running;
use crate::common::server::Server;
use crate::common::{
    Setup, finish, player, random_players, rows, scripted, signal, stillwater, wait_until,
    workspace,
};
use serde_json::Value;

/// The name of an engine that is HTML.
const IMAGE: &str = "<img src=x onerror=alert(1)>";

#[test]
fn a_match_is_followed_move_by_move() {
    let Some(mut browser) = Chromium::or_skipped() else {
        return;
    };
    let cmd = |seed: u32| format!("{} --seed {seed} go=late:100", scripted());
    let setup = Setup::new(&format!(
        "[[engine]]\nname = '''{IMAGE}'''\ncmd = '{}'\n[[engine]]\nname = 'two'\ncmd = '{}'\n\
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
    let playing = Running::start(command.stderr(Stdio::null()));
    browser.wait_for("document.querySelectorAll('#part-running tbody tr').length === 1");
    focus_survives_updates(&mut browser);
    assert_eq!(browser.eval("document.querySelectorAll('img').length"), 0);
    browser.click("#part-running tbody a");
    browser.wait_for("document.querySelectorAll('.live-game').length === 2");
    // The board follows the moves of the game.
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
    assert!(name == IMAGE || name == "two", "{name}");

    // Results appear without a reload, and the layout does not shift.
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
    signal(&playing, libc::SIGINT);
    playing.finish();
    browser.wait_for("document.querySelector('#part-pace').textContent.startsWith('Stopped')");
    browser.wait_for("document.querySelectorAll('.live-game').length === 0");
    browser.check_live_page(&server.home(), "/runs/run");
    browser.check_live_page(&server.home(), "/");
    finished_games(&mut browser, &server);
}

/// The list of runs has the focus after a click on it, and keeps it as the list changes.
fn focus_survives_updates(browser: &mut Chromium) {
    let focused = "document.activeElement.className";
    let games = "document.querySelector('#part-running td[data-name=games]').textContent";
    browser.click("#part-running td[data-name=state]");
    assert_eq!(browser.eval(focused), "scroll");
    let before = browser.eval(games);
    browser.wait_for(&format!("{games} !== {before}"));
    assert_eq!(browser.eval(focused), "scroll");
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
    let hidden = "document.getElementById('viewer').hidden";
    browser.wait_for(&format!("location.hash === '#games' && {hidden}"));
    browser.click("#game-list tbody tr button");
    browser.wait_for(&format!("{title}.startsWith('Game 1.')"));
    let words = "document.getElementById('move-words').textContent";
    browser.click("#to-start");
    browser.wait_for(&format!("{words} === 'Start position'"));
    browser.press("ArrowRight");
    browser.wait_for(&format!("{words} !== 'Start position'"));
    history(browser);
    browser.has_no_errors();
    // An address with a game that the run does not have clears the board.
    browser.click("#game-list tbody tr button");
    browser.wait_for(&format!("location.hash.startsWith('#game-') && !{hidden}"));
    browser.eval("location.hash = '#game-999999-1'");
    let count = "document.getElementById('game-count').textContent";
    browser.wait_for(&format!("{hidden} && {count} === 'No such game.'"));
    // A request that gets no answer is shown, for a game and for the list.
    browser.eval("window.fetch = () => Promise.reject(new TypeError('no answer'))");
    let changes = [
        "location.hash = '#game-1-1'",
        "document.getElementById('game-filter').dispatchEvent(new Event('input'))",
    ];
    for change in changes {
        browser.eval(&format!(
            "document.getElementById('game-count').textContent = ''; {change}; 0"
        ));
        browser.wait_for(&format!("{count} === 'The games cannot be read now.'"));
    }
}

/// A server that is stopped (SIGSTOP). It continues when this is dropped, before which
/// [`Server`] could not end it.
struct Stopped<'a>(&'a Server);

impl<'a> Stopped<'a> {
    fn new(server: &'a Server) -> Self {
        server.signal(libc::SIGSTOP);
        Self(server)
    }
}

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        self.0.signal(libc::SIGCONT);
    }
}

#[test]
fn a_silent_server_is_noticed() {
    let Some(mut browser) = Chromium::or_skipped() else {
        return;
    };
    let setup = Setup::new("");
    let results = setup.run("results");
    fs::create_dir(&results).expect("made");
    let server = Server::start(&results, &[]);
    let status = "document.getElementById('connection').textContent";
    browser.visit(&server.home(), "/");
    browser.wait_for(&format!("{status} === 'Live'"));
    let stopped = Stopped::new(&server);
    // The page's clock advances by a minute.
    browser.eval(
        "{ const now = performance.now.bind(performance); performance.now = () => now() + 60000; }",
    );
    browser.wait_for(&format!("{status}.startsWith('Connection lost')"));
    let bar = "getComputedStyle(document.getElementById('connection').closest('nav')).position";
    assert_eq!(browser.eval(bar), "sticky");
    drop(stopped);
    browser.wait_for(&format!("{status} === 'Live'"));
}

/// A filter and a chosen game are entries of the browser's history.
fn history(browser: &mut Chromium) {
    let hidden = "document.getElementById('viewer').hidden";
    assert_eq!(browser.eval("location.search"), "?pair=1");
    let game = browser.eval("location.hash");
    browser.eval("history.back()");
    browser.wait_for(&format!("location.hash === '#games' && {hidden}"));
    browser.eval("history.forward()");
    browser.wait_for(&format!("location.hash === {game} && !{hidden}"));
    browser.wait_for("document.getElementById('filter-pair').value === '1'");
    browser.eval("location.href = '/runs/run?order=longest&min_plies=2'");
    browser.wait_for(
        "document.getElementById('filter-order')?.value === 'longest' \
         && document.getElementById('filter-min-plies').value === '2'",
    );
    browser.wait_for("document.querySelectorAll('#game-list tbody tr').length >= 2");
}

/// Plays a round robin, a test and a tuning into `results`.
fn play_every_kind(results: &Path) {
    let two = random_players();
    let four = two.clone() + &player("three", "--seed 3") + &player("four", "--seed 4");
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
    };
    play(
        "match",
        "robin",
        &format!("{four}[match]\nlimit = \"nodes=5\"\npairs = 4\n{rules}"),
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
    );
}

/// Bisects two commits into `results/bisect`, and plays their nights into `results/nightly`.
fn bisect_and_track(repository: &EngineRepository, results: &Path) {
    let first = repository.commit_engine("", 1, "First <b>");
    repository.git(&["tag", "v1"]);
    let last = repository.commit_engine(WEAK, 2, "Second");
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
}

#[test]
fn pages_of_every_kind_are_accessible() {
    let Some(mut browser) = Chromium::or_skipped() else {
        return;
    };
    let repository = EngineRepository::new();
    let results = repository.dir.path().join("results");
    fs::create_dir(&results).expect("made");
    play_every_kind(&results);
    bisect_and_track(&repository, &results);

    let server = Server::start(&results, &[]);
    wait_until("all runs are read", || {
        let runs = server.get("/api/runs").json();
        runs["loading"] == false && runs["runs"].as_array().map(Vec::len) == Some(5)
    });
    let all = server.get("/api/runs").json();
    let mut runs = all["runs"].as_array().expect("a list").iter();
    let bisect = runs.find(|run| run["run"] == "bisect").expect("there");
    assert_eq!(
        (&bisect["wdl"], &bisect["elo"]),
        (&Value::Null, &Value::Null)
    );
    let numbers = server.get("/api/runs/bisect/stats?form=openbench");
    assert_eq!(numbers.status, 404, "{numbers:?}");
    // The page shows the name of the nights before it.
    let status = all["nights"][0]["status"].as_str().expect("a sentence");
    assert!(status.ends_with(", limit nodes=200"), "{status}");
    assert!(!status.starts_with("nightly"), "{status}");
    for (path, sections) in [
        ("/runs/robin", &["ratings", "workers", "openings"][..]),
        ("/runs/sprt", &["progress", "numbers", "failures"]),
        ("/runs/tune", &["values", "paths", "workers"]),
        ("/runs/bisect", &["suspects", "course", "workers"]),
        ("/runs/nightly", &["elo", "changes", "nights"]),
    ] {
        browser.check_live_page(&server.home(), path);
        for section in sections {
            let there = browser.eval(&format!("Boolean(document.querySelector('#{section} h2'))"));
            assert_eq!(there, true, "{path} has {section}");
        }
    }
    let night = "document.querySelector('#nights tbody a')";
    browser.visit(&server.home(), "/runs/nightly");
    browser.eval(&format!("{night}.click()"));
    browser.wait_for("location.pathname.startsWith('/runs/nightly~')");
    // The commits between the two engines of the night.
    browser
        .wait_for("document.querySelector('#change .commits li')?.textContent.includes('Second')");
    browser.check_live_page(&server.home(), "/");
    browser.keep_copies();
    copying_has_names(&mut browser);
    // The message of an error is not copied.
    browser.eval(
        "window.fetch = async () => new Response('no such run', { status: 404 });\
         window.shown = []; new MutationObserver(([{ target }]) => window.shown.push(target.textContent))\
         .observe(document.querySelectorAll('.stats button')[1], { childList: true });\
         document.querySelectorAll('.stats button')[1].click()",
    );
    browser.wait_for("window.shown.includes('Not copied')");
    filters(&mut browser, &server);
    browser.has_no_errors();
}

/// The buttons that copy numbers are named after their runs; while one shows the answer, that is
/// its name.
fn copying_has_names(browser: &mut Chromium) {
    let names = "[...document.querySelectorAll('.stats button')].map((one) => one.ariaLabel)";
    let all = browser.eval(names);
    let all = all.as_array().expect("a list");
    let own = all
        .iter()
        .any(|name| name == "Copy the numbers of sprt as OpenBench shows them");
    assert!(own, "{all:?}");
    let distinct: std::collections::HashSet<&Value> = all.iter().collect();
    assert_eq!(distinct.len(), all.len(), "{all:?}");
    browser.eval("document.querySelector('.stats button').click()");
    let button = "document.querySelector('.stats button')";
    browser.wait_for(&format!(
        "{button}.textContent === 'Copied' && {button}.ariaLabel === null"
    ));
    browser.wait_for(&format!("{button}.ariaLabel === {}", all[0]));
}

/// Filters of the list of runs and of the finished runs.
fn filters(browser: &mut Chromium, server: &Server) {
    // They are in the address.
    browser.visit(&server.home(), "/?kind=tune");
    browser.wait_for(
        "[...document.querySelectorAll('main [data-kind]')].filter((row) => !row.hidden).length === 1",
    );
    browser.visit(&server.home(), "/?until=2001-01-01");
    browser.wait_for("document.getElementById('filter-count').textContent === '1 of 6 runs'");
    // The browser sends the form of finished runs only if the page's policy allows it.
    browser.visit(&server.home(), "/finished");
    browser.eval("document.getElementById('filter-kind').value = 'tune'");
    browser.click("#finished button");
    browser.wait_for(
        "new URLSearchParams(location.search).get('kind') === 'tune' \
         && document.querySelectorAll('main [data-kind]').length === 1",
    );
}

#[test]
fn an_approval_shows_what_is_approved() {
    let Some(mut browser) = Chromium::or_skipped() else {
        return;
    };
    let [ann, bob] = ["0123456789abcdef0123", "fedcba98765432109876"];
    let setup = Setup::new("");
    let [results, tokens] = ["results", "tokens"].map(|name| setup.run(name));
    fs::create_dir(&results).expect("made");
    fs::write(&tokens, format!("ann {ann}\nbob {bob}\n")).expect("written");
    fs::set_permissions(&tokens, fs::Permissions::from_mode(0o600)).expect("set");
    let tokens = tokens.to_str().expect("text");
    let server = Server::start(&results, &["--approve", "--token-file", tokens]);
    let players = random_players();
    let config = format!(
        "# {IMAGE}\n{players}[match]\nlimit = \"nodes=5\"\npairs = 1\nconcurrency = 1\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 10\n"
    );
    let submitted = server.post("/api/queue?name=run&kind=match", ann, &config);
    assert_eq!(submitted.status, 200, "{submitted:?}");

    let approve = "[data-action=approve]";
    browser.visit(&server.home(), "/");
    browser.wait_for(&format!(
        "document.querySelector('{approve}')?.checkVisibility()"
    ));
    // Nothing is sent without a token.
    browser.eval(
        "window.requests = 0; window.prompt = () => { window.prompted = true; return null; };\
         window.send = window.fetch;\
         window.fetch = (...all) => { window.requests += 1; return window.send(...all); }",
    );
    browser.click("[data-action=stop]");
    browser.wait_for("window.prompted === true");
    assert_eq!(browser.eval("window.requests"), 0);
    browser.eval(&format!("sessionStorage.setItem('hone-token', '{bob}')"));
    browser.eval(
        "window.shown = []; new MutationObserver(([{ target }]) => window.shown.push(target.textContent))\
         .observe(document.getElementById('connection'), { childList: true })",
    );
    for (answer, is_there) in [("Cancel", true), ("Approve", false)] {
        browser.click(approve);
        browser.wait_for("Boolean(document.querySelector('dialog[open] pre'))");
        let shown = browser.eval("document.querySelector('dialog pre').textContent");
        assert_eq!(shown, config);
        let name = browser.eval(
            "document.getElementById(document.querySelector('dialog').getAttribute('aria-labelledby'))\
             .textContent",
        );
        assert_eq!(name, "Approve run?");
        browser.is_accessible("the approval");
        browser.click(&format!("dialog button[value={answer}]"));
        browser.wait_for("!document.querySelector('dialog')");
        let queue = || server.get("/api/queue").json()["queue"][0]["wanted"].clone();
        wait_until(answer, || (queue() == "approval") == is_there);
    }
    wait_until("it is played", || rows(&results.join("run")) == 2);
    browser.wait_for("shown.includes('approve: done') && shown.at(-1) === 'Live'");
    assert_eq!(browser.eval("document.querySelectorAll('img').length"), 0);
    browser.has_no_errors();
    // The server has ended.
    browser.visit(&server.home(), "/submit");
    drop(server);
    browser.eval(
        "document.getElementById('submit-answer').textContent = 'an earlier answer';\
         document.getElementById('submit-name').value = 'other';\
         document.getElementById('submit-config').value = 'x';\
         document.getElementById('submit').requestSubmit()",
    );
    browser.wait_for(
        "document.getElementById('submit-answer').textContent === 'the server does not answer'",
    );
}
