//! The runs that were submitted, and the processes that play them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use serde::Deserialize;

use super::job::{Job, Submission, Wanted, check_name};
use crate::builds::sha256_of;
use crate::config;
use crate::kinds;
use crate::output::with_causes;
use crate::run::{MANIFEST, Manifest};
use crate::serve::process::is_whole_run_played;

/// Name of the queue's folder in that of the runs.
const FOLDER: &str = "queue";

/// Exit codes of a run that has come to its end: see `Exit`.
const ENDED: [i32; 3] = [0, 1, 3];
/// That of one that was interrupted.
const INTERRUPTED: i32 = 130;

/// What can be done with a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Action {
    /// Finish the games in progress; keep the place in the queue.
    Pause,
    /// Continue, or start, when there is a place.
    Resume,
    /// End now, and leave the queue. The run can be resumed.
    Stop,
    /// Let a run be played that somebody else has submitted.
    Approve,
}

/// Why something cannot be done.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The run does not exist.
    Unknown(String),
    /// What was asked for makes no sense.
    Invalid(anyhow::Error),
    /// Not now.
    Conflict(String),
}

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
}

#[derive(Debug, Default)]
struct State {
    jobs: Vec<Job>,
    children: Vec<Playing>,
    is_ending: bool,
    /// Changes with everything that is shown.
    version: u64,
}

/// A process that plays a run.
#[derive(Debug)]
struct Playing {
    run: String,
    child: Child,
    /// It has been asked to end after its games: asked again, it would break them off.
    is_pausing: bool,
    /// The run has left the queue; if it is back, this is not its process.
    is_stopped: bool,
}

