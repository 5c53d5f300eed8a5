//! An axis with given ticks.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;

/// An axis with its ticks: positions and texts.
pub(super) struct Scale {
    range: RangedCoordf64,
    ticks: Vec<(f64, String)>,
}

impl Scale {
    pub(super) fn new((low, high): (f64, f64), ticks: Vec<(f64, String)>) -> Self {
        Self {
            range: (low..high).into(),
            ticks,
        }
    }
}

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.range.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() {
            return Vec::new();
        }
        self.ticks.iter().map(|(place, _)| *place).collect()
    }

    fn range(&self) -> Range<f64> {
        self.range.range()
    }
}

impl ValueFormatter<f64> for Scale {
    fn format_ext(&self, place: &f64) -> String {
        let tick = self.ticks.iter().find(|(at, _)| at == place);
        tick.map_or(String::new(), |(_, text)| text.clone())
    }
}
