//! The values of PGN tags.

/// Decodes the value of a tag, given without its quotes: quotes and backslashes are escaped
/// by a backslash. Text that is not UTF-8 is read as Latin-1, the character set of the PGN
/// standard.
pub fn tag_text(value: &[u8]) -> String {
    let mut text = Vec::with_capacity(value.len());
    let mut bytes = value.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let escaped = bytes.next_if(|next| byte == b'\\' && matches!(next, b'\\' | b'"'));
        text.push(escaped.unwrap_or(byte));
    }
    String::from_utf8(text).unwrap_or_else(|error| {
        let latin = error.as_bytes().iter().copied();
        latin.map(char::from).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_read_back_as_they_were_written() {
        for name in [
            "a", r"a\b", r"\\", r#"\""#, r#""\"#, r#"\\""#, r"a\", r"\n", "é", "",
        ] {
            let written: String = name
                .chars()
                .flat_map(|c| {
                    matches!(c, '"' | '\\')
                        .then_some('\\')
                        .into_iter()
                        .chain([c])
                })
                .collect();
            assert_eq!(tag_text(written.as_bytes()), name, "{written}");
        }
        // Other programs do not escape.
        assert_eq!(tag_text(br"C:\engines\a"), r"C:\engines\a");
    }
}
