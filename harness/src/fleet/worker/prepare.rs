//! Prepares a run's engines on this machine: fetches their files and runs one search with
//! each, before any game. An engine that needs instructions which this processor does not
//! have fails in this search and does not lose a game.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use super::builder::EngineBuilder;
use super::store::Store;
use crate::builds::{BuildHold, run_bench, speed};
use crate::engine::uci::{Client, Launch};
use crate::executor::{PairJob, Player, ProgramFile};
use crate::fleet::clock::Reference;
use crate::fleet::link::FileSource;
use crate::fleet::message::{FileRef, Job};
use crate::platform::process_mark;

/// Time of the first search after which it is stopped.
const SEARCH: Duration = Duration::from_secs(3);
/// Time limit for the answer to `stop`.
const STOP: Duration = Duration::from_secs(10);
/// Time limit for the end of an engine after `quit`.
const QUIT: Duration = Duration::from_millis(500);

/// The engines of a job that are prepared on this machine.
#[derive(Debug, Clone)]
pub(super) struct Prepared {
    files: Vec<(FileRef, PathBuf)>,
    /// The programs of the two players.
    programs: [(PathBuf, Arc<ProgramFile>); 2],
    is_built: bool,
    /// If time controls are scaled: the reference, and nodes per second of this machine.
    clock: Option<(Reference, u64)>,
}

/// The threads on which the machine's speed is measured.
pub(super) struct IdleThreads {
    /// Number of threads that no game uses. No game starts while it is locked.
    pub(super) idle: Arc<Mutex<usize>>,
    /// Threads of a game.
    pub(super) of_game: usize,
}

/// Fetches the files of a job, or builds its engines with `builder`, and runs one search
/// with each. If time controls are scaled, measures the machine's speed.
///
/// # Errors
/// Why the job's run cannot be played here.
pub(super) async fn prepare(
    store: Store,
    source: impl FileSource,
    job: Job,
    threads: IdleThreads,
    builder: Option<EngineBuilder>,
) -> anyhow::Result<Prepared> {
    let built = match &builder {
        Some(builder) => Some(builder.programs(&store, &source, &job).await?),
        None => None,
    };
    let is_needed = |file: &&FileRef| built.is_none() || file.option.is_some();
    let needed: Vec<&FileRef> = job.files.iter().filter(is_needed).collect();
    let files = fetch(&store, &source, &needed).await?;
    for (file, path) in &files {
        if let Some(bench) = file.bench {
            check_bench(path, &job.pair.players[file.player].launch, bench).await?;
        }
    }
    let sent = |player: usize| {
        let is_program =
            |(file, _): &&(FileRef, PathBuf)| file.player == player && file.option.is_none();
        let found = files.iter().find(is_program);
        let (_, path) = found.context("a player has no program")?;
        anyhow::Ok((path.clone(), BuildHold::default()))
    };
    let is_built = built.is_some();
    let [first, second] = match built {
        Some(built) => built,
        None => [sent(0)?, sent(1)?],
    };
    let identified = |(path, hold): (PathBuf, BuildHold)| {
        let program = ProgramFile::identify(&path, hold)?;
        anyhow::Ok((path, Arc::new(program)))
    };
    let prepared = Prepared {
        programs: [identified(first)?, identified(second)?],
        files,
        is_built,
        clock: None,
    };
    let pair = prepared.localized(job.pair.clone());
    for player in &pair.players {
        search(player, &pair)
            .await
            .with_context(|| format!("engine `{}` cannot play here", player.name))?;
    }
    Ok(Prepared {
        clock: match job.reference {
            Some(reference) => Some((reference, measure(&pair, reference, &threads).await?)),
            None => None,
        },
        ..prepared
    })
}

/// The paths of files, fetched if necessary.
async fn fetch(
    store: &Store,
    source: &impl FileSource,
    files: &[&FileRef],
) -> anyhow::Result<Vec<(FileRef, PathBuf)>> {
    let mut fetched = Vec::new();
    for file in files {
        let path = store
            .fetch_with_retries(file, source)
            .await
            .with_context(|| format!("cannot fetch {}", file.name))?;
        fetched.push((FileRef::clone(file), path));
    }
    Ok(fetched)
}

