//! `hone suite`: an engine on test positions.

use std::future::Future;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::pin::{Pin, pin};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use super::args::engines::{concurrency, program};
use super::args::ranges::from_one;
use super::args::sandbox::SandboxArgs;
use super::results::progress;
use super::{Exit, Failure};
use hone_base::diagnostic::Diagnostic;
use hone_base::{errln, out, outln};
use hone_books::suite::problem::{Problem, Suite as Problems};
use hone_books::suite::report::{Comparison, SuiteReport};
use hone_books::suite::solve::{Limits, SolveError, solve};
use hone_uci::engine::analysis::{AnalysisError, Analyst, SearchLimit};
use hone_uci::engine::uci::parse_option;
use hone_uci::openings::Variant;

/// Run an engine on test positions (EPD with bm, am, dm or points in c0)
///
/// A position is solved if the final move is a best move (bm) or not a move to
/// avoid (am), or if its score is a mate in at most N moves (dm N). The
/// table also shows when the engine first chose the solution, and since when
/// it kept it. The engine starts each position with a cleared transposition
/// table, so the order does not matter. If an engine fails (exit code 4) or
/// you interrupt it, the positions that were answered before are shown.
#[derive(Debug, Args)]
pub(super) struct Suite {
    /// The positions: EPD, plain or packed with gzip or zip
    file: PathBuf,
    /// The engine: any UCI engine
    #[arg(long, value_name = "CMD")]
    engine: String,
    #[command(flatten)]
    limit: LimitArgs,
    /// Milliseconds without an answer until an engine counts as stalled; needs
    /// --nodes or --depth [default: 600000]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    stall_ms: Option<u64>,
    /// Set an option of the engine; repeatable
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option)]
    options: Vec<(String, String)>,
    /// A second engine to compare with the first
    #[arg(long, value_name = "CMD")]
    compare: Option<String>,
    /// Set an option of the second engine; repeatable
    #[arg(long = "compare-option", value_name = "NAME=VALUE", value_parser = parse_option, requires = "compare")]
    compare_options: Vec<(String, String)>,
    /// Engines that run at the same time [default: number of physical cores]
    #[arg(long, value_name = "N", value_parser = from_one::<NonZeroUsize>)]
    concurrency: Option<NonZeroUsize>,
    /// Read the positions as Chess960; by default detected from their castling rights
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
    report: SuiteReport,
    compare: Option<Comparison>,
}

/// The results of the engines, and why they are incomplete.
struct SuiteRun {
    report: SuiteReport,
    compare: Option<Comparison>,
    error: Option<SolveError>,
}

