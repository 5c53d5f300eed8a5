//! Fitting the weights of the evaluation to the results of games, by logistic
//! regression: the expected result of a position is a logistic function of its
//! evaluation, and Adam descends the cross entropy between that and the result.

use std::thread;
use stillwater::board::{Color, Position};
use stillwater::eval::tapered::FULL_PHASE;
use stillwater::eval::terms::{DANGER_DIVISOR, DANGER_LIMIT, Feature, Sum};
use stillwater::eval::weights::Term;
use stillwater::eval::{endgame, features};

/// Number of times that each side of a position has the feature of one weight.
struct Count {
    weight: u16,
    sides: [i8; 2],
}

struct Row {
    /// Index of its first count; the next row's first count ends it.
    start: usize,
    /// Shares of the middlegame and endgame values in the evaluation.
    parts: [f64; 2],
    target: f64,
}

/// The positions to fit to, as sparse rows of counts.
pub(crate) struct Fit {
    counts: Vec<Count>,
    rows: Vec<Row>,
    /// Middlegame and endgame parts of each weight.
    weights: Vec<[f64; 2]>,
    prior: Vec<[f64; 2]>,
    /// Whether each weight adds to the danger of a king.
    danger: Vec<bool>,
    /// Logistic units per centipawn.
    slope: f64,
}

/// How to fit.
pub(crate) struct Settings {
    pub(crate) epochs: usize,
    /// Learning rate: about the centipawns by which a weight moves in the first steps.
    pub(crate) rate: f64,
    /// Strength of the pull towards the initial weights, in units of positions.
    pub(crate) pull: f64,
    /// Positions for one step.
    pub(crate) batch: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            epochs: 40,
            rate: 0.5,
            pull: 0.003,
            batch: 16_384,
        }
    }
}

/// Index of the first weight of each term.
fn starts() -> Vec<usize> {
    let mut next = 0;
    Term::ALL
        .iter()
        .map(|term| {
            let start = next;
            next += term.weights().len();
            start
        })
        .collect()
}

