//! The table of a campaign, in Markdown.

use std::collections::BTreeMap;
use std::fmt;

use super::disturbance::DISTURBANCES;
use super::trial::Outcome;

#[derive(Debug, Default, Clone, Copy)]
struct Cell {
    trials: u64,
    hits: u64,
    failures: u64,
}

impl Cell {
    fn plus(self, other: Self) -> Self {
        Self {
            trials: self.trials + other.trials,
            hits: self.hits + other.hits,
            failures: self.failures + other.failures,
        }
    }
}

/// Trials, disturbances and failures by disturbance and kind of run.
#[derive(Debug, Default)]
pub(crate) struct Table {
    kinds: Vec<&'static str>,
    cells: BTreeMap<(&'static str, &'static str), Cell>,
}

impl Table {
    pub(crate) fn add(&mut self, kind: &'static str, disturbance: &'static str, one: &Outcome) {
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
        let cell = self.cells.entry((disturbance, kind)).or_default();
        *cell = cell.plus(Cell {
            trials: 1,
            hits: one.hits,
            failures: u64::from(one.result.is_err()),
        });
    }

    pub(crate) fn hits(&self) -> u64 {
        self.sum(|_| true).hits
    }

    pub(crate) fn failures(&self) -> u64 {
        self.sum(|_| true).failures
    }

    fn sum(&self, select: impl Fn(&(&str, &str)) -> bool) -> Cell {
        let cells = self.cells.iter().filter(|(key, _)| select(key));
        cells.fold(Cell::default(), |sum, (_, cell)| sum.plus(*cell))
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Trials / disturbances that hit / failures:\n\n| disturbance | {} | all |",
            self.kinds.join(" | ")
        )?;
        writeln!(f, "|---{}|", "|--:".repeat(self.kinds.len() + 1))?;
        let text = |cell: Cell| format!("{} / {} / {}", cell.trials, cell.hits, cell.failures);
        for (name, _) in DISTURBANCES {
            if self.sum(|(disturbance, _)| *disturbance == name).trials == 0 {
                continue;
            }
            write!(f, "| {name} ")?;
            for kind in &self.kinds {
                write!(f, "| {} ", text(self.sum(|key| *key == (name, *kind))))?;
            }
            writeln!(f, "| {} |", text(self.sum(|(one, _)| *one == name)))?;
        }
        write!(f, "| all ")?;
        for kind in &self.kinds {
            write!(f, "| {} ", text(self.sum(|(_, one)| one == kind)))?;
        }
        writeln!(f, "| {} |", text(self.sum(|_| true)))
    }
}
