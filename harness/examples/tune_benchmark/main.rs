//! The benchmark of tuners: the share of the available Elo that each method gains on random
//! landscapes. The tables in `engine/lab/tuning-results.md` are its output.
//!
//! The result depends on the seed, but not on the number of threads: every cell and
//! landscape has random numbers of its own.
//!
//!     cargo run --release -p harness --example tune_benchmark -- --landscapes 16

mod landscapes;
mod table;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use clap::Parser;
use hone_experiment::tune::landscape::Landscape;
use hone_experiment::tune::pair_model::PairModel;
use hone_experiment::tune::param::Param;
use hone_experiment::tune::section::{ClassicSection, MethodName, TuneSection};
use hone_experiment::tune::space::Space;
use hone_experiment::tune::stream::{Purpose, stream};
use hone_experiment::tune::tuner::Tuner;

use landscapes::{Shape, Spec};
use table::table;

/// Compare the tuners on random landscapes.
#[derive(Debug, Parser)]
struct Arguments {
    /// Random landscapes for each cell of the table.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..))]
    landscapes: u32,
    /// Seed of landscapes and games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Other shapes: cliffs, plateaus, strong skew and coupling, optima at a
    /// bound, dead parameters, optima far away and near.
    #[arg(long)]
    other_shapes: bool,
    /// Threads; by default one per processor.
    #[arg(long)]
    threads: Option<NonZeroUsize>,
}

/// Pairs of a batch.
const BATCH: u64 = 8;
/// Budgets, in games.
const BUDGETS: [u64; 3] = [5_000, 20_000, 60_000];
/// Numbers of parameters, with the Elo between the optimum and a rough or a polished start.
const SIZES: [(usize, f64, f64); 3] = [(4, 10.0, 3.0), (12, 20.0, 6.0), (30, 30.0, 9.0)];

/// A tuning method with its constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variant {
    /// Customary or default constants.
    Plain(MethodName),
    /// OpenBench's rule with `R_end = 0.5 / sqrt(pairs)`, `C_end = range / 5`.
    WideOpenbench,
}

/// The rows of the table: the customary settings first.
const VARIANTS: [(&str, Variant); 6] = [
    (
        "openbench, customary (R_end .002, C_end range/20)",
        Variant::Plain(MethodName::Openbench),
    ),
    (
        "fishtest, customary (r_end .002, c_end range/20)",
        Variant::Plain(MethodName::Fishtest),
    ),
    (
        "weather-factory, customary (a 1, c 1, A N/10)",
        Variant::Plain(MethodName::WeatherFactory),
    ),
    (
        "openbench, R_end .5/sqrt(pairs), C_end range/5",
        Variant::WideOpenbench,
    ),
    ("spsa (the default)", Variant::Plain(MethodName::Spsa)),
    ("adaptive", Variant::Plain(MethodName::Adaptive)),
];

impl Variant {
    fn section(self, pairs: u64) -> TuneSection {
        let plain = TuneSection {
            pairs: Some(pairs),
            batch: BATCH,
            window: 1,
            ..TuneSection::default()
        };
        match self {
            Self::Plain(method) => TuneSection { method, ..plain },
            Self::WideOpenbench => TuneSection {
                method: MethodName::Openbench,
                classic: ClassicSection {
                    gain: Some(0.5 / (pairs as f64).sqrt()),
                    width: Some(4.0),
                    ..ClassicSection::default()
                },
                ..plain
            },
        }
    }
}

/// A kind of landscape and a budget.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cell {
    pub shape: Shape,
    pub parameters: usize,
    /// Elo between the start and the optimum.
    pub available: f64,
    pub is_rough: bool,
    /// Budget in games.
    pub games: u64,
}

/// The result of a tuner in a cell.
#[derive(Debug, Clone, PartialEq)]
struct CellResult {
    pub cell: Cell,
    /// Mean share of the available Elo.
    pub share: f64,
    /// Elo gained by the worst run.
    pub worst: f64,
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    pub tuner: &'static str,
    pub cells: Vec<CellResult>,
}

impl Row {
    /// Mean share over the cells for which `select` is true.
    fn share(&self, select: impl Fn(&Cell) -> bool) -> f64 {
        let picked = self.cells.iter().filter(|result| select(&result.cell));
        let (sum, count) = picked.fold((0.0, 0.0), |(sum, count), result| {
            (sum + result.share, count + 1.0)
        });
        sum / count
    }

    /// Elo gained by the worst of all runs.
    fn worst(&self) -> f64 {
        let worst = self.cells.iter().map(|result| result.worst);
        worst.fold(f64::INFINITY, f64::min)
    }
}

/// The arguments of the benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Plan {
    /// Landscapes of each cell.
    pub landscapes: usize,
    pub seed: u64,
    /// The other shapes, in place of the benchmark's own.
    pub other_shapes: bool,
}

impl Plan {
    fn cells(&self) -> Vec<Cell> {
        let shapes = if self.other_shapes {
            &Shape::OTHERS[..]
        } else {
            &[Shape::Base]
        };
        let mut cells = vec![];
        for &shape in shapes {
            for (parameters, rough, polished) in SIZES {
                for (available, is_rough) in [(rough, true), (polished, false)] {
                    cells.extend(BUDGETS.map(|games| Cell {
                        shape,
                        parameters,
                        available,
                        is_rough,
                        games,
                    }));
                }
            }
        }
        cells
    }
}

