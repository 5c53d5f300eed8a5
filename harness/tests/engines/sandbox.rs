//! Engines and builds in a sandbox: no network, no writing outside, no other processes; and
//! everything that `hone` does with engines works there too.
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::repository::{BUILD, EngineRepository};
use crate::common::running::Running;
use crate::common::skip::skipped;
use crate::common::{
    Finished, Setup, digest, engines, finish, hone, processes_with, rows, script, scripted, signal,
    wait_until, workspace,
};
use tempfile::TempDir;

/// Whether sandboxes work on this machine; if not, the test counts as skipped.
fn works() -> bool {
    let args = "--unshare-all --cap-drop ALL --ro-bind / / --dev /dev --proc /proc true";
    let output = Command::new("bwrap").args(args.split_whitespace()).output();
    let reason = match output {
        Ok(output) if output.status.success() => return true,
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(error) => format!("bwrap: {error}"),
    };
    skipped(&reason);
    false
}

/// What a sandbox must make unreachable: a port, and a home folder (outside of the folders
/// that every sandbox replaces).
struct Outside {
    listener: TcpListener,
    home: TempDir,
}

impl Outside {
    fn new() -> Self {
        Self {
            listener: TcpListener::bind("127.0.0.1:0").expect("a port"),
            home: tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder"),
        }
    }

    /// An engine whose name lists what it can reach.
    fn probing(&self) -> String {
        let port = self.listener.local_addr().expect("bound").port();
        format!("{} uci=probe:{port}", scripted())
    }

    fn finish(&self, mut command: Command) -> Finished {
        command.env("HOME", self.home.path());
        finish(command)
    }

    fn is_home_empty(&self) -> bool {
        fs::read_dir(self.home.path()).unwrap().next().is_none()
    }
}

/// What an engine reports without and in a sandbox.
const FREE: &str = "network=true home=true temporary=true others=true";
const SANDBOXED: &str = "network=false home=false temporary=true others=false";

fn setup(first: &str, second: &str, play: &str) -> Setup {
    let players = engines(("a", first, ""), ("b", second, ""));
    Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=10\"\nconcurrency = 1\n{play}\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 10\n"
    ))
}

fn manifest(run: &Path) -> String {
    fs::read_to_string(run.join("run.toml")).expect("a manifest")
}

#[test]
fn an_engine_reaches_nothing_and_plays_the_same_games() {
    if !works() {
        return;
    }
    let outside = Outside::new();
    let setup = setup(&outside.probing(), &scripted(), "pairs = 3\n");
    let free = outside.finish(setup.command("match", "free", &[]));
    assert_eq!(free.code, Some(0), "{}", free.stderr);
    let text = manifest(&setup.run("free"));
    assert!(text.contains(FREE), "{text}");
    fs::remove_file(outside.home.path().join("written")).expect("it wrote there");

    let sandboxed = outside.finish(setup.command("match", "sandboxed", &["--sandbox"]));
    assert_eq!(sandboxed.code, Some(0), "{}", sandboxed.stderr);
    let text = manifest(&setup.run("sandboxed"));
    assert!(text.contains(SANDBOXED), "{text}");
    assert!(text.contains("sandbox = true"), "{text}");
    assert!(outside.is_home_empty());
    assert_eq!(digest(&setup.run("free")), digest(&setup.run("sandboxed")));
}

#[test]
fn commands_without_a_run_have_a_sandbox() {
    if !works() {
        return;
    }
    let outside = Outside::new();
    let setup = setup("x", "y", "");
    let suite = setup.dir.path().join("suite.epd");
    fs::write(&suite, "8/8/8/8/8/k7/8/K6R w - - bm Rh3;\n").unwrap();
    let with = |arguments: &[&str]| {
        let mut command = hone();
        command.args(arguments).arg("--sandbox");
        outside.finish(command)
    };
    let probing = outside.probing();
    let suite = suite.display().to_string();
    let solved = with(&["suite", &suite, "--engine", &probing, "--nodes", "10"]);
    assert_eq!(solved.code, Some(0), "{}", solved.stderr);
    assert!(solved.stdout.contains(SANDBOXED), "{}", solved.stdout);
    let checked = with(&["check", &probing]);
    assert!(checked.stdout.contains(" passed, "), "{}", checked.stderr);
    assert!(outside.is_home_empty());
}

