//! Rewords the messages of the TOML parser.

use toml_edit::Value;

use super::error::bounded;
use hone_base::diagnostic::Diagnostic;
use hone_base::text::nearest;

/// Lists of tables.
const LISTS: [&str; 2] = ["engine", "stage"];

/// Keys of other programs in `[match]`, and ours.
const FOREIGN: [(&str, &str); 2] = [("book", "openings"), ("tc", "limit")];

/// What the parser expects, and the same in words.
const EXPECTED: [(&str, &str); 14] = [
    ("f64", "a number"),
    ("u64", "a whole number, not negative"),
    ("u32", "a whole number from 0 to 4294967295"),
    ("usize", "a whole number, not negative"),
    ("i64", "a whole number"),
    ("a boolean", "true or false"),
    ("path string", "a path in quotes"),
    ("a sequence", "a list in [ ]"),
    ("a map", "a table in { }"),
    (
        "struct DrawRule",
        "a table, as in { move = 34, count = 8, score = 20 }",
    ),
    (
        "struct ResignRule",
        "a table, as in { count = 3, score = 600 }",
    ),
    (
        "struct TablebaseRule",
        "a table, as in { path = \"syzygy\" }",
    ),
    (
        "struct SprtSection",
        "a table, as in { elo0 = 0.0, elo1 = 5.0 }",
    ),
    (
        "struct ParamSection",
        "a table, as in { min = 0, max = 100 }",
    ),
];

/// Help for a path of Windows in double quotes.
pub(crate) const ESCAPE_HELP: &str =
    "`\\` begins an escape in \"…\": use '…' as quotes, or `/` in paths";

/// What a message of the parser says, which is the only form of its errors.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault<'a> {
    UnknownKey {
        name: &'a str,
        /// `` `a` or `b` ``, or `` one of `a`, `b`, `c` ``.
        allowed: &'a str,
    },
    UnknownName {
        name: &'a str,
        allowed: &'a str,
    },
    /// A value of another type or out of range.
    Expected {
        found: &'a str,
        expected: &'a str,
    },
    /// A value that is not one of several names.
    Wanted,
    Overflow,
    Other,
}

impl<'a> Fault<'a> {
    /// Reads a message of `toml` or `toml_edit`. Only this function depends on their words.
    pub(super) fn of(message: &'a str) -> Self {
        let unknown = |start: &str| {
            let rest = message.strip_prefix(start)?;
            rest.rsplit_once("`, expected ")
        };
        if message == "integer number overflowed" {
            Self::Overflow
        } else if let Some((name, allowed)) = unknown("unknown field `") {
            Self::UnknownKey { name, allowed }
        } else if let Some((name, allowed)) = unknown("unknown variant `") {
            Self::UnknownName { name, allowed }
        } else if message.starts_with("wanted ") {
            Self::Wanted
        } else if let Some((found, expected)) = message.rsplit_once(", expected ") {
            Self::Expected { found, expected }
        } else {
            Self::Other
        }
    }

    /// The unknown name.
    pub(super) fn name(&self) -> Option<&'a str> {
        match self {
            Self::UnknownKey { name, .. } | Self::UnknownName { name, .. } => Some(name),
            _ => None,
        }
    }

    /// Whether a text is missing in this place.
    pub(super) fn expects_text(&self) -> bool {
        matches!(
            self,
            Self::Expected {
                expected: "a string" | "path string",
                ..
            }
        )
    }
}

fn fault(message: &str) -> Diagnostic {
    Diagnostic::new(bounded(message))
}

/// A syntax error in `line`, with help for common mistakes.
pub(super) fn of_syntax(message: &str, line: &str) -> Diagnostic {
    if Fault::of(message) == Fault::Overflow {
        return out_of_range();
    }
    let of_parser = fault(message);
    let line = line.trim();
    let name = line.trim_matches(['[', ']']);
    if line.starts_with('[') && LISTS.contains(&name) {
        return of_parser.help(format!("write `[[{name}]]` at each {name}"));
    }
    let Some((key, value)) = line.split_once('=') else {
        return of_parser;
    };
    let value = value.split('#').next().unwrap_or_default().trim();
    if value.parse::<Value>().is_ok() {
        // The error is that of the key: for example, it is a duplicate.
        return of_parser;
    }
    if value.starts_with('"') && value.contains('\\') {
        return of_parser.help(ESCAPE_HELP);
    }
    let is_number = value.replace(',', ".").parse::<f64>().is_ok();
    if value.is_empty() || is_number || value.contains(['"', '\'', '[', '{']) {
        return of_parser;
    }
    let quote = if value.contains('\\') { '\'' } else { '"' };
    let key = key.trim();
    fault(&format!("`{value}` is not a valid value")).help(format!(
        "text needs quotes: `{key} = {quote}{value}{quote}`"
    ))
}

