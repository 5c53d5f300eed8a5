//! The source of one commit for another machine: a git pack of its files without history.
//! Git names every object by its hash, so unpacking yields exactly that commit or fails.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::builder::Builder;
use super::cache::Cache;
use super::error::BuildError;
use super::git::{self, GitError, Repository, succeed};
use super::limits::BuildLimits;
use super::recipe::{Recipe, Revision};
use super::record::{BuildRecord, Built};
use hone_base::platform::{open_lock, process_mark};

/// Maximum size of a pack, in bytes.
pub const MAX_PACK: u64 = 256 << 20;
/// Maximum total size in bytes of a commit's files, and their maximum number.
const MAX_BYTES: u64 = 2 << 30;
const MAX_FILES: usize = 200_000;

/// A pack file with one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pack {
    pub path: PathBuf,
    pub commit: String,
    pub build: Option<String>,
    pub cmd: String,
    /// Node count of `bench` that a build of it must have.
    pub bench: u64,
}

/// The record of a `program` that is in the cache and unchanged.
pub fn record_of(program: &Path, sha256: &str) -> Option<BuildRecord> {
    program.ancestors().skip(1).find_map(|folder| {
        BuildRecord::read(folder)
            .filter(|record| record.sha256 == sha256 && record.program_in(folder) == program)
    })
}

impl Pack {
    /// The source of a build, as a pack in the cache. `None` if another machine cannot build
    /// it: it has uncommitted changes, or no `bench` to compare.
    ///
    /// # Errors
    /// [`BuildError`]: the commit does not exist any more, or is too large.
    pub fn of(cache: &Cache, record: &BuildRecord) -> Result<Option<Self>, BuildError> {
        let (None, Some(bench)) = (&record.tree, record.bench) else {
            return Ok(None);
        };
        if !is_commit_id(&record.commit) {
            return Ok(None);
        }
        let folder = cache.sources()?;
        let path = folder.join(format!("{}.pack", record.commit));
        if !path.is_file() {
            write(&record.repository, &record.commit, &path)?;
        }
        // Its new time protects it from pruning.
        let file = File::options().append(true).open(&path);
        let _ = file.and_then(|file| file.set_modified(std::time::SystemTime::now()));
        Ok(Some(Self {
            path,
            commit: record.commit.clone(),
            build: record.build.clone(),
            cmd: record.cmd.clone(),
            bench,
        }))
    }

    /// Builds it, unless it was built here before; keeps only its repository and the build.
    /// Waits while another process builds it.
    ///
    /// # Errors
    /// [`BuildError`].
    pub fn build(
        &self,
        cache: &Cache,
        sandbox: bool,
        limits: BuildLimits,
    ) -> Result<Built, BuildError> {
        let repository = cache.sources()?.join(format!("{}.git", self.commit));
        let lock = self.path.with_extension("lock");
        let file = open_lock(&lock).and_then(|file| file.lock().map(|()| file));
        let _lock = file.map_err(BuildError::io(&lock))?;
        if !repository.is_dir() {
            let partial = repository.with_extension("partial");
            unpack(&self.path, &self.commit, &partial)?;
            fs::rename(&partial, &repository).map_err(BuildError::io(&repository))?;
        }
        let recipe = Recipe {
            repository: repository.clone(),
            revision: Revision::Commit(self.commit.clone()),
            build: self.build.clone(),
            cmd: self.cmd.clone(),
        };
        let builder = Builder::with_cache(cache.clone()).sandboxed(sandbox);
        let built = builder
            .limited(limits)
            .build(&recipe, &mut |step| tracing::info!("{step}"));
        // Remains of this build must not reach other commits: sources may come from people
        // who do not trust each other.
        cache.remove_work_tree(&Repository::open(&repository)?)?;
        built
    }
}

/// Whether a text is a full commit id.
pub fn is_commit_id(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'))
}

fn refused(commit: &str, reason: String) -> BuildError {
    BuildError::Source {
        commit: git::short_id(commit).to_string(),
        reason,
    }
}

