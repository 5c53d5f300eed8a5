//! Builds the engines of a job from their commits.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use tokio::task::spawn_blocking;

use super::store::Store;
use crate::ids::Name;
use crate::link::FileSource;
use crate::message::{Job, SourceRef};
use hone_base::diagnostic::shown;
use hone_base::errln;
use hone_builds::{BuildError, BuildHold, BuildLimits, Built, Cache, Pack};

/// Time limit of a build.
const TIME_LIMIT: Duration = Duration::from_secs(60 * 60);

/// A build that is waiting or running. Dropping it stops the build.
pub(super) struct BuildOrder {
    pub(super) ticket: u64,
    pub(super) run: Name,
    /// The key of the job's files.
    pub(super) key: String,
    /// `None` once the build is running.
    pub(super) job: Option<Box<Job>>,
    /// Threads of a game.
    pub(super) threads: usize,
    /// Stops the build.
    pub(super) stop: Arc<AtomicBool>,
}

impl Drop for BuildOrder {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Builds engines in this machine's cache.
pub(super) struct EngineBuilder {
    pub(super) cache: Cache,
    /// Stops its builds.
    pub(super) stop: Arc<AtomicBool>,
}

impl EngineBuilder {
    /// The programs of a job's two players, built here.
    ///
    /// # Errors
    /// Why they cannot be built.
    pub(super) async fn programs(
        &self,
        store: &Store,
        files: &impl FileSource,
        job: &Job,
    ) -> anyhow::Result<[(PathBuf, BuildHold); 2]> {
        let mut programs = Vec::new();
        for (index, player) in job.pair.players.iter().enumerate() {
            let mut sources = job.sources.iter();
            let source = sources.find(|source| source.pack.player == index);
            let built = match source {
                Some(source) => {
                    self.build(store, files, source, player.launch.sandbox)
                        .await
                }
                None => Err(anyhow::anyhow!(
                    "it is not from a commit, or has no `bench` to compare"
                )),
            };
            let built =
                built.with_context(|| format!("engine `{}` cannot be built here", player.name))?;
            programs.push((built.program, built.hold));
        }
        let programs = <[_; 2]>::try_from(programs);
        programs.ok().context("a pair has two players")
    }

    async fn build(
        &self,
        store: &Store,
        files: &impl FileSource,
        source: &SourceRef,
        sandbox: bool,
    ) -> anyhow::Result<Built> {
        let pack = store
            .fetch_with_retries(&source.pack, files)
            .await
            .context("its source cannot be fetched")?;
        let expected = source.pack.bench.unwrap_or_default();
        let pack = Pack {
            path: pack,
            commit: source.commit.clone(),
            build: source.build.clone(),
            cmd: source.cmd.clone(),
            bench: expected,
        };
        let limits = BuildLimits {
            time: TIME_LIMIT,
            stop: Arc::clone(&self.stop),
        };
        let cache = self.cache.clone();
        let built = spawn_blocking(move || {
            let mut built = pack.build(&cache, sandbox, limits)?;
            let bench = built.bench(sandbox);
            Ok((built, bench))
        });
        let (built, bench) = match built.await? {
            Ok(built) => built,
            Err(error) => bail!("{}", one_line(&error)),
        };
        let bench = bench?;
        ensure!(
            bench == expected,
            "its bench is {bench} here, and {expected} where the run was started"
        );
        Ok(built)
    }
}

/// A build error in one line for the run's runner: the path of the log instead of its
/// text, which is printed here.
fn one_line(error: &BuildError) -> String {
    match error {
        BuildError::Failed(failed) => {
            errln!("{}", shown(error));
            let log = failed.log.display();
            format!(
                "{} does not build ({}); its log there is {log}",
                failed.commit, failed.status
            )
        }
        error => shown(error).replace('\n', "; "),
    }
}
