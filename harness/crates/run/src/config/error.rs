//! Errors in a configuration.

/// Maximum size of a configuration file in bytes.
pub(super) const LARGEST: u64 = 16 << 20;

/// Number of characters of a message of the parser, which may contain a value of the file.
const SHOWN: usize = 1000;

/// A message without the middle, if it is very long.
pub(super) fn bounded(message: &str) -> String {
    let message = message.trim_end();
    let half = SHOWN / 2;
    let start = message.char_indices().nth(half).map(|(start, _)| start);
    let end = message.char_indices().rev().nth(half).map(|(end, _)| end);
    match (start, end) {
        (Some(start), Some(end)) if start < end => {
            let (start, _) = message.split_at(start);
            let (_, end) = message.split_at(end);
            format!("{start}…{end}")
        }
        _ => message.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_is_cut() {
        let message = bounded(&("y".repeat(1 << 20) + "; allowed: z"));
        assert!(
            message.ends_with("; allowed: z") && message.contains("y…y"),
            "{message}"
        );
        assert!(message.len() < 1100, "{message}");
    }
}
