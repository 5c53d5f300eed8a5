//! The parameters of a run, from its configuration, an import and the engine's options.

use std::collections::BTreeSet;

use super::SpaceError;
use super::declared::{apply_entry, from_entry};
use super::param::Param;
use super::pattern::{matches, selects};
use super::section::{ParamSection, TuneSection};
use super::space::Space;
use crate::engine::uci::{EngineOption, OptionKind};
use crate::text::nearest;

/// Why the parameters cannot be determined.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResolveError {
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
    #[error("`{key}` in [tune]: no parameter matches `{pattern}`")]
    Pattern { key: &'static str, pattern: String },
    #[error(transparent)]
    Space(#[from] SpaceError),
}

impl ResolveError {
    /// The path of the key at fault: of a pattern, of a parameter, or of the value of a
    /// parameter that the reason names. `None` if `section` does not have it.
    pub(crate) fn key(&self, section: &TuneSection) -> Option<Vec<String>> {
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
            Self::Param { name, reason } | Self::Space(SpaceError::Param { name, reason }) => {
                (name, reason.as_str())
            }
            Self::Unknown { name, .. }
            | Self::UnknownInModel { name, .. }
            | Self::Space(SpaceError::Steps(name) | SpaceError::Duplicate(name)) => (name, ""),
            Self::Space(SpaceError::Empty) => return None,
        };
        let is_named = |(known, _): &(&String, &ParamSection)| known.eq_ignore_ascii_case(name);
        let exact = section.params.get_key_value(name);
        let (name, entry) = exact.or_else(|| section.params.iter().find(is_named))?;
        match entry.key_in(reason) {
            Some(key) => path(&["tune", "params", name, key]),
            None => path(&["tune", "params", name]),
        }
    }

    /// The same about the parameters of a model instead of an engine's options.
    pub(crate) fn of_model(self) -> Self {
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
pub(crate) fn resolve(
    section: &TuneSection,
    imported: Vec<Param>,
    options: &[EngineOption],
    configured: &[(String, String)],
) -> Result<Space, ResolveError> {
    check_names(section)?;
    check_patterns(section, &imported, options)?;
    let param = |name: &str, entry: &ParamSection, option: Option<&EngineOption>| {
        from_entry(name, entry, option, configured).map_err(|reason| ResolveError::Param {
            name: name.to_owned(),
            reason,
        })
    };
    let mut params = imported;
    params.retain(|param| selects(&section.group, &section.exclude, &param.name));
    for option in of_groups(section, options) {
        params.push(param(&option.name, &ParamSection::default(), Some(option))?);
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
        let option = options.iter().find(|option| is_named(&option.name));
        let is_complete = entry.start.is_some() && entry.min.is_some() && entry.max.is_some();
        if option.is_none() && !is_complete {
            return Err(ResolveError::Unknown {
                name: name.clone(),
                nearest: nearest(name, options.iter().map(|option| option.name.as_str()))
                    .map(str::to_owned),
            });
        }
        params.push(param(name, entry, option)?);
    }
    let space = Space::new(params)?;
    section.check_steps(&space)?;
    Ok(space)
}

/// The engine's own options that `group` selects, without those that are named.
fn of_groups<'a>(section: &TuneSection, options: &'a [EngineOption]) -> Vec<&'a EngineOption> {
    if section.import.is_some() || section.group.is_empty() {
        return vec![];
    }
    let is_named = |option: &EngineOption| {
        let mut names = section.params.keys();
        names.any(|name| name.eq_ignore_ascii_case(&option.name))
    };
    let is_selected = |option: &EngineOption| {
        is_constant(option) && selects(&section.group, &section.exclude, &option.name)
    };
    let options = options.iter();
    options
        .filter(|option| is_selected(option) && !is_named(option))
        .collect()
}

