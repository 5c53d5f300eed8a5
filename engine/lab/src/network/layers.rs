//! The network with floating-point weights: forward pass, gradient, conversion.

use crate::network::sample::Inputs;
use rand::RngExt as _;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use stillwater::eval::network::{BUCKETS, HIDDEN, INPUTS, ONE};

/// Maximum absolute value of a weight, so that its quantized value fits.
pub(crate) const LIMIT: f32 = 1.98;

const BIAS: usize = INPUTS * HIDDEN;
const OUTPUT: usize = BIAS + HIDDEN;
const OUTPUT_BIAS: usize = OUTPUT + BUCKETS * 2 * HIDDEN;
/// Number of weights.
pub(crate) const WEIGHTS: usize = OUTPUT_BIAS + BUCKETS;

/// All weights, in the order of `weights.bin`; or the gradient with respect to them.
pub(crate) struct Layers(pub(crate) Vec<f32>);

/// The activations of one forward pass.
pub(crate) struct Trace {
    /// Sums of the first layer, for the side to move and the other.
    sums: [[f32; HIDDEN]; 2],
    /// The output, in units of `CENTIPAWNS`.
    pub(crate) output: f32,
}

impl Layers {
    pub(crate) fn zero() -> Layers {
        Layers(vec![0.0; WEIGHTS])
    }

    pub(crate) fn random(seed: u64) -> Layers {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut layers = Layers::zero();
        layers.0[..BIAS].fill_with(|| random.random_range(-0.1..0.1));
        layers.0[BIAS..OUTPUT].fill(0.1);
        layers.0[OUTPUT..OUTPUT_BIAS].fill_with(|| random.random_range(-0.01..0.01));
        layers
    }

    fn row(&self, input: u16) -> &[f32; HIDDEN] {
        self.hidden(usize::from(input) * HIDDEN)
    }

    fn hidden(&self, start: usize) -> &[f32; HIDDEN] {
        self.0[start..].first_chunk().expect("a row of weights")
    }

    fn hidden_mut(&mut self, start: usize) -> &mut [f32; HIDDEN] {
        self.0[start..].first_chunk_mut().expect("a row of weights")
    }

    fn output(bucket: usize, side: usize) -> usize {
        OUTPUT + (2 * bucket + side) * HIDDEN
    }

    pub(crate) fn run(&self, inputs: &Inputs) -> Trace {
        let mut sums = [*self.hidden(BIAS); 2];
        let mut output = self.0[OUTPUT_BIAS + inputs.bucket];
        for (side, sums) in sums.iter_mut().enumerate() {
            for &input in &inputs.active[side][..inputs.count] {
                add(sums, self.row(input));
            }
            let weights = self.hidden(Layers::output(inputs.bucket, side));
            let mut lanes = [0.0; 8];
            let (sums, _) = sums.as_chunks::<8>();
            let (weights, _) = weights.as_chunks::<8>();
            for (sums, weights) in sums.iter().zip(weights) {
                for lane in 0..8 {
                    let limited = sums[lane].clamp(0.0, 1.0);
                    lanes[lane] += limited * limited * weights[lane];
                }
            }
            output += lanes.iter().sum::<f32>();
        }
        Trace { sums, output }
    }

    /// Adds the gradient of an error to this one; `slope` is its derivative with respect to
    /// the output of `network`.
    pub(crate) fn learn(&mut self, network: &Layers, inputs: &Inputs, trace: &Trace, slope: f32) {
        self.0[OUTPUT_BIAS + inputs.bucket] += slope;
        for (side, sums) in trace.sums.iter().enumerate() {
            let start = Layers::output(inputs.bucket, side);
            let weights = network.hidden(start);
            let mut of_sums = [0.0; HIDDEN];
            let of_weights = self.hidden_mut(start);
            for lane in 0..HIDDEN {
                let limited = sums[lane].clamp(0.0, 1.0);
                of_weights[lane] += slope * limited * limited;
                let inside = if sums[lane] < 1.0 { limited } else { 0.0 };
                of_sums[lane] = 2.0 * slope * weights[lane] * inside;
            }
            add(self.hidden_mut(BIAS), &of_sums);
            for &input in &inputs.active[side][..inputs.count] {
                add(self.hidden_mut(usize::from(input) * HIDDEN), &of_sums);
            }
        }
    }

    pub(crate) fn add(&mut self, other: &Layers) {
        add(&mut self.0, &other.0);
    }

    /// The inverse of `to_bytes`, up to quantization. A network with half as many sums is
    /// doubled; `None` for any other size.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Layers> {
        let whole = numbers(bytes, HIDDEN);
        let doubled = || Some(doubled(&numbers(bytes, HIDDEN / 2)?));
        whole.or_else(doubled).map(Layers)
    }

    /// The format that `stillwater::eval::network::Network::read` reads.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let [one, two] = ONE.map(f32::from);
        let (weights, biases) = self.0.split_at(OUTPUT_BIAS);
        let mut bytes = Vec::new();
        for (index, weight) in weights.iter().enumerate() {
            let unit = if index < OUTPUT { one } else { two };
            bytes.extend(((weight * unit).round() as i16).to_le_bytes());
        }
        for bias in biases {
            bytes.extend(((bias * one * two).round() as i32).to_le_bytes());
        }
        bytes
    }
}

/// Number of rows, each of one weight per sum: of the first layer with its biases, and of
/// the second layer.
const ROWS: [usize; 2] = [INPUTS + 1, 2 * BUCKETS];

