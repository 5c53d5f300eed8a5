//! A run from its first check to its report, for every kind.

mod new_run;

use std::marker::PhantomData;
use std::mem;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{anyhow, ensure};

use super::kind::{FollowUpOptions, Readiness, RunKind, Waiting};
use super::place::Place;
use super::scale;
use hone_base::diagnostic::Diagnostic;
use hone_base::output::Announce;
use hone_base::platform::remove_abandoned;
use hone_base::text::with_causes;
use hone_experiment::settings::TimeSpan;
use hone_report::{Report, write_files};
use hone_run::config::{Config, check_concurrency};
use hone_run::executor::{Boards, Executor, Player};
use hone_run::files::live::Publisher;
use hone_run::ledger::{Ledger, LedgerOptions, Lock, Pairs, Recovery};
use hone_run::prepare::book::first_opening;
use hone_run::prepare::unchanged::same_book;
use hone_run::{
    Driver, Ended, Fold, Folder, Jobs, MANIFEST, Manifest, RunFiles, SessionError, StopRequests,
    View, files::final_positions, prepare::conditions,
};
use hone_uci::openings::Book;
pub(crate) use new_run::Earlier;
pub use new_run::NewRun;

/// A run that is ready to be played.
pub struct Session<K> {
    pub folder: Folder,
    pub manifest: Manifest,
    /// How long this process may build and play.
    max_time: Option<Duration>,
    /// The limit of `--max-time`, which includes follow-up runs.
    max_time_flag: Option<Duration>,
    /// How long the builds of this process took.
    build_time: Duration,
    players: Vec<Player>,
    book: Option<Book>,
    ledger: Ledger,
    pairs: Pairs,
    /// How a damaged ledger is treated, also of follow-up runs.
    recovery: Recovery,
    place: Place,
    kind: PhantomData<K>,
}

/// What a session needs besides its ledger.
struct Ready {
    folder: Folder,
    manifest: Manifest,
    players: Vec<Player>,
    book: Option<Book>,
    build_time: Duration,
}

impl Ready {
    fn with_ledger<K: RunKind>(
        self,
        lock: Lock,
        recovery: Recovery,
        announce: Announce<'_>,
    ) -> Result<Session<K>, SessionError> {
        let dir = self.folder.path();
        final_positions::restore(dir, &self.manifest, announce)?;
        let options = LedgerOptions {
            names: &self.manifest.names(),
            epd: self.manifest.config.pgn.epd,
            conditions: conditions::read(dir)?,
            recovery,
        };
        let (ledger, pairs) = Ledger::open(dir, lock, options)?;
        Ok(Session {
            max_time: K::max_time(&self.manifest.config).map(TimeSpan::duration),
            max_time_flag: None,
            build_time: self.build_time,
            folder: self.folder,
            manifest: self.manifest,
            players: self.players,
            book: self.book,
            ledger,
            pairs,
            recovery,
            place: Place::default(),
            kind: PhantomData,
        })
    }
}

/// How a run ended in this process.
pub struct Conclusion<R> {
    pub ended: Ended,
    pub folder: Folder,
    pub manifest: Manifest,
    pub report: R,
}

impl<K: RunKind> Session<K> {
    /// Opens an existing run, and checks that engines and book have not changed.
    ///
    /// # Errors
    /// [`SessionError`].
    pub fn resume(
        path: &Path,
        recovery: Recovery,
        announce: Announce<'_>,
    ) -> Result<Self, SessionError> {
        let manifest = Manifest::read(path)?;
        check_pairs_at_once(manifest.concurrency)?;
        check_added_pairs(&manifest, path)?;
        // Before engines start, which would disturb the games of a process that has the lock.
        let lock = Lock::resume(path, recovery)?;
        remove_abandoned(path);
        let rounds = manifest.pairs.or(K::openings(&manifest.config));
        let book = same_book(&manifest, rounds)?;
        let opening = first_opening(&manifest.config, book.as_ref());
        let (players, build_time) = K::same_engines(&manifest, &opening, announce)?;
        let ready = Ready {
            folder: Folder::open(path),
            manifest,
            players,
            book,
            build_time,
        };
        ready.with_ledger(lock, recovery, announce)
    }

    /// Sets the time limit of `--max-time` for this process, if it is given. It includes the
    /// builds.
    pub fn limited(mut self, max_time: Option<Duration>) -> Self {
        self.max_time = max_time.or(self.max_time);
        self.max_time_flag = max_time;
        self
    }

