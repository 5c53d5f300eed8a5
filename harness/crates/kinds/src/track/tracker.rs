//! The tracker: plays the nights of commits and adds them to the table.

mod night_match;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, bail, ensure};

use super::night::{Night, append, read};
use super::order::in_order;
use super::record::Record;
use super::report::TrackReport;
use super::reported_count::Reported;
use super::scale::Scale;
use super::skipped::SkippedCommit;
use super::status::Status;
use super::stuck::{Consequence, Stuck, commit_of, is_replaced, message, unfinished};
use super::{RECORD, RUNS, TABLE, limit};
use crate::{Conclusion, Match, Place, Session};
use hone_base::diagnostic::Diagnostic;
use hone_builds::{BuildError, Builder, Commit, Repository};
use hone_experiment::settings::TimeSpan;
use hone_report::MatchReport;
use hone_run::config::TrackSection;
use hone_run::config::{Config, Tournament};
use hone_run::ledger::Recovery;
use hone_run::{Ended, SessionError, StopRequests};

/// How a commit's night ended; for several nights, the end of the last one.
///
/// | end | row | nights after it | exit code | the next process |
/// |---|---|---|---|---|
/// | `Played` | added | are played | 0; 1 after a regression | |
/// | skipped: it does not build or start, or has a wrong bench (`--since`, not the newest), or has no opponents | none | are played | that of the others | tries it again |
/// | `OutOfTime` | none | wait | 3; 1 after a regression | resumes it |
/// | `Interrupted` | none | wait | 130 | resumes it |
/// | it cannot be finished, [`Consequence::Decides`] | none | are played | that of the error | tries it again |
/// | the same, [`Consequence::TriedAgain`] | none | are played | that of the others | tries it again |
/// | the same, [`Consequence::Replaced`] | of a later run | are played | that of the others | leaves it |
/// | any other [`SessionError`] | none | are not played | that of the error | tries it again |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NightEnd {
    Played,
    OutOfTime,
    Interrupted,
}

/// A tracked engine and its nights.
pub struct Tracker {
    config: Config,
    section: TrackSection,
    repository: Repository,
    /// Pathspecs of the files whose changes count.
    paths: Vec<String>,
    anchor: Commit,
    /// The newest commit that changes the engine.
    newest: Commit,
    /// Every commit after this one is played, if it is given.
    since: Option<String>,
    out: PathBuf,
    nights: Vec<Night>,
    /// Commits played by this process.
    played: Vec<String>,
    /// Commits that this process has skipped because they do not build or start, or have a
    /// wrong bench.
    skipped: Vec<SkippedCommit>,
    /// When the time for all nights together is used up.
    deadline: Option<Instant>,
    /// Receives messages about slow steps and skipped commits.
    announce: fn(&str),
    /// The place of play: this machine or a fleet.
    place: Place,
    record: Record,
    /// The lock, held as long as the process lives.
    reported: Reported,
    /// Rows of the table that were reported before.
    reported_before: usize,
    /// Requests to stop since [`Tracker::open`].
    stop: StopRequests,
}

/// The result of the attempt to start a commit's night.
enum Start {
    Ready(Box<Session<Match>>),
    /// The commit does not build or start, or has a wrong bench.
    Broken(SkippedCommit),
    NoOpponents,
}

/// File names in the folder of nights.
const LOCK: &str = "track.lock";
/// Files written by `hone track`: a commit that changes only these does not change the engine.
const OWN: [&str; 7] = [TABLE, RECORD, "elo.html", "elo.md", "elo.svg", LOCK, RUNS];

/// The newest commit of the branch that changes one of `paths`.
fn newest_changing(
    repository: &Repository,
    section: &TrackSection,
    paths: &[String],
) -> anyhow::Result<Commit> {
    let branch = &section.branch;
    let newest = repository.newest_changing(paths, branch)?;
    newest.ok_or_else(|| {
        let paths = section.paths.join("`, `");
        let none = Diagnostic::new(format!("no commit of `{branch}` changes `{paths}`"));
        none.help("check `paths` in [track]").into()
    })
}

