//! The large figures below the verdict.

use maud::{Markup, html};

use super::cells::{Cell, scale_of};
use super::numbers::{ends, signed, with_margin};
use crate::numbers::{TOO_FEW_PAIRS, keep_percent};
use hone_stats::Estimate;

/// How a result is coloured. The colour only repeats what the number shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    Good,
    Bad,
    #[default]
    Neutral,
}

impl Tone {
    /// Good above zero, bad below, neutral if the interval contains zero.
    pub fn of(estimate: Option<Estimate>) -> Self {
        match estimate {
            Some(e) if e.low > 0.0 => Self::Good,
            Some(e) if e.high < 0.0 => Self::Bad,
            _ => Self::Neutral,
        }
    }

    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Good => " good",
            Self::Bad => " bad",
            Self::Neutral => "",
        }
    }
}

/// A number in large type with its name, a small chart, and a note.
#[derive(Debug, Clone, Default)]
pub struct Figure {
    pub name: String,
    pub value: String,
    pub note: String,
    pub tone: Tone,
    picture: Option<Markup>,
}

/// A part of a whole, with its CSS class.
pub(crate) struct Part<'a> {
    pub name: &'a str,
    pub count: u64,
    pub class: &'static str,
}

impl Figure {
    pub fn new(name: &str, value: &str, note: &str) -> Self {
        Self {
            name: name.to_string(),
            value: value.to_string(),
            note: note.to_string(),
            ..Self::default()
        }
    }

    /// Elo with its interval, and with a margin if the interval is symmetric. Coloured if
    /// the interval does not contain zero.
    pub fn elo(name: &str, estimate: Option<Estimate>) -> Self {
        Self::elo_as(name, estimate, estimate.map(with_margin))
    }

    /// Elo with too few pairs for a margin: only the ends of its interval.
    pub fn early_elo(name: &str, estimate: Option<Estimate>) -> Self {
        Self::elo_as(name, estimate, None)
    }

    fn elo_as(name: &str, estimate: Option<Estimate>, value: Option<String>) -> Self {
        let Some(elo) = estimate else {
            return Self::new(name, "–", TOO_FEW_PAIRS);
        };
        let note = format!("95 %: {}", ends(elo));
        let value = value.unwrap_or_else(|| signed(elo.estimate));
        let words = format!("{value} ({note})");
        Self {
            picture: Some(Cell::interval(elo, scale_of([elo]), &words).html),
            ..Self::new(name, &value, &note).with_tone(Tone::of(estimate))
        }
    }

    pub fn with_tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    /// A bar from `low` to `high` with a mark at `value`, filled from zero.
    pub(crate) fn with_gauge(mut self, value: f64, (low, high): (f64, f64)) -> Self {
        let place = |value: f64| {
            let share = (value - low) / (high - low).max(f64::MIN_POSITIVE);
            100.0 * share.clamp(0.0, 1.0)
        };
        let (zero, at) = (place(0.0), place(value));
        let side = if value < 0.0 { "bad" } else { "good" };
        let (left, width) = (zero.min(at), (zero - at).abs());
        self.picture = Some(html! {
            span.gauge {
                i class={ "fill " (side) } style=(format!("left:{left:.1}%;width:{width:.1}%")) {}
                i.zero style=(format!("left:{zero:.1}%")) {}
            }
        });
        self
    }

    /// A bar that is filled to `share` (0 to 1).
    pub fn with_progress(mut self, share: f64) -> Self {
        let width = (100.0 * share).clamp(0.0, 100.0);
        self.picture = Some(html! {
            span.gauge { i.fill style=(format!("left:0;width:{width:.1}%")) {} }
        });
        self
    }

    /// One bar with all parts side by side, each as wide as its share.
    pub(crate) fn with_parts(mut self, parts: &[Part<'_>]) -> Self {
        let total: u64 = parts.iter().map(|part| part.count).sum();
        self.picture = Some(html! {
            span.parts {
                @for Part { name, count, class } in parts.iter().filter(|part| part.count > 0) {
                    i class=(class) style={ "flex-grow:" (count) } title={ (name) ": " (count) " of " (total) } {}
                }
            }
        });
        self
    }

    /// Vertical bars side by side.
    pub(crate) fn with_columns(mut self, parts: &[Part<'_>]) -> Self {
        let most = parts
            .iter()
            .map(|part| part.count)
            .max()
            .unwrap_or(0)
            .max(1);
        let height = |count: u64| format!("height:{:.1}%", 100.0 * count as f64 / most as f64);
        self.picture = Some(html! {
            span.columns {
                @for Part { name, count, class } in parts {
                    span title={ (name) ": " (count) } { i class=(class) style=(height(*count)) {} }
                }
            }
        });
        self
    }

    fn html(&self) -> Markup {
        let is_long = self.value.chars().count() > 16;
        html! {
            div class={ "figure" (self.tone.class()) } {
                dt { (self.name) }
                dd.value.long[is_long] { (self.value) }
                @if let Some(picture) = &self.picture { dd aria-hidden="true" { (picture) } }
                dd.note { (keep_percent(&self.note)) }
            }
        }
    }
}

/// The figures, side by side if there is room.
pub(super) fn html(figures: &[Figure]) -> Markup {
    html! { dl.figures { @for figure in figures { (figure.html()) } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(low: f64, high: f64) -> Estimate {
        Estimate {
            estimate: f64::midpoint(low, high),
            low,
            high,
        }
    }

    #[test]
    fn elo_is_coloured_by_its_interval() {
        assert_eq!(
            Figure::elo("Elo", Some(estimate(1.0, 3.0))).tone,
            Tone::Good
        );
        assert_eq!(
            Figure::elo("Elo", Some(estimate(-3.0, -1.0))).tone,
            Tone::Bad
        );
        let neutral = Figure::elo("Elo", Some(estimate(-1.0, 3.0)));
        assert_eq!(
            (neutral.tone, neutral.value.as_str()),
            (Tone::Neutral, "+1.0 ± 2.0")
        );
        assert_eq!(Figure::elo("Elo", None).value, "–");
        let early = Figure::early_elo("Elo", Some(estimate(-1.0, 3.0)));
        assert_eq!(
            (early.value.as_str(), early.note.as_str()),
            ("+1.0", "95 %: \u{2212}1.0 to +3.0")
        );
    }

    #[test]
    fn a_gauge_is_filled_from_zero() {
        let figure = Figure::new("LLR", "−1", "").with_gauge(-1.5, (-3.0, 3.0));
        let html = figure.html().into_string();
        assert!(html.contains("bad\" style=\"left:25.0%;width:25.0%\""));
        let beyond = Figure::new("LLR", "9", "").with_gauge(9.0, (-3.0, 3.0));
        let html = beyond.html().into_string();
        assert!(html.contains("left:50.0%;width:50.0%"));
    }
}
