//! Engines that misbehave in every way: the game gets the result the rules of
//! engine testing give it, the evidence is kept, the run continues.
use std::fs;
use std::path::Path;

#[cfg(target_os = "linux")]
use crate::common::crowd::Crowd;
use crate::common::json::number;
use crate::common::{self, Finished, Setup, engines, finish, hone, on_run, resume, scripted};

/// A finished match of two pairs between an engine that misbehaves and a good one.
struct Match {
    setup: Setup,
    finished: Finished,
}

/// For engines that answer, on a machine of any speed.
const PATIENT: &str = "limit = \"nodes=10\"\nstall_ms = 60000\n";
/// For engines that stall. The other one must be ready in this time too.
const STALL: &str = "limit = \"nodes=10\"\nstall_ms = 2000\n";
/// For engines that lose on time.
const CLOCK: &str = "limit = \"0.3+0.01\"\nstall_ms = 60000\n";

/// The match of an engine that does `script`, with `settings` of `[match]`.
fn play_against(script: &str, settings: &str) -> Match {
    let bad = format!("{} --name bad {script}", scripted());
    // The good one has enough time, whatever the limit of the other one.
    let players = engines(("bad", &bad, ""), ("good", &scripted(), "limit = \"60+1\""));
    let setup = Setup::new(&format!(
        "{players}[match]\n{settings}pairs = 2\nconcurrency = 1\nmax_failures = 1.0\nopenings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 20\n"
    ));
    let finished = setup.play("match", "run", &["--json"]);
    Match { setup, finished }
}

impl Match {
    fn csv(&self) -> String {
        fs::read_to_string(self.setup.run("run").join("games.csv")).unwrap()
    }

    /// The games, without the ends of lines.
    fn pgn(&self) -> String {
        let pgn = fs::read_to_string(self.setup.run("run").join("games.pgn")).unwrap();
        pgn.replace('\n', " ")
    }

    /// Every game was lost by the bad engine for this reason.
    fn lost_all(&self, kind: &str, termination: &str, words: &str) {
        assert_eq!(self.finished.code, Some(0), "{}", self.finished.stderr);
        let json = self.finished.json();
        assert_eq!(json["failures"][kind], serde_json::json!([4, 0]), "{json}");
        assert_eq!(json["pentanomial"], serde_json::json!([2, 0, 0, 0, 0]));
        assert_eq!(json["wdl"], serde_json::json!([0, 0, 4]));
        assert_eq!(self.csv().matches(termination).count(), 4, "{}", self.csv());
        let pgn = self.pgn();
        assert_eq!(pgn.matches(words).count(), 4, "{words}: {pgn}");
        self.verified();
    }

    /// No failure was recorded.
    fn has_no_failures(&self) {
        assert_eq!(self.finished.code, Some(0), "{}", self.finished.stderr);
        let json = self.finished.json();
        for kind in ["time_forfeit", "crash", "stall", "illegal_move"] {
            assert_eq!(json["failures"][kind], serde_json::json!([0, 0]), "{json}");
        }
        assert!(!self.setup.run("run").join("failures").exists());
        self.verified();
    }

    fn verified(&self) {
        let verified = on_run("verify", &self.setup.run("run"));
        assert_eq!(verified.code, Some(0), "{}", verified.stdout);
    }

    fn bundle(&self, name: &str) -> std::path::PathBuf {
        self.setup.run("run").join("failures").join(name)
    }
}

fn summary(bundle: &Path) -> String {
    fs::read_to_string(bundle.join("summary.txt")).unwrap()
}

#[test]
fn dying_on_go_is_a_loss_by_disconnection() {
    let played = play_against("move=exit:7", PATIENT);
    played.lost_all("crash", "disconnect", "disconnects");
    let bundle = played.bundle("1-1");
    let summary = summary(&bundle);
    assert!(summary.contains("process:   exit status 7"), "{summary}");
    assert!(summary.contains("sent:      position fen"), "{summary}");
    let dialogue = fs::read_to_string(bundle.join("dialogue-first.txt")).unwrap();
    assert!(dialogue.contains("> go nodes 10"), "{dialogue}");
}

