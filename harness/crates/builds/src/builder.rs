//! Builds the engine of a recipe, or finds it in the cache.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::advice::{Failure, is_on_path};
use super::bench;
use super::build_command::OUT;
use super::cache::Cache;
use super::error::{BuildError, FailedBuild, MAKE_ROOM};
use super::git::{self, Commit, Repository};
use super::limits::{BuildLimits, run_unlimited};
use super::recipe::{Recipe, Revision, TREE};
use super::record::{self, BuildRecord, Built};
use super::tree::{Borrowed, WorkTree};
use hone_base::checksum::sha256_file;
use hone_base::diagnostic::Diagnostic;
use hone_base::output::Announce;
use hone_base::platform::{Access, create_private, is_executable, quoted, sandbox, shell};
use hone_base::text::{error_lines, excerpt, without_escapes};

/// Number of lines of a failed build's log that its error quotes.
const EXCERPT_LINES: usize = 15;

/// Builds engines and keeps them in the cache.
#[derive(Debug, Clone)]
pub struct Builder {
    cache: Cache,
    sandbox: bool,
    limits: Option<BuildLimits>,
}

impl Builder {
    /// A builder with the user's cache.
    ///
    /// # Errors
    /// As [`Cache::of_user`].
    pub fn new() -> Result<Self, BuildError> {
        Cache::of_user().map(Self::with_cache)
    }

    /// A builder with the given cache.
    pub fn with_cache(cache: Cache) -> Self {
        Self {
            cache,
            sandbox: false,
            limits: None,
        }
    }

    /// With `sandbox`, build commands and benches run in a sandbox: without network, and with
    /// write access only to the build's own folders.
    #[must_use]
    pub fn sandboxed(self, sandbox: bool) -> Self {
        Self { sandbox, ..self }
    }

    /// Limits the build commands in time and output.
    #[must_use]
    pub fn limited(self, limits: BuildLimits) -> Self {
        Self {
            limits: Some(limits),
            ..self
        }
    }

    /// The engine of a recipe, from the cache or built now. Waits while another
    /// process builds in the same repository. `announce` gets a message before
    /// each step that takes time.
    ///
    /// # Errors
    /// [`BuildError`]. The next call retries a failed build.
    pub fn build(&self, recipe: &Recipe, announce: Announce<'_>) -> Result<Built, BuildError> {
        recipe.check()?;
        self.cache.open()?;
        let repository = Repository::open(&recipe.repository)?;
        match &recipe.revision {
            Revision::Commit(rev) => {
                let commit = repository.commit(rev)?;
                if let Some(mut built) = self.cache.find(recipe, &commit.id) {
                    tracing::info!("{} is built already", commit.describe());
                    // An earlier `hone` may not have found it in the message.
                    built.record.expected_bench = commit.bench;
                    return Ok(built);
                }
                let tree = self.cache.work_tree(&repository, announce)?;
                let target = Target {
                    check_out: commit.id.clone(),
                    address: commit.id.clone(),
                    tree: None,
                    commit,
                };
                self.build_in(&tree, recipe, &target, announce)
            }
            Revision::WorkTree { tree: expected } => {
                self.build_changes(&repository, recipe, expected.as_deref(), announce)
            }
        }
    }

    /// Builds uncommitted changes; without any, the commit itself.
    fn build_changes(
        &self,
        repository: &Repository,
        recipe: &Recipe,
        expected: Option<&str>,
        announce: Announce<'_>,
    ) -> Result<Built, BuildError> {
        if let Some(built) = expected.and_then(|tree| self.cache.find(recipe, tree)) {
            return Ok(built);
        }
        let commit = repository.commit("HEAD")?;
        let tree = self.cache.work_tree(repository, announce)?;
        let snapshot = tree.snapshot(repository, &commit)?;
        if expected.is_some_and(|expected| expected != snapshot.tree) {
            return Err(BuildError::ChangesGone {
                repository: recipe.repository.clone(),
            });
        }
        let target = if snapshot.is_clean {
            Target {
                check_out: commit.id.clone(),
                address: commit.id.clone(),
                tree: None,
                commit,
            }
        } else {
            Target {
                check_out: snapshot.commit,
                address: snapshot.tree.clone(),
                tree: Some(snapshot.tree),
                commit,
            }
        };
        self.build_in(&tree, recipe, &target, announce)
    }

