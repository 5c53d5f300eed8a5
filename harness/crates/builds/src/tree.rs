//! A repository's work tree in the cache.
//!
//! It is a separate repository that borrows the objects of the user's, so that nothing is
//! ever written to the latter, not even the snapshot of uncommitted changes.
//!
//! The tree and the folders of its submodules are cleaned before each build, so that files
//! of an earlier build are never used by a later one. The exception: if the build command is
//! a single cargo command, cargo's folder `target` is kept, because cargo compares the
//! modification times of sources and results. This is correct only if changed sources are
//! newer than all results. Git writes changed files anew; if the clock has been set back or
//! a build was interrupted, `target` is removed too.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, SystemTime};

use super::BuildError;
use super::git::{self, Commit, GitError, Repository, succeed};
use super::submodules;
use hone_base::diagnostic::Diagnostic;
use hone_base::platform::{create_private, full_path, is_executable, quoted};

/// Files of the previous build that are kept in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Borrowed {
    Nothing,
    /// The folder `target`.
    CargoTarget,
}

/// The work tree, locked by this process until the value is dropped.
#[derive(Debug)]
pub(super) struct WorkTree {
    dir: PathBuf,
    lock: File,
    /// The git folder of the user's repository.
    pub(super) repository: PathBuf,
}

/// The state of a user's work tree.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) tree: String,
    /// A commit of that tree, in the cache's repository.
    pub(super) commit: String,
    /// Whether it equals the tree of its base commit.
    pub(super) is_clean: bool,
}

/// File names in the tree's folder.
pub(super) const LOCK: &str = "lock";
const SRC: &str = "src";
/// Exists if the last build was by cargo and finished; its modification time is the end of
/// that build.
const STAMP: &str = "cargo-built";
const PROBE: &str = "now";
const ORIGIN: &str = "remote.origin.url";
const INDEX: &str = "index";
/// The addresses of the submodules that the last build could clone.
const SUBMODULES: &str = "submodules";

/// Maximum number of programs that a message lists.
const MAX_PROGRAMS: usize = 5;

/// Depth of the folders of a build in which they are looked for: `target/release/engine`.
const PROGRAM_DEPTH: u32 = 2;

/// Adds the executable files of `path` in `src`.
fn add_programs(src: &Path, path: &Path, depth: u32, found: &mut Vec<PathBuf>) {
    let full = src.join(path);
    let is_link = full.is_symlink();
    if full.is_file() {
        if is_executable(&full) {
            found.push(path.to_path_buf());
        }
    } else if depth > 0 && !is_link {
        for entry in fs::read_dir(full).into_iter().flatten().flatten() {
            add_programs(src, &path.join(entry.file_name()), depth - 1, found);
        }
    }
}

/// The folders of runs in a work tree, which are not part of an engine's source.
fn run_folders(top: &Path) -> Result<Vec<String>, GitError> {
    let mut list = git::git(top);
    list.args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]);
    let found = succeed(list.args(["--", ":(glob)**/run.toml"]))?;
    let is_manifest = |path: &&str| {
        let text = fs::read_to_string(top.join(path)).unwrap_or_default();
        text.starts_with("hone = ") && text.contains("\n[[engines]]")
    };
    Ok(found
        .split('\0')
        .filter(|path| !path.is_empty())
        .filter(is_manifest)
        .filter_map(|path| path.strip_suffix("/run.toml"))
        .map(str::to_string)
        .collect())
}

/// Copies an index with its modification time. Git compares the content of files that are not
/// older than the index, because their times do not show later changes; a newer index would
/// hide such changes.
fn copy_index(from: &Path, to: &Path) -> io::Result<()> {
    let mut from = File::open(from)?;
    let mut to = File::create(to)?;
    io::copy(&mut from, &mut to)?;
    to.set_modified(from.metadata()?.modified()?)
}

impl WorkTree {
    /// Opens the tree in `dir`, whose lock this process holds.
    pub(super) fn open(dir: PathBuf, lock: File, of: &Repository) -> Result<Self, BuildError> {
        let tree = Self {
            dir,
            lock,
            repository: of.common().to_path_buf(),
        };
        tree.borrow_objects()?;
        Ok(tree)
    }

    pub(super) fn src(&self) -> PathBuf {
        self.dir.join(SRC)
    }