/// Refuses a pattern that matches nothing: a mistyped one would tune other parameters
/// than were meant.
fn check_patterns(
    section: &TuneSection,
    imported: &[Param],
    options: &[EngineOption],
) -> Result<(), ResolveError> {
    let names = |of: &dyn Fn(&EngineOption) -> bool| -> Vec<String> {
        let options = options.iter().filter(|option| of(option));
        (imported.iter().map(|param| param.name.clone()))
            .chain(options.map(|option| option.name.clone()))
            .chain(section.params.keys().cloned())
            .collect()
    };
    // `exclude` may match options that no group selects, such as `Hash`.
    for (key, patterns, names) in [
        ("group", &section.group, names(&is_constant)),
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

/// Common options, in lower case, that set how an engine runs and are not constants of its
/// search or evaluation.
const ENGINE_SETTINGS: [&str; 5] = [
    "hash",
    "threads",
    "multipv",
    "move overhead",
    "nalimovcache",
];

/// Whether an option may be a constant of the engine: a spin with more than one value that
/// does not set how the engine runs.
fn is_constant(option: &EngineOption) -> bool {
    let name = option.name.to_ascii_lowercase();
    matches!(option.kind, OptionKind::Spin { min, max, .. } if min < max)
        && !ENGINE_SETTINGS.contains(&name.as_str())
        && !["uci_", "syzygy"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

/// Refuses names that differ only by case: the second entry would change the parameter of
/// the first.
fn check_names(section: &TuneSection) -> Result<(), SpaceError> {
    let mut known = BTreeSet::new();
    match section
        .params
        .keys()
        .find(|name| !known.insert(name.to_ascii_lowercase()))
    {
        Some(name) => Err(SpaceError::Duplicate(name.clone())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::import;
    use super::*;

    fn engine() -> Vec<EngineOption> {
        [
            "option name Hash type spin default 16 min 1 max 4096",
            "option name SyzygyProbeDepth type spin default 1 min 1 max 100",
            "option name UCI_Elo type spin default 2000 min 1000 max 3000",
            "option name Fixed type spin default 7 min 7 max 7",
            "option name QsDeltaMargin type spin default 150 min 0 max 600",
            "option name QsChecks type check default true",
            "option name LmrBase type string default 0.75",
            "option name Style type combo default Solid var Solid var Wild var Mad",
        ]
        .iter()
        .map(|line| EngineOption::parse(line).unwrap())
        .collect()
    }

    fn section(text: &str) -> TuneSection {
        toml::from_str(text).unwrap()
    }

    /// The parameters of a section with the engine above.
    fn tuned(text: &str) -> Result<Space, ResolveError> {
        resolve(&section(text), vec![], &engine(), &[])
    }

    #[test]
    fn constants_that_overflow_are_refused() {
        let resolved = |method: &str, entry: &str, constants: &str| {
            let text = format!(
                "method = \"{method}\"\npairs = 200\n[classic]\n{constants}\n\
                 [params]\nQsDeltaMargin = {entry}\n"
            );
            tuned(&text).map(|_| ())
        };
        let refused = |method, entry, constants| {
            let error = resolved(method, entry, constants).unwrap_err();
            assert!(
                error.to_string().contains("`QsDeltaMargin`: its steps"),
                "{error}"
            );
        };
        for method in ["openbench", "fishtest", "weather-factory"] {
            for constants in ["", "stability = 0\ngain = 0", "alpha = 10\ngamma = 10"] {
                let resolved = resolved(method, "{}", constants);
                assert!(resolved.is_ok(), "{method}, {constants}: {resolved:?}");
            }
            refused(method, "{}", "width = 1e308");
        }
        // OpenBench moves a whole number by a half at least.
        for method in ["fishtest", "weather-factory"] {
            refused(method, "{}", "width = 0");
        }
        for method in ["openbench", "fishtest"] {
            refused(method, "{}", "gain = 1e308");
            refused(method, "{}", "stability = 1e308");
            refused(method, "{ gain = 1e308 }", "");
        }
        assert!(resolved("spsa", "{}", "width = 0").is_ok());
    }

    #[test]
    fn what_the_configuration_leaves_out_comes_from_the_engine() {
        let space = tuned(
            "[params]\nqsdeltamargin = { max = 300, step = 20 }\nQsChecks = {}\nStyle = {}\n",
        )
        .unwrap();
        let by_name = |name: &str| {
            let found = space.params().iter().find(|param| param.name == name);
            found.unwrap().clone()
        };
        let margin = by_name("QsDeltaMargin");
        assert_eq!((margin.start, margin.min, margin.max), (150.0, 0.0, 300.0));
        assert_eq!(margin.step, 20.0);
        assert_eq!(by_name("QsChecks").text(1.0), "true");
        assert_eq!(by_name("Style").text(2.0), "Mad");
    }

    #[test]
    fn a_parameter_starts_from_the_configured_option() {
        let tune = section("[params]\nQsDeltaMargin = {}\n");
        let configured = [("QsDeltaMargin".to_owned(), "20".to_owned())];
        let space = resolve(&tune, vec![], &engine(), &configured).unwrap();
        assert_eq!(space.start(), [20.0]);
    }

    #[test]
    fn groups_select_spins() {
        let space = tuned("group = [\"Q*\"]\n").unwrap();
        assert_eq!(space.dimension(), 1);
        // Options that set how the engine runs are left out.
        let all = tuned("group = [\"*\"]\n").unwrap();
        let names: Vec<_> = all.params().iter().map(|param| &param.name).collect();
        assert_eq!(names, ["QsDeltaMargin"]);
        let named = tuned("[params]\nHash = {}\n").unwrap();
        assert_eq!(named.dimension(), 1);
        let careful = "group = [\"Q*\"]\nexclude = [\"Hash\"]\n";
        assert!(tuned(careful).is_ok());
        for (text, wrong) in [
            (
                "group = [\"Z*\"]\n",
                "`group` in [tune]: no parameter matches `Z*`",
            ),
            ("group = [\"Q*\", \"Hash\"]\n", "matches `Hash`"),
            (
                "group = [\"Q*\"]\nexclude = [\"Lrm*\"]\n",
                "`exclude` in [tune]: no parameter matches `Lrm*`",
            ),
        ] {
            let error = tuned(text).unwrap_err();
            assert!(error.to_string().contains(wrong), "{error}");
        }
    }

    /// The entry applies to what the engine declares, not to a complete parameter of
    /// the group.
    #[test]
    fn an_entry_has_the_same_effect_with_and_without_a_group() {
        let resolved = |text: &str| {
            let space = tuned(text).unwrap();
            space.params()[0].clone()
        };
        for entry in [
            "QsDeltaMargin = { min = 100, max = 300 }",
            "qsdeltamargin = { factor = 100 }",
            "QsDeltaMargin = { start = 1, check = true, min = 0, max = 1 }",
        ] {
            let named = resolved(&format!("[params]\n{entry}\n"));
            let grouped = resolved(&format!("group = [\"Qs*\"]\n[params]\n{entry}\n"));
            assert_eq!(grouped, named);
        }
        let narrow =
            resolved("group = [\"Qs*\"]\n[params]\nQsDeltaMargin = { min = 100, max = 300 }\n");
        assert_eq!(narrow.step, 10.0);
    }

    #[test]
    fn choices_without_the_start_are_named() {
        let resolved = |entry: &str| {
            let text = format!("[params]\nStyle = {entry}\n");
            tuned(&text)
        };
        let error = resolved("{ choices = [\"Wild\", \"Mad\"] }").unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains("`choices` do not contain `Solid`"),
            "{error}"
        );
        // Set to a choice, or written in another case.
        let start = |entry: &str| resolved(entry).unwrap().start();
        assert_eq!(start("{ choices = [\"Wild\", \"Mad\"], start = 1 }"), [1.0]);
        assert_eq!(start("{ choices = [\"mad\", \"solid\"] }"), [1.0]);
    }

    /// With both, the two sides of a pair could play the same value.
    #[test]
    fn a_choice_that_is_named_twice_is_refused() {
        for twice in ["Wild", "wild", "WILD"] {
            let choices = format!("[\"Solid\", \"Wild\", \"{twice}\"]");
            let tune = section(&format!("[params]\nStyle = {{ choices = {choices} }}\n"));
            let error = resolve(&tune, vec![], &engine(), &[]).unwrap_err();
            let expected = format!("parameter `Style`: `choices` contain `{twice}` twice");
            assert!(error.to_string().starts_with(&expected), "{error}");
            let key = ["tune", "params", "Style", "choices"].map(str::to_owned);
            assert_eq!(error.key(&tune), Some(key.to_vec()));
        }
    }

    #[test]
    fn an_entry_sets_the_kind_of_an_imported_parameter() {
        let imported = import::parse("QsChecks, int, 1, 0, 1, 0.5, 0.002\n").unwrap();
        let tune = section("import = \"list\"\n[params]\nQsChecks = { check = true }\n");
        let space = resolve(&tune, imported, &engine(), &[]).unwrap();
        assert_eq!(space.params()[0].text(1.0), "true");
    }

    #[test]
    fn real_numbers_as_text_and_as_scaled_spins() {
        let space = tuned(
            "[params]\nLmrBase = { min = 0, max = 2, decimals = 2 }\n\
             QsDeltaMargin = { factor = 100 }\n",
        )
        .unwrap();
        let options = space.options(&space.start());
        assert!(options.contains(&("LmrBase".to_owned(), "0.75".to_owned())));
        assert!(options.contains(&("QsDeltaMargin".to_owned(), "150".to_owned())));
    }

    #[test]
    fn a_complete_section_needs_no_engine() {
        let space = tuned(
            "[params]\nQsDeltaMargin = {}\nQsChecks = {}\nStyle = {}\n\
             LmrBase = { min = 0, max = 2 }\nHash = { factor = 4 }\n",
        )
        .unwrap();
        let params = space.params().iter();
        let complete = TuneSection {
            params: params
                .map(|param| (param.name.clone(), ParamSection::of(param)))
                .collect(),
            ..TuneSection::default()
        };
        let text = toml::to_string(&complete).unwrap();
        assert_eq!(resolve(&section(&text), vec![], &[], &[]).unwrap(), space);
    }

    #[test]
    fn unknown_incomplete_and_duplicate_parameters_are_named() {
        let error = |text: &str| tuned(text).unwrap_err().to_string();
        for typed in ["QsDeltaMargn", "QsDelt"] {
            let error = error(&format!("[params]\n{typed} = {{}}\n"));
            assert!(error.contains("did you mean `QsDeltaMargin`"), "{error}");
        }
        let of_model = tuned("[params]\nQsDeltaMargn = {}\n")
            .unwrap_err()
            .of_model();
        assert_eq!(
            of_model.to_string(),
            "[tune.params] QsDeltaMargn: the model has no parameter `QsDeltaMargn` (did you mean `QsDeltaMargin`?)"
        );
        assert!(error("[params]\nLmrBase = {}\n").contains("`min` is missing"));
        assert!(error("").contains("no parameters"));
        assert!(
            error("[params]\nQsDeltaMargin = {}\nqsdeltamargin = { max = 300 }\n")
                .contains("`qsdeltamargin` is named twice")
        );
    }
}
