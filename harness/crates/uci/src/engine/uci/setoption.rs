//! The commands that set the options of an engine.

use super::options::{EngineOption, OptionKind, find_option};

/// A `(name, value)` pair in the letter case of the declaration: not every engine ignores
/// case. A name that is not declared stays as it is.
pub(super) fn as_declared(declared: &[EngineOption], pair: &(String, String)) -> (String, String) {
    let (name, value) = pair;
    let Some(option) = find_option(declared, name) else {
        return pair.clone();
    };
    let value = match &option.kind {
        OptionKind::Combo { values, .. } if !values.contains(value) => values
            .iter()
            .find(|known| known.eq_ignore_ascii_case(value))
            .unwrap_or(value),
        _ => value,
    };
    (option.name.clone(), value.clone())
}

/// The commands that set the options `wanted` in an engine with the options `declared`, of
/// which those in `set` have been set; both from [`as_declared`].
pub(super) fn setoptions(
    declared: &[EngineOption],
    set: &[(String, String)],
    wanted: &[(String, String)],
) -> String {
    let mut commands = String::new();
    for (name, _) in set {
        if wanted.iter().any(|(other, _)| other == name) {
            continue;
        }
        if let Some(default) = find_option(declared, name).and_then(EngineOption::default_value) {
            push_setoption(&mut commands, name, Some(&default));
        }
    }
    for pair in wanted.iter().filter(|pair| !set.contains(pair)) {
        let (name, value) = pair;
        let argument = match find_option(declared, name) {
            Some(option) => option.argument(value),
            // It may be a button.
            None if value.is_empty() => Some(None),
            None => Some(Some(value.as_str())),
        };
        if let Some(argument) = argument {
            push_setoption(&mut commands, name, argument);
        }
    }
    commands
}

/// Adds a `setoption` command. Control characters other than tabs are removed, so that it
/// stays one command: a name or value can come from `replay.toml`, which a user may edit. An empty
/// value is sent as other programs send it, as `value ` with nothing after it.
fn push_setoption(commands: &mut String, name: &str, value: Option<&str>) {
    let is_sent = |c: &char| !c.is_control() || *c == '\t';
    let mut push = |text: &str| commands.extend(text.chars().filter(is_sent));
    push("setoption name ");
    push(name);
    if let Some(value) = value {
        push(" value ");
        push(value);
    }
    commands.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(text: &str) -> EngineOption {
        EngineOption::parse(&format!("option name {text}")).expect(text)
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_string(), value.to_string())
    }

    #[test]
    fn an_option_stays_one_command() {
        let mut commands = String::new();
        push_setoption(&mut commands, "Se\red", Some("1\tx\nquit\0"));
        assert_eq!(commands, "setoption name Seed value 1\txquit\n");
    }

    #[test]
    fn a_button_is_pressed_without_a_value_and_not_by_false() {
        let declared = [
            "Clear type button",
            "Reset type button",
            "Hash type spin default 16 min 1 max 64",
        ]
        .map(option);
        let sent = |value: &str| {
            let wanted = [pair("Clear", value), pair("Hash", "8")];
            let commands = setoptions(&declared, &[pair("Reset", "")], &wanted);
            assert!(commands.ends_with("setoption name Hash value 8\n"));
            commands.lines().count() == 2 && commands.starts_with("setoption name Clear\n")
        };
        assert_eq!(["", "true", "false"].map(sent), [true, true, false]);
    }

    #[test]
    fn an_empty_text_is_a_value() {
        let declared = [
            "SyzygyPath type string default <empty>",
            "EvalFile type string default",
            "Clear Hash type button",
            "Book File type string default book.bin",
        ]
        .map(option);
        for (name, sent) in [
            ("SyzygyPath", "setoption name SyzygyPath value \n"),
            ("EvalFile", "setoption name EvalFile value \n"),
            ("Book File", "setoption name Book File value \n"),
            ("Clear Hash", "setoption name Clear Hash\n"),
            ("Undeclared", "setoption name Undeclared\n"),
        ] {
            let commands = setoptions(&declared, &[], &[pair(name, "")]);
            assert_eq!(commands, sent);
            // As an engine that splits at ` value ` reads it.
            let (_, value) = sent.trim_end_matches('\n').split_once(" value ").unzip();
            assert_eq!(value.is_some(), !name.starts_with(['C', 'U']), "{name}");
        }
    }

    #[test]
    fn names_and_combo_values_get_the_case_of_the_declaration() {
        let declared = [
            "Hash type spin default 16 min 1 max 64",
            "Style type combo default Solid var Solid var Risky var RISKY",
            "File type string default x",
            "file type string default x",
        ]
        .map(option);
        for (name, value, expected) in [
            ("hash", "8", ("Hash", "8")),
            ("STYLE", "risky", ("Style", "Risky")),
            ("style", "RISKY", ("Style", "RISKY")),
            ("Style", "other", ("Style", "other")),
            ("file", "A.bin", ("file", "A.bin")),
            ("FILE", "A.bin", ("File", "A.bin")),
            ("unknown", "Y", ("unknown", "Y")),
        ] {
            let (name, value) = as_declared(&declared, &(name.into(), value.into()));
            assert_eq!((&*name, &*value), expected);
        }
    }
}
