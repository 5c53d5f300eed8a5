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
    /// Runs that are played at the same time.
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
    /// [`Refusal`]: its name is taken, its configuration is not valid, or its files cannot be
    /// written.
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
            .map_err(Refusal::Failed)
            .and_then(|()| job.check_config(&self.folder).map_err(Refusal::Invalid))
            .and_then(|()| job.save(&self.folder).map_err(Refusal::Failed));
        if let Err(refusal) = accepted {
            job.remove(&self.folder);
            return Err(refusal);
        }
        state.jobs.push(job);
        state.version += 1;
        Ok(())
    }

    /// Does something with a run. `read` is the SHA-256 of the configuration that is
    /// approved. What cannot be saved is not done.
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
        let mut job = match at {
            Some(_) if self.is_elsewhere(state, run) => return Err(Refusal::elsewhere(run)),
            Some(at) => state.jobs[at].clone(),
            None if action == Action::Resume => self.adopt(state, run, by)?,
            None => return Err(self.not_queued(state, run)),
        };
        if job.needs_approval() && !matches!(action, Action::Approve | Action::Stop) {
            let message = format!("`{run}` has not been approved");
            return Err(Refusal::Conflict(message));
        }
        let child = state.children.iter_mut().find(|child| child.run == run);
        match action {
            Action::Approve => job.approve(&self.folder, by, read)?,
            Action::Pause => job.wanted = Wanted::Paused,
            Action::Resume => {
                job.wanted = Wanted::Played;
                job.failure = None;
            }
            Action::Stop => {
                if let Some(child) = child {
                    child.stop();
                }
                job.remove(&self.folder);
                state.jobs.retain(|one| one.name != run);
                state.version += 1;
                return Ok(());
            }
        }
        job.save(&self.folder).map_err(Refusal::Failed)?;
        if let Some(child) = child.filter(|_| action == Action::Pause) {
            child.pause();
        }
        match at {
            Some(at) => state.jobs[at] = job,
            None => state.jobs.push(job),
        }
        state.version += 1;
        Ok(())
    }

    /// Changes when a run starts.
    ///
    /// # Errors
    /// [`Refusal`].
    pub(crate) fn set_priority(&self, run: &str, priority: i32) -> Result<(), Refusal> {
        let mut state = self.lock();
        let state = &mut *state;
        let Some(job) = state.jobs.iter_mut().find(|job| job.name == run) else {
            return Err(self.not_queued(state, run));
        };
        let changed = Job {
            priority,
            ..job.clone()
        };
        changed.save(&self.folder).map_err(Refusal::Failed)?;
        *job = changed;
        state.version += 1;
        Ok(())
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
mod tests;
