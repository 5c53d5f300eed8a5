//! Bisections of simulated histories with a known culprit: `hone bisect` compared with
//! bisection by halves. `docs/bisect.md` has a part of the output.
//!
//!     cargo run --release -p harness --example bisect_benchmark -- 100

use std::collections::BTreeSet;
use std::thread;

use clap::Parser;
use hone_experiment::bisect::{BisectExperiment, BisectSection};
use hone_experiment::{Experiment, Verdict};
use hone_stats::distribution::{DistributionError, PairDistribution};
use hone_stats::simulate::PairSampler;
use hone_stats::{Decision, Estimate, Model, Sprt, SprtConfig};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Bisect simulated histories with two methods.
#[derive(Debug, Parser)]
struct Arguments {
    /// Histories for each size of the loss.
    #[arg(default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    histories: u64,
}

const LOSSES: [f64; 4] = [10.0, 20.0, 40.0, 80.0];
/// Commits after the good one.
const COMMITS: usize = 64;
/// Draw ratio of pairs between equal commits.
const DRAW_RATIO: f64 = 0.5;
/// Elo of the tests if the true loss is not known.
const GUESS: f64 = 10.0;
/// Error rate of a bisection.
const ERROR: f64 = 0.05;
/// Maximum number of pairs if no commit loses Elo.
const NO_LOSS_PAIRS: u64 = 5_000;

#[derive(Clone, Copy)]
enum Method {
    HoneBisect,
    /// By halves, with sequential tests against the true loss or [`GUESS`].
    Halves {
        is_loss_known: bool,
        /// Error rate of each test.
        error: f64,
    },
}

struct Row {
    loss: f64,
    method: String,
    /// Share of bisections that named the culprit; without a loss, that named no commit.
    right: f64,
    mean_games: f64,
    mean_builds: f64,
    /// Share of the intervals that contain the loss.
    covered: Option<f64>,
}

fn main() -> anyhow::Result<()> {
    let Arguments { histories } = Arguments::parse();
    // An error in any step names the wrong commit.
    let steps = (COMMITS as f64).log2().ceil();
    let methods = [
        Method::HoneBisect,
        Method::Halves {
            is_loss_known: true,
            error: ERROR,
        },
        Method::Halves {
            is_loss_known: true,
            error: ERROR / steps,
        },
        Method::Halves {
            is_loss_known: false,
            error: ERROR / steps,
        },
    ];
    let cells: Vec<(f64, Method)> = LOSSES
        .iter()
        .flat_map(|loss| methods.map(|method| (*loss, method)))
        .chain([(0.0, Method::HoneBisect)])
        .collect();
    let rows = thread::scope(|scope| {
        let threads: Vec<_> = cells
            .iter()
            .map(|(loss, method)| scope.spawn(move || row(*loss, *method, histories)))
            .collect();
        let rows = threads.into_iter().map(|thread| match thread.join() {
            Ok(row) => row,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        rows.collect::<anyhow::Result<Vec<Row>>>()
    })?;
    print!("{}", table(&rows));
    Ok(())
}

fn row(loss: f64, method: Method, histories: u64) -> anyhow::Result<Row> {
    let level = PairDistribution::of_equals(DRAW_RATIO, 0.0)?;
    let section = BisectSection {
        max_pairs: if loss > 0.0 { 1_000_000 } else { NO_LOSS_PAIRS },
        ..BisectSection::default()
    };
    let mut outcomes: Vec<(usize, Outcome)> = Vec::new();
    for seed in 0..histories {
        // Spread over the history, and the same for every method.
        let culprit = 1 + (seed as usize * 37 + 11) % COMMITS;
        let history = History {
            last: COMMITS,
            culprit,
            loss,
            level,
        };
        let outcome = match method {
            Method::HoneBisect => bisect(history, &section, seed)?,
            Method::Halves {
                is_loss_known,
                error,
            } => {
                let guess = if is_loss_known { loss } else { GUESS };
                halves(history, guess, error, seed)?
            }
        };
        outcomes.push((culprit, outcome));
    }
    let mean = |value: &dyn Fn(&Outcome) -> f64| {
        let sum: f64 = outcomes.iter().map(|(_, outcome)| value(outcome)).sum();
        sum / histories as f64
    };
    let is_loss = loss > 0.0;
    let right = outcomes
        .iter()
        .filter(|(k, outcome)| outcome.named == is_loss.then_some(*k));
    let has_interval = is_loss && matches!(method, Method::HoneBisect);
    Ok(Row {
        loss,
        method: describe(method),
        right: right.count() as f64 / histories as f64,
        mean_games: mean(&|outcome| 2.0 * outcome.pairs as f64),
        mean_builds: mean(&|outcome| outcome.builds as f64),
        covered: has_interval.then(|| {
            mean(&|outcome| {
                let holds = outcome
                    .size
                    .is_some_and(|s| s.low <= loss && loss <= s.high);
                f64::from(u8::from(holds))
            })
        }),
    })
}

fn describe(method: Method) -> String {
    match method {
        Method::HoneBisect => "hone bisect, 95 %".to_string(),
        Method::Halves {
            is_loss_known,
            error,
        } => format!(
            "halves, SPRT of {} at {:.2} %",
            if is_loss_known {
                "the true loss"
            } else {
                "10 Elo"
            },
            100.0 * error
        ),
    }
}

fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| loss, Elo | method | right | mean games | mean builds | interval holds the loss |\n\
         |---:|---|---:|---:|---:|---:|\n",
    );
    for row in rows {
        let covered = row
            .covered
            .map_or(String::new(), |share| format!("{:.0} %", 100.0 * share));
        text += &format!(
            "| {} | {} | {:.0} % | {:.0} | {:.1} | {covered} |\n",
            row.loss,
            row.method,
            100.0 * row.right,
            row.mean_games,
            row.mean_builds
        );
    }
    text
}

