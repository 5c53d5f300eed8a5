//! Short names of engines that tell them apart.

use std::path::Path;

use crate::git::{Repository, short_id};
use crate::recipe::Spec;
use crate::source::is_commit_id;
use hone_uci::engine::uci::{program_file, program_name};

/// A name for each engine: of a commit its revision, with its repository if there are several;
/// of a program its file name, with its folder if this name is in several folders. Engines that
/// differ in neither have the same name. The paths of a program start from the folder beside it.
pub fn names(engines: &[(Spec, &Path)]) -> Vec<String> {
    let mut repositories = engines.iter().filter_map(|(spec, _)| repository(spec));
    let first = repositories.next();
    let are_several = repositories.any(|other| Some(other) != first);
    let names = engines
        .iter()
        .map(|(spec, dir)| name(spec, dir, are_several));
    let mut names: Vec<String> = names.collect();
    let folders = engines.iter().map(|(spec, dir)| folder(spec, dir));
    let places: Vec<_> = names.iter().cloned().zip(folders).collect();
    for (name, (plain, folder)) in names.iter_mut().zip(&places) {
        let is_elsewhere = places
            .iter()
            .any(|(other, elsewhere)| other == plain && elsewhere != folder);
        if let Some(folder) = folder.as_deref().filter(|_| is_elsewhere) {
            *name = format!("{folder}/{plain}");
        }
    }
    names
}

fn repository(spec: &Spec) -> Option<&Path> {
    match spec {
        Spec::Commit { repository, .. } | Spec::WorkTree { repository } => Some(repository),
        Spec::Program(_) => None,
    }
}

fn name(spec: &Spec, dir: &Path, with_repository: bool) -> String {
    let (repository, revision) = match spec {
        Spec::Commit { repository, rev } => (repository, revision(repository, rev)),
        Spec::WorkTree { repository } => (repository, "worktree".to_string()),
        Spec::Program(program) => return program_name(program, dir),
    };
    match last_name(repository).filter(|_| with_repository) {
        Some(repository) => format!("{repository}@{revision}"),
        None => revision,
    }
}

/// The revision; the commit that it is now, if that depends on what is checked out.
fn revision(repository: &Path, rev: &str) -> String {
    if is_commit_id(rev) {
        return short_id(rev).to_string();
    }
    let is_relative = rev == "@"
        || ["HEAD", "@~", "@^"]
            .iter()
            .any(|head| rev.starts_with(head));
    let commit = is_relative
        .then(|| Repository::open(repository).ok()?.commit(rev).ok())
        .flatten();
    commit.map_or_else(|| rev.to_string(), |commit| commit.short().to_string())
}

/// The name of a repository's folder, without the ending of a bare one.
fn last_name(repository: &Path) -> Option<String> {
    let path = repository.canonicalize();
    let name = path.as_deref().unwrap_or(repository).file_name()?;
    let name = name.to_string_lossy();
    Some(name.strip_suffix(".git").unwrap_or(&name).to_string())
}

/// The name of the folder that a program is in.
fn folder(spec: &Spec, dir: &Path) -> Option<String> {
    let Spec::Program(program) = spec else {
        return None;
    };
    last_name(dir.join(program_file(program, dir)).parent()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(specs: &[&str]) -> Vec<String> {
        let specs = specs.iter().map(|spec| spec.parse().expect(spec));
        names(&specs.map(|spec| (spec, Path::new(""))).collect::<Vec<_>>())
    }

    #[test]
    fn engines_are_named_after_what_tells_them_apart() {
        for (specs, names) in [
            (["git:v1", "git:main"], ["v1", "main"]),
            (
                ["git:/no/carp@v1", "git:/no/weiss.git@v1"],
                ["carp@v1", "weiss@v1"],
            ),
            (["worktree:", "git:main"], ["worktree", "main"]),
            (["worktree:/no/a", "git:/no/b@v2"], ["a@worktree", "b@v2"]),
            (["./new", "./old"], ["new", "old"]),
            (
                ["/no/new/engine", "/no/old/engine"],
                ["new/engine", "old/engine"],
            ),
            (["/no/engine", "git:main"], ["engine", "main"]),
            (["git:/no/a@HEAD", "git:/no/b@HEAD"], ["a@HEAD", "b@HEAD"]),
            (["git:/no/a@v1", "worktree:/no/a"], ["v1", "worktree"]),
            (["git:/no/a@v1", "/no/a/engine"], ["v1", "engine"]),
            (
                ["no/new/engine --uci", "'no/my old/engine'"],
                ["new/engine", "my old/engine"],
            ),
            (
                ["git:0123456789012345678901234567890123456789", "git:main"],
                ["0123456789", "main"],
            ),
            // Nothing tells them apart.
            (["git:v1", "git:v1"], ["v1", "v1"]),
            (["/no/old/engine", "/no/old/engine"], ["engine", "engine"]),
        ] {
            assert_eq!(named(&specs), names);
        }
    }

    #[test]
    fn head_is_named_after_its_commit() {
        let folder = tempfile::tempdir().expect("a folder");
        let git = |args: &[&str]| {
            let mut command = crate::git::git(folder.path());
            command.args(["-c", "user.name=a", "-c", "user.email=a@b"]);
            crate::git::succeed(command.args(args)).expect("git works")
        };
        git(&["init", "--quiet"]);
        git(&["commit", "--quiet", "--allow-empty", "-m", "One"]);
        let commit = git(&["rev-parse", "HEAD"]);
        let spec = format!("git:{}@HEAD", folder.path().display());
        let names = named(&[&spec, "./old"]);
        assert!(
            names[0].len() >= 7 && commit.starts_with(&names[0]),
            "{names:?}"
        );
    }
}
