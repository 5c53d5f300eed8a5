//! Names of engines.

use std::collections::HashSet;

use super::{Config, EngineConfig};
use hone_base::text::numbered;
use hone_builds::names;

/// Maximum number of engines: the pairings of a round robin grow with its square.
pub(super) const MAX_ENGINES: usize = 1000;

/// Names engines without a name, as [`fill_in`], and checks that all names differ.
pub(super) fn name_engines(config: &mut Config, aliases: &[(String, usize)]) -> Result<(), String> {
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
    fill_in(&mut config.engine, aliases);
    Ok(())
}

/// Names engines without a name after their revision or program. If that does not tell them
/// apart, they get their first alias, or a number.
pub(super) fn fill_in(engines: &mut [EngineConfig], aliases: &[(String, usize)]) {
    let given = engines.iter().map(|engine| engine.name.clone());
    let mut taken: HashSet<String> = given.collect();
    let specs: Vec<_> = engines.iter().map(EngineConfig::spec).collect();
    let names = names(&specs);
    let is_alike = |name| names.iter().filter(|other| *other == name).count() > 1;
    for (index, (engine, name)) in engines.iter_mut().zip(&names).enumerate() {
        if engine.name.is_empty() {
            let alias = aliases.iter().find(|(_, of)| *of == index);
            let alias = alias.filter(|_| is_alike(name));
            let stem = alias.map_or(name, |(alias, _)| alias);
            engine.name = numbered(stem, |name| taken.insert(name.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Draft;

    #[test]
    fn engines_without_names_are_told_apart() {
        let folder = tempfile::tempdir().expect("made");
        for name in ["new", "old"] {
            std::fs::create_dir(folder.path().join(name)).expect("made");
            std::fs::write(folder.path().join(name).join("bot.py"), "").expect("written");
        }
        let dir = folder.path().display();
        let script = |name: &str| format!("cmd = 'python3 {name}/bot.py'\ndir = '{dir}'");
        let [new, old] = ["new", "old"].map(script);
        for (one, other, names) in [
            ("git = '/no/a'", "git = '/no/b.git'", ["a@HEAD", "b@HEAD"]),
            (
                "git = '/no/a'\nrev = 'v1'",
                "worktree = '/no/a'",
                ["v1", "worktree"],
            ),
            (
                "worktree = '/no/a'",
                "worktree = '/no/b'",
                ["a@worktree", "b@worktree"],
            ),
            ("cmd = 'x/e'", "cmd = 'y/e'", ["x/e", "y/e"]),
            (&new, &old, ["new/bot", "old/bot"]),
            ("cmd = 'e'", "cmd = 'e'", ["e", "e-2"]),
            ("cmd = 'e'\nname = 'e-2'", "cmd = 'e'", ["e-2", "e"]),
            ("name = 'dev'\ncmd = 'x/e'", "cmd = 'y/f'", ["dev", "f"]),
        ] {
            let file = folder.path().join("c.toml");
            let build = "build = 'make {out}'";
            let text = format!("[[engine]]\n{one}\n{build}\n[[engine]]\n{other}\n{build}\n");
            std::fs::write(&file, text).expect("written");
            let config = Draft::read(Some(&file)).and_then(Draft::finish);
            let engines = config.expect("valid").engine;
            let named: Vec<&str> = engines.iter().map(|engine| engine.name.as_str()).collect();
            assert_eq!(named, names);
        }
    }
}
