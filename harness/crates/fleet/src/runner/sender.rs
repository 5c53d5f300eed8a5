//! Sends jobs into the queue, after the files that they need.

use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::files::{LocalFile, files_of};
use super::sources::Sources;
use super::uploads::Uploads;
use crate::link::FileStore;
use crate::message::{FileRef, SourceRef};
use hone_base::diagnostic::{Diagnostic, shown};
use hone_base::errln;
use hone_run::executor::PairJob;

/// Minimum time between two replacements of a file on the server: any worker can request one.
const REPLACE: Duration = Duration::from_secs(10 * 60);

/// The files of a job.
pub(super) struct JobFiles {
    pub(super) refs: Vec<FileRef>,
    pub(super) sources: Vec<SourceRef>,
    /// The files that the server must have before the job is published.
    local: Vec<LocalFile>,
}

/// Stores files and publishes jobs in separate tasks.
pub(super) struct JobSender<S> {
    tasks: JoinSet<Result<(), Diagnostic>>,
    /// The files of all jobs so far.
    known: Vec<LocalFile>,
    sources: Sources,
    /// Whether there has been a worker that builds engines: it needs their sources.
    has_builders: bool,
    uploads: Uploads<S>,
    /// When files were last replaced on the server, by SHA-256.
    replaced: BTreeMap<String, Instant>,
}

impl<S: FileStore> JobSender<S> {
    pub(super) fn to(store: S) -> Self {
        Self {
            tasks: JoinSet::new(),
            known: Vec::new(),
            sources: Sources::default(),
            has_builders: false,
            uploads: Uploads::to(store),
            replaced: BTreeMap::new(),
        }
    }

    /// The files of a job; each file is read for the first job that needs it.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub(super) fn files_of(&mut self, job: &PairJob) -> io::Result<JobFiles> {
        let mut local = files_of(job, &mut self.known)?;
        let refs = local.iter().map(|one| one.file.clone()).collect();
        let (sources, packs) = self.sources.of(&local);
        if self.has_builders {
            local.extend(packs);
        }
        Ok(JobFiles {
            refs,
            sources,
            local,
        })
    }

    /// Stores the files of a job, then publishes the job.
    pub(super) fn send(
        &mut self,
        files: JobFiles,
        publish: impl Future<Output = ()> + Send + 'static,
    ) {
        let uploads = self.uploads.clone();
        self.tasks.spawn(async move {
            uploads.put(&files.local).await?;
            publish.await;
            Ok(())
        });
    }

    /// Stores the sources of all engines, from now on also those of later jobs.
    pub(super) fn offer_sources(&mut self) {
        if std::mem::replace(&mut self.has_builders, true) {
            return;
        }
        let (uploads, packs) = (self.uploads.clone(), self.sources.packs());
        self.tasks.spawn(async move { uploads.put(&packs).await });
    }

    /// Stores files again that the server has lost.
    pub(super) fn restore_files(&mut self) {
        let mut files = self.known.clone();
        files.extend(self.sources.packs());
        let uploads = self.uploads.clone();
        self.tasks
            .spawn(async move { uploads.restore(&files).await });
    }

    /// Stores all parts of a file again if a worker refuses the run because the file has
    /// arrived with another SHA-256, unless this was done a short time ago. Returns the name of
    /// the file.
    pub(super) fn replace_wrong(&mut self, reason: &str, now: Instant) -> Option<String> {
        let mut files = self.known.clone();
        files.extend(self.sources.packs());
        let wrong = files.into_iter().find(|one| one.file.is_wrong_in(reason))?;
        let FileRef { name, sha256, .. } = wrong.file.clone();
        let before = self.replaced.get(&sha256);
        if before.is_some_and(|before| now.duration_since(*before) < REPLACE) {
            return None;
        }
        self.replaced.insert(sha256, now);
        let uploads = self.uploads.clone();
        self.tasks.spawn(async move {
            // The run can continue: other workers may have the file.
            if let Err(error) = uploads.replace(&[wrong]).await {
                errln!("warning: {}", shown(&error));
            }
            Ok(())
        });
        Some(name)
    }

    pub(super) fn is_idle(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Stops all tasks.
    pub(super) fn abort(&mut self) {
        self.tasks.abort_all();
    }

    /// How the next task ends; `None` if there are none. Cancel safe.
    pub(super) async fn next(&mut self) -> Option<Result<(), Diagnostic>> {
        let ended = self.tasks.join_next().await?;
        // A task that was stopped has no result.
        Some(ended.unwrap_or(Ok(())))
    }
}
