//! Escaping of text in addresses, Markdown and CSV.

use hone_base::text::without_direction;

/// Text as one segment of a URL.
pub fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out += &format!("%{byte:02X}");
        }
    }
    out
}

/// Text as one line of Markdown without effect: not as a tag, link, mention, emphasis,
/// formula, cell of a table or change of direction.
pub fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in without_direction(text).chars() {
        match c {
            // An empty comment keeps GitHub from recognising a mention or an issue.
            '@' | '#' => {
                out.push(c);
                out.push_str("<!-- -->");
            }
            '\n' | '\r' => out.push(' '),
            // GitHub's documentation: a backslash does not escape it next to a formula.
            '$' => out.push_str("<span>$</span>"),
            '\\' | '`' | '[' | ']' | '|' | '*' | '_' | '~' => {
                out.push('\\');
                out.push(c);
            }
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
    out.replace("://", ":<!-- -->//")
        .replace("www.", "www<!-- -->.")
}

/// First characters of formulas in spreadsheets, and of a guarded text.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\''];

/// Text from outside as a cell that a spreadsheet does not evaluate as a formula.
pub fn guarded(text: &str) -> String {
    if text.starts_with(FORMULA) {
        format!("'{text}")
    } else {
        text.to_string()
    }
}

/// The text of a [`guarded`] cell.
pub fn unguarded(cell: &str) -> String {
    let text = cell.strip_prefix('\'');
    let text = text.filter(|text| text.starts_with(FORMULA));
    text.unwrap_or(cell).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_text_has_no_effect_in_markdown() {
        assert_eq!(escape_markdown("Prune more (8.5 %)"), "Prune more (8.5 %)");
        let hostile = "<img src=x> | [a](https://b.c) `x` @team #1\n# h ~~no~~ $x^2$";
        let escaped = escape_markdown(hostile);
        for part in ["<img", " | ", "[a]", "://", "@team", "#1", "\n", "~~", "$x"] {
            assert!(!escaped.contains(part), "{part} in {escaped}");
        }
        assert_eq!(escape_markdown("**a_b_**"), r"\*\*a\_b\_\*\*");
        assert_eq!(escape_markdown("a\u{202e}b"), "a\u{fffd}b");
    }
}