    fn build_in(
        &self,
        tree: &WorkTree,
        recipe: &Recipe,
        target: &Target,
        announce: Announce<'_>,
    ) -> Result<Built, BuildError> {
        // Another process may have built it while this one waited for the lock.
        if let Some(built) = self.cache.find(recipe, &target.address) {
            return Ok(built);
        }
        let what = target.describe();
        announce(&format!("building {what}: {}", recipe.describe_build()));
        let address = recipe.address(&target.address);
        let partial = self.cache.fresh_partial(&address)?;
        let made = sandbox_works(self.sandbox)
            .and_then(|()| self.make(tree, recipe, target, partial.path()));
        let failed_log = self.cache.failed_log(&address);
        match made {
            // On a full disk, a compiler fails as if the source had an error.
            Err(error) if error.is_of_commit() && is_full(partial.path()) => {
                let disk = self.cache.path().display();
                let full = format!("cannot build {what}: the disk of {disk} is full");
                Err(BuildError::Cache(Diagnostic::new(full).help(MAKE_ROOM)))
            }
            Ok(record) => {
                let _ = fs::remove_file(&failed_log);
                let (record, hold) = self.cache.publish(&partial, &address, record)?;
                Ok(self.cache.built(recipe, &address, record, hold))
            }
            Err(BuildError::Failed(failed)) => {
                self.cache.keep_failed(&failed.log, &failed_log)?;
                Err(BuildError::Failed(Box::new(failed.with_log(failed_log))))
            }
            Err(error) => Err(error),
        }
    }

    /// Checks the tree out, runs the build command and records the result.
    fn make(
        &self,
        tree: &WorkTree,
        recipe: &Recipe,
        target: &Target,
        dir: &Path,
    ) -> Result<BuildRecord, BuildError> {
        let borrowed = if recipe.is_cargo() {
            Borrowed::CargoTarget
        } else {
            Borrowed::Nothing
        };
        let program = recipe.program_in_tree();
        tree.check_out(&target.check_out, borrowed, program.as_deref())?;
        let out = recipe.program_in(dir);
        // A sandboxed build must not write to a folder that hone writes to: it could leave a
        // symbolic link there that leads out of the sandbox.
        let made_in = dir.join(MADE);
        let made = if self.sandbox {
            made_in.join(Recipe::program_name())
        } else {
            out.clone()
        };
        let log = dir.join(record::LOG);
        if let Some(line) = recipe.build_command(&made) {
            let writable = self.sandbox.then_some(made_in.as_path());
            let status = run(&line, target, tree, &log, writable, self.limits.as_ref())?;
            if let Some(status) = status {
                return Err(failed(status, recipe, target, tree, log));
            }
        }
        if borrowed == Borrowed::CargoTarget {
            tree.mark_reusable()?;
        }
        if self.sandbox {
            take_out(&made, &out, &made_in)?;
        }
        self.collect(tree, recipe, target, dir)?;
        check_executable(recipe, target, &out)?;
        self.record(tree, recipe, target, &out, dir)
    }

    /// Writes the record of the program `out` of a build into its folder.
    fn record(
        &self,
        tree: &WorkTree,
        recipe: &Recipe,
        target: &Target,
        out: &Path,
        dir: &Path,
    ) -> Result<BuildRecord, BuildError> {
        let record = BuildRecord {
            repository: tree.repository.clone(),
            commit: target.commit.id.clone(),
            subject: target.commit.subject.clone(),
            date: target.commit.date,
            tree: target.tree.clone(),
            build: recipe.build.clone(),
            cmd: recipe.cmd.clone(),
            sha256: sha256_file(out).map_err(BuildError::io(out))?,
            bench: bench::run(
                out,
                &recipe.args(),
                &dir.join(record::BENCH_LOG),
                self.sandbox,
            )
            .ok(),
            // The count in a commit's message does not apply to uncommitted changes.
            expected_bench: target.commit.bench.filter(|_| target.tree.is_none()),
            created: jiff::Timestamp::now(),
        };
        record.write(dir)?;
        Ok(record)
    }

