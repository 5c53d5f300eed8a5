//! Errors of the command line. Words of other programs lead to the right command or page.

use std::error::Error as _;
use std::net::AddrParseError;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError, TryFromIntError};

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::exit::Exit;
use crate::cli::help;
use hone_base::errln;

/// The page about other programs.
const PAGE: &str = "`hone help coming-from-flags` lists the options of fastchess and cutechess-cli with those of hone";

/// Options of fastchess and cutechess-cli that do not exist in `hone`.
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

/// Start of every credential of a fleet, as `hone fleet invite` prints it.
const CREDENTIAL: &str = "hone1.eyJ";
const CREDENTIAL_HELP: &str = "help: write `--fleet=CREDENTIAL`";

/// Ends the process if a credential would be used as a file or an engine, which would print
/// its secret.
pub(in crate::cli) fn refuse_credential() {
    if has_stray_credential(&arguments()) {
        errln!("error: unexpected credential\n{CREDENTIAL_HELP}");
        std::process::exit(Exit::Usage as i32);
    }
}

/// Whether a credential is a separate word, as in `--fleet CREDENTIAL`: only `hone worker` and
/// `hone fleet` accept it like that.
fn has_stray_credential(arguments: &[String]) -> bool {
    let at = arguments.iter().position(|word| has_credential(word));
    let takes = |word: &String| word == "worker" || word == "fleet";
    at.is_some_and(|at| !arguments[..at].iter().any(takes))
}

fn has_credential(word: &str) -> bool {
    word.contains(CREDENTIAL) && !word.starts_with('-')
}

