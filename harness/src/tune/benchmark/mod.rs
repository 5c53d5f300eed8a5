//! The benchmark of tuners.

pub mod landscapes;

use super::landscape::Landscape;
use super::method::Method;
use super::pair_model::PairModel;
use super::param::Param;
use super::space::Space;
use super::stream::{Purpose, stream};
use super::tuner::{Budget, Tuner};

/// Plays a whole run against a landscape and returns the true Elo gained by
/// its final values, and by their average.
pub fn simulate(
    landscape: &Landscape,
    budget: Budget,
    seed: u64,
    method: Box<dyn Method>,
    space: Space,
    model: &PairModel,
) -> [f64; 2] {
    let mut tuner = Tuner::new(space, budget, seed, method);
    let mut outcomes = stream(seed, Purpose::Outcomes, 0);
    while let Some((_, played)) = tuner.plan() {
        let elo = landscape.elo(&played.plus) - landscape.elo(&played.minus);
        tuner.result(model.draw(elo, budget.pairs, &mut outcomes));
    }
    tuner.finish();
    let start = landscape.elo(&tuner.space().start());
    [tuner.method().values(), tuner.method().average()]
        .map(|values| landscape.elo(&tuner.space().nearest(&values)) - start)
}

/// The integer parameters of a landscape.
pub fn space_of(landscape: &Landscape) -> Space {
    let params = landscape
        .axes()
        .iter()
        .map(|axis| Param::int(&axis.name, axis.start, axis.min, axis.max))
        .collect();
    match Space::new(params) {
        Ok(space) => space,
        Err(error) => unreachable!("a drawn landscape has possible parameters: {error}"),
    }
}
