//! Prepares the engines before the first game: builds and finds them, starts
//! each once, and checks its identity and options.

use std::collections::HashSet;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::error::PrepareError;
use super::greeting::{Greeting, greet_with_retries};
use super::preflight::Preflight;
use crate::config::{Config, ESCAPE_HELP, EngineConfig};
use crate::executor::{Player, ProgramFile};
use crate::files::manifest::EngineIdentity;
use hone_base::diagnostic::Diagnostic;
use hone_base::output::{self, Announce};
use hone_base::platform::{
    Access, CAN_LIMIT_MEMORY, Ended, full_path, run_forwarding, sandbox, shell,
};
use hone_builds::{BenchCheck, BuildRecord, Builder, Built, short_id};
use hone_uci::engine::uci::{EngineOption, Launch, split_command};
use hone_uci::openings::Opening;

/// Engines that are ready to play.
#[derive(Debug, Clone)]
pub struct PreparedEngines {
    pub players: Vec<Player>,
    pub identities: Vec<EngineIdentity>,
    /// The options that each declares.
    pub options: Vec<Vec<EngineOption>>,
    /// How long the builds took.
    pub build_time: Duration,
}

impl PreparedEngines {
    /// Builds and starts all engines of a configuration. Relative paths start from `base`.
    /// Each engine searches `opening`, the run's first, if it is given. `announce` gets a
    /// message before each step that takes time.
    ///
    /// # Errors
    /// [`PrepareError`], naming the engine.
    pub fn prepare(
        config: &Config,
        base: &Path,
        opening: Option<&Opening>,
        announce: Announce<'_>,
    ) -> Result<Self, PrepareError> {
        let sandbox = config.r#match.sandbox;
        if sandbox {
            sandbox::check().map_err(PrepareError::Sandbox)?;
        }
        warn_of_limits(config, announce);
        let begun = Instant::now();
        run_builds(config, base, announce)?;
        let mut engines = Self {
            players: Vec::new(),
            identities: Vec::new(),
            options: Vec::new(),
            build_time: begun.elapsed(),
        };
        for (index, engine) in config.engine.iter().enumerate() {
            let begun = Instant::now();
            let found = find(engine, base, sandbox, announce)
                .map_err(|error| error.with_bench_help(index))?;
            engines.build_time += begun.elapsed();
            engines.add(config, engine, opening, found, announce)?;
        }
        Ok(engines)
    }

    /// Starts the next engine once, and adds it.
    fn add(
        &mut self,
        config: &Config,
        engine: &EngineConfig,
        opening: Option<&Opening>,
        (launch, built): (Launch, Option<Built>),
        announce: Announce<'_>,
    ) -> Result<(), PrepareError> {
        let hold = built.as_ref().map(|built| built.hold.clone());
        let program = ProgramFile::identify(&launch.program, hold.unwrap_or_default());
        let program = program.map_err(|source| PrepareError::Read {
            name: engine.name.clone(),
            path: launch.program.clone(),
            source,
        })?;
        let limit = config.limit_of(engine);
        let is_built = built.is_some();
        let preflight = opening.map(|opening| Preflight {
            name: &engine.name,
            limit,
            opening,
            config,
            // A commit whose engine does not play is a broken build.
            is_required: is_built || !config.r#match.continues_after_failures(),
        });
        let greeting = greet_with_retries(engine, &launch, config, preflight, is_built, announce)
            .map_err(|error| {
            if is_built || engine.build.is_some() {
                broken_build(engine, error)
            } else {
                error
            }
        })?;
        self.options.push(greeting.options.clone());
        let record = built.map(|built| built.record);
        let identity = identify(engine, greeting, &launch, &program, record);
        self.players.push(Player {
            engine: self.identities.len(),
            name: engine.name.as_str().into(),
            launch: Arc::new(launch),
            program: Arc::new(program),
            options: engine.options.0.clone().into(),
            limit: Arc::new(limit.clone()),
            ponder: engine.ponder,
            restart: engine.restart,
        });
        self.identities.push(identity);
        Ok(())
    }

