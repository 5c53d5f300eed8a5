//! Shards of a run, and `hone pool`, which evaluates them as one run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::common::json::{number, wdl_in_ledger};
use crate::common::running::Running;
use crate::common::{
    self, ENGINE, Finished, Setup, column, copy_run, digest, finish, hone, on_run, player, rows,
    scripted, wait_until,
};
use hone_testing::{listed, snapshots};

/// Pairs of the whole run.
const PAIRS: usize = 150;

/// A match, or a test that accepts H0 after some dozens of pairs.
fn setup() -> Setup {
    let players = player("one", "--seed 1 --lose 40") + &player("two", "--seed 2 --lose 40");
    Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\npairs = {PAIRS}\nconcurrency = 2\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 20\n\
         resign = {{ count = 2, score = 500, twosided = false }}\n\
         [pgn]\nepd = true\n[sprt]\nelo1 = 100.0\nmax_pairs = {PAIRS}\n"
    ))
}

fn pool(runs: &[PathBuf], out: &Path, more: &[&str]) -> Finished {
    let mut command = hone();
    command
        .arg("pool")
        .args(runs)
        .arg("--out")
        .arg(out)
        .args(more);
    finish(command)
}

/// Plays a shard to its end; it is killed once and resumed.
fn shard_with_kill(setup: &Setup, command: &str, shard: &str) -> PathBuf {
    let name = format!("shard-{}", shard.replace('/', "-"));
    let run = setup.run(&name);
    let mut played = setup.command(command, &name, &["--shard", shard]);
    let mut playing = Running::start(played.stdout(Stdio::null()).stderr(Stdio::null()));
    wait_until("a few games", || rows(&run) >= 6 || playing.has_ended());
    playing.kill();
    let resumed = on_run("resume", &run);
    let code = if command == "match" { 0 } else { 3 };
    assert_eq!(resumed.code, Some(code), "{}", resumed.stderr);
    run
}

fn shards(setup: &Setup, command: &str) -> Vec<PathBuf> {
    ["1/3", "2/3", "3/3"]
        .map(|shard| shard_with_kill(setup, command, shard))
        .into()
}

fn whole(setup: &Setup, command: &str, code: i32) -> (PathBuf, Finished) {
    let played = setup.play(command, "whole", &["--json"]);
    assert_eq!(played.code, Some(code), "{}", played.stderr);
    (setup.run("whole"), played)
}

/// The results in a report, without times and names.
fn results(json: &serde_json::Value) -> Vec<&serde_json::Value> {
    [
        "verdict",
        "pairs",
        "wdl",
        "pentanomial",
        "elo",
        "sprt",
        "terminations",
    ]
    .map(|key| &json[key])
    .into()
}

#[test]
fn shards_with_kills_pool_to_the_games_and_the_verdict_of_one_run() {
    let setup = setup();
    let (undivided, played) = whole(&setup, "sprt", 1);
    let decided = number(&played.json()["pairs"]) as u64;
    assert!((10..100).contains(&decided), "{decided} pairs");
    let shards = shards(&setup, "sprt");
    // A shard is played to its end: only the pool has a verdict.
    let lengths: Vec<usize> = shards.iter().map(|run| rows(run)).collect();
    assert_eq!(lengths, [100, 100, 100]);

    let out = setup.run("pool");
    let pooled = pool(&shards, &out, &["--json"]);
    assert_eq!(pooled.code, Some(1), "{}", pooled.stderr);
    assert_eq!(results(&pooled.json()), results(&played.json()));
    let [won, drawn, lost] = wdl_in_ledger(&out, "one", decided);
    assert_ne!(won, lost, "wins and losses could be swapped unnoticed");
    assert_eq!(pooled.json()["wdl"], serde_json::json!([won, drawn, lost]));
    assert_eq!(digest(&out), digest(&undivided));
    assert_eq!(
        pooled.json()["pool"]["runs"].as_array().map(Vec::len),
        Some(3)
    );
    assert_eq!(rows(&out), 2 * PAIRS);
    let epd = fs::read_to_string(out.join("games.epd")).expect("there");
    assert_eq!(epd.lines().count(), 2 * PAIRS);
    // Each machine's workers have numbers of their own.
    for (shard, worker) in shards_and_workers(&out) {
        assert_eq!(worker / 2, shard + 1, "worker {worker} in shard {shard}");
    }
    for name in ["report.json", "report.md", "report.html"] {
        assert!(out.join(name).exists(), "{name}");
    }
    // A rating list of both would count the games of the shard twice.
    let mut rate = hone();
    rate.args(["calc", "rate"]).args([&out, &shards[1]]);
    let refused = finish(rate);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let part = "have games of the same run, which would count twice";
    assert!(refused.stderr.contains(part), "{}", refused.stderr);
    let report = on_run("report", &out);
    assert!(
        report
            .stdout
            .contains("Pooled from shard-1-3 (shard 1 of 3), "),
        "{}",
        report.stdout
    );
    // Pooled again, nothing changes.
    let again = pool(&shards, &out, &[]);
    assert_eq!(again.code, Some(1), "{}", again.stderr);
    assert!(again.stderr.contains(": 0 new pairs"), "{}", again.stderr);
    assert_eq!(digest(&out), digest(&undivided));
}