fn out_of_range() -> Diagnostic {
    let most = i64::MAX;
    fault(&format!(
        "the number is out of range: at most {most} is allowed"
    ))
}

/// Whether an integer of TOML cannot hold the found text, which `--set` then takes for a text.
fn is_too_large(found: &str, expected: &str) -> bool {
    let digits = found.strip_prefix("invalid type: string \"");
    let digits = digits.and_then(|digits| digits.strip_suffix('"'));
    ["f64", "u64", "u32", "usize", "i64"].contains(&expected)
        && digits.is_some_and(|digits| {
            !digits.is_empty()
                && digits.bytes().all(|byte| byte.is_ascii_digit())
                && digits.parse::<i64>().is_err()
        })
}

/// The error about the value of `key`, without names of Rust types. For an unknown name, it adds
/// the nearest allowed one.
pub(super) fn plain(message: &str, of_parser: &Fault<'_>, key: Option<&str>) -> Diagnostic {
    match *of_parser {
        Fault::UnknownKey { name, allowed } => {
            let ours = FOREIGN.iter().find(|(foreign, _)| *foreign == name);
            let ours = ours.map(|(_, ours)| *ours);
            let ours = ours.filter(|ours| allowed.contains(&format!("`{ours}`")));
            fault(&match ours.or_else(|| nearest_of(name, allowed)) {
                Some(nearest) => format!("unknown key `{name}`; did you mean `{nearest}`?"),
                None => format!("unknown key `{name}`: expected {allowed}"),
            })
        }
        Fault::UnknownName { name, allowed } => {
            let of_key = key.map_or_else(|| "value".to_string(), |key| format!("`{key}`"));
            let message = format!("`{name}` is not a valid {of_key}: expected {allowed}");
            fault(&match nearest_of(name, allowed) {
                Some(nearest) => format!("{message}; did you mean `{nearest}`?"),
                None => message,
            })
        }
        Fault::Wanted => fault(&wanted(key)),
        Fault::Expected { found, expected } => of_type(found, expected, key),
        Fault::Overflow => out_of_range(),
        Fault::Other => fault(message),
    }
}

fn of_type(found: &str, expected: &str, key: Option<&str>) -> Diagnostic {
    if let Some(list) = key.filter(|key| LISTS.contains(key))
        && (found, expected) == ("invalid type: map", "a sequence")
    {
        return fault(&format!("`{list}` is a list of tables"))
            .help(format!("write `[[{list}]]` at each {list}"));
    }
    if is_too_large(found, expected) {
        return out_of_range();
    }
    let words = EXPECTED.iter().find(|(name, _)| *name == expected);
    let words = match words {
        Some((_, words)) => words,
        None if expected.starts_with("struct ") => "a table",
        None => expected,
    };
    fault(&format!("{found}, expected {words}"))
}

/// The message about a value that is not one of several names.
fn wanted(key: Option<&str>) -> String {
    let expected = match key {
        Some("stop") => "\"zero_outside\", or a table as { width = 5.0 }",
        _ => "a name in quotes",
    };
    let key = key.map_or_else(String::new, |key| format!("`{key}`: "));
    format!("{key}expected {expected}")
}

