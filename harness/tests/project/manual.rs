//! The commands of README and manual: each block marked `sh` is executed in a folder
//! with the files that the manual names. Blocks marked `sh norun` need hours, other
//! machines or a network; `cli::manual` parses them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::repository::EngineRepository;
use crate::common::{finish, hone, script, scripted, stillwater, workspace};

/// A user's folder: an engine's repository with a Makefile, tags of releases, and a
/// branch with a change; configurations; programs on the `PATH`.
struct Place {
    repository: EngineRepository,
}

const MAKEFILE: &str = "EXE = engine\nall:\n\tcp engine.sh '$(EXE)'\n\tchmod +x '$(EXE)'\nbench: all\n\t./$(EXE) bench\n";

/// Games of a few seconds; shared by all configurations.
const CONDITIONS: &str = "[match]\nlimit = \"nodes=20\"\nconcurrency = 2\n\
    openings = { file = \"book.epd\" }\n[adjudication]\nmax_moves = 80\n\
    resign = { count = 3, score = 600 }\n";

/// [`CONDITIONS`] with a further line of `[match]`.
fn with(setting: &str) -> String {
    CONDITIONS.replace("[match]\n", &format!("[match]\n{setting}\n"))
}

/// Stillwater at 200 nodes a move, whatever `go` asks for.
fn strong() -> String {
    format!(
        "#!/bin/sh\ncase \" $* \" in *' bench '*) echo '11 nodes 1000 nps'; exit;; esac\n\
         sed -u 's/^go .*/go nodes 200/' | '{}' \"$@\"\n",
        stillwater().display()
    )
}

/// An engine that plays random moves.
fn weak() -> String {
    format!(
        "#!/bin/sh\ncase \" $* \" in *' bench '*) echo '12 nodes 1000 nps'; exit;; esac\n\
         exec '{}' --seed 3\n",
        scripted()
    )
}

/// Parameters of Stillwater to tune, in too few games to find better values.
const TUNE: &str = "[tune]\npairs = 8\nbatch = 4\nwindow = 4\nverify = { sprt = { max_pairs = 2 } }\n\
    [tune.params]\nQsDeltaMargin = { min = 0, max = 400 }\n\
    HistoryDecay = { min = 64, max = 1000 }\n";

const MODEL: &str = "scale = 300.0\npair = [0.025, 0.225, 0.5, 0.225, 0.025]\n\
    coupling = [[1.0, 0.0], [0.0, 1.0]]\n\
    [[param]]\nname = \"QsDeltaMargin\"\nmin = 0\nmax = 400\nstart = 100\noptimum = 200\nsensitivity = 200\n\
    [[param]]\nname = \"HistoryDecay\"\nmin = 64\nmax = 1000\nstart = 500\noptimum = 700\nsensitivity = 100\n";

impl Place {
    fn new() -> Self {
        let place = Self {
            repository: EngineRepository::new(),
        };
        place.write_programs();
        place.write_configurations();
        place.write_history();
        place
    }

    fn path(&self) -> PathBuf {
        self.repository.path()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        self.repository.write(name, text);
    }

    fn write_program(&self, name: &str, text: &str) {
        self.write(name, text);
        script(&self.path(), name, text);
    }

    /// A line for each command of `hone` that a block runs: exit code and arguments.
    fn codes(&self) -> PathBuf {
        self.repository.dir.path().join("codes")
    }

    fn write_programs(&self) {
        for name in ["new", "bin/stillwater", "target/release/stillwater"] {
            self.write_program(name, &strong());
        }
        self.write_program("old", &weak());
        // `exec -a` keeps the name by which it is called, so that a link to it works.
        self.write_program(
            "bin/hone",
            &format!(
                "#!/bin/bash\n(exec -a \"$0\" '{}' \"$@\")\ncode=$?\n\
                 echo \"$code $*\" >>'{}'\nexit $code\n",
                env!("CARGO_BIN_EXE_hone"),
                self.codes().display()
            ),
        );
        self.write(
            ".gitignore",
            "/bin\n/target\n/results\n/configs\n/*.toml\n/*.epd\n/books\n/new\n/old\n/fastchess\n",
        );
    }

    fn write_configurations(&self) {
        for (book, name) in [
            ("quick.epd", "book.epd"),
            ("unbalanced.epd", "books/unbalanced.epd"),
        ] {
            let text = fs::read_to_string(workspace().join("books").join(book));
            self.write(name, &text.expect("there"));
        }
        self.write(
            "wac.epd",
            "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id \"mate\";\n\
             4k3/8/8/3q4/8/8/3R4/3RK3 w - - bm Rxd5; id \"queen\";\n",
        );
        let engine =
            |name: &str, cmd: &str| format!("[[engine]]\nname = \"{name}\"\ncmd = \"{cmd}\"\n");
        let two = engine("new", "./new") + &engine("old", "./old");
        self.write(
            "my-test.toml",
            &format!("{two}[sprt]\nmax_pairs = 75\n{CONDITIONS}"),
        );
        let short = format!("{two}{}", with("pairs = 6"));
        for name in ["my-match", "configs/gauntlet"] {
            self.write(&format!("{name}.toml"), &short);
        }
        let tuned = engine("sw", "./bin/stillwater") + CONDITIONS + TUNE;
        self.write("my-tune.toml", &tuned);
        self.write("my.toml", &tuned);
        self.write("model.toml", MODEL);
        let built = "[[engine]]\ngit = \".\"\nbuild = \"make EXE={out}\"\n";
        self.write("my-bisect.toml", &format!("{built}{CONDITIONS}"));
        let track = "[track]\nbranch = \"main\"\npaths = [\"engine.sh\"]\nanchor = \"v0.1\"\npairs = 6\nfalse_alarm_nights = 500\n";
        self.write(
            "configs/nightly.toml",
            &format!("{built}{track}{CONDITIONS}"),
        );
    }

