//! `hone report`.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;

use super::results::outcome::show;
use super::{Exit, Failure};
use hone_base::diagnostic::Advise;
use hone_base::text::with_causes;
use hone_base::{errln, out};
use hone_kinds as kinds;
use hone_kinds::track::TrackReport;
use hone_report::html::{Page, PageLocation};
use hone_report::{Form, Report, write_files};
use hone_run::prepare::conditions::Comparison;
use hone_run::{RunFiles, find_run, is_folder_of_nights};

/// Print the result of a run, finished or not, or of all nightlies.
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The run: its folder, the beginning of its name in results/, or latest.
    /// Or the folder of `hone track`.
    #[arg(add = super::completions::run())]
    run: PathBuf,
    /// Also write a self-contained HTML report: charts, failures, and every
    /// game on a board.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print the numbers as OpenBench or fishtest show them, for a commit message. Only of
    /// matches and tests of two engines, and of gauntlets with one seed.
    #[arg(long, value_name = "FORM", conflicts_with = "json")]
    format: Option<Form>,
    /// Print one JSON object on standard output.
    #[arg(long)]
    json: bool,
}

impl ReportArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let run = find_run(&self.run)?;
        let report: Box<dyn Report> = if is_folder_of_nights(&run) {
            Box::new(TrackReport::read(&run)?)
        } else {
            let files = RunFiles::open(&run)?;
            // Values to copy, and charts.
            let has_files = files.manifest.kind.has_tuned_values();
            let changed = changed(&files)?;
            let report = kinds::report(files)?;
            match (has_files, changed) {
                (true, None) => write(&*report, &run),
                (true, Some(fault)) => errln!("warning: {fault}; {NOT_WRITTEN}"),
                (false, Some(fault)) => errln!("warning: {fault}"),
                (false, None) => {}
            }
            report
        };
        let form = self
            .format
            .map(|form| in_form(&*report, form))
            .transpose()?;
        if let Some(path) = &self.html {
            let place = if is_inside(path, &run) {
                PageLocation::Inside
            } else {
                PageLocation::Elsewhere
            };
            write_page(path, report.page(place)?)?;
        }
        match form {
            Some(text) => out!("{text}"),
            None => show(&*report, self.json)?,
        }
        Ok(Exit::Done)
    }
}

const NOT_WRITTEN: &str = "the report's files are not written";

/// What is wrong if `run.toml` was edited: the results follow from what it is now, and not from
/// what was played.
fn changed(files: &RunFiles) -> anyhow::Result<Option<String>> {
    let mut comparison = Comparison::new(files.folder.path())?;
    for pair in files.pairs.by_arrival()? {
        comparison.add(&pair?);
    }
    Ok(comparison.fault())
}

/// Writes the files of a report. A read-only folder can still be reported.
fn write(report: &dyn Report, run: &Path) {
    if let Err(error) = write_files(report, run) {
        errln!("warning: {NOT_WRITTEN}: {}", with_causes(&error));
    }
}

/// The numbers in the format of another test page.
///
/// # Errors
/// If the run's pairs are not all those of its first engine.
fn in_form(report: &dyn Report, form: Form) -> anyhow::Result<String> {
    report
        .form(form)
        .context("`--format` needs a run whose pairs are all those of its first engine")
        .help("that is a match or a test of two engines, or a gauntlet with one seed")
}

/// Whether a page at `path` lies in the run's folder, so that its links may
/// be relative.
fn is_inside(path: &Path, folder: &Path) -> bool {
    let parent = match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => return false,
    };
    match (parent.canonicalize(), folder.canonicalize()) {
        (Ok(parent), Ok(folder)) => parent == folder,
        _ => false,
    }
}

/// Writes a page to the path that the user has given.
fn write_page(path: &Path, page: Page) -> anyhow::Result<()> {
    page.save(path)?;
    errln!("wrote {}", path.display());
    Ok(())
}
