//! The kinds of run, each small and with engines that answer at once, so that every phase
//! of a run is hit at random times.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;

use super::processes::VARIABLE;

const BOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../books/quick.epd");

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    Match,
    /// A match with Stillwater; the others have engines that move at random.
    Stillwater,
    Sprt,
    Tune,
    Bisect,
    Track,
}

impl Kind {
    pub(crate) const ALL: [Self; 6] = [
        Self::Match,
        Self::Stillwater,
        Self::Sprt,
        Self::Tune,
        Self::Bisect,
        Self::Track,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Match => "match",
            Self::Stillwater => "stillwater",
            Self::Sprt => "sprt",
            Self::Tune => "tune",
            Self::Bisect => "bisect",
            Self::Track => "track",
        }
    }
}

/// The programs under test.
#[derive(Debug)]
pub(crate) struct Programs {
    hone: PathBuf,
    stillwater: PathBuf,
    scripted: PathBuf,
}

impl Programs {
    /// Programs that were built into the same folder as this one.
    pub(crate) fn beside_this_one() -> anyhow::Result<Self> {
        let examples = std::env::current_exe()?;
        let examples = examples.parent().context("a program is in a folder")?;
        let built = |path: &str| {
            let path = examples.join(path);
            fs::canonicalize(&path).with_context(|| {
                format!(
                    "cannot find {}: build it with `cargo build --workspace --bins --examples`",
                    path.display()
                )
            })
        };
        Ok(Self {
            hone: built("../hone")?,
            stillwater: built("../stillwater")?,
            scripted: built("scripted_engine")?,
        })
    }
}

/// A folder with a configuration, the files that it names, and its run.
#[derive(Debug)]
pub(crate) struct Scene<'a> {
    programs: &'a Programs,
    kind: Kind,
    dir: PathBuf,
    mark: String,
}

impl<'a> Scene<'a> {
    /// Writes the configuration and a repository, if the run needs one, to `dir`, which
    /// exists.
    pub(crate) fn prepare(
        programs: &'a Programs,
        kind: Kind,
        dir: &Path,
        mark: &str,
    ) -> anyhow::Result<Self> {
        let scene = Self {
            programs,
            kind,
            dir: dir.into(),
            mark: mark.into(),
        };
        if matches!(kind, Kind::Bisect | Kind::Track) {
            scene.make_repository()?;
        }
        fs::write(dir.join("config.toml"), scene.config())?;
        Ok(scene)
    }

    pub(crate) fn mark(&self) -> &str {
        &self.mark
    }

    /// The run's folder; for `track`, that of all nights.
    pub(crate) fn out(&self) -> PathBuf {
        self.dir.join("run")
    }

    /// The folders that have a ledger.
    pub(crate) fn runs(&self) -> Vec<PathBuf> {
        let nights = fs::read_dir(self.out().join("track"));
        let nights = nights.into_iter().flatten().flatten();
        let mut runs: Vec<_> = [self.out()]
            .into_iter()
            .chain(nights.map(|entry| entry.path()))
            .filter(|run| run.join("games.csv").exists())
            .collect();
        runs.sort();
        runs
    }

    pub(crate) fn is_tracked(&self) -> bool {
        self.kind == Kind::Track
    }

    pub(crate) fn hone(&self) -> Command {
        let mut command = Command::new(&self.programs.hone);
        command
            .env("HONE_CACHE", self.dir.join("cache"))
            .env(VARIABLE, &self.mark)
            .current_dir(&self.dir)
            .stdin(Stdio::null());
        command
    }

    /// The command that starts the run or continues it.
    pub(crate) fn next(&self) -> anyhow::Result<Command> {
        let mut command = self.hone();
        let out = self.out();
        if self.kind != Kind::Track && out.join("run.toml").exists() {
            command.arg("resume").arg(out);
            return Ok(command);
        }
        if self.kind != Kind::Track && out.exists() {
            // A kill before the manifest leaves a folder without games.
            let games = fs::read(out.join("games.pgn")).unwrap_or_default();
            anyhow::ensure!(games.is_empty(), "games without a manifest");
            fs::remove_dir_all(&out)?;
        }
        command.arg(match self.kind {
            Kind::Match | Kind::Stillwater => "match",
            kind => kind.name(),
        });
        command.arg("config.toml").arg("--out").arg(out);
        match self.kind {
            Kind::Bisect => command.args(["--good", "v1", "--bad", "main"]),
            Kind::Track => command.args(["--since", "v1"]),
            _ => &mut command,
        };
        Ok(command)
    }

