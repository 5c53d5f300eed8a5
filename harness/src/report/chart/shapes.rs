//! What is drawn on a chart.

use super::Paint;

/// Points of a drawn line: more cannot be seen.
pub(crate) const POINTS: u64 = 400;

/// A line through points.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub paint: Paint,
    pub points: Vec<(f64, f64)>,
}

/// An area between two lines: `(x, low, high)`.
#[derive(Debug, Clone)]
pub(crate) struct Band {
    pub paint: Paint,
    pub points: Vec<(f64, f64, f64)>,
}

/// A dashed line across the chart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Level {
    pub paint: Paint,
    pub y: f64,
}

/// A dashed line from bottom to top with a word beside it.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    pub paint: Paint,
    pub x: f64,
    pub text: String,
    /// Rows from the top to the word, so that words do not overlap.
    pub row: usize,
}

/// A bar from zero.
#[derive(Debug, Clone)]
pub(crate) struct Bar {
    pub paint: Paint,
    /// Left and right end.
    pub x: (f64, f64),
    pub height: f64,
    /// Written below it, and its height above, in place of an x axis.
    pub name: Option<String>,
}

/// Values at one place of the x axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reading {
    pub x: f64,
    /// All values there, in words.
    pub text: String,
}

/// Readings on a chart: a finer choice than a finger can make.
pub(crate) const READINGS: u64 = 120;

/// A choice of points out of many: evenly spread, the last among them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Thinning {
    total: u64,
    step: u64,
}

impl Thinning {
    /// At most `most` (at least 1) of `total` points.
    pub(crate) fn new(total: u64, most: u64) -> Self {
        let step = total.div_ceil(most).max(1);
        Self { total, step }
    }

    /// Whether the point of this index, from 0, is among them.
    pub(crate) fn keeps(self, index: u64) -> bool {
        index < self.total && (self.total - 1 - index).is_multiple_of(self.step)
    }
}