fn arguments() -> Vec<String> {
    let words = std::env::args_os().skip(1);
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

/// Prints the error of the command line and ends the process.
pub(in crate::cli) fn exit(mut error: clap::Error) -> ! {
    let arguments = arguments();
    if error.use_stderr()
        && let Some(advice) = advice(&arguments)
    {
        errln!("{advice}");
        std::process::exit(Exit::Usage as i32);
    }
    // Help and version, also the help for a missing command.
    let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if is_help || !error.use_stderr() {
        error.exit();
    }
    let elsewhere = limit_of_suite(&error, &arguments)
        .or_else(|| elsewhere(&error))
        .or_else(|| engines_as_operands(&error, &arguments))
        .or_else(|| command_of_check(&error, &arguments))
        .or_else(|| credential_as_operand(&error));
    if elsewhere.is_some() {
        // In this case a similar name would be misleading.
        error.remove(ContextKind::SuggestedArg);
    }
    let text = rendered(error, elsewhere);
    errln!("{}", without_credentials(text, &arguments));
    std::process::exit(Exit::Usage as i32);
}

/// An error of the parser in the format of all errors: one line, then `help` and the parser's
/// suggestions, or else the usage.
fn rendered(mut error: clap::Error, help: Option<String>) -> String {
    let of_value = of_value(&error);
    let mut helps = Vec::from_iter(help);
    helps.extend(suggestions(&mut error));
    let usage = error.remove(ContextKind::Usage);
    // The message, then the hint about `--help`.
    let text = error.render().to_string();
    let text = text.rsplit_once("\n\n").map_or(&*text, |(text, _)| text);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let message = of_value.unwrap_or_else(|| lines.collect::<Vec<_>>().join(" "));
    if helps.is_empty()
        && let Some(usage) = usage
    {
        let usage = usage.to_string();
        let line = usage.lines().next().unwrap_or_default();
        let line = line.trim_start_matches("Usage: ");
        // The usage would only repeat the arguments that are missing.
        let example = match error.kind() {
            ErrorKind::MissingRequiredArgument => help::example_of(line),
            _ => None,
        };
        helps.push(match example {
            Some(example) => format!("help: write for example `{example}`"),
            None => format!("help: write `{line}`"),
        });
    }
    helps.insert(0, message);
    in_backticks(&helps.join("\n"))
}

/// The message about a value of an option that is not of its type or out of range.
fn of_value(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::ValueValidation {
        return None;
    }
    let source = error.source()?;
    let allowed = if let Some(error) = source.downcast_ref::<ParseIntError>() {
        match error.kind() {
            IntErrorKind::PosOverflow => TOO_LARGE.to_string(),
            _ => "must be a whole number, not negative".to_string(),
        }
    } else if source.is::<TryFromIntError>() {
        TOO_LARGE.to_string()
    } else if source.is::<ParseFloatError>() {
        "must be a number, as in 2.5".to_string()
    } else if source.is::<AddrParseError>() {
        "must be an IP address and a port, as in 127.0.0.1:8080".to_string()
    } else {
        of_range(&source.to_string())?
    };
    let value = error.get(ContextKind::InvalidValue)?;
    let argument = error.get(ContextKind::InvalidArg)?;
    Some(format!(
        "error: invalid value '{value}' for '{argument}': {allowed}"
    ))
}

const TOO_LARGE: &str = "the number is too large";

/// What is allowed in place of a number that `is not in 1..=1000`, or `is not in 1..MAX` if any
/// larger number is allowed: the parser has only words for that.
fn of_range(reason: &str) -> Option<String> {
    let (_, range) = reason.rsplit_once(" is not in ")?;
    let (low, high) = range.split_once("..")?;
    let to = high
        .strip_prefix('=')
        .map_or_else(String::new, |high| format!(" to {high}"));
    Some(format!("must be a whole number from {low}{to}"))
}

/// Removes the parser's suggestions from its error and returns them as lines of help.
fn suggestions(error: &mut clap::Error) -> Vec<String> {
    let mut helps = Vec::new();
    for (kind, names) in [
        (ContextKind::ValidValue, "possible values"),
        (ContextKind::ValidSubcommand, "subcommands"),
    ] {
        if let Some(ContextValue::Strings(valid)) = error.remove(kind)
            && !valid.is_empty()
        {
            helps.push(format!("help: {names}: {}", valid.join(", ")));
        }
    }
    for kind in [
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedArg,
        ContextKind::SuggestedValue,
    ] {
        let nearest = match error.remove(kind) {
            Some(ContextValue::String(name)) => Some(name),
            // The last one is the nearest.
            Some(ContextValue::Strings(mut names)) => names.pop(),
            _ => None,
        };
        helps.extend(nearest.map(|name| format!("help: did you mean `{name}`?")));
    }
    if let Some(ContextValue::StyledStrs(tips)) = error.remove(ContextKind::Suggested) {
        let tips = tips.iter().map(ToString::to_string);
        // After `--`, an unknown option would only be a meaningless operand.
        let tips = tips.filter(|tip| !tip.contains("as a value, use"));
        helps.extend(tips.map(|tip| format!("help: {tip}")));
    }
    helps
}

/// Replaces quotes around names by backticks; an apostrophe within a word stays.
fn in_backticks(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let is_letter = |at: usize| chars.get(at).is_some_and(|c| c.is_alphanumeric());
    let replaced = chars.iter().enumerate().map(|(at, c)| {
        let is_inside = at > 0 && is_letter(at - 1) && is_letter(at + 1);
        if *c == '\'' && !is_inside { '`' } else { *c }
    });
    replaced.collect()
}

/// The equivalent of a command of another program.
fn advice(arguments: &[String]) -> Option<String> {
    let command = arguments.first().map_or("", String::as_str);
    let instead = match command.trim_start_matches('-') {
        "gauntlet" => {
            "`hone match A B C --set match.tournament=gauntlet` plays A against the others"
        }
        "tournament" | "roundrobin" | "round-robin" => {
            "`hone match A B C` plays a round robin of engines"
        }
        "c-chess-cli" => "`hone match A B` plays a match, `hone sprt --dev A --base B` an SPRT",
        "cutechess" => {
            "`hone cutechess-cli …` takes its options; `hone match A B` plays a match, \
             `hone sprt --dev A --base B` an SPRT"
        }
        "fast-chess" => "`hone fastchess …` takes its options",
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
        "error: `{option}` is not an option of hone\nhelp: `hone fastchess …` and `hone cutechess-cli …` take such options; for other commands engines are operands, as in `hone match ./a ./b --limit 8+0.08`; {PAGE}"
    ))
}

