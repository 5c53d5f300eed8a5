//! The report in a browser.
use std::fs;
use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::common::chromium::Chromium;
use crate::common::{Setup, player, random_players, report, scripted, wait_until};
use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};
use serde_json::{Value, json};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};

/// Names of engines that are HTML.
const SCRIPT: &str = "<script>alert(1)</script>";
const IMAGE: &str = "<img src=x onerror=alert(2)>\"'&";

/// Random games between engines whose names are HTML; the second fails in one.
fn run(more: &str) -> (Setup, PathBuf) {
    let cmd = |seed: u32, script: &str| format!("{} --seed {seed} {script}", scripted());
    let setup = Setup::new(&format!(
        "[[engine]]\nname = '''{SCRIPT}'''\ncmd = '{}'\n[[engine]]\nname = '''{IMAGE}'''\ncmd = '{}'\n\
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

/// A game as an independent reader of PGN reads it.
#[derive(Debug, Default, Clone)]
struct Game {
    /// In SAN.
    moves: Vec<String>,
    /// The position after each ply.
    positions: Vec<Chess>,
}

struct GameReader(CastlingMode);

impl Visitor for GameReader {
    type Tags = Chess;
    type Movetext = (Chess, Game);
    type Output = Game;

    fn begin_tags(&mut self) -> ControlFlow<Game, Chess> {
        ControlFlow::Continue(Chess::default())
    }

    fn tag(&mut self, start: &mut Chess, name: &[u8], value: RawTag<'_>) -> ControlFlow<Game> {
        if name == b"FEN" {
            let fen = Fen::from_ascii(value.as_bytes()).expect("a FEN");
            *start = fen.into_position(self.0).expect("a position");
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, start: Chess) -> ControlFlow<Game, (Chess, Game)> {
        ControlFlow::Continue((start, Game::default()))
    }

    fn san(&mut self, (position, game): &mut (Chess, Game), san: SanPlus) -> ControlFlow<Game> {
        let legal = san.san.to_move(&*position).expect("a legal move");
        position.play_unchecked(legal);
        game.moves.push(san.to_string());
        game.positions.push(position.clone());
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut (Chess, Game)) -> ControlFlow<Game, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, (_, game): (Chess, Game)) -> Game {
        game
    }
}

fn games_in(pgn: &Path, mode: CastlingMode) -> Vec<Game> {
    games(fs::read(pgn).expect("there are games"), mode)
}

fn games(pgn: Vec<u8>, mode: CastlingMode) -> Vec<Game> {
    let mut reader = Reader::new(Cursor::new(pgn));
    let mut games = Vec::new();
    while let Some(game) = reader
        .read_game(&mut GameReader(mode))
        .expect("games can be read")
    {
        games.push(game);
    }
    games
}

/// Opens every game with the mouse and compares it with the PGN.
fn click_through(browser: &mut Chromium, games: &[Game], mode: CastlingMode) {
    browser.keep_copies();
    for (index, game) in games.iter().enumerate() {
        browser.click(&format!("tr[data-index='{index}'] button"));
        let names = browser
            .eval("[...document.querySelectorAll('#moves button b')].map(b => b.textContent)");
        assert_eq!(names, json!(game.moves), "game {index}");
        let middle = game.moves.len() / 2;
        let board = |ply: usize| game.positions[ply - 1].board().board_fen().to_string();
        browser.click(&format!("#moves button[data-ply='{middle}']"));
        assert_eq!(placement(browser), board(middle));
        browser.click("#step-on");
        assert_eq!(placement(browser), board(middle + 1));
        browser.press("ArrowLeft");
        assert_eq!(placement(browser), board(middle));
        for ply in [middle, game.moves.len()] {
            browser.click(&format!("#moves button[data-ply='{ply}']"));
            assert_eq!(copied_position(browser, mode), game.positions[ply - 1]);
        }
        assert_eq!(placement(browser), board(game.moves.len()));
        let words = browser.eval("document.getElementById('move-words').textContent");
        assert!(words.as_str().unwrap().contains("the end"), "{words}");

        let pgn = copied(browser, "#copy-pgn");
        let again = self::games(pgn.clone().into_bytes(), mode);
        assert_eq!(again.len(), 1, "{pgn}");
        assert_eq!(again[0].moves, game.moves, "{pgn}");
    }
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

/// The ply that the list of moves highlights; 0 before the first.
fn ply(browser: &mut Chromium) -> u64 {
    let value =
        browser.eval("Number(document.querySelector('#moves [aria-current]')?.dataset.ply ?? 0)");
    value.as_u64().expect("a number")
}

/// Keys move the pieces wherever the last click was, and so do the other controls.
fn keys_and_controls(browser: &mut Chromium) {
    browser.click("tr[data-index='0'] button");
    for place in ["tr[data-index='0'] td", "#games-heading", "#board", "#flip"] {
        browser.click(place);
        let before = ply(browser);
        browser.press("ArrowRight");
        assert_eq!(ply(browser), before + 1, "after a click on {place}");
    }
    // In a field, keys keep their meaning.
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

    let label = "document.getElementById('play').getAttribute('aria-label')";
    browser.click("#play");
    assert_eq!(browser.eval(label), "Stop");
    browser.click("#play");
    assert_eq!(browser.eval(label), "Play");
    let state = "document.getElementById('play').hasAttribute('aria-pressed')";
    assert_eq!(browser.eval(state), false, "`Stop, pressed` would be read");
    keys_scroll_a_wide_table(browser);
}

/// The arrow keys scroll a table that is wider than its place, and do not move the pieces.
fn keys_scroll_a_wide_table(browser: &mut Chromium) {
    let table = "document.getElementById('game-list')";
    browser.eval("document.getElementById('board').scrollIntoView()");
    browser.eval(&format!("{table}.style.minWidth = '3000px'"));
    browser.eval(&format!(
        "{table}.parentElement.focus({{ preventScroll: true }})"
    ));
    let before = ply(browser);
    browser.press("ArrowRight");
    assert_eq!(ply(browser), before);
    browser.eval(&format!("{table}.style.minWidth = ''"));
    browser.press("ArrowRight");
    assert_eq!(ply(browser), before + 1);
}

/// A copy that the browser refuses is not confirmed, and the button keeps the focus. A second
/// click replaces the timer of the first, which would remove the new answer too early.
fn a_refused_copy_is_shown(browser: &mut Chromium) {
    browser.eval(
        "window.timers = new Map(); window.usual = [setTimeout, clearTimeout];\
         window.setTimeout = (call) => { timers.set(timers.size, call); return timers.size - 1; };\
         window.clearTimeout = (id) => timers.delete(id);\
         navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));\
         document.execCommand = () => false;\
         window.shown = []; new MutationObserver(([{ target }]) => window.shown.push(target.textContent))\
         .observe(document.getElementById('copy-fen'), { childList: true })",
    );
    for clicks in 1..=2 {
        browser.click("#copy-fen");
        // The timer of an earlier copy may show the button's own text between.
        browser.wait_for(&format!(
            "window.shown.filter((text) => text === 'Not copied').length === {clicks}"
        ));
        assert_eq!(browser.eval("timers.size"), 1);
    }
    browser.eval("timers.forEach((call) => call()); [setTimeout, clearTimeout] = window.usual");
    assert_eq!(
        browser.eval("document.getElementById('copy-fen').textContent"),
        "Copy FEN"
    );
    assert_eq!(browser.eval("document.activeElement.id"), "copy-fen");
}

/// The Tab key selects one move, the arrow keys the others.
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

/// The board shows the game in the address, and a game that is chosen is put into the
/// address.
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
fn charts_show_values(browser: &mut Chromium) {
    let reading = "document.querySelector('#progress .reading')?.textContent ?? ''";
    browser.click("#progress .chart");
    let words = browser.eval(reading);
    assert!(words.as_str().unwrap().contains("after "), "{words}");
    browser.eval("document.querySelector('#progress .chart').focus()");
    browser.press("Home");
    let words = browser.eval(reading);
    assert!(
        words.as_str().unwrap().starts_with("after 1 pair"),
        "{words}"
    );
    // A key with a modifier is the browser's.
    let back = "document.querySelector('#progress .chart').dispatchEvent(new KeyboardEvent(\
                'keydown', { key: 'ArrowLeft', altKey: true, bubbles: true, cancelable: true }))";
    assert_eq!(browser.eval(back), true, "Alt+Left is prevented");
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
    let games = games_in(&pgn, CastlingMode::Standard);
    assert_eq!(games.len(), 12);
    browser.open(&page);
    click_through(&mut browser, &games, CastlingMode::Standard);
    keys_and_controls(&mut browser);
    a_refused_copy_is_shown(&mut browser);
    charts_show_values(&mut browser);
    moves_are_one_tab_stop(&mut browser);
    the_address_names_the_game(&mut browser);
    moves_have_room(&mut browser);

    // Names are shown as text.
    let title = browser.eval("document.querySelector('h1').textContent");
    assert_eq!(title, format!("{SCRIPT} against {IMAGE}"));
    assert_eq!(browser.eval("document.querySelectorAll('img').length"), 0);
    assert_eq!(
        browser.eval("document.querySelectorAll('script').length"),
        3
    );

    // A failure has a link to its evidence.
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

    filters_and_themes(&mut browser);
}

fn filters_and_themes(browser: &mut Chromium) {
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
        let lost = [json!([SCRIPT, IMAGE, "1-0"]), json!([IMAGE, SCRIPT, "0-1"])];
        assert!(lost.contains(row), "{row}");
    }

    let paper = "getComputedStyle(document.body).backgroundColor";
    let curve = "getComputedStyle(document.querySelector('figure polyline')).stroke";
    let colours = ["light", "dark"].map(|scheme| {
        browser.theme(scheme);
        (browser.eval(paper), browser.eval(curve))
    });
    assert_ne!(colours[0].0, colours[1].0);
    assert_ne!(colours[0].1, colours[1].1, "charts follow the theme");
    browser.check_page();
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
    let games = games_in(&pgn, CastlingMode::Chess960);
    browser.open(&page);
    click_through(&mut browser, &games, CastlingMode::Chess960);
    let effort = browser.eval("document.getElementById('effort').textContent");
    assert!(
        effort.as_str().unwrap().contains("from games.csv"),
        "{effort}"
    );
    browser.check_page();
}

/// White may castle with the rook on g1; the other rook has moved to h1.
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
    let games = games_in(&setup.run("run").join("games.pgn"), CastlingMode::Chess960);
    browser.open(&page);
    browser.keep_copies();
    browser.click("tr[data-index='0'] button");
    for ply in 1..=4 {
        browser.click(&format!("#moves button[data-ply='{ply}']"));
        let position = copied_position(&mut browser, CastlingMode::Chess960);
        assert_eq!(position, games[0].positions[ply - 1], "ply {ply}");
    }
}

#[test]
fn clocks_start_after_the_opening_and_are_rounded_to_full_minutes() {
    let Some(mut browser) = Chromium::or_skipped() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("opening.pgn");
    fs::write(&book, "1. e4 e5 *\n").unwrap();
    let players = random_players();
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"60\"\npairs = 1\nconcurrency = 1\n\
         openings = {{ file = '{}' }}\n[adjudication]\nmax_moves = 10\n",
        book.display()
    ));
    let played = setup.play("match", "run", &[]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    // The first move after the opening takes 40 ms.
    let pgn = setup.run("run").join("games.pgn");
    let mut text = fs::read_to_string(&pgn).unwrap();
    let end = text.find("s}").expect("a comment");
    text.replace_range(end - 5..end, "0.040");
    fs::write(&pgn, text).unwrap();
    let page = setup.run("page.html");
    let html = report(&setup.run("run"), &["--html", &page.display().to_string()]);
    assert_eq!(html.code, Some(0), "{}", html.stderr);
    browser.open(&page);
    for ply in [2, 3] {
        browser.click(&format!("#moves button[data-ply='{ply}']"));
        let clock = browser.eval("document.querySelector('#player-bottom .clock').textContent");
        assert_eq!(clock, "1:00.0", "ply {ply}");
    }
}

#[test]
fn the_page_of_a_test_can_be_written_elsewhere() {
    let players = random_players();
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=5\"\nconcurrency = 1\n\
         [adjudication]\nmax_moves = 10\n[sprt]\nelo0 = -100\nelo1 = 100\nmax_pairs = 30\n"
    ));
    let played = setup.play("sprt", "run", &["--json"]);
    let facts: Value = played.json();
    let page = setup.run("elsewhere.html");
    let html = report(&setup.run("run"), &["--html", &page.display().to_string()]);
    assert_eq!(html.code, Some(0), "{}", html.stderr);
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
    browser.check_page();
}

/// After few pairs intervals are not symmetric: the page of a tournament has the
/// ends of `report.json`, in its numbers and in its bars.
#[test]
fn a_tournament_has_the_intervals_of_its_report() {
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
    let signed = |value: f64| {
        if value.abs() < 0.05 {
            "0.0".to_string()
        } else {
            format!("{value:+.1}").replace('-', "\u{2212}")
        }
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
    // Cells beyond the right edge of the table's box can only be seen by scrolling.
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
