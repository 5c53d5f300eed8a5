//! A run from its first check to its report: what `hone sprt`, `hone match`
//! and `hone resume` share.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};

use super::contenders::{Contenders, PrepareError};
use super::driver::{Driver, Ended, Jobs, RunError, View, schedule};
use super::fold::Fold;
use super::folder::{Folder, FolderError};
use super::interrupt::Interrupts;
use super::manifest::{BookIdentity, Kind, Manifest};
use crate::config::Config;
use crate::executor::local::Local;
use crate::executor::machine;
use crate::experiment::Experiment;
use crate::ledger::{Ledger, LedgerError, Pairs};
use crate::rules::openings::{Book, BookError, BookOptions};
use crate::rules::tablebase::{TablebaseError, Tables};

/// Why a run could not start or had to stop.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SessionError {
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(transparent)]
    Tablebase(#[from] TablebaseError),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("{0:#}")]
    Input(#[from] anyhow::Error),
    /// The run had started and can be resumed.
    #[error("{source}\nWhat was played is kept: continue with `hone resume {}`", folder.display())]
    Stopped { folder: PathBuf, source: RunError },
}

impl SessionError {
    /// Whether anything had been started.
    pub(crate) fn is_after_start(&self) -> bool {
        matches!(self, Self::Stopped { .. })
            || matches!(self, Self::Prepare(error) if error.is_after_start())
    }
}

/// A run that is ready to be played.
pub(crate) struct Session {
    pub folder: Folder,
    pub manifest: Manifest,
    /// How long this process may play.
    pub max_time: Option<Duration>,
    contenders: Contenders,
    book: Option<Book>,
    ledger: Ledger,
    pairs: Pairs,
}

impl Session {
    /// Checks everything, then makes the run's folder.
    ///
    /// # Errors
    /// [`SessionError`]; nothing is left behind.
    pub(crate) fn create(
        mut config: Config,
        kind: Kind,
        out: Option<&Path>,
        announce: &mut dyn FnMut(&str),
    ) -> Result<Self, SessionError> {
        if config.engine.len() < 2 {
            return Err(SessionError::Input(anyhow::anyhow!(
                "{} engines are configured: two are needed, each in an [[engine]] table",
                config.engine.len()
            )));
        }
        let base = env::current_dir().context("the working directory is gone")?;
        let book = open_book(&config, kind, &base)?;
        open_tables(&mut config, &base)?;
        let contenders = Contenders::prepare(&config, &base, announce)?;
        contenders.pin(&mut config);
        let names: Vec<String> = config.engine.iter().map(|e| e.name.clone()).collect();
        let concurrency = config
            .r#match
            .concurrency
            .unwrap_or_else(machine::physical_cores);
        let placement = placement(&config, concurrency, announce)?;
        let manifest = Manifest {
            hone: env!("CARGO_PKG_VERSION").to_string(),
            kind,
            created: jiff::Timestamp::now(),
            base,
            concurrency,
            placement,
            engines: contenders.identities.clone(),
            book: book_identity(&config, book.as_ref()),
            config,
        };
        let folder = Folder::create(out, kind, &names)?;
        manifest.write(folder.path())?;
        Self::with_ledger(folder, manifest, contenders, book)
    }

    /// Opens a run that is there already, making sure that it goes on with the
    /// same engines and the same book.
    ///
    /// # Errors
    /// [`SessionError`].
    pub(crate) fn resume(
        path: &Path,
        announce: &mut dyn FnMut(&str),
    ) -> Result<Self, SessionError> {
        let manifest = Manifest::read(path)?;
        let mut config = manifest.config.clone();
        for (engine, identity) in config.engine.iter_mut().zip(&manifest.engines) {
            // What is built already needs no building; builds of commits are
            // looked up by their build line.
            if identity.commit.is_none() && identity.program.exists() {
                engine.build = None;
            }
        }
        let book = open_book(&config, manifest.kind, &manifest.base)?;
        if book_identity(&config, book.as_ref()) != manifest.book {
            return Err(SessionError::Input(anyhow::anyhow!(
                "the book {} is not the one this run was started with",
                config.r#match.openings.file.unwrap_or_default().display()
            )));
        }
        let contenders = Contenders::prepare(&config, &manifest.base, announce)?;
        same_engines(&contenders, &manifest)?;
        Self::with_ledger(Folder::open(path), manifest, contenders, book)
    }

    fn with_ledger(
        folder: Folder,
        manifest: Manifest,
        contenders: Contenders,
        book: Option<Book>,
    ) -> Result<Self, SessionError> {
        let epd = manifest.config.pgn.epd;
        let (ledger, pairs) = Ledger::open(folder.path(), &manifest.names(), epd)?;
        Ok(Self {
            folder,
            max_time: manifest.max_time(),
            manifest,
            contenders,
            book,
            ledger,
            pairs,
        })
    }

    /// Plays the experiment from where the ledger stands. Returns how it ended
    /// and all it absorbed.
    ///
    /// # Errors
    /// [`SessionError::Stopped`].
    pub(crate) fn play<E: Experiment>(
        self,
        experiment: E,
        view: &mut impl View<E>,
    ) -> Result<(Ended, Fold<E>), SessionError> {
        let Self {
            folder,
            manifest,
            max_time,
            contenders,
            book,
            mut ledger,
            pairs,
        } = self;
        let fold = Fold::of(experiment, manifest.engines.len(), &pairs)?;
        let jobs = Jobs::new(&manifest.config, contenders.players, book);
        let mut driver = Driver::new(fold, jobs, &manifest.config).ending_after(max_time);
        let stopped = |source| SessionError::Stopped {
            folder: folder.path().to_path_buf(),
            source,
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("the run's loop cannot start")?;
        let ended = runtime.block_on(async {
            let mut interrupts = Interrupts::listen().context("signals cannot be heard")?;
            let mut executor = Local::start(manifest.concurrency, &manifest.placement)
                .context("workers cannot start")?;
            driver
                .play(&mut executor, &mut ledger, &mut interrupts, view)
                .await
                .map_err(stopped)
        })?;
        ledger.sync()?;
        Ok((ended, driver.fold))
    }
}

/// Where the games will be played, with a word of warning where they will not
/// have the machine to themselves.
pub(crate) fn placement(
    config: &Config,
    concurrency: usize,
    announce: &mut dyn FnMut(&str),
) -> anyhow::Result<Vec<Vec<usize>>> {
    let processors = machine::processors();
    let each = processors_a_game(config);
    let wanted = concurrency * each;
    if !processors.is_empty() && wanted > processors.len() {
        announce(&format!(
            "warning: {concurrency} games at a time with {each} threads each want {wanted} processors, and there are {}: expect time forfeits and noise",
            processors.len()
        ));
    }
    if let Some(load) = machine::load()
        && load > 0.5
        && load + wanted as f64 > processors.len() as f64 + 0.5
    {
        announce(&format!(
            "warning: other programs keep {load:.1} processors busy: expect noise in results by time"
        ));
    }
    if !config.r#match.affinity {
        return Ok(Vec::new());
    }
    machine::place(&processors, concurrency, each).with_context(|| {
        format!(
            "`affinity`: {concurrency} games at a time with {each} threads each need {wanted} processors of their own, and there are {}",
            processors.len()
        )
    })
}

/// Threads that think at the same time in one game.
fn processors_a_game(config: &Config) -> usize {
    let threads = |engine: &crate::config::EngineConfig| -> usize {
        let threads = engine.options.get("Threads");
        threads.and_then(|text| text.parse().ok()).unwrap_or(1)
    };
    let thinking = config.engine.iter().map(threads).max().unwrap_or(1);
    // A pondering engine thinks while its opponent does.
    if config.engine.iter().any(|engine| engine.ponder) {
        2 * thinking
    } else {
        thinking
    }
}

/// The book with those of its openings checked that the run can come to.
pub(crate) fn open_book(
    config: &Config,
    kind: Kind,
    base: &Path,
) -> Result<Option<Book>, SessionError> {
    let play = &config.r#match;
    let Some(file) = &play.openings.file else {
        return Ok(None);
    };
    let options = BookOptions {
        format: None,
        plies: play.openings.plies,
        variant: play.variant,
    };
    let path = base.join(file);
    let rounds = match kind {
        Kind::Match => play.pairs,
        Kind::Sprt => config.sprt.unwrap_or_default().max_pairs,
        Kind::Tune => return Ok(Some(Book::open(&path, options)?)),
        Kind::Bisect => config.bisect.clone().unwrap_or_default().max_pairs,
    };
    let book = Book::open_part(&path, options, |count| {
        let schedule = schedule(play, count);
        (0..rounds.min(count as u64))
            .map(|round| schedule.index(round))
            .collect()
    })?;
    Ok(Some(book))
}

/// Makes sure of the endgame tables, if any are asked for, and makes their
/// paths absolute.
pub(crate) fn open_tables(config: &mut Config, base: &Path) -> Result<(), SessionError> {
    if let Some(rule) = &mut config.adjudication.syzygy {
        rule.path = absolute_paths(&rule.path, base)?;
        Tables::open(rule)?;
    }
    Ok(())
}

/// A list of folders as in `PATH`, relative ones from `base`.
fn absolute_paths(list: &Path, base: &Path) -> anyhow::Result<PathBuf> {
    let folders = env::split_paths(list).map(|folder| base.join(folder));
    let joined = env::join_paths(folders).context("`syzygy` in [adjudication]")?;
    Ok(PathBuf::from(joined))
}

pub(crate) fn book_identity(config: &Config, book: Option<&Book>) -> Option<BookIdentity> {
    let file = config.r#match.openings.file.clone()?;
    book.map(|book| BookIdentity {
        file,
        sha256: book.sha256().to_string(),
        openings: book.len(),
    })
}

fn same_engines(contenders: &Contenders, manifest: &Manifest) -> anyhow::Result<()> {
    for (now, then) in contenders.identities.iter().zip(&manifest.engines) {
        if now.sha256 != then.sha256 {
            bail!(
                "engine `{}` is not the one this run was started with: {} has changed (sha256 {} then, {} now). Start a new run for the new engine",
                then.name,
                now.program.display(),
                &then.sha256[..12.min(then.sha256.len())],
                &now.sha256[..12]
            );
        }
    }
    Ok(())
}

/// Seconds a run has been playing, by its ledger: from its start to its last
/// pair, breaks of more than ten minutes between two pairs left out.
///
/// # Errors
/// If the ledger cannot be read.
pub(crate) fn seconds_played(manifest: &Manifest, pairs: &Pairs) -> Result<f64, LedgerError> {
    const BREAK_MS: i64 = 10 * 60 * 1000;
    let mut last = manifest.created.as_millisecond();
    let mut total = 0;
    for entry in pairs.by_arrival()? {
        let finished = entry?.finished_ms;
        let gap = finished - last;
        if (0..BREAK_MS).contains(&gap) {
            total += gap;
        }
        last = finished;
    }
    Ok(total as f64 / 1000.0)
}

/// The pairs of a run's ledger.
///
/// # Errors
/// [`LedgerError::Io`].
pub(crate) fn open_pairs(folder: &Folder, manifest: &Manifest) -> Result<Pairs, LedgerError> {
    Pairs::open(folder.path(), &manifest.names())
}
