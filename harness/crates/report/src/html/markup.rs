//! Pieces of HTML.

use maud::{Markup, html};

use crate::chart::{Chart, Paint};
use crate::numbers::{keep_percent, real_minus};

/// A paragraph; text between backticks is code.
pub fn paragraph(text: &str) -> Markup {
    html! { p { (prose(text)) } }
}

/// A paragraph with names from outside: backticks are kept.
pub(super) fn plain(text: &str) -> Markup {
    html! { p { (real_minus(text)) } }
}

/// Text; what is between two backticks is code.
pub(super) fn prose(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    html! {
        @for (index, part) in parts.iter().enumerate() {
            @if index % 2 == 0 { (real_minus(part)) }
            // A last backtick without a partner is text.
            @else if index + 1 == parts.len() { (real_minus(&format!("`{part}"))) }
            @else { code { (part) } }
        }
    }
}

/// Preformatted text, which scrolls sideways if it is too wide.
pub fn preformatted(text: &str) -> Markup {
    html! { pre tabindex="0" { (text) } }
}

/// Preformatted text with a button that copies it.
pub fn copyable(text: &str) -> Markup {
    html! {
        div.copyable {
            button.copy type="button" hidden { "Copy" }
            (preformatted(text))
        }
    }
}

/// A chart with its legend and a caption.
///
/// # Errors
/// If an axis has no length.
pub fn figure(chart: &Chart<'_>, entries: &[(Paint, &str)]) -> anyhow::Result<Markup> {
    Ok(html! {
        figure {
            @if !chart.title.is_empty() { h3 { (chart.title) } }
            (chart.on_page()?)
            @if !entries.is_empty() { (legend(entries)) }
            figcaption { (real_minus(&chart.label)) }
        }
    })
}

/// Charts, side by side if there is room.
pub fn pictures(figures: &[Markup]) -> Markup {
    html! { div.pictures { @for figure in figures { (figure) } } }
}

/// Content that is collapsed at first.
pub fn collapsed(summary: &str, content: &Markup) -> Markup {
    html! { details { summary { (prose(summary)) } (content) } }
}

/// Charts or tables, two side by side if there is room.
pub fn side_by_side(parts: &[Markup]) -> Markup {
    html! { div.beside { @for part in parts.iter().filter(|part| !part.0.is_empty()) { div { (part) } } } }
}

/// The legend of a chart.
fn legend(entries: &[(Paint, &str)]) -> Markup {
    html! {
        ul.legend {
            @for (paint, name) in entries {
                li { span.swatch style={ "background:" (paint.css()) } {} (keep_percent(name)) }
            }
        }
    }
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
            let html = html.into_string();
            assert!(!html.contains("<script"), "{html}");
            assert!(!html.contains("<b>"), "{html}");
            assert!(!html.contains("\" onload"), "{html}");
        }
    }

    #[test]
    fn text_between_backticks_is_code() {
        let prose = |text| prose(text).into_string();
        assert_eq!(prose("see `a & b`."), "see <code>a &amp; b</code>.");
        assert_eq!(prose("a ` alone"), "a ` alone");
        assert_eq!(prose("`a` and ` one"), "<code>a</code> and ` one");
        assert_eq!(
            plain("`a` leads, -3 Elo").into_string(),
            "<p>`a` leads, \u{2212}3 Elo</p>"
        );
    }
}
