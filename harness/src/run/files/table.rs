//! Tables of a run's folder that grow by rows; a kill may cut off the last one.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::string_slice))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::fs;
use std::io;
use std::path::Path;

use anyhow::Context;
use serde::de::DeserializeOwned;

/// The whole rows of a table; none if the file is missing.
///
/// # Errors
/// If the file cannot be read or is damaged.
pub(crate) fn rows<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<T>> {
    let text = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read.with_context(|| format!("cannot read {}", path.display()))?,
    };
    csv::Reader::from_reader(whole_rows(&text))
        .into_deserialize()
        .collect::<Result<_, _>>()
        .with_context(|| format!("{} is damaged", path.display()))
}

/// The text of a table without an incomplete last row. A line end within quotes does not end
/// a row.
pub(crate) fn whole_rows(text: &[u8]) -> &[u8] {
    let mut is_quoted = false;
    let mut whole = 0;
    for (end, byte) in (1..).zip(text) {
        match byte {
            // A quote in a quoted field is doubled, which changes nothing here.
            b'"' => is_quoted = !is_quoted,
            b'\n' if !is_quoted => whole = end,
            _ => {}
        }
    }
    text.get(..whole).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Row {
        number: u32,
        reason: String,
    }

    /// Cut off after any byte, the table has the rows that were whole by then.
    #[test]
    fn a_torn_row_is_left_out_wherever_it_is_torn() {
        let reasons = [
            "it stopped",
            "größer\nals \"ü\", dann\r\nä\n",
            "",
            "zuletzt",
        ];
        let table: Vec<Row> = (0..)
            .zip(reasons)
            .map(|(number, reason)| Row {
                number,
                reason: reason.to_string(),
            })
            .collect();
        let mut writer = csv::Writer::from_writer(Vec::new());
        // Ends of the rows.
        let mut ends = Vec::new();
        for row in &table {
            writer.serialize(row).expect("written");
            writer.flush().expect("memory can be flushed");
            ends.push(writer.get_ref().len());
        }
        let text = writer.into_inner().expect("flushed");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("table.csv");
        assert_eq!(rows::<Row>(&path).expect("none"), []);
        for len in 0..=text.len() {
            fs::write(&path, &text[..len]).expect("written");
            let found: Vec<Row> = rows(&path).expect("the whole rows");
            let whole = ends.iter().filter(|end| **end <= len).count();
            assert_eq!(found, table[..whole], "{len} bytes");
        }
    }

    #[test]
    fn a_damaged_row_is_an_error_with_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("table.csv");
        fs::write(&path, "number,reason\none,a\n").expect("written");
        let error = rows::<Row>(&path).expect_err("damaged").to_string();
        assert!(error.ends_with("table.csv is damaged"), "{error}");
    }
}