/// Nodes per second of the second player's engine, measured on all idle threads.
async fn measure(
    job: &PairJob,
    reference: Reference,
    threads: &IdleThreads,
) -> anyhow::Result<u64> {
    let idle = threads.idle.lock().await;
    let processes = *idle / threads.of_game;
    let launch = Arc::clone(&job.players[1].launch);
    let measured = spawn_blocking(move || {
        let folder = launch.dir.clone().unwrap_or_default();
        speed(
            &launch.program,
            &launch.args,
            launch.sandbox,
            &folder,
            processes,
        )
    });
    let nps = measured.await?.context("its speed cannot be measured")?;
    drop(idle);
    ensure!(
        reference.factor(nps).is_some(),
        "it searches {nps} nodes per second here, too far from the {} that the time control is for",
        reference.nps
    );
    Ok(nps)
}

impl Prepared {
    /// Engines with one file, for tests.
    #[cfg(test)]
    pub(super) fn sample(file: FileRef, path: PathBuf) -> Self {
        let program = || (path.clone(), Arc::default());
        Self {
            programs: [program(), program()],
            files: vec![(file, path.clone())],
            is_built: false,
            clock: None,
        }
    }

    /// Whether the engines were built here.
    pub(super) fn is_built(&self) -> bool {
        self.is_built
    }

    /// Marks its files as used, so that they are not pruned.
    pub(super) fn mark_used(&self) {
        self.files
            .iter()
            .for_each(|(_, path)| Store::mark_used(path));
    }

    /// Nodes per second of this machine, if time controls are scaled.
    pub(super) fn nps(&self) -> Option<u64> {
        self.clock.map(|(_, nps)| nps)
    }

    /// The job with the paths and the time controls of this machine.
    pub(super) fn localized(&self, mut job: PairJob) -> PairJob {
        for (index, player) in job.players.iter_mut().enumerate() {
            let (path, program) = &self.programs[index];
            let mut launch = (*player.launch).clone();
            launch.program.clone_from(path);
            launch.dir = path.parent().map(PathBuf::from);
            player.launch = Arc::new(launch);
            player.program = Arc::clone(program);
            let path_of = |name: &str| {
                let named = |(file, _): &&(FileRef, PathBuf)| {
                    file.player == index && file.option.as_deref() == Some(name)
                };
                let (_, path) = self.files.iter().find(named)?;
                Some(path.display().to_string())
            };
            if self.files.iter().any(|(file, _)| file.option.is_some()) {
                let options = player.options.iter().map(|(name, value)| {
                    (name.clone(), path_of(name).unwrap_or_else(|| value.clone()))
                });
                player.options = options.collect();
            }
        }
        if let Some((reference, nps)) = self.clock {
            reference.scale(&mut job, nps);
        }
        job
    }
}

/// Checks that the node count of `bench` is the same as on the machine of the run.
///
/// # Errors
/// If it differs, or `bench` fails: the program may behave differently on this processor.
async fn check_bench(path: &Path, launch: &Launch, expected: u64) -> anyhow::Result<()> {
    let log = path.with_extension(format!("bench-{}.log", process_mark()));
    let (program, args) = (path.to_path_buf(), launch.args.clone());
    let sandbox = launch.sandbox;
    let found = spawn_blocking(move || {
        let found = run_bench(&program, &args, &log, sandbox);
        // The next check overwrites a log that cannot be removed.
        let _ = std::fs::remove_file(&log);
        found
    });
    match found.await? {
        Ok(found) if found == expected => Ok(()),
        Ok(found) => bail!("its bench is {found} here, and {expected} where the run was started"),
        Err(error) => bail!("{error}"),
    }
}

/// Starts an engine and runs one short search.
async fn search(player: &Player, job: &PairJob) -> anyhow::Result<()> {
    let startup = Duration::from_millis(job.rules.startup_ms);
    let mut client = Client::start(&player.launch, startup).await?;
    let deadline = Instant::now() + Duration::from_millis(job.rules.stall_ms);
    let options = player.all_options(&job.rules);
    let searched = async {
        client.configure(&options, deadline).await?;
        client.begin_game(deadline).await?;
        let asked = Instant::now();
        let search = b"position startpos\ngo nodes 20000\n";
        client.send(search, asked + SEARCH).await?;
        if client.wait_bestmove(asked + SEARCH).await.is_ok() {
            return Ok(());
        }
        let deadline = Instant::now() + STOP;
        client.send(b"stop\n", deadline).await?;
        client.wait_bestmove(deadline).await.map(|_| ())
    };
    if let Err(error) = searched.await {
        let status = client.exit_status().await;
        bail!("its first search failed: {error} ({status})");
    }
    client.quit(QUIT).await;
    Ok(())
}
