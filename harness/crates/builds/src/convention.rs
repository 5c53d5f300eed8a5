//! Build commands for repositories that follow a convention.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use super::git::{GitError, Repository, git, succeed};
use super::makefile::Makefile;
use super::recipe::Revision;
use hone_base::platform::is_executable;
use hone_uci::engine::uci::split_command;

/// File name of the program of a makefile. No repository has a file or folder of this name.
const PROGRAM: &str = "hone-engine";

/// File names of makefiles; `make` uses the first of them.
pub(super) const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// A build derived from the files of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Convention {
    /// The build command.
    pub build: String,
    /// The program in the work tree.
    pub cmd: String,
    /// The file that it is derived from.
    pub file: String,
}

impl Convention {
    /// The convention that a revision follows: a makefile with the variable `EXE` for the name
    /// of the program in its folder (as OpenBench requires), in the root or in `src/`; or a
    /// Cargo program. With `cmd`, the build of this program, unless it is a file of the
    /// revision.
    ///
    /// # Errors
    /// If the repository or the commit does not exist.
    pub fn of(
        repository: &Path,
        revision: &Revision,
        cmd: Option<&str>,
    ) -> Result<Result<Self, NoConvention>, GitError> {
        let files = Files::of(repository, revision)?;
        Ok(match cmd {
            Some(cmd) => build_of(&files, cmd).ok_or_else(NoConvention::default),
            None => guess(&files),
        })
    }
}

/// What a repository has in place of a convention.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct NoConvention {
    /// Makefiles without a target that writes `$(EXE)`.
    makefiles: Vec<String>,
    /// Paths of several Cargo programs.
    programs: Vec<String>,
    /// Executable files of the root.
    executables: Vec<String>,
}

