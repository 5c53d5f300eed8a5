//! The command line that repeats a run.

use crate::builds::Spec;

/// A command line that repeats this one: branches and `HEAD` are replaced by
/// the commits that were built.
pub(super) fn repeating(arguments: &[String], commits: &[Option<String>]) -> String {
    let mut words = vec!["hone".to_string()];
    let mut arguments = arguments.iter().peekable();
    while let Some(argument) = arguments.next() {
        let (flag, joined) = match argument.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_string())),
            None => (argument.as_str(), None),
        };
        let side = match flag {
            "--dev" => 0,
            "--base" => 1,
            _ => {
                words.push(argument.clone());
                continue;
            }
        };
        let Some(value) = joined.or_else(|| arguments.next().cloned()) else {
            continue;
        };
        words.push(flag.to_string());
        words.push(match (value.parse(), commits.get(side)) {
            (Ok(Spec::Commit { repository, .. }), Some(Some(commit))) => {
                format!("git:{}@{commit}", repository.display())
            }
            _ => value,
        });
    }
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_to_repeat_names_commits() {
        let arguments = [
            "sprt",
            "--dev",
            "git:HEAD",
            "--base=git:../r@main",
            "--build",
            "make EXE={out}",
        ];
        let arguments = arguments.map(str::to_string);
        let commits = [Some("c1".to_string()), Some("c2".to_string())];
        assert_eq!(
            repeating(&arguments, &commits),
            "hone sprt --dev git:.@c1 --base git:../r@c2 --build 'make EXE={out}'"
        );
        let unknown = repeating(&arguments[..3], &[None]);
        assert_eq!(unknown, "hone sprt --dev git:HEAD");
    }
}