/// Writes a pack with a commit, its folders and its files.
fn write(repository: &Path, commit: &str, path: &Path) -> Result<(), BuildError> {
    let partial = path.with_extension(format!("partial-{}", process_mark()));
    let objects = partial.with_extension("objects");
    let written = (|| {
        let file = |path: &Path| File::create(path).map_err(BuildError::io(path));
        let mut list = git::git(repository);
        list.args(["rev-list", "--objects", "--no-walk", commit, "--"]);
        into_file(&mut list, Stdio::null(), file(&objects)?)?;
        let names = File::open(&objects).map_err(BuildError::io(&objects))?;
        let mut pack = git::git(repository);
        // The same commit gives the same pack.
        pack.args([
            "-c",
            "pack.threads=1",
            "pack-objects",
            "--quiet",
            "--stdout",
        ]);
        into_file(&mut pack, Stdio::from(names), file(&partial)?)?;
        let bytes = fs::metadata(&partial)
            .map_err(BuildError::io(&partial))?
            .len();
        if bytes > MAX_PACK {
            let most = MAX_PACK >> 20;
            return Err(refused(
                commit,
                format!(
                    "its files have {} MB packed, and {most} are allowed",
                    bytes >> 20
                ),
            ));
        }
        fs::rename(&partial, path).map_err(BuildError::io(path))
    })();
    for leftover in [&objects, &partial] {
        let _ = fs::remove_file(leftover);
    }
    written
}

fn into_file(command: &mut Command, input: Stdio, output: File) -> Result<(), GitError> {
    succeed(command.stdin(input).stdout(output)).map(drop)
}

/// Creates a repository at `dir` with only the commit in a pack.
///
/// # Errors
/// [`BuildError`]: the pack lacks a part of that commit, or is too large when unpacked.
fn unpack(pack: &Path, commit: &str, dir: &Path) -> Result<(), BuildError> {
    if dir.exists() {
        // A killed process may have left an incomplete one.
        fs::remove_dir_all(dir).map_err(BuildError::io(dir))?;
    }
    fs::create_dir_all(dir).map_err(BuildError::io(dir))?;
    succeed(git::git(dir).args(["init", "--quiet", "--bare", "--template="]))?;
    // A shallow repository: its parents are not required.
    let shallow = dir.join("shallow");
    fs::write(&shallow, format!("{commit}\n")).map_err(BuildError::io(&shallow))?;
    let input = File::open(pack).map_err(BuildError::io(pack))?;
    let limit = format!("--max-input-size={MAX_PACK}");
    let mut index = git::git(dir);
    index.args(["index-pack", "--strict", "--stdin", &limit]);
    succeed(index.stdin(Stdio::from(input)))?;
    Repository::open(dir)?.commit(commit)?;
    check_size(dir, commit)
}

