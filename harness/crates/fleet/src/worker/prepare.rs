//! Prepares a run's engines on this machine: fetches their files and runs one search with
//! each, before any game. An engine that needs instructions which this processor does not
//! have fails in this search and does not lose a game.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use tempfile::NamedTempFile;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use super::builder::EngineBuilder;
use super::store::Store;
use crate::clock::Reference;
use crate::link::FileSource;
use crate::message::{FileRef, Job};
use hone_builds::{BuildHold, run_bench, speed};
use hone_run::executor::{PairJob, Player, ProgramFile};
use hone_uci::engine::uci::{Client, Launch};

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

/// A fetched file is gone: another program has cleaned the cache.
#[derive(Debug, thiserror::Error)]
#[error("{0} is gone from this worker's cache")]
pub(super) struct GoneFile(String);

#[cfg(test)]
impl GoneFile {
    pub(super) fn sample(name: &str) -> Self {
        Self(name.to_string())
    }
}

/// The first of the fetched files that is gone.
fn first_gone(files: &[(FileRef, PathBuf)]) -> Option<GoneFile> {
    let gone = files.iter().find(|(_, path)| !path.is_file());
    gone.map(|(file, _)| GoneFile(file.name.clone()))
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
/// Why the job's run cannot be played here; [`GoneFile`] if a fetched file is gone.
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
    let tried = try_engines(&job, &files, built, &threads).await;
    tried.map_err(|error| first_gone(&files).map_or(error, Into::into))
}

/// Runs one search with each engine of a job, and measures the machine's speed if time controls
/// are scaled. `built` are the programs of the players that were built here.
async fn try_engines(
    job: &Job,
    files: &[(FileRef, PathBuf)],
    built: Option<[(PathBuf, BuildHold); 2]>,
    threads: &IdleThreads,
) -> anyhow::Result<Prepared> {
    for (file, path) in files {
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
        files: files.to_vec(),
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
            Some(reference) => Some((reference, measure(&pair, reference, threads).await?)),
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

    /// The first of its fetched files that is gone.
    pub(super) fn first_gone(&self) -> Option<GoneFile> {
        first_gone(&self.files)
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
    // Several runs may check the same program at the same time.
    let log = NamedTempFile::new().context("cannot make a log of its bench")?;
    let log = log.into_temp_path();
    let (program, args) = (path.to_path_buf(), launch.args.clone());
    let sandbox = launch.sandbox;
    let found = spawn_blocking(move || run_bench(&program, &args, &log, sandbox));
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

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::link::LinkError;
    use crate::message::samples;
    use hone_base::checksum::sha256_of;

    /// A server without files.
    struct NoFiles;

    impl FileSource for NoFiles {
        async fn chunk(&self, _sha256: &str, _chunk: u64) -> Result<Vec<u8>, LinkError> {
            Err(LinkError::new("it has no files", "none"))
        }
    }

    #[tokio::test]
    async fn an_engine_that_is_removed_before_its_first_search_is_gone() {
        let cache = tempfile::tempdir().expect("a folder");
        let script = "#!/bin/sh\nrm -- \"$0\"\necho '5 nodes 1 nps'\n";
        let mut job = samples::job(0);
        for file in &mut job.files {
            file.sha256 = sha256_of(script.as_bytes());
            file.bytes = script.len() as u64;
            file.bench = Some(5);
        }
        let file = &job.files[0];
        let folder = cache.path().join("fleet/files").join(&file.sha256);
        let program = folder.join(&file.name);
        fs::create_dir_all(&folder).expect("made");
        fs::write(&program, script).expect("written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("executable");
        let threads = IdleThreads {
            idle: Arc::new(Mutex::new(1)),
            of_game: 1,
        };
        let prepared = prepare(Store::at(cache.path()), NoFiles, job, threads, None).await;
        let error = prepared.expect_err("it is gone");
        assert!(error.is::<GoneFile>(), "{error:?}");
        assert_eq!(error.to_string(), "engine is gone from this worker's cache");
    }

    /// Two runs of one base are prepared at the same time.
    #[tokio::test]
    async fn a_program_can_be_checked_twice_at_the_same_time() {
        let dir = tempfile::tempdir().expect("a folder");
        let program = dir.path().join("engine");
        // The first bench ends after the second.
        let script = "#!/bin/sh\nif mkdir \"$0.first\" 2>/dev/null; then\n\
                      while [ ! -e \"$0.go\" ]; do sleep 0.01; done\nfi\n\
                      echo '5 nodes 1 nps'\n";
        fs::write(&program, script).expect("written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("executable");
        let of_first = program.clone();
        let first =
            tokio::spawn(async move { check_bench(&of_first, &Launch::default(), 5).await });
        while !program.with_extension("first").exists() {
            assert!(!first.is_finished(), "it waits");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let second = check_bench(&program, &Launch::default(), 5).await;
        second.expect("the same bench");
        fs::write(program.with_extension("go"), "").expect("written");
        let first = first.await.expect("no panic");
        first.expect("the same bench");
    }
}
