//! The optimizer: Adam (Kingma and Ba, 2015) with decoupled weight decay (Loshchilov and
//! Hutter, 2019).

use crate::network::layers::{LIMIT, Layers, WEIGHTS};

const MEAN_KEPT: f32 = 0.9;
const SQUARE_KEPT: f32 = 0.999;
const DECAY: f32 = 0.01;

pub(crate) struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
}

impl Adam {
    pub(crate) fn new() -> Adam {
        Adam {
            mean: vec![0.0; WEIGHTS],
            square: vec![0.0; WEIGHTS],
            steps: 0,
        }
    }

    pub(crate) fn step(&mut self, network: &mut Layers, slopes: &Layers, rate: f32) {
        self.steps += 1;
        let mean_seen = 1.0 - MEAN_KEPT.powi(self.steps);
        let square_seen = 1.0 - SQUARE_KEPT.powi(self.steps);
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((weight, slope), (mean, square)) in network.0.iter_mut().zip(&slopes.0).zip(moments) {
            *mean = MEAN_KEPT * *mean + (1.0 - MEAN_KEPT) * slope;
            *square = SQUARE_KEPT * *square + (1.0 - SQUARE_KEPT) * slope * slope;
            let step = *mean / mean_seen / ((*square / square_seen).sqrt() + 1e-8);
            *weight -= rate * (step + DECAY * *weight);
            *weight = weight.clamp(-LIMIT, LIMIT);
        }
    }
}
