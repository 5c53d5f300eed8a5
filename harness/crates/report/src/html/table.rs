//! Tables of a page.

use maud::{Markup, html};

use super::cells::Cell;
use crate::numbers::keep_percent;

/// A table. The first cell of a row is its heading.
#[derive(Debug, Clone)]
pub struct Table {
    caption: String,
    head: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows. If all headings are empty, it is a list of names and values.
    pub fn new(caption: &str, head: &[&str]) -> Self {
        Self {
            caption: caption.to_string(),
            head: head.iter().map(|text| (*text).to_string()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row of texts.
    pub fn row<T: AsRef<str>>(&mut self, cells: &[T]) {
        self.cells(cells.iter().map(|cell| Cell::text(cell.as_ref())).collect());
    }

    /// Adds a row.
    pub fn cells(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// As HTML. Columns without a value are left out; nothing if no column has one.
    pub fn html(&self) -> Markup {
        if !(1..self.head.len()).any(|column| self.has_values(column)) {
            return Markup::default();
        }
        html! {
            div.scroll tabindex="0" { table {
                @if !self.caption.is_empty() { caption { (keep_percent(&self.caption)) } }
                (self.content())
            } }
        }
    }

    /// As HTML that is collapsed at first.
    pub fn collapsed(&self) -> Markup {
        html! {
            details {
                summary { (self.caption) }
                div.scroll tabindex="0" { table { (self.content()) } }
            }
        }
    }

    /// Its headings and rows.
    fn content(&self) -> Markup {
        let is_list = self.head.iter().all(String::is_empty);
        let class = |column| self.is_of_numbers(column).then_some("n");
        html! {
            @if !is_list {
                thead { tr {
                    @for (column, name) in self.head.iter().enumerate().filter(|(at, _)| self.has_values(*at)) {
                        // A screen reader would announce an empty heading.
                        @if name.is_empty() { td {} }
                        @else { th scope="col" class=[class(column)] { (keep_percent(name)) } }
                    }
                } }
            }
            tbody {
                @for row in &self.rows {
                    tr {
                        @for (column, cell) in row.iter().enumerate().filter(|(at, _)| self.has_values(*at)) {
                            @if column == 0 { th scope="row" { (cell.html) } }
                            @else {
                                td class=[cell.class(cell.is_number && !is_list)] style=[&cell.style] { (cell.html) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Whether a column is that of the names, or a cell of it has a value.
    fn has_values(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(column));
        column == 0 || cells.any(Cell::has_value)
    }

    fn is_of_numbers(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(column));
        column > 0 && cells.any(|cell| cell.is_number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_can_become_markup() {
        let evil = "<script>alert('1')</script>\" onload=\"x&";
        let mut table = Table::new(evil, &[evil, "n"]);
        table.row(&[evil, "1"]);
        for html in [table.html(), table.collapsed()].map(Markup::into_string) {
            assert!(!html.contains("<script"), "{html}");
            assert!(html.contains("&lt;script&gt;"), "{html}");
        }
    }

    #[test]
    fn a_column_without_a_name_has_no_empty_heading() {
        let mut table = Table::new("t", &["", "share", ""]);
        table.row(&["x", "50 %", "bar"]);
        let html = table.html().into_string();
        assert!(html.contains(
            "<thead><tr><td></td><th scope=\"col\" class=\"n\">share</th><td></td></tr>"
        ));
    }

    #[test]
    fn what_has_no_value_is_left_out() {
        let mut table = Table::new("LOS", &["", "LOS", "Elo"]);
        table.row(&["a", "–", "1"]);
        table.row(&["b", "", "–"]);
        let html = table.html().into_string();
        assert!(!html.contains(">LOS</th>"), "{html}");
        assert!(
            html.contains(">Elo</th>") && html.contains("<td>–</td>"),
            "{html}"
        );
        let mut empty = Table::new("LOS", &["", "LOS"]);
        empty.row(&["a", "–"]);
        assert_eq!(empty.html().into_string(), "");
    }

    #[test]
    fn numbers_have_the_class_of_numbers() {
        let mut table = Table::new("t", &["a", "b"]);
        table.row(&["x", "+1.5"]);
        table.row(&["y", "not defined"]);
        let html = table.html().into_string();
        assert!(html.contains("<td class=\"n\">+1.5</td>"));
        assert!(html.contains("<td>not defined</td>"));
        assert!(html.contains("<th scope=\"col\" class=\"n\">b</th>"));
    }
}