/// Help for engines as operands of `hone sprt`, which `hone match` accepts.
fn engines_as_operands(error: &clap::Error, arguments: &[String]) -> Option<String> {
    let is_sprt = arguments.first().is_some_and(|command| command == "sprt");
    let ContextValue::String(unknown) = error.get(ContextKind::InvalidArg)? else {
        return None;
    };
    let is_operand = error.kind() == ErrorKind::UnknownArgument && !unknown.starts_with('-');
    (is_sprt && is_operand).then(|| {
        "help: name the engines by options, as in `hone sprt --dev ./new --base ./old`".to_string()
    })
}

/// Help for an engine's command of several words, which `hone check` expects in quotes.
fn command_of_check(error: &clap::Error, arguments: &[String]) -> Option<String> {
    let (command, words) = arguments.split_first()?;
    let is_check = command == "check" && error.kind() == ErrorKind::UnknownArgument;
    let ContextValue::String(second) = error.get(ContextKind::InvalidArg)? else {
        return None;
    };
    let at = words.iter().position(|word| word == second)?;
    let operands = words.iter().skip(at.checked_sub(1)?);
    let operands = operands.take_while(|word| !word.starts_with('-'));
    let operands: Vec<&str> = operands.map(String::as_str).collect();
    (is_check && operands.len() > 1).then(|| {
        let command = operands.join(" ");
        format!("help: quote the command: `hone check \"{command}\"`")
    })
}

/// Help for a credential given as an operand.
fn credential_as_operand(error: &clap::Error) -> Option<String> {
    let ContextValue::String(unknown) = error.get(ContextKind::InvalidArg)? else {
        return None;
    };
    has_credential(unknown).then(|| CREDENTIAL_HELP.to_string())
}

/// Removes the credentials of the arguments from a text, because they contain a secret.
fn without_credentials(text: String, arguments: &[String]) -> String {
    let credentials = arguments.iter().filter(|word| has_credential(word));
    credentials.fold(text, |text, word| text.replace(word, "CREDENTIAL"))
}

/// Help for the limits of `hone suite`, which differ from those of a game.
fn limit_of_suite(error: &clap::Error, arguments: &[String]) -> Option<String> {
    let is_suite = arguments.first().is_some_and(|command| command == "suite");
    let unknown = error.get(ContextKind::InvalidArg)?;
    let is_limit = *unknown == ContextValue::String("--limit".to_string());
    (is_suite && is_limit).then(|| {
        "help: a position is limited by --movetime, --nodes or --depth, as in `hone suite FILE --engine ./engine --nodes 1000000`".to_string()
    })
}

