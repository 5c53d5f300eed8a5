//! The benchmark's table as text.

use std::fmt::Write;

use super::landscapes::Shape;
use super::{BUDGETS, Cell, Row, SIZES};

type Column = (String, Box<dyn Fn(&Cell) -> bool>);

/// The table in Markdown: mean share of the available Elo in percent, and the
/// worst single run in Elo.
pub(super) fn table(rows: &[Row]) -> String {
    let columns = columns(rows);
    let mut text = String::from("| tuner |");
    for (name, _) in &columns {
        let _ = write!(text, " {name} |");
    }
    text += " worst run (Elo) |\n|---|";
    text += &"---:|".repeat(columns.len() + 1);
    text += "\n";
    for row in rows {
        let _ = write!(text, "| {} |", row.tuner);
        for (_, select) in &columns {
            let _ = write!(text, " {:.1} % |", 100.0 * row.share(select));
        }
        let _ = writeln!(text, " {:.1} |", row.worst());
    }
    text
}

fn columns(rows: &[Row]) -> Vec<Column> {
    let mut columns: Vec<Column> = vec![("all".to_owned(), Box::new(|_| true))];
    let shapes = Shape::OTHERS.iter().filter(|shape| {
        let cells = rows.iter().flat_map(|row| &row.cells);
        cells.into_iter().any(|result| result.cell.shape == **shape)
    });
    for &shape in shapes {
        let is_shape = move |cell: &Cell| cell.shape == shape;
        columns.push((shape.name().to_owned(), Box::new(is_shape)));
    }
    for games in BUDGETS {
        let name = format!("{}k", games / 1000);
        columns.push((name, Box::new(move |cell| cell.games == games)));
    }
    columns.push(("rough".to_owned(), Box::new(|cell| cell.is_rough)));
    columns.push(("polished".to_owned(), Box::new(|cell| !cell.is_rough)));
    for (parameters, ..) in SIZES {
        let is_size = move |cell: &Cell| cell.parameters == parameters;
        columns.push((format!("K={parameters}"), Box::new(is_size)));
    }
    columns
}