#[test]
fn a_crash_in_the_middle_keeps_its_signal_and_its_standard_error() {
    let played = play_against("go:3=stderr go:3=abort", PATIENT);
    played.lost_all("crash", "disconnect", "disconnects");
    let bundle = played.bundle("2-2");
    assert!(summary(&bundle).contains("killed by signal 6"));
    // In the second game of a pair the bad engine, the first, has Black.
    let stderr = fs::read_to_string(bundle.join("stderr-first.txt")).unwrap();
    assert!(stderr.contains("something went wrong inside"), "{stderr}");
}

#[test]
fn a_crash_is_explained_in_the_summary_and_by_its_replay() {
    let played = play_against("move=stderr move=exit:7", PATIENT);
    let bundle = played.bundle("1-1");
    let summary = summary(&bundle);
    let line = "stderr:    something went wrong inside (stderr-first.txt)\n";
    assert!(summary.contains(line), "{summary}");
    let replayed = on_run("replay", &bundle);
    assert_eq!(replayed.code, Some(1), "{}", replayed.stderr);
    let words = "; process: exit status 7; its standard error: something went wrong inside\n";
    assert!(replayed.stdout.contains(words), "{}", replayed.stdout);
}

#[test]
fn never_moving_is_a_stall_without_a_clock_and_a_time_forfeit_with_one() {
    play_against("move=silent", STALL).lost_all("stall", "stall", "connection stalls");
    let no_answer = "loses on time (no answer)";
    play_against("move=silent", CLOCK).lost_all("time_forfeit", "time_forfeit", no_answer);
}

#[test]
fn hanging_is_found_under_depth_too() {
    let play = STALL.replace("nodes=10", "depth=2");
    play_against("go:2=hang", &play).lost_all("stall", "stall", "connection stalls");
}

#[test]
fn a_late_move_loses_on_time_with_its_overrun() {
    let played = play_against("move=late:330", CLOCK);
    played.lost_all("time_forfeit", "time_forfeit", "loses on time");
    // On a slow machine, some answers may come later than is waited for.
    let pgn = played.pgn();
    assert!(pgn.contains("ms overrun)"), "{pgn}");
}

/// An engine of the lowest scheduling class shares its processor with a busy loop: it is
/// ready long before it may run.
#[test]
#[cfg(target_os = "linux")]
fn an_engine_that_gets_no_processor_is_distinguished_from_a_slow_one() {
    use std::process::Command;

    let pinned = Command::new("chrt")
        .args(["-i", "0", "taskset", "-c", "0", "true"])
        .status();
    if !pinned.is_ok_and(|status| status.success()) {
        common::skip::skipped("`chrt` and `taskset` are needed, and processor 0");
        return;
    }
    let _crowd = Crowd::on(0, 1).expect("`taskset` has just run");
    let forfeits = |engine: &str| {
        let players = engines(
            ("judged", engine, "limit = \"movetime=20\"\n"),
            ("other", &scripted(), "limit = \"nodes=10\"\n"),
        );
        let setup = Setup::new(&format!(
            "{players}[match]\nmargin_ms = 0\npairs = 2\nconcurrency = 1\nmax_failures = 1.0\n\
             startup_ms = 60000\nstall_ms = 60000\n[adjudication]\nmax_moves = 40\n"
        ));
        let json = setup.play("match", "run", &["--json"]).json();
        let lost = json["failures"]["time_forfeit"][0]
            .as_u64()
            .expect("a count");
        let starved = json["engines"][0]["starved"].as_u64().expect("a count");
        (lost, starved)
    };
    let (lost, starved) = forfeits(&format!("chrt -i 0 taskset -c 0 {}", scripted()));
    if lost == 0 {
        common::skip::skipped("the engine got its processor time");
        return;
    }
    assert!(starved > 0, "{lost} games lost on time");
    let (lost, starved) = forfeits(&format!("{} move=late:400", scripted()));
    assert_eq!(lost, 4);
    // On a busy machine, a game of the slow engine may count too.
    assert!(starved < lost, "{starved} of {lost} games");
}

