//! The end of a run: prints its results and writes its summary.

use std::path::Path;

use crate::cli::args::ends::ResultArgs;
use crate::cli::errors::exit::{Exit, Failure, exit_of, failure};
use hone_base::platform::quoted;
use hone_base::text::with_causes;
use hone_base::{errln, out, outln};
use hone_experiment::Verdict;
use hone_kinds::{self as kinds, Conclusion};
use hone_report::{self as report, Report};
use hone_run::{Ended, RunFiles, SessionError};

/// Writes the summary of a run that this error prevented, and returns the error. A failure to
/// write must not hide it.
pub(in crate::cli) fn not_played(failure: Failure, results: &ResultArgs) -> Failure {
    let text = report::error_block(&with_causes(&failure.error));
    if let Err(other) = results.summarize(&text) {
        errln!("warning: {}", with_causes(&other));
    }
    failure
}

/// The command line that resumes the run in a folder.
pub(in crate::cli) fn resuming(folder: &Path) -> String {
    format!("hone resume {}", quoted(folder))
}

/// Prints the results so far of a run that this error has stopped, and returns the error of
/// the process. A failure to print must not hide it.
pub(in crate::cli) fn stopped(error: SessionError, folder: &Path, results: &ResultArgs) -> Failure {
    let is_resumable = matches!(error, SessionError::Stopped { .. });
    let is_of_run = error.is_of_run();
    let failure = failure(error);
    let shown = if is_of_run {
        show_stopped(&failure, is_resumable, folder, results)
    } else {
        Ok(false)
    };
    match shown {
        Ok(true) => failure,
        Ok(false) => not_played(failure, results),
        Err(other) => {
            errln!(
                "warning: the results so far are not shown: {}",
                with_causes(&other)
            );
            failure
        }
    }
}

/// Prints the results of a stopped run. Returns whether it has any.
fn show_stopped(
    failure: &Failure,
    is_resumable: bool,
    folder: &Path,
    results: &ResultArgs,
) -> anyhow::Result<bool> {
    let files = RunFiles::open(folder)?;
    if !files.has_pairs()? {
        return Ok(false);
    }
    let report = kinds::report(files)?;
    show(&*report, results.json)?;
    let page = folder.join(report.page_name());
    // The disk may be full.
    if page.is_file() {
        errln!("Report with every game: {}", page.display());
    }
    let resume = resuming(folder);
    let so_far = report.summary(is_resumable.then_some(resume.as_str()));
    let summary = report::stopped_summary(&with_causes(&failure.error), &so_far);
    results.summarize(&summary)?;
    Ok(true)
}

/// Prints the results of a run and returns the exit code.
pub(in crate::cli) fn conclude(
    conclusion: Conclusion<Box<dyn Report>>,
    results: &ResultArgs,
) -> Result<Exit, Failure> {
    let Conclusion {
        ended,
        folder,
        manifest,
        report,
    } = conclusion;
    show(&*report, results.json).map_err(Failure::failed)?;
    let page = folder.path().join(report.page_name());
    errln!("Report with every game: {}", page.display());
    let resume = resuming(folder.path());
    let is_unfinished = matches!(ended, Ended::Interrupted | Ended::OutOfTime);
    let to_resume = is_unfinished.then_some(resume.as_str());
    results
        .summarize(&report.summary(to_resume))
        .map_err(Failure::failed)?;
    match ended {
        Ended::Verdict(_) if report.withheld().is_some() => return Ok(Exit::Inconclusive),
        Ended::Verdict(verdict) => {
            let is_test = manifest.kind.is_sequential_test() && manifest.pooled.is_empty();
            if is_test && verdict == Verdict::Inconclusive {
                errln!("Undecided. Play more pairs with `{resume} --pairs N`.");
            }
        }
        Ended::Interrupted | Ended::Waiting => {
            errln!("Interrupted. All finished pairs are saved. Resume with `{resume}`.");
        }
        Ended::OutOfTime => {
            errln!("Time limit reached. Resume with `{resume} --max-time TIME`.");
        }
    }
    Ok(exit_of(ended, manifest.kind))
}

/// Prints the results, as text or as one JSON object.
pub(in crate::cli) fn show(report: &dyn Report, json: bool) -> anyhow::Result<()> {
    if json {
        outln!("{}", report.json()?);
    } else {
        out!("{}", report.text());
    }
    Ok(())
}
