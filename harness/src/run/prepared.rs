//! Prepares the engines before the first game: builds and finds them, starts
//! each once, and checks its identity and options.

use std::collections::HashSet;
use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::manifest::EngineIdentity;
use super::preflight::{Preflight, PreflightError};
use crate::builds::{BuildError, BuildRecord, Builder, Built};
use crate::config::{Config, EngineConfig};
use crate::engine::uci::{
    AnswerError, Client, EngineOption, Launch, OptionError, StartError, Timeouts, check_options,
    split_command,
};
use crate::executor::{Player, ProgramFile};
use crate::output;
use crate::platform::{full_path, shell};
use crate::rules::openings::{Opening, Variant};

/// Why the engines are not ready to play.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PrepareError {
    #[error("engine `{name}`: the build failed ({status})\nhelp: run it alone: {command}")]
    Build {
        name: String,
        command: String,
        status: String,
    },
    #[error("engine `{name}`: {source}")]
    Source { name: String, source: BuildError },
    #[error("engine `{name}`: `cmd` is empty or its quotes do not match: {cmd}")]
    Command { name: String, cmd: String },
    #[error("engine `{name}`: no program `{program}`{hint}")]
    Missing {
        name: String,
        program: String,
        hint: &'static str,
    },
    #[error("engine `{name}`: {source}")]
    Start { name: String, source: StartError },
    /// It was built from a commit, or from uncommitted changes, and does not
    /// start.
    #[error("{source} (it builds but does not start)")]
    Broken {
        name: String,
        source: Box<PrepareError>,
    },
    #[error("engine `{name}`: {source}")]
    Option { name: String, source: OptionError },
    #[error("engine `{name}` does not support Chess960 (no option `UCI_Chess960`)")]
    Chess960 { name: String },
    #[error("engine `{name}` is not ready for a game: {source}")]
    Ready { name: String, source: AnswerError },
    #[error(transparent)]
    Preflight(#[from] PreflightError),
    #[error("engine `{name}`: cannot read {}: {source}", path.display())]
    Read {
        name: String,
        path: PathBuf,
        source: io::Error,
    },
}

impl PrepareError {
    /// Whether the engine's process was there and ended.
    fn is_death(&self) -> bool {
        match self {
            Self::Start { source, .. } => matches!(source, StartError::Ended { .. }),
            Self::Ready { source, .. } => matches!(source, AnswerError::Disconnected),
            Self::Preflight(error) => matches!(error, PreflightError::Ended { .. }),
            _ => false,
        }
    }

    /// Whether the engine's process was there and said nothing.
    fn is_silence(&self) -> bool {
        match self {
            Self::Start { source, .. } => matches!(source, StartError::NoUciok { .. }),
            Self::Ready { source, .. } => matches!(source, AnswerError::TimedOut),
            Self::Preflight(error) => matches!(error, PreflightError::Silent { .. }),
            _ => false,
        }
    }

    /// Whether a build was started.
    pub(crate) fn is_after_start(&self) -> bool {
        match self {
            Self::Build { .. } | Self::Broken { .. } => true,
            Self::Source { source, .. } => {
                source.is_of_commit() || matches!(source, BuildError::Bench { .. })
            }
            _ => false,
        }
    }
}

/// Engines that are ready to play.
#[derive(Debug, Clone)]
pub(crate) struct PreparedEngines {
    pub players: Vec<Player>,
    pub identities: Vec<EngineIdentity>,
    /// What each declares.
    pub options: Vec<Vec<EngineOption>>,
}

