//! One parameter, from its entry in the configuration and from the engine's option, a
//! model or an import.

use super::declaration::{Declaration, Declared};
use super::param::{Param, ParamKind, STEPS};
use super::section::ParamSection;

/// Refuses an entry with more than one kind: only one would have an effect.
///
/// # Errors
/// The first two keys that exclude each other.
pub(super) fn check_kinds(entry: &ParamSection) -> Result<(), String> {
    let kinds = [
        ("check", entry.check),
        ("choices", entry.choices.is_some()),
        ("factor", entry.factor.is_some()),
        ("decimals", entry.decimals.is_some()),
    ];
    let mut set = kinds.iter().filter(|(_, is_set)| *is_set);
    match (set.next(), set.next()) {
        (Some((one, _)), Some((other, _))) => Err(format!(
            "`{one}` and `{other}` exclude each other: leave out one of them"
        )),
        _ => Ok(()),
    }
}

/// Overrides an imported parameter by its entry in the configuration.
pub(super) fn apply_entry(param: &mut Param, entry: &ParamSection) {
    param.start = entry.start.unwrap_or(param.start);
    param.min = entry.min.unwrap_or(param.min);
    param.max = entry.max.unwrap_or(param.max);
    param.step = entry.step.unwrap_or(param.step);
    param.gain = entry.gain.or(param.gain);
    if let Some(kind) = configured_kind(entry) {
        param.kind = kind;
    }
}

/// A parameter from its entry in the configuration; what the entry leaves out comes
/// from the declaration. `configured` are the engine's configured options.
///
/// # Errors
/// What is missing or impossible.
pub(super) fn from_entry(
    name: &str,
    entry: &ParamSection,
    declaration: Option<Declaration<'_>>,
    configured: &[(String, String)],
) -> Result<Param, String> {
    let given = configured
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str());
    let declared = match declaration {
        Some(declaration) => declaration.declared(given, entry.choices.as_ref())?,
        None => Declared::nothing(),
    };
    let kind = configured_kind(entry).unwrap_or(declared.kind);
    let scale = match kind {
        ParamKind::Scaled { factor } => factor,
        _ => 1.0,
    };
    let value = |own: Option<f64>, engine: Option<f64>, key: &str| {
        own.or(engine.map(|engine| engine / scale))
            .ok_or_else(|| undeclared(key, declaration))
    };
    let min = value(entry.min, declared.min, "min")?;
    let max = value(entry.max, declared.max, "max")?;
    let start = match (entry.start, declared.missing) {
        (None, Some(choice)) => {
            return Err(format!(
                "`choices` do not contain `{choice}`, from which it would start; add it, or set \
                 `start` to the number of a choice (the first is 0)"
            ));
        }
        (own, _) => value(own, declared.start, "start")?,
    };
    if entry.start.is_none() && min < max && (start < min || start > max) {
        let origin = match (given, declaration) {
            (None, Some(declaration)) => declaration.start_in_words(),
            _ => "the value in the engine's `options`",
        };
        return Err(format!(
            "start {start} is outside {min} to {max}; it is {origin}: set `start`"
        ));
    }
    Ok(Param {
        name: declaration.map_or(name, Declaration::name).to_owned(),
        kind,
        start,
        min,
        max,
        step: entry.step.unwrap_or((max - min) / STEPS),
        gain: entry.gain,
    })
}

/// That neither the entry nor the declaration has a value for `key`.
fn undeclared(key: &str, declaration: Option<Declaration<'_>>) -> String {
    match (declaration.and_then(|known| known.reason(key)), key) {
        (Some(reason), _) => format!("`{key}` is missing, and {reason}: set `{key}`"),
        (None, "start") => {
            "`start` is missing, and the engine does not declare it: set `start`".to_owned()
        }
        (None, _) => {
            format!("`{key}` is missing, and the engine does not declare it: set `min` and `max`")
        }
    }
}

/// The kind that the configuration sets, if it sets one.
fn configured_kind(entry: &ParamSection) -> Option<ParamKind> {
    if entry.check {
        return Some(ParamKind::Check);
    }
    let choices = entry.choices.clone();
    choices
        .map(|choices| ParamKind::Combo { choices })
        .or(entry.factor.map(|factor| ParamKind::Scaled { factor }))
        .or(entry.decimals.map(|decimals| ParamKind::Text { decimals }))
}
