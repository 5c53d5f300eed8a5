//! Build commands for repositories that follow a convention.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::string_slice))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::git::{GitError, Repository, git, succeed};
use super::recipe::Revision;

/// A build derived from the files of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Convention {
    /// The build command.
    pub build: String,
    /// The program in the work tree, if the build command has no `{out}`.
    pub cmd: Option<String>,
    /// The file that it is derived from.
    pub file: String,
}

impl Convention {
    /// The convention that a revision follows: a makefile with the variable `EXE` for the
    /// path of the program (as OpenBench requires), in the root or in `src/`; or a single
    /// Cargo program. `None` for neither.
    ///
    /// # Errors
    /// If the repository or the commit does not exist.
    pub fn of(repository: &Path, revision: &Revision) -> Result<Option<Self>, GitError> {
        let files = Files::of(repository, revision)?;
        Ok(makefile(&files).or_else(|| cargo(&files)))
    }
}

/// The files of a revision.
enum Files {
    WorkTree(PathBuf),
    Commit { repository: PathBuf, id: String },
}

impl Files {
    fn of(path: &Path, revision: &Revision) -> Result<Self, GitError> {
        let repository = Repository::open(path)?;
        match revision {
            Revision::Commit(rev) => Ok(Self::Commit {
                id: repository.commit(rev)?.id,
                repository: path.to_path_buf(),
            }),
            Revision::WorkTree { .. } => {
                let top = succeed(git(path).args(["rev-parse", "--show-toplevel"]))?;
                Ok(Self::WorkTree(top.into()))
            }
        }
    }

    fn text(&self, file: &str) -> Option<String> {
        match self {
            Self::WorkTree(top) => fs::read_to_string(top.join(file)).ok(),
            Self::Commit { repository, id } => {
                let object = format!("{id}:{file}");
                succeed(git(repository).args(["cat-file", "blob", &object])).ok()
            }
        }
    }

    /// Names of the files in a folder, which is empty for the root or ends in a slash.
    fn names(&self, folder: &str) -> Vec<String> {
        match self {
            Self::WorkTree(top) => {
                let entries = fs::read_dir(top.join(folder)).into_iter().flatten();
                let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
                names.collect()
            }
            Self::Commit { repository, id } => {
                let tree = format!("{id}:{folder}");
                let names = succeed(git(repository).args(["ls-tree", "--name-only", &tree]));
                names
                    .unwrap_or_default()
                    .lines()
                    .map(str::to_string)
                    .collect()
            }
        }
    }

    /// The paths that match a pattern, in which each component may have one `*`.
    fn matching(&self, pattern: &str) -> Vec<String> {
        let mut paths = vec![String::new()];
        for part in pattern.split('/').filter(|part| *part != ".") {
            let Some((start, end)) = part.split_once('*') else {
                paths
                    .iter_mut()
                    .for_each(|path| *path += &format!("{part}/"));
                continue;
            };
            let fits = |name: &str| {
                name.strip_prefix(start)
                    .is_some_and(|rest| rest.ends_with(end))
            };
            let below = |path: &String| {
                let names = self.names(path).into_iter().filter(|name| fits(name));
                names
                    .map(|name| format!("{path}{name}/"))
                    .collect::<Vec<_>>()
            };
            paths = paths.iter().flat_map(below).collect();
        }
        paths
    }
}

fn makefile(files: &Files) -> Option<Convention> {
    for (folder, make) in [("", "make"), ("src/", "make -C src")] {
        for name in ["Makefile", "makefile", "GNUmakefile"] {
            let file = format!("{folder}{name}");
            let Some(text) = files.text(&file) else {
                continue;
            };
            if !takes_exe(&text) {
                continue;
            }
            // The first target of Stockfish's makefile prints help.
            let target = if text.lines().any(|line| line.starts_with("build:")) {
                " build"
            } else {
                ""
            };
            return Some(Convention {
                build: format!("{make}{target} EXE={{out}}"),
                cmd: None,
                file,
            });
        }
    }
    None
}

/// Whether a makefile has the variable `EXE`.
fn takes_exe(text: &str) -> bool {
    let is_set = |line: &str| {
        let rest = line.trim_start().strip_prefix("EXE");
        rest.is_some_and(|rest| {
            let rest = rest.trim_start();
            ["=", "?=", ":=", "::="]
                .iter()
                .any(|sign| rest.starts_with(sign))
        })
    };
    ["$(EXE)", "${EXE}"].iter().any(|used| text.contains(used)) || text.lines().any(is_set)
}

fn cargo(files: &Files) -> Option<Convention> {
    let text = files.text("Cargo.toml")?;
    let root: toml::Table = toml::from_str(&text).ok()?;
    let mut found = Vec::new();
    let own = root
        .contains_key("package")
        .then(|| programs(files, "", &root));
    found.extend(own.into_iter().flatten().map(|name| (None, name)));
    for folder in members(files, &root) {
        let manifest = files.text(&format!("{folder}Cargo.toml"));
        let Some(manifest) = manifest.and_then(|text| toml::from_str::<toml::Table>(&text).ok())
        else {
            continue;
        };
        let package = package_name(&manifest);
        let names = programs(files, &folder, &manifest);
        found.extend(names.into_iter().map(|name| (package.clone(), name)));
    }
    let [(package, program)] = &found[..] else {
        return None;
    };
    let package = package.as_ref();
    Some(Convention {
        build: format!(
            "cargo build --release{}",
            package.map_or_else(String::new, |package| format!(" -p {package}"))
        ),
        cmd: Some(format!("target/release/{program}")),
        file: "Cargo.toml".to_string(),
    })
}