    /// A duplicate of the lock, for a process that builds here.
    pub(super) fn lock(&self) -> Result<File, BuildError> {
        self.lock
            .try_clone()
            .map_err(BuildError::io(&self.dir.join(LOCK)))
    }

    fn borrow_objects(&self) -> Result<(), BuildError> {
        let src = self.src();
        create_private(&src).map_err(BuildError::io(&src))?;
        if !src.join(".git").join("HEAD").exists() {
            let mut format = git::git(&self.repository);
            format.args(["rev-parse", "--show-object-format"]);
            let format = format!("--object-format={}", succeed(&mut format)?);
            succeed(git::git(&src).args(["init", "--quiet", "--template=", &format]))?;
        }
        let info = src.join(".git").join("objects").join("info");
        let alternates = info.join("alternates");
        let objects = self.repository.join("objects").display().to_string();
        // Git on Windows writes slashes.
        let objects = if cfg!(windows) {
            objects.replace('\\', "/")
        } else {
            objects
        };
        let objects = format!("{objects}\n");
        fs::create_dir_all(&info)
            .and_then(|()| fs::write(&alternates, objects))
            .map_err(BuildError::io(&alternates))?;
        self.copy_origin()?;
        let shallow = self.repository.join("shallow");
        if shallow.exists() {
            let copy = src.join(".git").join("shallow");
            fs::copy(&shallow, &copy).map_err(BuildError::io(&copy))?;
        }
        Ok(())
    }

    /// Copies the address of the user's `origin`, because the addresses of submodules may be
    /// relative to it. Without one, git resolves them from the user's repository.
    fn copy_origin(&self) -> Result<(), GitError> {
        let mut theirs = git::git(&self.repository);
        theirs.args(["config", "--local", "--get", ORIGIN]);
        let top = if self.repository.ends_with(".git") {
            self.repository.parent().unwrap_or(&self.repository)
        } else {
            &self.repository
        };
        // The command fails in a repository without `origin`.
        let url = match succeed(&mut theirs) {
            Ok(url) if url.starts_with('-') => return Ok(()),
            // A relative path would be wrong from here.
            Ok(url) if url.starts_with('.') => full_path(&top.join(&url)).ok(),
            Ok(url) => Some(PathBuf::from(url)),
            Err(_) => None,
        };
        let url = url.unwrap_or_else(|| top.to_path_buf());
        let mut set = git::git(&self.src());
        set.args(["config", "--replace-all", ORIGIN]);
        succeed(set.arg(url)).map(drop)
    }

    /// Checks out a commit. `program`, a path in the tree, is removed if the commit does not
    /// contain it.
    pub(super) fn check_out(
        &self,
        commit: &str,
        borrowed: Borrowed,
        program: Option<&Path>,
    ) -> Result<(), BuildError> {
        let keep_target = borrowed == Borrowed::CargoTarget && self.is_reusable()?;
        let stamp = self.dir.join(STAMP);
        if stamp.exists() {
            fs::remove_file(&stamp).map_err(BuildError::io(&stamp))?;
        }
        if let Some(program) = program
            && self.is_inside(program)
        {
            // If it is current, cargo links it there again.
            let _ = fs::remove_file(self.src().join(program));
        }
        if let Err(first) = self.switch(commit, keep_target) {
            // An earlier process may have been killed during a checkout, or the commit that
            // was checked out may be gone from the user's repository.
            let src = self.src();
            fs::remove_dir_all(&src).map_err(BuildError::io(&src))?;
            self.borrow_objects()?;
            if self.switch(commit, keep_target).is_err() {
                return Err(self.cause(commit, first).into());
            }
        }
        submodules::forget_if_changed(&self.src(), &self.dir.join(SUBMODULES))?;
        // During a checkout, git only warns of files that it cannot remove.
        self.clean(keep_target)?;
        match program {
            // The program could be that of another commit.
            Some(program) if !self.is_inside(program) => Err(BuildError::LeadsOutside {
                program: program.display().to_string(),
            }),
            _ => Ok(()),
        }
    }

    /// The executable files that a build has made in the tree, as paths from its root.
    pub(super) fn new_programs(&self) -> Vec<PathBuf> {
        let src = self.src();
        let mut list = git::git(&src);
        // A folder with only new files is listed as one.
        list.args(["ls-files", "-z", "--others", "--directory"]);
        let listed = succeed(&mut list).unwrap_or_default();
        let mut found = Vec::new();
        for path in listed.split_terminator('\0').map(Path::new) {
            add_programs(&src, path, PROGRAM_DEPTH, &mut found);
        }
        found.sort();
        found.truncate(MAX_PROGRAMS);
        found
    }

