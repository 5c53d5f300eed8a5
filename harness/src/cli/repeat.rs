//! The command line that repeats a run.

use std::fs;
use std::path::Path;

use anyhow::Context;

use hone_base::platform::{quoted, write_whole};
use hone_builds::Spec;
#[cfg(feature = "fleet")]
use hone_fleet::Access;
use hone_run::Manifest;

/// File in a run's folder with the command that repeats the run, for `hone resume` and
/// `hone pool`.
const COMMAND: &str = "command.txt";

/// Writes the command that repeats the run into its folder.
///
/// # Errors
/// If it cannot be written.
pub(in crate::cli) fn keep(folder: &Path, command: &str) -> anyhow::Result<()> {
    let path = folder.join(COMMAND);
    write_whole(&path, |file| {
        file.write_all(format!("{command}\n").as_bytes())
    })
    .with_context(|| format!("cannot write {}", path.display()))
}

/// The command that repeats the run in a folder, with its present number of pairs. `None` for
/// older runs and for runs that other commands have started.
pub(in crate::cli) fn kept(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join(COMMAND)).ok()?;
    let command = text.trim_end();
    let pairs = Manifest::read(folder).ok().and_then(|run| run.pairs);
    Some(match pairs {
        None => command.to_string(),
        Some(pairs) => with_pairs(command, pairs),
    })
}

fn with_pairs(command: &str, pairs: u64) -> String {
    let words = shlex::split(command).unwrap_or_default();
    let mut words = without(&words, &["--pairs", "--rounds"]);
    words.extend(["--pairs".to_string(), pairs.to_string()]);
    joined(&words)
}

/// The command that plays all pairs of a run, of which `command` plays a shard.
pub(in crate::cli) fn undivided(command: &str) -> String {
    let words = shlex::split(command).unwrap_or_default();
    joined(&without(&words, &["--shard"]))
}

/// The command line that repeats this one, with the commits of the run, if it has begun.
pub(in crate::cli) fn repeating(manifest: Option<&Manifest>) -> String {
    // Paths need not be UTF-8.
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let engines = manifest.map_or(&[][..], |manifest| &manifest.engines);
    let commits: Vec<_> = engines.iter().map(|engine| engine.commit.clone()).collect();
    let bisect = manifest.and_then(|manifest| manifest.config.bisect.as_ref());
    let skipped = bisect.map_or(&[][..], |section| &section.skip);
    pinned_line(&arguments, &commits, skipped)
}

/// A command line with these arguments, in which branches and `HEAD` are replaced by the
/// commits that were built. `commits` are those of the run's engines, in order; for a
/// bisection, those of its whole history, in which `skipped` names the commits left out.
fn pinned_line(arguments: &[String], commits: &[Option<String>], skipped: &[String]) -> String {
    let mut words = vec!["hone".to_string()];
    // Their values are paths on this machine; but `hone track --out` names the table.
    let paths: &[&str] = match arguments.first().map(String::as_str) {
        Some("track") => &["--summary"],
        _ => &["--out", "--summary"],
    };
    let arguments = &without(arguments, paths);
    let pinned = match arguments.first().map(String::as_str) {
        Some("bisect") => bisection(arguments, commits, skipped),
        Some("match") => engines(arguments, commits),
        _ => sides(arguments, commits),
    };
    words.extend(pinned.into_iter().map(without_credential));
    joined(&words)
}

/// The command line that resumes the run in a folder.
pub(in crate::cli) fn resuming(folder: &Path) -> String {
    format!("hone resume {}", quoted(folder))
}

fn joined(words: &[String]) -> String {
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

/// The arguments without these options and their values.
fn without(arguments: &[String], options: &[&str]) -> Vec<String> {
    let mut words = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let (option, value) = match argument.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (argument.as_str(), None),
        };
        if !options.contains(&option) {
            words.push(argument.clone());
        } else if value.is_none() {
            arguments.next();
        }
    }
    words
}

/// Removes a credential from an argument: the command line is shown to others, and a
/// credential allows starting programs on the fleet.
fn without_credential(argument: String) -> String {
    #[cfg(feature = "fleet")]
    if let Some(fleet) = argument.strip_prefix("--fleet=")
        && Access::is_line(fleet)
    {
        return "--fleet".to_string();
    }
    argument
}

/// The engines of `--dev` and `--base`.
fn sides(arguments: &[String], commits: &[Option<String>]) -> Vec<String> {
    with_values(arguments, |flag, value| {
        let side = match flag {
            "--dev" => 0,
            "--base" => 1,
            _ => return None,
        };
        pinned(value, commits.get(side)?.as_deref()?)
    })
}

/// Replaces the revisions of operands `git:…` by commits. Operands `worktree:` stay, because
/// their commit lacks the uncommitted changes.
fn engines(arguments: &[String], commits: &[Option<String>]) -> Vec<String> {
    let mut built = commits.iter().flatten();
    let words = arguments.iter().map(|argument| {
        let is_built = ["git:", "worktree:"]
            .iter()
            .any(|prefix| argument.starts_with(prefix));
        let commit = is_built.then(|| built.next()).flatten();
        commit.and_then(|commit| pinned(argument, commit))
    });
    let words = words.zip(arguments);
    words
        .map(|(pinned, argument)| pinned.unwrap_or_else(|| argument.clone()))
        .collect()
}

