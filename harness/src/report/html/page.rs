//! The frame of a page: style, headings, navigation, script.

use std::fmt::Write;

use super::markup::escape;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("viewer.js");

/// Only the page's own script runs, and nothing is ever loaded.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; \
                      script-src 'nonce-hone'; base-uri 'none'; form-action 'none'";

/// A page in the making.
#[derive(Debug, Clone)]
pub struct Page {
    title: String,
    subtitle: String,
    lead: String,
    sections: Vec<Section>,
}

#[derive(Debug, Clone)]
struct Section {
    id: &'static str,
    heading: &'static str,
    body: String,
}

impl Page {
    /// A page with nothing below its title.
    pub fn new(title: &str, subtitle: &str) -> Self {
        Self {
            title: title.to_string(),
            subtitle: subtitle.to_string(),
            lead: String::new(),
            sections: Vec::new(),
        }
    }

    /// What it comes to, in words, one paragraph a line; `verdict` is `H1`,
    /// `H0` or `none`.
    pub fn lead(&mut self, text: &str, verdict: &str) {
        let class = match verdict {
            "H1" => "lead good",
            "H0" => "lead bad",
            _ => "lead",
        };
        let mut lines = String::new();
        for line in text.lines() {
            lines += &super::paragraph(line);
        }
        self.lead = format!("<div class=\"{class}\">\n{lines}</div>\n");
    }

    /// Adds a section. `body` is HTML.
    pub fn section(&mut self, id: &'static str, heading: &'static str, body: String) {
        if !body.is_empty() {
            self.sections.push(Section { id, heading, body });
        }
    }

    /// The page.
    pub fn finish(self) -> String {
        let mut out = String::new();
        self.write(&mut out)
            .expect("writing to a string cannot fail");
        out
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        let title = escape(&self.title);
        write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#main\">Skip to the result</a>\n\
             <header>\n<h1>{title}</h1>\n<p class=\"subtitle\">{}</p>\n",
            escape(&self.subtitle)
        )?;
        out.push_str("<nav aria-label=\"Sections\"><ul>");
        for Section { id, heading, .. } in &self.sections {
            write!(out, "<li><a href=\"#{id}\">{heading}</a></li>")?;
        }
        writeln!(
            out,
            "</ul></nav>\n</header>\n<main id=\"main\">\n{}",
            self.lead
        )?;
        for Section { id, heading, body } in &self.sections {
            writeln!(
                out,
                "<section id=\"{id}\" aria-labelledby=\"{id}-heading\">\n\
                 <h2 id=\"{id}-heading\">{heading}</h2>\n{body}</section>"
            )?;
        }
        write!(
            out,
            "</main>\n<footer><p>Made by hone {}. This page needs no network.</p></footer>\n\
             <script nonce=\"hone\">\n{SCRIPT}</script>\n</body>\n</html>\n",
            env!("CARGO_PKG_VERSION")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_loads_nothing_and_titles_are_text() {
        let mut page = Page::new("<script>x</script>", "a & b");
        page.lead("line\n<b>two</b>", "H0");
        page.section("one", "One", "<p>body</p>".to_string());
        page.section("none", "None", String::new());
        let html = page.finish();
        assert!(html.contains("&lt;script&gt;x&lt;/script&gt;"));
        assert!(html.contains("&lt;b&gt;two"));
        assert!(html.contains("a &amp; b"));
        assert!(!html.contains("id=\"none\""));
        for loads in ["src=", "<link", "@import", "url("] {
            assert!(!html.contains(loads), "{loads}");
        }
        assert_eq!(html.matches("<script").count(), 1);
    }
}
