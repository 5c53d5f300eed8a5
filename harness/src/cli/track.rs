//! `hone track`: Elo of every nightly.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use super::args::conditions::ConditionArgs;
use super::args::ends::EndArgs;
use super::args::place::PlaceArgs;
use super::args::ranges::from_one;
use super::errors::exit::failure;
use super::results::outcome::show;
use super::results::progress::announce;
use super::{Exit, Failure};
use hone_base::diagnostic::shown;
use hone_kinds::track::{NightEnd, TrackReport, Tracker};
use hone_report::{self as report, Report, error_block};
use hone_run::SessionError;
use hone_run::config::{Config, Draft};

/// Track an engine's Elo every night.
///
/// Builds the newest commit, plays it against the anchor, the last release and
/// the previous nightly, and adds a row to results/elo.csv.
#[derive(Debug, Args)]
pub(super) struct TrackArgs {
    /// The configuration, in TOML; see configs/nightly.toml for one with
    /// comments.
    config: PathBuf,
    /// Override a value of the configuration, as in `track.pairs=100`.
    #[arg(long = "set", value_name = "KEY.PATH=VALUE")]
    set: Vec<String>,
    /// The folder of elo.csv, elo.html, elo.md, elo.svg and of the runs of
    /// the nightlies.
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// Play every commit after this one that has not been played yet.
    #[arg(long, value_name = "REV")]
    since: Option<String>,
    /// Play the newest commit even if it has been played or could not be
    /// finished.
    #[arg(long, conflicts_with = "since")]
    force: bool,
    /// Pairs against each opponent.
    #[arg(long, visible_alias = "rounds", value_name = "N", value_parser = from_one::<std::num::NonZeroU32>)]
    pairs: Option<std::num::NonZeroU32>,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    ends: EndArgs,
    #[command(flatten)]
    conditions: ConditionArgs,
}

impl TrackArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let config = self.config()?;
        Tracker::check(&config).with_context(|| self.config.display().to_string())?;
        self.ends.results.check()?;
        let place = self.place.place()?;
        let max_time = self.ends.max_time;
        let since = self.since.as_deref();
        let tracker = Tracker::open(config, since, &self.out, max_time, announce)?;
        let mut tracker = tracker.at(place);
        let end = tracker.play_all(self.force);
        // The nights that were played are shown in any case.
        let report = tracker.report();
        if report.has_nights() {
            report::write_files(&report, &self.out).map_err(Failure::failed)?;
        }
        let results = &self.ends.results;
        if end.is_ok() {
            show(&report, results.json)?;
        }
        let summary = summary(&report, end.as_ref().err());
        results.summarize(&summary).map_err(Failure::failed)?;
        let end = end.map_err(failure)?;
        if end != NightEnd::Interrupted {
            tracker.mark_reported().map_err(Failure::failed)?;
        }
        Ok(match end {
            NightEnd::Interrupted => Exit::Interrupted,
            NightEnd::Played | NightEnd::OutOfTime if report.has_unreported_regression() => {
                Exit::Rejected
            }
            NightEnd::Played if report.has_withheld_regression() => Exit::Inconclusive,
            NightEnd::OutOfTime => Exit::Inconclusive,
            NightEnd::Played => Exit::Done,
        })
    }

    /// The configuration with the other arguments applied.
    fn config(&self) -> anyhow::Result<Config> {
        let mut draft = Draft::read(Some(&self.config))?;
        let pairs = self.pairs.map(|pairs| i64::from(pairs.get()));
        draft.flag("--pairs", pairs, &["track", "pairs"]);
        self.conditions.apply(&mut draft, &self.set)?;
        Ok(draft.finish()?)
    }
}

/// The report as a summary, after the error that stopped it, if any.
fn summary(report: &TrackReport, error: Option<&SessionError>) -> String {
    let head = error.map_or(String::new(), |error| error_block(&shown(error)));
    head + &report.summary(None)
}
