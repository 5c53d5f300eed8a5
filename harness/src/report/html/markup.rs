//! Pieces of HTML. Every text that comes from outside goes through [`escape`].

use std::fmt::Write;

use crate::report::chart::Paint;
use crate::report::escape;

/// A paragraph of text.
pub(crate) fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", escape(text))
}

/// Text as it is, scrolling sideways where it is too wide.
pub(crate) fn preformatted(text: &str) -> String {
    format!("<pre tabindex=\"0\">{}</pre>\n", escape(text))
}

/// What the colours of a picture mean.
pub(crate) fn legend(entries: &[(Paint, &str)]) -> String {
    let mut out = String::from("<ul class=\"legend\">");
    for (paint, name) in entries {
        out += &format!(
            "<li><span class=\"swatch\" style=\"background:{}\"></span>{}</li>",
            paint.css(),
            escape(name)
        );
    }
    out + "</ul>\n"
}

/// A table. Its first column names the rows.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    caption: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns and no rows.
    pub(crate) fn new(caption: &str, head: &[&str]) -> Self {
        Self {
            caption: caption.to_string(),
            head: head.iter().map(|text| escape(text)).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row of texts.
    pub(crate) fn row<T: AsRef<str>>(&mut self, cells: &[T]) {
        let cells = cells.iter().map(|cell| escape(cell.as_ref())).collect();
        self.rows.push(cells);
    }

    /// Adds a row of texts and a bar as wide as `share` (0 to 1) of its cell.
    pub(crate) fn bar_row(&mut self, cells: &[String], share: f64) {
        self.row(cells);
        let width = (share * 100.0).clamp(0.0, 100.0);
        if let Some(row) = self.rows.last_mut() {
            row.push(format!(
                "<span class=\"bar\" style=\"width:{width:.1}%\"></span>"
            ));
        }
    }

    /// As HTML.
    pub(crate) fn html(&self) -> String {
        let mut out = String::from("<div class=\"scroll\" tabindex=\"0\"><table>");
        self.write(&mut out)
            .expect("writing to a string cannot fail");
        out + "</table></div>\n"
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        write!(out, "<caption>{}</caption>", escape(&self.caption))?;
        // Without headings it is a list of names and what they are.
        let is_list = self.head.iter().all(String::is_empty);
        if !is_list {
            out.push_str("<thead><tr>");
            for name in &self.head {
                write!(out, "<th scope=\"col\">{name}</th>")?;
            }
            out.push_str("</tr></thead>");
        }
        out.push_str("<tbody>");
        for row in &self.rows {
            out.push_str("<tr>");
            for (column, cell) in row.iter().enumerate() {
                match column {
                    0 => write!(out, "<th scope=\"row\">{cell}</th>")?,
                    _ if !is_list && is_number(cell) => write!(out, "<td class=\"n\">{cell}</td>")?,
                    _ => write!(out, "<td>{cell}</td>")?,
                }
            }
            out.push_str("</tr>");
        }
        out.push_str("</tbody>");
        Ok(())
    }
}

/// A number, perhaps with its unit or another number: not a sentence.
fn is_number(cell: &str) -> bool {
    let is_short = cell.len() <= 24;
    is_short
        && cell
            .trim_start_matches(['+', '-', '±'])
            .starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_can_become_markup() {
        let evil = "<script>alert('1')</script>\" onload=\"x&";
        for html in [escape(evil), paragraph(evil), preformatted(evil)] {
            assert!(!html.contains("<script"), "{html}");
            assert!(!html.contains("\" onload"), "{html}");
        }
        let mut table = Table::new(evil, &[evil, "n"]);
        table.row(&[evil, "1"]);
        let html = table.html() + &legend(&[(Paint::First, evil)]);
        assert!(!html.contains("<script"), "{html}");
        assert!(html.contains("&lt;script&gt;"), "{html}");
    }

    #[test]
    fn numbers_are_set_as_numbers() {
        let mut table = Table::new("t", &["a", "b"]);
        table.row(&["x", "+1.5"]);
        table.row(&["y", "not defined"]);
        let html = table.html();
        assert!(html.contains("<td class=\"n\">+1.5</td>"));
        assert!(html.contains("<td>not defined</td>"));
    }
}
