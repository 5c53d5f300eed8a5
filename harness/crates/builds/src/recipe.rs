//! Recipes: the source of a build and its command.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

use sha2::{Digest, Sha256};

use super::build_command::{OUT, with_out};
use super::error::BuildError;
use hone_base::checksum::hex;
use hone_uci::engine::uci::split_command;

/// A state of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Revision {
    /// A commit, tag or branch.
    Commit(String),
    /// The work tree with its uncommitted changes. If `tree` is given, the result must equal
    /// that tree.
    WorkTree { tree: Option<String> },
}

/// Folder of a build for the files of its work tree, if they are kept.
pub(super) const TREE: &str = "tree";

/// How to build an engine from a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    /// A folder in the repository.
    pub repository: PathBuf,
    pub revision: Revision,
    /// A shell command, run in the root of a work tree. `{out}` is replaced by the path to
    /// which it must write the program.
    pub build: Option<String>,
    /// The program with optional arguments: `{out}`, or a path in the work tree, from which
    /// the program is copied.
    pub cmd: String,
}

impl Recipe {
    /// File name of the program in the cache.
    pub(super) fn program_name() -> String {
        format!("engine{}", std::env::consts::EXE_SUFFIX)
    }

    /// The program's path in the work tree; `None` if the build command writes it to
    /// `{out}`.
    pub(super) fn program_in_tree(&self) -> Option<PathBuf> {
        let program = self.words().into_iter().next()?;
        (program != OUT).then(|| PathBuf::from(program))
    }

    /// The program's path in the folder of its build.
    pub(super) fn program_in(&self, build: &Path) -> PathBuf {
        match self.program_in_tree().filter(|_| self.keeps_tree()) {
            Some(program) => build.join(TREE).join(program),
            None => build.join(Self::program_name()),
        }
    }

    /// Whether the build keeps all files of the work tree: a program that is played as it is
    /// in the commit, such as a script, may need the files beside it.
    pub(super) fn keeps_tree(&self) -> bool {
        self.build.is_none() && self.program_in_tree().is_some()
    }

    /// Checks that the program's path does not leave the work tree.
    pub fn check(&self) -> Result<(), BuildError> {
        match self.program_in_tree() {
            Some(path)
                if !path
                    .components()
                    .all(|part| matches!(part, Component::Normal(_))) =>
            {
                Err(BuildError::Outside {
                    program: path.display().to_string(),
                })
            }
            _ => Ok(()),
        }
    }

    /// Whether the recipe names the program.
    pub fn has_program(&self) -> bool {
        let writes_out = self.build.as_deref().is_some_and(|line| line.contains(OUT));
        writes_out || self.program_in_tree().is_some()
    }

    /// Arguments of the program.
    pub(super) fn args(&self) -> Vec<String> {
        self.words().into_iter().skip(1).collect()
    }

    /// The command split into words; one word if its quotes do not match.
    fn words(&self) -> Vec<String> {
        match self.cmd.trim() {
            "" => Vec::new(),
            cmd => split_command(cmd).unwrap_or_else(|| vec![cmd.to_string()]),
        }
    }

    pub(super) fn describe_build(&self) -> &str {
        self.build.as_deref().unwrap_or("nothing to run")
    }

    /// The build command with the path of the program inserted.
    pub(super) fn build_command(&self, out: &Path) -> Option<String> {
        let out = out.display().to_string();
        self.build.as_ref().map(|line| with_out(line, &out))
    }

    /// Whether the build is a single cargo command; cargo recompiles by the modification
    /// times of the sources.
    pub(super) fn is_cargo(&self) -> bool {
        let line = self.build.as_deref().unwrap_or("").trim();
        line.split_whitespace().next() == Some("cargo")
            && !line.contains([';', '&', '|', '\n', '`', '$'])
    }

