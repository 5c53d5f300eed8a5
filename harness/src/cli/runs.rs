//! `hone runs`: the runs in a folder.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use console::truncate_str;
use serde::Serialize;

use super::{Exit, Failure};
use hone_base::text::with_causes;
use hone_base::{out, outln};
use hone_experiment::settings::{BookSource, Shard};
use hone_experiment::{Experiment, Verdict};
use hone_kinds as kinds;
use hone_report::{
    TestVerdict, first_engine, is_of_first_engine, limits, shown_elo, signed, verdict_of,
};
use hone_run::ledger::is_whole_run_played;
use hone_run::{
    EngineIdentity, Folder, Kind, Manifest, NIGHTS_RUNS, RESULTS, RunFiles, list_runs,
    started_stages,
};

/// List the runs in a folder, oldest first, then those of its nightlies.
#[derive(Debug, Args)]
pub(super) struct RunsArgs {
    /// The folder of runs [default: results].
    folder: Option<PathBuf>,
    /// Print one JSON object on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listing {
    runs: Vec<RunLine>,
    /// Folders of runs that cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    damaged: Vec<Damaged>,
}

#[derive(Serialize)]
struct RunLine {
    run: String,
    kind: Kind,
    verdict: TestVerdict,
    /// Whether it is finished.
    finished: bool,
    /// Whether it ended because its games repeat.
    #[serde(rename = "repeated_games", skip_serializing_if = "std::ops::Not::not")]
    is_repeated: bool,
    /// Its state in the table.
    state: &'static str,
    /// Its shard of the pairs.
    #[serde(skip_serializing_if = "Shard::is_whole")]
    shard: Shard,
    /// The last started stage of a test.
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<String>,
    engines: Vec<String>,
    /// The engines with commit and subject.
    descriptions: Vec<String>,
    /// The limit of all engines; if they differ, that of each, in order.
    limit: String,
    book: Option<BookSource>,
    pairs: u64,
    /// Elo of the first engine, of a test corrected for its stopping rule; `None` if it does
    /// not play in all pairs, or the pairs compare commits or sets of values.
    elo: Option<f64>,
}

#[derive(Serialize)]
struct Damaged {
    run: String,
    reason: String,
}

impl RunLine {
    fn read(folder: Folder, manifest: Manifest) -> anyhow::Result<Self> {
        let first = RunFiles::of(folder, manifest)?;
        let run = first.folder.name();
        let is_played = is_whole_run_played(first.folder.path());
        let stages = first.manifest.config.stage.len();
        let started = started_stages(&first.manifest, first.folder.path());
        let stage = started.len() + 1;
        let config = first.manifest.config.clone();
        // The last started stage has the state of the test.
        let files = match started.last() {
            Some(dir) => RunFiles::open(dir)?,
            None => first,
        };
        let fold = kinds::fold_of(&files)?;
        let (judged, withheld) = verdict_of(&files, &fold)?;
        let has_next = stage < stages && judged == TestVerdict::H1;
        let verdict = fold.verdict().filter(|_| !has_next);
        let elo = is_of_first_engine(&files.manifest).then(|| {
            shown_elo(
                first_engine(&fold.tally).pentanomial,
                fold.experiment.test(),
                fold.experiment.always_valid(),
                fold.verdict().is_some() && files.manifest.plays_as_planned(),
            )
        });
        Ok(Self {
            run,
            kind: files.manifest.kind,
            verdict: if has_next { TestVerdict::None } else { judged },
            finished: verdict.is_some(),
            is_repeated: verdict == Some(Verdict::Repeated),
            state: if withheld.is_some() {
                "withheld"
            } else {
                state(verdict, is_played)
            },
            shard: config.r#match.shard,
            stage: (stages > 1).then(|| config.stage_words(stage - 1)),
            engines: files.manifest.names(),
            descriptions: files
                .manifest
                .engines
                .iter()
                .map(EngineIdentity::description)
                .collect(),
            limit: limits(&files.manifest.config),
            book: files.manifest.config.r#match.openings.file.clone(),
            pairs: fold.tally.pairs,
            elo: elo.flatten().map(|elo| elo.estimate),
        })
    }
}

