//! The list of runs of `hone serve`: the same verdicts and numbers as `hone runs`.
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::Command;

use crate::common::json::wdl_in_ledger;
use crate::common::server::Server;
use crate::common::{
    Setup, copy_run, engines, on_run, player, random_players, report, rows, scripted, stillwater,
    wait_until,
};
use serde_json::Value;

/// One game at a time: no pair is played beyond a verdict, and rows are in the order of
/// pairs.
const RULES: &str = "concurrency = 1\nopenings = { file = \"books/quick.epd\" }\n\
                     [adjudication]\nmax_moves = 40\n";

/// A run in the list of runs; null if the list does not have it.
fn listed(server: &Server, run: &str) -> Value {
    let all = server.get("/api/runs").json();
    let mut runs = all["runs"].as_array().expect("a list").iter();
    runs.find(|one| one["run"] == run)
        .cloned()
        .unwrap_or_default()
}

/// A test whose second stage fails.
fn failed_test() -> Setup {
    let players = random_players();
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\n{RULES}\
         [[stage]]\nsprt = {{ elo0 = -150.0, elo1 = -50.0 }}\n\
         [[stage]]\nlimit = \"nodes=2\"\nsprt = {{ elo0 = 50.0, elo1 = 150.0 }}\n"
    ));
    let played = setup.play("sprt", "results/failed", &[]);
    assert_eq!(played.code, Some(1), "{}", played.stderr);
    setup
}

#[test]
fn both_lists_show_the_elo_of_a_test_corrected_for_stopping() {
    let players = player("more", "--seed 1 --lose 10") + &player("less", "--seed 2 --lose 25");
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 20\n\
         resign = {{ count = 2, score = 500, twosided = false }}\n[sprt]\nelo0 = 0.0\nelo1 = 20.0\n"
    ));
    let played = setup.play("sprt", "results/test", &[]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let results = setup.run("results");
    let report = report(&results.join("test"), &["--json"]).json();
    let corrected = &report["sprt"]["elo"]["estimate"];
    assert!(corrected.is_number(), "{report}");
    assert_ne!(*corrected, report["elo"]["estimate"]);
    let runs = on_run("runs", &results);
    assert!(
        runs.stdout
            .contains(&format!(" +{:.1} ", corrected.as_f64().expect("a number")))
    );
    let server = Server::start(&results, &[]);
    wait_until("the run is read", || !listed(&server, "test").is_null());
    assert_eq!(listed(&server, "test")["elo"]["estimate"], *corrected);
}

#[test]
fn a_test_in_stages_has_the_verdict_and_the_numbers_of_the_last() {
    let setup = failed_test();
    let results = setup.run("results");
    let [failed, passed, playing] = ["failed", "passed", "playing"].map(|run| results.join(run));
    // `passed` has not begun its second stage, `playing` is in it.
    copy_run(&failed, &passed);
    copy_run(&failed, &playing);
    copy_run(&failed.join("stage-2"), &playing.join("stage-2"));
    let ledger = playing.join("stage-2/games.csv");
    let whole = fs::read_to_string(&ledger).expect("there");
    let cut: usize = whole.split_inclusive('\n').take(5).map(str::len).sum();
    fs::write(&ledger, &whole[..cut]).expect("written");
    let lock = File::open(&ledger).expect("there");
    lock.lock().expect("free");

    let server = Server::start(&results, &[]);
    wait_until("the runs are read", || {
        let all = server.get("/api/runs").json();
        all["loading"] == false && all["runs"].as_array().map(Vec::len) == Some(3)
    });
    let second = rows(&failed.join("stage-2"));
    for (name, state, verdict, limit, games) in [
        ("failed", "finished", "H0", "nodes=2", second),
        ("passed", "stopped", "none", "nodes=1", rows(&passed)),
        ("playing", "running", "none", "nodes=2", 4),
    ] {
        let run = listed(&server, name);
        assert_eq!(
            (&run["state"], &run["verdict"], &run["limit"], &run["games"]),
            (&state.into(), &verdict.into(), &limit.into(), &games.into()),
            "{run}"
        );
    }
    let report = server.get("/api/runs/failed").json();
    assert_eq!(listed(&server, "failed")["wdl"], report["wdl"], "{report}");
    let list = server.get("/").body;
    assert!(list.contains("H0 accepted"), "{list}");
    assert!(!list.contains("H1 accepted"), "{list}");

    // A stage has a page of its own, to which the page of the run has a link.
    let page = server.get("/runs/failed").body;
    assert!(page.contains("href=\"/runs/failed~stage-2\""), "{page}");
    assert_eq!(server.get("/runs/failed~stage-2").status, 200);
    assert_eq!(server.get("/runs/passed~stage-2").status, 404);
    // Numbers of another stage than the first name it.
    assert!(page.contains("Stage 2 of 2. Finished: "), "{page}");
    assert!(page.contains("The numbers of stage 2 of 2."), "{page}");

    // The rest of the stage is played, and its process ends.
    let mut file = OpenOptions::new().append(true).open(&ledger).expect("open");
    file.write_all(&whole.as_bytes()[cut..]).expect("written");
    drop(lock);
    wait_until("the stage that is played is followed", || {
        let run = listed(&server, "playing");
        run["verdict"] == "H0" && run["games"] == second
    });
}