/// Replaces both ends of a bisection's history and the skipped commits, which a configuration
/// may name too.
fn bisection(arguments: &[String], commits: &[Option<String>], skipped: &[String]) -> Vec<String> {
    let ends = [("--good", commits.first()), ("--bad", commits.last())];
    let ends = ends
        .into_iter()
        .filter_map(|(flag, commit)| Some((flag, commit?.as_ref()?)));
    let mut missing: Vec<(&str, &String)> = ends
        .chain(skipped.iter().map(|commit| ("--skip", commit)))
        .collect();
    let mut words = with_values(arguments, |flag, _| {
        let at = missing.iter().position(|(end, _)| *end == flag)?;
        Some(missing.remove(at).1.clone())
    });
    for (flag, commit) in missing {
        words.extend([flag.to_string(), commit.clone()]);
    }
    words
}

/// The arguments, with the values of options replaced where `replace` returns another one.
fn with_values(
    arguments: &[String],
    mut replace: impl FnMut(&str, &str) -> Option<String>,
) -> Vec<String> {
    let mut words = Vec::new();
    let mut arguments = arguments.iter().peekable();
    while let Some(argument) = arguments.next() {
        let (flag, joined) = match argument.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (argument.as_str(), None),
        };
        let value = joined.or(arguments.peek().map(|next| next.as_str()));
        let new = value.filter(|_| flag.starts_with("--"));
        match new.and_then(|value| replace(flag, value)) {
            Some(new) => {
                words.extend([flag.to_string(), new]);
                if joined.is_none() {
                    arguments.next();
                }
            }
            None => words.push(argument.clone()),
        }
    }
    words
}

/// An engine of the command line with its commit; `None` if it is not built from one.
fn pinned(engine: &str, commit: &str) -> Option<String> {
    match engine.parse() {
        Ok(Spec::Commit { repository, .. }) => {
            Some(format!("git:{}@{commit}", repository.display()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeated(line: &str, commits: &[&str]) -> String {
        let arguments: Vec<String> = shlex::split(line).expect("words");
        let commits: Vec<Option<String>> = commits
            .iter()
            .map(|commit| (!commit.is_empty()).then(|| commit.to_string()))
            .collect();
        pinned_line(&arguments, &commits, &[])
    }

    #[test]
    fn the_command_to_repeat_names_commits() {
        for (line, commits, expected) in [
            (
                "sprt --dev git:HEAD --base=git:../r@main --build 'make EXE={out}'",
                &["c1", "c2"][..],
                "hone sprt --dev git:.@c1 --base git:../r@c2 --build 'make EXE={out}'",
            ),
            ("sprt --dev git:HEAD", &[""], "hone sprt --dev git:HEAD"),
            (
                "sprt --dev worktree: --base git:main",
                &["c1", "c2"],
                "hone sprt --dev worktree: --base git:.@c2",
            ),
            (
                "match ./a git:main --limit 8+0.08 worktree: git:../r@v1",
                &["", "c1", "c2", "c3"],
                "hone match ./a git:.@c1 --limit 8+0.08 worktree: git:../r@c3",
            ),
            ("match a.toml --json", &["", ""], "hone match a.toml --json"),
            (
                "bisect --good=v1 --limit 8+0.08 --bad main",
                &["c1", "c2", "c3"],
                "hone bisect --good c1 --limit 8+0.08 --bad c3",
            ),
            (
                "bisect my.toml --json",
                &["c1", "c2"],
                "hone bisect my.toml --json --good c1 --bad c2",
            ),
            ("resume latest", &["c1", "c2"], "hone resume latest"),
            (
                "track a.toml --out results/deep --summary s.md",
                &[],
                "hone track a.toml --out results/deep",
            ),
            (
                "sprt --out runs/x --dev git:HEAD --summary=s.md --base ./b --out=y --summary z.md",
                &["c1", ""],
                "hone sprt --dev git:.@c1 --base ./b",
            ),
            #[cfg(feature = "fleet")]
            (
                "sprt a.toml --fleet=hone1.c2VjcmV0",
                &[],
                "hone sprt a.toml --fleet",
            ),
            (
                "match a.toml --fleet=fleet.toml",
                &[],
                "hone match a.toml '--fleet=fleet.toml'",
            ),
        ] {
            assert_eq!(repeated(line, commits), expected, "{line}");
        }
    }

    #[test]
    fn the_command_of_a_shard_plays_all_pairs_in_a_pool() {
        for line in [
            "hone sprt a.toml --shard 1/4 --set 'x=a b'",
            "hone sprt a.toml --set 'x=a b' --shard=1/4",
        ] {
            assert_eq!(undivided(line), "hone sprt a.toml --set 'x=a b'", "{line}");
        }
    }

    #[test]
    fn the_command_to_repeat_a_bisection_names_what_is_skipped() {
        let commits = ["c1", "c2", "c3"].map(|commit| Some(commit.to_string()));
        let skipped = ["c2".to_string()];
        for (line, expected) in [
            (
                "bisect --skip wip --good v1 --bad main",
                "hone bisect --skip c2 --good c1 --bad c3",
            ),
            (
                "bisect my.toml --bad main",
                "hone bisect my.toml --bad c3 --good c1 --skip c2",
            ),
        ] {
            let arguments = shlex::split(line).expect("words");
            assert_eq!(pinned_line(&arguments, &commits, &skipped), expected);
        }
    }
}
