//! The report as a reader meets it: in a browser.
#![cfg(unix)]

mod common;

use std::fs;
use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use common::chromium::Chromium;
use common::{Setup, engines, finish, hone, scripted, wait_until};
use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};
use serde_json::{Value, json};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};

const EVIL: &str = "<script>alert(1)</script>";
const EVIL_TOO: &str = "<img src=x onerror=alert(2)>\"'&";

/// Random games between engines with evil names; the second fails in one.
fn run(more: &str) -> (Setup, PathBuf) {
    let cmd = |seed: u32, script: &str| format!("{} --seed {seed} {script}", scripted());
    let setup = Setup::new(&format!(
        "[[engine]]\nname = '''{EVIL}'''\ncmd = '{}'\n[[engine]]\nname = '''{EVIL_TOO}'''\ncmd = '{}'\n\
         [match]\nlimit = \"nodes=5\"\npairs = 6\nconcurrency = 1\nstall_ms = 5000\n\
         max_failures = 1.0\n{more}",
        cmd(17, ""),
        cmd(18, "go:400=exit:3"),
    ));
    let played = setup.play("match", "run", &[]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let page = setup.run("run").join("report.html");
    (setup, page)
}

/// A game as an independent reader of PGN sees it.
#[derive(Debug, Default, Clone)]
struct Told {
    names: Vec<String>,
    /// The position after each ply.
    positions: Vec<Chess>,
}

struct Teller(CastlingMode);

impl Visitor for Teller {
    type Tags = Chess;
    type Movetext = (Chess, Told);
    type Output = Told;

    fn begin_tags(&mut self) -> ControlFlow<Told, Chess> {
        ControlFlow::Continue(Chess::default())
    }

    fn tag(&mut self, start: &mut Chess, name: &[u8], value: RawTag<'_>) -> ControlFlow<Told> {
        if name == b"FEN" {
            let fen = Fen::from_ascii(value.as_bytes()).expect("a FEN");
            *start = fen.into_position(self.0).expect("a position");
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, start: Chess) -> ControlFlow<Told, (Chess, Told)> {
        ControlFlow::Continue((start, Told::default()))
    }

    fn san(&mut self, (position, told): &mut (Chess, Told), san: SanPlus) -> ControlFlow<Told> {
        let legal = san.san.to_move(&*position).expect("a legal move");
        position.play_unchecked(legal);
        told.names.push(san.to_string());
        told.positions.push(position.clone());
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut (Chess, Told)) -> ControlFlow<Told, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, (_, told): (Chess, Told)) -> Told {
        told
    }
}

fn told_in(pgn: &Path, mode: CastlingMode) -> Vec<Told> {
    let text = fs::read(pgn).expect("there are games");
    told(Cursor::new(text), mode)
}

fn told(pgn: Cursor<Vec<u8>>, mode: CastlingMode) -> Vec<Told> {
    let mut reader = Reader::new(pgn);
    let mut games = Vec::new();
    while let Some(game) = reader
        .read_game(&mut Teller(mode))
        .expect("games can be read")
    {
        games.push(game);
    }
    games
}

/// Opens every game with the mouse and compares it with what the PGN says.
fn click_through(browser: &mut Chromium, games: &[Told], mode: CastlingMode) {
    keep_copies(browser);
    for (index, game) in games.iter().enumerate() {
        browser.click(&format!("tr[data-index='{index}'] button"));
        let names = browser
            .eval("[...document.querySelectorAll('#moves button b')].map(b => b.textContent)");
        assert_eq!(names, json!(game.names), "game {index}");
        let middle = game.names.len() / 2;
        let board = |ply: usize| game.positions[ply - 1].board().board_fen().to_string();
        browser.click(&format!("#moves button[data-ply='{middle}']"));
        assert_eq!(placement(browser), board(middle));
        browser.click("#step-on");
        assert_eq!(placement(browser), board(middle + 1));
        browser.press("ArrowLeft");
        assert_eq!(placement(browser), board(middle));
        for ply in [middle, game.names.len()] {
            browser.click(&format!("#moves button[data-ply='{ply}']"));
            assert_eq!(copied_position(browser, mode), game.positions[ply - 1]);
        }
        assert_eq!(placement(browser), board(game.names.len()));
        let words = browser.eval("document.getElementById('move-words').textContent");
        assert!(words.as_str().unwrap().contains("the end"), "{words}");

        let pgn = copied(browser, "#copy-pgn");
        let again = told(Cursor::new(pgn.clone().into_bytes()), mode);
        assert_eq!(again.len(), 1, "{pgn}");
        assert_eq!(again[0].names, game.names, "{pgn}");
    }
}

/// What is copied is kept on the page, as the test must not touch the
/// clipboard of whoever runs it.
fn keep_copies(browser: &mut Chromium) {
    browser.eval(
        "Object.defineProperty(navigator, 'clipboard', { value: { \
         writeText: async (text) => { window.copied = text; } } }), 0",
    );
}

fn copied(browser: &mut Chromium, button: &str) -> String {
    browser.eval("window.copied = null");
    browser.click(button);
    let mut text = Value::Null;
    wait_until("a copy", || {
        text = browser.eval("window.copied");
        text.is_string()
    });
    text.as_str().expect("a text").to_string()
}

fn copied_position(browser: &mut Chromium, mode: CastlingMode) -> Chess {
    let text = copied(browser, "#copy-fen");
    let fen = Fen::from_ascii(text.as_bytes()).expect(&text);
    fen.into_position(mode).expect(&text)
}

fn placement(browser: &mut Chromium) -> String {
    let value = browser.eval("document.getElementById('board').dataset.placement");
    value.as_str().expect("a board").to_string()
}

/// The ply that the list of moves points out; 0 before the first.
fn ply(browser: &mut Chromium) -> u64 {
    let value =
        browser.eval("Number(document.querySelector('#moves [aria-current]')?.dataset.ply ?? 0)");
    value.as_u64().expect("a number")
}

/// The board obeys keys wherever one has clicked, and its other controls.
fn keys_and_controls(browser: &mut Chromium) {
    browser.click("tr[data-index='0'] button");
    for place in ["tr[data-index='0'] td", "#games-heading", "#board", "#flip"] {
        browser.click(place);
        let before = ply(browser);
        browser.press("ArrowRight");
        assert_eq!(ply(browser), before + 1, "after a click on {place}");
    }
    // Where keys have a meaning of their own they keep it.
    browser.eval("document.getElementById('filter-pair').focus()");
    let before = ply(browser);
    browser.press("ArrowRight");
    assert_eq!(ply(browser), before);
    browser.click("#board");
    browser.eval("window.scrollTo(0, 0)");
    browser.press("ArrowRight");
    assert_eq!(ply(browser), before, "the board cannot be seen");

    let plies = browser.eval("document.querySelectorAll('#moves button').length");
    let at = |share: &str| {
        format!(
            "(() => {{ const c = document.getElementById('score-curve'); \
             const r = c.getBoundingClientRect(); c.dispatchEvent(new MouseEvent('click', \
             {{ clientX: r.left + {share} * r.width, bubbles: true }})); }})()"
        )
    };
    browser.eval(&at("1"));
    assert_eq!(
        json!(ply(browser)),
        plies,
        "a click on the end of the scores"
    );
    browser.eval(&at("0"));
    assert_eq!(ply(browser), 0);
    let lines = browser.eval("document.querySelectorAll('#score-curve polyline').length");
    assert_eq!(lines, 2, "a line for each engine");

    let pressed = "document.getElementById('play').getAttribute('aria-pressed')";
    browser.click("#play");
    assert_eq!(browser.eval(pressed), "true");
    browser.click("#play");
    assert_eq!(browser.eval(pressed), "false");
}

/// The Tab key reaches one move, the arrow keys the others.
fn moves_are_one_tab_stop(browser: &mut Chromium) {
    let stops = "[...document.querySelectorAll('#moves button')]\
                 .filter(b => b.tabIndex === 0).map(b => b.dataset.ply).join()";
    browser.click("tr[data-index='0'] button");
    assert_eq!(browser.eval(stops), "1", "before the first move");
    browser.click("#moves button[data-ply='3']");
    browser.press("ArrowRight");
    assert_eq!(browser.eval(stops), "4");
    assert_eq!(browser.eval("document.activeElement.dataset.ply"), "4");
}

/// The game of the address is on the board, whenever it changes, and a chosen game
/// changes the address.
fn the_address_names_the_game(browser: &mut Chromium) {
    browser.click("tr[data-index='3'] button");
    assert_eq!(browser.eval("location.hash"), "#game-2-2");
    browser.click("#game-on");
    assert_eq!(browser.eval("location.hash"), "#game-3-1");
    browser.eval("location.hash = '#game-1-2'");
    browser.wait_for("document.getElementById('game-title').textContent.startsWith('Game 1.2:')");
}

/// The list of moves is not cut off on any screen.
fn moves_have_room(browser: &mut Chromium) {
    for width in [360, 600, 740, 768, 860, 900, 1280] {
        browser.resize(width);
        let list = "(() => { const list = document.getElementById('moves'); \
                    return list.scrollWidth - list.clientWidth; })()";
        assert_eq!(browser.eval(list), 0, "at {width}");
    }
}

/// A chart shows its values to the mouse and to the keys.
fn charts_tell_values(browser: &mut Chromium) {
    let reading = "document.querySelector('#effort .reading')?.textContent ?? ''";
    browser.click("#effort .chart");
    let words = browser.eval(reading);
    assert!(words.as_str().unwrap().contains(" %"), "{words}");
    browser.eval("document.querySelectorAll('#effort .chart')[1].focus()");
    browser.press("Home");
    let second =
        "document.querySelectorAll('#effort .chart')[1].querySelector('.reading').textContent";
    let words = browser.eval(second);
    assert!(words.as_str().unwrap().starts_with("depth 1"), "{words}");
}

#[test]
fn every_game_can_be_played_through() {
    let Some(mut browser) = Chromium::or_skipped() else {
        return;
    };
    let (setup, page) = run("openings = \"none\"\n");
    let pgn = setup.run("run").join("games.pgn");
    let text = fs::read_to_string(&pgn).unwrap();
    assert!(text.contains("=Q") && text.contains("O-O"), "dull games");
    let games = told_in(&pgn, CastlingMode::Standard);
    assert_eq!(games.len(), 12);
    browser.open(&page);
    click_through(&mut browser, &games, CastlingMode::Standard);
    keys_and_controls(&mut browser);
    charts_tell_values(&mut browser);
    moves_are_one_tab_stop(&mut browser);
    the_address_names_the_game(&mut browser);
    moves_have_room(&mut browser);

    // Names are texts.
    let title = browser.eval("document.querySelector('h1').textContent");
    assert_eq!(title, format!("{EVIL} against {EVIL_TOO}"));
    assert_eq!(browser.eval("document.querySelectorAll('img').length"), 0);
    assert_eq!(
        browser.eval("document.querySelectorAll('script').length"),
        3
    );

    // A failure is linked to what is kept of it.
    let link = browser.eval("document.querySelector('#failures a').href");
    let link = link
        .as_str()
        .unwrap()
        .trim_start_matches("file://")
        .to_string();
    assert!(Path::new(&link).join("summary.txt").exists(), "{link}");
    let failed = link
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap()
        .replace('-', ".");
    browser.eval("document.querySelector('#failures details').open = true");
    browser.click("#failures a[href^='#game-']");
    let title = browser.eval("document.getElementById('game-title').textContent");
    let title = title.as_str().unwrap();
    assert!(title.starts_with(&format!("Game {failed}:")), "{title}");

    filters_and_looks(&mut browser);
}

fn filters_and_looks(browser: &mut Chromium) {
    let rows = "document.querySelectorAll('#game-list tbody tr').length";
    browser.eval(
        "(() => { const f = document.getElementById('filter-pair'); f.value = 2; \
         f.dispatchEvent(new Event('input', { bubbles: true })); })()",
    );
    assert_eq!(browser.eval(rows), 2);

    // The games that an engine lost: it is Black in those that White won.
    browser.eval(
        "(() => { const f = document.getElementById('game-filter'); f.reset(); \
         document.getElementById('filter-result').value = 'lost:1'; \
         f.dispatchEvent(new Event('input', { bubbles: true })); })()",
    );
    let shown = browser.eval(
        "[...document.querySelectorAll('#game-list tbody tr')].map(r => \
         [...r.querySelectorAll('td')].slice(0, 3).map(c => c.textContent))",
    );
    let shown = shown.as_array().unwrap();
    assert!(!shown.is_empty(), "it lost the game it failed in");
    for row in shown {
        let lost = [
            json!([EVIL, EVIL_TOO, "1-0"]),
            json!([EVIL_TOO, EVIL, "0-1"]),
        ];
        assert!(lost.contains(row), "{row}");
    }

    let paper = "getComputedStyle(document.body).backgroundColor";
    let curve = "getComputedStyle(document.querySelector('figure polyline')).stroke";
    let mut looks = Vec::new();
    for scheme in ["light", "dark"] {
        browser.theme(scheme);
        looks.push((browser.eval(paper), browser.eval(curve)));
    }
    assert_ne!(looks[0].0, looks[1].0);
    assert_ne!(looks[0].1, looks[1].1, "pictures follow the theme");
    browser.suits_everyone();
}

#[test]
fn chess960_and_games_without_comments() {
    let Some(mut browser) = Chromium::or_skipped() else {
        return;
    };
    let (setup, page) = run(
        "variant = \"chess960\"\nopenings = { file = \"books/chess960.epd\" }\n\
         [pgn]\nminimal = true\n",
    );
    let pgn = setup.run("run").join("games.pgn");
    assert!(
        fs::read_to_string(&pgn).unwrap().contains("O-O"),
        "dull games"
    );
    let games = told_in(&pgn, CastlingMode::Chess960);
    browser.open(&page);
    click_through(&mut browser, &games, CastlingMode::Chess960);
    let effort = browser.eval("document.getElementById('effort').textContent");
    assert!(
        effort.as_str().unwrap().contains("from games.csv"),
        "{effort}"
    );
    browser.suits_everyone();
}

/// White may castle with the rook on g1, and the other rook has gone round it to h1.
#[test]
fn a_copied_position_names_the_rook_that_castles() {
    let Some(mut browser) = Chromium::or_skipped() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("outer.pgn");
    let start = "4k3/pppp1ppp/8/8/8/1R6/PPPP2P1/4K1R1 w K - 0 1";
    let moves = "1. Rh3 a6 2. Rhh1 a5 *";
    fs::write(&book, format!("[FEN \"{start}\"]\n\n{moves}\n")).unwrap();
    let (setup, page) = run(&format!(
        "variant = \"chess960\"\nopenings = {{ file = '{}' }}\n[adjudication]\nmax_moves = 10\n",
        book.display()
    ));
    let games = told_in(&setup.run("run").join("games.pgn"), CastlingMode::Chess960);
    browser.open(&page);
    keep_copies(&mut browser);
    browser.click("tr[data-index='0'] button");
    for ply in 1..=4 {
        browser.click(&format!("#moves button[data-ply='{ply}']"));
        let position = copied_position(&mut browser, CastlingMode::Chess960);
        assert_eq!(position, games[0].positions[ply - 1], "ply {ply}");
    }
}

#[test]
fn a_test_and_a_page_elsewhere() {
    let cmd = |seed: u32| format!("{} --seed {seed}", scripted());
    let players = engines(("one", &cmd(1), ""), ("two", &cmd(2), ""));
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=5\"\nconcurrency = 1\n\
         [adjudication]\nmax_moves = 10\n[sprt]\nelo0 = -100\nelo1 = 100\nmax_pairs = 30\n"
    ));
    let played = setup.play("sprt", "run", &["--json"]);
    let facts: Value = played.json();
    let page = setup.run("elsewhere.html");
    let mut command = hone();
    command
        .arg("report")
        .arg(setup.run("run"))
        .arg("--html")
        .arg(&page);
    let reported = finish(command);
    assert_eq!(reported.code, Some(0), "{}", reported.stderr);
    let text = fs::read_to_string(&page).unwrap();
    // The same numbers as everywhere else.
    let sprt = &facts["sprt"];
    let llr = sprt["llr"].as_f64().unwrap();
    let shown = format!("{llr:.2}, bounds ").replace('-', "\u{2212}");
    assert!(text.contains(&shown), "{shown}");
    for count in facts["pentanomial"].as_array().unwrap() {
        assert!(text.contains(&format!("<td class=\"n\">{count}</td>")));
    }
    assert!(
        text.contains("max_pairs = 30"),
        "the configuration is there"
    );
    let Some(mut browser) = Chromium::or_skipped() else {
        return;
    };
    browser.open(&page);
    let progress = browser.eval("document.querySelectorAll('#progress svg polyline').length");
    assert!(progress.as_u64() > Some(1), "{progress}");
    browser.suits_everyone();
}

