//! A command line that cannot be read: words of other programs lead to the
//! right command or page.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::{Exit, help};

/// The page about other programs.
const PAGE: &str =
    "docs/coming-from.md lists the options of fastchess and cutechess-cli with those of hone";

/// Options of fastchess and cutechess-cli that no command of `hone` has.
const FOREIGN: &[&str] = &[
    "-engine",
    "-each",
    "-games",
    "-rounds",
    "-repeat",
    "-sprt",
    "-openings",
    "-concurrency",
    "-pgnout",
    "-resign",
    "-draw",
    "-recover",
    "-tournament",
    "-event",
    "-tb",
    "-maxmoves",
    "-ratinginterval",
    "-srand",
    "-variant",
    "-config",
    "-quick",
    "-book",
];

/// Prints what is wrong with the command line and ends the process.
pub(super) fn exit(mut error: clap::Error) -> ! {
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    if error.use_stderr()
        && let Some(advice) = advice(&arguments)
    {
        errln!("{advice}");
        std::process::exit(Exit::Usage as i32);
    }
    without_trailing_tip(&mut error);
    if let Some(help) = elsewhere(&error) {
        // A similar name would be misleading then.
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::Usage);
        errln!("{}", format!("{}\n{help}", error.render()).trim_end());
        std::process::exit(Exit::Usage as i32);
    }
    error.exit()
}

/// What a command of another program is called here.
fn advice(arguments: &[String]) -> Option<String> {
    let command = arguments.first().map_or("", String::as_str);
    let instead = match command.trim_start_matches('-') {
        "gauntlet" => {
            "`hone match A B C --set match.tournament=gauntlet` plays A against the others"
        }
        "tournament" | "roundrobin" | "round-robin" => {
            "`hone match A B C` plays a round robin of engines"
        }
        "cutechess" | "c-chess-cli" => {
            "`hone match A B` plays a match, `hone sprt --dev A --base B` an SPRT"
        }
        "spsa" => "`hone tune` tunes parameters by SPSA and other methods",
        "ordo" | "bayeselo" => "`hone calc rate FILE.pgn` rates the players of a PGN",
        _ => "",
    };
    if !instead.is_empty() {
        return Some(format!(
            "error: `{command}` is not a command of hone\nhelp: {instead}; {PAGE}"
        ));
    }
    let option = arguments
        .iter()
        .find(|word| FOREIGN.contains(&word.as_str()))?;
    Some(format!(
        "error: `{option}` is not an option of hone\nhelp: engines are operands, as in `hone match ./a ./b --limit 8+0.08`; {PAGE}"
    ))
}

/// Takes away the tip to write an unknown option after `--`, where it would be
/// an operand that makes no sense either.
fn without_trailing_tip(error: &mut clap::Error) {
    let Some(ContextValue::StyledStrs(tips)) = error.remove(ContextKind::Suggested) else {
        return;
    };
    let tips: Vec<_> = tips
        .into_iter()
        .filter(|tip| !tip.to_string().contains("as a value, use"))
        .collect();
    if !tips.is_empty() {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
}

/// Commands that have an option that this one does not have.
fn elsewhere(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let ContextValue::String(unknown) = error.get(ContextKind::InvalidArg)? else {
        return None;
    };
    let name = unknown.strip_prefix("--")?;
    let mut having = Vec::new();
    commands_with(&help::command(), "hone", name, &mut having);
    (!having.is_empty()).then(|| format!("help: --{name} is an option of {}", having.join(", ")))
}

fn commands_with(command: &clap::Command, path: &str, option: &str, found: &mut Vec<String>) {
    for sub in command.get_subcommands() {
        let path = format!("{path} {}", sub.get_name());
        let has = sub.get_arguments().any(|argument| {
            let names = argument.get_long_and_visible_aliases();
            names.is_some_and(|names| names.contains(&option))
        });
        if has {
            found.push(format!("`{path}`"));
        }
        commands_with(sub, &path, option, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> Option<String> {
        let words: Vec<String> = line.split(' ').map(str::to_string).collect();
        advice(&words)
    }

    #[test]
    fn other_programs_users_are_led_to_the_page() {
        for (line, part) in [
            ("-engine cmd=a -engine cmd=b", "hone match ./a ./b"),
            ("match -each tc=8+0.08", "`-each` is not an option"),
            ("gauntlet a b", "match.tournament=gauntlet"),
            ("tournament", "round robin"),
            ("cutechess -engine cmd=a", "hone sprt --dev A --base B"),
        ] {
            let text = said(line).unwrap_or_default();
            assert!(
                text.contains(part) && text.contains("docs/coming-from.md"),
                "{line}: {text}"
            );
        }
        assert_eq!(said("match a.toml --limt 8"), None);
    }
}