#[test]
fn a_tuning_has_no_elo() {
    let setup = Setup::new(&format!(
        "[[engine]]\nname = \"s\"\ncmd = \"{}\"\n[match]\nlimit = \"nodes=200\"\n{RULES}\
         [tune]\npairs = 8\nbatch = 4\n[tune.params]\nQsDeltaMargin = {{}}\n",
        stillwater().display()
    ));
    let played = setup.play("tune", "results/tune", &[]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let server = Server::start(&setup.run("results"), &[]);
    wait_until("it is read", || {
        listed(&server, "tune")["state"] == "finished"
    });
    let run = listed(&server, "tune");
    assert_eq!(run["games"], 16, "{run}");
    has_no_numbers(&server, "tune");
    let list = server.get("/").body;
    for name in ["Elo", "W-D-L"] {
        let cell = format!("<td data-name=\"{name}\"></td>");
        assert!(list.contains(&cell), "{cell} in {list}");
    }
}

/// The run has no Elo in the list, and no numbers in the forms of other programs.
fn has_no_numbers(server: &Server, run: &str) {
    let summary = listed(server, run);
    for name in ["elo", "nelo", "los", "wdl", "pentanomial"] {
        let value = summary.get(name);
        assert_eq!(value, Some(&Value::Null), "{name} of {summary}");
    }
    let href = format!("href=\"/runs/{run}\"");
    let list = server.get("/").body;
    assert!(list.contains(&format!("{href}>")), "{list}");
    assert!(!list.contains(&format!("{href} data-stats")), "{list}");
    let page = server.get(&format!("/runs/{run}")).body;
    assert!(!page.contains("Numbers to copy"), "{page}");
    for form in ["openbench", "fishtest"] {
        let refused = server.get(&format!("/api/runs/{run}/stats?form={form}"));
        assert_eq!(refused.status, 404, "{refused:?}");
        assert!(refused.body.contains("first engine"), "{refused:?}");
    }
}

#[test]
fn only_a_gauntlet_has_the_numbers_of_its_first_engine() {
    let cmd = |seed: u32| format!("{} --seed {seed}", scripted());
    let own = "limit = \"nodes=2\"";
    let loser = format!("{} move=illegal", cmd(4));
    let players = engines(("one", &cmd(1), ""), ("two", &cmd(2), own))
        + &engines(("three", &cmd(3), ""), ("loser", &loser, ""));
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\npairs = 2\nmax_failures = 1.0\n{RULES}"
    ));
    for kind in ["round-robin", "gauntlet"] {
        let args = ["--set", &format!("match.tournament={kind}")];
        let played = setup.play("match", &format!("results/{kind}"), &args);
        assert_eq!(played.code, Some(0), "{}", played.stderr);
    }
    let server = Server::start(&setup.run("results"), &[]);
    wait_until("they are read", || {
        let runs = ["round-robin", "gauntlet"].map(|run| listed(&server, run));
        runs.iter().all(|run| run["state"] == "finished")
    });
    has_no_numbers(&server, "round-robin");
    let gauntlet = listed(&server, "gauntlet");
    let wdl = wdl_in_ledger(&setup.run("results/gauntlet"), "one", 6);
    assert!(
        wdl[0] > wdl[2],
        "wins and losses could be swapped unnoticed"
    );
    assert_eq!(gauntlet["wdl"], serde_json::json!(wdl), "{gauntlet}");
    assert_eq!(gauntlet["games"], 12, "{gauntlet}");
    let list = server.get("/").body;
    assert!(
        list.contains("href=\"/runs/gauntlet\" data-stats"),
        "{list}"
    );
    // The engines have limits of their own.
    let limit = "nodes=1 – nodes=2 – nodes=1 – nodes=1";
    assert_eq!(gauntlet["limit"], limit);
    assert!(
        list.contains(&format!("match, {limit} · gauntlet")),
        "{list}"
    );
    assert!(list.contains("<th scope=\"col\">last pair</th>"), "{list}");
    let page = server.get("/runs/gauntlet").body;
    assert!(page.contains(" of 6 pairs, last pair "), "{page}");

    // `hone runs` shows the same limits and Elo for the same runs.
    let runs = on_run("runs", &setup.run("results"));
    let row = |run: &str| {
        let mut lines = runs.stdout.lines();
        let line = lines.find(|line| line.starts_with(run)).expect("listed");
        line.split_whitespace().nth(4).expect("an Elo").to_string()
    };
    assert_eq!(row("round-robin"), "-");
    assert_ne!(row("gauntlet"), "-");
    assert!(runs.stdout.contains(limit), "{}", runs.stdout);
    reports_have_the_forms_of_the_pages(&server, &setup.run("results"));
}

