//! `hone book make`: positions drawn by seed and evaluated by an engine.

use std::{
    num::NonZeroUsize,
    ops::RangeInclusive,
    path::{Path, PathBuf},
};

use anyhow::{Context, anyhow};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::cli::args::engines::{concurrency, program};
use crate::cli::args::ranges;
use crate::cli::args::sandbox::SandboxArgs;
use crate::cli::{Exit, Failure};
use hone_base::checksum::sha256_file;
use hone_base::diagnostic::Diagnostic;
use hone_base::{errln, outln};
use hone_books::book::make::candidates::Candidates;
use hone_books::book::make::journal::Journal;
use hone_books::book::make::session::{self, Made, Progress};
use hone_books::book::make::{Recipe, SourceKind};
use hone_books::book::output::Output;
use hone_report::counted;
use hone_run::find_program;
use hone_uci::engine::analysis::{Analyst, EngineCommand};
use hone_uci::engine::uci::parse_option;
use hone_uci::openings::games::{Game, Games};
use hone_uci::openings::unreadable::first_fault;
use hone_uci::openings::{Variant, source};

/// Make a book: draw positions by seed, keep those in a score window
///
/// Candidates come from random legal moves, from the leading moves of games,
/// or from both. The engine searches each one twice, with an eighth of the
/// nodes and with all of them. A position is kept if the second score is
/// inside the window and close to the first (quiet), and if the book does not
/// contain it yet. The same command makes the same book, at any concurrency.
/// After an interruption the same command resumes.
#[derive(Debug, Args)]
pub(super) struct Make {
    /// The book to write: .epd or .pgn, with .gz or .zip after it to pack it
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The engine that evaluates: any UCI engine
    #[arg(long, value_name = "CMD")]
    engine: String,
    /// Set an option of the engine; repeatable
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option)]
    options: Vec<(String, String)>,
    /// Nodes for each position
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(8..))]
    nodes: u64,
    /// Positions wanted
    #[arg(long, value_name = "N", default_value = "1000", value_parser = ranges::from_one::<NonZeroUsize>)]
    count: NonZeroUsize,
    /// Plies from the start position: a number or a range like 6..10
    #[arg(long, value_name = "PLIES", default_value = "8", value_parser = ranges::plies)]
    plies: RangeInclusive<usize>,
    /// Scores wanted, in centipawns from White's side
    #[arg(long, value_name = "LOW..HIGH", default_value = "-25..25", allow_hyphen_values = true, value_parser = ranges::scores)]
    window: RangeInclusive<i32>,
    /// Largest difference of the two scores, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 20, value_parser = clap::value_parser!(i32).range(0..=10_000))]
    quiet: i32,
    /// Limit of positions with the same first move of White (with --chess960: the same start position)
    #[arg(long, value_name = "N", value_parser = ranges::from_one::<NonZeroUsize>)]
    per_family: Option<NonZeroUsize>,
    /// Games to take leading moves from: PGN, plain or packed
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Where candidates come from [default: games with --pgn, else random]
    #[arg(long, value_enum)]
    from: Option<SourceKind>,
    /// Start from the 960 positions of Chess960
    #[arg(long)]
    chess960: bool,
    /// The same seed makes the same book
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Engines that run at the same time [default: number of physical cores]
    #[arg(long, value_name = "N", value_parser = ranges::from_one::<NonZeroUsize>)]
    concurrency: Option<NonZeroUsize>,
    #[command(flatten)]
    sandbox: SandboxArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct MakeSummary {
    book: PathBuf,
    count: usize,
    wanted: usize,
    judged: u64,
    judge: String,
}

