//! Nightlies of the GitHub Action: what its scripts play, keep in the cache and publish, with a
//! fake `hone`.
use std::fs;
use std::path::Path;

use super::action_scripts::Change;
use crate::common::{action, script, workspace};

#[test]
fn a_night_is_played_with_the_inputs_or_refused() {
    let Some(change) = Change::new() else {
        return;
    };
    let night = |inputs: &[(&str, &str)]| {
        let nightly = [("INPUT_MODE", "nightly"), ("INPUT_CONFIG", "nightly.toml")];
        change.step("play.sh", &[&nightly, inputs].concat())
    };
    // Afterwards the script prunes the builds.
    script(
        &change.folder,
        "hone",
        "#!/bin/sh\n[ \"$1\" != track ] || printf '%s\\n' \"$@\" >\"$ARGUMENTS\"\n",
    );
    let (played, log) = night(&[
        ("INPUT_BUILD", "make"),
        ("INPUT_BOOK", "default"),
        ("INPUT_LIMIT", "nodes=1"),
        ("INPUT_CONCURRENCY", "3"),
        ("INPUT_ARGUMENTS", "--pairs=7"),
    ]);
    assert!(played, "{log}");
    let arguments = change.arguments().join(" ");
    let expected = "track nightly.toml --out results --build make --book default --limit nodes=1 \
                    --concurrency 3 --pairs=7 --max-time 60m";
    assert!(arguments.starts_with(expected), "{arguments}");
    fs::remove_file(change.folder.join("arguments")).expect("there");
    let (_, log) = night(&[("INPUT_PROFILE", "gain"), ("INPUT_BASE", "git:HEAD^1")]);
    let refusal = "::error::mode nightly does not have the inputs base profile: remove them";
    assert!(log.contains(refusal), "{log}");
    assert!(!change.folder.join("arguments").exists());
    let outputs = fs::read_to_string(change.folder.join("output")).expect("written");
    assert!(outputs.contains("code=2\n"), "{outputs}");
    for (input, value, refusal) in [
        ("INPUT_CONFIG", "", "mode nightly needs the input config"),
        (
            "INPUT_ARGUMENTS",
            "--pairs=7\n--out=results/deep",
            "use the input results",
        ),
        (
            "INPUT_ARGUMENTS",
            "--out\nresults/deep",
            "use the input results",
        ),
    ] {
        let (ended, log) = night(&[(input, value)]);
        assert!(ended && log.contains(refusal), "{log}");
        assert!(!change.folder.join("arguments").exists());
    }
}

#[test]
fn nightlies_in_another_folder_are_kept_and_published_too() {
    let Some(change) = Change::new() else {
        return;
    };
    let origin = published(&change);
    let deep = ("INPUT_RESULTS", "results/deep");
    let nightly = [
        ("INPUT_MODE", "nightly"),
        ("INPUT_CONFIG", "nightly.toml"),
        deep,
    ];
    script(
        &change.folder,
        "hone",
        "#!/bin/sh\n[ \"$1\" = track ] || exit 0\n[ \"$3 $4\" = '--out results/deep' ] || exit 2\n\
         mkdir -p \"$4/track/night\"\necho a game >>\"$4/track/night/games.csv\"\n\
         echo a night >\"$4/elo.csv\"\necho a record >\"$4/elo.toml\"\n",
    );
    for job in [1, 2] {
        let (played, log) = change.step("play.sh", &nightly);
        assert!(played, "{log}");
        let outputs = fs::read_to_string(change.folder.join("output")).expect("written");
        assert!(outputs.contains("code=0\n"), "{outputs}");
        let (succeeded, log) = change.step("nights.sh keep", &[deep]);
        assert!(succeeded, "{log}");
        let kept = change.folder.join("home/kept/track-results-deep");
        assert_eq!(games(&kept, "night"), job);
        if job == 1 {
            fs::remove_dir_all(change.repository.path().join("results")).expect("another runner");
        }
    }
    let publish = [("INPUT_PUBLISH", "results/deep/elo.csv"), deep];
    let (succeeded, log) = change.step("publish.sh", &publish);
    assert!(succeeded, "{log}");
    let there = ["-C", &origin, "show", "main:results/deep/elo.toml"];
    assert_eq!(change.repository.git(&there), "a record");
}

#[test]
fn the_cache_drops_nights_whose_rows_are_committed() {
    let Some(change) = Change::new() else {
        return;
    };
    let repository = &change.repository;
    let kept = change.kept();
    for night in ["one", "two", "three"] {
        fs::create_dir_all(kept.join(night)).expect("made");
    }
    fs::create_dir(repository.path().join("results")).expect("made");
    repository.write("results/elo.csv", "run,date\none,1\ntwo,2\n");
    repository.commit("Nights");
    repository.write("results/elo.csv", "run,date\none,1\ntwo,2\nthree,3\n");
    let (succeeded, log) = change.step("nights.sh keep", &[]);
    assert!(succeeded, "{log}");
    let nights = ["one", "two", "three"].map(|night| kept.join(night).exists());
    // The last of a table has the configuration.
    assert_eq!(nights, [false, true, true], "{log}");
}

/// The number of games of a night in a folder of nights.
fn games(folder: &Path, night: &str) -> usize {
    let ledger = fs::read_to_string(folder.join(night).join("games.csv"));
    ledger.map_or(0, |text| text.lines().count())
}

/// Writes the ledger of a night.
fn write_night(folder: &Path, night: &str, games: usize) {
    let folder = folder.join(night);
    fs::create_dir_all(&folder).expect("made");
    fs::write(folder.join("games.csv"), "a game\n".repeat(games)).expect("written");
}

