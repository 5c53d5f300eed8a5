//! Fitting the weights of the evaluation to the results of games, by logistic
//! regression: the expected result of a position is a logistic function of its
//! evaluation, and Adam descends the cross entropy between that and the result.

use crate::games::Sample;
use stillwater::board::Color;
use stillwater::eval::tapered::{FULL_PHASE, Tapered};
use stillwater::eval::terms::Feature;
use stillwater::eval::weights::Term;
use stillwater::eval::{endgame, features};

/// One weight's part in one position.
struct Coefficient {
    weight: u32,
    middlegame: f32,
    endgame: f32,
}

/// The positions to fit to, as sparse rows of coefficients.
pub(crate) struct Fit {
    rows: Vec<Coefficient>,
    /// End of each position's coefficients in `rows`, and its target.
    positions: Vec<(usize, f32)>,
    /// Middlegame and endgame parts of each weight.
    weights: Vec<[f64; 2]>,
    prior: Vec<[f64; 2]>,
    /// Logistic units per centipawn.
    slope: f64,
}

/// How to fit.
pub(crate) struct Settings {
    pub(crate) epochs: usize,
    /// Centipawns by which a weight moves at most in an epoch.
    pub(crate) rate: f64,
    /// Strength of the pull towards the weights that the fit begins with, in
    /// positions' worth.
    pub(crate) pull: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            epochs: 400,
            rate: 1.0,
            pull: 0.003,
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
    pub(crate) fn new(samples: &[Sample]) -> Fit {
        let starts = starts();
        let weights: Vec<[f64; 2]> = Term::ALL
            .iter()
            .flat_map(|term| term.weights())
            .map(|value| [f64::from(value.middlegame()), f64::from(value.endgame())])
            .collect();
        let mut fit = Fit {
            rows: Vec::new(),
            positions: Vec::with_capacity(samples.len()),
            prior: weights.clone(),
            weights,
            slope: 0.0,
        };
        for sample in samples {
            fit.add(sample, &starts);
        }
        fit.slope = fit.best_slope();
        fit
    }

    fn add(&mut self, sample: &Sample, starts: &[usize]) {
        let position = &sample.position;
        let features = features(position);
        let mut counts: Vec<(usize, i32)> = features
            .iter()
            .map(|feature| signed_count(feature, starts))
            .collect();
        counts.sort_unstable_by_key(|&(weight, _)| weight);
        let sum = features
            .iter()
            .fold(Tapered::ZERO, |sum, feature| match feature.color {
                Color::White => sum + feature.value(),
                Color::Black => sum - feature.value(),
            });
        let phase = position.phase.min(FULL_PHASE) as f32 / FULL_PHASE as f32;
        let scale = endgame::scale(position, sum) as f32 / 64.0;
        for same in counts.chunk_by(|a, b| a.0 == b.0) {
            let count: i32 = same.iter().map(|&(_, count)| count).sum();
            if count != 0 {
                self.rows.push(Coefficient {
                    weight: same[0].0 as u32,
                    middlegame: count as f32 * phase,
                    endgame: count as f32 * (1.0 - phase) * scale,
                });
            }
        }
        self.positions.push((self.rows.len(), sample.target));
    }

