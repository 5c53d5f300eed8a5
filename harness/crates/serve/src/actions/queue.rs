//! The queue of submitted runs, and the processes that play them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Context;

use super::action::{Action, Refusal};
use super::child::{ProcessEnd, RunProcess, last_words};
use super::queued_run::{PlayedBy, QueuedRun, Submission, Wanted, check_name};
use crate::kinds::Kinds;
use hone_base::diagnostic::Advise;
use hone_base::platform::lock_path;
use hone_base::text::with_causes;
use hone_run::ledger::is_whole_run_played;
use hone_run::{MANIFEST, Manifest};

/// Name of the queue's folder in the folder of runs.
const FOLDER: &str = "queue";
/// File in it, locked by the only server that accepts actions.
const LOCK: &str = "lock";

/// The queue.
#[derive(Debug)]
pub(crate) struct Queue {
    kinds: Kinds,
    /// The folder of runs.
    results: PathBuf,
    /// The folder of the queue.
    folder: PathBuf,
    /// Number of runs that are played at the same time.
    places: usize,
    /// Whether somebody else must approve a submitted run.
    needs_approval: bool,
    state: Mutex<State>,
    /// Prevents other servers from using the queue.
    _lock: File,
}

#[derive(Debug, Default)]
struct State {
    jobs: Vec<QueuedRun>,
    children: Vec<RunProcess>,
    is_ending: bool,
    /// Incremented with every visible change.
    version: u64,
}

impl Queue {
    /// Opens the queue in a folder of runs.
    ///
    /// # Errors
    /// If its folder cannot be created, or another server uses the queue.
    pub(crate) fn open(
        kinds: Kinds,
        results: &Path,
        places: usize,
        needs_approval: bool,
    ) -> anyhow::Result<Self> {
        let folder = results.join(FOLDER);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let lock = locked(&folder.join(LOCK))?;
        let state = State {
            jobs: QueuedRun::read_all(&folder),
            ..State::default()
        };
        Ok(Self {
            kinds,
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

    /// Whether somebody else must approve a submitted run.
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

    /// The jobs in the order in which they start, and their version number.
    pub(crate) fn jobs(&self) -> (u64, Vec<QueuedRun>) {
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
        let mut job = QueuedRun::new(submission, by);
        if self.needs_approval {
            job.wanted = Wanted::Approval;
        }
        let path = job.config(&self.folder);
        let accepted = fs::write(&path, config)
            .with_context(|| format!("cannot write {}", path.display()))
            .map_err(Refusal::Failed)
            .and_then(|()| {
                job.check_config(self.kinds, &self.folder)
                    .map_err(Refusal::Invalid)
            })
            .and_then(|()| job.save(&self.folder).map_err(Refusal::Failed));
        if let Err(refusal) = accepted {
            // Without a job, its configuration has no effect.
            let _ = job.remove(&self.folder);
            return Err(refusal);
        }
        state.jobs.push(job);
        state.version += 1;
        Ok(())
    }

    /// Carries out an action on a run. `read` is the SHA-256 of the approved configuration. An
    /// action that cannot be saved is not carried out.
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
                job.remove(&self.folder).map_err(Refusal::Failed)?;
                if let Some(child) = child {
                    child.stop();
                }
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

    /// Changes the priority of a run in the queue.
    ///
    /// # Errors
    /// [`Refusal`].
    pub(crate) fn set_priority(&self, run: &str, priority: i32) -> Result<(), Refusal> {
        let mut state = self.lock();
        let state = &mut *state;
        let Some(job) = state.jobs.iter_mut().find(|job| job.name == run) else {
            return Err(self.not_queued(state, run));
        };
        let changed = QueuedRun {
            priority,
            ..job.clone()
        };
        changed.save(&self.folder).map_err(Refusal::Failed)?;
        *job = changed;
        state.version += 1;
        Ok(())
    }

    /// The run in the folder or in the queue with this name, ignoring case, because some file
    /// systems do not distinguish it.
    fn taken(&self, state: &State, name: &str) -> Option<String> {
        let queued = state.jobs.iter().map(|job| job.name.clone());
        let mut all = queued.chain(self.names());
        all.find(|taken| taken.eq_ignore_ascii_case(name))
    }

    /// The names in the folder of runs.
    fn names(&self) -> impl Iterator<Item = String> {
        let entries = fs::read_dir(&self.results).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok())
    }

    /// The folder of an existing run, in the queue or not.
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

    /// The refusal of an action on a run that is not in the queue.
    fn not_queued(&self, state: &State, run: &str) -> Refusal {
        match self.folder_of(run) {
            None => Refusal::Unknown(format!("`{run}` is not in the queue")),
            Some(_) if self.is_elsewhere(state, run) => Refusal::elsewhere(run),
            Some(_) => Refusal::Conflict(format!(
                "`{run}` is not in the queue: it has ended or was stopped"
            )),
        }
    }

    /// Creates a job to continue a run that was started elsewhere, or was stopped here and may
    /// still be ending.
    fn adopt(&self, state: &State, run: &str, by: &str) -> Result<QueuedRun, Refusal> {
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
        Ok(QueuedRun::new(&submission, by))
    }

    /// Starts waiting runs while there are free slots, and handles processes that have ended.
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
            // The run was stopped, and its process has not ended yet.
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

    /// Finds the runs of the queue that other processes play. Returns their number.
    fn look_for_others(&self, state: &mut State) -> usize {
        let mut others = 0;
        for at in 0..state.jobs.len() {
            let before = state.jobs[at].played_by;
            if before == PlayedBy::ThisServer {
                continue;
            }
            let now = if self.is_elsewhere(state, &state.jobs[at].name) {
                PlayedBy::Another
            } else {
                PlayedBy::Nobody
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
            match child.ended() {
                None => state.children.push(child),
                Some(end) => self.take_end(state, &child, end),
            }
        }
    }

    /// Handles the end of a process.
    fn take_end(&self, state: &mut State, child: &RunProcess, end: ProcessEnd) {
        state.version += 1;
        let at = state.jobs.iter().position(|job| job.name == child.run);
        let Some(at) = at.filter(|_| !child.is_stopped()) else {
            return;
        };
        let job = &mut state.jobs[at];
        job.played_by = PlayedBy::Nobody;
        match end {
            ProcessEnd::Finished => {
                // If its file remains, the next server resumes the run, which ends at once.
                let _ = state.jobs.remove(at).remove(&self.folder);
            }
            // It was paused, or this server is ending; otherwise it is continued.
            ProcessEnd::Interrupted => {}
            ProcessEnd::Failed if job.wanted == Wanted::Paused => {}
            ProcessEnd::Failed => {
                job.failure = Some(last_words(&job.log(&self.folder)));
                // If it cannot be saved, the error is shown only until this server ends.
                let _ = job.save(&self.folder);
            }
        }
    }

    /// Ends all processes; the next server continues their runs.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.is_ending = true;
        state.children.iter_mut().for_each(RunProcess::end);
        state.children.iter_mut().for_each(RunProcess::wait);
    }
}

/// Locks the queue until this process ends.
fn locked(path: &Path) -> anyhow::Result<File> {
    let locked = lock_path(path).with_context(|| format!("cannot lock {}", path.display()))?;
    let locked = locked.with_context(|| {
        format!(
            "another `hone serve` accepts actions for these runs: it has locked {}",
            path.display()
        )
    });
    locked.help("end it, or start this one without tokens")
}

#[cfg(test)]
mod tests;
