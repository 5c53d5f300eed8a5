//! Numbers of the program's JSON, and what they must agree with.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// A number that must be there. As an option, a missing number is less than any other and
/// equal to another missing one.
#[track_caller]
pub(crate) fn number(value: &Value) -> f64 {
    match value.as_f64() {
        Some(number) => number,
        None => panic!("{value} is not a number"),
    }
}

/// Wins, draws and losses of an engine in the first `pairs` pairs, counted in the ledger.
pub(crate) fn wdl_in_ledger(run: &Path, engine: &str, pairs: u64) -> [u64; 3] {
    let csv = fs::read_to_string(run.join("games.csv")).expect("a ledger");
    let mut wdl = [0; 3];
    for row in csv.lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let is_counted = fields[0].parse::<u64>().expect("a pair") <= pairs;
        let points = match fields[5] {
            "1-0" => 2,
            "0-1" => 0,
            _ => 1,
        };
        if is_counted && fields[2] == engine {
            wdl[2 - points] += 1;
        } else if is_counted && fields[3] == engine {
            wdl[points] += 1;
        }
    }
    wdl
}
