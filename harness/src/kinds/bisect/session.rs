//! A run of `hone bisect`: as a session, but with engines that are built when
//! their turn comes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::builds::{BenchCheck, Commit, Repository};
use crate::config::{Config, EngineConfig};
use crate::executor::Player;
use crate::executor::local::Local;
use crate::executor::machine;
use crate::experiment::bisect::{BisectExperiment, Fingerprint, Known};
use crate::ledger::{Ledger, Pairs};
use crate::rules::openings::Book;
use crate::run::session::{book_identity, open_book, open_tables, placement};
use crate::run::{
    Contenders, Driver, Ended, EngineIdentity, Fold, Folder, Interrupts, Jobs, Kind, Manifest,
    PrepareError, SessionError, View,
};

/// What became of the commits' builds, in the run's folder: a part of its
/// ledger, for what does not build decides what is played.
const BUILDS_CSV: &str = "builds.csv";

/// A row of `builds.csv`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct BuildRow {
    /// Number along the history, from 0.
    number: usize,
    commit: String,
    /// Pairs absorbed before.
    pairs: u64,
    /// Empty if it does not build.
    sha256: String,
    /// The node count of its `bench`, if it has that command.
    bench: Option<u64>,
    /// Why it cannot play.
    reason: String,
}

/// A bisection that is ready to be played.
pub(crate) struct Bisection {
    pub folder: Folder,
    pub manifest: Manifest,
    /// Ends after so long.
    pub max_time: Option<Duration>,
    book: Option<Book>,
    ledger: Ledger,
    pairs: Pairs,
    builds: File,
}

impl BuildRow {
    /// What it says of its commit. The bench is no evidence where games depend
    /// on the engine's speed.
    fn known(&self, is_timed: bool) -> Known {
        if self.sha256.is_empty() {
            return Known::Skipped;
        }
        Known::Built(Fingerprint {
            sha256: self.sha256.clone(),
            bench: self.bench.filter(|_| !is_timed),
        })
    }
}

impl Bisection {
    /// Finds the commits, then makes the run's folder. The configuration's
    /// engine says how they are built and started.
    ///
    /// # Errors
    /// [`SessionError`]; nothing is left behind.
    pub(crate) fn create(
        mut config: Config,
        out: Option<&Path>,
        announce: &mut dyn FnMut(&str),
    ) -> Result<Self, SessionError> {
        let base = std::env::current_dir().context("the working directory is gone")?;
        let book = open_book(&config, Kind::Bisect, &base)?;
        open_tables(&mut config, &base)?;
        let commits = history(&config, &base)?;
        let engine = config.engine.remove(0);
        config.engine = commits.iter().map(|commit| at(&engine, commit)).collect();
        let concurrency = config
            .r#match
            .concurrency
            .unwrap_or_else(machine::physical_cores);
        let manifest = Manifest {
            hone: env!("CARGO_PKG_VERSION").to_string(),
            kind: Kind::Bisect,
            created: jiff::Timestamp::now(),
            base,
            concurrency,
            placement: placement(&config, concurrency, announce)?,
            engines: commits.iter().map(identity).collect(),
            book: book_identity(&config, book.as_ref()),
            config,
        };
        let ends = [&commits[0], &commits[commits.len() - 1]].map(|c| c.short().to_string());
        let folder = Folder::create(out, Kind::Bisect, &ends)?;
        manifest.write(folder.path())?;
        Self::with_ledger(folder, manifest, book)
    }

    /// Opens a run that is there already.
    ///
    /// # Errors
    /// [`SessionError`].
    pub(crate) fn resume(path: &Path) -> Result<Self, SessionError> {
        let manifest = Manifest::read(path)?;
        let book = open_book(&manifest.config, Kind::Bisect, &manifest.base)?;
        if book_identity(&manifest.config, book.as_ref()) != manifest.book {
            return Err(SessionError::Input(anyhow::anyhow!(
                "the book is not the one this run was started with"
            )));
        }
        Self::with_ledger(Folder::open(path), manifest, book)
    }

    fn with_ledger(
        folder: Folder,
        manifest: Manifest,
        book: Option<Book>,
    ) -> Result<Self, SessionError> {
        let epd = manifest.config.pgn.epd;
        let (ledger, pairs) = Ledger::open(folder.path(), &manifest.names(), epd)?;
        let builds = open_builds(folder.path())?;
        Ok(Self {
            folder,
            max_time: manifest.max_time(),
            manifest,
            book,
            ledger,
            pairs,
            builds,
        })
    }