fn state(verdict: Option<Verdict>, is_played: bool) -> &'static str {
    match verdict {
        None if is_played => "running",
        None => "unfinished",
        Some(Verdict::Complete | Verdict::ShardPlayed) => "finished",
        Some(Verdict::Inconclusive | Verdict::Repeated) => "undecided",
        Some(Verdict::H1) => "H1",
        Some(Verdict::H0) => "H0",
    }
}

impl Listing {
    fn read(results: &Path) -> Self {
        let mut listing = Self {
            runs: Vec::new(),
            damaged: Vec::new(),
        };
        listing.add(results, "");
        listing.add(&results.join(NIGHTS_RUNS), &format!("{NIGHTS_RUNS}/"));
        listing
    }

    /// Adds the runs in a folder, with `before` as a prefix of their names.
    fn add(&mut self, folder: &Path, before: &str) {
        for (path, manifest) in list_runs(folder) {
            let folder = Folder::open(&path);
            let run = format!("{before}{}", folder.name());
            match manifest.and_then(|manifest| RunLine::read(folder, manifest)) {
                Ok(line) => self.runs.push(RunLine { run, ..line }),
                Err(error) => self.damaged.push(Damaged {
                    run,
                    reason: with_causes(&error),
                }),
            }
        }
    }
}

impl RunsArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let folder = self.folder.clone().unwrap_or_else(|| RESULTS.into());
        // Before the first run the default folder does not exist.
        if self.folder.is_some() && !folder.is_dir() {
            return Err(anyhow!("{} is not a folder", folder.display()).into());
        }
        let listing = Listing::read(&folder);
        if self.json {
            outln!("{}", serde_json::to_string(&listing)?);
        } else if listing.runs.is_empty() && listing.damaged.is_empty() {
            outln!("no runs in {}", folder.display());
        } else {
            let width = console::Term::stdout().size_checked();
            let width = width.map_or(usize::MAX, |(_, columns)| columns.into());
            out!("{}", cut(&table(&listing), width));
        }
        Ok(Exit::Done)
    }
}

/// The lines, cut to the width of the terminal.
fn cut(text: &str, width: usize) -> String {
    let lines = text.lines();
    let cut = lines.map(|line| format!("{}\n", truncate_str(line, width, "…")));
    cut.collect()
}

fn table(listing: &Listing) -> String {
    let names = listing.runs.iter().map(|run| &run.run);
    let names = names.chain(listing.damaged.iter().map(|run| &run.run));
    let width = names.map(String::len).max().unwrap_or(0).max(3);
    let limits = listing.runs.iter().map(|run| run.limit.chars().count());
    let limits = limits.max().unwrap_or(0).max(12);
    let mut text = format!(
        "{:<width$} {:<6} {:<10} {:>7} {:>8}  {:<limits$} {:<16} engines\n",
        "run", "kind", "state", "pairs", "Elo", "limit", "book"
    );
    for run in &listing.runs {
        let elo = run.elo.map_or("-".to_string(), signed);
        let book = run.book.as_ref().map_or("-".into(), BookSource::name);
        text += &format!(
            "{:<width$} {:<6} {:<10} {:>7} {elo:>8}  {:<limits$} {book:<16} {}\n",
            run.run,
            run.kind.name(),
            run.state,
            run.pairs,
            run.limit,
            players(run)
        );
    }
    for Damaged { run, reason } in &listing.damaged {
        text += &format!("{run:<width$} damaged: {reason}\n");
    }
    text
}

/// The engines (for a bisection, both ends of the history), and the shard.
fn players(run: &RunLine) -> String {
    let mut text = match (&run.descriptions[..], run.kind.is_over_history()) {
        ([good, .., bad], true) => format!("{good} .. {bad}"),
        (all, _) => all.join(" - "),
    };
    if !run.shard.is_whole() {
        text += &format!(", {}", run.shard.words());
    }
    if let Some(stage) = &run.stage {
        text += &format!(", {stage}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_do_not_wrap() {
        assert_eq!(cut("run kind\none sprt\n", 5), "run …\none …\n");
        assert_eq!(cut("run kind\n", usize::MAX), "run kind\n");
    }
}
