//! Plays tests in a row, each if the one before accepts H1.

use std::path::Path;

use anyhow::{Context, ensure};

use super::folders::folder;
use super::report::TestReport;
use super::single::SingleTest;
use crate::config::Config;
use crate::experiment::Verdict;
use crate::kinds::kind::{RunKind, Terms};
use crate::kinds::session::Session;
use crate::report::write_files;
use crate::run::prepare::setup::{first_opening, leave_built, open_book};
use crate::run::{Ended, EngineIdentity, Manifest, PreparedEngines, SessionError};

/// Refuses stages that cannot be played: they may start hours later.
pub(super) fn check(config: &Config) -> anyhow::Result<()> {
    let shard = config.r#match.shard;
    ensure!(
        config.stage.len() < 2 || shard.is_whole(),
        "`shard` in [match] is {shard}, but a shard cannot know when a stage is passed\nhelp: divide each stage as a test of its own, without [[stage]]"
    );
    let base = std::env::current_dir().context("cannot find the working directory")?;
    for (index, later) in (1..).zip(config.later_stages()) {
        if config.stage[index].openings.is_some() {
            open_book(&later, SingleTest::openings(&later), &base)
                .with_context(|| config.stage_words(index))?;
        }
    }
    Ok(())
}

/// Refuses engines, which have been built, that do not take the options of a
/// later stage.
pub(super) fn check_engines(
    config: &Config,
    engines: &[EngineIdentity],
    base: &Path,
    announce: &mut dyn FnMut(&str),
) -> Result<(), SessionError> {
    for (index, mut later) in (1..).zip(config.later_stages()) {
        if config.stage[index].options.is_empty() {
            continue;
        }
        announce(&format!(
            "checking the engines for {}",
            config.stage_words(index)
        ));
        leave_built(&mut later, engines);
        let book = open_book(&later, SingleTest::openings(&later), base)?;
        let opening = first_opening(&later, book.as_ref());
        PreparedEngines::prepare(&later, base, Some(&opening), announce)?;
    }
    Ok(())
}

/// Plays or continues the stages after the first, as long as each accepts H1.
/// Returns how the last one ended, if one was played.
///
/// # Errors
/// [`SessionError`].
pub(super) fn play(
    report: &mut TestReport,
    terms: &Terms,
    announce: &mut dyn FnMut(&str),
) -> Result<Option<Ended>, SessionError> {
    let manifest = report.manifest().clone();
    let dir = report.dir().to_path_buf();
    let mut ended = None;
    let mut added = added_pairs(&manifest);
    for (index, mut config) in (1..).zip(manifest.config.later_stages()) {
        if !report.has_passed(index) {
            break;
        }
        config.r#match.skip_openings(added);
        announce(&format!("\n{}", manifest.config.stage_words(index)));
        let (folder, books) = (folder(&dir, index), report.books());
        let stage =
            Session::<SingleTest>::after(&manifest, &books, config, &folder, terms, announce)?;
        let played = stage.run(announce).map_err(|error| error.of_folder(&dir))?;
        added += added_pairs(&played.manifest);
        report.set_stage(index, played.report);
        write_files(&*report, &dir).map_err(SessionError::AfterStart)?;
        ended = Some(played.ended);
        if played.ended != Ended::Verdict(Verdict::H1) {
            break;
        }
    }
    Ok(ended)
}

/// The pairs that `hone resume --pairs` has added to a test.
fn added_pairs(manifest: &Manifest) -> u64 {
    let planned = manifest.config.sprt.unwrap_or_default().max_pairs;
    let pairs = manifest.planned_pairs().unwrap_or(planned);
    pairs.saturating_sub(planned)
}
