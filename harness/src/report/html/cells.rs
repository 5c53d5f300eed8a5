//! Cells of a table: texts, bars, intervals.

use crate::report::escape;
use crate::report::numbers::real_minus;
use crate::stats::Estimate;

/// A cell of a table.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    pub(super) html: String,
    pub(super) is_number: bool,
    class: &'static str,
    style: String,
}

impl Cell {
    /// A text.
    pub(crate) fn text(text: &str) -> Self {
        let is_number = is_number(text);
        Self {
            html: match is_number {
                true => escape(&real_minus(text)),
                false => escape(text),
            },
            is_number,
            class: "",
            style: String::new(),
        }
    }

    /// Two texts, one above the other.
    pub(crate) fn lines(first: &str, second: &str) -> Self {
        Self::html(format!(
            "{}<br><small>{}</small>",
            escape(first),
            escape(second)
        ))
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

    /// HTML that is already safe.
    fn html(html: String) -> Self {
        Self {
            html,
            is_number: false,
            class: "",
            style: String::new(),
        }
    }

    /// A text that leads to `href`.
    pub(crate) fn link(text: &str, href: &str) -> Self {
        Self::html(format!("<a href=\"{}\">{}</a>", escape(href), escape(text)))
    }

    /// A command to copy.
    pub(crate) fn command(command: &str) -> Self {
        Self::html(format!("<code>{}</code>", escape(command)))
    }

    /// A bar as wide as `share` (0 to 1) of the cell.
    pub(crate) fn bar(share: f64) -> Self {
        let width = (share * 100.0).clamp(0.0, 100.0);
        Self::html(format!(
            "<span class=\"bar\" style=\"width:{width:.1}%\"></span>"
        ))
    }

    /// An estimate with its interval on a scale that all rows share; `words`
    /// are its values.
    pub(crate) fn interval(estimate: Estimate, scale: (f64, f64), words: &str) -> Self {
        let place = |value: f64| {
            let share = (value - scale.0) / (scale.1 - scale.0).max(f64::MIN_POSITIVE);
            100.0 * share.clamp(0.0, 1.0)
        };
        let [low, middle, high] = [estimate.low, estimate.estimate, estimate.high].map(place);
        let zero = match (scale.0..=scale.1).contains(&0.0) {
            true => format!("<i class=\"zero\" style=\"left:{:.1}%\"></i>", place(0.0)),
            false => String::new(),
        };
        Self::html(format!(
            "<span class=\"whisker\" role=\"img\" aria-label=\"{0}\" title=\"{0}\">{zero}\
             <i class=\"reach\" style=\"left:{low:.1}%;width:{1:.1}%\"></i>\
             <i class=\"point\" style=\"left:{middle:.1}%\"></i></span>",
            escape(words),
            high - low
        ))
    }

    /// The same, coloured from bad (`share` 0) over nothing (0.5) to good (1).
    pub(crate) fn judged(mut self, share: f64) -> Self {
        let weight = (100.0 * (share - 0.5).abs().min(0.5)).round();
        let paint = if share < 0.5 { "bad" } else { "good" };
        self.style =
            format!("background:color-mix(in srgb, var(--{paint}) {weight}%, transparent)");
        self
    }

    /// The same, of less weight.
    pub(crate) fn faint(mut self) -> Self {
        self.class = "faint";
        self
    }

    /// The same with an explanation for those who point at it.
    pub(crate) fn explained(mut self, words: &str) -> Self {
        self.html = format!("<span title=\"{}\">{}</span>", escape(words), self.html);
        self
    }

    pub(super) fn attributes(&self, is_number: bool) -> String {
        let class = match (is_number, self.class) {
            (true, "") => "n".to_string(),
            (true, class) => format!("n {class}"),
            (false, class) => class.to_string(),
        };
        let mut out = String::new();
        for (name, value) in [("class", &class), ("style", &self.style)] {
            if !value.is_empty() {
                out += &format!(" {name}=\"{value}\"");
            }
        }
        out
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
        let html = Cell::interval(estimate, (-10.0, 10.0), "\"5\"").html;
        assert!(html.contains("left:0.0%;width:100.0%"), "{html}");
        assert!(html.contains("left:75.0%"), "{html}");
        assert!(html.contains("&quot;5&quot;"), "{html}");
    }

    #[test]
    fn numbers_have_real_minus_signs_and_names_stay() {
        let html = ["-3.1 to -2", ">99.9 %", "-O3 build"].map(|text| Cell::text(text).html);
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