    /// Copies the program out of the tree, unless the build wrote it to `{out}`.
    fn collect(
        &self,
        tree: &WorkTree,
        recipe: &Recipe,
        target: &Target,
        dir: &Path,
    ) -> Result<(), BuildError> {
        let out = recipe.program_in(dir);
        let missing = |program: &str, found: &[PathBuf]| BuildError::NoProgram {
            commit: target.describe(),
            program: program.to_string(),
            found: found_words(found),
        };
        let Some(program) = recipe.program_in_tree() else {
            return if out.is_file() {
                Ok(())
            } else {
                Err(missing(OUT, &tree.new_programs()))
            };
        };
        let from = tree.src().join(&program);
        let with_suffix = PathBuf::from(format!(
            "{}{}",
            from.display(),
            std::env::consts::EXE_SUFFIX
        ));
        let Some(from) = [from, with_suffix].into_iter().find(|path| path.is_file()) else {
            return Err(missing(
                &program.display().to_string(),
                &tree.new_programs(),
            ));
        };
        if recipe.keeps_tree() {
            let kept = dir.join(TREE);
            return copy_tree(&tree.src(), &kept).map_err(BuildError::io(&kept));
        }
        fs::copy(&from, &out)
            .map(drop)
            .map_err(BuildError::io(&from))
    }
}

/// The end of the message about a missing program: what was found instead.
fn found_words(found: &[PathBuf]) -> Diagnostic {
    let Some(first) = found.first() else {
        return Diagnostic::new("; the build did not make any other executable file");
    };
    let names: Vec<String> = found
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    Diagnostic::new(format!("; the build made `{}`", names.join("`, `"))).help(format!(
        "`--cmd {}` (in the configuration `cmd`) names it",
        first.display()
    ))
}

/// Copies a folder without the files of git. Symbolic links stay links.
fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    create_private(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, copy) = (entry.file_type()?, to.join(entry.file_name()));
        if entry.file_name() == ".git" {
            continue;
        }
        if kind.is_dir() {
            copy_tree(&entry.path(), &copy)?;
        } else if kind.is_symlink() {
            copy_link(&entry.path(), &copy)?;
        } else {
            fs::copy(entry.path(), copy)?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn copy_link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(fs::read_link(from)?, to)
}

/// Elsewhere, git writes links as files unless the user asks for links.
#[cfg(not(unix))]
fn copy_link(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to).map(drop)
}

/// Refuses a program without the permission to execute, which is a part of the build: set in
/// the cache, it would be lost with the cache.
fn check_executable(recipe: &Recipe, target: &Target, out: &Path) -> Result<(), BuildError> {
    if is_executable(out) {
        return Ok(());
    }
    let in_tree = recipe.program_in_tree();
    let program = in_tree.map_or(OUT.to_string(), |path| quoted(&path));
    let what = format!(
        "{} was built, but its program is not executable",
        target.describe()
    );
    let help = match recipe.build {
        Some(_) => format!(
            "the build command must set the permission to execute: `… && chmod +x {program}`"
        ),
        None => format!(
            "commit the file with the permission to execute: `git update-index --chmod=+x {program}`"
        ),
    };
    Err(BuildError::NotExecutable(Diagnostic::new(what).help(help)))
}

/// The source to build.
struct Target {
    /// The commit that is checked out in the work tree.
    check_out: String,
    /// The source part of the build's address: the commit, or the tree with the uncommitted
    /// changes.
    address: String,
    /// The tree, if it differs from the commit's.
    tree: Option<String>,
    commit: Commit,
}

impl Target {
    fn describe(&self) -> String {
        let commit = self.commit.describe();
        match self.tree {
            Some(_) => format!("the uncommitted changes on {commit}"),
            None => commit,
        }
    }
}

/// The folder to which a build in a sandbox writes its program.
const MADE: &str = "made";

fn sandbox_works(is_asked: bool) -> Result<(), BuildError> {
    if is_asked {
        sandbox::check().map_err(BuildError::Sandbox)
    } else {
        Ok(())
    }
}