    /// The address of the build of `source`, a commit or a tree: the name of its folder in
    /// the cache.
    pub(super) fn address(&self, source: &str) -> String {
        let mut hasher = Sha256::new();
        if self.keeps_tree() {
            // Builds of earlier versions do not have the tree.
            hasher.update(TREE);
        }
        for part in [source, self.build.as_deref().unwrap_or(""), &self.cmd] {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        let digest = hex(&hasher.finalize());
        // It may come from an edited `run.toml` and must not become another path.
        let source = source.chars().filter(char::is_ascii_alphanumeric);
        let digest = digest.chars().take(16);
        source.take(12).chain(['-']).chain(digest).collect()
    }
}

/// An engine on the command line.
///
/// `git:REV` or `git:REPOSITORY@REV`; `worktree:` or `worktree:REPOSITORY`;
/// `path:FILE` or just `FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spec {
    Commit { repository: PathBuf, rev: String },
    WorkTree { repository: PathBuf },
    Program(String),
}

/// The format on the command line.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Commit { repository, rev } if repository == Path::new(".") => {
                write!(f, "git:{rev}")
            }
            Self::Commit { repository, rev } => write!(f, "git:{}@{rev}", repository.display()),
            Self::WorkTree { repository } if repository == Path::new(".") => {
                f.write_str("worktree:")
            }
            Self::WorkTree { repository } => write!(f, "worktree:{}", repository.display()),
            Self::Program(program) => f.write_str(program),
        }
    }
}

/// An invalid engine on the command line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a valid engine: write git:REV, git:REPOSITORY@REV, worktree:, worktree:REPOSITORY, path:FILE or FILE"
)]
pub struct SpecError(String);

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let here = || PathBuf::from(".");
        if let Some(rest) = text.strip_prefix("git:") {
            let (repository, rev) = match split_repository(rest) {
                Some(("", rev)) => (here(), rev),
                Some((folder, rev)) => (folder.into(), rev),
                None => (here(), rest),
            };
            if rev.is_empty() {
                return Err(SpecError(text.to_string()));
            }
            let rev = rev.to_string();
            return Ok(Self::Commit { repository, rev });
        }
        if let Some(rest) = text.strip_prefix("worktree:") {
            let repository = if rest.is_empty() { here() } else { rest.into() };
            return Ok(Self::WorkTree { repository });
        }
        match text.strip_prefix("path:").unwrap_or(text) {
            "" => Err(SpecError(text.to_string())),
            program => Ok(Self::Program(program.to_string())),
        }
    }
}