impl Suite {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        self.check_stall()?;
        let suite = Problems::open(&self.file, self.variant())?;
        warn(&suite, &self.file, self.variant());
        let runtime = hone_base::platform::runtime()?;
        let played = runtime.block_on(async {
            let mut interrupt = pin!(tokio::signal::ctrl_c());
            let engines = tokio::select! {
                engines = self.start_both(&suite) => engines?,
                _ = &mut interrupt => return Ok::<_, Failure>(None),
            };
            Ok(Some(self.play(&suite, engines, interrupt).await))
        })?;
        let Some(played) = played else {
            errln!("interrupted");
            return Ok(Exit::Interrupted);
        };
        if self.json {
            let output = Output {
                limit: self.limit.limit(),
                suite: self.file,
                warnings: suite.warnings,
                report: played.report,
                compare: played.compare,
            };
            outln!("{}", serde_json::to_string(&output)?);
        } else {
            self.print(&played.report, played.compare.as_ref());
        }
        match played.error {
            None => Ok(Exit::Done),
            Some(SolveError::Interrupted) => {
                errln!("interrupted");
                Ok(Exit::Interrupted)
            }
            Some(error @ SolveError::Engine(AnalysisError::Stall { .. }))
                if !self.limit.has_time() =>
            {
                Err(Failure::failed(anyhow::anyhow!(
                    Diagnostic::of(error).help("if it needs longer, raise `--stall-ms`")
                )))
            }
            Some(error) => Err(Failure::failed(error)),
        }
    }

    fn check_stall(&self) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.stall_ms.is_none() || !self.limit.has_time(),
            Diagnostic::new("cannot use `--stall-ms` with a time for each position: that already limits the wait")
                .help("give `--nodes N` or `--depth D`, or leave out `--stall-ms`")
        );
        Ok(())
    }

    /// Prints the tables as text.
    fn print(&self, report: &SuiteReport, compare: Option<&Comparison>) {
        match compare {
            Some(compare) => {
                out!("{}", compare.text(report));
                out!("\n{}{}", report.text(), compare.report.text());
            }
            None => out!("{}", report.text()),
        }
        let reports = [Some(report), compare.map(|compare| &compare.report)];
        let unsolved = |report: &&SuiteReport| !report.failures.is_empty();
        for report in reports.into_iter().flatten().filter(unsolved) {
            if self.failures {
                out!("{}", report.failures_text());
            } else {
                let (count, name) = (report.failures.len(), &report.engine);
                outln!("{name}: {count} not solved; --failures lists them");
            }
        }
        outln!("limit of each position: {}", self.limit.words());
    }

    /// Starts the engine and, if given, the one to compare with.
    async fn start_both(
        &self,
        suite: &Problems,
    ) -> Result<(Vec<Analyst>, Option<Vec<Analyst>>), Failure> {
        let first = self.start(suite, &self.engine, &self.options).await?;
        let second = match &self.compare {
            Some(engine) => Some(self.start(suite, engine, &self.compare_options).await?),
            None => None,
        };
        Ok((first, second))
    }

    /// Runs the first engine and, unless that is interrupted, the second.
    async fn play<I: Future>(
        &self,
        suite: &Problems,
        (first, second): (Vec<Analyst>, Option<Vec<Analyst>>),
        mut interrupt: Pin<&mut I>,
    ) -> SuiteRun {
        let (report, mut error) = self.solve(suite, first, interrupt.as_mut()).await;
        let mut compare = None;
        if let Some(second) = second
            && error.is_none()
        {
            let (second, failed) = self.solve(suite, second, interrupt).await;
            compare = Some(Comparison::new(&report, second));
            error = failed;
        }
        SuiteRun {
            report,
            compare,
            error,
        }
    }

    async fn start(
        &self,
        suite: &Problems,
        engine: &str,
        options: &[(String, String)],
    ) -> Result<Vec<Analyst>, Failure> {
        let command = self.sandbox.around(program(engine, options.to_vec())?)?;
        let count = concurrency(self.concurrency)?;
        let analysts = Analyst::start_several(count, &command, suite.variant).await;
        Ok(analysts.with_context(|| format!("the engine `{engine}`"))?)
    }

    async fn solve<I: Future>(
        &self,
        suite: &Problems,
        analysts: Vec<Analyst>,
        interrupt: Pin<&mut I>,
    ) -> (SuiteReport, Option<SolveError>) {
        let problems = &suite.problems;
        let name = analysts[0].name().to_owned();
        let bar = progress::positions(problems.len());
        bar.set_message(format!("by {name}"));
        let counted = bar.clone();
        let waiting = |problem: &Problem, waited: Duration| {
            let (id, line) = (&problem.id, problem.line);
            let seconds = waited.as_secs_f64();
            bar.suspend(|| {
                errln!(
                    "waiting for {name} to answer position `{id}` (line {line}), {seconds:.1} s"
                );
            });
        };
        let limits = Limits {
            search: self.limit.limit(),
            stall: self.stall_ms.map(Duration::from_millis),
        };
        let answered = move || counted.inc(1);
        let solved = solve(analysts, problems, limits, answered, waiting, interrupt).await;
        (SuiteReport::new(name, problems, &solved), solved.error)
    }

    fn variant(&self) -> Variant {
        if self.chess960 {
            Variant::Chess960
        } else {
            Variant::Standard
        }
    }
}

/// Reports the corrections made while reading, in one message.
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
    fn has_time(&self) -> bool {
        matches!(self.limit(), SearchLimit::MoveTime(_))
    }

    fn words(&self) -> String {
        match self.limit() {
            SearchLimit::Nodes(nodes) => format!("{nodes} nodes"),
            SearchLimit::Depth(depth) => format!("depth {depth}"),
            SearchLimit::MoveTime(ms) => format!("{ms} ms"),
        }
    }

    fn limit(&self) -> SearchLimit {
        match (self.nodes, self.depth) {
            (Some(nodes), _) => SearchLimit::Nodes(nodes),
            (None, Some(depth)) => SearchLimit::Depth(depth),
            (None, None) => SearchLimit::MoveTime(self.movetime.unwrap_or(1000)),
        }
    }
}
