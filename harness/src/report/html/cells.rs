//! Cells of a table: texts, bars, intervals.

use maud::{Markup, html};

use crate::report::numbers::real_minus;
use crate::stats::Estimate;

/// A cell of a table.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    pub(super) html: Markup,
    pub(super) is_number: bool,
    is_faint: bool,
    pub(super) style: Option<String>,
}

impl Cell {
    /// A text.
    pub(crate) fn text(text: &str) -> Self {
        match is_number(text) {
            true => Self::html(html! { (real_minus(text)) }).of_number(),
            false => Self::html(html! { (text) }),
        }
    }

    /// Two texts, one above the other.
    pub(crate) fn lines(first: &str, second: &str) -> Self {
        Self::html(html! { (first) br; small { (second) } })
    }

    /// The same, even if it begins with a digit.
    pub(crate) fn of_words(mut self) -> Self {
        self.is_number = false;
        self
    }

    /// The same, even if it is a link.
    pub(super) fn of_number(mut self) -> Self {
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

    /// A text that leads to `href`.
    pub(crate) fn link(text: &str, href: &str) -> Self {
        Self::html(html! { a href=(href) { (text) } })
    }

    /// A command to copy.
    pub(crate) fn command(command: &str) -> Self {
        Self::html(html! { code { (command) } })
    }

    /// A bar as wide as `share` (0 to 1) of the cell.
    pub(crate) fn bar(share: f64) -> Self {
        let width = (share * 100.0).clamp(0.0, 100.0);
        Self::html(html! { span.bar style=(format!("width:{width:.1}%")) {} })
    }

    /// An estimate with its interval on a scale that all rows share; `words`
    /// are its values.
    pub(crate) fn interval(estimate: Estimate, scale: (f64, f64), words: &str) -> Self {
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

    /// The same, coloured from bad (`share` 0) over nothing (0.5) to good (1).
    pub(crate) fn judged(mut self, share: f64) -> Self {
        let weight = (100.0 * (share - 0.5).abs().min(0.5)).round();
        let paint = if share < 0.5 { "bad" } else { "good" };
        self.style = Some(format!(
            "background:color-mix(in srgb, var(--{paint}) {weight}%, transparent)"
        ));
        self
    }

    /// The same, of less weight.
    pub(crate) fn faint(mut self) -> Self {
        self.is_faint = true;
        self
    }

    /// The same with an explanation for those who point at it.
    pub(crate) fn explained(mut self, words: &str) -> Self {
        self.html = html! { span title=(words) { (self.html) } };
        self
    }

    /// Its class where it `is_number`, or is not.
    pub(super) fn class(&self, is_number: bool) -> Option<&'static str> {
        match (is_number, self.is_faint) {
            (true, false) => Some("n"),
            (true, true) => Some("n faint"),
            (false, true) => Some("faint"),
            (false, false) => None,
        }
    }
}

/// A scale on which all these have a place, and zero.
pub(crate) fn scale_of(estimates: impl IntoIterator<Item = Estimate>) -> (f64, f64) {
    let ends = estimates.into_iter();
    let (low, high) = ends.fold((0.0f64, 0.0f64), |(low, high), e| {
        (low.min(e.low), high.max(e.high))
    });
    let air = (0.05 * (high - low)).max(0.5);
    (low - air, high + air)
}

/// A number, perhaps with its unit or another number: not a sentence.
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
    fn intervals_stay_in_their_cell() {
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
        assert_eq!(html, ["−3.1 to −2", "&gt;99.9 %", "-O3 build"]);
        assert!(Cell::text("<0.1 %").is_number);
    }

    #[test]
    fn a_scale_has_zero_and_all() {
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
