//! CSV tables of a run's folder that grow by rows: reads them, although a kill may have cut
//! off the last row, and appends to them.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;
use serde::de::DeserializeOwned;

use hone_base::platform::{append_whole, read_regular, set_len, write_whole};

/// The whole rows of a table; none if the file is missing.
///
/// # Errors
/// If the file cannot be read or is damaged.
pub fn rows<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<T>> {
    let text = match read_regular(path) {
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
pub fn whole_rows(text: &[u8]) -> &[u8] {
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

/// A table that is open for appending.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    is_empty: bool,
    /// Rows that are not in the file yet.
    added: Vec<u8>,
}

impl Table {
    /// Opens a table and reads its rows. An incomplete last row, left by a kill, is
    /// removed. A table with the columns of an earlier version is rewritten with the
    /// current ones.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn open<T: DeserializeOwned + Serialize>(path: PathBuf) -> anyhow::Result<(Self, Vec<T>)> {
        let failed = || format!("cannot use {}", path.display());
        repair(&path).with_context(failed)?;
        let rows: Vec<T> = rows(&path)?;
        if let Some(first) = rows.first() {
            let current = text(first, true)?;
            let current = current.split(|byte| *byte == b'\n').next();
            let content = fs::read(&path).with_context(failed)?;
            if content.split(|byte| *byte == b'\n').next() != current {
                rewrite(&path, &rows).with_context(failed)?;
            }
        }
        let table = Self {
            is_empty: rows.is_empty(),
            path,
            added: Vec::new(),
        };
        Ok((table, rows))
    }

    /// Adds a row and syncs it to disk.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn append(&mut self, row: &impl Serialize) -> anyhow::Result<()> {
        self.add(row)?;
        self.sync()
    }

    /// Adds a row; it is on disk after [`Table::sync`].
    ///
    /// # Errors
    /// If it cannot be serialised as CSV.
    pub fn add(&mut self, row: &impl Serialize) -> anyhow::Result<()> {
        self.added.extend(text(row, self.is_empty)?);
        self.is_empty = false;
        Ok(())
    }

    /// Writes the added rows and syncs them to disk. If that fails, none of them is in the
    /// file.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn sync(&mut self) -> anyhow::Result<()> {
        if self.added.is_empty() {
            return Ok(());
        }
        let write = || {
            let file = File::options().create(true).append(true).open(&self.path)?;
            let len = file.metadata()?.len();
            append_whole(&file, &self.path, len, &self.added)?;
            file.sync_data().inspect_err(|_| {
                // The next sync writes these rows again.
                let _ = set_len(&file, &self.path, len);
            })
        };
        write().with_context(|| format!("cannot write {}", self.path.display()))?;
        self.added.clear();
        Ok(())
    }
}

/// A row as CSV, after the names of the columns if `has_header`.
fn text(row: &impl Serialize, has_header: bool) -> anyhow::Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new()
        .has_headers(has_header)
        .from_writer(Vec::new());
    writer.serialize(row)?;
    Ok(writer.into_inner()?)
}

fn rewrite(path: &Path, rows: &[impl Serialize]) -> anyhow::Result<()> {
    let mut all = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        all.extend(text(row, number == 0)?);
    }
    write_whole(path, |file| Ok(file.write_all(&all)?))
}

