//! Training: epochs over the positions.

use crate::network::adam::Adam;
use crate::network::layers::Layers;
use crate::network::sample::{Example, Sample};
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;
use std::time::{Duration, Instant};
use stillwater::eval::Evaluator;
use stillwater::eval::network::CENTIPAWNS;

/// Positions are held out in stretches of this length, so that only the games at their ends
/// are in both parts.
const STRETCH: u32 = 4_000;

/// Time between two progress messages within an epoch.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(20);

pub(crate) struct Settings {
    pub(crate) epochs: usize,
    pub(crate) rate: f32,
    /// Positions in a batch.
    pub(crate) batch: usize,
    pub(crate) result: f32,
    pub(crate) threads: usize,
    pub(crate) seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            epochs: 5,
            rate: 0.001,
            batch: 1024,
            result: 0.3,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            seed: 1,
        }
    }
}

/// Fits `network`, passes it to `keep` after every epoch, and reports its losses: mean
/// squared errors of the expected result.
pub(crate) fn run(
    settings: &Settings,
    mut network: Layers,
    examples: &[Example],
    progress: impl Fn(String),
    keep: impl Fn(&Layers) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (held_out, mut taken): (Vec<u32>, Vec<u32>) =
        (0..examples.len() as u32).partition(|index| index / STRETCH % 20 == 10);
    progress(format!(
        "{} positions, {} held out; loss of these before {:.6}",
        taken.len(),
        held_out.len(),
        judge(settings, &network, examples, &held_out)
    ));
    let mut random = ChaCha8Rng::seed_from_u64(settings.seed);
    let mut adam = Adam::new();
    let steps = settings.epochs * taken.len().div_ceil(settings.batch);
    let mut step = 0;
    let begin = Instant::now();
    for epoch in 1..=settings.epochs {
        taken.shuffle(&mut random);
        let (mut loss, mut reported) = (0.0, Instant::now());
        for (number, batch) in taken.chunks(settings.batch).enumerate() {
            if reported.elapsed() > PROGRESS_INTERVAL {
                let done = 100 * number * settings.batch / taken.len();
                progress(format!("epoch {epoch}: {done} % of the positions"));
                reported = Instant::now();
            }
            let (slopes, error) = learn(settings, &network, examples, batch);
            loss += error;
            // A cosine schedule from the rate to a hundredth of it.
            let done = step as f32 / steps as f32;
            let part = 0.505 + 0.495 * (std::f32::consts::PI * done).cos();
            adam.step(&mut network, &slopes, settings.rate * part);
            step += 1;
        }
        progress(format!(
            "epoch {epoch}: loss {:.6}, held out {:.6}, {:.0} s",
            loss / taken.len() as f64,
            judge(settings, &network, examples, &held_out),
            begin.elapsed().as_secs_f64()
        ));
        keep(&network)?;
    }
    Ok(())
}

/// The mean gradient of a batch, and the sum of its losses.
fn learn(
    settings: &Settings,
    network: &Layers,
    examples: &[Example],
    batch: &[u32],
) -> (Layers, f64) {
    let parts = share_out(settings, batch, |part| {
        let (mut slopes, mut loss) = (Layers::zero(), 0.0);
        for &index in part {
            let example = &examples[index as usize];
            let inputs = example.sample.inputs();
            let trace = network.run(&inputs);
            let (error, expected) = error(settings, example, trace.output);
            loss += f64::from(error * error);
            let slope = 2.0 * error * expected * (1.0 - expected) / batch.len() as f32;
            slopes.learn(network, &inputs, &trace, slope);
        }
        (slopes, loss)
    });
    let sum = |(mut slopes, loss): (Layers, f64), (other, more): (Layers, f64)| {
        slopes.add(&other);
        (slopes, loss + more)
    };
    parts.into_iter().reduce(sum).expect("a part at least")
}

/// The mean loss.
fn judge(settings: &Settings, network: &Layers, examples: &[Example], held_out: &[u32]) -> f64 {
    let losses = share_out(settings, held_out, |part| {
        let loss = |&index: &u32| {
            let example = &examples[index as usize];
            let output = network.run(&example.sample.inputs()).output;
            f64::from(error(settings, example, output).0.powi(2))
        };
        part.iter().map(loss).sum::<f64>()
    });
    losses.into_iter().sum::<f64>() / held_out.len().max(1) as f64
}

/// The error of the expected result (expected minus target) from the terms and the network's
/// `output`, and the expected result.
fn error(settings: &Settings, example: &Example, output: f32) -> (f32, f32) {
    let unit = CENTIPAWNS as f32;
    let expected = 1.0 / (1.0 + (-example.terms as f32 / unit - output).exp());
    let target = example.sample.target(settings.result, unit);
    (expected - target, expected)
}

/// Adds the evaluation by the terms to each sample.
pub(crate) fn with_terms(settings: &Settings, samples: Vec<Sample>) -> Vec<Example> {
    let list: Vec<u32> = (0..samples.len() as u32).collect();
    let parts = share_out(settings, &list, |part| {
        let mut evaluator = Evaluator::default();
        let mut example = |&index: &u32| {
            let sample = samples[index as usize];
            let terms = evaluator.terms(&sample.position());
            Example { sample, terms }
        };
        part.iter().map(&mut example).collect::<Vec<_>>()
    });
    parts.concat()
}

/// Runs `work` on equal parts of `list`, each on its own thread; results in order.
fn share_out<T: Send>(
    settings: &Settings,
    list: &[u32],
    work: impl Fn(&[u32]) -> T + Sync,
) -> Vec<T> {
    let part = list.len().div_ceil(settings.threads).max(1);
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = list
            .chunks(part)
            .map(|part| scope.spawn(move || work(part)))
            .collect();
        let join = |thread: std::thread::ScopedJoinHandle<T>| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        threads.into_iter().map(join).collect()
    })
}
