//! Completes the configuration of a tuning, so that the manifest contains everything that
//! defines the run.

use std::env;

use anyhow::{Context, ensure};

use super::budget;
use super::imported::imported;
use hone_base::diagnostic::{Advise, Diagnostic};
use hone_base::output::Announce;
use hone_experiment::tune::TuneSection;
use hone_experiment::tune::param::{Param, ParamKind};
use hone_experiment::tune::resolve::{ResolveError, resolve};
use hone_experiment::tune::section::ParamSection;
use hone_run::config::Config;
use hone_run::{PreparedEngines, SessionError};
use hone_uci::engine::uci::{EngineOption, check_options};

/// Suffix of the name of the engine with the positive perturbation.
pub(super) const PLUS: &str = " plus";

/// The result of [`prepare`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prepared {
    Ready,
    /// The user has interrupted the measurement of the speed.
    Interrupted,
}

/// Refuses a configuration that does not have exactly one engine.
///
/// # Errors
/// The number of engines.
pub(super) fn check_one_engine(config: &Config) -> anyhow::Result<()> {
    ensure!(
        config.engine.len() == 1,
        "exactly one [[engine]] is needed; {} are configured",
        config.engine.len()
    );
    Ok(())
}

/// Puts the engine twice into the configuration, and every parameter with all its settings.
/// Measures the speed if the budget is given only as time.
///
/// # Errors
/// [`SessionError`].
pub fn prepare(config: &mut Config, announce: Announce<'_>) -> Result<Prepared, SessionError> {
    complete(config, announce)?;
    let mut section = config.tune.clone().unwrap_or_default();
    if let (None, Some(time)) = (section.pairs, section.max_time) {
        section.pairs = budget::measured(config, time, announce)?;
        if section.pairs.is_none() {
            return Ok(Prepared::Interrupted);
        }
    }
    section.complete();
    config.tune = Some(section);
    Ok(Prepared::Ready)
}

fn complete(config: &mut Config, announce: Announce<'_>) -> Result<(), SessionError> {
    check_one_engine(config)?;
    let base = env::current_dir().context("cannot find the working directory")?;
    let engines = PreparedEngines::prepare(config, &base, None, announce)?;
    let [options] = &engines.options[..] else {
        unreachable!("one engine was prepared");
    };
    let section = config.tune.get_or_insert_default();
    let imported = imported(section)?;
    let space = resolve(section, imported, options, &config.engine[0].options.0)
        .map_err(|error| faulty(error, section))?;
    for param in space.params() {
        check_values(options, param)?;
    }
    section.params = space
        .params()
        .iter()
        .map(|param| (param.name.clone(), ParamSection::of(param)))
        .collect();
    section.import = None;
    section.group = vec![];
    section.exclude = vec![];
    let mut minus = config.engine[0].clone();
    minus.name = format!("{} minus", minus.name);
    config.engine[0].name += PLUS;
    config.engine.push(minus);
    Ok(())
}

/// The error with the key that it is about.
pub fn faulty(error: ResolveError, section: &TuneSection) -> anyhow::Error {
    match error.key(section) {
        Some(key) => {
            let path: Vec<&str> = key.iter().map(String::as_str).collect();
            Diagnostic::of(error).key(&path).into()
        }
        None => error.into(),
    }
}

/// Checks that the engine accepts the start and the ends of a parameter's
/// range, or all its choices. Games would not show it: an engine that gets a value which it
/// does not accept keeps the one before.
fn check_values(options: &[EngineOption], param: &Param) -> anyhow::Result<()> {
    let Param {
        name,
        start,
        min,
        max,
        ..
    } = param;
    let values = match &param.kind {
        ParamKind::Combo { choices } => choices.clone(),
        _ => [*min, *start, *max].map(|value| param.text(value)).to_vec(),
    };
    let how = match &param.kind {
        ParamKind::Scaled { factor } => format!(" with factor {factor}"),
        ParamKind::Text { decimals } => format!(" with {decimals} decimals"),
        ParamKind::Int | ParamKind::Check | ParamKind::Combo { .. } => String::new(),
    };
    let wanted = values.iter().map(|value| (name.as_str(), value.as_str()));
    check_options(options, wanted).diagnosed(|| {
        let message = format!("cannot tune `{name}` from {min} to {max}{how}");
        Diagnostic::new(message).key(&["tune", "params", name])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(kind: ParamKind, name: &str, min: f64, max: f64) -> Result<(), String> {
        let options = [
            "option name Margin type spin default 150 min 0 max 600",
            "option name Base type string default 0.75",
            "option name Checks type check default true",
            "option name Style type combo default Solid var Solid var Wild",
        ]
        .map(|line| EngineOption::parse(line).expect(line));
        let param = Param {
            kind,
            ..Param::int(name, min, min, max)
        };
        check_values(&options, &param).map_err(|error| hone_base::text::with_causes(&error))
    }

    fn choices(list: &[&str]) -> ParamKind {
        ParamKind::Combo {
            choices: list.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn values_that_the_engine_accepts() {
        for (kind, name, max) in [
            (ParamKind::Int, "Margin", 600.0),
            (ParamKind::Scaled { factor: 100.0 }, "margin", 6.0),
            (ParamKind::Text { decimals: 0 }, "Margin", 600.0),
            // Real numbers of engines that declare them as strings.
            (ParamKind::Text { decimals: 3 }, "Base", 2.0),
            (ParamKind::Int, "Base", 9000.0),
            (ParamKind::Check, "Checks", 1.0),
            (choices(&["wild", "Solid"]), "Style", 1.0),
        ] {
            checked(kind, name, 0.0, max).unwrap();
        }
    }

    #[test]
    fn values_that_the_engine_would_refuse_are_named_with_what_is_allowed() {
        for (kind, name, min, max, says) in [
            (ParamKind::Int, "Margin", 0.0, 900.0, "`900` is not a valid"),
            (ParamKind::Int, "Margin", -5.0, 600.0, "from 0 to 600"),
            (
                ParamKind::Scaled { factor: 100.0 },
                "Margin",
                0.0,
                600.0,
                "with factor 100: `60000`",
            ),
            (
                ParamKind::Text { decimals: 2 },
                "Margin",
                0.0,
                600.0,
                "with 2 decimals: `0.00`",
            ),
            (ParamKind::Int, "Checks", 0.0, 1.0, "true or false"),
            (
                choices(&["Solid", "Wlid"]),
                "Style",
                0.0,
                1.0,
                "one of: Solid, Wild",
            ),
            (ParamKind::Int, "Margn", 0.0, 1.0, "did you mean `Margin`"),
        ] {
            let error = checked(kind, name, min, max).unwrap_err();
            assert!(error.contains(says) && error.contains(name), "{error}");
        }
    }
}
