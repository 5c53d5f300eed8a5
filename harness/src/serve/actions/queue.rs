//! The runs that were submitted, and the processes that play them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Context;

use super::action::{Action, Refusal};
use super::child::{RunProcess, last_words};
use super::job::{Job, PlayedBy, Submission, Wanted, check_name};
use crate::output::with_causes;
use crate::platform::lock_path;
use crate::run::{MANIFEST, Manifest};
use crate::serve::process::is_whole_run_played;

/// Name of the queue's folder in that of the runs.
const FOLDER: &str = "queue";
/// The file in it that the one server locks that accepts actions.
const LOCK: &str = "lock";

/// Exit codes of a run that has come to its end: see `Exit`.
const ENDED: [i32; 3] = [0, 1, 3];
/// That of one that was interrupted.
const INTERRUPTED: i32 = 130;

/// The queue.
#[derive(Debug)]
pub(crate) struct Queue {
    /// Of the runs.
    results: PathBuf,
    /// Of the queue.
    folder: PathBuf,
    /// Runs that are played at once.
    places: usize,
    /// Whether a run that is submitted must be approved by somebody else.
    needs_approval: bool,
    state: Mutex<State>,
    /// Keeps other servers from the queue.
    _lock: File,
}

#[derive(Debug, Default)]
struct State {
    jobs: Vec<Job>,
    children: Vec<RunProcess>,
    is_ending: bool,
    /// Changes with everything that is shown.
    version: u64,
}

impl Queue {
    /// The queue in a folder of runs, as it was left.
    ///
    /// # Errors
    /// If its folder cannot be made, or another server has the queue.
    pub(crate) fn open(
        results: &Path,
        places: usize,
        needs_approval: bool,
    ) -> anyhow::Result<Self> {
        let folder = results.join(FOLDER);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let lock = locked(&folder.join(LOCK))?;
        let state = State {
            jobs: Job::read_all(&folder),
            ..State::default()
        };
        Ok(Self {
            results: results.to_path_buf(),
            folder,
            places,
            needs_approval,
            state: Mutex::new(state),
            _lock: lock,
        })
    }

    /// Its folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether a run that is submitted must be approved by somebody else.
    pub(crate) fn needs_approval(&self) -> bool {
        self.needs_approval
    }

    /// The configuration of a run in the queue.
    pub(crate) fn configuration(&self, run: &str) -> Option<String> {
        let state = self.lock();
        let job = state.jobs.iter().find(|job| job.name == run)?;
        fs::read_to_string(job.config(&self.folder)).ok()
    }

