//! Parameters in the engine's units, for display. The tuner, the configuration and the JSON
//! have scaled parameters in the parameters' own units.

use hone_experiment::tune::param::{Param, ParamKind};
use hone_experiment::tune::response::ParamResponse;
use hone_report::fixed;
use hone_stats::Estimate;

/// The number of the engine's units in one unit of the parameter.
pub(super) fn factor(param: &Param) -> f64 {
    match param.kind {
        ParamKind::Scaled { factor } => factor,
        ParamKind::Int | ParamKind::Text { .. } | ParamKind::Check | ParamKind::Combo { .. } => 1.0,
    }
}

/// Decimals of the values that the engine gets.
pub(super) fn decimals(param: &Param) -> usize {
    match param.kind {
        ParamKind::Text { decimals } => decimals as usize,
        ParamKind::Int | ParamKind::Scaled { .. } | ParamKind::Check | ParamKind::Combo { .. } => 0,
    }
}

/// A point of the range in the engine's units, which may lie between two values; of a check or
/// a combo, the nearest choice.
pub(super) fn place(param: &Param, at: f64) -> String {
    if param.is_choice() {
        param.text(at)
    } else {
        fixed(at, decimals(param).max(1))
    }
}

/// Estimate, low and high end of an optimum, by [`place`].
pub(super) fn places(param: &Param, optimum: &Estimate) -> [String; 3] {
    [optimum.estimate, optimum.low, optimum.high].map(|at| place(param, at))
}

/// The same parameter with a range in the engine's units.
pub(super) fn in_engine_units(param: &Param) -> Param {
    let factor = factor(param);
    Param {
        kind: match &param.kind {
            ParamKind::Scaled { .. } => ParamKind::Scaled { factor: 1.0 },
            kind => kind.clone(),
        },
        start: param.start * factor,
        min: param.min * factor,
        max: param.max * factor,
        step: param.step * factor,
        ..param.clone()
    }
}

/// The response of a parameter with its optimum in the engine's units.
pub(super) fn response(param: &Param, own: &ParamResponse) -> ParamResponse {
    let factor = factor(param);
    let optimum = Estimate {
        estimate: own.optimum.estimate * factor,
        low: own.optimum.low * factor,
        high: own.optimum.high * factor,
    };
    ParamResponse {
        optimum,
        ..own.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_the_digits_of_the_engine() {
        let shown = |kind: ParamKind, at: f64| {
            let param = Param {
                kind,
                ..Param::int("A", 0.0, 0.0, 1.0)
            };
            place(&param, at)
        };
        assert_eq!(shown(ParamKind::Int, 138.56), "138.6");
        assert_eq!(shown(ParamKind::Scaled { factor: 100.0 }, -0.01), "0.0");
        assert_eq!(shown(ParamKind::Text { decimals: 4 }, 0.01234), "0.0123");
        assert_eq!(shown(ParamKind::Check, 0.8), "true");
        let choices = vec!["off".to_owned(), "once".to_owned()];
        assert_eq!(shown(ParamKind::Combo { choices }, 0.6), "once");
    }

    #[test]
    fn only_scaled_parameters_change() {
        let own = Param::int("A", 5.0, 0.0, 10.0);
        assert_eq!(in_engine_units(&own), own);
        let scaled = Param {
            kind: ParamKind::Scaled { factor: 100.0 },
            ..own
        };
        let engine = in_engine_units(&scaled);
        let range = [engine.start, engine.min, engine.max, engine.step];
        assert_eq!(range, [500.0, 0.0, 1000.0, 50.0]);
        assert_eq!(engine.text(engine.start), scaled.text(scaled.start));
    }
}
