//! The pages: their parts, and their style and script.
//!
//! * `frame`: the frame of all pages; `assets`: their style and script.
//! * `overview`, `finished`, `search`: the lists of runs.
//! * `run`, `change`, `boards`: a run, the commits between its engines, and its games in
//!   progress.
//! * `fleet`, `submit`: the machines, and the form for a new run.

pub(super) mod assets;
mod boards;
mod change;
mod finished;
mod fleet;
mod frame;
mod overview;
mod run;
mod search;
mod submit;

pub(super) use boards::boards;
pub(super) use change::change;
pub(super) use finished::finished_page;
pub(super) use fleet::fleet_parts;
pub(super) use frame::{Site, document, not_found, offline, still as plain};
pub(super) use overview::overview_parts;
pub(super) use run::{Beside, nights_parts, run_parts};
pub(super) use search::Search;
pub(super) use submit::submit_page;

use hone_report::percent_encoded;

/// The URL of a run's page, for any folder name.
pub(super) fn run_href(run: &str) -> String {
    format!("/runs/{}", percent_encoded(run))
}

/// A time, given in milliseconds since 1970.
fn at(moment_ms: i64) -> String {
    match jiff::Timestamp::from_millisecond(moment_ms) {
        Ok(moment) => moment.strftime("%Y-%m-%d %H:%M UTC").to_string(),
        Err(_) => "–".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_can_stand_in_an_address() {
        assert_eq!(run_href("a~b-1.5+0.1"), "/runs/a~b-1.5%2B0.1");
        assert_eq!(run_href("\"><ü/.."), "/runs/%22%3E%3C%C3%BC%2F..");
    }

    #[test]
    fn a_moment_has_its_time_zone() {
        assert_eq!(at(0), "1970-01-01 00:00 UTC");
        assert_eq!(at(i64::MAX), "–");
    }
}
