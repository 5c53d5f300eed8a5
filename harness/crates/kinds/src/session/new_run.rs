//! A new run, from the check of its configuration to its folder.

use std::env;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;

use super::{Ready, Session, check};
use crate::kind::{Engines, FollowUpOptions, RunKind};
use crate::place::Place;
use crate::scale;
use hone_base::output::Announce;
use hone_experiment::settings::BookSource;
use hone_run::config::{Config, default_concurrency};
use hone_run::executor::Player;
use hone_run::ledger::{Lock, Recovery};
use hone_run::prepare::book::{book_identity, first_opening, open_book};
use hone_run::prepare::tablebases::open_tables;
use hone_run::prepare::unchanged::{check_same_book, check_same_programs, remove_finished_builds};
use hone_run::prepare::warnings::{
    warn_of_clocks, warn_of_repeats, warn_of_rules, warn_of_same_engines, warn_of_shared_openings,
    warn_of_unused_keys,
};
use hone_run::{BookIdentity, EarlierRun, Folder, MANIFEST, Manifest, SessionError};
use hone_uci::openings::Book;

/// What comes before a follow-up run.
pub struct Earlier<'a> {
    /// The run that it follows.
    pub manifest: &'a Manifest,
    /// The books of the runs before it.
    pub books: &'a [BookIdentity],
    /// The runs whose games are not new.
    pub runs: Vec<EarlierRun>,
}

/// A new run whose engines are prepared. It has no folder yet.
pub struct NewRun<K> {
    manifest: Manifest,
    players: Vec<Player>,
    book: Option<Book>,
    build_time: Duration,
    place: Place,
    /// The folder, if it is given.
    out: Option<PathBuf>,
    /// Names for the folder if it is not given.
    names: Vec<String>,
    kind: PhantomData<K>,
}

impl<K: RunKind> NewRun<K> {
    /// Checks the configuration and the engines. The pairs are played at `place`.
    ///
    /// # Errors
    /// [`SessionError`].
    pub fn prepare(
        config: Config,
        out: Option<&Path>,
        place: Place,
        announce: Announce<'_>,
    ) -> Result<Self, SessionError> {
        let base = env::current_dir().context("cannot find the working directory")?;
        Self::of(config, base, None, out, place, announce)
    }

    /// Prepares the follow-up run of an `earlier` one, with its programs and the same books.
    ///
    /// # Errors
    /// [`SessionError`].
    pub(super) fn after(
        earlier: &Earlier<'_>,
        mut config: Config,
        path: &Path,
        place: Place,
        announce: Announce<'_>,
    ) -> Result<Self, SessionError> {
        remove_finished_builds(&mut config, &earlier.manifest.engines);
        let base = earlier.manifest.base.clone();
        Self::of(config, base, Some(earlier), Some(path), place, announce)
    }

    /// Prepares a run, after an `earlier` one and with its books if it is a follow-up run.
    fn of(
        mut config: Config,
        base: PathBuf,
        earlier: Option<&Earlier<'_>>,
        out: Option<&Path>,
        place: Place,
        announce: Announce<'_>,
    ) -> Result<Self, SessionError> {
        check::<K>(&config)?;
        let concurrency = config.r#match.concurrency;
        let concurrency = concurrency.unwrap_or_else(default_concurrency);
        place.check_open_files(concurrency)?;
        // Before engines are built, which may take minutes.
        if let Some(out) = out {
            Folder::open(out).check_unused()?;
        }
        let (book, identity) = new_book::<K>(&config, &base, earlier)?;
        open_tables(&mut config, &base)?;
        let repeats = K::repeats(&config);
        let planned = K::openings(&config).filter(|_| !has_enough_openings::<K>(&config));
        let shared = K::shared_openings(&config).filter(|_| !has_built_in_book(&config));
        let distinct = book.as_ref().map(Book::distinct);
        warn_of_clocks(&config, announce);
        match shared {
            Some(pairs) => warn_of_shared_openings(K::KIND, pairs, distinct, announce),
            None => warn_of_repeats(K::KIND, planned, distinct, repeats, announce),
        }
        warn_of_rules(&config, announce);
        let opening = first_opening(&config, book.as_ref());
        let Engines {
            players,
            identities,
            folder_names: names,
            build_time,
        } = K::engines(&mut config, &base, &opening, announce)?;
        if let Some(earlier) = earlier {
            check_same_programs(&identities, &earlier.manifest.engines)?;
        }
        warn_of_unused_keys(K::KIND, &config, announce);
        warn_of_same_engines(K::KIND, &config, &identities, announce);
        scale::measure_reference(&mut config, &players, concurrency, announce)?;
        let manifest = Manifest {
            hone: env!("CARGO_PKG_VERSION").to_string(),
            kind: K::KIND,
            created: jiff::Timestamp::now(),
            base,
            concurrency,
            pairs: None,
            placement: place.placement(&config, &identities, concurrency, announce)?,
            isolation: place.isolation(&config),
            engines: identities,
            book: identity,
            pooled: Vec::new(),
            earlier: earlier.map_or(Vec::new(), |earlier| earlier.runs.clone()),
            repeats,
            config,
        };
        Ok(Self {
            manifest,
            players,
            book,
            build_time,
            place,
            out: out.map(Path::to_path_buf),
            names,
            kind: PhantomData,
        })
    }

