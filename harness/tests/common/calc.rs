//! `hone calc` as scripts call it.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{Finished, finish, hone};

/// `hone calc` with these words.
pub(crate) fn calc(arguments: &str) -> Finished {
    let mut command = hone();
    command.arg("calc").args(arguments.split_whitespace());
    finish(command)
}

/// The JSON of a calculation, which must succeed.
pub(crate) fn json(arguments: &str) -> Value {
    let finished = calc(&format!("{arguments} --json"));
    assert_eq!(finished.code, Some(0), "{arguments}: {}", finished.stderr);
    finished.json()
}

/// Writes the ledger and the report of a finished run of forty pairs.
pub(crate) fn write_run(folder: &Path) {
    let mut ledger = "pair,game,white,black,opening,result,termination\n".to_owned();
    for pair in 1..=40 {
        let (first, second) = match pair % 5 {
            0 => ("1-0", "0-1"),
            1 => ("1-0", "1/2-1/2"),
            2 => ("1/2-1/2", "1/2-1/2"),
            3 => ("0-1", "1/2-1/2"),
            _ => ("1-0", "1-0"),
        };
        ledger += &format!("{pair},1,new,old,{pair},{first},checkmate\n");
        ledger += &format!("{pair},2,old,new,{pair},{second},checkmate\n");
    }
    fs::write(folder.join("games.csv"), ledger).unwrap();
    fs::write(folder.join("report.json"), r#"{"pairs":40,"seconds":120}"#).unwrap();
}
