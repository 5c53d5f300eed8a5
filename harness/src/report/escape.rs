//! Text inside HTML, SVG and Markdown.

/// Text as HTML, in elements and in quoted attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => push_character(&mut out, c),
        }
    }
    out
}

/// A character with a meaning in HTML as its entity, any other as it is.
fn push_character(out: &mut String, c: char) {
    match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        c => out.push(c),
    }
}

/// Text as Markdown that is neither a tag, a link, a mention nor a new cell of
/// a table.
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
            '\\' | '`' | '[' | ']' | '|' => {
                out.push('\\');
                out.push(c);
            }
            c => push_character(&mut out, c),
        }
    }
    out.replace("://", ":<!-- -->//")
        .replace("www.", "www<!-- -->.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_stays_text() {
        assert_eq!(escape_markdown("Prune more (8.5 %)"), "Prune more (8.5 %)");
        let hostile = "<img src=x> | [a](https://b.c) `x` @team #1\n# h";
        let escaped = escape_markdown(hostile);
        for part in ["<img", " | ", "[a]", "://", "@team", "#1", "\n"] {
            assert!(!escaped.contains(part), "{part} in {escaped}");
        }
    }
}
