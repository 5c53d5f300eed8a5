//! A model of an engine's strength as a function of its parameters.

use serde::Deserialize;

/// One parameter of a landscape. Values are those that the engine gets.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    pub name: String,
    pub min: f64,
    pub max: f64,
    pub start: f64,
    pub optimum: f64,
    /// `w`: Elo lost, to first order, one range away from the optimum.
    pub sensitivity: f64,
    /// `kappa`: asymmetry of the two sides of the optimum; 0 if they are equally steep.
    #[serde(default)]
    pub skew: f64,
}

/// How Elo falls with the quadratic form `Q`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fall {
    /// `-scale ln(1 + Q / scale)`: ever flatter; `-Q` if the scale is infinite.
    Flattening { scale: f64 },
    /// `-(Q + Q^2 / scale)`: ever steeper.
    Steepening { scale: f64 },
}

impl Fall {
    fn elo(self, q: f64) -> f64 {
        match self {
            Self::Flattening { scale } if scale.is_infinite() => -q,
            // An R that is not positive could leave the logarithm's domain.
            Self::Flattening { scale } => -scale * (q / scale).max(-0.999).ln_1p(),
            Self::Steepening { scale } => -(q + q * q / scale),
        }
    }

    /// The `Q` that costs `elo` (a positive number).
    pub fn form_at(self, elo: f64) -> f64 {
        match self {
            Self::Flattening { scale } if scale.is_infinite() => elo,
            Self::Flattening { scale } => scale * (elo / scale).exp_m1(),
            Self::Steepening { scale } => 0.5 * scale * ((1.0 + 4.0 * elo / scale).sqrt() - 1.0),
        }
    }
}

/// `Elo(v) = -fall(Q)`, `Q = sum z_i sqrt(w_i) R_ij sqrt(w_j) z_j`,
/// `z = u + kappa u^2`, `u = (v - optimum) / (max - min)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Landscape {
    axes: Vec<Axis>,
    fall: Fall,
    /// `sqrt(w_i) R_ij sqrt(w_j)`, row by row; `None` stands for the identity R.
    form: Option<Vec<f64>>,
}

impl Landscape {
    /// `coupling` is the matrix R.
    pub fn new(axes: Vec<Axis>, fall: Fall, coupling: Option<&[Vec<f64>]>) -> Self {
        let form = coupling.map(|coupling| {
            let rows = axes.iter().zip(coupling);
            rows.flat_map(|(row, line)| {
                axes.iter()
                    .zip(line)
                    .map(|(column, r)| (row.sensitivity * column.sensitivity).sqrt() * r)
            })
            .collect()
        });
        Self { axes, fall, form }
    }

    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Strength below the optimum's, in Elo: at most 0 if R is positive.
    pub fn elo(&self, values: &[f64]) -> f64 {
        let places = self.axes.iter().zip(values).map(|(axis, value)| {
            let u = (value - axis.optimum) / (axis.max - axis.min);
            u + axis.skew * u * u
        });
        let z: Vec<f64> = places.collect();
        let q = match &self.form {
            None => {
                let terms = z.iter().zip(&self.axes);
                terms.map(|(z, axis)| axis.sensitivity * z * z).sum::<f64>()
            }
            Some(form) => form
                .chunks_exact(z.len())
                .zip(z.iter())
                .map(|(row, zi)| zi * row.iter().zip(z.iter()).map(|(m, zj)| m * zj).sum::<f64>())
                .sum(),
        };
        self.fall.elo(q)
    }
}