#[test]
fn illegal_and_malformed_moves_lose() {
    for action in ["illegal", "malformed", "none"] {
        let played = play_against(&format!("move={action}"), PATIENT);
        played.lost_all("illegal_move", "illegal_move", "makes an illegal move");
    }
}

#[test]
fn a_move_that_is_both_illegal_and_late_is_illegal() {
    let played = play_against("move=late:330 move=illegal", CLOCK);
    played.verified();
    let pgn = played.pgn();
    let illegal = pgn.matches("makes an illegal move").count();
    // On a slow machine, some answers may come later than is waited for.
    let unanswered = pgn.matches("loses on time (no answer)").count();
    assert_eq!(illegal + unanswered, 4, "{pgn}");
    assert!(illegal > 0, "{pgn}");
    let failures = &played.finished.json()["failures"];
    assert_eq!(failures["illegal_move"], serde_json::json!([illegal, 0]));
}

#[test]
fn never_getting_ready_is_a_stall() {
    // The first `isready` of a process is that of the check before the run.
    let bad = format!("{} ucinewgame=hang", scripted());
    let players = engines(("bad", &bad, ""), ("good", &scripted(), ""));
    let setup = Setup::new(&format!(
        "{players}[match]\n{STALL}pairs = 1\nmax_failures = 1.0\n"
    ));
    let finished = setup.play("match", "run", &["--json"]);
    assert_eq!(
        finished.json()["failures"]["stall"],
        serde_json::json!([2, 0])
    );
    let summary = summary(&setup.run("run").join("failures/1-1"));
    let sent = "sent:      ucinewgame\n           isready\n";
    assert!(summary.contains(sent), "{summary}");
}

/// A match of an engine of which only the first `times` processes start; the first is that of
/// the check before the run. Each that starts ends at its second move.
fn starting_only(times: u32) -> Match {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("engine.sh");
    let count = folder.path().join("count");
    let text = format!(
        "echo x >>'{count}'\n[ $(wc -l <'{count}') -le {times} ] || exit 9\n\
         exec '{}' --name bad go:2=exit:7\n",
        scripted(),
        count = count.display()
    );
    fs::write(&script, text).unwrap();
    let bad = format!("sh {}", script.display());
    let players = engines(("bad", &bad, ""), ("good", &scripted(), ""));
    let setup = Setup::new(&format!(
        "{players}[match]\n{PATIENT}pairs = 2\nconcurrency = 1\nmax_failures = 1.0\n\
         startup_ms = 60000\n[adjudication]\nmax_moves = 20\n"
    ));
    let finished = setup.play("match", "run", &["--json"]);
    Match { setup, finished }
}

#[test]
fn an_engine_that_does_not_start_again_loses_its_games() {
    let played = starting_only(2);
    played.lost_all("crash", "disconnect", "disconnects");
    let first = summary(&played.bundle("1-1"));
    assert!(first.contains("process:   exit status 7"), "{first}");
    let second = summary(&played.bundle("1-2"));
    let ended = "ended (exit status 9) before it sent `uciok`";
    assert!(second.contains(ended), "{second}");
    assert!(second.contains("sent:      uci\n"), "{second}");
}

#[test]
fn an_engine_that_never_starts_in_the_run_stops_it() {
    let finished = starting_only(1).finished;
    assert_eq!(finished.code, Some(4), "{}", finished.stderr);
    let words = "cannot restart bad: ";
    assert!(finished.stderr.contains(words), "{}", finished.stderr);
}

