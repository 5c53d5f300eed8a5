//! The parameters of a run, from its configuration, an import, and the engine's options or
//! a model.

use std::collections::BTreeSet;

use super::SpaceError;
use super::declaration::Declaration;
use super::declared::{apply_entry, check_kinds, from_entry};
use super::landscape::Axis;
use super::param::Param;
use super::pattern::{matches, selects};
use super::section::{ParamSection, TuneSection};
use super::space::Space;
use hone_base::text::nearest;
use hone_uci::engine::uci::EngineOption;

/// Why the parameters cannot be determined.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    #[error(
        "[tune.params] {name}: the engine has no such option{}",
        suggested(nearest.as_deref())
    )]
    Unknown {
        name: String,
        nearest: Option<String>,
    },
    #[error(
        "[tune.params] {name}: the model has no parameter `{name}`{}",
        suggested(nearest.as_deref())
    )]
    UnknownInModel {
        name: String,
        nearest: Option<String>,
    },
    #[error("[tune.params] {name}: {reason}")]
    Param { name: String, reason: String },
    /// A parameter that only `group` selects.
    #[error("parameter `{name}`: {reason} in [tune.params], or leave it out with `exclude`")]
    OfGroup { name: String, reason: String },
    #[error("`{key}` in [tune]: no parameter matches `{pattern}`")]
    Pattern { key: &'static str, pattern: String },
    #[error(transparent)]
    Space(#[from] SpaceError),
}

impl ResolveError {
    /// The path of the key at fault: of a pattern, of a parameter, or of the value of a
    /// parameter that the reason names; of a parameter without an entry, the pattern in
    /// `group` that selects it. `None` if `section` does not have it.
    pub fn key(&self, section: &TuneSection) -> Option<Vec<String>> {
        let path = |keys: &[&str]| Some(keys.iter().map(|key| (*key).to_owned()).collect());
        let (name, reason) = match self {
            Self::Pattern { key, pattern } => {
                let patterns = match *key {
                    "group" => &section.group,
                    _ => &section.exclude,
                };
                let index = patterns.iter().position(|known| known == pattern)?;
                return path(&["tune", key, &index.to_string()]);
            }
            Self::Param { name, reason }
            | Self::OfGroup { name, reason }
            | Self::Space(SpaceError::Param { name, reason }) => (name, reason.as_str()),
            Self::Unknown { name, .. }
            | Self::UnknownInModel { name, .. }
            | Self::Space(SpaceError::Steps(name) | SpaceError::Duplicate(name)) => (name, ""),
            Self::Space(SpaceError::Empty) => return None,
        };
        let is_named = |(known, _): &(&String, &ParamSection)| known.eq_ignore_ascii_case(name);
        let exact = section.params.get_key_value(name);
        let named = exact.or_else(|| section.params.iter().find(is_named));
        let Some((name, entry)) = named else {
            let mut patterns = section.group.iter();
            let index = patterns.position(|pattern| matches(pattern, name))?;
            return path(&["tune", "group", &index.to_string()]);
        };
        match entry.key_in(reason) {
            Some(key) => path(&["tune", "params", name, key]),
            None => path(&["tune", "params", name]),
        }
    }

    /// The same about the parameters of a model instead of an engine's options.
    fn of_model(self) -> Self {
        match self {
            Self::Unknown { name, nearest } => Self::UnknownInModel { name, nearest },
            other => other,
        }
    }
}

fn suggested(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

/// The parameters of a run: the `imported` ones and the engine's own options that
/// `group` and `exclude` select, and those that `[tune.params]` names, whose entries
/// have precedence. `configured` are the engine's configured options, from which
/// parameters start.
///
/// # Errors
/// If a parameter is unknown, impossible or incomplete, or none is left.
pub fn resolve(
    section: &TuneSection,
    imported: Vec<Param>,
    options: &[EngineOption],
    configured: &[(String, String)],
) -> Result<Space, ResolveError> {
    let declared: Vec<_> = options.iter().map(Declaration::Engine).collect();
    of_declarations(section, imported, &declared, configured)
}

/// The same with the parameters of a model in place of an engine's options. Without
/// `[tune.params]`, `group` and `import`, all of them.
///
/// # Errors
/// Those of [`resolve`].
pub fn resolve_model(
    section: &TuneSection,
    imported: Vec<Param>,
    axes: &[Axis],
) -> Result<Space, ResolveError> {
    let mut section = section.clone();
    if section.params.is_empty() && section.group.is_empty() && section.import.is_none() {
        section.group = vec!["*".to_owned()];
    }
    let declared: Vec<_> = axes.iter().map(Declaration::Model).collect();
    of_declarations(&section, imported, &declared, &[]).map_err(ResolveError::of_model)
}

fn of_declarations(
    section: &TuneSection,
    imported: Vec<Param>,
    declared: &[Declaration<'_>],
    configured: &[(String, String)],
) -> Result<Space, ResolveError> {
    check_entries(section)?;
    check_patterns(section, &imported, declared)?;
    let mut params = imported;
    params.retain(|param| selects(&section.group, &section.exclude, &param.name));
    for declaration in of_groups(section, declared) {
        let name = declaration.name();
        let whole = ParamSection::default();
        let param = from_entry(name, &whole, Some(declaration), configured);
        params.push(param.map_err(|reason| ResolveError::OfGroup {
            name: name.to_owned(),
            reason,
        })?);
    }
    for (name, entry) in &section.params {
        if !selects(&[], &section.exclude, name) {
            continue;
        }
        let is_named = |other: &str| other.eq_ignore_ascii_case(name);
        if let Some(known) = params.iter_mut().find(|param| is_named(&param.name)) {
            apply_entry(known, entry);
            continue;
        }
        let mut declarations = declared.iter().copied();
        let declaration = declarations.find(|known| is_named(known.name()));
        let is_complete = entry.start.is_some() && entry.min.is_some() && entry.max.is_some();
        if declaration.is_none() && !is_complete {
            return Err(ResolveError::Unknown {
                name: name.clone(),
                nearest: nearest(name, declared.iter().map(|known| known.name()))
                    .map(str::to_owned),
            });
        }
        let param = from_entry(name, entry, declaration, configured);
        params.push(param.map_err(|reason| ResolveError::Param {
            name: name.clone(),
            reason,
        })?);
    }
    let space = Space::new(params)?;
    section.check_steps(&space)?;
    Ok(space)
}

/// The declared parameters that `group` selects, without those that are named.
fn of_groups<'a>(section: &TuneSection, declared: &[Declaration<'a>]) -> Vec<Declaration<'a>> {
    if section.import.is_some() || section.group.is_empty() {
        return vec![];
    }
    let is_named = |name: &str| {
        let mut names = section.params.keys();
        names.any(|known| known.eq_ignore_ascii_case(name))
    };
    let is_selected = |known: &Declaration<'_>| {
        known.is_selectable()
            && selects(&section.group, &section.exclude, known.name())
            && !is_named(known.name())
    };
    declared.iter().copied().filter(is_selected).collect()
}

