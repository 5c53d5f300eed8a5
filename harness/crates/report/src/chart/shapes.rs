//! The elements of a chart.

use super::Paint;

/// Most points of a line: more cannot be distinguished.
pub const POINTS: u64 = 400;

/// A line through points.
#[derive(Debug, Clone)]
pub struct Line {
    pub paint: Paint,
    pub points: Vec<(f64, f64)>,
}

/// An area between two lines: `(x, low, high)`.
#[derive(Debug, Clone)]
pub struct Band {
    pub paint: Paint,
    pub points: Vec<(f64, f64, f64)>,
}

/// A dashed line across the chart.
#[derive(Debug, Clone, Copy)]
pub struct Level {
    pub paint: Paint,
    pub y: f64,
}

/// A dashed line from bottom to top with a label.
#[derive(Debug, Clone)]
pub struct Mark {
    pub paint: Paint,
    pub x: f64,
    pub text: String,
    /// Row of the label, from 0 at the top, so that labels do not overlap.
    pub row: usize,
}

/// A bar from zero.
#[derive(Debug, Clone)]
pub struct Bar {
    pub paint: Paint,
    /// Left and right end.
    pub x: (f64, f64),
    pub height: f64,
    /// Written below the bar, with its height above it, instead of an x axis.
    pub name: Option<String>,
}

/// The values at one position of the x axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    pub x: f64,
    /// The values as text.
    pub text: String,
}

/// Most readings of a chart: a pointer cannot select more.
pub const READINGS: u64 = 120;

/// A selection of evenly spaced points, with the last one.
#[derive(Debug, Clone, Copy)]
pub struct Thinning {
    total: u64,
    step: u64,
}

impl Thinning {
    /// At most `most` (at least 1) of `total` points.
    pub fn new(total: u64, most: u64) -> Self {
        let step = total.div_ceil(most).max(1);
        Self { total, step }
    }

    /// Whether the point at `index` (from 0) is selected.
    pub fn keeps(self, index: u64) -> bool {
        index < self.total && (self.total - 1 - index).is_multiple_of(self.step)
    }
}