/// Runs the benchmark on `threads` threads.
fn run(plan: &Plan, threads: usize) -> Vec<Row> {
    run_cells(plan, &plan.cells(), threads)
}

fn run_cells(plan: &Plan, cells: &[Cell], threads: usize) -> Vec<Row> {
    let tasks = VARIANTS.len() * cells.len();
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<CellResult>>> = Mutex::new(vec![None; tasks]);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let task = next.fetch_add(1, Ordering::Relaxed);
                    if task >= tasks {
                        return;
                    }
                    let (_, variant) = VARIANTS[task / cells.len()];
                    let at = task % cells.len();
                    let result = play_cell(plan, at, &cells[at], variant);
                    let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                    results[task] = Some(result);
                }
            });
        }
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut results = results.into_iter().flatten();
    VARIANTS
        .iter()
        .map(|(tuner, _)| Row {
            tuner,
            cells: results.by_ref().take(cells.len()).collect(),
        })
        .collect()
}

/// Number of all pairs of a plan.
fn pairs(plan: &Plan) -> u64 {
    let games: u64 = plan.cells().iter().map(|cell| cell.games).sum();
    games / 2 * (plan.landscapes * VARIANTS.len()) as u64
}

fn play_cell(plan: &Plan, at: usize, cell: &Cell, variant: Variant) -> CellResult {
    let spec = Spec {
        shape: cell.shape,
        parameters: cell.parameters,
        available: cell.available,
    };
    let section = variant.section(cell.games / 2);
    let mut share = 0.0;
    let mut worst = f64::INFINITY;
    for index in 0..plan.landscapes {
        let number = (at * plan.landscapes + index) as u64;
        let landscape = landscapes::draw(&spec, plan.seed, number);
        let seed = plan.seed.wrapping_add(number);
        let gain = simulate(&landscape, &section, seed, &PairModel::BENCHMARK);
        share += gain / cell.available / plan.landscapes as f64;
        worst = worst.min(gain);
    }
    CellResult {
        cell: *cell,
        share,
        worst,
    }
}

fn main() {
    let arguments = Arguments::parse();
    let plan = Plan {
        landscapes: arguments.landscapes as usize,
        seed: arguments.seed,
        other_shapes: arguments.other_shapes,
    };
    let threads = arguments.threads.or(thread::available_parallelism().ok());
    let threads = threads.map_or(1, NonZeroUsize::get);
    let pairs = pairs(&plan);
    eprintln!("{pairs} simulated pairs on {threads} threads");
    let begin = Instant::now();
    let rows = run(&plan, threads);
    let seconds = begin.elapsed().as_secs_f64();
    eprintln!(
        "{seconds:.1} s, {:.0} pairs a second",
        pairs as f64 / seconds
    );
    print!("{}", table(&rows));
}

/// Plays a whole run against a landscape and returns the true Elo gained by
/// its final values.
fn simulate(landscape: &Landscape, section: &TuneSection, seed: u64, model: &PairModel) -> f64 {
    let space = space_of(landscape);
    let budget = section.budget();
    let mut tuner = Tuner::new(space.clone(), budget, seed, section.method(&space));
    let mut outcomes = stream(seed, Purpose::Outcomes, 0);
    while let Some((batch, played)) = tuner.plan() {
        let elo = landscape.elo(&played.plus) - landscape.elo(&played.minus);
        tuner.result(model.draw(elo, budget.pairs_of(batch), &mut outcomes));
    }
    tuner.finish();
    let values = space.nearest(&tuner.method().values());
    landscape.elo(&values) - landscape.elo(&space.start())
}

/// The integer parameters of a landscape.
fn space_of(landscape: &Landscape) -> Space {
    let axes = landscape.axes().iter();
    let params = axes.map(|axis| Param::int(&axis.name, axis.start, axis.min, axis.max));
    match Space::new(params.collect()) {
        Ok(space) => space,
        Err(error) => unreachable!("the parameters of a drawn landscape are valid: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_do_not_change_the_table() {
        let plan = Plan {
            landscapes: 1,
            seed: 1,
            other_shapes: false,
        };
        let mut cells = plan.cells();
        cells.retain(|cell| cell.parameters == 4 && cell.games < 60_000);
        let rows = run_cells(&plan, &cells, 1);
        assert_eq!(rows, run_cells(&plan, &cells, 3));
        assert!(rows.iter().all(|row| row.cells.len() == 4));
    }

    #[test]
    fn the_default_gains_at_least_83_percent() {
        let plan = Plan {
            landscapes: 2,
            seed: 1,
            other_shapes: false,
        };
        let rows = run(&plan, 2);
        let by_name = |name: &str| rows.iter().find(|row| row.tuner.starts_with(name)).unwrap();
        let all = |row: &Row| row.share(|_| true);
        let customary = all(by_name("openbench, customary"));
        assert!((0.2..0.4).contains(&customary), "{customary}");
        for name in ["spsa", "adaptive"] {
            let row = by_name(name);
            assert!(all(row) > 0.83, "{name} {}", all(row));
            assert!(row.worst() > -0.5, "{name} {}", row.worst());
        }
        let wide = all(by_name("openbench, R_end"));
        assert!((0.77..0.89).contains(&wide), "{wide}");
    }
}