    /// White's evaluation of every position, with its coefficients and target.
    fn evaluations<'a>(
        &'a self,
        weights: &'a [[f64; 2]],
    ) -> impl Iterator<Item = (f64, &'a [Coefficient], f32)> {
        let mut start = 0;
        self.positions.iter().map(move |&(end, target)| {
            let row = &self.rows[start..end];
            start = end;
            let value = row
                .iter()
                .map(|coefficient| {
                    let [middlegame, endgame] = weights[coefficient.weight as usize];
                    middlegame * f64::from(coefficient.middlegame)
                        + endgame * f64::from(coefficient.endgame)
                })
                .sum();
            (value, row, target)
        })
    }

    /// Mean cross entropy, in nats.
    pub(crate) fn loss(&self) -> f64 {
        self.loss_of(self)
    }

    /// Mean cross entropy on these positions under the weights of `other`, in
    /// nats; not a number if there are none.
    pub(crate) fn loss_of(&self, other: &Fit) -> f64 {
        self.loss_with(&other.weights, other.slope)
    }

    fn loss_with(&self, weights: &[[f64; 2]], slope: f64) -> f64 {
        let sum: f64 = self
            .evaluations(weights)
            .map(|(value, _, target)| {
                let expected = logistic(slope * value).clamp(1e-9, 1.0 - 1e-9);
                let target = f64::from(target);
                -(target * expected.ln() + (1.0 - target) * (1.0 - expected).ln())
            })
            .sum();
        sum / self.positions.len() as f64
    }

    /// The slope with the least loss under the weights as they are, so that
    /// fitted weights remain centipawns.
    fn best_slope(&self) -> f64 {
        let (mut low, mut high) = (0.001, 0.02);
        for _ in 0..25 {
            let (a, b) = (low + (high - low) * 0.382, low + (high - low) * 0.618);
            match self.loss_with(&self.weights, a) < self.loss_with(&self.weights, b) {
                true => high = b,
                false => low = a,
            }
        }
        (low + high) / 2.0
    }

    /// Descends, telling `progress` the epoch and the fit so far now and then.
    pub(crate) fn run(&mut self, settings: &Settings, mut progress: impl FnMut(usize, &Fit)) {
        const DECAY: [f64; 2] = [0.9, 0.999];
        let mut moments = vec![[[0.0; 2]; 2]; self.weights.len()];
        let count = self.positions.len().max(1) as f64;
        for epoch in 1..=settings.epochs {
            let mut gradient = vec![[0.0; 2]; self.weights.len()];
            for (value, row, target) in self.evaluations(&self.weights) {
                let error = logistic(self.slope * value) - f64::from(target);
                for coefficient in row {
                    let slot = &mut gradient[coefficient.weight as usize];
                    slot[0] += error * f64::from(coefficient.middlegame);
                    slot[1] += error * f64::from(coefficient.endgame);
                }
            }
            // Smaller steps towards the end.
            let left = 1.0 - epoch as f64 / (settings.epochs + 1) as f64;
            for (i, weight) in self.weights.iter_mut().enumerate() {
                for part in 0..2 {
                    let pull = settings.pull * (weight[part] - self.prior[i][part]) * self.slope;
                    let slope = gradient[i][part] / count + pull / 100.0;
                    let moment = &mut moments[i][part];
                    moment[0] = DECAY[0] * moment[0] + (1.0 - DECAY[0]) * slope;
                    moment[1] = DECAY[1] * moment[1] + (1.0 - DECAY[1]) * slope * slope;
                    let mean = moment[0] / (1.0 - DECAY[0].powi(epoch as i32));
                    let spread = (moment[1] / (1.0 - DECAY[1].powi(epoch as i32))).sqrt();
                    weight[part] -= settings.rate * left * mean / (spread + 1e-9);
                }
            }
            if epoch % 50 == 0 || epoch == settings.epochs {
                progress(epoch, self);
            }
        }
    }

    /// The source text of `weights.rs` with the fitted weights.
    pub(crate) fn source(&self) -> String {
        let entry = |w: &[f64; 2]| format!("s({}, {}),", w[0].round() as i32, w[1].round() as i32);
        let mut out = String::from(HEAD);
        for (term, start) in Term::ALL.iter().zip(starts()) {
            let weights = &self.weights[start..start + term.weights().len()];
            let lines = weights.chunks(8);
            let lines: Vec<String> = lines
                .map(|line| line.iter().map(entry).collect::<Vec<_>>().join(" "))
                .collect();
            let body = match weights.len() {
                ..4 => lines[0].trim_end_matches(',').to_owned(),
                _ => format!("\n        {}\n    ", lines.join("\n        ")),
            };
            out += &format!("    {term:?}: {} = [{body}];\n", weights.len());
        }
        out + "}\n"
    }
}

const HEAD: &str = "\
//! The numbers of the evaluation, as `examples/tune_eval` writes them.

use super::tapered::Tapered;
use super::terms::terms;

const fn s(middlegame: i32, endgame: i32) -> Tapered {
    Tapered::new(middlegame, endgame)
}

terms! {
";

fn signed_count(feature: &Feature, starts: &[usize]) -> (usize, i32) {
    let weight = starts[feature.term as usize] + feature.index;
    match feature.color {
        Color::White => (weight, feature.count),
        Color::Black => (weight, -feature.count),
    }
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use stillwater::board::Position;

    fn samples() -> Vec<Sample> {
        // White wins whenever it is a knight up, in varied company.
        let mut samples = Vec::new();
        for (fen, target) in [
            ("4k3/pppp4/8/8/8/8/PPPP4/4KN2 w - - 0 1", 1.0),
            ("4kn2/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1", 0.0),
            ("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1", 0.5),
            ("4k3/ppp5/8/8/8/8/PPPP4/4K3 w - - 0 1", 0.5),
        ] {
            let position = Position::from_fen(fen).unwrap();
            samples.push(Sample { position, target });
        }
        samples
    }

    #[test]
    fn fitting_lowers_the_loss_and_keeps_the_file_readable() {
        let mut fit = Fit::new(&samples());
        let before = fit.loss();
        let settings = Settings {
            epochs: 60,
            ..Settings::default()
        };
        fit.run(&settings, |_, _| {});
        assert!(fit.loss() < before);
        assert_eq!(fit.source().matches(": ").count(), Term::ALL.len() + 2);
    }

    #[test]
    fn without_a_step_the_source_is_the_file() {
        let fit = Fit::new(&samples());
        assert_eq!(fit.source(), include_str!("../../src/eval/weights.rs"));
    }
}
