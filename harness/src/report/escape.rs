//! Text inside addresses, Markdown and the cells of tables.

/// Text as one segment of an address.
pub(crate) fn percent_encoded(text: &str) -> String {
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

/// Text as Markdown that is neither a tag, a link, a mention, emphasis, a formula nor a
/// new cell of a table.
pub(crate) fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // An empty comment separates what would be recognised together.
            '@' | '#' => {
                out.push(c);
                out.push_str("<!-- -->");
            }
            '\n' | '\r' => out.push(' '),
            // As GitHub's documentation has it: a backslash does not keep formulas away.
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

/// What a spreadsheet would take for a formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\''];

/// Text of others as a cell that a spreadsheet shows and does not calculate.
pub(crate) fn guarded(text: &str) -> String {
    match text.starts_with(FORMULA) {
        true => format!("'{text}"),
        false => text.to_string(),
    }
}

/// The text of a [`guarded`] cell.
pub(crate) fn unguarded(cell: &str) -> String {
    let text = cell.strip_prefix('\'');
    let text = text.filter(|text| text.starts_with(FORMULA));
    text.unwrap_or(cell).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_stays_text() {
        assert_eq!(escape_markdown("Prune more (8.5 %)"), "Prune more (8.5 %)");
        let hostile = "<img src=x> | [a](https://b.c) `x` @team #1\n# h ~~no~~ $x^2$";
        let escaped = escape_markdown(hostile);
        for part in ["<img", " | ", "[a]", "://", "@team", "#1", "\n", "~~", "$x"] {
            assert!(!escaped.contains(part), "{part} in {escaped}");
        }
        assert_eq!(escape_markdown("**a_b_**"), r"\*\*a\_b\_\*\*");
    }
}
