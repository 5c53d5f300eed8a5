//! The help of the whole command line: commands grouped by task, and examples
//! at the end of every page.

use std::fmt::Write as _;

use clap::builder::styling::Styles;
use clap::{Command, CommandFactory};

use super::Cli;

/// The commands by task, in the order of `hone --help`.
const GROUPS: [(&str, &[&str]); 8] = [
    ("Test", &["sprt", "match", "bisect", "resume"]),
    ("Tune", &["tune"]),
    ("Watch", &["track"]),
    ("Look", &["report", "runs", "verify", "replay"]),
    ("Prepare", &["check", "suite", "book", "builds"]),
    ("Calculate", &["calc"]),
    ("Replace", &["fastchess", "cutechess-cli"]),
    ("Shell", &["completions", "man"]),
];

/// Examples of each command, `sprt` or `book make`: what it does, and how.
const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "",
        &[
            (
                "Is the working tree stronger than main?",
                "hone sprt --dev worktree: --base git:main --build 'make EXE={out}' --limit 8+0.08 --book books/balanced.epd",
            ),
            (
                "Tune the parameters of an engine",
                "hone tune configs/tune.toml",
            ),
            ("Show the result of a run", "hone report results/RUN"),
        ],
    ),
    (
        "sprt",
        &[
            (
                "Test two programs, without a configuration",
                "hone sprt --dev ./new --base ./old --limit 8+0.08 --book books/balanced.epd",
            ),
            (
                "Test the working tree against a commit",
                "hone sprt --dev worktree: --base git:main --build 'make EXE={out}' --limit nodes=20000 --book books/balanced.epd",
            ),
            (
                "Test as configured, with another value",
                "hone sprt configs/sprt.toml --set sprt.elo1=3",
            ),
        ],
    ),
    (
        "match",
        &[
            (
                "Play a match as configured",
                "hone match configs/gauntlet.toml",
            ),
            (
                "Play a round robin of three programs",
                "hone match ./a ./b ./c --limit 8+0.08 --book books/balanced.epd --pairs 100",
            ),
            (
                "Play a commit against a release, built with the repository's makefile",
                "hone match git:main git:v1.0 --limit nodes=20000 --book books/balanced.epd",
            ),
        ],
    ),
    (
        "fastchess",
        &[
            (
                "Play as fastchess does",
                "hone fastchess -engine cmd=./new -engine cmd=./old -each tc=8+0.08 -openings file=books/balanced.epd order=random -rounds 100 -repeat",
            ),
            (
                "Show the configuration for hone",
                "hone fastchess -engine cmd=./new -engine cmd=./old -each nodes=5000 --explain",
            ),
        ],
    ),
    (
        "cutechess-cli",
        &[
            (
                "Play as cutechess-cli does",
                "hone cutechess-cli -engine cmd=./new -engine cmd=./old -each tc=8+0.08 -openings file=books/balanced.epd format=epd -games 2 -rounds 100 -repeat",
            ),
            (
                "Show the configuration for hone",
                "hone cutechess-cli -engine cmd=./new -engine cmd=./old -each tc=8+0.08 -games 100 --explain",
            ),
        ],
    ),
    (
        "bisect",
        &[
            (
                "Find the commit that lost Elo since a release",
                "hone bisect --good v1.0 --bad main --limit nodes=20000 --book books/balanced.epd",
            ),
            (
                "The same as configured",
                "hone bisect configs/bisect.toml --good v1.0 --bad main",
            ),
            (
                "Find the commit that gained Elo, within eight hours",
                "hone bisect configs/bisect.toml --good v1.0 --bad main --gained --max-time 8h",
            ),
        ],
    ),
    (
        "resume",
        &[
            ("Resume an interrupted run", "hone resume results/RUN"),
            (
                "Resume the newest run for one hour",
                "hone resume latest --max-time 1h",
            ),
            (
                "Test the values of a tuning that has ended",
                "hone resume results/RUN --verify",
            ),
        ],
    ),
    (
        "tune",
        &[
            (
                "Show what would be tuned, without playing",
                "hone tune configs/tune.toml --dry-run",
            ),
            (
                "Tune, then test the tuned values against the start",
                "hone tune configs/tune.toml --verify",
            ),
        ],
    ),
    (
        "track",
        &[
            ("Play the newest commit", "hone track configs/nightly.toml"),
            (
                "Play every commit since a release",
                "hone track configs/nightly.toml --since v1.0",
            ),
        ],
    ),
    (
        "report",
        &[
            ("Show the result of the newest run", "hone report latest"),
            (
                "Write a self-contained HTML page",
                "hone report results/RUN --html report.html",
            ),
            ("Show the nights of `hone track`", "hone report results"),
        ],
    ),
    (
        "runs",
        &[
            ("List the runs in results/", "hone runs"),
            (
                "List those of another folder as JSON",
                "hone runs other/results --json",
            ),
        ],
    ),
    (
        "verify",
        &[
            ("Check a run", "hone verify results/RUN"),
            (
                "Print only the digest",
                "hone verify results/RUN | tail -n 1",
            ),
        ],
    ),
    (
        "replay",
        &[
            (
                "Repeat a failure",
                "hone replay results/RUN/failures/pair-1-game-1",
            ),
            (
                "Repeat it up to 20 times and show the UCI dialogue",
                "hone replay results/RUN/failures/pair-1-game-1 --times 20 --dialogue",
            ),
        ],
    ),
    (
        "check",
        &[
            ("Check an engine", "hone check ./engine"),
            (
                "Check it with an option set, and show the dialogue",
                "hone check ./engine --option Hash=16 --dialogue",
            ),
        ],
    ),
    (
        "suite",
        &[
            (
                "Solve the positions at one second each",
                "hone suite wac.epd --engine ./engine",
            ),
            (
                "Compare two engines at a fixed number of nodes",
                "hone suite wac.epd --engine ./new --compare ./old --nodes 1000000",
            ),
            (
                "List the positions that are not solved",
                "hone suite wac.epd --engine ./engine --failures",
            ),
        ],
    ),
    (
        "book",
        &[
            ("Describe a book", "hone book info books/balanced.epd"),
            (
                "Make a book of 1000 balanced positions",
                "hone book make --engine ./engine --out book.epd",
            ),
        ],
    ),
    (
        "book info",
        &[
            ("Describe a book", "hone book info books/balanced.epd"),
            (
                "Evaluate each opening with an engine, and draw the scores",
                "hone book info books/balanced.epd --engine ./engine --svg scores.svg",
            ),
        ],
    ),
    (
        "book make",
        &[
            (
                "Make a book of 1000 balanced positions",
                "hone book make --engine ./engine --out book.epd",
            ),
            (
                "Make an unbalanced book from games",
                "hone book make --engine ./engine --pgn games.pgn --window 80..120 --out unbalanced.epd",
            ),
        ],
    ),
    (
        "book convert",
        &[
            (
                "Convert a Polyglot book to EPD",
                "hone book convert book.bin --plies 8 --out book.epd",
            ),
            (
                "Join two books, shuffle them, and keep each position once",
                "hone book convert a.epd b.pgn --unique --shuffle 1 --out both.epd",
            ),
        ],
    ),
    (
        "book worth",
        &[
            (
                "Compare the books of two runs",
                "hone book worth results/RUN-A results/RUN-B",
            ),
            (
                "Write the book without openings that never decided a pair",
                "hone book worth results/RUN --min-pairs 5 --prune pruned.epd",
            ),
        ],
    ),
    (
        "builds",
        &[
            ("List the cached builds", "hone builds"),
            (
                "Remove those that were not used for 30 days",
                "hone builds prune --older-than 30d",
            ),
        ],
    ),
    (
        "builds prune",
        &[
            (
                "Remove builds that were not used for 30 days",
                "hone builds prune --older-than 30d",
            ),
            ("Remove all builds", "hone builds prune --all"),
        ],
    ),
    (
        "calc",
        &[
            (
                "Elo of a match, from its pentanomial counts",
                "hone calc elo --pentanomial 12,80,200,95,13",
            ),
            (
                "How many games does a test of [0, 3] need?",
                "hone calc plan --elo0 0 --elo1 3",
            ),
        ],
    ),
    (
        "calc elo",
        &[
            (
                "From pairs: LL,LD,DD+WL,WD,WW",
                "hone calc elo --pentanomial 12,80,200,95,13",
            ),
            (
                "From games: wins,draws,losses, as fastchess computes it",
                "hone calc elo --wdl 512,1203,478 --definition fastchess",
            ),
        ],
    ),
    (
        "calc sprt",
        &[
            (
                "LLR and verdict of counts",
                "hone calc sprt --pentanomial 12,80,200,95,13 --elo0 0 --elo1 5",
            ),
            (
                "The same with logistic Elo, as JSON",
                "hone calc sprt --pentanomial 12,80,200,95,13 --elo0 0 --elo1 5 --model logistic --json",
            ),
        ],
    ),
    (
        "calc plan",
        &[
            (
                "How many games does a test of [0, 3] need?",
                "hone calc plan --elo0 0 --elo1 3",
            ),
            (
                "The same at a draw ratio of 60 %",
                "hone calc plan --elo0 0 --elo1 3 --draw-ratio 60%",
            ),
            (
                "The same from the pairs of an earlier run, with a chart",
                "hone calc plan --elo0 0 --elo1 3 --run results/RUN --svg plan.svg",
            ),
        ],
    ),
    (
        "calc simulate",
        &[
            (
                "Pass probability and length at a true strength of 2 Elo",
                "hone calc simulate --elo 2 --elo0 0 --elo1 5 --draw-ratio 0.6",
            ),
            (
                "False-positive rate: the true strength is elo0",
                "hone calc simulate --elo 0 --elo0 0 --elo1 5 --draw-ratio 0.6 --runs 100000",
            ),
        ],
    ),
    (
        "calc rate",
        &[
            ("Rate the players of a PGN", "hone calc rate games.pgn"),
            (
                "Rate a run and a PGN together, with one engine fixed at 3000",
                "hone calc rate results/RUN games.pgn --anchor Stillwater=3000",
            ),
        ],
    ),
    (
        "completions",
        &[
            (
                "Install completions for bash",
                "hone completions bash > ~/.local/share/bash-completion/completions/hone",
            ),
            (
                "Install completions for zsh",
                "hone completions zsh > ~/.zfunc/_hone",
            ),
        ],
    ),
    (
        "man",
        &[
            (
                "Install the manual pages of all commands",
                "hone man --out ~/.local/share/man/man1",
            ),
            ("Read it at once", "hone man | man -l -"),
        ],
    ),
];

