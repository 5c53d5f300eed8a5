//! The frame of a page: style, headings, navigation, script.

use std::io::{self, Seek, Write};
use std::path::Path;

use anyhow::Context;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use tempfile::SpooledTempFile;

use super::escape;
use super::figures::{self, Figure, Tone};
use super::markup::plain;
use crate::platform::write_whole;
use crate::report::verdict::TestVerdict;

pub(crate) const STYLE: [&str; 4] = [
    include_str!("theme.css"),
    include_str!("page.css"),
    include_str!("chart.css"),
    include_str!("viewer.css"),
];

/// One scope: each uses functions of those before it. The last starts all on a
/// page that has its games in it.
pub(crate) const SCRIPT: [&str; 10] = [
    include_str!("script/copy.js"),
    include_str!("script/charts.js"),
    include_str!("script/decode.js"),
    include_str!("script/notation.js"),
    include_str!("script/clock.js"),
    include_str!("script/board.js"),
    include_str!("script/score.js"),
    include_str!("script/viewer.js"),
    include_str!("script/rows.js"),
    include_str!("script/list.js"),
];

/// Only this script runs, known by its digest, and nothing is ever loaded.
fn policy(script: &str) -> String {
    let digest = STANDARD.encode(Sha256::digest(script));
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; \
         base-uri 'none'; form-action 'none'"
    )
}

/// The script of a page, as a browser reads it: without carriage returns.
fn script() -> String {
    let script = format!("\n(() => {{\n\"use strict\";\n{}}})();\n", SCRIPT.concat());
    script.replace('\r', "")
}

/// What a section holds: HTML, and files of it too large for the memory.
#[derive(Debug, Default)]
pub(crate) struct Body(Vec<Piece>);

#[derive(Debug)]
enum Piece {
    Html(String),
    File(SpooledTempFile),
}

impl From<String> for Body {
    fn from(html: String) -> Self {
        Self(vec![Piece::Html(html)])
    }
}

impl Body {
    /// Adds HTML.
    pub(crate) fn push(&mut self, html: &str) {
        self.0.push(Piece::Html(html.to_string()));
    }

    /// Adds what is in a file.
    pub(crate) fn push_file(&mut self, file: SpooledTempFile) {
        self.0.push(Piece::File(file));
    }

    fn is_empty(&self) -> bool {
        let is_empty = |piece: &Piece| matches!(piece, Piece::Html(html) if html.is_empty());
        self.0.iter().all(is_empty)
    }

    fn write(self, out: &mut dyn Write) -> io::Result<()> {
        for piece in self.0 {
            match piece {
                Piece::Html(html) => out.write_all(html.as_bytes())?,
                Piece::File(mut file) => {
                    file.rewind()?;
                    io::copy(&mut file, out)?;
                }
            }
        }
        Ok(())
    }
}

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
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) subtitle: String,
    /// HTML of the result in words and of the large figures.
    pub(crate) lead: String,
    pub(crate) sections: Vec<Section>,
}

/// A section of a page.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) id: &'static str,
    pub(crate) heading: &'static str,
    body: Body,
}

impl Section {
    /// What stands below its heading.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    #[cfg(feature = "serve")]
    pub(crate) fn html(self) -> io::Result<String> {
        let mut html = Vec::new();
        self.body.write(&mut html)?;
        String::from_utf8(html).map_err(io::Error::other)
    }
}

impl Page {
    /// A page with nothing below its title.
    pub(crate) fn new(title: &str, subtitle: &str) -> Self {
        Self {
            title: title.to_string(),
            subtitle: subtitle.to_string(),
            lead: String::new(),
            sections: Vec::new(),
        }
    }

    /// The result in words, one paragraph a line.
    pub(crate) fn lead(&mut self, text: &str, tone: Tone) {
        self.push_lead(text, tone, super::paragraph);
    }

    /// The same with names of others in it.
    pub(crate) fn plain_lead(&mut self, text: &str, tone: Tone) {
        self.push_lead(text, tone, plain);
    }

    fn push_lead(&mut self, text: &str, tone: Tone, paragraph: fn(&str) -> String) {
        let lines = text.lines().filter(|line| !line.is_empty());
        let lines: String = lines.map(paragraph).collect();
        self.lead += &format!("<div class=\"lead{}\">\n{lines}</div>\n", tone.class());
    }

    /// The large figures under it.
    pub(crate) fn figures(&mut self, figures: &[Figure]) {
        self.lead += &figures::html(figures);
    }

    /// Adds a section, unless it is empty.
    pub(crate) fn section(
        &mut self,
        id: &'static str,
        heading: &'static str,
        body: impl Into<Body>,
    ) {
        let body = body.into();
        if !body.is_empty() {
            self.sections.push(Section { id, heading, body });
        }
    }

    /// Whether it has a section of this id.
    pub(crate) fn has_section(&self, id: &str) -> bool {
        self.sections.iter().any(|section| section.id == id)
    }

    /// Writes the page to a file, replacing what it held.
    ///
    /// # Errors
    /// If that cannot be done; the error names the file.
    pub(crate) fn save(self, path: &Path) -> anyhow::Result<()> {
        write_whole(path, |out| self.write(out))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    fn write(self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.head().as_bytes())?;
        for Section { id, heading, body } in self.sections {
            writeln!(
                out,
                "<section id=\"{id}\" aria-labelledby=\"{id}-heading\">\n\
                 <h2 id=\"{id}-heading\">{heading}</h2>"
            )?;
            body.write(out)?;
            writeln!(out, "</section>")?;
        }
        write!(
            out,
            "</main>\n<footer><p>Made by hone {}. This page needs no network.</p></footer>\n\
             <script>{}</script>\n</body>\n</html>\n",
            env!("CARGO_PKG_VERSION"),
            script()
        )
    }

    /// All that comes before the sections.
    fn head(&self) -> String {
        let title = escape(&self.title);
        let style = STYLE.concat();
        let mut out = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#main\">Skip to the result</a>\n\
             <header>\n<h1>{title}</h1>\n<p class=\"subtitle\">{}</p>\n</header>\n\
             <nav aria-label=\"Sections\"><ul>",
            policy(&script()),
            escape(&self.subtitle)
        );
        for Section { id, heading, .. } in &self.sections {
            out += &format!("<li><a href=\"#{id}\">{heading}</a></li>");
        }
        out + "</ul></nav>\n<main id=\"main\">\n" + &self.lead + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name that is declared twice in one scope stops the whole script.
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
        page.section("one", "One", "<p>body</p>".to_string());
        page.section("none", "None", String::new());
        let mut html = Vec::new();
        page.write(&mut html).expect("written");
        let html = String::from_utf8(html).expect("text");
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
}
