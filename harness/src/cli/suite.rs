//! `hone suite`: an engine on test positions.

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use super::sandbox::SandboxArgs;
use super::{Exit, Failure, concurrency, progress};
use crate::engine::analysis::{Analyst, EngineCommand, Evaluation, SearchLimit, evaluate_all};
use crate::engine::uci::parse_option;
use crate::openings::{Opening, Variant};
use crate::suite::grade::Grade;
use crate::suite::problem::Suite as Problems;
use crate::suite::report::{Comparison, Report};

/// Run an engine on test positions (EPD with bm, am, dm or points in c0)
///
/// A position is solved if the final move is one of the best moves (bm), not
/// one to avoid (am), or a mate within the given number of moves (dm). The
/// table also shows when the engine first chose the solution, and since when
/// it kept it. The engine starts each position with a cleared transposition
/// table, so the order does not matter.
#[derive(Debug, Args)]
pub(super) struct Suite {
    /// The positions: EPD, plain or packed with gzip or zip
    file: PathBuf,
    /// The engine: any UCI engine
    #[arg(long, value_name = "CMD")]
    engine: String,
    #[command(flatten)]
    limit: LimitArgs,
    /// Set an option of the engine (more than once for several)
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option)]
    options: Vec<(String, String)>,
    /// A second engine to compare with the first
    #[arg(long, value_name = "CMD")]
    compare: Option<String>,
    /// Set an option of the second engine (more than once for several)
    #[arg(long = "compare-option", value_name = "NAME=VALUE", value_parser = parse_option, requires = "compare")]
    compare_options: Vec<(String, String)>,
    /// Engines at work at once [default: number of physical cores]
    #[arg(long, value_name = "N")]
    concurrency: Option<NonZeroUsize>,
    /// The positions are from Chess960; recognised where most castle only there
    #[arg(long)]
    chess960: bool,
    /// List the positions that are not solved
    #[arg(long)]
    failures: bool,
    #[command(flatten)]
    sandbox: SandboxArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The limit of each position; one second by default.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct LimitArgs {
    /// Milliseconds for each position [default: 1000]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Nodes for each position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Depth for each position
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
}

#[derive(Debug, Serialize)]
struct Output {
    suite: PathBuf,
    limit: SearchLimit,
    warnings: Vec<String>,
    #[serde(flatten)]
    report: Report,
    compare: Option<Comparison>,
}

impl Suite {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let suite = Problems::open(&self.file, self.variant())?;
        warn(&suite, &self.file, self.variant());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let played = runtime.block_on(async {
            tokio::select! {
                played = self.play(&suite) => played.map(Some),
                interrupt = tokio::signal::ctrl_c() => {
                    interrupt?;
                    Ok(None)
                }
            }
        })?;
        let Some((report, compare)) = played else {
            errln!("interrupted");
            return Ok(Exit::Interrupted);
        };
        if self.json {
            let output = Output {
                limit: self.limit.limit(),
                suite: self.file,
                warnings: suite.warnings,
                report,
                compare,
            };
            outln!("{}", serde_json::to_string(&output)?);
        } else {
            match &compare {
                Some(compare) => {
                    out!("{}", compare.text(&report));
                    out!("\n{}{}", report.text(), compare.report.text());
                }
                None => out!("{}", report.text()),
            }
            let reports = [
                Some(&report),
                compare.as_ref().map(|compare| &compare.report),
            ];
            for report in reports.into_iter().flatten() {
                if self.failures {
                    out!("{}", report.failures_text());
                } else if !report.failures.is_empty() {
                    let (count, name) = (report.failures.len(), &report.engine);
                    outln!("{name}: {count} not solved; --failures lists them");
                }
            }
        }
        Ok(Exit::Done)
    }

    async fn play(&self, suite: &Problems) -> Result<(Report, Option<Comparison>), Failure> {
        let first = self.start(suite, &self.engine, &self.options).await?;
        let second = match &self.compare {
            Some(engine) => Some(self.start(suite, engine, &self.compare_options).await?),
            None => None,
        };
        let report = self.solve(suite, first).await?;
        let compare = match second {
            Some(second) => Some(Comparison::new(&report, self.solve(suite, second).await?)),
            None => None,
        };
        Ok((report, compare))
    }

    async fn start(
        &self,
        suite: &Problems,
        engine: &str,
        options: &[(String, String)],
    ) -> Result<Vec<Analyst>, Failure> {
        let command = self
            .sandbox
            .around(EngineCommand::new(engine, options.to_vec())?)?;
        let count = concurrency(self.concurrency)?;
        let analysts = Analyst::start_several(count, &command, suite.variant).await;
        Ok(analysts.with_context(|| format!("the engine `{engine}`"))?)
    }

    async fn solve(&self, suite: &Problems, analysts: Vec<Analyst>) -> Result<Report, Failure> {
        let problems = &suite.problems;
        let name = analysts[0].name().to_owned();
        let fens = problems
            .iter()
            .map(|problem| {
                let opening = Opening::from_position(&problem.position);
                opening.start_fen().to_owned()
            })
            .collect();
        let bar = progress::positions(problems.len());
        bar.set_message(format!("by {name}"));
        let arrived = Rc::new(RefCell::new(Vec::new()));
        let kept = Rc::clone(&arrived);
        let work = evaluate_all(analysts, fens, self.limit.limit(), move |index, answer| {
            kept.borrow_mut().push((index, answer.clone()));
            bar.inc(1);
        });
        let evaluations = work.await.map_err(|error| {
            let arrived = arrived.borrow();
            let is_solved = |(index, answer): &&(usize, Evaluation)| {
                Grade::new(&problems[*index], answer).solved
            };
            let (solved, count) = (arrived.iter().filter(is_solved).count(), arrived.len());
            errln!("before the failure, {name} solved {solved} of {count} positions");
            Failure::failed(error)
        })?;
        let grades = problems
            .iter()
            .zip(&evaluations)
            .map(|(problem, evaluation)| Grade::new(problem, evaluation))
            .collect();
        Ok(Report::new(name, problems, grades))
    }

    fn variant(&self) -> Variant {
        if self.chess960 {
            Variant::Chess960
        } else {
            Variant::Standard
        }
    }
}

/// Reports what was corrected while reading: one message for any number of
/// positions.
fn warn(suite: &Problems, file: &Path, asked: Variant) {
    if suite.variant != asked {
        errln!("{} is read as a Chess960 suite", file.display());
    }
    let (first, more) = suite.warnings.split_at(suite.warnings.len().min(3));
    for warning in first {
        errln!("warning: {warning}");
    }
    if !more.is_empty() {
        errln!(
            "warning: and {} more positions; --json lists all",
            more.len()
        );
    }
}

impl LimitArgs {
    fn limit(&self) -> SearchLimit {
        match (self.nodes, self.depth) {
            (Some(nodes), _) => SearchLimit::Nodes(nodes),
            (None, Some(depth)) => SearchLimit::Depth(depth),
            (None, None) => SearchLimit::MoveTime(self.movetime.unwrap_or(1000)),
        }
    }
}