/// `hone report --format` prints what the pages offer to copy, or refuses it.
fn reports_have_the_forms_of_the_pages(server: &Server, results: &Path) {
    for form in ["openbench", "fishtest"] {
        let report = |run: &str| report(&results.join(run), &["--format", form]);
        let page = server.get(&format!("/api/runs/gauntlet/stats?form={form}"));
        let printed = report("gauntlet");
        assert_eq!((printed.code, printed.stdout), (Some(0), page.body));
        let refused = report("round-robin");
        let stderr = &refused.stderr;
        assert_eq!((refused.code, &*refused.stdout), (Some(2), ""), "{stderr}");
        assert!(
            stderr.contains("all those of its first engine\n"),
            "{stderr}"
        );
        let help = "\nhelp: that is a match or a test of two engines, or a gauntlet with one seed";
        assert!(stderr.contains(help), "{stderr}");
    }
}

#[test]
fn a_run_that_replaces_another_is_read_from_its_beginning() {
    let played = |names: [&str; 2], pairs: usize| {
        let players = player(names[0], "--seed 1") + &player(names[1], "--seed 2");
        let setup = Setup::new(&format!(
            "{players}[match]\nlimit = \"nodes=1\"\npairs = {pairs}\n{RULES}"
        ));
        let played = setup.play("match", "results/re", &[]);
        assert_eq!(played.code, Some(0), "{}", played.stderr);
        setup
    };
    let (short, long) = (played(["one", "two"], 2), played(["three", "four"], 5));
    let results = short.run("results");
    let server = Server::start(&results, &[]);
    wait_until("it is read", || {
        listed(&server, "re")["state"] == "finished"
    });
    assert_eq!(server.get("/runs/re").status, 200);

    let (run, other) = (results.join("re"), long.run("results/re"));
    fs::remove_dir_all(&run).expect("removed");
    copy_run(&other, &run);
    wait_until("the other run is read", || {
        listed(&server, "re")["games"] == 10
    });
    let engines = &listed(&server, "re")["engines"];
    assert_eq!(engines, &serde_json::json!(["three", "four"]));
    let report = fs::read_to_string(other.join("report.json")).expect("there");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let served = server.get("/api/runs/re").json();
    assert_eq!(served["wdl"], report["wdl"], "{served}");

    // The manifest of a pool changes when runs are added; its games stay.
    let manifest = fs::read_to_string(run.join("run.toml")).expect("there");
    let longer = manifest.replace("\npairs = 5\n", "\npairs = 7\n");
    assert_ne!(manifest, longer);
    fs::write(run.join("run.toml"), longer).expect("written");
    wait_until("its manifest is read again", || {
        let run = listed(&server, "re");
        run["budget"] == 7 && run["games"] == 10 && run["state"] == "stopped"
    });
}

