//! Rewords the messages of the TOML parser.

use toml_edit::Value;

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
    "\nhelp: `\\` begins an escape in \"…\": use '…' as quotes, or `/` in paths";

/// The parser's message about a syntax error in `line`, with help for common mistakes.
pub(super) fn of_syntax(message: &str, line: &str) -> String {
    if message == "integer number overflowed" {
        return out_of_range();
    }
    let line = line.trim();
    let name = line.trim_matches(['[', ']']);
    if line.starts_with('[') && LISTS.contains(&name) {
        return format!("{message}\nhelp: write `[[{name}]]` at each {name}");
    }
    let Some((key, value)) = line.split_once('=') else {
        return message.to_string();
    };
    let value = value.split('#').next().unwrap_or_default().trim();
    if value.parse::<Value>().is_ok() {
        // The error is that of the key: for example, it is a duplicate.
        return message.to_string();
    }
    if value.starts_with('"') && value.contains('\\') {
        return format!("{message}{ESCAPE_HELP}");
    }
    let is_number = value.replace(',', ".").parse::<f64>().is_ok();
    if value.is_empty() || is_number || value.contains(['"', '\'', '[', '{']) {
        return message.to_string();
    }
    let quote = if value.contains('\\') { '\'' } else { '"' };
    format!(
        "`{value}` is not a valid value\nhelp: text needs quotes: `{} = {quote}{value}{quote}`",
        key.trim()
    )
}

fn out_of_range() -> String {
    let most = i64::MAX;
    format!("the number is out of range: at most {most} is allowed")
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

/// The parser's message about the value of `key`, without names of Rust types. For an unknown
/// name, it adds the nearest allowed one.
pub(super) fn plain(message: &str, key: Option<&str>) -> String {
    if let Some((name, allowed)) = unknown(message, "unknown field") {
        let ours = FOREIGN.iter().find(|(foreign, _)| *foreign == name);
        let ours = ours.map(|(_, ours)| *ours);
        let ours = ours.filter(|ours| allowed.contains(&format!("`{ours}`")));
        return match ours.or_else(|| nearest_of(name, allowed)) {
            Some(nearest) => format!("unknown key `{name}`; did you mean `{nearest}`?"),
            None => format!("unknown key `{name}`: expected {allowed}"),
        };
    }
    if let Some((name, allowed)) = unknown(message, "unknown variant") {
        let of_key = key.map_or_else(|| "value".to_string(), |key| format!("`{key}`"));
        let message = format!("`{name}` is not a valid {of_key}: expected {allowed}");
        return match nearest_of(name, allowed) {
            Some(nearest) => format!("{message}; did you mean `{nearest}`?"),
            None => message,
        };
    }
    if let Some(list) = key.filter(|key| LISTS.contains(key))
        && message == "invalid type: map, expected a sequence"
    {
        return format!("`{list}` is a list of tables\nhelp: write `[[{list}]]` at each {list}");
    }
    if message.starts_with("wanted ") {
        return wanted(key);
    }
    let Some((found, expected)) = message.rsplit_once(", expected ") else {
        return message.to_string();
    };
    if is_too_large(found, expected) {
        return out_of_range();
    }
    let words = EXPECTED.iter().find(|(name, _)| *name == expected);
    let words = match words {
        Some((_, words)) => words,
        None if expected.starts_with("struct ") => "a table",
        None => expected,
    };
    format!("{found}, expected {words}")
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

/// The unknown name in a message with this start, and its list of names: `` `a` or `b` `` or
/// `` one of `a`, `b`, `c` ``.
fn unknown<'a>(message: &'a str, start: &str) -> Option<(&'a str, &'a str)> {
    let rest = message.strip_prefix(start)?.strip_prefix(" `")?;
    rest.rsplit_once("`, expected ")
}

/// The name in the list `allowed` that is nearest to `name`.
fn nearest_of<'a>(name: &str, allowed: &'a str) -> Option<&'a str> {
    nearest(name, allowed.split('`').skip(1).step_by(2))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(plain(message, key), words);
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
            let text = of_syntax("x", line);
            let end = format!("\nhelp: text needs quotes: `{help}");
            assert!(text.ends_with(&end), "{text}");
        }
        assert_eq!(
            of_syntax("integer number overflowed", "pairs = 99999999999999999999"),
            "the number is out of range: at most 9223372036854775807 is allowed"
        );
        let escape = format!("x{ESCAPE_HELP}");
        assert_eq!(of_syntax("x", "cmd = \"C:\\Users\\me\""), escape);
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
            assert_eq!(of_syntax("x", line), "x", "{line}");
        }
    }
}