    /// `main` is weak since v1.2, the branch `change` is strong again, and a further change
    /// is not committed.
    fn write_history(&self) {
        let repository = &self.repository;
        self.write("Makefile", MAKEFILE);
        let commit = |script: String, message: &str| {
            self.write_program("engine.sh", &script);
            repository.commit(message);
        };
        commit(strong(), "First");
        repository.git(&["tag", "v0.1"]);
        commit(strong() + "# 2\n", "Second");
        repository.git(&["tag", "v1.2"]);
        commit(weak(), "Third");
        commit(weak() + "# 4\n", "Fourth");
        // The newest commit of `origin/main`, which `change` lacks, does not build.
        repository.git(&["checkout", "--quiet", "--detach"]);
        self.write("Makefile", "all:\n\texit 1\n");
        repository.commit("Broken");
        repository.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
        repository.git(&["checkout", "--quiet", "-b", "change", "main"]);
        commit(strong() + "# 5\n", "Fifth");
        self.write_program("engine.sh", &(strong() + "# 6\n"));
    }

    /// The run that the manual calls `results/RUN`.
    fn play(&self, command: &str, config: &str) {
        let mut played = hone();
        played.current_dir(self.path());
        played.args([command, config, "--out", "results/RUN"]);
        let finished = finish(played);
        assert!(matches!(finished.code, Some(0 | 3)), "{}", finished.stderr);
    }

    /// Executes a block; returns what it printed if it failed.
    fn execute(&self, block: &str) -> Option<String> {
        let mut shell = std::process::Command::new("bash");
        let path = std::env::var("PATH").unwrap_or_default();
        let bin = self.path().join("bin");
        shell
            .args(["-c", block])
            .current_dir(self.path())
            .env("PATH", format!("{}:{path}", bin.display()))
            .env("HOME", self.repository.dir.path())
            .env("HONE_CACHE", self.repository.cache())
            .env_remove("GITHUB_STEP_SUMMARY");
        let _ = fs::remove_file(self.codes());
        let finished = finish(shell);
        let codes = fs::read_to_string(self.codes()).unwrap_or_default();
        // 0, 1 and 3 are results; a block that does not run `hone` fails.
        let is_result = |line: &str| ["0 ", "1 ", "3 "].iter().any(|code| line.starts_with(code));
        let succeeded = !codes.is_empty() && codes.lines().all(is_result);
        (!succeeded).then(|| format!("{block}\n{codes}{}{}", finished.stdout, finished.stderr))
    }
}

/// The blocks of a page that are marked `sh`.
fn blocks(page: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in page.lines() {
        match (line.trim(), &mut open) {
            ("```sh", None) => open = Some(String::new()),
            ("```", Some(_)) => blocks.extend(open.take()),
            (_, Some(block)) => {
                block.push_str(line);
                block.push('\n');
            }
            _ => {}
        }
    }
    blocks
}

/// Executes the blocks of some pages, each page in a folder with a run of `command` and
/// `config`; returns the number of blocks.
fn execute(pages: &[&str], (command, config): (&str, &str)) -> usize {
    let mut executed = 0;
    let mut faults = Vec::new();
    for page in pages {
        let text = fs::read_to_string(workspace().join(page)).expect("there");
        let blocks = blocks(&text);
        let place = Place::new();
        place.play(command, config);
        for block in &blocks {
            executed += 1;
            faults.extend(place.execute(block).map(|fault| format!("{page}: {fault}")));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    executed
}

/// Pages whose `results/RUN` is a tuning.
const TUNING_PAGES: [&str; 1] = ["docs/tuning.md"];

#[test]
fn the_commands_of_the_readme_work() {
    assert!(execute(&["README.md"], ("match", "my-match.toml")) >= 6);
}

#[test]
#[ignore = "plays the runs of all pages, about a minute: .ci/run runs it after the other tests"]
fn the_commands_of_the_manual_work() {
    let docs = fs::read_dir(workspace().join("docs")).expect("a folder");
    let pages: Vec<String> = docs
        .flatten()
        .map(|entry| format!("docs/{}", entry.file_name().to_string_lossy()))
        .filter(|page| Path::new(page).extension().is_some_and(|end| end == "md"))
        .filter(|page| !TUNING_PAGES.contains(&page.as_str()))
        .collect();
    let pages: Vec<&str> = pages
        .iter()
        .map(String::as_str)
        .filter(|page| {
            let text = fs::read_to_string(workspace().join(page)).expect("there");
            !blocks(&text).is_empty()
        })
        .collect();
    assert!(execute(&pages, ("match", "my-match.toml")) >= 12);
}

#[test]
#[ignore = "plays whole tunings, over half a minute: .ci/run runs it after the other tests"]
fn the_commands_of_the_page_on_tuning_work() {
    assert!(execute(&TUNING_PAGES, ("tune", "my.toml")) >= 1);
}