    /// Whether a run is in the queue.
    pub(crate) fn has(&self, run: &str) -> bool {
        self.lock().jobs.iter().any(|job| job.name == run)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The jobs, those that start first at the top, and a number that changes
    /// with them.
    pub(crate) fn jobs(&self) -> (u64, Vec<Job>) {
        let state = self.lock();
        let mut jobs = state.jobs.clone();
        jobs.sort_by_key(|job| (std::cmp::Reverse(job.priority), job.submitted));
        (state.version, jobs)
    }

    /// Adds a run.
    ///
    /// # Errors
    /// [`Refusal`]: its name is taken, or its configuration is not valid.
    pub(crate) fn submit(
        &self,
        submission: &Submission,
        config: &str,
        by: &str,
    ) -> Result<(), Refusal> {
        check_name(&submission.name).map_err(Refusal::Invalid)?;
        let mut state = self.lock();
        if let Some(taken) = self.taken(&state, &submission.name) {
            let mut message = format!("there is a run `{taken}` already");
            if taken != submission.name {
                message += ": names must differ in more than upper and lower case";
            }
            return Err(Refusal::Conflict(message));
        }
        let mut job = Job::new(submission, by);
        if self.needs_approval {
            job.wanted = Wanted::Approval;
        }
        let path = job.config(&self.folder);
        let accepted = fs::write(&path, config)
            .with_context(|| format!("cannot write {}", path.display()))
            .and_then(|()| job.check_config(&self.folder))
            .and_then(|()| job.save(&self.folder));
        if let Err(error) = accepted {
            job.remove(&self.folder);
            return Err(Refusal::Invalid(error));
        }
        state.jobs.push(job);
        state.version += 1;
        Ok(())
    }

    /// Does something with a run. `read` is the SHA-256 of the configuration that is
    /// approved.
    ///
    /// # Errors
    /// [`Refusal`].
    pub(crate) fn act(
        &self,
        run: &str,
        action: Action,
        by: &str,
        read: Option<&str>,
    ) -> Result<(), Refusal> {
        let mut state = self.lock();
        let state = &mut *state;
        let at = state.jobs.iter().position(|job| job.name == run);
        let at = match at {
            Some(_) if self.is_elsewhere(state, run) => return Err(Refusal::elsewhere(run)),
            Some(at) => at,
            None if action == Action::Resume => {
                let job = self.adopt(state, run, by)?;
                state.jobs.push(job);
                state.jobs.len() - 1
            }
            None => return Err(self.not_queued(state, run)),
        };
        state.version += 1;
        let job = &mut state.jobs[at];
        if job.needs_approval() && !matches!(action, Action::Approve | Action::Stop) {
            let message = format!("`{run}` has not been approved");
            return Err(Refusal::Conflict(message));
        }
        let child = state.children.iter_mut().find(|child| child.run == run);
        match action {
            Action::Approve => job.approve(&self.folder, by, read)?,
            Action::Pause => {
                job.wanted = Wanted::Paused;
                if let Some(child) = child {
                    child.pause();
                }
            }
            Action::Resume => {
                job.wanted = Wanted::Played;
                job.failure = None;
            }
            Action::Stop => {
                if let Some(child) = child {
                    child.stop();
                }
                state.jobs.remove(at).remove(&self.folder);
                return Ok(());
            }
        }
        job.save(&self.folder).map_err(Refusal::Invalid)
    }

    /// Changes when a run starts.
    ///
    /// # Errors
    /// [`Refusal`].
    pub(crate) fn set_priority(&self, run: &str, priority: i32) -> Result<(), Refusal> {
        let mut state = self.lock();
        state.version += 1;
        let state = &mut *state;
        let Some(job) = state.jobs.iter_mut().find(|job| job.name == run) else {
            return Err(self.not_queued(state, run));
        };
        job.priority = priority;
        job.save(&self.folder).map_err(Refusal::Invalid)
    }

    /// The run in the folder or in the queue that has a name, in upper or lower case:
    /// some file systems do not distinguish them.
    fn taken(&self, state: &State, name: &str) -> Option<String> {
        let queued = state.jobs.iter().map(|job| job.name.clone());
        let mut all = queued.chain(self.names());
        all.find(|taken| taken.eq_ignore_ascii_case(name))
    }

    /// The names in the folder of the runs.
    fn names(&self) -> impl Iterator<Item = String> {
        let entries = fs::read_dir(&self.results).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok())
    }

    /// The folder of a run that exists, whether it is in the queue or not.
    fn folder_of(&self, name: &str) -> Option<PathBuf> {
        check_name(name).ok()?;
        let path = self.results.join(name);
        let is_run = path.join(MANIFEST).exists() && self.names().any(|one| one == name);
        is_run.then_some(path)
    }

    /// Whether a process that this server has not started plays a run.
    fn is_elsewhere(&self, state: &State, run: &str) -> bool {
        let is_ours = state.children.iter().any(|child| child.run == run);
        !is_ours && is_whole_run_played(&self.results.join(run))
    }