/// The command line with its groups and examples.
pub(super) fn command() -> Command {
    let command = with_examples(Cli::command(), "");
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
        let _ = write!(text, "\n{}\n", heading(group));
        for name in names {
            let Some(sub) = command.find_subcommand(name) else {
                continue;
            };
            let about = sub.get_about().map(ToString::to_string);
            let about = about.unwrap_or_default();
            let _ = writeln!(text, "  {literal}{name:<12}{literal:#} {about}");
        }
    }
    text
}

fn with_examples(mut command: Command, path: &str) -> Command {
    let names: Vec<String> = command
        .get_subcommands()
        .map(|sub| sub.get_name().to_string())
        .collect();
    for name in names {
        let below = format!("{path} {name}").trim_start().to_string();
        command = command.mut_subcommand(name, |sub| with_examples(sub, &below));
    }
    let examples = EXAMPLES.iter().find(|(name, _)| *name == path);
    match examples {
        Some((_, examples)) => command.after_help(examples_text(examples)),
        None => command,
    }
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

/// The width up to which an example stays in one line.
const WIDTH: usize = 74;

/// A long command in several lines, each but the last ended by a backslash, so
/// that it can be copied.
fn broken(line: &str) -> String {
    let mut text = String::new();
    let mut width = 0;
    for (number, part) in line.split(" --").enumerate() {
        if number > 0 {
            let is_full = width + part.len() + 3 > WIDTH;
            text.push_str(if is_full { " \\\n      --" } else { " --" });
            width = if is_full { 4 } else { width + 3 };
        }
        text.push_str(part);
        width += part.len();
    }
    text
}

#[cfg(test)]
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

    #[test]
    fn the_groups_stand_in_the_help() {
        let help = command().render_help().to_string();
        for (group, _) in GROUPS {
            assert!(help.contains(&format!("\n{group}:\n  ")), "{help}");
        }
        assert!(help.contains("Examples:\n  Is the working tree"), "{help}");
    }
}