/// The name in the list `allowed` that is nearest to `name`.
fn nearest_of<'a>(name: &str, allowed: &'a str) -> Option<&'a str> {
    nearest(name, allowed.split('`').skip(1).step_by(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use hone_base::diagnostic::shown;

    /// The words are those of the versions of `toml` and `toml_edit` in use.
    #[test]
    fn the_messages_of_the_parser_are_understood() {
        let of = |text: &str| {
            let error = toml::from_str::<Config>(text).expect_err(text);
            error.message().to_string()
        };
        let unknown = of("[match]\nlimt = 5\n");
        assert!(matches!(
            Fault::of(&unknown),
            Fault::UnknownKey { name: "limt", .. }
        ));
        let variant = of("[match]\nopenings = { order = \"rand\" }\n");
        let expected = Fault::UnknownName {
            name: "rand",
            allowed: "`sequential` or `random`",
        };
        assert_eq!(Fault::of(&variant), expected);
        assert_eq!(Fault::of(&of("[match]\nstop = 5\n")), Fault::Wanted);
        assert!(Fault::of(&of("[[engine]]\ncmd = 5\n")).expects_text());
        assert!(Fault::of(&of("[tune]\nimport = 5\n")).expects_text());
        let list = of("[engine]\ncmd = \"a\"\n");
        let expected = Fault::Expected {
            found: "invalid type: map",
            expected: "a sequence",
        };
        assert_eq!(Fault::of(&list), expected);
        let syntax = "x = 99999999999999999999".parse::<toml_edit::DocumentMut>();
        let syntax = syntax.expect_err("too large");
        assert_eq!(Fault::of(syntax.message()), Fault::Overflow);
    }

    #[test]
    fn unknown_names_get_the_nearest_one() {
        for (message, key, words) in [
            (
                "unknown variant `rand`, expected `random` or `sequential`",
                Some("order"),
                "`rand` is not a valid `order`: expected `random` or `sequential`; did you mean `random`?",
            ),
            (
                "unknown variant `7`, expected one of `a`, `b`, `c`",
                Some("x"),
                "`7` is not a valid `x`: expected one of `a`, `b`, `c`",
            ),
            (
                "unknown field `concurrancy`, expected one of `limit`, `concurrency`, `seed`",
                None,
                "unknown key `concurrancy`; did you mean `concurrency`?",
            ),
            (
                "unknown field `qqq`, expected `count` or `score`",
                None,
                "unknown key `qqq`: expected `count` or `score`",
            ),
            (
                "invalid type: string \"x\", expected f64",
                Some("alpha"),
                "invalid type: string \"x\", expected a number",
            ),
            (
                "invalid type: string \"9223372036854775808\", expected u64",
                Some("seed"),
                "the number is out of range: at most 9223372036854775807 is allowed",
            ),
            (
                "unknown field `book`, expected one of `limit`, `openings`, `variant`",
                None,
                "unknown key `book`; did you mean `openings`?",
            ),
            (
                "unknown field `book`, expected one of `file`, `order`, `start`",
                None,
                "unknown key `book`: expected one of `file`, `order`, `start`",
            ),
            (
                "invalid type: integer `5`, expected struct DrawRule",
                Some("draw"),
                "invalid type: integer `5`, expected a table, as in { move = 34, count = 8, score = 20 }",
            ),
            (
                "invalid type: integer `5`, expected struct MatchConfig",
                Some("match"),
                "invalid type: integer `5`, expected a table",
            ),
            (
                "invalid value: integer `99999999999`, expected u32",
                Some("max_moves"),
                "invalid value: integer `99999999999`, expected a whole number from 0 to 4294967295",
            ),
            (
                "invalid type: string \", expected u32\", expected path string",
                Some("import"),
                "invalid type: string \", expected u32\", expected a path in quotes",
            ),
            (
                "wanted string or table",
                Some("variant"),
                "`variant`: expected a name in quotes",
            ),
            (
                "wanted exactly 1 element, found 0 elements",
                Some("stop"),
                "`stop`: expected \"zero_outside\", or a table as { width = 5.0 }",
            ),
        ] {
            assert_eq!(plain(message, &Fault::of(message), key).what(), words);
        }
    }

    #[test]
    fn values_without_quotes_and_escapes_get_help() {
        for (line, help) in [
            ("name = new # dev", "name = \"new\"`"),
            ("  cmd = ./e/ok.py", "cmd = \"./e/ok.py\"`"),
            ("cmd = C:\\engine.exe", "cmd = 'C:\\engine.exe'`"),
            ("limit = nodes=5", "limit = \"nodes=5\"`"),
            ("limit = 8+0.08", "limit = \"8+0.08\"`"),
        ] {
            let text = shown(&of_syntax("x", line));
            let end = format!("\nhelp: text needs quotes: `{help}");
            assert!(text.ends_with(&end), "{text}");
        }
        assert_eq!(
            of_syntax("integer number overflowed", "pairs = 99999999999999999999").what(),
            "the number is out of range: at most 9223372036854775807 is allowed"
        );
        let escape = of_syntax("x", "cmd = \"C:\\Users\\me\"");
        assert_eq!(shown(&escape), format!("x\nhelp: {ESCAPE_HELP}"));
        for line in [
            "alpha = 0,05",
            "restart = true",
            "cmd = \"C:\\\\a\"",
            "cmd = \"a",
            "o = { B = a }",
            "x =",
            "x",
            "[match]",
        ] {
            assert_eq!(shown(&of_syntax("x", line)), "x", "{line}");
        }
    }
}