/// Moves the program out of the folder that the sandbox can write to. It must exist, and be
/// a regular file.
fn take_out(made: &Path, out: &Path, folder: &Path) -> Result<(), BuildError> {
    if fs::symlink_metadata(made).is_ok_and(|file| file.is_file()) {
        fs::rename(made, out).map_err(BuildError::io(out))?;
    }
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(BuildError::io(folder)(error)),
        _ => Ok(()),
    }
}

/// The process of a build command. With `made`, it runs in a sandbox that may write only to
/// the work tree and to that folder.
fn command(line: &str, tree: &WorkTree, made: Option<&Path>) -> Result<Command, BuildError> {
    let mut command = shell(line);
    command
        .current_dir(tree.src())
        // The program is expected in the work tree.
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("CARGO_BUILD_TARGET_DIR");
    git::forget_surroundings(&mut command);
    let Some(made) = made else {
        return Ok(command);
    };
    create_private(made).map_err(BuildError::io(made))?;
    command.env("CARGO_NET_OFFLINE", "true");
    let access = Access {
        writable: vec![tree.src(), made.to_path_buf()],
        // Git also runs in this folder outside of the sandbox.
        sealed: vec![tree.src().join(".git")],
        new_session: true,
        ..Access::default()
    };
    sandbox::wrap(&command, &access).map_err(BuildError::io(made))
}

/// Runs a build command in the work tree, with its output in the log. Returns the reason if
/// it fails.
///
/// # Errors
/// If the shell or the sandbox cannot be started, or a file cannot be written.
fn run(
    line: &str,
    target: &Target,
    tree: &WorkTree,
    log: &Path,
    made: Option<&Path>,
    limits: Option<&BuildLimits>,
) -> Result<Option<String>, BuildError> {
    let output = File::create(log).map_err(BuildError::io(log))?;
    let errors = output.try_clone().map_err(BuildError::io(log))?;
    let mut command = command(line, tree, made)?;
    command
        // The lock file (empty) is its standard input: if this process is killed, the tree
        // stays locked until the build has ended too.
        .stdin(Stdio::from(tree.lock()?))
        .stdout(Stdio::from(output))
        .stderr(Stdio::from(errors));
    tracing::info!("build in {}: {line}", tree.src().display());
    let ended = match limits {
        Some(limits) => limits.run(&mut command, log),
        None => run_unlimited(&mut command),
    };
    ended.map_err(|source| BuildError::Shell {
        commit: target.describe(),
        source,
    })
}

/// The error of a build command that failed.
fn failed(
    status: String,
    recipe: &Recipe,
    target: &Target,
    tree: &WorkTree,
    log: PathBuf,
) -> BuildError {
    let text = bench::start_and_end_of_file(&log).unwrap_or_default();
    let text = without_escapes(&text);
    let failure = Failure {
        log: &text,
        recipe,
        tree: &tree.src(),
        is_installed: is_on_path,
    };
    let missing = failure.missing();
    BuildError::Failed(Box::new(FailedBuild {
        commit: target.describe(),
        line: recipe.describe_build().to_string(),
        status,
        excerpt: excerpt_of(&text),
        help: failure.help(&missing),
        missing,
        log,
    }))
}

/// Minimum free space for a build, in bytes.
const MIN_FREE_BYTES: usize = 1 << 20;

/// Whether the disk of a folder has less than [`MIN_FREE_BYTES`].
fn is_full(dir: &Path) -> bool {
    let probe = dir.join("room");
    let written = fs::write(&probe, vec![1; MIN_FREE_BYTES]);
    let _ = fs::remove_file(&probe);
    written.is_err_and(|error| {
        matches!(
            error.kind(),
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded
        )
    })
}

/// The first error lines of a log and its last lines, each at most 200 characters long.
fn excerpt_of(log: &str) -> String {
    let quoted: Vec<String> = error_lines(log, EXCERPT_LINES)
        .into_iter()
        .map(|line| format!("  | {}", excerpt(line, 0)))
        .collect();
    quoted.join("\n")
}