/// What was looked for and what was found, with a help line.
impl fmt::Display for NoConvention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |names: &[String]| format!("`{}`", names.join("`, `"));
        f.write_str("it has ")?;
        match &self.makefiles[..] {
            [] => f.write_str("no Makefile in its root or in `src/`")?,
            files => write!(f, "no target that writes `$(EXE)` in {}", list(files))?,
        }
        match (self.programs.first(), self.executables.first()) {
            (Some(first), _) => write!(
                f,
                ", and its Cargo.toml has several programs: {}\nhelp: name one, as in `--cmd {first}`, or in the configuration `cmd = \"{first}\"`",
                list(&self.programs)
            ),
            (None, Some(first)) => write!(
                f,
                ", and no Cargo program, but executable files: {}\nhelp: `--cmd {first}` (in the configuration `cmd = \"{first}\"`) plays that file of the commit",
                list(&self.executables)
            ),
            (None, None) => f.write_str(
                ", and no Cargo program\nhelp: set the build command, as in `--build 'make' --cmd PATH`, or in the configuration `build` and `cmd`: PATH is that of the program in the work tree",
            ),
        }
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

    fn has(&self, file: &str) -> bool {
        match self {
            Self::WorkTree(top) => top.join(file).is_file(),
            Self::Commit { repository, id } => {
                let object = format!("{id}:{file}");
                succeed(git(repository).args(["cat-file", "-e", &object])).is_ok()
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

    /// Names of the executable files in the root.
    fn executables(&self) -> Vec<String> {
        match self {
            Self::WorkTree(top) => {
                let mut names = self.names("");
                names.retain(|name| top.join(name).is_file() && is_executable(&top.join(name)));
                names.sort();
                names
            }
            Self::Commit { repository, id } => {
                let listed = succeed(git(repository).args(["ls-tree", &format!("{id}:")]));
                let listed = listed.unwrap_or_default();
                let entries = listed.lines().filter(|line| line.starts_with("100755 "));
                let names = entries.filter_map(|line| line.split_once('\t'));
                names.map(|(_, name)| name.to_string()).collect()
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

fn guess(files: &Files) -> Result<Convention, NoConvention> {
    let mut missing = NoConvention::default();
    if let Some(found) = makefile(files, &mut missing.makefiles) {
        return Ok(found);
    }
    match &cargo_programs(files)[..] {
        [only] => return Ok(only.convention()),
        several => missing.programs = several.iter().map(CargoProgram::path).collect(),
    }
    missing.executables = files.executables();
    Err(missing)
}

/// The convention of a makefile. `others` gets the makefiles that do not follow it.
fn makefile(files: &Files, others: &mut Vec<String>) -> Option<Convention> {
    for (folder, make) in [("", "make"), ("src/", "make -C src")] {
        for name in MAKEFILES {
            let file = format!("{folder}{name}");
            let Some(text) = files.text(&file) else {
                continue;
            };
            let text = text.replace("\r\n", "\n").replace("\\\n", " ");
            let included = text.lines().any(|line| line.starts_with("include "));
            let target = if takes_exe(&text) {
                let target = Makefile::read(&text).target();
                target.or_else(|| included.then_some(""))
            } else {
                None
            };
            let Some(target) = target else {
                others.push(file);
                continue;
            };
            let gap = if target.is_empty() { "" } else { " " };
            return Some(Convention {
                build: format!("{make}{gap}{target} EXE={PROGRAM}"),
                cmd: format!("{folder}{PROGRAM}"),
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

/// A program of a Cargo package or workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CargoProgram {
    /// The package, if it is not that of the root.
    package: Option<String>,
    name: String,
}

impl CargoProgram {
    fn path(&self) -> String {
        format!("target/release/{}", self.name)
    }

    fn convention(&self) -> Convention {
        let package = self.package.as_ref();
        let package = package.map_or_else(String::new, |package| format!(" -p {package}"));
        Convention {
            build: format!("cargo build --release{package}"),
            cmd: self.path(),
            file: "Cargo.toml".to_string(),
        }
    }
}

/// The build of the program that `cmd` names; `None` if it is a file of the revision, or
/// nothing tells how it is built.
fn build_of(files: &Files, cmd: &str) -> Option<Convention> {
    if let Some(found) = cargo_of(files, cmd) {
        return Some(found);
    }
    if files.has(split_command(cmd)?.first()?) {
        return None;
    }
    let found = makefile(files, &mut Vec::new())?;
    Some(Convention {
        cmd: cmd.to_string(),
        ..found
    })
}

/// The build of the Cargo program that `cmd` names; `None` if it names something else.
fn cargo_of(files: &Files, cmd: &str) -> Option<Convention> {
    let name = cmd
        .split_whitespace()
        .next()?
        .strip_prefix("target/release/")?;
    let root = toml::from_str(&files.text("Cargo.toml")?).ok()?;
    let mut programs = all_cargo_programs(files, &root);
    programs.retain(|program| program.name == name);
    let program = programs.into_iter().next().unwrap_or(CargoProgram {
        package: None,
        name: name.to_string(),
    });
    Some(Convention {
        cmd: cmd.to_string(),
        ..program.convention()
    })
}

/// The programs among which the one that plays cannot be told: those of the default members, or
/// else of the root's package, or else of all members. Of a package with several programs, the
/// one with the package's name.
fn cargo_programs(files: &Files) -> Vec<CargoProgram> {
    let root = files.text("Cargo.toml");
    let Some(root) = root.and_then(|text| toml::from_str::<toml::Table>(&text).ok()) else {
        return Vec::new();
    };
    let chosen = |folders: BTreeSet<String>| -> Vec<CargoProgram> {
        let programs = folders
            .iter()
            .flat_map(|folder| programs_of_member(files, folder));
        programs.collect()
    };
    let default = chosen(folders(files, &root, "default-members"));
    if !default.is_empty() {
        return default;
    }
    let own = own_programs(files, &root);
    if own.is_empty() {
        chosen(folders(files, &root, "members"))
    } else {
        own
    }
}

/// All programs of the root's package and of the members.
fn all_cargo_programs(files: &Files, root: &toml::Table) -> Vec<CargoProgram> {
    let mut all = own_programs(files, root);
    for folder in folders(files, root, "members") {
        all.extend(programs_of_member(files, &folder));
    }
    all
}

/// The programs of the root's package.
fn own_programs(files: &Files, root: &toml::Table) -> Vec<CargoProgram> {
    let program = |name| CargoProgram {
        package: None,
        name,
    };
    programs(files, "", root).into_iter().map(program).collect()
}

fn programs_of_member(files: &Files, folder: &str) -> Vec<CargoProgram> {
    let manifest = files.text(&format!("{folder}Cargo.toml"));
    let Some(manifest) = manifest.and_then(|text| toml::from_str::<toml::Table>(&text).ok()) else {
        return Vec::new();
    };
    // The root may be one of its own default members.
    let package = package_name(&manifest).filter(|_| !matches!(folder, "" | "./"));
    let program = |name| CargoProgram {
        package: package.clone(),
        name,
    };
    programs(files, folder, &manifest)
        .into_iter()
        .map(program)
        .collect()
}

/// The folders of a list of a workspace's members, each ending with a slash.
fn folders(files: &Files, root: &toml::Table, list: &str) -> BTreeSet<String> {
    let patterns = |key: &str| {
        let patterns = root.get("workspace").and_then(|it| it.get(key)?.as_array());
        let patterns = patterns.into_iter().flatten();
        patterns.filter_map(|pattern| Some(pattern.as_str()?.trim_end_matches('/')))
    };
    let excluded: Vec<&str> = patterns("exclude").collect();
    let mut folders = BTreeSet::new();
    for pattern in patterns(list) {
        folders.extend(files.matching(pattern));
    }
    folders.retain(|folder| !excluded.contains(&folder.trim_end_matches('/')));
    folders
}

fn package_name(manifest: &toml::Table) -> Option<String> {
    let name = manifest.get("package")?.get("name")?;
    name.as_str().map(str::to_string)
}

/// The programs of the package in `folder`; only the default one, or the one with the package's
/// name, if there is one.
fn programs(files: &Files, folder: &str, manifest: &toml::Table) -> Vec<String> {
    let Some(package) = manifest.get("package") else {
        return Vec::new();
    };
    if let Some(name) = package.get("default-run").and_then(toml::Value::as_str) {
        return vec![name.to_string()];
    }
    let tables = manifest.get("bin").and_then(toml::Value::as_array);
    let named = tables
        .into_iter()
        .flatten()
        .filter_map(|table| table.get("name")?.as_str().map(str::to_string));
    let mut found: BTreeSet<String> = named.collect();
    let has_main = files.text(&format!("{folder}src/main.rs")).is_some();
    if has_main && found.is_empty() {
        found.extend(package_name(manifest));
    }
    let own = files.names(&format!("{folder}src/bin/"));
    found.extend(own.iter().filter_map(|name| {
        match name.strip_suffix(".rs") {
            Some(stem) => Some(stem.to_string()),
            None => files
                .text(&format!("{folder}src/bin/{name}/main.rs"))
                .map(|_| name.clone()),
        }
    }));
    match package_name(manifest).filter(|name| found.contains(name)) {
        Some(name) => vec![name],
        None => found.into_iter().collect(),
    }
}

#[cfg(test)]
mod tests;
