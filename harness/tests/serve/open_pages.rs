//! Pages that are open in a browser while the folder of the runs changes.
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use crate::common::chromium::Chromium;
use crate::common::server::Server;
use crate::common::{Setup, copy_run, player};

/// The state of the connection, as the page shows it.
const STATUS: &str = "document.getElementById('connection').textContent";

/// A finished match in `results/run`, whose rows are in the order of pairs.
fn played(names: [&str; 2], pairs: usize) -> Setup {
    let players = player(names[0], "--seed 1") + &player(names[1], "--seed 2");
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\npairs = {pairs}\nconcurrency = 1\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 40\n"
    ));
    let played = setup.play("match", "results/run", &[]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    setup
}

#[test]
fn an_open_page_shows_the_run_that_is_in_the_folder() {
    let Some(mut browser) = Chromium::or_skipped() else {
        return;
    };
    let (short, long) = (played(["one", "two"], 2), played(["three", "four"], 5));
    let results = short.run("results");
    let run = results.join("run");
    let server = Server::start(&results, &[]);
    let subtitle = "document.querySelector('.subtitle').textContent";
    browser.visit(&server.home(), "/");
    browser.wait_for(&format!("{subtitle} === '1 run'"));
    copy_run(&run, &results.join("second"));
    browser.wait_for(&format!("{subtitle} === '2 runs'"));

    let titles = "document.title + ', ' + document.querySelector('h1')?.textContent";
    browser.visit(&server.home(), "/runs/run");
    browser.wait_for(&format!("{STATUS} === 'Live'"));
    assert_eq!(browser.eval(titles), "one against two, one against two");
    fs::remove_dir_all(&run).expect("removed");
    copy_run(&long.run("results/run"), &run);
    let other = "three against four, three against four";
    browser.wait_for(&format!("{titles} === '{other}'"));
    browser.wait_for(
        "document.getElementById('filter-white')?.textContent.includes('three') \
         && document.getElementById('game-count').textContent.startsWith('Games 1 to 10 of 10.')",
    );

    browser.wait_for(&format!("{STATUS} === 'Live'"));
    let elsewhere = short.run("elsewhere");
    fs::rename(&run, &elsewhere).expect("moved");
    browser.wait_for(&format!(
        "{STATUS} === 'This run is no longer in the folder'"
    ));
    fs::rename(&elsewhere, &run).expect("moved back");
    browser.wait_for(&format!("{STATUS} === 'Live'"));
}

/// Appends the rows of the ledger from one line to another.
fn append(ledger: &Path, whole: &str, lines: std::ops::Range<usize>) {
    let rows: Vec<&str> = whole.split_inclusive('\n').collect();
    let mut file = OpenOptions::new().append(true).open(ledger).expect("open");
    let rows = rows[lines.start..lines.end.min(rows.len())].concat();
    file.write_all(rows.as_bytes()).expect("written");
}

#[test]
fn the_list_of_games_grows_with_the_run() {
    let Some(mut browser) = Chromium::or_skipped() else {
        return;
    };
    let setup = played(["one", "two"], 5);
    let results = setup.run("results");
    let ledger = results.join("run/games.csv");
    let whole = fs::read_to_string(&ledger).expect("there");
    fs::write(&ledger, "").expect("emptied");
    // The heads of the columns, and two pairs.
    append(&ledger, &whole, 0..5);
    let server = Server::start(&results, &[]);
    let count = "document.getElementById('game-count').textContent";
    let scroll = "document.getElementById('game-list').scrollIntoView({ block: 'center' })";
    browser.visit(&server.home(), "/runs/run");
    browser.wait_for(&format!("{count}.startsWith('Games 1 to 4 of 4.')"));
    browser.eval(scroll);
    append(&ledger, &whole, 5..7);
    browser.wait_for(&format!("{count}.startsWith('Games 1 to 6 of 6.')"));

    // With a game on the board, the list stays until the reader asks for the new one.
    let hidden = "document.getElementById('viewer').hidden";
    browser.click("#game-list tbody tr button");
    browser.wait_for(&format!("!{hidden}"));
    append(&ledger, &whole, 7..usize::MAX);
    browser.eval(scroll);
    browser.wait_for(
        "(line => !line.hidden && line.textContent.startsWith('4 new games.'))\
         (document.getElementById('new-games'))",
    );
    assert_eq!(browser.eval(hidden), false);
    browser.click("#new-games button");
    browser.wait_for(&format!(
        "{count}.startsWith('Games 1 to 10 of 10.') && {hidden}"
    ));
    browser.has_no_errors();
}
