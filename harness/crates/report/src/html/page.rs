//! The frame of a page: style sheet, headings, navigation, script.

use std::io::{self, Seek, Write};
use std::path::Path;

use anyhow::Context;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};
use tempfile::SpooledTempFile;

use super::figures::{self, Figure, Tone};
use super::markup::{paragraph, plain};
use crate::verdict::TestVerdict;
use hone_base::platform::write_whole;
use hone_base::text::without_direction;

pub const STYLE: [&str; 4] = [
    include_str!("theme.css"),
    include_str!("page.css"),
    include_str!("chart.css"),
    include_str!("viewer.css"),
];

/// The files of the script, in one scope: each uses functions of those before it. The last
/// one starts the viewer on a page that contains its games.
pub const SCRIPT: [&str; 12] = [
    include_str!("script/fold.js"),
    include_str!("script/copy.js"),
    include_str!("script/charts.js"),
    include_str!("script/decode.js"),
    include_str!("script/notation.js"),
    include_str!("script/clock.js"),
    include_str!("script/board.js"),
    include_str!("script/score.js"),
    include_str!("script/viewer.js"),
    include_str!("script/rows.js"),
    include_str!("script/options.js"),
    include_str!("script/list.js"),
];

/// The content security policy: only `script` may run, and nothing may be loaded.
fn policy(script: &str) -> String {
    let digest = STANDARD.encode(Sha256::digest(script));
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; \
         base-uri 'none'; form-action 'none'"
    )
}

/// The script of a page, without carriage returns, as browsers hash it.
fn script() -> String {
    let script = format!("\n(() => {{\n\"use strict\";\n{}}})();\n", SCRIPT.concat());
    script.replace('\r', "")
}

/// The section of the games.
#[derive(Debug)]
pub struct GamesSection {
    pub(super) html: Markup,
    /// Replaces [`LINES`] in `html`; it may be too large for memory.
    pub(super) lines: Option<SpooledTempFile>,
}

/// Placeholder of the games' lines. Text cannot contain it: its `<` is escaped.
pub(super) const LINES: PreEscaped<&str> = PreEscaped("<!--lines-->");

impl From<TestVerdict> for Tone {
    fn from(verdict: TestVerdict) -> Self {
        match verdict {
            TestVerdict::H1 => Self::Good,
            TestVerdict::H0 => Self::Bad,
            TestVerdict::None => Self::Neutral,
        }
    }
}

/// A page that is being assembled.
#[derive(Debug)]
pub struct Page {
    pub title: String,
    pub subtitle: String,
    lead: Markup,
    figures: Markup,
    pub sections: Vec<Section>,
    lines: Option<SpooledTempFile>,
}

/// A section of a page.
#[derive(Debug)]
pub struct Section {
    pub id: &'static str,
    pub heading: &'static str,
    /// The content below the heading.
    pub html: Markup,
}

impl Page {
    /// A page without content.
    pub fn new(title: &str, subtitle: &str) -> Self {
        Self {
            title: title.to_string(),
            subtitle: subtitle.to_string(),
            lead: Markup::default(),
            figures: Markup::default(),
            sections: Vec::new(),
            lines: None,
        }
    }

    /// Sets the result in words: one paragraph a line, text between backticks as code.
    pub fn lead(&mut self, text: &str, tone: Tone) {
        self.lead = lead(text, tone, paragraph);
    }

    /// As [`Page::lead`] for a text with names of engines: backticks are kept.
    pub(crate) fn plain_lead(&mut self, text: &str, tone: Tone) {
        self.lead = lead(text, tone, plain);
    }

    /// Sets the large figures below the result.
    pub fn figures(&mut self, figures: &[Figure]) {
        self.figures = figures::html(figures);
    }

    /// The result in words and the large figures.
    pub fn result(&self) -> Markup {
        html! { (self.lead) (self.figures) }
    }

    /// Adds a section, unless it is empty.
    pub fn section(&mut self, id: &'static str, heading: &'static str, html: Markup) {
        if !html.0.is_empty() {
            self.sections.push(Section { id, heading, html });
        }
    }

    /// Adds the section of the games.
    pub(super) fn games(&mut self, games: GamesSection) {
        self.section("games", "Games", games.html);
        self.lines = games.lines;
    }

    /// Whether it has a section of this id.
    pub fn has_section(&self, id: &str) -> bool {
        self.sections.iter().any(|section| section.id == id)
    }

    /// Writes the page to a file, replacing what it held.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(self, path: &Path) -> anyhow::Result<()> {
        write_whole(path, |out| self.write(out))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    fn write(self, out: &mut dyn Write) -> io::Result<()> {
        let html = self.html().into_string();
        let html = without_direction(&html);
        let (before, after) = html.split_once(LINES.0).unwrap_or((&html, ""));
        out.write_all(before.as_bytes())?;
        if let Some(mut lines) = self.lines {
            lines.rewind()?;
            io::copy(&mut lines, out)?;
        }
        out.write_all(after.as_bytes())
    }