/// A simulated history.
#[derive(Debug, Clone, Copy)]
struct History {
    /// Commits after the good one.
    last: usize,
    /// Index of the commit that loses Elo, from 1.
    culprit: usize,
    /// Elo that it loses.
    loss: f64,
    /// Results of pairs between equal commits.
    level: PairDistribution,
}

/// The result of one bisection.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Outcome {
    /// Index of the commit that was named, if one was.
    named: Option<usize>,
    pairs: u64,
    /// Number of commits that were built.
    builds: usize,
    /// The estimate of the loss.
    size: Option<Estimate>,
}

/// Draws the results of pairs of a history.
struct Games {
    history: History,
    level: PairSampler,
    across: PairSampler,
    rng: ChaCha8Rng,
}

impl Games {
    fn new(history: History, seed: u64) -> Result<Self, DistributionError> {
        let across = history.level.tilted_to(Model::Logistic, -history.loss)?;
        Ok(Self {
            level: PairSampler::new(&history.level),
            across: PairSampler::new(&across),
            rng: ChaCha8Rng::seed_from_u64(seed),
            history,
        })
    }

    /// The result of a pair, from the side of the later commit.
    fn draw(&mut self, (earlier, later): (usize, usize)) -> usize {
        let is_across = earlier < self.history.culprit && self.history.culprit <= later;
        let sampler = if is_across { &self.across } else { &self.level };
        sampler.draw(&mut self.rng)
    }
}

/// Bisects a history as `hone bisect` does.
fn bisect(
    history: History,
    section: &BisectSection,
    seed: u64,
) -> Result<Outcome, DistributionError> {
    let mut games = Games::new(history, seed)?;
    let mut experiment = BisectExperiment::new(section.clone(), history.last, Vec::new());
    while let Some(pair) = experiment.next_match() {
        experiment.take(pair, games.draw(pair));
    }
    let found = experiment.found();
    let is_found = experiment.verdict() == Some(Verdict::Complete);
    let played: BTreeSet<usize> = experiment
        .evidence()
        .keys()
        .flat_map(|(earlier, later)| [*earlier, *later])
        .collect();
    Ok(Outcome {
        named: is_found.then_some(*found.commits.start()),
        pairs: experiment.pairs(),
        builds: played.len(),
        size: is_found.then_some(found.size),
    })
}

/// Bisects by halves. Each middle commit is tested against the good one: H0 is that it has
/// lost `guess` Elo, H1 that it has lost nothing; both error rates are `error`.
fn halves(history: History, guess: f64, error: f64, seed: u64) -> anyhow::Result<Outcome> {
    let mut games = Games::new(history, seed)?;
    let (mut low, mut high) = (0, history.last);
    let mut outcome = Outcome {
        named: None,
        pairs: 0,
        builds: 1,
        size: None,
    };
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        outcome.builds += 1;
        let mut test = Sprt::new(SprtConfig {
            model: Model::Logistic,
            elo0: -guess,
            elo1: 0.0,
            alpha: error,
            beta: error,
            overshoot: false,
        })?;
        let decision = loop {
            test.absorb(games.draw((0, middle)));
            outcome.pairs += 1;
            if let Some(decision) = test.decision() {
                break decision;
            }
        };
        match decision {
            Decision::AcceptH0 => high = middle,
            Decision::AcceptH1 => low = middle,
        }
    }
    outcome.named = Some(high);
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    /// A random history, whose loss and draw ratio are not those that the posterior assumes.
    fn random(rng: &mut ChaCha8Rng) -> History {
        let last = rng.random_range(2..150);
        let draws = rng.random_range(0.2..0.8);
        let bias = rng.random_range(0.0..60.0);
        History {
            last,
            culprit: rng.random_range(1..=last),
            loss: 10.0 * 10f64.powf(rng.random_range(0.0..1.0)),
            level: PairDistribution::of_equals(draws, bias).expect("possible"),
        }
    }

    #[test]
    fn culprits_are_named_and_intervals_contain_their_losses() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let section = BisectSection {
            batch: 32,
            max_pairs: 100_000,
            ..BisectSection::default()
        };
        const HISTORIES: usize = 60;
        let (mut right, mut covered) = (0, 0);
        for seed in 0..HISTORIES {
            let history = random(&mut rng);
            let outcome = bisect(history, &section, seed as u64).expect("possible");
            right += usize::from(outcome.named == Some(history.culprit));
            let size = outcome.size;
            covered += usize::from(
                size.is_some_and(|size| size.low <= history.loss && history.loss <= size.high),
            );
        }
        assert!(right * 100 >= HISTORIES * 95, "{right} of {HISTORIES}");
        assert!(covered * 100 >= HISTORIES * 88, "{covered} of {HISTORIES}");
    }

    #[test]
    fn halves_find_a_large_loss() {
        let history = History {
            last: 40,
            culprit: 23,
            loss: 100.0,
            level: PairDistribution::of_equals(0.5, 0.0).expect("possible"),
        };
        let outcome = halves(history, 100.0, 0.001, 1).expect("possible");
        assert_eq!(outcome.named, Some(23));
        let bisected = bisect(history, &BisectSection::default(), 1).expect("possible");
        assert_eq!(bisected.named, Some(23));
    }
}