    /// Why nothing can be done with a run that is not in the queue.
    fn not_queued(&self, state: &State, run: &str) -> Refusal {
        match self.folder_of(run) {
            None => Refusal::Unknown(format!("`{run}` is not in the queue")),
            Some(_) if self.is_elsewhere(state, run) => Refusal::elsewhere(run),
            Some(_) => Refusal::Conflict(format!(
                "`{run}` is not in the queue: it has ended or was stopped"
            )),
        }
    }

    /// A run that was started elsewhere, or was stopped here and may still be
    /// ending, and is to be continued.
    fn adopt(&self, state: &State, run: &str, by: &str) -> Result<Job, Refusal> {
        let unknown = || Refusal::Unknown(format!("unknown run `{run}`"));
        let path = self.folder_of(run).ok_or_else(unknown)?;
        let manifest = Manifest::read(&path).map_err(|_| unknown())?;
        if self.is_elsewhere(state, run) {
            return Err(Refusal::elsewhere(run));
        }
        let submission = Submission {
            name: run.to_string(),
            kind: manifest.kind,
            priority: 0,
        };
        Ok(Job::new(&submission, by))
    }

    /// Starts what can be started and takes note of what has ended.
    pub(crate) fn tick(&self) {
        let mut state = self.lock();
        let state = &mut *state;
        self.reap(state);
        if state.is_ending {
            return;
        }
        let others = self.look_for_others(state);
        let mut waiting: Vec<usize> = (0..state.jobs.len())
            .filter(|at| state.jobs[*at].is_waiting())
            .collect();
        waiting.sort_by_key(|at| {
            let job = &state.jobs[*at];
            (std::cmp::Reverse(job.priority), job.submitted)
        });
        for at in waiting {
            if state.children.len() + others >= self.places {
                return;
            }
            let job = &mut state.jobs[at];
            // It was stopped, and its process has not ended yet.
            if state.children.iter().any(|child| child.run == job.name) {
                continue;
            }
            state.version += 1;
            match RunProcess::start(job, &self.results, &self.folder) {
                Ok(child) => {
                    job.played_by = PlayedBy::ThisServer;
                    state.children.push(child);
                }
                Err(error) => job.failure = Some(with_causes(&error)),
            }
        }
    }

    /// Finds the runs of the queue that processes play which this server has not
    /// started. Returns their number.
    fn look_for_others(&self, state: &mut State) -> usize {
        let mut others = 0;
        for at in 0..state.jobs.len() {
            let before = state.jobs[at].played_by;
            if before == PlayedBy::ThisServer {
                continue;
            }
            let now = match self.is_elsewhere(state, &state.jobs[at].name) {
                true => PlayedBy::Another,
                false => PlayedBy::Nobody,
            };
            others += usize::from(now == PlayedBy::Another);
            state.version += u64::from(now != before);
            state.jobs[at].played_by = now;
        }
        others
    }

    fn reap(&self, state: &mut State) {
        let children = std::mem::take(&mut state.children);
        for mut child in children {
            match child.status() {
                None => state.children.push(child),
                Some(status) => self.take_end(state, &child, status),
            }
        }
    }

    /// Takes note of the end of a process.
    fn take_end(&self, state: &mut State, child: &RunProcess, status: ExitStatus) {
        state.version += 1;
        let at = state.jobs.iter().position(|job| job.name == child.run);
        let Some(at) = at.filter(|_| !child.is_stopped()) else {
            return;
        };
        let job = &mut state.jobs[at];
        job.played_by = PlayedBy::Nobody;
        match status.code() {
            Some(code) if ENDED.contains(&code) => {
                state.jobs.remove(at).remove(&self.folder);
            }
            // It was paused, or this server ends; otherwise it is continued.
            Some(INTERRUPTED) => {}
            _ if job.wanted == Wanted::Paused => {}
            _ => {
                job.failure = Some(last_words(&job.log(&self.folder)));
                // It is shown as long as this server runs.
                let _ = job.save(&self.folder);
            }
        }
    }

