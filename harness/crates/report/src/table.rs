//! Tables of text that fit a given width.

use std::borrow::Cow;

use console::{measure_text_width, pad_str, truncate_str};

/// A column: its title, its cells, and how it becomes narrower.
#[derive(Debug)]
pub(super) struct Column {
    title: Cow<'static, str>,
    cells: Vec<String>,
    fit: Fit,
}

/// How a column changes if the table is too wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// Never.
    Keep,
    /// It is left out; the columns with the highest number first.
    Drop(u8),
    /// It is shortened after all droppable columns are left out. It is aligned to the left.
    Shorten,
}

/// Least width of a shortened column, in characters.
const NARROWEST: usize = 6;
const GAP: &str = "  ";

impl Column {
    pub(super) fn new(title: impl Into<Cow<'static, str>>, fit: Fit, cells: Vec<String>) -> Self {
        Self {
            title: title.into(),
            cells,
            fit,
        }
    }

    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|cell| measure_text_width(cell));
        cells
            .max()
            .unwrap_or(0)
            .max(measure_text_width(&self.title))
    }
}

/// The lines of the table, the titles first, none wider than `width` characters.
pub(super) fn lines(mut columns: Vec<Column>, width: usize) -> Vec<String> {
    while total(&columns) > width {
        let rank = |column: &Column| match column.fit {
            Fit::Drop(rank) => Some(rank),
            Fit::Keep | Fit::Shorten => None,
        };
        let Some(last) = columns.iter().filter_map(rank).max() else {
            break;
        };
        columns.retain(|column| rank(column) != Some(last));
    }
    let excess = total(&columns).saturating_sub(width);
    let widths: Vec<usize> = columns
        .iter()
        .map(|column| match column.fit {
            Fit::Shorten => (column.width().saturating_sub(excess)).max(NARROWEST),
            Fit::Keep | Fit::Drop(_) => column.width(),
        })
        .collect();
    let rows = columns.iter().map(|column| column.cells.len()).max();
    (0..=rows.unwrap_or(0))
        .map(|row| {
            let cells = columns.iter().zip(&widths).map(|(column, &width)| {
                let text = match row {
                    0 => column.title.as_ref(),
                    _ => column.cells.get(row - 1).map_or("", String::as_str),
                };
                let alignment = match column.fit {
                    Fit::Shorten => console::Alignment::Left,
                    Fit::Keep | Fit::Drop(_) => console::Alignment::Right,
                };
                pad_str(text, width, alignment, Some("…")).into_owned()
            });
            let line = cells.collect::<Vec<_>>().join(GAP);
            truncate_str(line.trim_end(), width, "…").into_owned()
        })
        .collect()
}

fn total(columns: &[Column]) -> usize {
    let widths: usize = columns.iter().map(Column::width).sum();
    widths + GAP.len() * columns.len().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<Column> {
        let cells = |cells: [&str; 2]| cells.map(String::from).to_vec();
        vec![
            Column::new("#", Fit::Keep, cells(["1", "2"])),
            Column::new("name", Fit::Shorten, cells(["stillwater", "b"])),
            Column::new("games", Fit::Drop(1), cells(["200", "1000"])),
            Column::new("score", Fit::Drop(2), cells(["51.0 %", "49.0 %"])),
        ]
    }

    #[test]
    fn a_wide_table_has_all_columns() {
        assert_eq!(
            lines(columns(), 80),
            [
                "#  name        games   score",
                "1  stillwater    200  51.0 %",
                "2  b            1000  49.0 %",
            ]
        );
    }

    #[test]
    fn a_narrow_table_loses_columns_then_letters() {
        assert_eq!(lines(columns(), 20)[1], "1  stillwater    200");
        assert_eq!(lines(columns(), 11)[1], "1  stillwa…");
        for width in 1..40 {
            for line in lines(columns(), width) {
                assert!(measure_text_width(&line) <= width, "{width}: {line}");
            }
        }
    }
}
