//! Pieces of HTML. Every text that comes from outside goes through [`escape`].

use crate::report::chart::{Chart, Paint};
use crate::report::escape;
use crate::report::numbers::real_minus;

/// A paragraph of text.
pub(crate) fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", prose(text))
}

/// A paragraph of text with names of others in it, whose backticks stay.
pub(super) fn plain(text: &str) -> String {
    format!("<p>{}</p>\n", escape(&real_minus(text)))
}

/// Text in which what stands between two backticks is code.
pub(crate) fn prose(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, (code, after))) = rest
        .split_once('`')
        .and_then(|(before, after)| Some((before, after.split_once('`')?)))
    {
        out += &escape(&real_minus(before));
        out += &format!("<code>{}</code>", escape(code));
        rest = after;
    }
    out + &escape(&real_minus(rest))
}

/// Text as it is, scrolling sideways where it is too wide.
pub(crate) fn preformatted(text: &str) -> String {
    format!("<pre tabindex=\"0\">{}</pre>\n", escape(text))
}

/// The same with a button that copies it.
pub(crate) fn copyable(text: &str) -> String {
    format!(
        "<div class=\"copyable\"><button type=\"button\" class=\"copy\" hidden>Copy</button>\n{}</div>\n",
        preformatted(text)
    )
}

/// A chart, what its colours mean, and what it shows in words.
///
/// # Errors
/// If an axis has no length.
pub(crate) fn figure(chart: &Chart<'_>, entries: &[(Paint, &str)]) -> anyhow::Result<String> {
    let heading = match chart.title.as_str() {
        "" => String::new(),
        title => format!("<h3>{}</h3>\n", escape(title)),
    };
    let legend = match entries {
        [] => String::new(),
        entries => legend(entries),
    };
    Ok(format!(
        "<figure>\n{heading}{}\n{legend}<figcaption>{}</figcaption>\n</figure>\n",
        chart.on_page()?,
        escape(&real_minus(&chart.label))
    ))
}

/// Charts side by side where there is room.
pub(crate) fn pictures(figures: &[String]) -> String {
    format!("<div class=\"pictures\">\n{}</div>\n", figures.concat())
}

/// What is only seen when it is opened.
pub(crate) fn collapsed(summary: &str, html: &str) -> String {
    format!(
        "<details><summary>{}</summary>\n{html}</details>\n",
        prose(summary)
    )
}

/// Pictures or tables, two side by side where there is room.
pub(crate) fn side_by_side(parts: &[String]) -> String {
    let parts: String = parts
        .iter()
        .map(|part| format!("<div>\n{part}</div>\n"))
        .collect();
    format!("<div class=\"beside\">\n{parts}</div>\n")
}

/// What the colours of a picture mean.
fn legend(entries: &[(Paint, &str)]) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_can_become_markup() {
        let evil = "<script>alert('1')</script>\" onload=\"x& `<b>`";
        for html in [
            paragraph(evil),
            preformatted(evil),
            plain(evil),
            prose(evil),
            legend(&[(Paint::First, evil)]),
        ] {
            assert!(!html.contains("<script"), "{html}");
            assert!(!html.contains("<b>"), "{html}");
            assert!(!html.contains("\" onload"), "{html}");
        }
    }

    #[test]
    fn code_is_set_as_code() {
        assert_eq!(prose("see `a & b`."), "see <code>a &amp; b</code>.");
        assert_eq!(prose("a ` alone"), "a ` alone");
        assert_eq!(prose("`a` and ` one"), "<code>a</code> and ` one");
        assert_eq!(
            plain("`a` leads, -3 Elo"),
            "<p>`a` leads, \u{2212}3 Elo</p>\n"
        );
    }
}