impl Tracker {
    /// Refuses a configuration that cannot be tracked.
    ///
    /// # Errors
    /// The missing setting.
    pub fn check(config: &Config) -> anyhow::Result<()> {
        if config.track.is_none() {
            bail!("section [track] with `anchor` is missing");
        }
        match &config.engine[..] {
            [engine] if engine.git.is_some() && engine.rev.is_none() => Ok(()),
            [engine] if engine.rev.is_some() => {
                bail!(
                    Diagnostic::new("`rev` in [[engine]] cannot be combined with [track]")
                        .help("set `branch` in [track]")
                )
            }
            [_] => bail!("the engine must be built from a repository: `git` names it"),
            engines => bail!(
                "exactly one [[engine]] is needed; {} are configured",
                engines.len()
            ),
        }
    }

    /// Opens the table of nights in `out` for a configuration. Nights are played of the newest
    /// commit, or of every commit after `since`.
    ///
    /// # Errors
    /// If the configuration cannot be tracked, then nothing is written; or if the table or an
    /// unfinished night belongs to another limit, or the table is in use.
    pub fn open(
        mut config: Config,
        since: Option<&str>,
        out: &Path,
        max_time: Option<TimeSpan>,
        announce: fn(&str),
    ) -> anyhow::Result<Self> {
        let section = config.track.clone().context("section [track] is missing")?;
        let engine = config.engine.first().context("[[engine]] is missing")?;
        let git = engine.git.clone().context("the engine has no `git`")?;
        let repository = Repository::open(&git)?;
        let anchor = repository
            .commit(&section.anchor)
            .context("the anchor of [track]")?;
        ensure!(
            config.r#match.shard.is_whole(),
            Diagnostic::new(format!(
                "`shard` in [match] is {}, but a nightly cannot be divided",
                config.r#match.shard
            ))
            .help("remove `shard`, or play on a fleet")
        );
        let mut paths = section.paths.clone();
        paths.extend(repository.without(out, &OWN).unwrap_or_default());
        let newest = newest_changing(&repository, &section, &paths)?;
        if let Some(since) = since {
            repository.commit(since)?;
        }
        config.r#match.pairs = section.pairs;
        config.r#match.stop = None;
        config.r#match.tournament = Tournament::Gauntlet;
        config.r#match.seeds = 1;
        // All builds have the limit of the tracked engine.
        config.set_limit(config.limit_of(engine).clone());
        // `max_time` limits all nights together.
        let max_time = max_time.or(config.r#match.max_time.take());
        fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
        let mut reported = Reported::lock(&out.join(LOCK))?;
        let nights = read(&out.join(TABLE))?;
        let reported_before = reported.read(nights.len())?;
        limit::check(out, &nights, &config.r#match.limit.to_string())?;
        let mut record = Record::read(out)?;
        if !nights.is_empty() {
            record.set_false_alarm_nights(section.false_alarm_nights)?;
        }
        Ok(Self {
            config,
            section,
            repository,
            paths,
            anchor,
            newest,
            since: since.map(str::to_string),
            out: out.to_path_buf(),
            nights,
            played: Vec::new(),
            skipped: Vec::new(),
            deadline: max_time.map(|time| Instant::now() + time.duration()),
            announce,
            place: Place::default(),
            record,
            reported,
            reported_before,
            stop: StopRequests::listen()?,
        })
    }

    /// The results of all nights, including those just played.
    pub fn report(&self) -> TrackReport {
        let alarms = self.section.false_alarm_nights;
        // Without the history, the rows still have an order.
        let history = self.repository.history(&self.section.branch);
        let nights = in_order(&self.nights, &history.unwrap_or_default());
        let reported = self.nights.get(..self.reported_before).unwrap_or_default();
        let is_unreported = |night: &Night| reported.iter().all(|row| row.run != night.run);
        let unreported = (0..nights.len()).filter(|&at| is_unreported(&nights[at]));
        TrackReport {
            status: Status::new(&nights, &self.anchor.id, alarms),
            dir: self.out.clone(),
            unreported: unreported.collect(),
            nights,
            played: self.played.clone(),
            skipped: self.skipped.clone(),
        }
    }

    /// Sets the place of play.
    pub fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    /// Records that all nights have been reported, so that later processes do not report them
    /// again.
    ///
    /// # Errors
    /// If the record cannot be written.
    pub fn mark_reported(&mut self) -> anyhow::Result<()> {
        self.reported.write(self.nights.len())
    }

    /// Finishes nights that were started before, then plays new ones. A night that cannot be
    /// finished does not prevent others.
    ///
    /// # Errors
    /// [`SessionError`]; nights played before keep their rows. Of the nights that cannot be
    /// finished, only that of the newest commit counts.
    pub fn play_all(&mut self, force: bool) -> Result<NightEnd, SessionError> {
        let newest = self.newest.clone();
        let mut stuck = Stuck::default();
        let mut end = self.resume_all(&newest, &mut stuck)?;
        if end == NightEnd::Played {
            let mut commits = self.wanted(force)?;
            commits.retain(|commit| force || !stuck.commits.contains(&commit.id));
            end = self.play_new(&commits, &newest, self.since.is_some())?;
        }
        let Some((run, manifest, error)) = stuck.newest else {
            return Ok(end);
        };
        let has_row = self.has_row(&newest.id);
        let consequence = if is_replaced(&manifest, &self.nights) {
            Consequence::Replaced
        } else if has_row || end != NightEnd::Played {
            Consequence::TriedAgain
        } else {
            Consequence::Decides
        };
        (self.announce)(&message(&run, &error, consequence));
        match consequence {
            Consequence::Decides => Err(error),
            Consequence::TriedAgain | Consequence::Replaced => Ok(end),
        }
    }

    /// Finishes nights that were started before.
    fn resume_all(&mut self, newest: &Commit, stuck: &mut Stuck) -> Result<NightEnd, SessionError> {
        for (path, manifest) in unfinished(&self.out, &self.nights, self.announce) {
            let before = format!("{} was resumed", path.display());
            if self.is_interrupted(&before) {
                return Ok(NightEnd::Interrupted);
            }
            (self.announce)(&format!("resuming {}", path.display()));
            let session = Session::resume(&path, Recovery::LastPair, &mut self.announce);
            if self.is_interrupted(&before) {
                return Ok(NightEnd::Interrupted);
            }
            let error = match session.and_then(|session| self.play(session)) {
                Ok(NightEnd::Played) => continue,
                Ok(end) => return Ok(end),
                Err(error) => error,
            };
            let commit = commit_of(&manifest);
            stuck.commits.extend(commit.map(str::to_string));
            if commit == Some(&newest.id) {
                stuck.newest = Some((path, manifest, error));
            } else {
                (self.announce)(&message(&path, &error, Consequence::TriedAgain));
            }
        }
        Ok(NightEnd::Played)
    }

    fn play_new(
        &mut self,
        commits: &[Commit],
        newest: &Commit,
        skip_broken: bool,
    ) -> Result<NightEnd, SessionError> {
        for commit in commits {
            // If the newest commit does not play, the call has failed.
            let error = match self.play_commit(commit, skip_broken && commit != newest) {
                Ok(NightEnd::Played) => continue,
                Ok(end) => return Ok(end),
                Err(error) => error,
            };
            match &error {
                SessionError::Stopped { folder, .. } if newest != commit => {
                    (self.announce)(&message(folder, &error, Consequence::TriedAgain));
                }
                _ => return Err(error),
            }
        }
        Ok(NightEnd::Played)
    }

    fn has_row(&self, commit: &str) -> bool {
        self.nights.iter().any(|night| night.commit == commit)
    }

    /// Commits to be played, oldest first.
    fn wanted(&self, force: bool) -> anyhow::Result<Vec<Commit>> {
        let since = self.since.as_deref();
        let mut commits = match since {
            Some(_) => {
                let branch = &self.section.branch;
                self.repository.changing(&self.paths, since, branch)?
            }
            None => vec![self.newest.clone()],
        };
        if !force {
            commits.retain(|commit| !self.has_row(&commit.id));
            // Otherwise an unfinished nightly was just resumed and finished.
            if commits.is_empty() && self.played.is_empty() {
                let played = match since {
                    Some(_) => "every commit since then",
                    None => "the newest commit",
                };
                (self.announce)(&format!(
                    "nothing to do: {played} has been played (play again with --force)"
                ));
            }
        }
        Ok(commits)
    }

    /// Plays a commit's night, unless the user has asked to stop meanwhile.
    fn play_commit(
        &mut self,
        commit: &Commit,
        skip_broken: bool,
    ) -> Result<NightEnd, SessionError> {
        let before = format!("{} was played", commit.describe());
        if self.is_interrupted(&before) {
            return Ok(NightEnd::Interrupted);
        }
        let start = self.start(commit, skip_broken);
        // Ctrl-C also ends builds, so a failed one is not the commit's fault.
        if self.is_interrupted(&before) {
            return Ok(NightEnd::Interrupted);
        }
        match start? {
            Start::Ready(session) => self.play(*session),
            Start::Broken(skipped) => {
                (self.announce)(&skipped.message());
                self.skipped.push(skipped);
                Ok(NightEnd::Played)
            }
            Start::NoOpponents => {
                (self.announce)(&format!("{} has no opponents", commit.describe()));
                Ok(NightEnd::Played)
            }
        }
    }

    fn start(&mut self, commit: &Commit, skip_broken: bool) -> Result<Start, SessionError> {
        if let Err(error) = self.builds(commit) {
            if skip_broken && error.is_of_commit() {
                return Ok(Start::Broken(SkippedCommit::not_building(commit)));
            }
            return Err(if error.is_of_commit() {
                SessionError::after_start(error)
            } else {
                SessionError::Input(error.into())
            });
        }
        let opponents = self.opponents_of(commit)?;
        self.start_against(commit, opponents, skip_broken)
    }

    /// Whether the user has asked to stop; if so, prints a message that names the next step
    /// (`before`).
    fn is_interrupted(&mut self, before: &str) -> bool {
        let is_interrupted = self.is_stop_requested();
        if is_interrupted {
            (self.announce)(&format!(
                "Interrupted before {before}. Run the same command to continue."
            ));
        }
        is_interrupted
    }

    fn is_stop_requested(&mut self) -> bool {
        self.stop.is_requested()
    }

    fn builds(&self, commit: &Commit) -> Result<(), BuildError> {
        let mut engine = self.config.engine[0].clone();
        engine.rev = Some(commit.id.clone());
        let base = std::env::current_dir().map_err(BuildError::io(Path::new(".")))?;
        match engine.recipe(&base) {
            Some(recipe) => Builder::new()?
                .sandboxed(self.config.r#match.sandbox)
                .build(&recipe, &mut { self.announce })
                .map(drop),
            None => Ok(()),
        }
    }

    /// Plays a night to its end and adds its row.
    fn play(&mut self, mut session: Session<Match>) -> Result<NightEnd, SessionError> {
        if let Some(deadline) = self.deadline {
            session = session.ending_at(deadline);
        }
        (self.announce)(&session.manifest.names().join(" - "));
        let session = session.at(self.place.clone());
        let conclusion = session.run(&mut self.stop, &mut self.announce)?;
        let end = match conclusion.ended {
            Ended::Verdict(_) => NightEnd::Played,
            Ended::OutOfTime => NightEnd::OutOfTime,
            Ended::Interrupted | Ended::Waiting => NightEnd::Interrupted,
        };
        if end != NightEnd::Played {
            (self.announce)("This nightly is not finished. Run the same command to resume it.");
            return Ok(end);
        }
        self.add_row(&conclusion)
            .map_err(SessionError::AfterStart)?;
        Ok(end)
    }

    fn add_row(&mut self, conclusion: &Conclusion<MatchReport>) -> anyhow::Result<()> {
        let mut night = Night::of(conclusion, &self.repository, &self.section.releases)?;
        let table = self.out.join(TABLE);
        limit::check_rows(&table, &self.nights, &night.limit)?;
        let all = self.nights.iter().chain([&night]);
        night.elo = Scale::new(all, &self.anchor.id).elo(&night.commit);
        self.played.push(night.commit.clone());
        append(&table, &mut self.nights, night)?;
        Ok(())
    }
}
