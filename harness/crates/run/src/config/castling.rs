//! The UCI option for Chess960.

use super::places::KeyPath;
use super::{Config, EngineOptions};
use hone_uci::openings::Variant;

const OPTION: &str = "UCI_Chess960";

/// The first option that contradicts the variant, and a help message. With it, an engine
/// would castle in the wrong notation and lose by illegal moves.
pub(super) fn contradiction(config: &Config) -> Option<(KeyPath, String)> {
    let (wrong, message) = match config.r#match.variant {
        Variant::Chess960 => (
            "false",
            "`UCI_Chess960 = false` contradicts `variant = \"chess960\"`: remove the option, \
             hone sets it",
        ),
        Variant::Standard => (
            "true",
            "`UCI_Chess960 = true` contradicts `variant = \"standard\"`: remove the option; \
             for Chess960 set `match.variant` to \"chess960\", then hone sets it",
        ),
    };
    let engines = config.engine.iter().map(|engine| &engine.options);
    let stages = config.stage.iter().map(|stage| &stage.options);
    let all = tables("engine", engines).chain(tables("stage", stages));
    for (list, index, options) in all {
        let set = options.0.iter().find(|(name, value)| {
            name.eq_ignore_ascii_case(OPTION) && value.eq_ignore_ascii_case(wrong)
        });
        if let Some((name, _)) = set {
            let index = index.to_string();
            let path = [list, index.as_str(), "options", name.as_str()];
            return Some((path.map(str::to_string).to_vec(), message.to_string()));
        }
    }
    None
}

/// Options with their list and their index in it.
fn tables<'a>(
    list: &'static str,
    options: impl Iterator<Item = &'a EngineOptions>,
) -> impl Iterator<Item = (&'static str, usize, &'a EngineOptions)> {
    options
        .enumerate()
        .map(move |(index, options)| (list, index, options))
}