    /// Makes the folder of the run.
    ///
    /// # Errors
    /// [`SessionError`].
    pub fn start(self, announce: Announce<'_>) -> Result<Session<K>, SessionError> {
        self.start_after(|_| Ok(()), announce)
    }

    /// Makes the folder of the run. `before` gets its path before it is a run that can be
    /// resumed, so that a kill leaves no run without what `before` does.
    ///
    /// # Errors
    /// [`SessionError`], also if `before` fails.
    pub fn start_after(
        self,
        before: impl FnOnce(&Path) -> anyhow::Result<()>,
        announce: Announce<'_>,
    ) -> Result<Session<K>, SessionError> {
        let limit = limit_in_name(&self.manifest.config);
        let folder = Folder::create(self.out.as_deref(), K::KIND, &self.names, &limit)?;
        let lock = lock_new(&folder)?;
        before(folder.path())?;
        self.manifest.write(folder.path())?;
        let ready = Ready {
            folder,
            manifest: self.manifest,
            players: self.players,
            book: self.book,
            build_time: self.build_time,
        };
        let session = ready.with_ledger(lock, Recovery::LastPair, announce)?;
        Ok(session.at(self.place))
    }
}

impl<K: RunKind> Session<K> {
    /// Checks the configuration and the engines, then makes the folder of a new run. Its pairs
    /// are played at `place`.
    ///
    /// # Errors
    /// [`SessionError`].
    pub fn create(
        config: Config,
        out: Option<&Path>,
        place: Place,
        announce: Announce<'_>,
    ) -> Result<Self, SessionError> {
        NewRun::prepare(config, out, place, announce)?.start(announce)
    }

    /// Resumes the follow-up run of an `earlier` one at `path`, in its folder, or creates it
    /// with `config`. Relative paths start from the same folder, and the engines must have
    /// the same programs. A book at the path of one of the earlier books must be the same.
    /// `None` if a stop is requested before it is ready.
    ///
    /// # Errors
    /// [`SessionError::AfterStart`].
    pub fn after(
        earlier: &Earlier<'_>,
        config: Config,
        path: &Path,
        options: &mut FollowUpOptions<'_>,
        announce: Announce<'_>,
    ) -> Result<Option<Self>, SessionError> {
        if options.stop.is_requested() {
            return Ok(None);
        }
        let session = if path.join(MANIFEST).exists() {
            Self::resume(path, options.recovery, announce)
        } else {
            let place = options.place.clone();
            NewRun::after(earlier, config, path, place, announce)
                .and_then(|run| run.start(announce))
        };
        // Ctrl-C also ends builds, so an error may be its consequence.
        if options.stop.is_requested() {
            return Ok(None);
        }
        let session = session.map_err(SessionError::after_start)?;
        let session = match options.deadline {
            Some(deadline) => session.ending_at(deadline),
            None => session,
        };
        Ok(Some(session.at(options.place.clone())))
    }
}

/// The book of a new run, and its identity. A book of an earlier run must be the same.
fn new_book<K: RunKind>(
    config: &Config,
    base: &Path,
    earlier: Option<&Earlier<'_>>,
) -> Result<(Option<Book>, Option<BookIdentity>), SessionError> {
    let book = open_book(config, K::openings(config), base)?;
    let identity = book_identity(config, book.as_ref());
    if let Some(Earlier {
        manifest, books, ..
    }) = earlier
    {
        check_same_book(config, identity.as_ref(), books, base, &manifest.hone)?;
    }
    Ok((book, identity))
}

/// Locks the folder of a new run.
fn lock_new(folder: &Folder) -> Result<Lock, SessionError> {
    let lock = Lock::begin(folder.path())?;
    // Another process may have started a run in it since it was made.
    folder.check_free()?;
    lock.check_empty()?;
    Ok(lock)
}

/// The limit and the shard, for the name of a run's folder.
fn limit_in_name(config: &Config) -> String {
    let limit = config.r#match.limit.to_string();
    let shard = config.r#match.shard;
    if shard.is_whole() {
        limit
    } else {
        format!("{limit}_{}of{}", shard.number(), shard.of())
    }
}

/// Whether a test or a bisection has the built-in book, so that a warning of repeats would
/// rarely matter: few tests need all its openings, and the verdict of one that does names the
/// reason. Each of the many matches of a bisection has all openings.
fn has_enough_openings<K: RunKind>(config: &Config) -> bool {
    !K::KIND.has_fixed_length() && has_built_in_book(config)
}

fn has_built_in_book(config: &Config) -> bool {
    config.r#match.openings.file == Some(BookSource::BuiltIn)
}