#[test]
fn failures_in_a_sandbox_have_evidence_and_can_be_replayed() {
    if !works() {
        return;
    }
    for (script, result, words) in [
        (
            "go:2=abort",
            "crash",
            "process:   killed by signal 6 (SIGABRT)",
        ),
        ("go:2=exit:7", "crash", "process:   exit status 7"),
        // The memory of the engine, not of `bwrap`.
        ("go:2=alloc:100 go:2=illegal", "illegal_move", "at most 1"),
    ] {
        let bad = format!("{} {script}", scripted());
        let setup = setup(&bad, &scripted(), "pairs = 1\nmax_failures = 1.0\n");
        let finished = setup.play("match", "run", &["--json", "--sandbox"]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let lost = &finished.json()["failures"][result][0];
        assert!(lost.as_u64().is_some_and(|lost| lost > 0), "{finished:?}");
        let bundle = setup.run("run").join("failures/1-1");
        let summary = fs::read_to_string(bundle.join("summary.txt")).unwrap();
        assert!(summary.contains(words), "{summary}");
        if words.starts_with("at most") {
            let (_, peak) = summary.split_once("at most ").unwrap();
            let (peak, _) = peak.split_once('M').unwrap();
            assert!(
                (100..200).contains(&peak.parse::<u64>().unwrap()),
                "{summary}"
            );
        }
        let replay = fs::read_to_string(bundle.join("replay.toml")).unwrap();
        assert!(replay.contains("sandbox = true"), "{replay}");
    }
}

#[test]
fn no_sandbox_outlives_hone() {
    if !works() {
        return;
    }
    for (number, signal_number) in [libc::SIGKILL, libc::SIGTERM, libc::SIGINT]
        .into_iter()
        .enumerate()
    {
        let mark = format!("boxed{number}");
        let engine = format!(
            "{} --name {mark} ucinewgame=fork:1000 go=late:5",
            scripted()
        );
        let setup = setup(&engine, &scripted(), "pairs = 1000\n");
        let mut command = setup.command("match", "run", &["--sandbox"]);
        let child = Running::start(command.stdout(Stdio::null()).stderr(Stdio::null()));
        wait_until("a pair", || rows(&setup.run("run")) >= 2);
        assert!(!processes_with(&mark).is_empty());
        signal(&child, signal_number);
        child.finish();
        wait_until("the end of all engines", || {
            processes_with(&mark).is_empty()
        });
    }
}

/// A repository without an engine: the tests are about the build command.
fn repository() -> EngineRepository {
    let repository = EngineRepository::new();
    repository.write("source", "1");
    repository.commit("First");
    repository
}

/// A match of `main`, built by the command `line`, against the scripted engine.
fn built_by(repository: &EngineRepository, outside: &Outside, line: &str) -> Finished {
    let config = format!(
        "[[engine]]\nname = \"a\"\ngit = '{}'\nrev = \"main\"\nbuild = '''{line}'''\n\
         [[engine]]\nname = \"b\"\ncmd = '{}'\n\
         [match]\nlimit = \"nodes=10\"\npairs = 1\n[adjudication]\nmax_moves = 4\n",
        repository.path().display(),
        scripted()
    );
    let file = repository.dir.path().join("config.toml");
    fs::write(&file, config).unwrap();
    let mut command = repository.hone();
    command.arg("match").arg(file).args(["--sandbox", "--out"]);
    command.arg(repository.dir.path().join("run"));
    outside.finish(command)
}

fn builds(repository: &EngineRepository) -> Vec<PathBuf> {
    let entries = fs::read_dir(repository.cache().join("builds"));
    let entries = entries.into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

#[test]
fn a_build_reaches_nothing_but_its_own_folders() {
    if !works() {
        return;
    }
    let (repository, outside) = (repository(), Outside::new());
    let line = format!(
        "(echo uci; echo quit) | {}; echo more >> source && echo written; \
         echo x 2>&1 >> .git/config || echo sealed; cp {} {{out}}",
        outside.probing(),
        scripted()
    );
    let finished = built_by(&repository, &outside, &line);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let builds = builds(&repository);
    assert_eq!(builds.len(), 1, "{builds:?}");
    let log = fs::read_to_string(builds[0].join("build.log")).unwrap();
    for words in [
        "network=false home=false temporary=true",
        "written",
        "sealed",
    ] {
        assert!(log.contains(words), "{words}: {log}");
    }
    assert!(outside.is_home_empty());
    assert!(!builds[0].join("made").exists());
}

/// Three commits of an engine that writes to `HOME` when it is built and when it plays.
fn writing_engine() -> EngineRepository {
    let repository = EngineRepository::new();
    repository.write_engine("", 1);
    for (name, before) in [("engine.sh", "exec "), ("build.sh", "cp ")] {
        let text = fs::read_to_string(repository.path().join(name)).unwrap();
        let writing = format!("touch \"$HOME/{name}\" || true\n{before}");
        repository.write(name, &text.replace(before, &writing));
    }
    for number in 1..4 {
        repository.write("README", &number.to_string());
        repository.commit(&format!("Change {number}"));
    }
    repository.git(&["tag", "v1", "HEAD~1"]);
    repository
}

#[test]
fn tuning_bisecting_and_tracking_use_the_sandbox() {
    if !works() {
        return;
    }
    let (repository, outside) = (writing_engine(), Outside::new());
    let built = format!("git = \".\"\nbuild = \"{BUILD}\"\n");
    let text = fs::read_to_string(repository.path().join("engine.sh")).unwrap();
    let engine = script(&repository.path(), "engine.sh", &text);
    let plain = format!("name = \"sw\"\ncmd = '{}'\n", engine.display());
    for (engine, more, arguments, written) in [
        (
            &plain,
            "[tune]\npairs = 2\nbatch = 2\n[tune.params]\nHash = { min = 1, max = 400 }\n",
            &["tune"][..],
            &["engine.sh"][..],
        ),
        (
            &built,
            "[bisect]\nmax_pairs = 4\n",
            &["bisect", "--good", "HEAD~2", "--bad", "HEAD"],
            &["engine.sh", "build.sh"],
        ),
        (
            &built,
            "[track]\nbranch = \"main\"\nanchor = \"v1\"\npairs = 2\n",
            &["track"],
            &["engine.sh", "build.sh"],
        ),
    ] {
        let config = repository.dir.path().join("config.toml");
        let text = format!(
            "[[engine]]\n{engine}[match]\nlimit = \"nodes=20\"\nconcurrency = 1\n\
             openings = {{ file = '{}' }}\n[adjudication]\nmax_moves = 4\n{more}",
            workspace().join("books/quick.epd").display()
        );
        fs::write(&config, text).unwrap();
        for sandbox in [&[][..], &["--sandbox"]] {
            let run = tempfile::tempdir_in(repository.dir.path()).unwrap();
            let mut command = repository.hone();
            command.arg(arguments[0]).arg(&config);
            command.args(&arguments[1..]).args(sandbox).arg("--out");
            command.arg(run.path().join("run"));
            // A cache for each, so that each builds.
            command.env("HONE_CACHE", run.path().join("cache"));
            let finished = outside.finish(command);
            let ended = matches!(finished.code, Some(0 | 3));
            assert!(ended, "{arguments:?} {sandbox:?}: {}", finished.stderr);
            if sandbox.is_empty() {
                for name in written {
                    fs::remove_file(outside.home.path().join(name)).expect("it wrote there");
                }
            }
            assert!(outside.is_home_empty(), "{arguments:?} {sandbox:?}");
        }
    }
}

/// The files that `hone` writes after a build must not be written through links that the
/// build has made.
#[test]
fn links_made_by_a_build_are_not_followed() {
    if !works() {
        return;
    }
    let (repository, outside) = (repository(), Outside::new());
    let victim = outside.home.path().join("victim");
    fs::write(&victim, "mine").unwrap();
    let line = format!(
        "cd \"$(dirname {{out}})\"; for name in engine build.toml bench.log; do \
         ln -sf {0} $name; ln -sf {0} ../$name; done; true",
        victim.display()
    );
    let finished = built_by(&repository, &outside, &line);
    assert_eq!(finished.code, Some(4), "{}", finished.stderr);
    assert!(
        finished.stderr.contains(
            "its program `{out}` is missing; the build did not make any other executable file"
        ),
        "{}",
        finished.stderr
    );
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
}

#[test]
fn a_sandbox_without_bubblewrap_is_refused_before_anything_starts() {
    let setup = setup(&scripted(), &scripted(), "pairs = 1\n");
    let empty = tempfile::tempdir().expect("a folder");
    for arguments in [&["match"][..], &["sprt"], &["check"]] {
        let mut command = match arguments {
            ["check"] => {
                let mut command = hone();
                command.args(["check", &scripted()]);
                command
            }
            arguments => setup.command(arguments[0], "run", &[]),
        };
        command.arg("--sandbox").env("PATH", empty.path());
        let refused = finish(command);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        let expected = "cannot make a sandbox: `bwrap` is not installed\nhelp: install bubblewrap";
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
        assert!(!setup.run("run").exists());
    }
    // If `bwrap` fails, its reason is shown.
    let failing = "#!/bin/sh\necho 'bwrap: No permissions' >&2\nexit 1\n";
    script(empty.path(), "bwrap", failing);
    let mut command = setup.command("match", "run", &["--sandbox"]);
    command.env("PATH", empty.path());
    let refused = finish(command);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    for words in ["bwrap: No permissions", "user namespaces"] {
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
}