    /// Replaces branches and work trees in a configuration, which may change later, by the
    /// commits that were built.
    pub fn pin(&self, config: &mut Config) {
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

/// Runs the build lines, each once per folder, except those of engines from repositories:
/// [`from_source`] builds these.
fn run_builds(config: &Config, base: &Path, announce: Announce<'_>) -> Result<(), PrepareError> {
    let mut built = HashSet::new();
    for engine in &config.engine {
        if let Some(command) = &engine.build
            && engine.recipe(base).is_none()
        {
            let dir = working_dir(engine, base);
            if built.insert((command.clone(), dir.clone())) {
                announce(&format!("building {}: {command}", engine.name));
                build(engine, command, &dir, config.r#match.sandbox)?;
            }
        }
    }
    Ok(())
}

/// How an engine is started, and its build if it comes from a repository.
fn find(
    engine: &EngineConfig,
    base: &Path,
    sandbox: bool,
    announce: Announce<'_>,
) -> Result<(Launch, Option<Built>), PrepareError> {
    let built = from_source(engine, base, sandbox, announce)?;
    let (program, mut args) = match &built {
        Some(built) => (built.program.clone(), built.args.clone()),
        None => program(engine, base)?,
    };
    args.extend(engine.args.iter().cloned());
    let launch = Launch {
        program,
        args,
        dir: launch_dir(engine, base),
        env: engine.env.clone().into_iter().collect(),
        max_memory: engine.max_memory,
        sandbox,
        trusted: engine.trusted,
    };
    Ok((launch, built))
}

/// Marks an error of an engine that was built as a broken build.
fn broken_build(engine: &EngineConfig, error: PrepareError) -> PrepareError {
    match error {
        PrepareError::Start { .. } | PrepareError::Ready { .. } | PrepareError::Preflight(_) => {
            error.into_broken(&engine.name)
        }
        error => error,
    }
}

/// Builds an engine that comes from a repository.
fn from_source(
    engine: &EngineConfig,
    base: &Path,
    sandbox: bool,
    announce: Announce<'_>,
) -> Result<Option<Built>, PrepareError> {
    let Some(recipe) = engine.recipe(base) else {
        return Ok(None);
    };
    let mut build = || {
        let builder = Builder::new()?.sandboxed(sandbox);
        let mut built = builder.build(&recipe, announce)?;
        built.check_bench(engine.bench, sandbox)?;
        Ok(built)
    };
    let built = build();
    if let Ok(built) = &built
        && engine.bench == BenchCheck::Commit
        && built.record.tree.is_none()
        && built.record.expected_bench.is_none()
    {
        announce(&format!(
            "engine `{}`: the message of {} has no bench, so none is compared",
            engine.name,
            short_id(&built.record.commit)
        ));
    }
    built.map(Some).map_err(|source| PrepareError::Source {
        name: engine.name.clone(),
        source,
    })
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
    let mut identity = EngineIdentity {
        name: engine.name.clone(),
        id: greeting.id,
        author: greeting.author,
        program: launch.program.clone(),
        sha256: program.sha256().to_string(),
        defaults: defaults.collect(),
        ..EngineIdentity::default()
    };
    if let Some(record) = record {
        identity.commit = Some(record.commit);
        identity.subject = Some(record.subject);
        identity.committed = Some(record.date);
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

/// The engine's working directory, which does not depend on the folder in which a run is
/// resumed, so that relative paths in its options stay valid. `None`, for that of `hone`, if
/// `base` is gone.
fn launch_dir(engine: &EngineConfig, base: &Path) -> Option<PathBuf> {
    let is_there = engine.dir.is_some() || base.is_dir();
    is_there.then(|| working_dir(engine, base))
}

/// Environment variables that move the target directory of Cargo.
const TARGET_DIRS: [&str; 2] = ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"];

/// Runs the build line. What it prints goes to standard error: standard output
/// is for results.
fn build(
    engine: &EngineConfig,
    command: &str,
    dir: &Path,
    sandbox: bool,
) -> Result<(), PrepareError> {
    tracing::info!("build in {}: {command}", dir.display());
    let mut line = shell(command);
    line.current_dir(dir);
    if let Some(target) = target_dir(&engine.cmd, dir)
        && TARGET_DIRS.iter().any(|name| env::var_os(name).is_some())
    {
        line.env(TARGET_DIRS[0], target).env_remove(TARGET_DIRS[1]);
    }
    let wrapped = if sandbox {
        sandbox::wrap(&line, &build_access(dir))
    } else {
        Ok(line)
    };
    let status = wrapped.and_then(|mut line| {
        output::clear_block();
        run_forwarding(line.stdin(Stdio::null()))
    });
    let failed = |status: String| PrepareError::Build {
        name: engine.name.clone(),
        error: Diagnostic::new(format!("the build failed ({status})"))
            .help(format!("run it alone: {command}")),
    };
    match status {
        Ok(Ended::Itself(status)) if status.success() => Ok(()),
        Ok(Ended::Itself(status)) => Err(failed(status.to_string())),
        Ok(Ended::Killed(why)) => Err(failed(why)),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// A build in the user's own folder may write there, but not to its repository.
fn build_access(dir: &Path) -> Access {
    let dir = full_path(dir).unwrap_or_else(|_| dir.to_path_buf());
    Access {
        sealed: vec![dir.join(".git")],
        writable: vec![dir],
        new_session: true,
        ..Access::default()
    }
}

/// Warns of limits on memory that do not fit the engine or the system.
fn warn_of_limits(config: &Config, announce: Announce<'_>) {
    for engine in &config.engine {
        let Some(limit) = engine.max_memory else {
            continue;
        };
        let name = &engine.name;
        if !CAN_LIMIT_MEMORY {
            announce(&format!(
                "warning: engine `{name}`: `max_memory` has no effect on this system"
            ));
        }
        let hash = engine.options.get("Hash");
        let hash = hash.and_then(|hash| hash.parse::<u64>().ok());
        if let Some(hash) = hash
            && hash >= limit.mib()
        {
            announce(&format!(
                "warning: engine `{name}`: `max_memory` is {limit}, but its `Hash` alone is {hash}M: it will fail to start, or crash"
            ));
        }
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

/// The program of an engine, and the arguments in its `cmd`.
fn program(engine: &EngineConfig, base: &Path) -> Result<(PathBuf, Vec<String>), PrepareError> {
    let dir = working_dir(engine, base);
    // A path with spaces needs no quotes as long as it exists.
    if let Some(program) = find_program(&engine.cmd, &dir) {
        return Ok((program, Vec::new()));
    }
    let mut words = split_command(&engine.cmd).ok_or_else(|| PrepareError::Command {
        name: engine.name.clone(),
        cmd: engine.cmd.clone(),
    })?;
    let args = words.split_off(1);
    let program = find_program(&words[0], &dir).ok_or_else(|| PrepareError::Missing {
        name: engine.name.clone(),
        program: words[0].clone(),
        is_built: engine.build.is_some(),
        hint: match engine.build {
            // `"C:\new.exe"` has a line end.
            _ if engine.cmd.contains(char::is_control) => Diagnostic::default().help(ESCAPE_HELP),
            Some(_) => Diagnostic::new(" after the build")
                .help("`cmd` must name the file that `build` makes"),
            None if Path::new(&words[0]).components().count() > 1 => Diagnostic::default(),
            None => Diagnostic::new(" on the PATH")
                .help("write a path for a program in a folder, as in `./name`"),
        },
    })?;
    Ok((program, args))
}

/// The path of a program: relative to `dir` if it names a folder, otherwise on the `PATH`.
pub fn find_program(program: &str, dir: &Path) -> Option<PathBuf> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_runs_where_the_run_was_started_if_that_folder_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut engine = EngineConfig::default();
        let base = folder.path();
        assert_eq!(launch_dir(&engine, base).as_deref(), Some(base));
        assert_eq!(launch_dir(&engine, &base.join("gone")), None);
        engine.dir = Some("sub".into());
        assert_eq!(launch_dir(&engine, base), Some(base.join("sub")));
    }

    #[test]
    fn a_path_of_windows_in_double_quotes_gets_help() {
        let line = r#"cmd = "C:\engines\new.exe""#;
        let engine: EngineConfig = toml::from_str(line).expect("an engine");
        let error = program(&engine, Path::new("")).expect_err("no program");
        assert!(
            hone_base::diagnostic::shown(&error).ends_with(ESCAPE_HELP),
            "{error}"
        );
    }
}