/// Checks the sizes before a checkout: a pack of a few kilobytes can unpack to huge files.
fn check_size(dir: &Path, commit: &str) -> Result<(), BuildError> {
    let mut list = git::git(dir);
    list.args(["ls-tree", "-r", "--long", "--full-tree", commit]);
    let list = succeed(&mut list)?;
    let sizes = list
        .lines()
        .filter_map(|line| line.split_whitespace().nth(3)?.parse::<u64>().ok());
    let bytes = sizes.fold(0, u64::saturating_add);
    let files = list.lines().count();
    if bytes > MAX_BYTES || files > MAX_FILES {
        Err(refused(
            commit,
            format!(
                "it has {files} files with {} MB, and {MAX_FILES} with {} MB are allowed",
                bytes >> 20,
                MAX_BYTES >> 20
            ),
        ))
    } else {
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Duration;

    use tempfile::TempDir;

    use super::*;

    /// A repository with two commits of an engine, and a cache.
    struct Scene {
        dir: TempDir,
        cache: Cache,
    }

    fn limits() -> BuildLimits {
        BuildLimits {
            time: Duration::from_secs(600),
            stop: std::sync::Arc::default(),
        }
    }

    impl Scene {
        fn new() -> Self {
            let dir = tempfile::tempdir().expect("a folder");
            let cache = Cache::at(&dir.path().join("cache"));
            let scene = Self { dir, cache };
            fs::create_dir(scene.repository()).expect("made");
            scene.git(&["init", "--quiet"]);
            for nodes in [1, 2] {
                let engine = format!("#!/bin/sh\necho '{nodes} nodes 1 nps'\n");
                fs::write(scene.repository().join("engine.sh"), engine).expect("written");
                scene.git(&["add", "--all"]);
                scene.git(&["commit", "--quiet", "--message", "an engine"]);
            }
            scene
        }

        fn repository(&self) -> PathBuf {
            self.dir.path().join("repository")
        }

        fn git(&self, arguments: &[&str]) -> String {
            let mut command = git::git(&self.repository());
            command.args(["-c", "user.name=A", "-c", "user.email=a@localhost"]);
            succeed(command.args(arguments)).expect("git works")
        }

        /// The source of the last commit, as a file.
        fn pack(&self) -> Pack {
            let commit = self.git(&["rev-parse", "HEAD"]);
            let path = self.dir.path().join("sent.pack");
            write(&self.repository(), &commit, &path).expect("packed");
            Pack {
                path,
                commit,
                build: Some("cp engine.sh {out}; chmod +x {out}".to_string()),
                cmd: "{out}".to_string(),
                bench: 2,
            }
        }

        fn build(&self, pack: &Pack) -> Result<Built, BuildError> {
            pack.build(&self.cache, false, limits())
        }
    }

    #[test]
    fn a_commit_is_built_from_its_pack_alone() {
        let scene = Scene::new();
        let pack = scene.pack();
        let before = scene.git(&["rev-parse", "HEAD~1"]);
        fs::remove_dir_all(scene.repository()).expect("removed");
        let built = scene.build(&pack).expect("built");
        assert_eq!(built.record.bench, Some(2));
        assert_eq!(built.record.commit, pack.commit);
        let sources = scene.cache.sources().expect("there");
        let unpacked = Repository::open(&sources.join(format!("{}.git", pack.commit)));
        unpacked
            .expect("kept")
            .commit(&before)
            .expect_err("no history is sent");
        let trees = fs::read_dir(scene.cache.path().join("trees")).expect("there");
        assert_eq!(trees.count(), 0, "no work tree stays");
        assert!(scene.build(&pack).expect("there").was_cached);
        // The record leads back to the source, for other machines.
        let record = record_of(&built.program, &built.record.sha256).expect("a build");
        let again = Pack::of(&scene.cache, &record).expect("packed");
        assert_eq!(again.expect("it has a bench").commit, pack.commit);
        assert!(record_of(&built.program, "another").is_none());
        scene.cache.prune(Duration::ZERO).expect("pruned");
        assert_eq!(fs::read_dir(&sources).expect("there").count(), 0);
    }

    #[test]
    fn what_is_not_the_commit_is_never_built() {
        let scene = Scene::new();
        let pack = scene.pack();
        let bytes = fs::read(&pack.path).expect("read");
        for at in [bytes.len() / 3, bytes.len() / 2, bytes.len() - 30] {
            let mut altered = bytes.clone();
            altered[at] ^= 1;
            fs::write(&pack.path, altered).expect("written");
            scene.build(&pack).expect_err("altered");
        }
        fs::write(&pack.path, &bytes[..bytes.len() - 1]).expect("written");
        scene.build(&pack).expect_err("cut off");
        fs::write(&pack.path, &bytes).expect("written");
        let other = Pack {
            commit: scene.git(&["rev-parse", "HEAD~1"]),
            ..pack.clone()
        };
        scene.build(&other).expect_err("another commit");
        let builds = fs::read_dir(scene.cache.path().join("builds"));
        assert_eq!(builds.map_or(0, Iterator::count), 0);
        scene.build(&pack).expect("whole");
    }

    #[test]
    fn a_source_needs_a_commit_and_a_bench() {
        let scene = Scene::new();
        let built = scene.build(&scene.pack()).expect("built");
        for record in [
            BuildRecord {
                bench: None,
                ..built.record.clone()
            },
            BuildRecord {
                tree: Some("changes".to_string()),
                ..built.record.clone()
            },
        ] {
            let pack = Pack::of(&scene.cache, &record).expect("nothing is read");
            assert_eq!(pack, None);
        }
    }
}
