//! The messages of the reader of TOML in the words of a configuration.

use crate::output::nearest;

/// The reader's message about the value of `key`, without the names of a
/// programming language's types. Of an unknown name, the nearest that is allowed.
pub(super) fn plain(message: &str, key: Option<&str>) -> String {
    if let Some((name, allowed)) = unknown(message, "unknown field") {
        return match nearest_of(name, allowed) {
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
    [
        ("f64", "a number"),
        ("u64", "a whole number, not negative"),
        ("u32", "a whole number, not negative"),
        ("usize", "a whole number, not negative"),
        ("i64", "a whole number"),
    ]
    .iter()
    .fold(message.to_string(), |message, (name, words)| {
        message.replace(&format!("expected {name}"), &format!("expected {words}"))
    })
}

/// The unknown name of a message that starts like this, and the names that it
/// lists as `` `a` or `b` `` or `` one of `a`, `b`, `c` ``.
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
        ] {
            assert_eq!(plain(message, key), words);
        }
    }
}