/// A number column of a run's ledger.
fn numbers(run: &Path, name: &str) -> Vec<u64> {
    let values = column(run, name).into_iter();
    values
        .map(|value| value.parse().expect("a number"))
        .collect()
}

/// For each game of a pool of three shards: its shard, from 0, and its worker.
fn shards_and_workers(pool: &Path) -> Vec<(u64, u64)> {
    let shards = numbers(pool, "pair").into_iter().map(|pair| (pair - 1) % 3);
    shards.zip(numbers(pool, "worker")).collect()
}

/// A fleet can have more machines than a run has games at a time.
#[test]
fn workers_of_different_runs_never_share_a_number() {
    let setup = setup();
    let shards = shards(&setup, "sprt");
    let ledger = shards[0].join("games.csv");
    let text = fs::read_to_string(&ledger).expect("there");
    let as_third_machine = |(number, row): (usize, &str)| {
        let mut fields: Vec<&str> = row.split(',').collect();
        if (1..=2).contains(&number) {
            fields[23] = "2";
        }
        fields.join(",") + "\n"
    };
    let edited: String = text.lines().enumerate().map(as_third_machine).collect();
    fs::write(&ledger, edited).expect("written");
    let out = setup.run("pool");
    let pooled = pool(&shards, &out, &[]);
    assert_eq!(pooled.code, Some(1), "{}", pooled.stderr);
    let mut owners = std::collections::BTreeMap::new();
    for (shard, worker) in shards_and_workers(&out) {
        let owner = *owners.entry(worker).or_insert(shard);
        assert_eq!(owner, shard, "worker {worker} is of two runs");
    }
    assert!(owners.len() >= 4, "{owners:?}");
}

#[test]
fn a_match_is_pooled_in_steps_and_missing_pairs_are_reported() {
    let setup = setup();
    let (undivided, _) = whole(&setup, "match", 0);
    let shards = shards(&setup, "match");
    let out = setup.run("pool");
    let first = pool(&[shards[0].clone(), shards[2].clone()], &out, &[]);
    assert_eq!(first.code, Some(3), "{}", first.stderr);
    let second = pool(&[shards[1].clone()], &out, &[]);
    assert_eq!(second.code, Some(0), "{}", second.stderr);
    let shown = [("shards 1 and 3", &first), ("shard 2", &second)];
    let shown = shown.map(|(what, pooled)| (what, pooled.stderr.clone() + &pooled.stdout));
    snapshots(&FILTERS).bind(|| insta::assert_snapshot!("pool-steps", listed(shown)));
    assert_eq!(digest(&out), digest(&undivided));
}

#[test]
fn a_pool_plays_missing_pairs_and_accepts_the_same_games_later() {
    let setup = setup();
    let (undivided, _) = whole(&setup, "sprt", 1);
    let shards = shards(&setup, "sprt");
    let out = setup.run("pool");
    let pooled = pool(&shards[..2], &out, &["--json"]);
    assert_eq!(pooled.code, Some(3), "{}", pooled.stderr);
    assert_eq!(pooled.json()["verdict"], "none");
    assert_eq!(pooled.json()["pairs"], 2);
    assert_eq!(
        pooled.json()["pool"]["missing"],
        serde_json::json!([{ "shard": "3/3", "first": 3, "count": 50 }])
    );
    let resumed = on_run("resume", &out);
    assert_eq!(resumed.code, Some(1), "{}", resumed.stderr);
    assert_eq!(digest(&out), digest(&undivided));
    // The third shard, which was missing, has the same games.
    let all = pool(&shards, &out, &[]);
    assert_eq!(all.code, Some(1), "{}", all.stderr);
    assert_eq!(digest(&out), digest(&undivided));
    // An undivided run and a pool can be pooled as well.
    let more = setup.run("more");
    let both = pool(&[out, undivided.clone()], &more, &[]);
    assert_eq!(both.code, Some(1), "{}", both.stderr);
    assert_eq!(digest(&more), digest(&undivided));
}