/// Help with the commands that have an option which this one lacks.
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
    fn errors_of_the_parser_have_the_form_of_all_errors() {
        let shown = |line: &str| {
            let words = line.split(' ');
            let error = help::command().try_get_matches_from(words);
            rendered(error.expect_err(line), None)
        };
        for (line, expected) in [
            (
                "hone matsch",
                "error: unrecognized subcommand `matsch`\nhelp: did you mean `match`?",
            ),
            (
                "hone runs --jsn",
                "error: unexpected argument `--jsn` found\nhelp: did you mean `--json`?",
            ),
            (
                "hone report",
                "error: the following required arguments were not provided: <RUN>\nhelp: write for example `hone report latest`",
            ),
            (
                "hone calc elo",
                "error: the following required arguments were not provided: <--pentanomial <COUNTS>|--wdl <W-D-L>>\nhelp: write for example `hone calc elo --pentanomial 12,80,200,95,13`",
            ),
            (
                "hone sprt --max-time 5x",
                "error: invalid value `5x` for `--max-time <TIME>`: `5x` is not a valid time: write for example 90s, 30m, 1h30m or 7d",
            ),
            (
                "hone sprt --pairs 0",
                "error: invalid value `0` for `--pairs <N>`: must be a whole number from 1",
            ),
            (
                "hone sprt --hash x",
                "error: invalid value `x` for `--hash <MB>`: must be a whole number, not negative",
            ),
            (
                "hone book make --nodes 99999999999999999999",
                "error: invalid value `99999999999999999999` for `--nodes <N>`: the number is too large",
            ),
            (
                "hone sprt --elo0 x",
                "error: invalid value `x` for `--elo0 <ELO>`: must be a number, as in 2.5",
            ),
            (
                "hone suite x.epd --engine a --nodes 0",
                "error: invalid value `0` for `--nodes <N>`: must be a whole number from 1",
            ),
            (
                "hone book make --quiet 99999",
                "error: invalid value `99999` for `--quiet <CP>`: must be a whole number from 0 to 10000",
            ),
            (
                "hone check ./engine --patience 0",
                "error: invalid value `0` for `--patience <PATIENCE>`: must be a whole number from 1",
            ),
            (
                "hone sprt --profile slow",
                "error: invalid value `slow` for `--profile <PROFILE>`\nhelp: possible values: gain, non-regression, simplification, quick",
            ),
        ] {
            assert_eq!(shown(line), expected);
        }
        assert_eq!(in_backticks("the run's 'a'"), "the run's `a`");
    }

    #[test]
    fn a_credential_is_only_taken_where_it_is_expected() {
        for (line, is_stray) in [
            ("sprt x.toml --fleet hone1.eyJ1cmwi", true),
            ("match ./a HONE_FLEET=hone1.eyJ1cmwi", true),
            ("sprt x.toml --fleet=hone1.eyJ1cmwi", false),
            ("match ./hone1.exe hone1.0", false),
            ("-v worker --cores 2 hone1.eyJ1cmwi", false),
            ("fleet status --fleet hone1.eyJ1cmwi", false),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_string).collect();
            assert_eq!(has_stray_credential(&words), is_stray, "{line}");
        }
    }

    #[test]
    fn the_limit_of_a_suite_is_not_that_of_a_game() {
        let help = |line: &str| {
            let error = help::command().try_get_matches_from(line.split(' '));
            let words: Vec<String> = line.split(' ').skip(1).map(str::to_string).collect();
            limit_of_suite(&error.expect_err(line), &words)
        };
        let text = help("hone suite x.epd --engine a --limit 8+0.08").unwrap_or_default();
        assert!(text.contains("--movetime, --nodes or --depth"), "{text}");
        assert_eq!(help("hone suite x.epd --engine a --limt 8+0.08"), None);
        assert_eq!(help("hone report x --limit 8+0.08"), None);
    }

    #[test]
    fn an_engines_command_of_several_words_needs_quotes() {
        let shown = |line: &str| {
            let words: Vec<String> = line.split(' ').skip(1).map(str::to_string).collect();
            let error = help::command().try_get_matches_from(line.split(' '));
            let error = error.expect_err(line);
            let help = command_of_check(&error, &words);
            rendered(error, help)
        };
        for line in [
            "hone check python3 e/ok.py",
            "hone check --dialogue python3 e/ok.py --json",
        ] {
            let text = shown(line);
            let help = "\nhelp: quote the command: `hone check \"python3 e/ok.py\"`";
            assert!(text.ends_with(help), "{text}");
        }
        let text = shown("hone check ./engine --jsn");
        assert!(text.ends_with("\nhelp: did you mean `--json`?"), "{text}");
    }

    #[test]
    fn other_programs_users_are_led_to_the_page() {
        for (line, part) in [
            ("-engine cmd=a -engine cmd=b", "hone match ./a ./b"),
            ("match -each tc=8+0.08", "`-each` is not an option"),
            ("gauntlet a b", "match.tournament=gauntlet"),
            ("tournament", "round robin"),
            ("cutechess -engine cmd=a", "hone sprt --dev A --base B"),
            ("cutechess -engine cmd=a", "`hone cutechess-cli …` takes"),
            ("fast-chess -engine cmd=a", "`hone fastchess …` takes"),
            ("-engine cmd=a -each tc=1+1", "`hone fastchess …` and"),
        ] {
            let text = said(line).unwrap_or_default();
            assert!(
                text.contains(part) && text.contains("`hone help coming-from-flags` lists"),
                "{line}: {text}"
            );
        }
        assert_eq!(said("match a.toml --limt 8"), None);
    }
}
