//! Engines that workers build from their commits.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[cfg(target_os = "linux")]
use crate::common::processes_with;
use crate::common::repository::EngineRepository;
use crate::common::{Setup, engines, finish, on_run, rows, scripted, wait_until};
use crate::server::{Fleet, Process};
use crate::{digest, fast_match, has_bubblewrap};

/// A match of an engine's commit against itself.
struct Scene {
    repository: EngineRepository,
    setup: Setup,
    /// The file that makes builds wrong: its content is `fail`, `bench` or `wait`.
    fault: PathBuf,
}

/// Time of a build that waits: no other process of the machine sleeps as long.
fn waiting_seconds() -> u32 {
    1_000_000 + std::process::id()
}

impl Scene {
    fn new(pairs: usize) -> Self {
        let repository = EngineRepository::new();
        let fault = repository.dir.path().join("fault");
        let engine = format!(
            "#!/bin/sh\ncase \"$*\" in *bench) echo '1000 nodes 1 nps'; exit;; esac\n\
             exec '{}' \"$@\"\n",
            scripted()
        );
        repository.write("engine.sh", &engine);
        let build = format!(
            "case \"$(cat '{}' 2>/dev/null)\" in\n\
             fail) echo it is broken; exit 7;;\n\
             wait) sleep {} & wait;;\n\
             bench) sed 's/1000 nodes/999 nodes/' engine.sh > \"$1\";;\n\
             *) cp engine.sh \"$1\";;\nesac\nchmod +x \"$1\"\n",
            fault.display(),
            waiting_seconds()
        );
        repository.write("build.sh", &build);
        repository.commit("an engine\n\nBench: 1000");
        let from = format!(
            "git = '{}'\nbuild = \"sh build.sh {{out}}\"",
            repository.path().display()
        );
        let players = engines(
            ("one", "{out} --seed 1", &from),
            ("two", "{out} --seed 2", &from),
        );
        let setup = Setup::new(&format!(
            "{players}[match]\nlimit = \"nodes=1\"\npairs = {pairs}\nconcurrency = 2\n\
             openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 20\n"
        ));
        Self {
            repository,
            setup,
            fault,
        }
    }

    fn with_cache(&self, mut command: Command) -> Command {
        command.env("HONE_CACHE", self.repository.cache());
        command
    }

    fn start(&self, fleet: &Fleet) -> Process {
        let command = self.with_cache(fleet.command(&self.setup, "match", "fleet"));
        let runner = fleet.spawn("run", command);
        let run = self.setup.run("fleet");
        wait_until("the run", || run.join("run.toml").exists());
        runner
    }

    /// The digest of the same games on this machine alone.
    fn local_digest(&self) -> String {
        let local = self.with_cache(self.setup.command("match", "local", &[]));
        let local = finish(local);
        assert_eq!(local.code, Some(0), "{}", local.stderr);
        digest(&self.setup.run("local"))
    }
}

/// Names of all files below a folder.
fn files_below(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let named = entries.flat_map(|entry| {
        if entry.path().is_dir() {
            files_below(&entry.path())
        } else {
            vec![entry.file_name().to_string_lossy().into_owned()]
        }
    });
    named.collect()
}

#[test]
fn a_worker_builds_the_engines_of_a_run_from_their_commits() {
    let Some(fleet) = Fleet::start() else { return };
    let scene = Scene::new(60);
    let run = scene.setup.run("fleet");
    let mut runner = scene.start(&fleet);
    let confined: &[&str] = if has_bubblewrap() {
        &["--sandbox"]
    } else {
        &[]
    };
    let build = ["--build", "always", "--cores", "1"];
    let builder = fleet.worker("builder", &[&build, confined].concat());
    wait_until("games of the built engines", || rows(&run) > 10);
    // It downloaded no program.
    let cache = fleet.dir.path().join("cache-builder");
    let sent = files_below(&cache.join("fleet").join("files"));
    assert_eq!(
        sent.iter().filter(|name| name.ends_with(".pack")).count(),
        1
    );
    assert!(!sent.iter().any(|name| name == "engine"), "{sent:?}");
    let _plain = fleet.worker("plain", &["--cores", "1"]);
    assert_eq!(runner.wait(), Some(0), "{}", builder.printed());
    assert_eq!(digest(&run), scene.local_digest());
    let workers = fs::read_to_string(run.join("workers.csv")).expect("the workers");
    let ends = |name: &str, end: &str| {
        let mut rows = workers.lines().filter(|row| row.contains(name));
        rows.all(|row| row.ends_with(end))
    };
    assert!(workers.contains("builder"), "{workers}");
    assert!(
        ends(",builder,", ",true") && ends(",plain,", ",false"),
        "{workers}"
    );
    let report = on_run("report", &run).stdout;
    assert!(
        report.contains("Worker workers/builder built the engines of its"),
        "{report}"
    );
}