impl Queue {
    /// The queue in a folder of runs, as it was left.
    ///
    /// # Errors
    /// If its folder cannot be made.
    pub(crate) fn open(
        results: &Path,
        places: usize,
        needs_approval: bool,
    ) -> anyhow::Result<Self> {
        let folder = results.join(FOLDER);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
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
        let is_taken = state.jobs.iter().any(|job| job.name == submission.name)
            || self.results.join(&submission.name).exists();
        if is_taken {
            return Err(Refusal::Conflict(format!(
                "there is a run `{}` already",
                submission.name
            )));
        }
        let mut job = Job::new(submission, by);
        if self.needs_approval {
            job.wanted = Wanted::Approval;
        }
        let path = job.config(&self.folder);
        let check = || {
            fs::write(&path, config).with_context(|| format!("cannot write {}", path.display()))?;
            let config = config::load(&path, &[])?;
            kinds::of(job.kind).check(&config)
        };
        let accepted = check().and_then(|()| job.save(&self.folder));
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
        if !state.jobs.iter().any(|job| job.name == run) {
            if action != Action::Resume {
                return Err(self.not_ours(run));
            }
            let is_ending = state.children.iter().any(|playing| playing.run == run);
            let job = self.adopt(run, is_ending, by)?;
            state.jobs.push(job);
        }
        let state = &mut *state;
        state.version += 1;
        let Some(at) = state.jobs.iter().position(|job| job.name == run) else {
            return Err(Refusal::Unknown(format!("there is no run `{run}`")));
        };
        let job = &mut state.jobs[at];
        let playing = state.children.iter_mut().find(|playing| playing.run == run);
        if job.needs_approval() && !matches!(action, Action::Approve | Action::Stop) {
            let message = format!("`{run}` has not been approved");
            return Err(Refusal::Conflict(message));
        }
        match action {
            Action::Approve => approve(job, &self.folder, by, read)?,
            Action::Pause => {
                job.wanted = Wanted::Paused;
                if let Some(playing) = playing.filter(|playing| !playing.is_pausing) {
                    interrupt(&mut playing.child, false);
                    playing.is_pausing = true;
                }
            }
            Action::Resume => {
                job.wanted = Wanted::Played;
                job.failure = None;
            }
            Action::Stop => {
                if let Some(playing) = playing {
                    interrupt(&mut playing.child, true);
                    playing.is_stopped = true;
                }
                let job = state.jobs.remove(at);
                job.remove(&self.folder);
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
        let Some(job) = state.jobs.iter_mut().find(|job| job.name == run) else {
            return Err(self.not_ours(run));
        };
        job.priority = priority;
        job.save(&self.folder).map_err(Refusal::Invalid)
    }

    fn not_ours(&self, run: &str) -> Refusal {
        let is_run = check_name(run).is_ok() && self.results.join(run).join(MANIFEST).exists();
        match is_run {
            true => Refusal::Conflict(format!(
                "`{run}` was not started here: stop it where it was started"
            )),
            false => Refusal::Unknown(format!("there is no run `{run}` in the queue")),
        }
    }

    /// A run that was started elsewhere, or was stopped here and may still be
    /// ending, and is to be continued.
    fn adopt(&self, run: &str, is_ending: bool, by: &str) -> Result<Job, Refusal> {
        let unknown = || Refusal::Unknown(format!("there is no run `{run}`"));
        check_name(run).map_err(|_| unknown())?;
        let path = self.results.join(run);
        let manifest = Manifest::read(&path).map_err(|_| unknown())?;
        if !is_ending && is_whole_run_played(&path) {
            return Err(Refusal::Conflict(format!("`{run}` is being played")));
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
        let mut waiting: Vec<usize> = (0..state.jobs.len())
            .filter(|at| state.jobs[*at].is_waiting())
            .collect();
        waiting.sort_by_key(|at| {
            let job = &state.jobs[*at];
            (std::cmp::Reverse(job.priority), job.submitted)
        });
        for at in waiting {
            if state.children.len() >= self.places {
                return;
            }
            let job = &mut state.jobs[at];
            // A process that an earlier server started may still play it, or
            // one that was stopped.
            if is_whole_run_played(&self.results.join(&job.name)) {
                continue;
            }
            state.version += 1;
            match self.start(job) {
                Ok(child) => {
                    job.is_running = true;
                    state.children.push(Playing {
                        run: job.name.clone(),
                        child,
                        is_pausing: false,
                        is_stopped: false,
                    });
                }
                Err(error) => job.failure = Some(with_causes(&error)),
            }
        }
    }

    fn start(&self, job: &Job) -> anyhow::Result<Child> {
        let run = self.results.join(&job.name);
        let log = File::create(job.log(&self.folder)).context("cannot write the log")?;
        let mut command = Command::new(std::env::current_exe()?);
        if run.join(MANIFEST).exists() {
            command.arg("resume").arg(&run);
        } else {
            command.arg(job.kind.name()).arg(job.config(&self.folder));
            command.arg("--out").arg(&run);
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        // Ctrl-C in the server's terminal is for the server.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().context("cannot start hone")
    }

    fn reap(&self, state: &mut State) {
        let State {
            jobs,
            children,
            version,
            ..
        } = state;
        children.retain_mut(|playing| {
            let Ok(Some(status)) = playing.child.try_wait() else {
                return true;
            };
            *version += 1;
            let at = jobs.iter().position(|job| job.name == playing.run);
            let Some(at) = at.filter(|_| !playing.is_stopped) else {
                return false;
            };
            let job = &mut jobs[at];
            job.is_running = false;
            match status.code() {
                Some(code) if ENDED.contains(&code) => {
                    job.remove(&self.folder);
                    jobs.remove(at);
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
            false
        });
    }

    /// Ends all processes; their runs are continued by the next server.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.is_ending = true;
        for playing in &mut state.children {
            interrupt(&mut playing.child, true);
        }
        for playing in &mut state.children {
            let _ = playing.child.wait();
        }
    }
}

/// The owner of another token approves the configuration that was read: who submitted
/// the run can stop it and submit another one under its name.
fn approve(job: &mut Job, folder: &Path, by: &str, read: Option<&str>) -> Result<(), Refusal> {
    if !job.needs_approval() {
        let message = format!("`{}` does not wait for approval", job.name);
        return Err(Refusal::Conflict(message));
    }
    if job.by == by {
        let message = format!(
            "{by} submitted `{}`: somebody else must approve it",
            job.name
        );
        return Err(Refusal::Conflict(message));
    }
    let config = fs::read(job.config(folder)).map_err(|error| Refusal::Invalid(error.into()))?;
    let Some(read) = read else {
        return Err(Refusal::Invalid(anyhow::anyhow!(
            "an approval needs `config=SHA256`, of the configuration that /api/queue/{} shows",
            job.name
        )));
    };
    if !read.eq_ignore_ascii_case(&sha256_of(&config)) {
        let message = format!(
            "`{}` has another configuration than the one that was read",
            job.name
        );
        return Err(Refusal::Conflict(message));
    }
    job.wanted = Wanted::Played;
    job.approved_by = Some(by.to_string());
    Ok(())
}

/// Asks a process to end, at once or when its games are finished.
#[cfg(unix)]
fn interrupt(child: &mut Child, at_once: bool) {
    let signal = match at_once {
        true => libc::SIGTERM,
        false => libc::SIGINT,
    };
    let Ok(pid) = i32::try_from(child.id()) else {
        return;
    };
    // SAFETY: the process is our child and has not been waited for.
    unsafe {
        libc::kill(pid, signal);
    }
}

/// Windows offers no gentler way: finished games are in the ledger.
#[cfg(not(unix))]
fn interrupt(child: &mut Child, _at_once: bool) {
    let _ = child.kill();
}

/// Why a process has failed: the error at the end of what it printed.
fn last_words(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let error = text.rfind("error: ").map(|at| &text[at..]);
    let words = error.or_else(|| text.lines().next_back());
    let words = words.unwrap_or("it printed nothing").trim();
    words.chars().take(500).collect()
}

impl Refusal {
    /// For people.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::Unknown(message) | Self::Conflict(message) => message.clone(),
            Self::Invalid(error) => with_causes(error),
        }
    }
}