impl Fit {
    /// A fit without positions that starts from the present weights.
    pub(crate) fn new() -> Fit {
        let of_term = |term: &'static Term| term.weights().iter().map(move |value| (*term, value));
        let all = || Term::ALL.iter().flat_map(of_term);
        let weights: Vec<[f64; 2]> = all()
            .map(|(_, value)| [f64::from(value.middlegame()), f64::from(value.endgame())])
            .collect();
        Fit {
            counts: Vec::new(),
            rows: Vec::new(),
            prior: weights.clone(),
            weights,
            danger: all().map(|(term, _)| term.is_danger()).collect(),
            slope: 0.0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds a position with its target: White's expected points, 0 to 1.
    pub(crate) fn add(&mut self, position: &Position, target: f32) {
        let starts = starts();
        let features = features(position);
        let mut counts: Vec<(usize, usize, i32)> = features
            .iter()
            .map(|feature| {
                let weight = starts[feature.term as usize] + feature.index;
                (weight, feature.color.index(), feature.count)
            })
            .collect();
        counts.sort_unstable();
        let phase = f64::from(position.phase.min(FULL_PHASE)) / f64::from(FULL_PHASE);
        let scale = f64::from(endgame::scale(position, sum(&features).total())) / 64.0;
        self.rows.push(Row {
            start: self.counts.len(),
            parts: [phase, (1.0 - phase) * scale],
            target: f64::from(target),
        });
        for same in counts.chunk_by(|a, b| a.0 == b.0) {
            let of_side = |side| -> i32 {
                let own = same.iter().filter(|(_, color, _)| *color == side);
                own.map(|&(_, _, count)| count).sum()
            };
            let sides = [of_side(0), of_side(1)];
            let weight = same[0].0;
            if self.danger[weight] && sides != [0; 2] || sides[0] != sides[1] {
                self.counts.push(Count {
                    weight: weight as u16,
                    sides: sides.map(|count| count as i8),
                });
            }
        }
    }

    fn counts_of(&self, row: usize) -> &[Count] {
        let end = self.rows.get(row + 1).map(|next| next.start);
        &self.counts[self.rows[row].start..end.unwrap_or(self.counts.len())]
    }

    /// White's evaluation of a position, and the danger of each king.
    fn evaluate(&self, row: usize, weights: &[[f64; 2]]) -> (f64, [[f64; 2]; 2]) {
        let mut plain = [0.0; 2];
        let mut danger = [[0.0; 2]; 2];
        for count in self.counts_of(row) {
            let weight = weights[usize::from(count.weight)];
            let [white, black] = count.sides.map(f64::from);
            for part in 0..2 {
                if self.danger[usize::from(count.weight)] {
                    danger[0][part] += weight[part] * white;
                    danger[1][part] += weight[part] * black;
                } else {
                    plain[part] += weight[part] * (white - black);
                }
            }
        }
        let value = (0..2)
            .map(|part| {
                let [white, black] = danger.map(|danger| price(danger[part]));
                self.rows[row].parts[part] * (plain[part] - white + black)
            })
            .sum();
        (value, danger)
    }

    /// Mean cross entropy, in nats.
    pub(crate) fn loss(&self) -> f64 {
        self.loss_of(self)
    }

    /// Mean cross entropy on these positions with the weights of `other`, in nats; NaN
    /// without positions.
    pub(crate) fn loss_of(&self, other: &Fit) -> f64 {
        self.loss_with(&other.weights, other.slope)
    }

    fn loss_with(&self, weights: &[[f64; 2]], slope: f64) -> f64 {
        let of_row = |row: usize| {
            let value = self.evaluate(row, weights).0;
            let expected = logistic(slope * value).clamp(1e-9, 1.0 - 1e-9);
            let target = self.rows[row].target;
            -(target * expected.ln() + (1.0 - target) * (1.0 - expected).ln())
        };
        let sums = in_parallel(self.len(), |rows| rows.map(of_row).sum::<f64>());
        sums.iter().sum::<f64>() / self.len() as f64
    }

    /// Sets the slope with the smallest loss for the present weights, so that fitted weights
    /// remain centipawns.
    fn find_slope(&mut self) {
        let (mut low, mut high) = (0.001, 0.02);
        for _ in 0..20 {
            let (a, b) = (low + (high - low) * 0.382, low + (high - low) * 0.618);
            if self.loss_with(&self.weights, a) < self.loss_with(&self.weights, b) {
                high = b;
            } else {
                low = a;
            }
        }
        self.slope = (low + high) / 2.0;
    }

    /// Runs all epochs; `progress` receives each epoch and the fit so far.
    pub(crate) fn run(&mut self, settings: &Settings, mut progress: impl FnMut(usize, &Fit)) {
        self.find_slope();
        progress(0, self);
        let batches = self.len().div_ceil(settings.batch).max(1);
        let steps = settings.epochs * batches;
        let mut moments = vec![[Moments::default(); 2]; self.weights.len()];
        for step in 0..steps {
            let gradient = self.gradient(step % batches, batches);
            // The rate falls linearly to 0.
            let rate = settings.rate * (1.0 - step as f64 / steps as f64);
            for (i, weight) in self.weights.iter_mut().enumerate() {
                for part in 0..2 {
                    let away = weight[part] - self.prior[i][part];
                    let slope = gradient[i][part] + settings.pull / 100.0 * away * self.slope;
                    weight[part] -= rate * moments[i][part].direction(slope, step);
                }
            }
            if (step + 1) % batches == 0 {
                progress((step + 1) / batches, self);
            }
        }
    }

    /// Mean gradient of the loss, without the factor of the slope, over the positions whose
    /// index modulo `batches` is `batch`.
    fn gradient(&self, batch: usize, batches: usize) -> Vec<[f64; 2]> {
        let count = (self.len() + batches - 1 - batch) / batches;
        let parts = in_parallel(count, |range| {
            let mut gradient = vec![[0.0; 2]; self.weights.len()];
            for row in range.map(|i| batch + i * batches) {
                self.add_gradient(row, &mut gradient);
            }
            gradient
        });
        let mut mean = vec![[0.0; 2]; self.weights.len()];
        for part in &parts {
            for (mean, part) in mean.iter_mut().flatten().zip(part.iter().flatten()) {
                *mean += part / count as f64;
            }
        }
        mean
    }

    fn add_gradient(&self, row: usize, gradient: &mut [[f64; 2]]) {
        let (value, danger) = self.evaluate(row, &self.weights);
        let Row { parts, target, .. } = self.rows[row];
        let error = logistic(self.slope * value) - target;
        for count in self.counts_of(row) {
            let weight = usize::from(count.weight);
            let [white, black] = count.sides.map(f64::from);
            for part in 0..2 {
                let change = if self.danger[weight] {
                    let [of_white, of_black] = danger.map(|danger| price_slope(danger[part]));
                    of_black * black - of_white * white
                } else {
                    white - black
                };
                gradient[weight][part] += error * parts[part] * change;
            }
        }
    }

    /// The source text of `weights.rs` with the fitted weights.
    pub(crate) fn source(&self) -> String {
        let mut out = String::from(HEAD);
        for (group, is_danger) in [("plain", false), ("danger", true)] {
            out += &format!("    {group} {{\n");
            for (term, start) in Term::ALL.iter().zip(starts()) {
                if term.is_danger() == is_danger {
                    out += &self.source_of(*term, start);
                }
            }
            out += "    }\n";
        }
        out + "}\n"
    }

    fn source_of(&self, term: Term, start: usize) -> String {
        let entry = |w: &[f64; 2]| format!("s({}, {}),", w[0].round() as i32, w[1].round() as i32);
        let weights = &self.weights[start..start + term.weights().len()];
        let lines = weights.chunks(8);
        let lines: Vec<String> = lines
            .map(|line| line.iter().map(entry).collect::<Vec<_>>().join(" "))
            .collect();
        let body = match weights.len() {
            ..4 => lines[0].trim_end_matches(',').to_owned(),
            _ => format!("\n            {}\n        ", lines.join("\n            ")),
        };
        format!("        {term:?}: {} = [{body}];\n", weights.len())
    }
}

/// Moving averages of a gradient and of its square (Adam).
#[derive(Clone, Copy, Default)]
struct Moments([f64; 2]);

impl Moments {
    /// The direction of the update after a gradient at this step (from 0 on), at most about
    /// 1.
    fn direction(&mut self, slope: f64, step: usize) -> f64 {
        const DECAY: [f64; 2] = [0.9, 0.999];
        let mut unbiased = [0.0; 2];
        for (i, value) in [slope, slope * slope].into_iter().enumerate() {
            self.0[i] = DECAY[i] * self.0[i] + (1.0 - DECAY[i]) * value;
            unbiased[i] = self.0[i] / (1.0 - DECAY[i].powi(step as i32 + 1));
        }
        unbiased[0] / (unbiased[1].sqrt() + 1e-9)
    }
}

/// Runs `work` on equal parts of `0..count`, one for each processor.
fn in_parallel<T: Send>(count: usize, work: impl Fn(std::ops::Range<usize>) -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let part = |i: usize| i * count / threads;
    thread::scope(|scope| {
        let work = &work;
        let running: Vec<_> = (0..threads)
            .map(|i| scope.spawn(move || work(part(i)..part(i + 1))))
            .collect();
        let finished = running.into_iter().map(|thread| thread.join());
        finished
            .map(|result| result.expect("it does not panic"))
            .collect()
    })
}

fn sum(features: &[Feature]) -> Sum {
    let mut sum = Sum::default();
    for feature in features {
        match feature.color {
            color if feature.term.is_danger() => sum.danger[color.index()] += feature.value(),
            Color::White => sum.plain += feature.value(),
            Color::Black => sum.plain -= feature.value(),
        }
    }
    sum
}

/// Price of a danger, in centipawns.
fn price(danger: f64) -> f64 {
    danger.clamp(0.0, f64::from(DANGER_LIMIT)).powi(2) / f64::from(DANGER_DIVISOR)
}

fn price_slope(danger: f64) -> f64 {
    match danger {
        _ if danger > f64::from(DANGER_LIMIT) => 0.0,
        _ => 2.0 * danger.max(0.0) / f64::from(DANGER_DIVISOR),
    }
}

const HEAD: &str = "\
//! The weights of the evaluation, written by `lab terms`.

use super::tapered::Tapered;
use super::terms::terms;

const fn s(middlegame: i32, endgame: i32) -> Tapered {
    Tapered::new(middlegame, endgame)
}

terms! {
";

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit() -> Fit {
        // White wins whenever it is a knight up, in varied company.
        let mut fit = Fit::new();
        for (fen, target) in [
            ("4k3/pppp4/8/8/8/8/PPPP4/4KN2 w - - 0 1", 1.0),
            ("4kn2/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1", 0.0),
            ("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1", 0.5),
            ("4k3/ppp5/8/8/8/8/PPPP4/4K3 w - - 0 1", 0.5),
        ] {
            let position = Position::from_fen(fen).unwrap();
            fit.add(&position, target);
        }
        fit
    }

    #[test]
    fn fitting_lowers_the_loss_and_keeps_the_file_readable() {
        let mut fit = fit();
        let mut losses = Vec::new();
        let settings = Settings {
            epochs: 60,
            ..Settings::default()
        };
        fit.run(&settings, |_, fit| losses.push(fit.loss()));
        assert!(losses[60] < losses[0]);
        assert_eq!(fit.source().matches(": ").count(), Term::ALL.len() + 2);
    }

    #[test]
    fn without_a_step_the_source_is_the_file() {
        let fit = fit();
        assert_eq!(fit.source(), include_str!("../../../src/eval/weights.rs"));
    }
}