/// A match of two pairs. An engine that fails in the second game of its process fails in the
/// second game of each pair, because it is restarted after the first failure.
fn failing_to_get_ready(first: &str, second: &str) -> Match {
    let command = |script: &str| format!("{} {script}", scripted());
    let (first, second) = (command(first), command(second));
    let players = engines(("first", &first, ""), ("second", &second, ""));
    let setup = Setup::new(&format!(
        "{players}[match]\n{PATIENT}pairs = 2\nconcurrency = 1\nmax_failures = 1.0\n\
         [adjudication]\nmax_moves = 2\n"
    ));
    let finished = setup.play("match", "run", &["--json"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    Match { setup, finished }
}

#[test]
fn a_readyok_of_the_previous_game_does_not_start_the_next() {
    let played = failing_to_get_ready("ucinewgame:2=exit:1", "");
    let json = played.finished.json();
    assert_eq!(json["failures"]["crash"], serde_json::json!([2, 0]));
    let dialogue = played.bundle("2-2").join("dialogue-second.txt");
    let dialogue = fs::read_to_string(dialogue).unwrap();
    let (mut asked, mut ready, mut searches) = (0, 0, 0);
    for line in dialogue.lines() {
        asked += u32::from(line.ends_with("> isready"));
        ready += u32::from(line.ends_with("< readyok"));
        if line.contains("> go ") {
            searches += 1;
            assert_eq!(ready, asked, "{dialogue}");
        }
    }
    assert_eq!((asked, ready), (4, 4), "{dialogue}");
    assert!(searches > 0, "{dialogue}");
}

#[test]
fn if_both_fail_to_get_ready_both_are_restarted() {
    let played = failing_to_get_ready("ucinewgame:2=exit:1", "ucinewgame:2=exit:1");
    let json = played.finished.json();
    assert_eq!(json["failures"]["crash"], serde_json::json!([2, 0]));
}

#[test]
fn an_engine_that_never_gets_ready_is_refused_at_the_start() {
    let finished = play_against("isready=silent", STALL).finished;
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
    for words in [
        "is not ready for a game: it did not answer `isready` with `readyok` within 2 s; it wrote",
        "help: if it needs longer, raise `stall_ms` in [match]",
    ] {
        assert!(finished.stderr.contains(words), "{}", finished.stderr);
    }
    // An engine may need longer for a new game than to be ready at all.
    let bad = format!("{} --name bad trial=hang", scripted());
    let players = engines(("bad", &bad, ""), ("good", &scripted(), ""));
    let setup = Setup::new(&format!("{players}[match]\n{STALL}pairs = 1\n"));
    let finished = setup.play("match", "run", &[]);
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
    for words in [
        "engine `bad` did not answer `ucinewgame, isready`",
        "help: if it needs longer, raise `stall_ms` in [match]",
    ] {
        assert!(finished.stderr.contains(words), "{}", finished.stderr);
    }
    let finished = play_against("uci=silent", &format!("{PATIENT}startup_ms = 2000\n")).finished;
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
    for words in [
        "did not send `uciok` within 2 s; it wrote nothing (does it flush its output?)\n",
        "help: if it needs longer, raise `startup_ms` in [match]",
    ] {
        assert!(finished.stderr.contains(words), "{}", finished.stderr);
    }
}

#[test]
fn noise_is_no_failure() {
    for script in [
        "go:2=chatter",
        "go=nonutf8",
        "go=badpv",
        "go:2=endlesspv",
        "go=stderr",
        "go:2=grumble",
        "--crlf",
        "go:2=longline",
    ] {
        play_against(script, PATIENT).has_no_failures();
    }
}

#[test]
fn illegal_variations_are_counted_and_named() {
    let played = play_against("go=badpv", PATIENT);
    let json = played.finished.json();
    assert!(number(&json["engines"][0]["illegal_pvs"]) > 0.0, "{json}");
    assert_eq!(json["engines"][1]["illegal_pvs"], 0);
    let report = common::on_run("report", &played.setup.run("run"));
    assert!(report.stdout.contains("with an illegal move"));
    let pgn = fs::read_to_string(played.setup.run("run").join("games.pgn")).unwrap();
    assert!(pgn.contains("illegal PV move"), "{pgn}");
}

#[test]
fn a_flood_without_end_forfeits_on_time() {
    play_against("go:2=flood", CLOCK).lost_all("time_forfeit", "time_forfeit", "loses on time");
}

#[test]
fn a_flood_without_end_stalls_without_a_clock() {
    play_against("go:2=flood", STALL).lost_all("stall", "stall", "connection stalls");
}

#[test]
fn closing_its_output_is_a_disconnection() {
    play_against("go:2=close", PATIENT).lost_all("crash", "disconnect", "disconnects");
}

#[test]
fn an_engine_stopped_by_a_signal_loses_the_game_and_the_run_continues() {
    play_against("go:2=stop", CLOCK).lost_all("time_forfeit", "time_forfeit", "loses on time");
    play_against("go:2=stop", STALL).lost_all("stall", "stall", "connection stalls");
}

#[test]
fn an_engine_that_ignores_quit_is_killed() {
    let played = play_against("quit=hang --name ignores-quit", PATIENT);
    played.has_no_failures();
    #[cfg(target_os = "linux")]
    common::wait_until("its end", || {
        common::processes_with("ignores-quit").is_empty()
    });
}

#[cfg(target_os = "linux")]
#[test]
fn children_of_engines_end_too() {
    // A time that no other test has.
    play_against("ucinewgame=fork:1013", PATIENT).has_no_failures();
    common::wait_until("their end", || {
        common::processes_with("sleep 1013").is_empty()
    });
}

#[test]
fn too_many_failures_stop_the_run() {
    let bad = format!("{} go:2=exit:1", scripted());
    let players = engines(("bad", &bad, ""), ("good", &scripted(), ""));
    let setup = Setup::new(&format!(
        "{players}[match]\n{PATIENT}pairs = 12\nconcurrency = 1\nopenings = {{ file = \"books/quick.epd\" }}\n"
    ));
    let finished = setup.play("match", "run", &["--json"]);
    assert_eq!(finished.code, Some(4), "{}", finished.stderr);
    assert!(
        finished.stderr.contains("bad failed in 10 of its 10 games"),
        "{}",
        finished.stderr
    );
    assert!(
        finished.stderr.contains("hone resume"),
        "{}",
        finished.stderr
    );
    let run = setup.run("run");
    let next = format!(
        "help: all finished games are saved; to play on with these failures, resume with `hone resume {} --max-failures 1`",
        run.display()
    );
    let again = on_run("resume", &run);
    assert_eq!(again.code, Some(4), "{}", again.stderr);
    assert!(!again.stderr.contains("playing"), "{}", again.stderr);
    for stopped in [&finished, &again] {
        assert!(stopped.stderr.contains(&next), "{}", stopped.stderr);
    }
    let replay = format!(
        "help: `hone replay {}` repeats its first failure",
        run.join("failures/1-1").display()
    );
    for words in ["fix the engine and start a new run (", &replay] {
        assert!(finished.stderr.contains(words), "{}", finished.stderr);
    }
    let report = on_run("report", &run).stdout;
    let evidence = "failures/ of the run's folder; `hone replay RUN/failures/PAIR-GAME` repeats";
    assert!(report.contains(evidence), "{report}");
    // Its failures are listed where one must be named.
    let replayed = on_run("replay", &setup.run("run"));
    assert_eq!(replayed.code, Some(2), "{}", replayed.stderr);
    for part in [
        " is a run: name one of its failures\n",
        "/NAME`, where NAME is 1-1, ",
    ] {
        assert!(
            replayed.stderr.contains(part),
            "{part}: {}",
            replayed.stderr
        );
    }
    // As the error advises.
    let whole = resume(&run, &["--max-failures", "1"]);
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
}

/// A late move names the margin, also if it comes after `hone` has stopped waiting for it.
#[test]
fn a_run_that_time_forfeits_stop_names_the_margin() {
    let bad = format!("{} move=late:150", scripted());
    let players = engines(
        ("bad", &bad, ""),
        ("good", &scripted(), "limit = \"60+1\"\n"),
    );
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"movetime=20\"\nstall_ms = 60000\nstartup_ms = 60000\n\
         pairs = 100\nconcurrency = 1\nopenings = {{ file = \"books/quick.epd\" }}\n"
    ));
    let finished = setup.play("match", "run", &["--json"]);
    assert_eq!(finished.code, Some(4), "{}", finished.stderr);
    let words = "`margin_ms` in [match], now 0, allows";
    assert!(finished.stderr.contains(words), "{}", finished.stderr);
}