#[test]
fn a_job_that_is_cancelled_keeps_its_night() {
    let Some(change) = Change::new() else {
        return;
    };
    // The runner ends the script while a night is played.
    let cancelled = "#!/bin/sh\nmkdir -p results/track/night\necho a game >>results/track/night/games.csv\nkill -KILL $PPID\n";
    script(&change.folder, "hone", cancelled);
    let keep = || {
        let (succeeded, log) = change.step("nights.sh keep", &[]);
        assert!(succeeded, "{log}");
        games(&change.kept(), "night")
    };
    let results = change.repository.path().join("results");
    assert!(!change.night().0);
    assert_eq!(keep(), 1);
    for job in [2, 3] {
        fs::remove_dir_all(&results).expect("another runner");
        assert!(!change.night().0);
        assert_eq!(games(&results.join("track"), "night"), job);
        // Until the next step, the cache has what it had.
        assert_eq!(games(&change.kept(), "night"), job - 1);
        assert_eq!(keep(), job);
    }
    // A job that does not get as far as a night.
    fs::remove_dir_all(&results).expect("another runner");
    assert_eq!(keep(), 3);
    // The step also follows one that was cancelled, and precedes the saving of the cache.
    let action = fs::read_to_string(workspace().join("action.yml")).expect("there");
    let (_, steps) = action.split_once("id: play").expect("the step");
    let (before, _) = steps.split_once("actions/cache/save").expect("the step");
    let step = "if: always() && inputs.mode == 'nightly'";
    assert!(before.contains(step) && before.contains("nights.sh\" keep"));
}

#[test]
fn nights_in_the_repository_do_not_replace_those_of_the_cache() {
    let Some(change) = Change::new() else {
        return;
    };
    let (kept, track) = (
        change.kept(),
        change.repository.path().join("results/track"),
    );
    write_night(&track, "committed", 4);
    write_night(&track, "unfinished", 2);
    write_night(&kept, "committed", 3);
    write_night(&kept, "unfinished", 6);
    write_night(&kept, "not pushed", 4);
    let (played, log) = change.night();
    assert!(played, "{log}");
    let (succeeded, log) = change.step("nights.sh keep", &[]);
    assert!(succeeded, "{log}");
    for folder in [track, kept] {
        let found = ["committed", "unfinished", "not pushed"].map(|night| games(&folder, night));
        assert_eq!(found, [4, 6, 4], "{}", folder.display());
    }
}

/// Makes the change's repository a clone of a bare one, on `main`. Returns the path of that.
fn published(change: &Change) -> String {
    let origin = change.folder.join("origin.git");
    let origin = origin.to_str().expect("text").to_string();
    action::publish(&change.repository, &origin);
    origin
}

#[test]
fn a_missing_file_does_not_prevent_others_from_being_published() {
    let Some(change) = Change::new() else {
        return;
    };
    let origin = published(&change);
    let publish = [("INPUT_PUBLISH", "elo.csv elo.svg=docs/elo.svg")];
    let (succeeded, log) = change.step("publish.sh", &publish);
    assert!(succeeded && log.contains("nothing new"), "{log}");
    change.repository.write("elo.csv", "a night\n");
    // A build may change a file that is not published.
    change.repository.write("engine", "generated\n");
    let (succeeded, log) = change.step("publish.sh", &publish);
    assert!(succeeded && log.contains("elo.svg does not exist"), "{log}");
    let there = |file: &str| {
        let path = format!("main:{file}");
        change.repository.git(&["-C", &origin, "show", &path])
    };
    assert_eq!(there("elo.csv"), "a night");
    assert_eq!(there("engine"), "main");
    let kept = fs::read_to_string(change.repository.path().join("engine"));
    assert_eq!(kept.expect("there"), "generated\n");
}

/// The table of nights is in `results/elo.csv`.
#[test]
fn what_belongs_to_the_table_of_nights_is_published_with_it() {
    let Some(change) = Change::new() else {
        return;
    };
    let origin = published(&change);
    fs::create_dir_all(change.repository.path().join("results")).expect("made");
    change.repository.write("results/elo.csv", "a night\n");
    change.repository.write("results/elo.toml", "a record\n");
    let publish = [("INPUT_PUBLISH", "results/elo.csv")];
    let (succeeded, log) = change.step("publish.sh", &publish);
    assert!(succeeded, "{log}");
    let there = ["-C", &origin, "show", "main:results/elo.toml"];
    assert_eq!(change.repository.git(&there), "a record");
}

#[test]
fn a_page_that_is_published_alone_has_no_links_to_the_nights() {
    let Some(change) = Change::new() else {
        return;
    };
    let origin = published(&change);
    let page = "#!/bin/sh\n[ \"$1 $2 $3\" = 'report results --html' ] && echo unlinked >\"$4\"\n";
    script(&change.folder, "hone", page);
    fs::create_dir_all(change.folder.join("home")).expect("made");
    fs::create_dir_all(change.repository.path().join("results/track")).expect("made");
    let publish = |files: &str| {
        change.repository.write("results/elo.csv", files);
        change.repository.write("results/elo.html", "linked\n");
        change
            .repository
            .write("results/track/report.html", "night\n");
        let (succeeded, log) = change.step("publish.sh", &[("INPUT_PUBLISH", files)]);
        assert!(succeeded, "{log}");
        let page = ["-C", &origin, "show", "main:results/elo.html"];
        change.repository.git(&page)
    };
    assert_eq!(publish("results/elo.csv results/elo.html"), "unlinked");
    // On several lines, as YAML's `|` gives them.
    let all = "results/elo.csv\nresults/elo.html\nresults/track\n";
    assert_eq!(publish(all), "linked");
}
