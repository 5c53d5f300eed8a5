//! Plays the stages of a test: each is played if the one before accepts H1.

use std::path::Path;

use anyhow::{Context, ensure};

use super::SequentialTest;
use super::report::TestReport;
use crate::kind::{FollowUpOptions, RunKind};
use crate::session::{Earlier, Session};
use hone_base::diagnostic::{Advise, Diagnostic};
use hone_base::output::Announce;
use hone_experiment::Verdict;
use hone_report::write_files;
use hone_run::config::Config;
use hone_run::prepare::book::{first_opening, open_book};
use hone_run::prepare::unchanged::remove_finished_builds;
use hone_run::{
    Ended, EngineIdentity, Manifest, PrepareError, PreparedEngines, SessionError, stage_folder_name,
};
use hone_uci::openings::Order;

/// Refuses stages that cannot be played, because they may start hours later.
pub(super) fn check(config: &Config) -> anyhow::Result<()> {
    let shard = config.r#match.shard;
    ensure!(
        config.stage.len() < 2 || shard.is_whole(),
        Diagnostic::new(format!("`shard` in [match] is {shard}, but all shards together decide whether a stage is passed"))
            .help("divide each stage as a test of its own, without [[stage]]")
    );
    let base = std::env::current_dir().context("cannot find the working directory")?;
    for (index, later) in (1..).zip(config.later_stages()) {
        if config.stage[index].openings.is_some() {
            open_book(&later, SequentialTest::openings(&later), &base)
                .diagnosed(|| faulty(config, index, &["openings", "file"]))?;
        }
    }
    Ok(())
}

/// The most openings that the stages with the book of the first use of it; `None` if no later
/// stage has that book.
pub(super) fn shared_openings(config: &Config) -> Option<u64> {
    let book = |config: &Config| config.r#match.openings.file.clone();
    let later = config.later_stages().into_iter();
    let same = later.filter(|later| book(later) == book(config));
    let later = same
        .filter_map(|later| SequentialTest::openings(&later))
        .reduce(u64::saturating_add)?;
    Some(later.saturating_add(SequentialTest::openings(config)?))
}

/// Refuses engines that do not accept the options of a later stage. They are built already.
pub(super) fn check_engines(
    config: &Config,
    engines: &[EngineIdentity],
    base: &Path,
    announce: Announce<'_>,
) -> Result<(), SessionError> {
    for (index, mut later) in (1..).zip(config.later_stages()) {
        if config.stage[index].options.is_empty() {
            continue;
        }
        announce(&format!(
            "checking the engines for {}",
            config.stage_words(index)
        ));
        remove_finished_builds(&mut later, engines);
        let book = open_book(&later, SequentialTest::openings(&later), base)?;
        let opening = first_opening(&later, book.as_ref());
        PreparedEngines::prepare(&later, base, Some(&opening), announce)
            .map_err(|error| of_stage(error, config, index))?;
    }
    Ok(())
}

/// The context of an error about a key of stage `index`.
fn faulty(config: &Config, index: usize, keys: &[&str]) -> Diagnostic {
    let number = index.to_string();
    let path = [&["stage", &number], keys].concat();
    Diagnostic::new(config.stage_words(index)).key(&path)
}

/// Adds the stage to an error about one of its options.
fn of_stage(error: PrepareError, config: &Config, index: usize) -> SessionError {
    let PrepareError::Option { error: refused, .. } = &error else {
        return error.into();
    };
    let mut options = config.stage[index].options.0.iter();
    let wrong = options.find(|(name, _)| name.eq_ignore_ascii_case(refused.option()));
    let context = wrong.map(|(name, _)| faulty(config, index, &["options", name]));
    match context {
        Some(context) => SessionError::Input(context.because(error).into()),
        None => error.into(),
    }
}

/// Plays or continues the stages after the first, as long as each accepts H1.
/// Returns how the last one ended, if one was played.
///
/// # Errors
/// [`SessionError`].
pub(super) fn play(
    report: &mut TestReport,
    options: &mut FollowUpOptions<'_>,
    announce: Announce<'_>,
) -> Result<Option<Ended>, SessionError> {
    let manifest = report.manifest().clone();
    let dir = report.dir().to_path_buf();
    let mut ended = None;
    let mut added = added_pairs(&manifest);
    for (index, mut config) in (1..).zip(manifest.config.later_stages()) {
        if !report.has_passed(index) {
            break;
        }
        if continues_order(&manifest.config, &config) {
            config
                .r#match
                .continue_openings(report.judged_before(index));
        } else {
            config.r#match.skip_openings(added);
        }
        announce(&format!("\n{}", manifest.config.stage_words(index)));
        let (folder, books) = (dir.join(stage_folder_name(index)), report.books());
        let earlier = Earlier {
            manifest: &manifest,
            books: &books,
            runs: report.runs_before(index),
        };
        let stage = Session::<SequentialTest>::after(&earlier, config, &folder, options, announce)?;
        let Some(stage) = stage else {
            return Ok(Some(Ended::Interrupted));
        };
        let played = stage.run(options.stop, announce);
        let played = played.map_err(|error| error.of_folder(&dir))?;
        added += added_pairs(&played.manifest);
        report.set_stage(index, played.report.into_first());
        write_files(&*report, &dir).map_err(SessionError::AfterStart)?;
        ended = Some(played.ended);
        if played.ended != Ended::Verdict(Verdict::H1) {
            break;
        }
    }
    Ok(ended)
}

/// Whether a later stage draws from the same random order of the same book as the first.
fn continues_order(first: &Config, later: &Config) -> bool {
    let (first, later) = (&first.r#match, &later.r#match);
    first.openings == later.openings
        && later.openings.order == Order::Random
        && first.seed == later.seed
}

/// The pairs that `hone resume --pairs` has added to a test.
fn added_pairs(manifest: &Manifest) -> u64 {
    let planned = manifest.config.sprt.unwrap_or_default().max_pairs;
    manifest
        .pairs
        .map_or(0, |pairs| pairs.saturating_sub(planned))
}
