//! `hone help`: the help of a command, or a page of the manual, which is the
//! folder `docs/`.

use std::fmt::Write as _;

use anyhow::bail;
use clap::Args;

use super::{Exit, Failure, help};
use crate::output::nearest;

/// Show the help of a command or a page of the manual.
///
/// Without arguments it lists the topics. The pages are those of the folder
/// `docs` of the source, so that they can be read without it.
#[derive(Debug, Args)]
pub(super) struct HelpArgs {
    /// A command, as in `calc sprt`, or a topic.
    #[arg(value_name = "TOPIC")]
    words: Vec<String>,
}

/// A page of `docs/`: its topic and its text.
macro_rules! pages {
    ($($topic:literal)*) => {
        [$(($topic, include_str!(concat!("../../../docs/", $topic, ".md")))),*]
    };
}

/// All pages, in the order of the manual.
const PAGES: [(&str, &str); 26] = pages!(
    "playing" "configuration" "reliability" "shards" "fleet" "serve" "ci" "coming-from" "bisect" "tuning"
    "tuning-results" "tracking" "reports" "books" "builds" "statistics" "install" "parameters" "designs"
    "strength" "strength-history" "training" "performance" "architecture" "robustness" "sources"
);

impl HelpArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        match self.words.as_slice() {
            [] => {
                out!("{}", help::command().render_help());
                outln!("\n{}", topics());
            }
            words => out!("{}", self::text(words)?),
        }
        Ok(Exit::Done)
    }
}

/// The topics with the titles of their pages.
fn topics() -> String {
    let mut text = String::from("Topics (`hone help TOPIC`):\n");
    for (topic, page) in PAGES {
        let title = page.lines().next().unwrap_or_default();
        let _ = writeln!(text, "  {topic:<16} {}", title.trim_start_matches("# "));
    }
    text
}

/// The help of the command and the page that the words name; both if there are
/// both.
fn text(words: &[String]) -> anyhow::Result<String> {
    let mut command = help::command();
    command.build();
    let mut found = Some(&mut command);
    for word in words {
        found = found.and_then(|command| command.find_subcommand_mut(word));
    }
    let help = found.map(|command| command.render_long_help().to_string());
    let name = words.join(" ");
    let page = PAGES.iter().find(|(topic, _)| *topic == name);
    let page = page.map(|(_, page)| (*page).to_string());
    let texts: Vec<String> = help.into_iter().chain(page).collect();
    if !texts.is_empty() {
        return Ok(texts.join("\n"));
    }
    let topics = PAGES.map(|(topic, _)| topic);
    let help = match nearest(&name, topics.into_iter()) {
        Some(topic) => format!("did you mean `{topic}`?"),
        None => format!("topics are {}", topics.join(", ")),
    };
    bail!("`{name}` is neither a command nor a topic\nhelp: {help}")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_string).collect()
    }

    #[test]
    fn a_command_and_a_topic_have_a_text() {
        let command = text(&words("calc sprt")).expect("a command");
        assert!(command.contains("Usage: hone calc sprt"), "{command}");
        for topic in ["playing", "sources"] {
            let page = text(&words(topic)).expect("a topic");
            assert!(page.starts_with("# "), "{page}");
        }
        // `bisect` is both.
        let both = text(&words("bisect")).expect("a command");
        assert!(both.contains("Usage: hone bisect"), "{both}");
    }

    #[test]
    fn every_topic_shows_its_page() {
        for (topic, page) in PAGES {
            let text = text(&words(topic)).expect("a topic");
            assert!(text.ends_with(page), "{topic}: {text}");
        }
    }

    #[test]
    fn a_plan_offers_only_models_that_it_computes() {
        let help = |command: &str| text(&words(command)).expect("a command");
        assert!(help("calc simulate").contains("betting"));
        assert!(!help("calc plan").contains("betting"));
    }

    #[test]
    fn an_unknown_topic_gets_the_nearest_one() {
        let error = text(&words("tunning")).expect_err("unknown").to_string();
        assert!(error.ends_with("help: did you mean `tuning`?"), "{error}");
        let error = text(&words("xyz")).expect_err("unknown").to_string();
        assert!(error.contains("topics are playing, "), "{error}");
    }

    /// Every page of the folder is a topic or excepted here, and is in the
    /// book.
    #[test]
    fn the_manual_has_every_page() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
        let summary = fs::read_to_string(docs.join("SUMMARY.md")).expect("the book's summary");
        for entry in fs::read_dir(&docs).expect("a folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(topic) = name.strip_suffix(".md").filter(|name| *name != "SUMMARY") else {
                continue;
            };
            assert!(summary.contains(&format!("]({name})")), "{name}");
            let is_topic = PAGES.iter().any(|(page, _)| *page == topic);
            assert!(is_topic || topic == "README", "{name}");
        }
    }

    /// The lines of a page's shell blocks, continued ones joined.
    fn shell_lines(page: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let mut inside = false;
        let mut open = String::new();
        for line in page.lines() {
            match line.trim() {
                // Those marked `norun` too.
                "```sh" | "```sh norun" => inside = true,
                "```" => inside = false,
                line if inside => {
                    let (line, continues) = match line.strip_suffix('\\') {
                        Some(line) => (line, true),
                        None => (line, false),
                    };
                    open += line;
                    if !continues {
                        lines.push(std::mem::take(&mut open));
                    }
                }
                _ => {}
            }
        }
        lines
    }

    /// The commands of `hone` in a line of the shell.
    fn commands(line: &str) -> Vec<Vec<String>> {
        let line = line.split(" #").next().unwrap_or_default();
        line.split(['|', '>', ';', '&'])
            .map(str::trim)
            // Variables get their values from the shell.
            .filter(|part| part.starts_with("hone ") && !part.contains('$'))
            .map(|part| shlex::split(part).unwrap_or_default())
            .collect()
    }

    /// A command that does not run does not help. Those that need little time and
    /// no other machine are executed, by `harness/tests/manual.rs`.
    #[test]
    fn every_command_of_the_manual_is_a_valid_command_line() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let readme = fs::read_to_string(root.join("README.md")).expect("the main page");
        let mut pages = PAGES.to_vec();
        pages.push(("README", &readme));
        let mut tried = 0;
        let mut faults = Vec::new();
        for (topic, page) in pages {
            for words in shell_lines(page).iter().flat_map(|line| commands(line)) {
                tried += 1;
                if let Err(error) = help::command().try_get_matches_from(&words)
                    && error.use_stderr()
                {
                    faults.push(format!("{topic}: {}: {error}", words.join(" ")));
                }
            }
        }
        assert!(tried > 50, "only {tried} commands were found");
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}
