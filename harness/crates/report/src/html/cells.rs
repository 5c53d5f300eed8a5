//! Cells of a table: texts, bars, intervals.

use maud::{Markup, html};

use crate::numbers::{keep_percent, real_minus};
use hone_stats::Estimate;

/// A cell of a table.
#[derive(Debug, Clone)]
pub struct Cell {
    pub(super) html: Markup,
    pub(super) is_number: bool,
    is_faint: bool,
    pub(super) style: Option<String>,
}

impl Cell {
    /// A text.
    pub fn text(text: &str) -> Self {
        if is_number(text) {
            Self::html(html! { (real_minus(text)) }).aligned_as_number()
        } else {
            Self::html(html! { (keep_percent(text)) })
        }
    }

    /// Two texts, one above the other.
    pub fn lines(first: &str, second: &str) -> Self {
        Self::html(html! { (first) br; small { (second) } })
    }

    /// Aligned as text, even if it begins with a digit.
    pub fn aligned_as_text(mut self) -> Self {
        self.is_number = false;
        self
    }

    /// Aligned as a number, even if it is a link.
    pub(super) fn aligned_as_number(mut self) -> Self {
        self.is_number = true;
        self
    }

    fn html(html: Markup) -> Self {
        Self {
            html,
            is_number: false,
            is_faint: false,
            style: None,
        }
    }

    /// A link to `href`.
    pub fn link(text: &str, href: &str) -> Self {
        Self::html(html! { a href=(href) { (text) } })
    }

    /// A command, as code.
    pub fn command(command: &str) -> Self {
        Self::html(html! { code { (command) } })
    }

    /// A bar as wide as `share` (0 to 1) of the cell.
    pub fn bar(share: f64) -> Self {
        let width = (share * 100.0).clamp(0.0, 100.0);
        Self::html(html! { span.bar style=(format!("width:{width:.1}%")) {} })
    }

    /// An estimate with its interval on a scale that all rows share; `words` are its values
    /// as text.
    pub fn interval(estimate: Estimate, scale: (f64, f64), words: &str) -> Self {
        let place = |value: f64| {
            let share = (value - scale.0) / (scale.1 - scale.0).max(f64::MIN_POSITIVE);
            100.0 * share.clamp(0.0, 1.0)
        };
        let [low, middle, high] = [estimate.low, estimate.estimate, estimate.high].map(place);
        Self::html(html! {
            span.whisker role="img" aria-label=(words) title=(words) {
                @if (scale.0..=scale.1).contains(&0.0) {
                    i.zero style=(format!("left:{:.1}%", place(0.0))) {}
                }
                i.reach style=(format!("left:{low:.1}%;width:{:.1}%", high - low)) {}
                i.point style=(format!("left:{middle:.1}%")) {}
            }
        })
    }

    /// With a background from bad (`share` 0) over none (0.5) to good (1).
    pub(crate) fn shaded(mut self, share: f64) -> Self {
        let weight = (100.0 * (share - 0.5).abs().min(0.5)).round();
        let paint = if share < 0.5 { "bad" } else { "good" };
        self.style = Some(format!(
            "background:color-mix(in srgb, var(--{paint}) {weight}%, transparent)"
        ));
        self
    }

    /// In a lighter colour.
    pub fn faint(mut self) -> Self {
        self.is_faint = true;
        self
    }

    /// With a tooltip.
    pub(crate) fn with_tooltip(mut self, words: &str) -> Self {
        self.html = html! { span title=(words) { (self.html) } };
        self
    }

    /// Whether it is neither empty nor a dash.
    pub(super) fn has_value(&self) -> bool {
        !matches!(self.html.0.as_str(), "" | "–")
    }

    /// Its CSS class if it is shown as a number or not.
    pub(super) fn class(&self, is_number: bool) -> Option<&'static str> {
        match (is_number, self.is_faint) {
            (true, false) => Some("n"),
            (true, true) => Some("n faint"),
            (false, true) => Some("faint"),
            (false, false) => None,
        }
    }
}

/// A scale that contains all intervals and zero, with a margin.
pub fn scale_of(estimates: impl IntoIterator<Item = Estimate>) -> (f64, f64) {
    let ends = estimates.into_iter();
    let (low, high) = ends.fold((0.0f64, 0.0f64), |(low, high), e| {
        (low.min(e.low), high.max(e.high))
    });
    let margin = (0.05 * (high - low)).max(0.5);
    (low - margin, high + margin)
}

/// Whether a text is a short one that begins with a number, such as `1.2 to 3 ms`.
fn is_number(cell: &str) -> bool {
    let is_short = cell.chars().count() <= 28;
    is_short
        && cell
            .trim_start_matches(['+', '-', '±', '\u{2212}', '<', '>'])
            .starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_clamped_to_the_scale() {
        let estimate = Estimate {
            estimate: 5.0,
            low: -900.0,
            high: 15.0,
        };
        let html = Cell::interval(estimate, (-10.0, 10.0), "\"5\"");
        let html = html.html.into_string();
        assert!(html.contains("left:0.0%;width:100.0%"), "{html}");
        assert!(html.contains("left:75.0%"), "{html}");
        assert!(html.contains("&quot;5&quot;"), "{html}");
    }

    #[test]
    fn numbers_have_real_minus_signs_and_names_stay() {
        let html = |text| Cell::text(text).html.into_string();
        let html = ["-3.1 to -2", ">99.9 %", "-O3 build"].map(html);
        assert_eq!(html, ["−3.1 to −2", "&gt;99.9\u{a0}%", "-O3 build"]);
        assert!(Cell::text("<0.1 %").is_number);
    }

    #[test]
    fn a_scale_contains_zero_and_all_intervals() {
        let estimate = Estimate {
            estimate: 20.0,
            low: 10.0,
            high: 30.0,
        };
        let (low, high) = scale_of([estimate]);
        assert!(low < 0.0 && high > 30.0);
        assert!(scale_of([]).0 < scale_of([]).1);
    }
}