    fn html(&self) -> Markup {
        let script = script();
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(policy(&script));
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) }
                    style { (PreEscaped(STYLE.concat())) }
                }
                body {
                    a.skip href="#main" { "Skip to the result" }
                    header {
                        h1 { (self.title) }
                        p.subtitle { (self.subtitle) }
                    }
                    nav aria-label="Sections" {
                        ul { @for Section { id, heading, .. } in &self.sections { li { a href={ "#" (id) } { (heading) } } } }
                    }
                    main id="main" {
                        (self.result())
                        @for Section { id, heading, html } in &self.sections { (section(id, heading, html)) }
                    }
                    footer { p { "Made by hone " (env!("CARGO_PKG_VERSION")) ". This page needs no network." } }
                    script { (PreEscaped(script)) }
                }
            }
        }
    }
}

/// Sections that are folded at first: the answer of a run is above them.
const FOLDED: [&str; 6] = [
    "pairs", "effort", "machines", "workers", "openings", "setup",
];

/// A section below its heading, which folds some of them.
pub fn section(id: &str, heading: &str, content: &Markup) -> Markup {
    let title = html! { h2 id={ (id) "-heading" } { (heading) } };
    html! {
        section id=(id) aria-labelledby={ (id) "-heading" } {
            @if FOLDED.contains(&id) {
                details.fold { summary { (title) } (content) }
            } @else {
                (title)
                (content)
            }
        }
    }
}

/// The result in words, one paragraph a line.
fn lead(text: &str, tone: Tone, paragraph: fn(&str) -> Markup) -> Markup {
    html! {
        div class={ "lead" (tone.class()) } {
            @for line in text.lines().filter(|line| !line.is_empty()) { (paragraph(line)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(page: Page) -> String {
        let mut html = Vec::new();
        page.write(&mut html).expect("written");
        String::from_utf8(html).expect("text")
    }

    /// The whole script fails if a name is declared twice in its scope.
    #[test]
    fn no_name_is_declared_twice_in_the_script() {
        let declared = |line: &str| -> Option<String> {
            let words = ["const ", "let ", "function ", "async function "];
            let rest = words.iter().find_map(|word| line.strip_prefix(word))?;
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
            Some(rest[..end].to_string())
        };
        let script = SCRIPT.concat();
        let mut names: Vec<String> = script.lines().filter_map(declared).collect();
        assert!(names.len() > 20, "{names:?}");
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all, "{names:?}");
    }

    #[test]
    fn a_page_loads_nothing_and_titles_are_text() {
        let mut page = Page::new("<script>x</script>", "a & b");
        page.lead("line\n<b>two</b>", Tone::Bad);
        page.section("one", "One", paragraph("body"));
        page.section("none", "None", Markup::default());
        let html = written(page);
        assert!(html.contains("&lt;script&gt;x&lt;/script&gt;"));
        assert!(html.contains("&lt;b&gt;two"));
        assert!(html.contains("a &amp; b"));
        assert!(!html.contains("id=\"none\""));
        for loads in ["src=", "<link", "@import", "url("] {
            assert!(!html.contains(loads), "{loads}");
        }
        assert_eq!(html.matches("<script").count(), 1);
        let digest = STANDARD.encode(Sha256::digest(script()));
        assert!(html.contains(&format!("script-src 'sha256-{digest}';")));
        assert!(html.contains(&format!("<script>{}</script>", script())));
    }

    #[test]
    fn a_page_does_not_change_the_direction_of_text() {
        let mut page = Page::new("a\u{202e}b", "c\u{2067}d");
        page.section("one", "One", paragraph("e\u{202b}f"));
        let html = written(page);
        for text in ["a\u{fffd}b", "c\u{fffd}d", "e\u{fffd}f"] {
            assert!(html.contains(text), "{text:?} in {html}");
        }
        assert!(!html.contains(['\u{202e}', '\u{2067}', '\u{202b}']));
    }

    #[test]
    fn the_games_replace_only_their_placeholder() {
        let mut page = Page::new(LINES.0, LINES.0);
        let mut lines = SpooledTempFile::new(100);
        lines.write_all(b"1 1 0 1 w").expect("written");
        page.games(GamesSection {
            html: html! { i { (LINES) } },
            lines: Some(lines),
        });
        let html = written(page);
        assert!(html.contains("<h1>&lt;!--lines--&gt;</h1>"), "{html}");
        assert!(html.contains("<i>1 1 0 1 w</i></section>"), "{html}");
        assert!(html.ends_with("</html>"), "{html}");
    }
}
