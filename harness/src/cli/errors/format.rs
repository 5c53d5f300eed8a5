//! The format of errors: `error: cannot <do what>: <why>`, then the places
//! (`  --> file:line:column`) and help (`help: …`).
//!
//! The text of any error in `hone` may end in such lines. They stay at the end when context is
//! added before the text.

use hone_base::text::with_causes;

/// Starts a line with a place.
const PLACE: &str = "  --> ";
/// Starts a line with help.
const HELP: &str = "help: ";

/// The text of an error; `what` could not be done.
pub(in crate::cli) fn rendered(what: &str, error: &anyhow::Error) -> String {
    let message = with_causes(error);
    let is_end =
        |line: &&str| line.starts_with(PLACE) || line.starts_with(HELP) || is_excerpt(line);
    let (mut end, body): (Vec<&str>, Vec<&str>) = message.lines().partition(is_end);
    // Places first; the order is kept otherwise.
    end.sort_by_key(|line| line.starts_with(HELP));
    let body = body.join("\n");
    let mut text = if body.starts_with("cannot ") {
        format!("error: {body}")
    } else {
        format!("error: cannot {what}: {body}")
    };
    for line in end {
        text.push('\n');
        text.push_str(line);
    }
    text
}

/// Whether it is a line of a file under its place, as in `  2 | limt = 5`.
fn is_excerpt(line: &str) -> bool {
    line.trim_start()
        .split_once(" | ")
        .is_some_and(|(number, _)| line.starts_with("  ") && number.parse::<u64>().is_ok())
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn places_and_help_come_last() {
        let error =
            anyhow!("unknown key `limt`\nhelp: write `limit`\n  --> a.toml:2:1\n  2 | limt = 5")
                .context("engine `x`");
        assert_eq!(
            rendered("start the match", &error),
            "error: cannot start the match: engine `x`: unknown key `limt`\n  --> a.toml:2:1\n  2 | limt = 5\nhelp: write `limit`"
        );
        let error = anyhow!("cannot write x: disk full");
        assert_eq!(rendered("play", &error), "error: cannot write x: disk full");
    }
}