    /// Plays and builds until the culprit is named, the budget is used up, or
    /// it is interrupted.
    ///
    /// # Errors
    /// [`SessionError::Stopped`].
    pub(crate) fn play(
        self,
        view: &mut impl View<BisectExperiment>,
        announce: &mut dyn FnMut(&str),
    ) -> Result<(Ended, Fold<BisectExperiment>), SessionError> {
        let Self {
            folder,
            manifest,
            max_time,
            book,
            mut ledger,
            pairs,
            mut builds,
        } = self;
        let experiment = experiment_of(folder.path(), &manifest)?;
        let fold = Fold::of(experiment, manifest.engines.len(), &pairs)?;
        let jobs = Jobs::new(&manifest.config, Vec::new(), book);
        let mut driver = Driver::new(fold, jobs, &manifest.config).ending_after(max_time);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("the run's loop cannot start")?;
        let (mut interrupts, mut executor) = runtime.block_on(async {
            let interrupts = Interrupts::listen().context("signals cannot be heard")?;
            let executor = Local::start(manifest.concurrency, &manifest.placement)
                .context("workers cannot start")?;
            anyhow::Ok((interrupts, executor))
        })?;
        let stopped = |source| SessionError::Stopped {
            folder: folder.path().to_path_buf(),
            source,
        };
        loop {
            let mut workshop = Workshop {
                manifest: &manifest,
                runtime: &runtime,
                interrupts: &mut interrupts,
                builds: &mut builds,
            };
            if workshop.make_ready(&mut driver, announce)? == Request::Stop {
                ledger.sync()?;
                return Ok((Ended::Interrupted, driver.fold));
            }
            let playing = driver.play(&mut executor, &mut ledger, &mut interrupts, view);
            match runtime.block_on(playing).map_err(stopped)? {
                Ended::Waiting => {}
                ended => {
                    ledger.sync()?;
                    return Ok((ended, driver.fold));
                }
            }
        }
    }
}

/// Whether the user wants to go on.
#[derive(PartialEq)]
enum Request {
    GoOn,
    Stop,
}

/// Where commits are built.
struct Workshop<'a> {
    manifest: &'a Manifest,
    runtime: &'a tokio::runtime::Runtime,
    interrupts: &'a mut Interrupts,
    builds: &'a mut File,
}

impl Workshop<'_> {
    /// Builds what the next match needs. What does not build is skipped, which
    /// changes what is needed.
    fn make_ready(
        &mut self,
        driver: &mut Driver<BisectExperiment>,
        announce: &mut dyn FnMut(&str),
    ) -> Result<Request, SessionError> {
        while let Some(&commit) = driver.fold.experiment.wanted().first() {
            let prepared = prepare(self.manifest, commit, announce);
            // A build that was interrupted says nothing of its commit.
            if self.runtime.block_on(self.interrupts.is_requested()) {
                return Ok(Request::Stop);
            }
            let rev = &self.manifest.config.engine[commit].rev;
            let experiment = &mut driver.fold.experiment;
            let mut row = BuildRow {
                number: commit,
                commit: rev.clone().unwrap_or_default(),
                pairs: experiment.pairs(),
                sha256: String::new(),
                bench: None,
                reason: String::new(),
            };
            let player = match prepared {
                Ok((player, identity)) => {
                    row.sha256 = identity.sha256;
                    row.bench = identity.bench;
                    experiment.set_ready(commit);
                    Some(player)
                }
                Err(error) if can_be_skipped(&error, commit, self.manifest) => {
                    announce(&format!("skipped: {error}"));
                    row.reason = error.to_string();
                    None
                }
                Err(error) => return Err(error.into()),
            };
            if !experiment.knows(commit) {
                append(self.builds, &row)?;
                experiment.learn(commit, row.known(is_timed(self.manifest)));
            }
            if let Some(player) = player {
                driver.set_player(player);
            }
        }
        Ok(Request::GoOn)
    }
}

/// The commits from the good one to the bad one, both among them.
fn history(config: &Config, base: &Path) -> anyhow::Result<Vec<Commit>> {
    let engine = &config.engine[0];
    let section = config.bisect.clone().unwrap_or_default();
    let repository = engine.git.as_ref().context("the engine has no `git`")?;
    let repository = Repository::open(&base.join(repository))?;
    let good = repository.commit(&section.good)?;
    let later = repository.first_parents(&good.id, &section.bad)?;
    let Some(first) = later.first() else {
        bail!(
            "there is no commit from {} to {}: the bad one must come after the good one",
            section.good,
            section.bad
        );
    };
    let before = repository.commit(&format!("{}^", first.id))?;
    ensure!(
        before.id == good.id,
        "{} is not in the first-parent history of {}: choose a good commit on the same branch, as {}",
        section.good,
        section.bad,
        before.describe()
    );
    let mut commits = vec![good];
    commits.extend(later);
    Ok(commits)
}