/// The weights of a network with `hidden` sums a side; `None` if the size differs.
fn numbers(bytes: &[u8], hidden: usize) -> Option<Vec<f32>> {
    let [one, two] = ONE.map(f32::from);
    let [first, second] = ROWS.map(|rows| rows * hidden);
    if bytes.len() != 2 * (first + second) + 4 * BUCKETS {
        return None;
    }
    let (weights, biases) = bytes.split_at(2 * (first + second));
    let (weights, biases) = (weights.as_chunks::<2>().0, biases.as_chunks::<4>().0);
    let weights = weights.iter().enumerate().map(|(index, &bytes)| {
        let unit = if index < first { one } else { two };
        f32::from(i16::from_le_bytes(bytes)) / unit
    });
    let biases = biases
        .iter()
        .map(|&bytes| i32::from_le_bytes(bytes) as f32 / (one * two));
    Some(weights.chain(biases).collect())
}

/// A network with twice the sums and nearly the same output: every sum is duplicated, with
/// half its weight in the second layer. A little noise lets the copies diverge in training.
fn doubled(half: &[f32]) -> Vec<f32> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let noise = 2.0 / f32::from(ONE[0]);
    let (rows, biases) = half.split_at(ROWS.iter().sum::<usize>() * (HIDDEN / 2));
    let mut layers = Vec::with_capacity(WEIGHTS);
    for (number, row) in rows.chunks(HIDDEN / 2).enumerate() {
        if number < ROWS[0] {
            layers.extend(row);
            layers.extend(row.iter().map(|w| w + random.random_range(-noise..noise)));
        } else {
            let halves = row.iter().map(|weight| 0.5 * weight);
            layers.extend(halves.clone().chain(halves));
        }
    }
    layers.extend(biases);
    layers
}

fn add(sums: &mut [f32], row: &[f32]) {
    for (sum, weight) in sums.iter_mut().zip(row) {
        *sum += weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::sample::Sample;
    use stillwater::board::Position;
    use stillwater::eval::network::accumulator::Accumulator;
    use stillwater::eval::network::{CENTIPAWNS, Network};

    const FENS: [&str; 4] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 b - - 0 10",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "4k3/8/8/3q4/8/8/3P4/3K4 b - - 0 1",
    ];

    fn inputs(fen: &str) -> (Position, Inputs) {
        let position = Position::from_fen(fen).unwrap();
        let sample = Sample::new(&position, 0, None).unwrap();
        (position, sample.inputs())
    }

    #[test]
    fn the_engine_finds_what_was_fitted() {
        let layers = Layers::random(3);
        let network = Network::read(&layers.to_bytes()).unwrap();
        let mut accumulator = Accumulator::new(Box::leak(Box::new(network)));
        for fen in FENS {
            let (position, inputs) = inputs(fen);
            let value = accumulator.evaluate(&position, 0);
            let expected = layers.run(&inputs).output * CENTIPAWNS as f32;
            assert!(
                (value as f32 - expected).abs() < 6.0,
                "{fen}: {value}, {expected}"
            );
        }
    }

    #[test]
    fn weights_can_be_read_again() {
        let layers = Layers::random(4);
        let again = Layers::from_bytes(&layers.to_bytes()).unwrap();
        let near = |(a, b): (&f32, &f32)| (a - b).abs() < 0.01;
        assert!(layers.0.iter().zip(&again.0).all(near));
        assert!(Layers::from_bytes(&[0; 10]).is_none());
    }

    #[test]
    fn a_network_of_half_the_size_is_doubled() {
        let mut layers = Layers::random(6);
        // Its first half is a network of half the size.
        for row in layers.0[..OUTPUT_BIAS].chunks_mut(HIDDEN) {
            row[HIDDEN / 2..].fill(0.0);
        }
        for weight in &mut layers.0[OUTPUT..OUTPUT_BIAS] {
            *weight *= 100.0;
        }
        let bytes = layers.to_bytes();
        let (rows, biases) = bytes.split_at(2 * OUTPUT_BIAS);
        let halves = rows.chunks(2 * HIDDEN).map(|row| &row[..HIDDEN]);
        let half: Vec<u8> = halves.flatten().chain(biases).copied().collect();
        let doubled = Layers::from_bytes(&half).unwrap();
        for fen in FENS {
            let (_, inputs) = inputs(fen);
            let (wide, narrow) = (doubled.run(&inputs).output, layers.run(&inputs).output);
            assert!(narrow.abs() > 0.1, "{fen}: {narrow}");
            let close = 0.05 + 0.05 * narrow.abs();
            assert!((wide - narrow).abs() < close, "{fen}: {wide}, {narrow}");
        }
    }

    #[test]
    fn derivatives_are_those_of_the_output() {
        let mut layers = Layers::random(5);
        // Large enough that a wrong factor shows.
        for weight in &mut layers.0[OUTPUT..OUTPUT_BIAS] {
            *weight *= 100.0;
        }
        for fen in FENS {
            let (_, inputs) = inputs(fen);
            let trace = layers.run(&inputs);
            let mut slopes = Layers::zero();
            slopes.learn(&layers, &inputs, &trace, 1.0);
            let first = usize::from(inputs.active[0][0]) * HIDDEN;
            let second = Layers::output(inputs.bucket, 1);
            for index in [
                first,
                first + 77,
                BIAS + 5,
                second + 9,
                OUTPUT_BIAS + inputs.bucket,
            ] {
                let weight = layers.0[index];
                let [more, less] = [0.001, -0.001].map(|step| {
                    layers.0[index] = weight + step;
                    layers.run(&inputs).output
                });
                layers.0[index] = weight;
                let slope = (more - less) / 0.002;
                assert!(
                    (slope - slopes.0[index]).abs() < 0.01,
                    "{fen}, weight {index}"
                );
            }
        }
    }
}
