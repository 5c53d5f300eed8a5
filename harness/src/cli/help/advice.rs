//! The help lines of errors name commands, options and keys that exist.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Command;
use clap::error::ErrorKind;

use super::command;
use hone_run::config::Config;

/// Options of the drop-ins, which read their command lines themselves.
const OF_DROPINS: [&str; 1] = ["--explain"];

/// The source files of a folder and its subfolders.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The texts after `help: ` in the source of the program and of its crates, each up to the end
/// of the string.
fn advices() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    sources(&root.join("crates"), &mut files);
    let mut advices = Vec::new();
    for file in files {
        let text = fs::read_to_string(file).expect("text");
        for line in text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
        {
            let texts = line.split("help: ").skip(1);
            advices.extend(texts.map(|text| text.replace("\\\"", "'")));
        }
    }
    advices
        .iter()
        .map(|text| text.split('"').next().unwrap_or_default().to_string())
        .collect()
}

/// The parts of an advice in backticks, with a number in place of each placeholder, and the
/// text after each.
fn quoted(advice: &str) -> Vec<(String, &str)> {
    let parts: Vec<&str> = advice.split('`').collect();
    let quoted = parts.iter().skip(1).step_by(2);
    let after = parts.iter().skip(2).step_by(2);
    let pairs = quoted.zip(after);
    pairs
        .map(|(part, after)| (without_placeholders(part), *after))
        .collect()
}

/// A format string with `1` in place of its placeholders.
fn without_placeholders(text: &str) -> String {
    let text = text.replace("{{", "\u{1}").replace("}}", "\u{2}");
    let mut filled = String::new();
    for (index, part) in text.split('{').enumerate() {
        match part.split_once('}').filter(|_| index > 0) {
            Some((_, rest)) => filled += &format!("1{rest}"),
            None => filled += part,
        }
    }
    let filled = filled.replace('\u{1}', "{").replace('\u{2}', "}");
    filled.replace('…', "1")
}

/// Why a command line is not valid; `None` also if it is only a part of one.
fn fault_of_line(line: &str) -> Option<String> {
    let words = shlex::split(line)?;
    let error = command().try_get_matches_from(words).err()?;
    let is_part = matches!(
        error.kind(),
        ErrorKind::MissingRequiredArgument
            | ErrorKind::MissingSubcommand
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            | ErrorKind::DisplayHelp
            | ErrorKind::ValueValidation
            | ErrorKind::InvalidValue
    );
    (!is_part).then(|| format!("{line}: {error}"))
}

/// Whether a command, or one of its subcommands, has all these options.
fn has_options(command: &Command, options: &[&str]) -> bool {
    let has = |option: &&str| {
        let name = option.trim_start_matches('-');
        let mut known = command.get_arguments();
        known.any(|argument| {
            let aliases = argument.get_all_aliases().unwrap_or_default();
            argument.get_long() == Some(name) || aliases.contains(&name)
        })
    };
    options.iter().all(has)
        || command
            .get_subcommands()
            .any(|below| has_options(below, options))
}

/// Whether the configuration has a key of a section, as in `stall_ms` of `match`.
fn has_key(section: &str, key: &str) -> bool {
    // No key is a date, so the only other fault is its type.
    let value = format!("{key} = 1979-05-27\n");
    let text = if section == "engine" {
        format!("[[engine]]\n{value}")
    } else {
        format!("[{section}]\n{value}")
    };
    let error = toml::from_str::<Config>(&text).expect_err("a date");
    !error.message().contains("unknown field")
}

#[test]
fn advice_can_be_followed() {
    let (mut lines, mut options, mut keys) = (0, 0, 0);
    let mut faults = Vec::new();
    let root = command();
    for advice in advices() {
        for (part, after) in quoted(&advice) {
            if part.starts_with("hone ") {
                lines += 1;
                faults.extend(fault_of_line(&part));
            } else if part.starts_with("--") {
                options += 1;
                let words = part.split([' ', '=']);
                let named: Vec<&str> = words.filter(|word| word.starts_with("--")).collect();
                if !OF_DROPINS.contains(&part.as_str()) && !has_options(&root, &named) {
                    faults.push(format!("no command has `{part}`"));
                }
            } else if let Some(section) = after.strip_prefix(" in [") {
                keys += 1;
                let section = section.trim_start_matches('[');
                let section = section.split(']').next().unwrap_or_default();
                let is_name = part.chars().all(|c| c.is_ascii_lowercase() || c == '_');
                if is_name && !has_key(section, &part) {
                    faults.push(format!("[{section}] has no `{part}`"));
                }
            }
        }
    }
    assert!(
        lines >= 10 && options >= 10 && keys >= 8,
        "{lines} {options} {keys}"
    );
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn advice_that_cannot_be_followed_is_found() {
    for line in [
        "hone match ./a ./b --bench record",
        "hone mtch",
        "hone resume a b",
    ] {
        assert!(fault_of_line(line).is_some(), "{line}");
    }
    for line in ["hone resume 1", "hone resume", "hone calc elo --wdl 1"] {
        assert_eq!(fault_of_line(line), None, "{line}");
    }
    assert!(has_options(&command(), &["--bench", "--dev"]));
    assert!(!has_options(&command(), &["--bench", "--good"]));
    assert!(has_key("match", "stall_ms") && has_key("engine", "dir"));
    assert!(!has_key("match", "stal_ms") && !has_key("engine", "folder"));
    assert_eq!(
        without_placeholders("--cmd {first} {out:?} {{out}} …"),
        "--cmd 1 1 {out} 1"
    );
}
