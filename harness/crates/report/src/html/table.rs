//! Tables of a page.

use maud::{Markup, html};

use super::cells::Cell;

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

    /// As HTML.
    pub fn html(&self) -> Markup {
        html! {
            div.scroll tabindex="0" { table {
                @if !self.caption.is_empty() { caption { (self.caption) } }
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
                    @for (column, name) in self.head.iter().enumerate() {
                        // A screen reader would announce an empty heading.
                        @if name.is_empty() { td {} }
                        @else { th scope="col" class=[class(column)] { (name) } }
                    }
                } }
            }
            tbody {
                @for row in &self.rows {
                    tr {
                        @for (column, cell) in row.iter().enumerate() {
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
