//! Text: names and messages.

use std::borrow::Cow;

/// The first of `stem`, `stem-2`, `stem-3` and so on that is free.
pub(crate) fn numbered(stem: &str, is_free: impl FnMut(&String) -> bool) -> String {
    (1_u64..)
        .map(|number| match number {
            1 => stem.to_string(),
            number => format!("{stem}-{number}"),
        })
        .find(is_free)
        .expect("numbers do not end")
}

/// Jaro-Winkler similarity, from 0 to 1, above which a name is suggested.
const SIMILARITY: f64 = 0.8;

/// The candidate most similar to `name`, regardless of case, if one is similar enough for
/// "did you mean".
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let name = name.to_lowercase();
    candidates
        .map(|candidate| {
            let similarity = strsim::jaro_winkler(&name, &candidate.to_lowercase());
            (similarity, candidate)
        })
        .filter(|(similarity, _)| *similarity > SIMILARITY)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// The text with U+FFFD in place of characters that affect a terminal: control characters
/// except line ends and tabs, and those that change the direction of text.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let is_unsafe = |c: char| {
        let is_bidi = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        is_bidi || (c.is_control() && !matches!(c, '\n' | '\t'))
    };
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n");
    Cow::Owned(text.replace(is_unsafe, "\u{fffd}"))
}

/// The error and its causes. A cause whose text an error contains is not repeated.
pub(crate) fn with_causes(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, anyhow};

    use super::*;

    #[test]
    fn a_cause_is_not_repeated() {
        let io = std::io::Error::other("disk full");
        let contained = anyhow::Error::new(io).context("cannot write x: disk full");
        assert_eq!(with_causes(&contained), "cannot write x: disk full");
        let missing: anyhow::Result<()> = Err(anyhow!("disk full")).context("cannot write x");
        assert_eq!(
            with_causes(&missing.unwrap_err()),
            "cannot write x: disk full"
        );
    }

    #[test]
    fn only_a_similar_name_is_suggested() {
        let names = ["QsFutilityMargin", "Hash", "tc", "-engine"];
        for (written, suggested) in [
            ("qsfut", Some("QsFutilityMargin")),
            ("Hasch", Some("Hash")),
            ("-engne", Some("-engine")),
            ("xy", None),
            ("Threads", None),
        ] {
            assert_eq!(nearest(written, names.into_iter()), suggested, "{written}");
        }
    }

    #[test]
    fn no_control_character_is_printed() {
        assert_eq!(printable("a\tb\nc é ♞"), "a\tb\nc é ♞");
        assert_eq!(printable("a\r\nb\r\n"), "a\nb\n");
        let hostile = "\x1b]0;title\x07 \x1b[2Jx\r \u{9b}1m \u{202e}txt";
        let shown = printable(hostile);
        assert!(!shown.contains(|c: char| c.is_control() || c == '\u{202e}'));
        assert!(shown.contains("]0;title"), "{shown}");
    }
}