    /// The error of a checkout, which may be that of files that the repository lacks.
    fn cause(&self, commit: &str, error: GitError) -> GitError {
        let (path, short) = (&self.repository, git::short_id(commit));
        let mut promisors = git::git(path);
        promisors.args([
            "config",
            "--local",
            "--get-regexp",
            r"^remote\..*\.promisor$",
        ]);
        if succeed(&mut promisors).is_ok() {
            let what = format!(
                "cannot check out {short}: {} is a partial clone, which lacks some of its files",
                path.display()
            );
            let help = format!(
                "`git -C {} fetch --refetch --no-filter` fetches all files",
                quoted(path)
            );
            return GitError::Partial(Diagnostic::new(what).help(help));
        }
        let mut objects = git::git(&self.src());
        objects.args([
            "rev-list",
            "--objects",
            "--no-walk",
            "--missing=print",
            commit,
        ]);
        let listed = succeed(&mut objects).unwrap_or_default();
        if listed.lines().any(|line| line.starts_with('?')) {
            let what = format!(
                "cannot check out {short}: the repository {} lacks some of its files",
                path.display()
            );
            let help = format!(
                "`git -C {} fsck --connectivity-only` lists them; clone the repository again",
                quoted(path)
            );
            return GitError::Incomplete(Diagnostic::new(what).help(help));
        }
        error
    }

    /// Whether a path stays in the tree when symbolic links of its existing part are
    /// resolved.
    fn is_inside(&self, path: &Path) -> bool {
        let folder = self.src().join(path);
        let folder = folder.parent().map(Path::canonicalize);
        match (folder, self.src().canonicalize()) {
            (Some(Ok(folder)), Ok(src)) => folder.starts_with(src),
            _ => true,
        }
    }

    /// Checks out a commit in a tree that has only the files of the last one.
    fn switch(&self, commit: &str, keep_target: bool) -> Result<(), GitError> {
        // `git clean` skips folders that are submodules in the index. So those of the last
        // commit are removed from the index first, and those of this commit are added later.
        submodules::forget(&self.src())?;
        self.clean(keep_target)?;
        let mut command = self.own_git();
        command.args(["checkout", "--quiet", "--force", "--detach", commit, "--"]);
        succeed(&mut command).map(drop)
    }

    /// Removes the files that are not in the index, without following symbolic links.
    fn clean(&self, keep_target: bool) -> Result<(), GitError> {
        let mut clean = git::git(&self.src());
        clean.args(["clean", "--quiet", "-ffdx"]);
        if keep_target {
            clean.args(["-e", "/target"]);
        }
        succeed(&mut clean).map(drop)
    }

    /// `git` in the tree, without automatic maintenance.
    fn own_git(&self) -> Command {
        let mut command = git::git(&self.src());
        command.args(["-c", "gc.auto=0", "-c", "advice.detachedHead=false"]);
        command
    }

    /// Whether cargo can decide by modification times which results of the last build to use
    /// again.
    fn is_reusable(&self) -> Result<bool, BuildError> {
        let stamp = self.dir.join(STAMP);
        let Ok(built) = fs::metadata(&stamp).and_then(|stamp| stamp.modified()) else {
            return Ok(false);
        };
        let mut now = self.file_time()?;
        if now < built {
            return Ok(false);
        }
        while now <= built {
            thread::sleep(Duration::from_millis(5));
            now = self.file_time()?;
        }
        Ok(true)
    }

    /// The modification time of a file written now.
    fn file_time(&self) -> Result<SystemTime, BuildError> {
        let probe = self.dir.join(PROBE);
        fs::write(&probe, "")
            .and_then(|()| fs::metadata(&probe)?.modified())
            .map_err(BuildError::io(&probe))
    }

    /// Records that a build by cargo has finished.
    pub(super) fn mark_reusable(&self) -> Result<(), BuildError> {
        let stamp = self.dir.join(STAMP);
        fs::write(&stamp, "").map_err(BuildError::io(&stamp))
    }