/// The folders of a workspace's members, each ending with a slash.
fn members(files: &Files, root: &toml::Table) -> BTreeSet<String> {
    let patterns = |key: &str| {
        let patterns = root.get("workspace").and_then(|it| it.get(key)?.as_array());
        let patterns = patterns.into_iter().flatten();
        patterns.filter_map(|pattern| Some(pattern.as_str()?.trim_end_matches('/')))
    };
    let excluded: Vec<&str> = patterns("exclude").collect();
    let mut folders = BTreeSet::new();
    for pattern in patterns("members") {
        folders.extend(files.matching(pattern));
    }
    folders.retain(|folder| !excluded.contains(&folder.trim_end_matches('/')));
    folders
}

fn package_name(manifest: &toml::Table) -> Option<String> {
    let name = manifest.get("package")?.get("name")?;
    name.as_str().map(str::to_string)
}

/// The programs of the package in `folder`; only the default one if it has a default.
fn programs(files: &Files, folder: &str, manifest: &toml::Table) -> Vec<String> {
    let default = manifest.get("package").and_then(|it| it.get("default-run"));
    if let Some(name) = default.and_then(toml::Value::as_str) {
        return vec![name.to_string()];
    }
    let tables = manifest.get("bin").and_then(toml::Value::as_array);
    let named: Vec<String> = tables
        .into_iter()
        .flatten()
        .filter_map(|table| table.get("name")?.as_str().map(str::to_string))
        .collect();
    if !named.is_empty() {
        return named;
    }
    match files.text(&format!("{folder}src/main.rs")) {
        Some(_) => package_name(manifest).into_iter().collect(),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The build command and program of a folder with these files.
    fn guessed(files: &[(&str, &str)]) -> Option<(String, Option<String>)> {
        let folder = tempfile::tempdir().expect("made");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("in the folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        let files = Files::WorkTree(folder.path().to_path_buf());
        let found = makefile(&files).or_else(|| cargo(&files))?;
        Some((found.build, found.cmd))
    }

    fn build(line: &str) -> Option<(String, Option<String>)> {
        Some((line.to_string(), None))
    }

    #[test]
    fn makefiles_that_take_exe_are_used() {
        let own = "EXE ?= engine\nall:\n\tcc -o $(EXE) a.c\n";
        assert_eq!(guessed(&[("Makefile", own)]), build("make EXE={out}"));
        assert_eq!(
            guessed(&[("src/makefile", own)]),
            build("make -C src EXE={out}")
        );
        let stockfish = "EXE = stockfish\nhelp:\n\techo\nbuild: net\n\tcc -o $(EXE)\n";
        assert_eq!(
            guessed(&[("src/Makefile", stockfish)]),
            build("make -C src build EXE={out}")
        );
        assert_eq!(guessed(&[("Makefile", "all:\n\tcc -o engine a.c\n")]), None);
    }

    #[test]
    fn one_program_of_cargo_is_used() {
        let cargo = |line: &str, program: &str| {
            Some((line.to_string(), Some(format!("target/release/{program}"))))
        };
        let package = ("Cargo.toml", "[package]\nname = \"viri\"\n");
        let main = ("src/main.rs", "fn main() {}");
        assert_eq!(
            guessed(&[package, main]),
            cargo("cargo build --release", "viri")
        );
        assert_eq!(guessed(&[package]), None);
        let bins = "[package]\nname = \"a\"\n[[bin]]\nname = \"b\"\n";
        assert_eq!(
            guessed(&[("Cargo.toml", bins)]),
            cargo("cargo build --release", "b")
        );
        let both = format!("{bins}[[bin]]\nname = \"c\"\n");
        assert_eq!(guessed(&[("Cargo.toml", &both)]), None);
        let members = [
            ("Cargo.toml", "[workspace]\nmembers = [\"e\", \"lib\"]\n"),
            ("e/Cargo.toml", "[package]\nname = \"eng\"\n"),
            ("e/src/main.rs", ""),
            ("lib/Cargo.toml", "[package]\nname = \"lib\"\n"),
        ];
        let eng = cargo("cargo build --release -p eng", "eng");
        assert_eq!(guessed(&members), eng);
        for (pattern, exclude, expected) in [
            ("*", "", eng.clone()),
            ("./*", "", eng.clone()),
            ("e*", "", eng.clone()),
            ("l*b", "", None),
            ("*/e", "", None),
            ("*", "e", None),
        ] {
            let root =
                format!("[workspace]\nmembers = [\"{pattern}\"]\nexclude = [\"{exclude}\"]\n");
            let mut members = members;
            members[0].1 = &root;
            assert_eq!(guessed(&members), expected, "{pattern} without {exclude}");
        }
    }

    #[test]
    fn members_of_a_commit_are_found_by_their_pattern() {
        let folder = tempfile::tempdir().expect("made");
        let run = |arguments: &[&str]| {
            let done = succeed(git(folder.path()).args(arguments));
            done.expect("git runs")
        };
        run(&["init", "-q"]);
        for (name, text) in [
            ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
            ("crates/e/Cargo.toml", "[package]\nname = \"eng\"\n"),
            ("crates/e/src/main.rs", ""),
        ] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("in the folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        run(&["add", "."]);
        let who = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
        run(&[&who[..], &["commit", "-qm", "x"]].concat());
        let commit = Revision::Commit("HEAD".to_string());
        let found = Convention::of(folder.path(), &commit).expect("read");
        let found = found.expect("a program");
        assert_eq!(found.build, "cargo build --release -p eng");
    }

    #[test]
    fn a_makefile_goes_before_cargo() {
        let files = [
            ("Makefile", "all:\n\tcargo rustc -- --emit link=$(EXE)\n"),
            ("Cargo.toml", "[package]\nname = \"viri\"\n"),
            ("src/main.rs", ""),
        ];
        assert_eq!(guessed(&files), build("make EXE={out}"));
    }
}
