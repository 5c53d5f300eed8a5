//! Engines that this machine builds from their commits. A build uses all of the
//! machine: it waits until no game is played, and no game starts beside it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use tokio::task::spawn_blocking;

use super::prepare::{fetch, prepare};
use super::slot::Doing;
use super::store::Store;
use super::{Readied, Worker};
use crate::builds::{BuildError, BuildHold, Built, Cache, Leash, Pack};
use crate::fleet::ids::Name;
use crate::fleet::link::{FileSource, WorkerLink};
use crate::fleet::message::{Job, SourceRef};

/// How long a build may take.
const PATIENCE: Duration = Duration::from_secs(60 * 60);

/// A build that is to be made, or is being made. It ends when this is dropped.
pub(super) struct BuildOrder {
    ticket: u64,
    pub(super) run: Name,
    /// What the job's files are known by here.
    key: String,
    /// `None` once it is being made.
    job: Option<Box<Job>>,
    threads: usize,
    stop: Arc<AtomicBool>,
}

impl Drop for BuildOrder {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl<L: WorkerLink> Worker<L> {
    /// Notes that the engines of a job must be built, and gives back all jobs
    /// that wait: others need not wait for the build.
    pub(super) async fn order_build(&mut self, run: Name, key: String, job: Job, threads: usize) {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.building = Some(BuildOrder {
            ticket,
            run,
            key,
            job: Some(Box::new(job)),
            threads,
            stop: Arc::default(),
        });
        self.give_back_waiting(|_| true).await;
    }

    /// Starts the build that was ordered, once no game is played.
    pub(super) async fn start_build(&mut self) {
        let is_idle = self.doing.iter().all(|doing| *doing == Doing::Nothing);
        if !is_idle || self.leaving.is_some() {
            return;
        }
        let processes = self.idle_threads();
        let Some(order) = &mut self.building else {
            return;
        };
        let Some(job) = order.job.take() else { return };
        let build = Some(order.ticket);
        errln!("run {}: building its engines", order.run);
        let workshop = Workshop {
            cache: self.cache.clone(),
            stop: Arc::clone(&order.stop),
        };
        let (run, key) = (order.run.clone(), order.key.clone());
        let (pair, lease) = (job.pair.pair, job.lease.clone());
        let threads = order.threads;
        let preparing = prepare(
            self.store.clone(),
            self.link.files(),
            *job,
            processes / threads,
            Some(workshop),
        );
        self.preparing.spawn(async move {
            let prepared = preparing.await;
            Readied {
                run,
                key,
                build,
                pair,
                lease,
                prepared,
            }
        });
        self.report().await;
    }

    /// A build is over. Returns whether it is still wanted.
    pub(super) fn end_build(&mut self, ticket: u64) -> bool {
        let order = self.building.take_if(|order| order.ticket == ticket);
        order.is_some()
    }
}

/// Where builds are made.
pub(super) struct Workshop {
    cache: Cache,
    /// Ends builds.
    stop: Arc<AtomicBool>,
}

impl Workshop {
    /// The programs of a job's two players, built here.
    ///
    /// # Errors
    /// Why they cannot be built, in one line.
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
        let pack = fetch(store, &source.pack, files)
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
        let leash = Leash {
            time: PATIENCE,
            stop: Arc::clone(&self.stop),
        };
        let cache = self.cache.clone();
        let built = spawn_blocking(move || pack.build(&cache, sandbox, leash));
        let built = match built.await? {
            Ok(built) => built,
            Err(error) => bail!("{}", one_line(&error)),
        };
        match built.record.bench {
            Some(bench) => ensure!(
                bench == expected,
                "its bench is {bench} here, and {expected} where the run was started"
            ),
            None => bail!("its bench ends without a node count here"),
        }
        Ok(built)
    }
}

/// For the run's owner: where the whole log is, and no more of it.
fn one_line(error: &BuildError) -> String {
    match error {
        BuildError::Failed(failed) => {
            errln!("{failed}");
            let log = failed.log.display();
            format!(
                "{} does not build ({}); its log there is {log}",
                failed.commit, failed.status
            )
        }
        error => error.to_string().replace('\n', "; "),
    }
}