    /// Sets the end of play, in place of a time limit. Follow-up runs do not get it.
    pub(crate) fn ending_at(mut self, deadline: Instant) -> Self {
        self.max_time = Some(deadline.saturating_duration_since(Instant::now()));
        self.build_time = Duration::ZERO;
        self
    }

    /// What the builds have left of a time limit.
    fn left_of(&self, max_time: Option<Duration>) -> Option<Duration> {
        max_time.map(|time| time.saturating_sub(self.build_time))
    }

    /// Sets where pairs are played.
    pub fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    /// Continues the run after its last pair, writes its report, and plays its follow-up runs
    /// after its verdict, until `stop` is requested. After an error the report has the results
    /// so far.
    ///
    /// # Errors
    /// [`SessionError`].
    pub fn run(
        self,
        stop: &mut StopRequests,
        announce: Announce<'_>,
    ) -> Result<Conclusion<K::Report>, SessionError> {
        let manifest = self.manifest.clone();
        let at_a_time = self.place.pairs_at_a_time(&manifest);
        self.run_in_view(&mut K::view(&manifest, at_a_time), stop, announce)
    }

    /// Like [`Self::run`], with another view than the kind's own.
    ///
    /// # Errors
    /// [`SessionError`].
    pub fn run_in_view(
        mut self,
        view: &mut impl View<K::Experiment>,
        stop: &mut StopRequests,
        announce: Announce<'_>,
    ) -> Result<Conclusion<K::Report>, SessionError> {
        let mut options = FollowUpOptions {
            place: self.place.clone(),
            recovery: self.recovery,
            deadline: self
                .left_of(self.max_time_flag)
                .map(|time| Instant::now() + time),
            stop,
        };
        let folder = self.folder.clone();
        let manifest = self.manifest.clone();
        let experiment = K::experiment(folder.path(), &manifest)?;
        let at_a_time = self.place.pairs_at_a_time(&manifest);
        let mut driver = self.driver(experiment)?;
        let has_ended = driver.has_ended();
        if !has_ended {
            announce(&K::introduction(&manifest, at_a_time, folder.path())?);
        }
        let played = self.play_on(driver, view, options.stop, announce);
        view.finish();
        let (mut ended, fold) =
            played.map_err(|error| reported::<K>(error, &folder, &manifest, announce))?;
        let report = || {
            let files = RunFiles::of(folder.clone(), manifest.clone())?;
            let report = K::report(files, fold)?;
            write_files(&report, folder.path())?;
            anyhow::Ok(report)
        };
        let mut report = report().map_err(SessionError::AfterStart)?;
        if matches!(ended, Ended::Verdict(_)) {
            let later = K::follow_up(&mut report, &mut options, announce)
                .map_err(|error| reported::<K>(error, &folder, &manifest, announce))?;
            if has_ended && later.is_none() {
                let path = folder.path().display();
                announce(&format!("`{path}` has ended; nothing to play"));
            }
            ended = later.unwrap_or(ended);
        }
        Ok(Conclusion {
            ended,
            folder,
            manifest,
            report,
        })
    }

    /// Plays the experiment after the last pair of the ledger. Returns how it ended, and its
    /// final state.
    ///
    /// # Errors
    /// [`SessionError`].
    pub fn play(
        mut self,
        experiment: K::Experiment,
        view: &mut impl View<K::Experiment>,
        stop: &mut StopRequests,
        announce: Announce<'_>,
    ) -> Result<(Ended, Fold<K::Experiment>), SessionError> {
        let driver = self.driver(experiment)?;
        self.play_on(driver, view, stop, announce)
    }

    /// The driver of the experiment after the last pair of the ledger. Takes the players and
    /// the book.
    fn driver(&mut self, experiment: K::Experiment) -> Result<Driver<K::Experiment>, SessionError> {
        let manifest = &self.manifest;
        let fold = Fold::of(experiment, manifest, self.folder.path(), &self.pairs)?;
        let players = mem::take(&mut self.players);
        let jobs = Jobs::new(&manifest.config, players, self.book.take());
        Ok(Driver::new(fold, jobs, &manifest.config)
            .ending_after(self.left_of(self.max_time))
            .with_remedy(K::REMEDY))
    }