/// With several games at a time, pairs are finished after the verdict.
#[test]
fn pairs_after_the_verdict_are_listed_but_not_counted() {
    let setup = Setup::new(&format!(
        "{}[match]\nlimit = \"nodes=1\"\npairs = 5\n{RULES}",
        random_players()
    ));
    let played = setup.play("match", "results/run", &[]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let results = setup.run("results");
    copy_run(&results.join("run"), &results.join("fleet"));
    for run in ["run", "fleet"] {
        // The match ends after three pairs.
        let path = results.join(run).join("run.toml");
        let manifest = fs::read_to_string(&path).expect("there");
        let shorter = manifest.replace("\npairs = 5\n", "\npairs = 3\n");
        assert_ne!(manifest, shorter);
        fs::write(&path, shorter).expect("written");
    }
    let machines = "worker,credential,machine,platform,processor,cores\n0,all,attic,linux,x,8\n";
    fs::write(results.join("fleet/workers.csv"), machines).expect("written");

    let server = Server::start(&results, &[]);
    for run in ["run", "fleet"] {
        wait_until("it is read", || listed(&server, run)["state"] == "finished");
        assert_eq!(listed(&server, run)["games"], 6);
        let workers = server.get(&format!("/api/runs/{run}/workers")).json();
        assert_eq!(workers["workers"][0]["pairs"], 3, "{workers}");
    }
    let fleet = server.get("/api/runs/fleet").json();
    assert_eq!(fleet["fleet"]["workers"][0]["pairs"], 3, "{fleet}");
    let found = server.get("/api/runs/run/games").json();
    assert_eq!(
        (&found["count"], &found["finished"]),
        (&10.into(), &10.into())
    );
    let games = found["games"].as_array().expect("a list").iter();
    let late = games.filter(|game| game["after_verdict"] == true);
    let late: Vec<&Value> = late.map(|game| &game["pair"]).collect();
    assert_eq!(late, [5, 5, 4, 4]);
}

#[test]
fn a_damaged_run_has_a_reason() {
    let setup = Setup::new("");
    let results = setup.run("results");
    fs::create_dir_all(results.join("broken")).expect("made");
    fs::write(results.join("broken/run.toml"), "no").expect("written");
    let server = Server::start(&results, &[]);
    wait_until("it is found", || {
        server.get("/api/runs").json()["damaged"][0]["run"] == "broken"
    });
    for path in [
        "",
        "/games",
        "/games/1-1",
        "/workers",
        "/stats?form=fishtest",
    ] {
        let answer = server.get(&format!("/api/runs/broken{path}"));
        assert_eq!(answer.status, 500, "{path}");
        assert!(answer.body.contains("run.toml is damaged"), "{answer:?}");
    }
    assert_eq!(server.get("/api/runs/none").status, 404);
}

/// Opening a pipe would wait for a writer, and with it all pages.
#[test]
fn a_run_whose_ledger_is_a_pipe_is_damaged_and_does_not_stop_the_others() {
    let setup = Setup::new(&format!(
        "{}[match]\nlimit = \"nodes=1\"\npairs = 1\n{RULES}",
        random_players()
    ));
    let played = setup.play("match", "results/whole", &[]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let results = setup.run("results");
    let pipe = results.join("pipe");
    copy_run(&results.join("whole"), &pipe);
    fs::remove_file(pipe.join("games.csv")).expect("removed");
    let made = Command::new("mkfifo").arg(pipe.join("games.csv")).status();
    assert!(made.expect("mkfifo starts").success());
    let server = Server::start(&results, &[]);
    wait_until("both are read", || {
        let all = server.get("/api/runs").json();
        all["damaged"][0]["run"] == "pipe" && all["runs"][0]["run"] == "whole"
    });
    let answer = server.get("/api/runs/pipe");
    assert!(answer.body.contains("not a regular file"), "{answer:?}");
}