    fn config(&self) -> String {
        let (players, play, more) = match self.kind {
            Kind::Match => (
                self.players(),
                "limit = \"nodes=1\"\npairs = 40",
                "[pgn]\nepd = true\n",
            ),
            Kind::Stillwater => (
                self.stillwaters(),
                "limit = \"nodes=300\"\npairs = 6",
                "resign = { count = 2, score = 400 }\n",
            ),
            Kind::Sprt => (
                self.players(),
                "limit = \"nodes=1\"",
                "[sprt]\nelo0 = 0.0\nelo1 = 60.0\nmax_pairs = 60\n",
            ),
            Kind::Tune => (
                self.player("one", 1),
                "limit = \"nodes=1\"",
                "[tune]\npairs = 40\nbatch = 2\nwindow = 6\n[tune.params]\n\
                 Hash = { start = 100 }\nThreads = { start = 10 }\n",
            ),
            Kind::Bisect => (
                "[[engine]]\ngit = \"repository\"\nbuild = \"sh build.sh {out}\"\n".into(),
                "limit = \"nodes=1\"",
                "[bisect]\nmax_pairs = 36\n",
            ),
            Kind::Track => (
                "[[engine]]\ngit = \"repository\"\nbuild = \"sh build.sh {out}\"\n".into(),
                "limit = \"nodes=1\"",
                "[track]\nbranch = \"main\"\nanchor = \"v1\"\npairs = 8\n",
            ),
        };
        format!(
            "{players}[match]\n{play}\nconcurrency = 2\nstall_ms = 60000\nstartup_ms = 60000\n\
             on_failure = \"replay\"\nmax_failures = 1.0\nopenings = {{ file = '{BOOK}' }}\n\
             [adjudication]\nmax_moves = 20\n{more}"
        )
    }

    fn players(&self) -> String {
        self.player("one", 1) + &self.player("two", 2)
    }

    fn player(&self, name: &str, seed: u64) -> String {
        let program = self.programs.scripted.display();
        format!("[[engine]]\nname = \"{name}\"\ncmd = '{program} --seed {seed}'\n")
    }

    fn stillwaters(&self) -> String {
        let program = self.programs.stillwater.display();
        format!(
            "[[engine]]\nname = \"with\"\ncmd = '{program}'\n\
             [[engine]]\nname = \"without\"\ncmd = '{program}'\noptions = {{ Quiescence = false }}\n"
        )
    }

    /// Four commits of an engine, the first with the tag `v1`.
    fn make_repository(&self) -> anyhow::Result<()> {
        let dir = self.dir.join("repository");
        fs::create_dir(&dir)?;
        let git = |arguments: &[&str]| {
            let output = Command::new("git")
                .args([
                    "-c",
                    "user.name=Tester",
                    "-c",
                    "user.email=tester@localhost",
                ])
                .args(arguments)
                .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
                .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
                .current_dir(&dir)
                .output()
                .context("git does not start")?;
            anyhow::ensure!(output.status.success(), "git {arguments:?}: {output:?}");
            Ok(())
        };
        git(&["init", "--quiet", "--initial-branch=main"])?;
        let build = "cp engine.sh \"$1\"\nchmod +x \"$1\"\n";
        fs::write(dir.join("build.sh"), build)?;
        for seed in 1..=4 {
            let program = self.programs.scripted.display();
            let engine = format!(
                "#!/bin/sh\ncase \" $* \" in *' bench '*) echo '{seed} nodes 1000 nps'; exit;; \
                 esac\nexec '{program}' --seed {seed} \"$@\"\n"
            );
            fs::write(dir.join("engine.sh"), engine)?;
            git(&["add", "--all"])?;
            git(&["commit", "--quiet", "--message", &format!("Number {seed}")])?;
            if seed == 1 {
                git(&["tag", "v1"])?;
            }
        }
        Ok(())
    }
}