/// Cuts the ledger of a pool as if its writer had been killed: `pairs` whole pairs, the
/// games of another one, and the first of its two rows.
fn cut(pool: &Path, pairs: usize) {
    let csv = fs::read_to_string(pool.join("games.csv")).expect("there");
    let lines: Vec<&str> = csv.lines().collect();
    let kept = 2 * pairs + 1;
    let [offset, bytes] = ["pgn_offset", "pgn_bytes"].map(|name| numbers(pool, name)[kept]);
    let games = (offset + bytes) as usize;
    let rows = lines[..=kept].join("\n");
    fs::write(pool.join("games.csv"), rows + "\n").expect("written");
    let pgn = fs::read(pool.join("games.pgn")).expect("there");
    fs::write(pool.join("games.pgn"), &pgn[..games]).expect("written");
}

#[test]
fn a_pool_that_is_killed_is_continued() {
    let setup = setup();
    let (undivided, _) = whole(&setup, "match", 0);
    let shards = shards(&setup, "match");
    let out = setup.run("pool");
    // As if it had been killed before it wrote its manifest.
    fs::create_dir(&out).expect("made");
    fs::write(out.join("games.csv"), "").expect("written");
    fs::write(out.join("games.pgn"), "").expect("written");
    let begun = pool(&shards, &out, &[]);
    assert_eq!(begun.code, Some(0), "{}", begun.stderr);
    for pairs in [70, 0] {
        cut(&out, pairs);
        let continued = pool(&shards, &out, &[]);
        assert_eq!(continued.code, Some(0), "{}", continued.stderr);
        let new = format!(": {} new pairs", PAIRS - pairs);
        assert!(continued.stderr.contains(&new), "{}", continued.stderr);
        assert_eq!(digest(&out), digest(&undivided));
        let epd = fs::read_to_string(out.join("games.epd")).expect("there");
        assert_eq!(epd.lines().count(), 2 * PAIRS);
    }
}

#[test]
fn a_shard_is_reported_with_its_number() {
    let setup = setup();
    let played = setup.play("sprt", "runs/part", &["--shard", "2/30", "--json"]);
    assert_eq!(played.code, Some(3), "{}", played.stderr);
    assert!(
        played.stderr.contains("shard 2 of 30: playing"),
        "{}",
        played.stderr
    );
    let json = played.json();
    assert_eq!(json["shard"], "2/30");
    assert_eq!(json["pairs"], 5);
    assert_eq!(
        (&json["verdict"], &json["sprt"]),
        (&"none".into(), &serde_json::Value::Null)
    );
    let run = setup.run("runs/part");
    let mut pairs = numbers(&run, "pair");
    pairs.sort_unstable();
    pairs.dedup();
    assert_eq!(pairs, [2, 32, 62, 92, 122]);
    let page = fs::read_to_string(run.join("report.html")).expect("a page");
    assert!(
        page.contains(">SPRT part, shard 2 of 30, started "),
        "{page}"
    );
    let words = "shard 2 of 30";
    for finished in [
        on_run("report", &run),
        on_run("verify", &run),
        on_run("runs", &setup.run("runs")),
    ] {
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert!(finished.stdout.contains(words), "{}", finished.stdout);
    }
    // The page has the chart of all its pairs, without an LLR.
    let page = fs::read_to_string(run.join("report.html")).expect("there");
    assert!(page.contains("after 5 pairs") && !page.contains("The LLR over pairs"));
    // If the test had twice as many pairs, the shard would be half finished.
    let manifest = run.join("run.toml");
    let text = fs::read_to_string(&manifest).expect("there");
    let longer = text.replace("max_pairs = 150", "max_pairs = 300");
    assert_ne!(longer, text);
    fs::write(&manifest, longer).expect("written");
    let report = on_run("report", &run).stdout;
    assert!(report.contains(" Not finished: 5 of 10 pairs."), "{report}");
}

/// What differs from system to system.
const FILTERS: [(&str, &str); 2] = [ENGINE, (r"\b[0-9a-f]{64}\b", "[SHA-256]")];