#[test]
fn a_build_that_fails_or_has_another_bench_costs_only_its_worker() {
    let Some(fleet) = Fleet::start() else { return };
    let scene = Scene::new(10);
    let run = scene.setup.run("fleet");
    let mut runner = scene.start(&fleet);
    let build = ["--build", "always", "--cores", "1"];
    let refusal = |words: &str| {
        wait_until(words, || runner.printed().contains(words));
        let printed = runner.printed();
        let line = printed.lines().find(|line| line.contains(words));
        line.expect("printed").to_string()
    };
    fs::write(&scene.fault, "fail").expect("written");
    let _failing = fleet.worker("failing", &build);
    let line = refusal("does not build");
    assert!(
        line.contains("workers/failing does not play this run"),
        "{line}"
    );
    let (_, path) = line
        .split_once("its log there is ")
        .expect("a log is named");
    let text = fs::read_to_string(path).expect("it is there");
    assert!(text.contains("it is broken"), "{text}");
    fs::write(&scene.fault, "bench").expect("written");
    let _other = fleet.worker("other", &build);
    let line = refusal("its bench is 999 here, and 1000 where the run was started");
    assert!(line.contains("workers/other"), "{line}");
    assert_eq!(rows(&run), 0);
    let status = finish(fleet.hone(&["fleet", "status"])).stdout;
    let why = "engine `one` cannot be built here: ";
    assert_eq!(status.matches(why).count(), 2, "{status}");
    fs::remove_file(&scene.fault).expect("removed");
    let _good = fleet.worker("good", &build);
    assert_eq!(runner.wait(), Some(0), "{}", runner.printed());
    assert_eq!(digest(&run), scene.local_digest());
    let incidents = fs::read_to_string(run.join("incidents.csv")).expect("the incidents");
    assert_eq!(incidents.matches(",declined,").count(), 2, "{incidents}");
}

/// A build of a worker runs in a process group of its own.
#[cfg(target_os = "linux")]
#[test]
fn a_build_ends_with_its_worker_that_is_killed() {
    let Some(fleet) = Fleet::start() else { return };
    let scene = Scene::new(10);
    let _runner = scene.start(&fleet);
    fs::write(&scene.fault, "wait").expect("written");
    let worker = fleet.worker("builder", &["--build", "always", "--cores", "1"]);
    let waiting = format!("sleep {}", waiting_seconds());
    let is_building = || !processes_with(&waiting).is_empty();
    wait_until("the build", is_building);
    drop(worker);
    wait_until("the end of the build", || !is_building());
}

#[test]
fn a_worker_that_only_builds_runs_no_program_that_is_sent() {
    let Some(fleet) = Fleet::start() else { return };
    let setup = fast_match(10, "");
    let mut runner = fleet.start_run(&setup, &[]);
    let builder = fleet.worker("builder", &["--build", "always"]);
    wait_until("the refusal", || {
        builder.printed().contains("plays only what it builds")
    });
    let cache = fleet.dir.path().join("cache-builder");
    assert!(files_below(&cache.join("fleet").join("files")).is_empty());
    assert_eq!(rows(&setup.run("fleet")), 0);
    let _plain = fleet.worker("plain", &[]);
    assert_eq!(runner.wait(), Some(0), "{}", runner.printed());
}
