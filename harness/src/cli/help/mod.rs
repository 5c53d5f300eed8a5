//! The help of the whole command line: commands grouped by task, and examples
//! at the end of every page.

#[cfg(test)]
mod advice;
mod examples;
mod exit_codes;

use std::fmt::Write as _;

use clap::builder::styling::Styles;
use clap::{Arg, Command, CommandFactory};

use self::examples::EXAMPLES;
use super::Cli;

/// The commands by task, in the order of `hone --help`.
const GROUPS: [(&str, &[&str]); 9] = [
    ("Test", &["sprt", "match", "bisect", "resume", "pool"]),
    ("Tune", &["tune"]),
    #[cfg(feature = "serve")]
    ("Watch", &["track", "serve"]),
    #[cfg(not(feature = "serve"))]
    ("Watch", &["track"]),
    ("Results", &["report", "runs", "verify", "replay"]),
    ("Prepare", &["check", "suite", "book", "builds"]),
    ("Many machines", &["fleet", "worker"]),
    ("Calculate", &["calc"]),
    ("Drop-in commands", &["fastchess", "cutechess-cli"]),
    ("Shell", &["help", "completions", "man"]),
];

/// The command line with its groups and examples.
pub(super) fn command() -> Command {
    let command = Cli::command();
    let logging: Vec<Arg> = command
        .get_arguments()
        .filter(|arg| arg.is_global_set())
        .map(|arg| arg.clone().hide_short_help(true).hide_long_help(true))
        .collect();
    let command = with_examples(command, "", &logging);
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{}\n{}\n{{options}}{{after-help}}",
        grouped(&command),
        heading("Options")
    );
    command.help_template(template)
}

fn heading(text: &str) -> String {
    let style = *Styles::default().get_header();
    format!("{style}{text}:{style:#}")
}

/// The commands by task.
fn grouped(command: &Command) -> String {
    let literal = *Styles::default().get_literal();
    let mut text = String::new();
    for (group, names) in GROUPS {
        // A build without a feature lacks its commands.
        let commands = names
            .iter()
            .filter_map(|name| Some((name, command.find_subcommand(name)?)));
        let commands: Vec<_> = commands.collect();
        if commands.is_empty() {
            continue;
        }
        let _ = write!(text, "\n{}\n", heading(group));
        for (name, sub) in commands {
            let about = sub.get_about().map(ToString::to_string);
            let about = about.unwrap_or_default();
            let _ = writeln!(text, "  {literal}{name:<13}{literal:#} {about}");
        }
    }
    text
}

/// The options of every command, whose meaning the help of `hone` itself has.
const LOGGING: &str = "-v, -vv, --log FILE, --log-level LEVEL (see `hone --help`)";

/// Adds exit codes and examples. The options `logging` of the commands below have one line.
fn with_examples(mut command: Command, path: &str, logging: &[Arg]) -> Command {
    let names: Vec<String> = command
        .get_subcommands()
        .map(|sub| sub.get_name().to_string())
        .collect();
    for name in names {
        let below = format!("{path} {name}").trim_start().to_string();
        command = command.mut_subcommand(name, |sub| {
            with_examples(sub.args(logging), &below, logging)
        });
    }
    let line = (!path.is_empty()).then(|| format!("{} {LOGGING}", heading("Logging")));
    let codes = exit_codes::of(path).map(|codes| exit_codes_text(&codes));
    let examples = EXAMPLES.iter().find(|(name, _)| *name == path);
    let examples = examples.map(|(_, examples)| examples_text(examples));
    let texts = line.into_iter().chain(codes).chain(examples);
    let texts: Vec<String> = texts.collect();
    if texts.is_empty() {
        command
    } else {
        command.after_help(texts.join("\n\n"))
    }
}

fn exit_codes_text(codes: &[(u8, &str)]) -> String {
    let lines = codes
        .iter()
        .map(|(code, meaning)| format!("\n  {code:>3}  {meaning}"));
    format!("{}{}", heading("Exit codes"), lines.collect::<String>())
}

/// The first example of the command whose usage, as in `hone calc elo <ARGUMENT>`, is given.
pub(super) fn example_of(usage: &str) -> Option<&'static str> {
    let is_name = |word: &&str| {
        word.bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    };
    let names: Vec<&str> = usage
        .split(' ')
        .skip(1)
        .take_while(|word| is_name(word) && !word.starts_with('-'))
        .collect();
    let (_, examples) = EXAMPLES.iter().find(|(name, _)| *name == names.join(" "))?;
    examples.first().map(|(_, line)| *line)
}