/// The engine at a commit.
fn at(engine: &EngineConfig, commit: &Commit) -> EngineConfig {
    EngineConfig {
        name: commit.short().to_string(),
        rev: Some(commit.id.clone()),
        // A wrong count in a message is no reason to pass a commit over.
        bench: BenchCheck::Record,
        ..engine.clone()
    }
}

fn identity(commit: &Commit) -> EngineIdentity {
    EngineIdentity {
        name: commit.short().to_string(),
        id: String::new(),
        author: String::new(),
        program: PathBuf::new(),
        sha256: String::new(),
        commit: Some(commit.id.clone()),
        subject: Some(commit.subject.clone()),
        tree: None,
        bench: None,
    }
}

/// Builds a commit and sees whether it plays.
fn prepare(
    manifest: &Manifest,
    commit: usize,
    announce: &mut dyn FnMut(&str),
) -> Result<(Player, EngineIdentity), PrepareError> {
    let config = Config {
        engine: vec![manifest.config.engine[commit].clone()],
        ..manifest.config.clone()
    };
    let contenders = Contenders::prepare(&config, &manifest.base, announce)?;
    let player = Player {
        engine: commit,
        ..contenders.players[0].clone()
    };
    Ok((player, contenders.identities[0].clone()))
}

/// Whether the games depend on the engine's speed.
fn is_timed(manifest: &Manifest) -> bool {
    let config = &manifest.config;
    let own = config
        .engine
        .first()
        .and_then(|engine| engine.limit.as_ref());
    own.unwrap_or(&config.r#match.limit).is_timed()
}

/// Whether it is the commit that is at fault, and bisection can do without it.
fn can_be_skipped(error: &PrepareError, commit: usize, manifest: &Manifest) -> bool {
    let is_end = commit == 0 || commit + 1 == manifest.engines.len();
    let is_its_fault = match error {
        PrepareError::Source { source, .. } => source.is_of_commit(),
        PrepareError::Broken { .. }
        | PrepareError::Option { .. }
        | PrepareError::Chess960 { .. } => true,
        _ => false,
    };
    is_its_fault && !is_end
}

/// The experiment of a run, before its results.
///
/// # Errors
/// If the file of builds cannot be read.
pub(crate) fn experiment_of(dir: &Path, manifest: &Manifest) -> anyhow::Result<BisectExperiment> {
    let section = manifest.config.bisect.clone().unwrap_or_default();
    let last = manifest.engines.len().saturating_sub(1);
    ensure!(last >= 1, "the manifest has no commits");
    let is_timed = is_timed(manifest);
    let known = read_builds(dir)?
        .into_iter()
        .filter(|row| row.number <= last)
        .map(|row| (row.pairs, row.number, row.known(is_timed)))
        .collect();
    Ok(BisectExperiment::new(section, last, known))
}

fn read_builds(dir: &Path) -> anyhow::Result<Vec<BuildRow>> {
    let path = dir.join(BUILDS_CSV);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", path.display()));
        }
    };
    let rows = csv::Reader::from_reader(whole_lines(&text)).into_deserialize();
    rows.collect::<Result<_, _>>()
        .with_context(|| format!("{} is damaged", path.display()))
}

/// What a kill cut off is left out.
fn whole_lines(text: &[u8]) -> &[u8] {
    let end = memchr::memrchr(b'\n', text).map_or(0, |at| at + 1);
    &text[..end]
}

fn open_builds(dir: &Path) -> anyhow::Result<File> {
    let path = dir.join(BUILDS_CSV);
    let open = || -> io::Result<File> {
        let mut file = OpenOptions::new().append(true).create(true).open(&path)?;
        let text = fs::read(&path)?;
        let whole = whole_lines(&text).len();
        file.set_len(whole as u64)?;
        if whole == 0 {
            file.write_all(b"number,commit,pairs,sha256,bench,reason\n")?;
        }
        Ok(file)
    };
    open().with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a row, in one line, and brings it to the disk before anything is
/// played that depends on it.
fn append(builds: &mut File, row: &BuildRow) -> anyhow::Result<()> {
    let row = BuildRow {
        reason: row.reason.lines().collect::<Vec<_>>().join(" | "),
        ..row.clone()
    };
    let mut writer = csv::WriterBuilder::new()
        .has_headers(false)
        .from_writer(Vec::new());
    writer.serialize(row)?;
    let line = writer.into_inner().context("memory can be flushed")?;
    builds
        .write_all(&line)
        .and_then(|()| builds.sync_data())
        .with_context(|| format!("cannot write {BUILDS_CSV}"))
}
