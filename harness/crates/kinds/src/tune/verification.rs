//! The sequential test of the tuned values against the start: a separate run
//! in the folder of the tuning.

use std::env;

use anyhow::Context;

use super::facts::TuneFacts;
use super::report::TuneReport;
use super::tested::UNCHANGED;
use crate::kind::{FollowUpOptions, RunKind};
use crate::session::{Earlier, Session};
use crate::sprt::SequentialTest;
use hone_base::diagnostic::{Advise, Diagnostic};
use hone_base::output::Announce;
use hone_base::platform::quoted;
use hone_experiment::Verdict;
use hone_experiment::tune::section::VerifySection;
use hone_report::{MatchReport, write_files};
use hone_run::config::Config;
use hone_run::prepare::book::open_book;
use hone_run::{EarlierRun, Ended, Manifest, RunFiles, SessionError, VERIFY, started_verification};

/// Refuses a book of the test that cannot be used, because the test starts hours later.
pub(super) fn check(config: &Config) -> anyhow::Result<()> {
    let test = config.tune.as_ref().and_then(|tune| tune.verify.as_ref());
    let Some(test) = test.filter(|test| test.openings.is_some()) else {
        return Ok(());
    };
    let base = env::current_dir().context("cannot find the working directory")?;
    // A separate book does not depend on those that the tuning has used.
    let config = conditions(config, test, 0);
    open_book(&config, SequentialTest::openings(&config), &base).diagnosed(|| {
        let key = ["tune", "verify", "openings", "file"];
        Diagnostic::new("`openings` in [tune.verify]").key(&key)
    })?;
    Ok(())
}

/// The most openings that the tuning and its test use together; `None` without a test, or if it
/// has another book.
pub(super) fn shared_openings(config: &Config) -> Option<u64> {
    let tuning = config.tune.as_ref()?;
    let test = tuning.verify.as_ref()?;
    let own = test.openings.as_ref();
    let is_same = own.is_none_or(|own| own.file == config.r#match.openings.file);
    is_same.then(|| tuning.pairs().saturating_add(test.sprt.max_pairs))
}

/// The results so far of the test of a tuning's values, if it has been started.
///
/// # Errors
/// If its files cannot be read.
pub(super) fn read(files: &RunFiles) -> anyhow::Result<Option<MatchReport>> {
    let dir = started_verification(&files.manifest, files.folder.path());
    dir.map(|dir| SequentialTest::read(&dir)).transpose()
}

/// Plays or continues the test, if the configuration has one, and writes the
/// report of the tuning again with it. The end of `--max-time` comes before the
/// test's own time limit.
///
/// # Errors
/// [`SessionError`].
pub(super) fn play(
    report: &mut TuneReport,
    options: &mut FollowUpOptions<'_>,
    announce: Announce<'_>,
) -> Result<Option<Ended>, SessionError> {
    let (facts, manifest) = (&report.facts, &report.files.manifest);
    let tuning = report.files.folder.path().to_path_buf();
    let dir = tuning.join(VERIFY);
    let section = manifest.config.tune.as_ref();
    let test = section.and_then(|tune| tune.verify.as_ref());
    let is_begun = test.is_some() && started_verification(manifest, &tuning).is_some();
    if !facts.is_changed() && !is_begun {
        announce(&format!("{UNCHANGED}."));
        return Ok(test.map(|_| Ended::Verdict(Verdict::Inconclusive)));
    }
    let Some(test) = test else {
        announce(&format!(
            "The tuned values are not tested. Test them against the start with `hone resume {} --verify`.",
            quoted(&tuning)
        ));
        return Ok(None);
    };
    let config = configuration(manifest, test, facts);
    let earlier = Earlier {
        manifest,
        books: manifest.book.as_slice(),
        runs: vec![EarlierRun {
            folder: "..".into(),
            pairs: facts.pairs,
        }],
    };
    let session =
        Session::<SequentialTest>::after(&earlier, config.clone(), &dir, options, announce)?;
    let Some(session) = session else {
        return Ok(Some(Ended::Interrupted));
    };
    let settings = &session.manifest.config;
    let sprt = settings.sprt.unwrap_or_default();
    announce(&format!(
        "\n{}\nTesting the tuned values against the start: Elo {} against {}",
        facts.text(),
        sprt.elo0,
        sprt.elo1
    ));
    if differs(&config, settings) {
        announce(CHANGED);
    }
    let played = session
        .run(options.stop, announce)
        .map_err(|error| error.of_folder(&tuning))?;
    report.verification = Some(played.report.into_first());
    write_files(&*report, &tuning).map_err(SessionError::AfterStart)?;
    Ok(Some(played.ended))
}

/// A test keeps the settings with which it was started, because all its pairs must have the
/// same.
const CHANGED: &str = "warning: [config.tune.verify] in run.toml has changed since the test \
     began; the test keeps the settings in verify/run.toml\n\
     help: to test with the new settings, move the folder `verify` away and resume again";

/// Whether a test with the settings `wanted` differs from the one that is `played`.
fn differs(wanted: &Config, played: &Config) -> bool {
    let (one, other) = (&wanted.r#match, &played.r#match);
    wanted.sprt != played.sprt
        || one.limit != other.limit
        || one.openings != other.openings
        || one.seed != other.seed
}

/// The conditions of the verifying test after a tuning of `planned` pairs, with the engines of
/// the tuning.
fn conditions(tuning: &Config, test: &VerifySection, planned: u64) -> Config {
    let mut config = tuning.clone();
    config.tune = None;
    config.stage.clear();
    config.sprt = Some(test.sprt);
    if let Some(limit) = &test.limit {
        config.set_limit(limit.clone());
    }
    // Not the openings of the tuning, even from the same book.
    config.r#match.continue_openings(planned);
    if let Some(openings) = &test.openings {
        config.r#match.openings = openings.clone();
    }
    if let Some(seed) = test.seed {
        config.r#match.seed = seed;
    }
    config
}

/// The configuration of the verifying test.
fn configuration(manifest: &Manifest, test: &VerifySection, facts: &TuneFacts) -> Config {
    let mut config = conditions(&manifest.config, test, facts.planned);
    let sides = [("tuned", facts.options()), ("start", facts.start_options())];
    for (engine, (name, options)) in config.engine.iter_mut().zip(sides) {
        engine.name = name.to_owned();
        let all = &mut engine.options.0;
        all.retain(|(known, _)| {
            !options
                .iter()
                .any(|(tuned, _)| tuned.eq_ignore_ascii_case(known))
        });
        all.extend(options);
    }
    config
}