/// Removes everything after the last complete row, and a header without rows.
fn repair(path: &Path) -> io::Result<()> {
    let text = match read_regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        read => read?,
    };
    let table = whole_rows(&text);
    let lines = table.iter().filter(|byte| **byte == b'\n').count();
    let whole = if lines > 1 { table.len() } else { 0 };
    if whole < text.len() {
        File::options()
            .write(true)
            .open(path)?
            .set_len(whole as u64)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Row {
        number: u32,
        reason: String,
    }

    fn row(number: u32, reason: &str) -> Row {
        Row {
            number,
            reason: reason.to_string(),
        }
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
            .map(|(number, reason)| row(number, reason))
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

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Numbered {
        number: u32,
        #[serde(default)]
        newer: bool,
    }

    fn numbered(number: u32) -> Numbered {
        Numbered {
            number,
            newer: number > 1,
        }
    }

    #[test]
    fn added_rows_are_written_by_sync_and_only_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("table.csv");
        let (mut table, rows) = Table::open::<Numbered>(path.clone()).expect("new");
        assert!(rows.is_empty());
        for number in 0..3 {
            table.add(&numbered(number)).expect("added");
        }
        assert!(!path.exists(), "nothing is written before it is synced");
        for _ in 0..2 {
            table.sync().expect("written");
            let (_, rows) = Table::open::<Numbered>(path.clone()).expect("read");
            assert_eq!(rows, [numbered(0), numbered(1), numbered(2)]);
        }
        table.append(&numbered(3)).expect("written");
        let (_, rows) = Table::open::<Numbered>(path).expect("read");
        assert_eq!(rows.len(), 4);
    }

    #[test]
    fn new_rows_follow_the_complete_rows_of_a_torn_table() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("table.csv");
        let row = |reason: &str| row(7, reason);
        let first = "7,it stopped\n";
        let torn = "7,\"it wrote:\n\"\"größer\"\"\n\"\n";
        for len in 0..torn.len() {
            let mut text = format!("number,reason\n{first}").into_bytes();
            text.extend_from_slice(&torn.as_bytes()[..len]);
            fs::write(&path, text).expect("written");
            let (mut table, rows) = Table::open::<Row>(path.clone()).expect("read");
            assert_eq!(rows, [row("it stopped")], "{len} bytes");
            table.append(&row("late")).expect("written");
            let (_, rows) = Table::open::<Row>(path.clone()).expect("read");
            assert_eq!(rows, [row("it stopped"), row("late")], "{len} bytes");
        }
    }

    #[test]
    fn a_table_of_an_earlier_version_gets_the_new_columns() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("table.csv");
        fs::write(&path, "number\n0\n1\n").expect("written");
        let (mut table, rows) = Table::open::<Numbered>(path.clone()).expect("read");
        assert_eq!(rows, [numbered(0), numbered(1)]);
        table.append(&numbered(2)).expect("written");
        let (_, rows) = Table::open::<Numbered>(path).expect("read");
        assert_eq!(rows, [numbered(0), numbered(1), numbered(2)]);
    }

    /// A limit on the size of files cuts off a write, as a full disk does. It applies to a
    /// whole process, so the test starts itself again with such a limit.
    #[cfg(unix)]
    #[test]
    fn rows_that_do_not_fit_on_the_disk_leave_no_part_in_the_table() {
        const TABLE: &str = "HONE_TEST_FULL_TABLE";
        if let Some(path) = std::env::var_os(TABLE) {
            hone_base::platform::fail_beyond_limit();
            let (mut table, _) = Table::open::<Row>(path.into()).expect("read");
            let long = row(1, &"long ".repeat(10_000));
            table.append(&long).expect_err("beyond the limit");
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("table.csv");
        let (mut table, _) = Table::open::<Row>(path.clone()).expect("new");
        table.append(&row(0, "short")).expect("written");
        let (_, module) = module_path!().split_once("::").expect("a crate");
        let name = "rows_that_do_not_fit_on_the_disk_leave_no_part_in_the_table";
        let limited = std::process::Command::new("sh")
            .args(["-c", "ulimit -f 1 && exec \"$@\"", "sh"])
            .arg(std::env::current_exe().expect("this program"))
            .args(["--exact", &format!("{module}::{name}")])
            .env(TABLE, &path)
            .output()
            .expect("started");
        let words = String::from_utf8_lossy(&limited.stdout);
        assert!(words.contains("1 passed"), "{limited:?}");
        let text = fs::read_to_string(&path).expect("there");
        assert_eq!(text, "number,reason\n0,short\n");
        table.append(&row(1, "short too")).expect("written");
        let rows: Vec<Row> = rows(&path).expect("not damaged");
        assert_eq!(rows, [row(0, "short"), row(1, "short too")]);
    }
}