/// Why runs cannot be pooled.
fn refusal(runs: &[PathBuf], out: &Path) -> String {
    let refused = pool(runs, out, &[]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    refused.stderr
}

#[test]
fn runs_that_are_not_parts_of_one_run_are_refused() {
    let setup = setup();
    let part = |name: &str, more: &[&str]| {
        let args = [&["--shard", "1/30"], more].concat();
        let played = setup.play("sprt", name, &args);
        assert_eq!(played.code, Some(3), "{}", played.stderr);
        setup.run(name)
    };
    let first = part("first", &[]);
    let program = format!("engine.0.cmd={} --seed 7", scripted());
    let shown = [
        "match.seed=2",
        "match.limit=nodes=2",
        "sprt.elo1=120",
        "match.openings.file=books/balanced.epd",
        "adjudication.max_moves=39",
        &program,
        "engine.two.ponder=true",
    ]
    .map(|set| {
        let (name, _) = set.split_once('=').expect("a value");
        let other = part(name, &["--set", set]);
        (set, refusal(&[first.clone(), other], &setup.run("refused")))
    });
    assert!(!setup.run("refused").exists());
    snapshots(&FILTERS).bind(|| insta::assert_snapshot!("pool-parts", listed(shown)));
    // Settings that do not affect the games may differ.
    let other = part("other", &["--concurrency", "1", "--max-time", "1h"]);
    let pooled = pool(&[first, other], &setup.run("pooled"), &[]);
    assert_eq!(pooled.code, Some(3), "{}", pooled.stderr);
}

#[test]
fn other_games_and_other_conditions_are_refused() {
    let setup = setup();
    let played = setup.play("sprt", "first", &["--shard", "1/30"]);
    assert_eq!(played.code, Some(3), "{}", played.stderr);
    let first = setup.run("first");
    let (second, out) = (setup.run("second"), setup.run("pool"));
    copy_run(&first, &second);
    fs::copy(first.join("games.epd"), second.join("games.epd")).expect("copied");
    let both = [first.clone(), second.clone()];
    let mut shown = Vec::new();
    // Another result of the same pair.
    let csv = fs::read_to_string(second.join("games.csv")).expect("there");
    let row = csv.lines().nth(1).expect("a row");
    let digest = row.split(',').nth(13).expect("a digest");
    fs::write(
        second.join("games.csv"),
        csv.replace(digest, "00000000000000ab"),
    )
    .expect("written");
    shown.push(("another result", refusal(&both, &out)));
    fs::write(second.join("games.csv"), &csv).expect("written");
    // An edited manifest: configurations are compared without `shard`.
    let toml = fs::read_to_string(second.join("run.toml")).expect("there");
    let edited = toml.replace("shard = \"1/30\"", "shard = \"2/30\"");
    assert_ne!(edited, toml);
    fs::write(second.join("run.toml"), edited).expect("written");
    shown.push(("an edited manifest", refusal(&both, &out)));
    assert!(!out.exists());
    fs::write(second.join("run.toml"), toml).expect("written");
    // Runs are not added to a run that is not a pool.
    for run in [&second, &first] {
        shown.push(("no pool", refusal(std::slice::from_ref(run), &first)));
    }
    snapshots(&FILTERS).bind(|| insta::assert_snapshot!("pool-conditions", listed(shown)));
}

#[test]
fn damaged_runs_and_folders_that_cannot_be_made_are_refused_before_anything_is_written() {
    let setup = setup();
    let played = setup.play("sprt", "run", &["--shard", "1/30"]);
    assert_eq!(played.code, Some(3), "{}", played.stderr);
    let (run, out) = (setup.run("run"), setup.run("pool"));
    let refused = |out: &Path| refusal(std::slice::from_ref(&run), out);
    let mut shown = Vec::new();
    let (csv, pgn) = (run.join("games.csv"), run.join("games.pgn"));
    let [ledger, games] = [&csv, &pgn].map(|path| fs::read_to_string(path).expect("there"));
    // A result that is not that of the game.
    let won = ledger.replacen(",1/2-1/2,", ",1-0,", 1);
    let edited = if won == ledger {
        ledger.replacen(",1-0,", ",1/2-1/2,", 1)
    } else {
        won
    };
    assert_ne!(edited, ledger);
    fs::write(&csv, edited).expect("written");
    shown.push(("an edited result", refused(&out)));
    fs::write(&csv, ledger).expect("written");
    fs::write(&pgn, &games[..games.len() / 2]).expect("written");
    shown.push(("half of the games", refused(&out)));
    fs::write(&pgn, games).expect("written");
    assert!(!out.exists());
    shown.push(("a file as folder", refused(&pgn)));
    // Pairs are stored in the order in which they end.
    let filters = [FILTERS[0], FILTERS[1], (r"of pair \d+", "of pair N")];
    snapshots(&filters).bind(|| insta::assert_snapshot!("pool-damaged", listed(shown)));
    let pooled = pool(std::slice::from_ref(&run), &out, &[]);
    assert_eq!(pooled.code, Some(3), "{}", pooled.stderr);
}

/// The pool would have the result of the first stage, but the test may fail in a later one.
#[test]
fn a_tuning_is_refused() {
    let setup = common::tuning("pairs = 2", "");
    let played = setup.play("tune", "tuned", &[]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let refused = pool(&[setup.run("tuned")], &setup.run("pooled"), &[]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let message = "tuned is a tuning: its pairs depend on earlier results";
    assert!(refused.stderr.contains(message), "{}", refused.stderr);
}

#[test]
fn a_test_in_stages_is_refused() {
    let setup = setup();
    let config = fs::read_to_string(&setup.config).expect("there");
    let stages = "[[stage]]\nname = \"STC\"\n[[stage]]\nname = \"LTC\"\nlimit = \"nodes=2\"\n";
    fs::write(&setup.config, config + stages).expect("written");
    let played = setup.play("sprt", "run", &[]);
    assert_eq!(played.code, Some(1), "{}", played.stderr);
    let refused = pool(&[setup.run("run")], &setup.run("pool"), &[]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    for part in ["is a test in stages", "help: "] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    assert!(!setup.run("pool").exists());
}

#[test]
fn the_machines_of_a_fleets_run_keep_their_names() {
    let setup = setup();
    let runs = [("first", "1/30"), ("second", "2/30")].map(|(name, shard)| {
        let played = setup.play("sprt", name, &["--shard", shard]);
        assert_eq!(played.code, Some(3), "{}", played.stderr);
        setup.run(name)
    });
    let table = "worker,credential,machine,platform,processor,cores,built\n\
                 0,all,box,linux-x86_64,cpu,4,false\n";
    fs::write(runs[1].join("workers.csv"), table).expect("written");
    let out = setup.run("pool");
    for _ in 0..2 {
        let pooled = pool(&runs, &out, &[]);
        assert_eq!(pooled.code, Some(3), "{}", pooled.stderr);
        let carried = fs::read_to_string(out.join("workers.csv")).expect("there");
        // Workers 0 and 1 are of this machine, 2 and 3 of the first run.
        assert_eq!(carried, table.replace("\n0,", "\n4,"));
    }
}

#[test]
fn a_stray_file_among_the_failures_is_not_copied() {
    let setup = setup();
    let played = setup.play("sprt", "run", &["--shard", "1/30"]);
    assert_eq!(played.code, Some(3), "{}", played.stderr);
    let failures = setup.run("run").join("failures");
    fs::create_dir_all(failures.join("1-1")).expect("made");
    for file in ["1-1/replay.toml", "notes.txt"] {
        fs::write(failures.join(file), "text").expect("written");
    }
    let out = setup.run("pool");
    let pooled = pool(&[setup.run("run")], &out, &[]);
    assert_eq!(pooled.code, Some(3), "{}", pooled.stderr);
    assert!(out.join("failures/1-1/replay.toml").exists());
    assert!(!out.join("failures/notes.txt").exists());
}

#[test]
fn shards_that_cannot_be_played_are_refused() {
    let setup = setup();
    let mut shown = Vec::from(["0/5", "6/5", "2"].map(|shard| {
        let refused = setup.play("sprt", "run", &["--shard", shard]);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        (shard, refused.stderr)
    }));
    let tuned = format!("[[engine]]\nname = \"one\"\ncmd = '{}'\n", scripted());
    let tuned = Setup::new(&format!("{tuned}[tune.params]\nx = {{}}\n"));
    let tuning = tuned.play("tune", "run", &["--set", "match.shard=2/5"]);
    assert_eq!(tuning.code, Some(2), "{}", tuning.stderr);
    shown.push(("2/5 of a tuning", tuning.stderr));
    snapshots(&FILTERS).bind(|| insta::assert_snapshot!("shards", listed(shown)));
    assert!(!setup.run("run").exists());
    // 1/1 is the whole run, with its verdict.
    let (undivided, _) = whole(&setup, "sprt", 1);
    let same = setup.play("sprt", "same", &["--shard", "1/1"]);
    assert_eq!(same.code, Some(1), "{}", same.stderr);
    assert_eq!(digest(&setup.run("same")), digest(&undivided));
}