/// Refuses a pattern that matches nothing: a mistyped one would tune other parameters
/// than were meant.
fn check_patterns(
    section: &TuneSection,
    imported: &[Param],
    declared: &[Declaration<'_>],
) -> Result<(), ResolveError> {
    let names = |of: &dyn Fn(&Declaration<'_>) -> bool| -> Vec<String> {
        let declared = declared.iter().filter(|known| of(known));
        (imported.iter().map(|param| param.name.clone()))
            .chain(declared.map(|known| known.name().to_owned()))
            .chain(section.params.keys().cloned())
            .collect()
    };
    // `exclude` may match options that no group selects, such as `Hash`.
    for (key, patterns, names) in [
        (
            "group",
            &section.group,
            names(&|known| known.is_selectable()),
        ),
        ("exclude", &section.exclude, names(&|_| true)),
    ] {
        let unused = |pattern: &&String| !names.iter().any(|name| matches(pattern, name));
        if let Some(pattern) = patterns.iter().find(unused) {
            return Err(ResolveError::Pattern {
                key,
                pattern: pattern.clone(),
            });
        }
    }
    Ok(())
}

/// Refuses entries of more than one kind, and names that differ only by case: the second
/// entry would change the parameter of the first.
fn check_entries(section: &TuneSection) -> Result<(), ResolveError> {
    let mut known = BTreeSet::new();
    for (name, entry) in &section.params {
        if !known.insert(name.to_ascii_lowercase()) {
            return Err(SpaceError::Duplicate(name.clone()).into());
        }
        check_kinds(entry).map_err(|reason| ResolveError::Param {
            name: name.clone(),
            reason,
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