    /// Ends all processes; their runs are continued by the next server.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.is_ending = true;
        state.children.iter_mut().for_each(RunProcess::end);
        state.children.iter_mut().for_each(RunProcess::wait);
    }
}

/// Takes the queue for this process until it ends, however it ends.
fn locked(path: &Path) -> anyhow::Result<File> {
    let locked = lock_path(path).with_context(|| format!("cannot lock {}", path.display()))?;
    locked.with_context(|| {
        format!(
            "another `hone serve` accepts actions for these runs: it has locked {}\n\
             help: end it, or start this one without tokens",
            path.display()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::GAMES_CSV;
    use crate::run::Kind;

    /// A queue with these jobs in a folder of runs.
    fn queue(results: &Path, names: &[&str]) -> Queue {
        let folder = results.join(FOLDER);
        fs::create_dir_all(&folder).expect("made");
        for name in names {
            let submission = Submission {
                name: name.to_string(),
                kind: Kind::Match,
                priority: 0,
            };
            let job = Job::new(&submission, "ann");
            job.save(&folder).expect("written");
            fs::write(job.config(&folder), "").expect("written");
        }
        Queue::open(results, 1, false).expect("free")
    }

    /// As after a server that was killed: its run is still played.
    #[test]
    fn a_run_that_another_process_plays_takes_a_place_and_is_left_alone() {
        let results = tempfile::tempdir().expect("a folder");
        let run = results.path().join("first");
        fs::create_dir(&run).expect("made");
        fs::write(run.join(MANIFEST), "").expect("written");
        let ledger = File::create(run.join(GAMES_CSV)).expect("made");
        ledger.lock().expect("free");
        let queue = queue(results.path(), &["first", "second"]);
        for action in [Action::Pause, Action::Resume, Action::Stop] {
            let refused = queue.act("first", action, "ann", None);
            let refused = refused.expect_err("it is not ours");
            assert!(matches!(refused, Refusal::Conflict(_)), "{refused:?}");
            let message = refused.message();
            assert!(
                message.contains("another process plays `first`"),
                "{message}"
            );
        }
        assert!(queue.configuration("first").is_some(), "it is in the queue");
        let (version, _) = queue.jobs();
        queue.tick();
        let (shown, jobs) = queue.jobs();
        let words: Vec<String> = jobs.iter().map(Job::words).collect();
        assert_eq!(words, ["running, started by another process", "waiting"]);
        assert_ne!(version, shown, "the page changes");
        // A run that is not in the queue.
        queue
            .act("second", Action::Stop, "ann", None)
            .expect("not played");
        let ended = results.path().join("second");
        fs::create_dir(&ended).expect("made");
        fs::write(ended.join(MANIFEST), "").expect("written");
        let refused = queue.act("second", Action::Pause, "ann", None);
        let message = refused.expect_err("it is not played").message();
        assert!(
            message.ends_with("it has ended or was stopped"),
            "{message}"
        );
    }

    #[test]
    fn one_server_has_the_queue() {
        let results = tempfile::tempdir().expect("a folder");
        let first = queue(results.path(), &[]);
        let second = Queue::open(results.path(), 1, false).expect_err("taken");
        let message = second.to_string();
        assert!(message.contains("another `hone serve`"), "{message}");
        drop(first);
        Queue::open(results.path(), 1, false).expect("free again");
    }

    /// On some file systems both would have the same files.
    #[test]
    fn names_that_differ_only_in_case_are_the_same() {
        let results = tempfile::tempdir().expect("a folder");
        fs::create_dir(results.path().join("Ended")).expect("made");
        let queue = queue(results.path(), &["waiting"]);
        for name in ["WAITING", "waiting", "ended"] {
            let submission = Submission {
                name: name.to_string(),
                kind: Kind::Match,
                priority: 0,
            };
            let refused = queue.submit(&submission, "", "ann");
            let refused = refused.expect_err("taken");
            assert!(matches!(refused, Refusal::Conflict(_)), "{refused:?}");
        }
    }
}