    fn play_on(
        self,
        mut driver: Driver<K::Experiment>,
        view: &mut impl View<K::Experiment>,
        stop: &mut StopRequests,
        announce: Announce<'_>,
    ) -> Result<(Ended, Fold<K::Experiment>), SessionError> {
        let Self {
            folder,
            manifest,
            mut ledger,
            ..
        } = self;
        let boards = Boards::new(manifest.concurrency);
        let _publisher = Publisher::start(folder.path(), boards.clone());
        self.place.warn(&manifest.config, announce);
        let mut executor = self.place.start(&manifest, folder.path(), &boards)?;
        let stopped = |source| SessionError::stopped(folder.path(), source);
        let ended = loop {
            let playing = stop.during(async |interrupts| {
                let playing = driver.play(&mut executor, &mut ledger, interrupts, view);
                playing.await
            });
            let ended = playing.map_err(stopped)?;
            if ended != Ended::Waiting {
                break ended;
            }
            // Outside the runtime, because preparing an engine starts another one.
            let waiting = Waiting {
                dir: folder.path(),
                manifest: &manifest,
                driver: &mut driver,
                is_stop_requested: &mut || stop.is_requested(),
            };
            match K::prepare_next(waiting, announce)? {
                Readiness::Ready => {}
                Readiness::Stuck => break Ended::Waiting,
                Readiness::Stopped => break Ended::Interrupted,
            }
        };
        ledger.sync().map_err(|error| stopped(error.into()))?;
        executor.recorded();
        if matches!(ended, Ended::Verdict(_)) {
            executor.conclude();
        }
        Ok((ended, driver.fold))
    }
}

/// Writes the report of a run that this error has stopped, if it has results. Returns the
/// error; a failure to write is only a warning.
fn reported<K: RunKind>(
    error: SessionError,
    folder: &Folder,
    manifest: &Manifest,
    announce: Announce<'_>,
) -> SessionError {
    if !error.is_of_run() {
        return error;
    }
    let write = || {
        let files = RunFiles::of(folder.clone(), manifest.clone())?;
        if !files.has_pairs()? {
            return Ok(());
        }
        write_files(&K::read_report(files)?, folder.path())
    };
    if let Err(other) = write() {
        announce(&format!(
            "warning: the report is not written: {}",
            with_causes(&other)
        ));
    }
    error
}

/// Refuses a configuration that this kind cannot play.
fn check<K: RunKind>(config: &Config) -> anyhow::Result<()> {
    K::check(config)?;
    check_play::<K>(config)
}

/// Refuses a submitted configuration that this kind cannot play.
///
/// # Errors
/// What is refused.
pub(super) fn check_submitted<K: RunKind>(mut config: Config) -> anyhow::Result<()> {
    K::check_submitted(&mut config)?;
    check_play::<K>(&config)
}

/// Refuses a shard, a scale or a number of pairs at once that this kind does not support.
fn check_play<K: RunKind>(config: &Config) -> anyhow::Result<()> {
    check_shard::<K>(config)?;
    scale::check(K::KIND, config)?;
    if let Some(pairs) = config.r#match.concurrency {
        check_pairs_at_once(pairs)?;
    }
    Ok(())
}

fn check_pairs_at_once(pairs: usize) -> anyhow::Result<()> {
    check_concurrency(pairs).map_err(|error| anyhow!("`concurrency`: {error}"))
}

/// Refuses a manifest with the pairs of `hone resume --pairs` if its kind does not have them.
fn check_added_pairs(manifest: &Manifest, path: &Path) -> anyhow::Result<()> {
    ensure!(
        manifest.pairs.is_none() || manifest.planned_pairs().is_some(),
        Diagnostic::new(format!(
            "the top-level `pairs` in {MANIFEST} is for matches and tests, and {} is a {}",
            path.display(),
            manifest.kind.noun()
        ))
        .help("remove the line")
    );
    Ok(())
}

/// Refuses a shard of a run whose pairs depend on earlier results.
///
/// # Errors
/// What is refused.
pub fn check_shard<K: RunKind>(config: &Config) -> anyhow::Result<()> {
    let shard = config.r#match.shard;
    ensure!(
        shard.is_whole() || K::KIND.has_fixed_players(),
        Diagnostic::new(format!("`shard` in [match] is {shard}, but a {} cannot be divided: its pairs depend on earlier results", K::KIND.noun()))
            .help("remove `shard`; only `hone sprt` and `hone match` play shards")
    );
    Ok(())
}

impl<R: Report + 'static> Conclusion<R> {
    /// Boxes the report.
    pub fn boxed(self) -> Conclusion<Box<dyn Report>> {
        Conclusion {
            ended: self.ended,
            folder: self.folder,
            manifest: self.manifest,
            report: Box::new(self.report),
        }
    }
}