impl PreparedEngines {
    /// Builds and tries all engines of a configuration. Relative paths start
    /// from `base`. `opening` is the run's first; without one the engines are
    /// not asked to search. `announce` gets a message before each step that
    /// takes time.
    ///
    /// # Errors
    /// [`PrepareError`], naming the engine.
    pub(crate) fn prepare(
        config: &Config,
        base: &Path,
        opening: Option<&Opening>,
        announce: &mut dyn FnMut(&str),
    ) -> Result<Self, PrepareError> {
        let mut built = HashSet::new();
        for engine in &config.engine {
            if let Some(command) = &engine.build
                && engine.recipe(base).is_none()
            {
                let dir = working_dir(engine, base);
                if built.insert((command.clone(), dir.clone())) {
                    announce(&format!("building {}: {command}", engine.name));
                    build(engine, command, &dir)?;
                }
            }
        }
        let mut engines = Self {
            players: Vec::new(),
            identities: Vec::new(),
            options: Vec::new(),
        };
        for (index, engine) in config.engine.iter().enumerate() {
            let (launch, built) = match from_source(engine, base, announce)? {
                Some((launch, built)) => (launch, Some(built)),
                None => (launch(engine, base)?, None),
            };
            let hold = built.as_ref().map(|built| built.hold.clone());
            let program = ProgramFile::identify(&launch.program, hold.unwrap_or_default());
            let program = program.map_err(|source| PrepareError::Read {
                name: engine.name.clone(),
                path: launch.program.clone(),
                source,
            })?;
            let limit = engine.limit.as_ref().unwrap_or(&config.r#match.limit);
            let preflight = opening.map(|opening| Preflight {
                name: &engine.name,
                limit,
                opening,
                config,
            });
            let greeting = greet_patiently(
                engine,
                &launch,
                config,
                preflight,
                built.is_some(),
                announce,
            );
            let greeting = greeting.map_err(|error| match error {
                PrepareError::Start { .. }
                | PrepareError::Ready { .. }
                | PrepareError::Preflight(_)
                    if built.is_some() =>
                {
                    PrepareError::Broken {
                        name: engine.name.clone(),
                        source: Box::new(error),
                    }
                }
                error => error,
            })?;
            engines.options.push(greeting.options.clone());
            let record = built.map(|built| built.record);
            let identity = identify(engine, greeting, &launch, &program, record);
            engines.identities.push(identity);
            engines.players.push(Player {
                engine: index,
                name: engine.name.as_str().into(),
                launch: Arc::new(launch),
                program: Arc::new(program),
                options: engine.options.0.clone().into(),
                limit: Arc::new(limit.clone()),
                ponder: engine.ponder,
                restart: engine.restart,
            });
        }
        Ok(engines)
    }

    /// Makes a configuration name the commits that were built, which branches
    /// and changes may move away from.
    pub(crate) fn pin(&self, config: &mut Config) {
        for (engine, identity) in config.engine.iter_mut().zip(&self.identities) {
            if engine.git.is_some() {
                engine.rev.clone_from(&identity.commit);
            } else if engine.worktree.is_some() {
                // Without changes it was the commit.
                match &identity.tree {
                    Some(_) => engine.tree.clone_from(&identity.tree),
                    None => {
                        engine.git = engine.worktree.take();
                        engine.rev.clone_from(&identity.commit);
                    }
                }
            }
        }
    }
}

/// Builds an engine that comes from a repository.
fn from_source(
    engine: &EngineConfig,
    base: &Path,
    announce: &mut dyn FnMut(&str),
) -> Result<Option<(Launch, Built)>, PrepareError> {
    let Some(recipe) = engine.recipe(base) else {
        return Ok(None);
    };
    let mut build = || {
        let built = Builder::new()?.build(&recipe, announce)?;
        built.record.check_bench(engine.bench)?;
        Ok(built)
    };
    let built = build().map_err(|source| PrepareError::Source {
        name: engine.name.clone(),
        source,
    })?;
    let mut args = built.args.clone();
    args.extend(engine.args.iter().cloned());
    let launch = Launch {
        program: built.program.clone(),
        args,
        dir: engine.dir.is_some().then(|| working_dir(engine, base)),
        env: engine.env.clone().into_iter().collect(),
    };
    Ok(Some((launch, built)))
}

fn identify(
    engine: &EngineConfig,
    greeting: Greeting,
    launch: &Launch,
    program: &ProgramFile,
    record: Option<BuildRecord>,
) -> EngineIdentity {
    let defaults = ["Threads", "Hash"].into_iter().filter_map(|name| {
        let is_it = |option: &&EngineOption| option.name.eq_ignore_ascii_case(name);
        let option = greeting.options.iter().find(is_it)?;
        Some((name.to_string(), option.default_value()?))
    });
    let defaults = defaults.collect();
    let mut identity = EngineIdentity {
        name: engine.name.clone(),
        id: greeting.id,
        author: greeting.author,
        program: launch.program.clone(),
        sha256: program.sha256().to_string(),
        commit: None,
        subject: None,
        commit_author: None,
        committed: None,
        tree: None,
        bench: None,
        defaults,
    };
    if let Some(record) = record {
        identity.commit = Some(record.commit);
        identity.subject = Some(record.subject);
        identity.tree = record.tree;
        identity.bench = record.bench;
    }
    identity
}

fn working_dir(engine: &EngineConfig, base: &Path) -> PathBuf {
    match &engine.dir {
        Some(dir) => base.join(dir),
        None => base.to_path_buf(),
    }
}

/// Environment variables that move the target directory of Cargo.
const TARGET_DIRS: [&str; 2] = ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"];

/// Runs the build line. What it prints goes to standard error: standard output
/// is for results.
fn build(engine: &EngineConfig, command: &str, dir: &Path) -> Result<(), PrepareError> {
    tracing::info!("build in {}: {command}", dir.display());
    let mut line = shell(command);
    line.current_dir(dir).stdin(Stdio::null());
    if let Some(target) = target_dir(&engine.cmd, dir)
        && TARGET_DIRS.iter().any(|name| env::var_os(name).is_some())
    {
        line.env(TARGET_DIRS[0], target).env_remove(TARGET_DIRS[1]);
    }
    let status = output::run_forwarding(&mut line);
    let failed = |status: String| PrepareError::Build {
        name: engine.name.clone(),
        command: command.to_string(),
        status,
    };
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(status.to_string())),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// The target directory of Cargo in which `cmd` lies: the path of its program
/// up to a folder `target`.
fn target_dir(cmd: &str, dir: &Path) -> Option<PathBuf> {
    let program = PathBuf::from(shlex::split(cmd)?.into_iter().next()?);
    let target = program
        .ancestors()
        .filter(|folder| *folder != program)
        .find(|folder| folder.file_name().is_some_and(|name| name == "target"))?;
    Some(dir.join(target))
}

/// Finds the program and splits off its arguments.
fn launch(engine: &EngineConfig, base: &Path) -> Result<Launch, PrepareError> {
    let dir = working_dir(engine, base);
    // A path with spaces needs no quotes as long as it exists.
    let (program, mut args) = match find_program(&engine.cmd, &dir) {
        Some(program) => (program, Vec::new()),
        None => {
            let command_error = || PrepareError::Command {
                name: engine.name.clone(),
                cmd: engine.cmd.clone(),
            };
            let mut words = split_command(&engine.cmd).ok_or_else(command_error)?;
            let args = words.split_off(1);
            let program = find_program(&words[0], &dir).ok_or_else(|| PrepareError::Missing {
                name: engine.name.clone(),
                program: words[0].clone(),
                hint: match engine.build {
                    Some(_) => {
                        " after the build\nhelp: `cmd` must name the file that `build` makes"
                    }
                    None if Path::new(&words[0]).components().count() > 1 => "",
                    None => {
                        " on the PATH\nhelp: write a path for a program in a folder, as in `./name`"
                    }
                },
            })?;
            (program, args)
        }
    };
    args.extend(engine.args.iter().cloned());
    Ok(Launch {
        program,
        args,
        dir: engine.dir.is_some().then_some(dir),
        env: engine.env.clone().into_iter().collect(),
    })
}

/// A path with a folder in it starts from `dir`; a bare name is looked for on
/// the `PATH`.
fn find_program(program: &str, dir: &Path) -> Option<PathBuf> {
    if program.is_empty() {
        return None;
    }
    let extension = env::consts::EXE_SUFFIX;
    let is_file = |path: PathBuf| {
        let with_suffix = PathBuf::from(format!("{}{extension}", path.display()));
        [path, with_suffix].into_iter().find(|path| path.is_file())
    };
    if Path::new(program).components().count() > 1 {
        return is_file(dir.join(program)).map(|path| full_path(&path).unwrap_or(path));
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path).find_map(|folder| is_file(folder.join(program)))
}

struct Greeting {
    id: String,
    author: String,
    options: Vec<EngineOption>,
}

/// How often an engine is started that ends while it is tried out.
const TRIES: u32 = 3;

/// How often the engine of a commit is started that says nothing.
const SILENT_TRIES: u32 = 2;

/// [`greet`], again if the engine ends: something else may have killed it, and
/// what is decided here (to skip a commit, to refuse a run) should depend on
/// the engine only. That of a commit, which may be skipped, gets a second try
/// too if it says nothing: something may have stopped it.
fn greet_patiently(
    engine: &EngineConfig,
    launch: &Launch,
    config: &Config,
    preflight: Option<Preflight<'_>>,
    is_of_commit: bool,
    announce: &mut dyn FnMut(&str),
) -> Result<Greeting, PrepareError> {
    let mut ended = None;
    let mut tries = 1;
    loop {
        let may_try_again = |error: &PrepareError| {
            (tries < TRIES && error.is_death())
                || (tries < SILENT_TRIES && is_of_commit && error.is_silence())
        };
        match greet(engine, launch, config, preflight, announce) {
            Err(error) if may_try_again(&error) => {
                tries += 1;
                tracing::warn!("trying again: {error}");
                ended = Some(error);
            }
            greeting => {
                if let (Ok(_), Some(error)) = (&greeting, ended) {
                    announce(&format!("warning: {error}; tried again, it started"));
                }
                return greeting;
            }
        }
    }
}

/// Starts the engine once: reads its identity, checks and sets its options,
/// waits until it is ready and lets it search.
fn greet(
    engine: &EngineConfig,
    launch: &Launch,
    config: &Config,
    preflight: Option<Preflight<'_>>,
    announce: &mut dyn FnMut(&str),
) -> Result<Greeting, PrepareError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| PrepareError::Start {
            name: engine.name.clone(),
            source: StartError::Spawn {
                command: launch.command_line(),
                source,
            },
        })?;
    let play = &config.r#match;
    let timeouts = Timeouts {
        startup: Duration::from_millis(play.startup_ms),
        ready: Duration::from_millis(play.stall_ms),
    };
    runtime.block_on(async {
        let mut client =
            Client::start(launch, timeouts)
                .await
                .map_err(|source| PrepareError::Start {
                    name: engine.name.clone(),
                    source,
                })?;
        let wanted = &engine.options.0;
        let checked = check_options(
            client.options(),
            wanted
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str())),
        );
        checked.map_err(|source| PrepareError::Option {
            name: engine.name.clone(),
            source,
        })?;
        let knows_chess960 = client
            .options()
            .iter()
            .any(|option| option.name.eq_ignore_ascii_case("UCI_Chess960"));
        if play.variant == Variant::Chess960 && !knows_chess960 {
            return Err(PrepareError::Chess960 {
                name: engine.name.clone(),
            });
        }
        let mut options = wanted.clone();
        if play.variant == Variant::Chess960 {
            options.insert(0, ("UCI_Chess960".to_string(), "true".to_string()));
        }
        let deadline = Instant::now() + timeouts.ready;
        let ready = async {
            client.configure(&options, deadline).await?;
            client.send(b"isready\n", deadline).await?;
            client.wait_ready(deadline).await
        };
        ready.await.map_err(|source| PrepareError::Ready {
            name: engine.name.clone(),
            source,
        })?;
        if let Some(preflight) = preflight {
            preflight.search(&mut client, announce).await?;
        }
        let greeting = Greeting {
            id: client.name().to_string(),
            author: client.author().to_string(),
            options: client.options().to_vec(),
        };
        client.quit(Duration::from_millis(500)).await;
        Ok(greeting)
    })
}