/// The repository, which may be empty, and the revision of `REPOSITORY@REV`; `None` for a
/// revision alone. `@` is also a part of revisions (`feat@2`, `HEAD@{1}`, `@{1}`) and of folders
/// (`workspace/job@2`): the longest part that is a folder is the repository.
fn split_repository(text: &str) -> Option<(&str, &str)> {
    let mut parts = text
        .rmatch_indices('@')
        .filter_map(|(at, _)| Some((text.get(..at)?, text.get(at..)?.strip_prefix('@')?)));
    let existing = parts.find(|(folder, _)| !folder.is_empty() && Path::new(folder).is_dir());
    existing.or_else(|| {
        // A revision starts neither with a dot nor at a root.
        let is_path = |text: &str| text.starts_with('.') || Path::new(text).has_root();
        let (folder, rev) = text.split_once('@')?;
        let is_of_here = folder.is_empty() && !rev.starts_with('{');
        (is_of_here || is_path(folder)).then_some((folder, rev))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(build: &str, cmd: &str) -> Recipe {
        Recipe {
            repository: ".".into(),
            revision: Revision::Commit("main".into()),
            build: Some(build.into()),
            cmd: cmd.into(),
        }
    }

    #[test]
    fn the_address_depends_on_everything_that_makes_a_build() {
        let addresses = [
            recipe("make", "a").address("1234"),
            recipe("make", "a").address("1235"),
            recipe("make ", "a").address("1234"),
            recipe("make", "b").address("1234"),
            recipe("makea", "").address("1234"),
        ];
        for (i, first) in addresses.iter().enumerate() {
            assert!(addresses[i + 1..].iter().all(|other| other != first));
        }
        assert_eq!(addresses[0], recipe("make", "a").address("1234"));
    }

    #[test]
    fn a_program_outside_the_tree_is_refused() {
        for cmd in ["/bin/sh", "../x", "a/../../x", "./x"] {
            assert!(recipe("make", cmd).check().is_err(), "{cmd}");
        }
        for cmd in ["", "{out}", "{out} --x /y", "target/release/x"] {
            assert!(recipe("make", cmd).check().is_ok(), "{cmd}");
        }
    }

    #[test]
    fn a_command_is_split_as_a_shell_does() {
        let quoted = recipe("make", "'my engine' --net 'a b'");
        assert_eq!(
            quoted.program_in_tree().as_deref(),
            Some(Path::new("my engine"))
        );
        assert_eq!(quoted.args(), ["--net", "a b"]);
    }

    #[test]
    fn only_a_plain_cargo_line_may_keep_its_target() {
        assert!(recipe("cargo build --release", "x").is_cargo());
        for line in [
            "make",
            "cargo build; cc x.c",
            "cargo build && strip x",
            "X=1 cargo build",
            "cargo build $F",
        ] {
            assert!(!recipe(line, "x").is_cargo(), "{line}");
        }
    }

    #[test]
    fn the_path_of_the_program_is_quoted_where_needed() {
        let line = recipe("make EXE={out}", "{out}").build_command(Path::new("/a b/engine"));
        if cfg!(unix) {
            assert_eq!(line.as_deref(), Some("make EXE='/a b/engine'"));
        }
    }

    /// Jenkins names the workspaces of parallel jobs `job@2`.
    #[test]
    fn the_path_of_a_repository_may_contain_an_at_sign() {
        let folder = tempfile::tempdir().expect("a folder");
        let [job, second] = ["job", "job@2"].map(|name| folder.path().join(name));
        let spec = |path: &Path, rev: &str| format!("git:{}@{rev}", path.display()).parse();
        let commit = |path: &Path, rev: &str| {
            Ok(Spec::Commit {
                repository: path.to_path_buf(),
                rev: rev.to_string(),
            })
        };
        std::fs::create_dir(&second).expect("made");
        assert_eq!(spec(&second, "HEAD"), commit(&second, "HEAD"));
        std::fs::create_dir(&job).expect("made");
        assert_eq!(spec(&second, "main@{1}"), commit(&second, "main@{1}"));
        assert_eq!(spec(&job, "feat@2"), commit(&job, "feat@2"));
    }

    #[test]
    fn reads_what_a_command_line_names() {
        let commit = |repository: &str, rev: &str| Spec::Commit {
            repository: repository.into(),
            rev: rev.into(),
        };
        for (text, spec) in [
            ("git:HEAD~3", commit(".", "HEAD~3")),
            ("git:../x@v1.0", commit("../x", "v1.0")),
            ("git:@main", commit(".", "main")),
            ("git:/r@main@{1}", commit("/r", "main@{1}")),
            ("git:src@main", commit("src", "main")),
            ("git:feat@2", commit(".", "feat@2")),
            ("git:topic/feat@2", commit(".", "topic/feat@2")),
            ("git:HEAD@{1}", commit(".", "HEAD@{1}")),
            ("git:@{1}", commit(".", "@{1}")),
            (
                "worktree:",
                Spec::WorkTree {
                    repository: ".".into(),
                },
            ),
            (
                "worktree:/r",
                Spec::WorkTree {
                    repository: "/r".into(),
                },
            ),
            ("path:a/b", Spec::Program("a/b".into())),
            ("a/b --x", Spec::Program("a/b --x".into())),
        ] {
            assert_eq!(text.parse(), Ok(spec), "{text}");
        }
        for text in ["", "git:", "git:/r@", "path:"] {
            assert!(text.parse::<Spec>().is_err(), "{text}");
        }
    }
}
