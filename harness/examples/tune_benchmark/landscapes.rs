//! Random landscapes: those of the benchmark, and shapes for which no method was tuned.

use hone_experiment::tune::landscape::{Axis, Fall, Landscape};
use hone_experiment::tune::stream::{Purpose, normal, stream, uniform};
use rand_chacha::ChaCha8Rng;

/// The shape of a landscape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// The shape of the benchmark: mild skew and coupling, one fifth of the parameters dead.
    Base,
    /// Every parameter strongly skewed (kappa = +-1.6).
    Skewed,
    /// Strength falls ever faster with the distance from the optimum.
    Cliff,
    /// Strength hardly changes far from the optimum (scale a third of the
    /// Elo available).
    Plateau,
    /// Strong coupling: the random part of R weighs 0.8.
    Coupled,
    /// Every second optimum is at the end of its range.
    Bound,
    /// Four parameters of five are dead.
    Dead,
    /// Optima are up to half a range away.
    Far,
    /// Optima are within 6 % of the range.
    Near,
}

impl Shape {
    /// All shapes but [`Shape::Base`].
    pub(super) const OTHERS: [Self; 8] = [
        Self::Skewed,
        Self::Cliff,
        Self::Plateau,
        Self::Coupled,
        Self::Bound,
        Self::Dead,
        Self::Far,
        Self::Near,
    ];

    /// The name in tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Skewed => "skewed",
            Self::Cliff => "cliff",
            Self::Plateau => "plateau",
            Self::Coupled => "coupled",
            Self::Bound => "bound",
            Self::Dead => "dead",
            Self::Far => "far",
            Self::Near => "near",
        }
    }
}

/// The parameters of a random landscape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spec {
    pub(super) shape: Shape,
    pub(super) parameters: usize,
    /// Elo between the start and the optimum.
    pub(super) available: f64,
}

/// The landscape number `index` of a specification.
pub(super) fn draw(spec: &Spec, seed: u64, index: u64) -> Landscape {
    let mut rng = stream(seed, Purpose::Landscape, index);
    let axes: Vec<Axis> = (0..spec.parameters)
        .map(|number| axis(spec, number, &mut rng))
        .collect();
    let share = if spec.shape == Shape::Coupled {
        0.8
    } else {
        0.35
    };
    let coupling = coupling(spec.parameters, share, &mut rng);
    let fall = match spec.shape {
        Shape::Plateau => Fall::Flattening {
            scale: spec.available / 3.0,
        },
        Shape::Cliff => Fall::Steepening {
            scale: 2.0 * spec.available,
        },
        _ => Fall::Flattening { scale: 300.0 },
    };
    scaled(axes, fall, &coupling, spec.available)
}

fn axis(spec: &Spec, number: usize, rng: &mut ChaCha8Rng) -> Axis {
    let range = (uniform(rng) * (2000.0f64 / 20.0).ln()).exp() * 20.0;
    let range = range.round();
    let start = (range * (1.0 + uniform(rng)) / 3.0).round();
    let side = if uniform(rng) < 0.5 { -1.0 } else { 1.0 };
    let (near, far) = match spec.shape {
        Shape::Far => (0.25, 0.5),
        Shape::Near => (0.01, 0.06),
        _ => (0.06, 0.25),
    };
    let mut optimum = start + side * range * (near + uniform(rng) * (far - near));
    if spec.shape == Shape::Bound && number.is_multiple_of(2) {
        optimum = if side < 0.0 { 0.0 } else { range };
    }
    let dead = if spec.shape == Shape::Dead { 0.8 } else { 0.2 };
    let live = 10f64.powf(uniform(rng) * 2.0 - 1.0);
    let sensitivity = if uniform(rng) < dead { 0.003 } else { live };
    let skew = (uniform(rng) * 2.0 - 1.0) * 0.8;
    Axis {
        name: format!("P{number}"),
        min: 0.0,
        max: range,
        start,
        optimum: optimum.clamp(0.0, range),
        sensitivity,
        skew: match spec.shape {
            Shape::Skewed => 1.6f64.copysign(skew),
            _ => skew,
        },
    }
}

/// The matrix `(1 - share) I + share C`, where `C` is the correlation matrix of as many random
/// normal vectors as there are parameters.
fn coupling(parameters: usize, share: f64, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    let vectors: Vec<Vec<f64>> = (0..parameters)
        .map(|_| {
            let vector: Vec<f64> = (0..parameters).map(|_| normal(rng)).collect();
            let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
            vector.into_iter().map(|x| x / length).collect()
        })
        .collect();
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    (0..parameters)
        .map(|i| {
            (0..parameters)
                .map(|j| {
                    let identity = if i == j { 1.0 - share } else { 0.0 };
                    identity + share * product(&vectors[i], &vectors[j])
                })
                .collect()
        })
        .collect()
}

/// Multiplies the sensitivities so that the start is `available` Elo below the
/// optimum.
fn scaled(mut axes: Vec<Axis>, fall: Fall, coupling: &[Vec<f64>], available: f64) -> Landscape {
    let start: Vec<f64> = axes.iter().map(|axis| axis.start).collect();
    let plain = Fall::Flattening {
        scale: f64::INFINITY,
    };
    let loss = -Landscape::new(axes.clone(), plain, Some(coupling)).elo(&start);
    let wanted = fall.form_at(available);
    for axis in &mut axes {
        axis.sensitivity *= wanted / loss;
    }
    Landscape::new(axes, fall, Some(coupling))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_below_the_optimum_by_the_available_elo() {
        for shape in Shape::OTHERS.into_iter().chain([Shape::Base]) {
            for index in 0..5 {
                let spec = Spec {
                    shape,
                    parameters: 12,
                    available: 6.0,
                };
                let landscape = draw(&spec, 3, index);
                let place = |pick: fn(&Axis) -> f64| -> Vec<f64> {
                    landscape.axes().iter().map(pick).collect()
                };
                let start = landscape.elo(&place(|axis| axis.start));
                assert!((start + 6.0).abs() < 1e-6, "{shape:?} {start}");
                let best = landscape.elo(&place(|axis| axis.optimum));
                assert!(best.abs() < 1e-9, "{shape:?} {best}");
            }
        }
    }

    #[test]
    fn landscapes_differ_and_repeat() {
        let spec = Spec {
            shape: Shape::Base,
            parameters: 4,
            available: 10.0,
        };
        assert_eq!(draw(&spec, 1, 0), draw(&spec, 1, 0));
        assert_ne!(draw(&spec, 1, 0), draw(&spec, 1, 1));
        assert_ne!(draw(&spec, 1, 0), draw(&spec, 2, 0));
    }
}