/// After few pairs intervals are not symmetric: the page of a tournament has the
/// ends of `report.json`, in its numbers and in its bars.
#[test]
fn a_tournament_has_the_intervals_of_its_report() {
    let player = |name: &str, more: &str| {
        let cmd = scripted();
        format!("[[engine]]\nname = \"{name}\"\ncmd = '{cmd} {more}'\n")
    };
    let players =
        player("bad", "go:30=illegal") + &player("good", "--seed 2") + &player("fine", "--seed 3");
    let setup = Setup::new(&format!(
        "{players}[match]\npairs = 12\nlimit = \"nodes=5\"\nmax_failures = 1.0\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 20\n"
    ));
    let played = setup.play("match", "run", &["--json"]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let facts = played.json();
    let page = fs::read_to_string(setup.run("run").join("report.html")).expect("there");
    let list = |name: &str| facts[name].as_array().expect("a list").clone();
    let parts =
        |elo: &Value| ["estimate", "low", "high"].map(|name| elo[name].as_f64().expect("a number"));
    let signed = |value: f64| match value.abs() < 0.05 {
        true => "0.0".to_string(),
        false => format!("{value:+.1}").replace('-', "\u{2212}"),
    };
    for (place, rating) in list("ratings").iter().enumerate() {
        assert_eq!(rating["interval"], "always_valid");
        let elo = parts(&rating["elo"]);
        let [value, low, high] = elo.map(signed);
        let sides = [elo[0] - elo[1], elo[2] - elo[0]];
        assert!((sides[0] - sides[1]).abs() > 1.0, "{rating}");
        let name = rating["name"].as_str().expect("a name");
        let mut shown = vec![
            format!("<td class=\"n\">{value} [{low}, {high}]</td>"),
            format!("title=\"{name}: {low} to {high}\""),
        ];
        if place == 0 {
            shown.push(format!("Elo {value} [{low}, {high}], "));
        }
        for text in shown {
            assert!(page.contains(&text), "{text} is not in the page");
        }
    }
    for pairing in list("pairings") {
        let [value, low, high] = parts(&pairing["elo"]).map(signed);
        let text = format!("{value} [{low}, {high}] (always-valid)");
        assert!(page.contains(&text), "{text} is not in the page");
    }
    assert!(!page.contains(" ± "), "too few pairs for a margin");

    let Some(mut browser) = Chromium::or_skipped() else {
        return;
    };
    browser.open(&setup.run("run").join("report.html"));
    // What is wider than the box of the table can only be seen by scrolling.
    let hidden = |part: &str| {
        format!(
            "(() => {{ const table = document.querySelector('#ratings table'); \
             const edge = table.parentElement.getBoundingClientRect().right; \
             return [...table.querySelectorAll('{part}')].filter(cell => \
             cell.getBoundingClientRect().right > edge + 1).length; }})()"
        )
    };
    browser.resize(1280);
    assert_eq!(browser.eval(&hidden("caption, th, td")), 0);
    browser.resize(390);
    assert_eq!(browser.eval(&hidden("caption")), 0);
}