    /// Stores the state of the user's work tree in the cache's repository, with new files and
    /// without ignored ones.
    pub(super) fn snapshot(&self, of: &Repository, on: &Commit) -> Result<Snapshot, BuildError> {
        let top = succeed(git::git(of.path()).args(["rev-parse", "--show-toplevel"]));
        let Ok(top) = top.map(PathBuf::from) else {
            return Err(GitError::Bare {
                path: of.path().to_path_buf(),
            }
            .into());
        };
        submodules::refuse_changed(&top)?;
        let tree = self.write_tree(&top)?;
        let on_tree = format!("{}^{{tree}}", on.id);
        let of_commit = succeed(git::git(of.path()).args(["rev-parse", &on_tree]))?;
        Ok(Snapshot {
            commit: self.commit_tree(&tree, on)?,
            is_clean: tree == of_commit,
            tree,
        })
    }

    /// Writes the state of a work tree as a tree object of the cache's repository.
    fn write_tree(&self, top: &Path) -> Result<String, BuildError> {
        let index = self.dir.join(INDEX);
        let theirs = succeed(git::git(top).args(["rev-parse", "--git-path", "index"]))?;
        let theirs = top.join(theirs);
        // With the user's index, git need not read unchanged files.
        if theirs.exists() {
            copy_index(&theirs, &index).map_err(BuildError::io(&theirs))?;
        } else if index.exists() {
            fs::remove_file(&index).map_err(BuildError::io(&index))?;
        }
        let with_index = |command: &mut Command| {
            command
                .env("GIT_INDEX_FILE", &index)
                .env("GIT_OBJECT_DIRECTORY", self.src().join(".git/objects"))
                .env(
                    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
                    self.repository.join("objects"),
                );
        };
        // Both commands read changed files and would filter them.
        let unfiltered = git::without_own_filters(top)?;
        let mut add = git::git(top);
        add.args(&unfiltered);
        with_index(add.args(["add", "--all", "--", "."]));
        for run in run_folders(top)? {
            add.arg(format!(":(exclude,literal){run}"));
        }
        succeed(&mut add)?;
        let mut write = git::git(top);
        write.args(&unfiltered);
        with_index(write.arg("write-tree"));
        Ok(succeed(&mut write)?)
    }

    /// Creates a commit of a tree, with another commit as its parent.
    fn commit_tree(&self, tree: &str, on: &Commit) -> Result<String, GitError> {
        let mut commit = self.own_git();
        commit.args(["commit-tree", tree, "-p", &on.id]);
        commit.args(["-m", "uncommitted changes"]);
        // With a fixed date, the same changes give the same commit.
        let date = on.date.to_string();
        for (name, value) in [
            ("GIT_AUTHOR_NAME", "hone"),
            ("GIT_AUTHOR_EMAIL", "hone@localhost"),
            ("GIT_AUTHOR_DATE", &date),
            ("GIT_COMMITTER_NAME", "hone"),
            ("GIT_COMMITTER_EMAIL", "hone@localhost"),
            ("GIT_COMMITTER_DATE", &date),
        ] {
            commit.env(name, value);
        }
        succeed(&mut commit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cache;

    #[test]
    fn a_repository_that_lacks_files_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("repository");
        fs::create_dir(&path).expect("made");
        let run = |arguments: &[&str]| {
            let mut command = git::git(&path);
            command.args(["-c", "user.name=a", "-c", "user.email=a@b.c"]);
            succeed(command.args(arguments)).expect("git runs")
        };
        run(&["init", "--quiet"]);
        fs::write(path.join("net.bin"), "weights").expect("written");
        run(&["add", "."]);
        run(&["commit", "--quiet", "--message", "A network"]);
        let blob = run(&["rev-parse", "HEAD:net.bin"]);
        let (start, rest) = blob.split_at(2);
        let object = path.join(".git/objects").join(start).join(rest);
        fs::remove_file(object).expect("removed");
        let repository = Repository::open(&path).expect("a repository");
        let commit = repository.commit("HEAD").expect("there");
        let cache = Cache::at(&folder.path().join("cache"));
        let tree = cache.work_tree(&repository, &mut |_| {}).expect("a tree");
        let error = tree.check_out(&commit.id, Borrowed::Nothing, None);
        let text = error.expect_err("a file is missing").to_string();
        let words = format!("cannot check out {}: the repository ", commit.short());
        assert!(text.starts_with(&words), "{text}");
        assert!(text.contains("lacks some of its files"), "{text}");
    }
}