#[test]
fn on_failure_can_stop_or_replay() {
    let stop = play_against("go:2=exit:1", &format!("{PATIENT}on_failure = \"stop\"\n"));
    assert_eq!(stop.finished.code, Some(4), "{}", stop.finished.stderr);
    assert!(
        stop.finished
            .stderr
            .contains("bad failed in game 1 of pair 1")
    );
    assert_eq!(stop.csv().lines().count(), 1, "the game is not counted");
    assert!(stop.bundle("1-1").exists());

    // Each process fails once, in its third `go`; a replay's process is new, so
    // it fails again, until the game is counted after all.
    let replay = play_against(
        "go:3=exit:1",
        &format!("{PATIENT}on_failure = \"replay\"\n"),
    );
    replay.lost_all("crash", "disconnect", "disconnects");
    let json = replay.finished.json();
    assert_eq!(json["engines"][0]["replayed"], 12, "{json}");
    assert_eq!(json["engines"][1].get("replayed"), None, "{json}");
    let warning = "warning: failures do not count, because their games were played again: `bad` 12";
    let errors = &replay.finished.stderr;
    assert!(errors.contains(warning), "{errors}");
    let report = on_run("report", &replay.setup.run("run"));
    let words = "Played again after a failure: 12 times (bad 12)";
    assert!(report.stdout.contains(words), "{}", report.stdout);
    for name in ["1-1", "1-1-2", "1-1-3", "1-1-4"] {
        assert!(replay.bundle(name).exists(), "{name}");
    }
    let page = fs::read_to_string(replay.setup.run("run").join("report.html")).unwrap();
    let words = "Evidence of 16 failures is kept: 4 in games that count, \
                 12 in games that were played again.";
    assert!(page.contains(words), "{words}");
    // The board shows the last failure of a game; those before were played again.
    for (name, more) in [
        ("1-1", "The game was played again"),
        ("1-1-4", "<a href=\"#game-1-1\">Show"),
    ] {
        let line = format!("failures/{name}</a> · {more}");
        assert!(page.contains(&line), "{line}");
    }
}

#[test]
fn a_bundle_plays_the_same_situation_again() {
    let played = play_against("move=illegal", PATIENT);
    let mut again = hone();
    again
        .args(["replay", "--dialogue"])
        .arg(played.bundle("1-2"));
    let again = finish(again);
    assert_eq!(again.code, Some(1), "{}", again.stdout);
    assert!(
        again.stdout.contains("bestmove a1a1 is illegal"),
        "{}",
        again.stdout
    );

    let bundle = played.bundle("1-2").join("replay.toml");
    let mended = fs::read_to_string(&bundle)
        .unwrap()
        .replace("\"move=illegal\"", "\"x=y\"");
    fs::write(&bundle, mended).unwrap();
    let mut mended = hone();
    mended
        .args(["replay", "--times", "3"])
        .arg(played.bundle("1-2"));
    let mended = finish(mended);
    assert_eq!(mended.code, Some(0), "{}", mended.stdout);
    assert!(
        mended.stdout.contains("try 3: bestmove"),
        "{}",
        mended.stdout
    );
}
