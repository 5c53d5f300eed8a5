//! `hone help`: the help of a command, or a page of the manual, which is the
//! folder `docs/`.

use std::fmt::Write as _;

use anyhow::bail;
use clap::Args;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};

use super::{Exit, Failure, help};
use hone_base::diagnostic::Diagnostic;
use hone_base::text::nearest;
use hone_base::{out, outln};

/// Show the help of a command or a page of the manual.
///
/// Without arguments it lists the topics. The pages are those of the folder
/// `docs` of the source, so that they can be read without it.
#[derive(Debug, Args)]
pub(super) struct HelpArgs {
    /// A command, as in `calc sprt`, or a topic.
    #[arg(value_name = "TOPIC", add = ArgValueCandidates::new(candidates))]
    words: Vec<String>,
}

/// A page of `docs/`: its topic and its text.
macro_rules! pages {
    ($($topic:literal)*) => {
        [$(($topic, include_str!(concat!("../../../docs/", $topic, ".md")))),*]
    };
}

/// All pages, in the order of the manual.
const PAGES: [(&str, &str); 22] = pages!(
    "install" "testing" "reports" "playing" "books" "builds" "configuration" "ci" "bisect" "tuning"
    "tracking" "shards" "fleet" "serve" "coming-from" "coming-from-flags" "troubleshooting"
    "reliability" "formats" "statistics" "strength" "performance"
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

fn candidates() -> Vec<CompletionCandidate> {
    PAGES
        .map(|(topic, _)| CompletionCandidate::new(topic))
        .into()
}

/// The topics with the titles of their pages.
fn topics() -> String {
    let mut text = String::from("Topics (`hone help TOPIC`):\n");
    for (topic, page) in PAGES {
        let title = page.lines().next().unwrap_or_default();
        let _ = writeln!(text, "  {topic:<17} {}", title.trim_start_matches("# "));
    }
    text
}

/// The help of the command and the page that the words name; both if both exist.
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
    bail!(Diagnostic::new(format!("`{name}` is neither a command nor a topic")).help(help))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use hone_base::diagnostic::with_causes;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_string).collect()
    }

    #[test]
    fn a_command_and_a_topic_have_a_text() {
        let command = text(&words("calc sprt")).expect("a command");
        assert!(command.contains("Usage: hone calc sprt"), "{command}");
        for topic in ["playing", "coming-from"] {
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
    fn an_unknown_topic_gets_the_nearest_one() {
        let error = with_causes(&text(&words("tunning")).expect_err("unknown"));
        assert!(error.ends_with("help: did you mean `tuning`?"), "{error}");
        let error = with_causes(&text(&words("xyz")).expect_err("unknown"));
        assert!(error.contains("topics are install, testing, "), "{error}");
    }

    fn docs() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
    }

    /// The pages of Stillwater and of its laboratory, which are not in the manual.
    fn pages_of_stillwater() -> Vec<PathBuf> {
        let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine");
        let mut pages = Vec::new();
        for folder in [engine.join("lab"), engine] {
            let entries = fs::read_dir(folder).expect("a folder").flatten();
            let is_page = |path: &PathBuf| path.extension().is_some_and(|end| end == "md");
            pages.extend(entries.map(|entry| entry.path()).filter(is_page));
        }
        pages
    }

    /// The targets of a page's links, without those of its code blocks.
    fn targets(page: &str) -> Vec<&str> {
        let (mut targets, mut is_code) = (Vec::new(), false);
        for line in page.lines() {
            is_code ^= line.trim_start().starts_with("```");
            if !is_code {
                let after = line.split("](").skip(1);
                targets.extend(after.filter_map(|rest| Some(rest.split_once(')')?.0)));
            }
        }
        targets
    }

    /// The anchors of a page's headings.
    fn anchors(page: &str) -> Vec<String> {
        let headings = page.lines().filter(|line| line.starts_with('#'));
        let anchor = |line: &str| -> String {
            let text = line.trim_start_matches('#').trim().to_lowercase();
            let kept = text
                .chars()
                .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        };
        headings.map(anchor).collect()
    }

    /// Every page of the folder is a topic, except the list of pages. The list and the book
    /// have the same order.
    #[test]
    fn the_manual_has_every_page() {
        for entry in fs::read_dir(docs()).expect("a folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some(topic) = name.strip_suffix(".md") {
                let is_topic = PAGES.iter().any(|(page, _)| *page == topic);
                assert!(is_topic || ["README", "SUMMARY"].contains(&topic), "{name}");
            }
        }
        for list in ["README.md", "SUMMARY.md"] {
            let text = fs::read_to_string(docs().join(list)).expect("a page");
            let mut listed: Vec<&str> = Vec::new();
            let pages = targets(&text)
                .into_iter()
                .filter_map(|target| target.strip_suffix(".md"));
            for topic in pages.filter(|page| *page != "README" && !page.starts_with("../")) {
                // Only the first link to a page counts.
                if !listed.contains(&topic) {
                    listed.push(topic);
                }
            }
            assert_eq!(listed, PAGES.map(|(topic, _)| topic), "{list}");
        }
    }

    /// Each link has its target: a file of the repository or a heading of a page.
    #[test]
    fn every_link_of_the_manual_has_its_target() {
        let (mut tried, mut faults) = (0, Vec::new());
        let root = docs().join("..");
        let mut pages: Vec<PathBuf> = [
            "README.md",
            "CONTRIBUTING.md",
            "CHANGELOG.md",
            "docs/README.md",
            "books/README.md",
            "harness/README.md",
        ]
        .map(|name| root.join(name))
        .into();
        pages.extend(PAGES.map(|(topic, _)| docs().join(topic).with_extension("md")));
        pages.extend(pages_of_stillwater());
        for path in pages {
            let page = fs::read_to_string(&path).expect("a page");
            let is_local = |target: &&str| !target.contains("://");
            for target in targets(&page).into_iter().filter(is_local) {
                tried += 1;
                let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
                let linked = match file {
                    "" => path.clone(),
                    file => path.with_file_name(file),
                };
                let is_found = match anchor {
                    "" => linked.exists(),
                    anchor => fs::read_to_string(linked)
                        .is_ok_and(|text| anchors(&text).iter().any(|name| name == anchor)),
                };
                if !is_found {
                    faults.push(format!("{}: {target}", path.display()));
                }
            }
        }
        assert!(tried > 300, "only {tried} links were found");
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    /// The lines of a page's shell blocks, continued ones joined.
    fn shell_lines(page: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let mut inside = false;
        let mut open = String::new();
        for line in page.lines() {
            match line.trim() {
                // Also blocks marked `norun`.
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

    /// Commands that need little time and only one machine are also executed, by
    /// `harness/tests/project/manual.rs`.
    #[test]
    fn every_command_of_the_manual_is_a_valid_command_line() {
        let own = PAGES.map(|(topic, page)| (topic.to_string(), page.to_string()));
        let mut pages = Vec::from(own);
        let mut others = pages_of_stillwater();
        others.push(docs().join("../README.md"));
        for path in others {
            let page = fs::read_to_string(&path).expect("a page");
            pages.push((path.display().to_string(), page));
        }
        let mut tried = 0;
        let mut faults = Vec::new();
        for (topic, page) in pages {
            for words in shell_lines(&page).iter().flat_map(|line| commands(line)) {
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