impl Make {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let output = Output::new(&self.out)?;
        let recipe = self.recipe()?;
        let (games, games_sha256) = self.games(&recipe)?;
        let candidates = Candidates::new(&recipe, games);
        if recipe.source != SourceKind::Random {
            errln!("{} games are long enough", candidates.games());
        }
        let engine = self
            .sandbox
            .around(program(&self.engine, self.options.clone())?)?;
        let count = concurrency(self.concurrency)?;
        let runtime = hone_base::platform::runtime()?;
        runtime.block_on(async {
            let judges = Analyst::start_several(count, &engine, recipe.variant)
                .await
                .with_context(|| format!("engine `{}`", self.engine))?;
            let judge = judges[0].name().to_owned();
            let heading = heading(&recipe, &judge, &engine, games_sha256)?;
            let journal = Journal::open(&output.beside(".partial"), &heading)?;
            if journal.known() > 0 {
                errln!("resuming after {} evaluated positions", journal.known());
            }
            let report = progress_bar(&recipe);
            tokio::select! {
                made = session::run(&recipe, candidates, journal, judges, report) => {
                    let made = made.map_err(Failure::failed)?;
                    self.finish(made, &output, judge)
                }
                interrupt = tokio::signal::ctrl_c() => {
                    interrupt?;
                    errln!("Interrupted. Run the same command to resume.");
                    Ok(Exit::Interrupted)
                }
            }
        })
    }

    fn recipe(&self) -> Result<Recipe, Failure> {
        let source = match (self.from, &self.pgn) {
            (Some(source @ (SourceKind::Games | SourceKind::Both)), None) => {
                let name = match source {
                    SourceKind::Games => "games",
                    _ => "both",
                };
                return Err(anyhow!(
                    Diagnostic::new(format!("--from {name} needs games")).help("add --pgn FILE")
                )
                .into());
            }
            (Some(SourceKind::Random), Some(_)) => {
                return Err(anyhow!("--from random conflicts with --pgn").into());
            }
            (Some(source), _) => source,
            (None, Some(_)) => SourceKind::Games,
            (None, None) => SourceKind::Random,
        };
        Ok(Recipe {
            variant: if self.chess960 {
                Variant::Chess960
            } else {
                Variant::Standard
            },
            source,
            plies: self.plies.clone(),
            count: self.count.get(),
            window: self.window.clone(),
            nodes: self.nodes,
            glance: self.nodes / 8,
            quiet: self.quiet,
            per_family: self.per_family.map(NonZeroUsize::get),
            seed: self.seed,
        })
    }

    /// The usable games of the PGN source, and the file's hash.
    fn games(&self, recipe: &Recipe) -> Result<(Vec<Game>, Option<String>), Failure> {
        let Some(path) = &self.pgn else {
            return Ok((Vec::new(), None));
        };
        let file = source::read(path)?;
        let mut games = Vec::new();
        let mut bad = Vec::new();
        let longest = Some(*recipe.plies.end());
        if let Some((line, fault)) = first_fault(&file.bytes, longest) {
            errln!("warning: {}:{line}: {fault}", path.display());
        }
        for game in Games::new(file.bytes.as_slice(), longest, recipe.variant) {
            match game {
                Ok(game) => games.push(game),
                Err(error) => bad.push(error),
            }
        }
        if let Some(first) = bad.first() {
            errln!(
                "warning: {}: {} skipped; the first: {first}",
                path.display(),
                counted(bad.len() as u64, "unusable game")
            );
        }
        if games.is_empty() {
            return Err(anyhow!("{} contains no usable games", path.display()).into());
        }
        Ok((games, Some(file.sha256)))
    }

    fn finish(&self, made: Made, output: &Output, judge: String) -> Result<Exit, Failure> {
        let summary = MakeSummary {
            book: output.path().to_owned(),
            count: made.entries.len(),
            wanted: self.count.get(),
            judged: made.progress.judged,
            judge,
        };
        let complete = summary.count == summary.wanted;
        if summary.count > 0 {
            output.write(&made.entries).map_err(Failure::failed)?;
            made.journal.remove().map_err(Failure::failed)?;
        }
        if !complete {
            errln!("warning: no candidates are left: widen --window, --plies or --quiet");
        }
        if self.json {
            outln!("{}", serde_json::to_string(&summary)?);
        } else {
            outln!(
                "{}: {} of {} positions kept, {} evaluated by {}",
                summary.book.display(),
                summary.count,
                summary.wanted,
                summary.judged,
                summary.judge
            );
        }
        Ok(if complete {
            Exit::Done
        } else {
            Exit::Inconclusive
        })
    }
}

/// All settings that affect the judgements, in one line. They include the hash of the
/// judge's program, because its `id name` may stay the same when it changes; its path does
/// not matter.
fn heading(
    recipe: &Recipe,
    judge: &str,
    engine: &EngineCommand,
    games_sha256: Option<String>,
) -> anyhow::Result<String> {
    let launch = &engine.launch;
    let program = launch.program.to_string_lossy();
    let program = find_program(&program, Path::new(""))
        .with_context(|| format!("cannot find {program} on the PATH"))?;
    let sha256 =
        sha256_file(&program).with_context(|| format!("cannot read {}", program.display()))?;
    Ok(serde_json::to_string(&(
        env!("CARGO_PKG_VERSION"),
        recipe,
        judge,
        sha256,
        &launch.args,
        &engine.options,
        games_sha256,
    ))?)
}

fn progress_bar(recipe: &Recipe) -> Box<dyn Fn(Progress)> {
    let bar = ProgressBar::new(recipe.count as u64);
    let style = ProgressStyle::with_template(
        "{bar:30} {pos}/{len} positions, {msg} evaluated, {elapsed_precise}, {eta_precise} to go",
    )
    .expect("the template is well formed");
    bar.set_style(style);
    Box::new(move |progress| {
        bar.set_position(progress.chosen as u64);
        bar.set_message(progress.judged.to_string());
        if progress.chosen as u64 == bar.length().unwrap_or_default() {
            bar.finish();
        }
    })
}
