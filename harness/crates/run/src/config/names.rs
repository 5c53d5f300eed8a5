//! Names of engines.

use std::collections::HashSet;

use super::{Config, EngineConfig};
use hone_base::text::numbered;

/// Maximum number of engines: the pairings of a round robin grow with its square.
pub(super) const MAX_ENGINES: usize = 1000;

/// Names engines without a name after their program, and checks that all names differ.
pub(super) fn name_engines(config: &mut Config) -> Result<(), String> {
    if config.engine.len() > MAX_ENGINES {
        return Err(format!(
            "{} engines are configured: at most {MAX_ENGINES} are allowed",
            config.engine.len()
        ));
    }
    let mut known = HashSet::new();
    for engine in &config.engine {
        if engine.name.chars().any(char::is_control) {
            return Err(format!(
                "engine name {:?} has control characters",
                engine.name
            ));
        }
        if !engine.name.is_empty() && !known.insert(engine.name.as_str()) {
            return Err(format!(
                "two engines are called `{}`: give each its own `name`",
                engine.name
            ));
        }
    }
    fill_in(&mut config.engine);
    Ok(())
}

/// Names engines without a name after their program, with a number if that name is taken.
pub(super) fn fill_in(engines: &mut [EngineConfig]) {
    let names = engines.iter().map(|engine| engine.name.clone());
    let mut taken: HashSet<String> = names.collect();
    for engine in engines {
        if engine.name.is_empty() {
            let stem = engine.default_name();
            engine.name = numbered(&stem, |name| taken.insert(name.clone()));
        }
    }
}