/// The examples of a command that was called as `called`, in place of `hone PATH`.
pub(super) fn examples_as(path: &str, called: &str) -> String {
    let (_, examples) = EXAMPLES
        .iter()
        .find(|(name, _)| *name == path)
        .expect("every command has examples");
    examples_text(examples).replace(&format!("hone {path}"), called)
}

fn examples_text(examples: &[(&str, &str)]) -> String {
    let lines: Vec<String> = examples
        .iter()
        .map(|(what, line)| {
            let colon = if what.ends_with('?') { "" } else { ":" };
            format!("  {what}{colon}\n    {}", broken(line))
        })
        .collect();
    format!("{}\n{}", heading("Examples"), lines.join("\n"))
}

/// Maximum width of an example in one line.
const WIDTH: usize = 74;

/// Breaks a long command into several lines with backslashes, so that it can be copied.
fn broken(line: &str) -> String {
    let mut text = String::new();
    let mut width = 0;
    for (number, part) in line.split(" -").enumerate() {
        if number > 0 {
            let is_full = width + part.len() + 3 > WIDTH;
            text.push_str(if is_full { " \\\n      -" } else { " -" });
            width = if is_full { 4 } else { width + 3 };
        }
        text.push_str(part);
        width += part.len();
    }
    text
}

// A build without a feature lacks commands.
#[cfg(all(test, feature = "fleet", feature = "serve"))]
mod tests {
    use super::*;

    #[test]
    fn long_examples_can_be_copied() {
        let line = EXAMPLES[1].1[1].1;
        let broken = broken(line);
        assert!(broken.lines().count() > 1 && broken.lines().all(|line| line.len() < 80));
        assert_eq!(
            shlex::split(&broken.replace("\\\n", "")),
            shlex::split(line)
        );
    }

    /// All visible commands, by their paths.
    fn paths(command: &Command, path: &str, all: &mut Vec<String>) {
        all.push(path.to_string());
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let below = format!("{path} {}", sub.get_name());
            paths(sub, below.trim_start(), all);
        }
    }

    #[test]
    fn every_command_has_a_group_and_examples() {
        let mut all = Vec::new();
        paths(&Cli::command(), "", &mut all);
        let mut explained: Vec<&str> = EXAMPLES.iter().map(|(path, _)| *path).collect();
        all.sort_unstable();
        explained.sort_unstable();
        assert_eq!(all, explained);
        for (path, examples) in EXAMPLES {
            assert!((2..=3).contains(&examples.len()), "{path}");
        }
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        grouped.sort_unstable();
        let first = all
            .iter()
            .filter(|path| !path.is_empty() && !path.contains(' '));
        assert_eq!(first.collect::<Vec<_>>(), grouped);
    }

    #[test]
    fn every_command_lists_its_exit_codes() {
        let mut all = Vec::new();
        paths(&Cli::command(), "", &mut all);
        // Those of other programs have the codes of these programs.
        all.retain(|path| !["", "fastchess", "cutechess-cli"].contains(&path.as_str()));
        for path in &all {
            let codes = exit_codes::of(path).expect(path);
            assert!(codes.iter().map(|(code, _)| code).is_sorted(), "{path}");
            assert!(codes.iter().any(|(code, _)| *code == 2), "{path}");
        }
        assert!(exit_codes::named().all(|name| all.iter().any(|path| path == name)));
    }

    #[test]
    fn examples_are_valid() {
        for (path, examples) in EXAMPLES {
            for (_, line) in *examples {
                let line = line.split(['|', '>']).next().unwrap_or_default();
                let words = shlex::split(line).expect("quotes match");
                let parsed = command().try_get_matches_from(&words);
                assert!(parsed.is_ok(), "{path}: {line}: {:?}", parsed.err());
            }
        }
    }

    /// The width is that of an output that is not a terminal.
    #[test]
    fn help_of_every_command() {
        let mut all = Vec::new();
        paths(&Cli::command(), "", &mut all);
        let mut root = command().term_width(100);
        root.build();
        for path in all {
            let names = path.split(' ').filter(|name| !name.is_empty());
            let command = names.fold(&mut root, |command, name| {
                command.find_subcommand_mut(name).expect("a command")
            });
            let name = format!("hone {path}").trim_end().replace(' ', "-");
            let text = command.render_long_help().to_string();
            hone_testing::snapshots(&[]).bind(|| insta::assert_snapshot!(name, text));
        }
    }
}
