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
pub(in crate::cli) fn exit(error: clap::Error) -> ! {
    match message(error, &arguments()) {
        Ok(text) => {
            errln!("{text}");
            std::process::exit(Exit::Usage as i32);
        }
        Err(help) => help.exit(),
    }
}

/// The text of an error of the command line; `Err` with help or a version, which is not one.
fn message(mut error: clap::Error, arguments: &[String]) -> Result<String, clap::Error> {
    if error.use_stderr()
        && let Some(advice) = advice(arguments)
    {
        return Ok(advice);
    }
    // Help and version, also the help for a missing command.
    let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if is_help || !error.use_stderr() {
        return Err(error);
    }
    let elsewhere = limit_of_suite(&error, arguments)
        .or_else(|| elsewhere(&error))
        .or_else(|| engines_as_operands(&error, arguments))
        .or_else(|| command_of_check(&error, arguments))
        .or_else(|| credential_as_operand(&error));
    if elsewhere.is_some() {
        // In this case a similar name would be misleading.
        error.remove(ContextKind::SuggestedArg);
    }
    Ok(without_credentials(rendered(error, elsewhere), arguments))
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

// A build without a feature lacks commands.
#[cfg(all(test, feature = "fleet", feature = "serve"))]
mod tests {
    use super::*;

    /// Mistakes in a command line.
    const WRONG: &[&str] = &[
        "hone matsch a b",
        "hone play",
        "hone runs --jsn",
        "hone report",
        "hone calc elo",
        "hone sprt --max-time 5x",
        "hone sprt --pairs 0",
        "hone sprt --hash x",
        "hone sprt --elo0 x",
        "hone sprt --elo2 3",
        "hone sprt --profile slow",
        "hone sprt ./new ./old",
        "hone sprt x.toml hone1.eyJzZWNyZXQi",
        "hone match a b --elo0 -5",
        "hone report latest --elo0 -5",
        "hone report x --limit 8+0.08",
        "hone book make --nodes 99999999999999999999",
        "hone book make --quiet 99999",
        "hone suite x.epd --engine a --nodes 0",
        "hone suite x.epd --engine a --limit 8+0.08",
        "hone suite x.epd --engine a --limt 8+0.08",
        "hone check ./engine --patience 0",
        "hone check ./engine --jsn",
        "hone check python3 e/ok.py",
        "hone check --dialogue python3 e/ok.py --json",
        // Of other programs.
        "hone -engine cmd=a -engine cmd=b -each tc=8+0.08",
        "hone match -each tc=8+0.08",
        "hone gauntlet a b",
        "hone tournament a b",
        "hone c-chess-cli -engine cmd=a",
        "hone cutechess -engine cmd=a",
        "hone fast-chess -engine cmd=a",
        "hone spsa x",
        "hone ordo x.pgn",
    ];

    #[test]
    fn mistakes_in_a_command_line() {
        let shown = WRONG.iter().map(|line| {
            let words = line.split(' ').map(str::to_string).collect::<Vec<_>>();
            let error = help::command().try_get_matches_from(&words);
            let text = message(error.expect_err(line), &words[1..]).expect("not help");
            let is_formed = |line: &str| line.starts_with("error: ") || line.starts_with("help: ");
            assert!(text.lines().all(is_formed), "{line}: {text}");
            (line, text)
        });
        let shown = hone_testing::listed(shown);
        hone_testing::snapshots(&[]).bind(|| insta::assert_snapshot!("usage", shown));
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
}
