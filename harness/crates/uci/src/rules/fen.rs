//! Positions in FEN.

/// The standard start position, all six fields.
pub const STANDARD_START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The first four fields of a position: all but the move counters.
pub(crate) fn without_counters(position: &[u8]) -> &[u8] {
    let position = position.trim_ascii_start();
    let is_end = |(at, pair): (usize, &[u8])| match pair {
        [end, next] if end.is_ascii_whitespace() && !next.is_ascii_whitespace() => Some(at),
        _ => None,
    };
    let end = position.windows(2).enumerate().filter_map(is_end).nth(3);
    let fields = end.and_then(|end| position.get(..end));
    let fields = fields.unwrap_or(position).trim_ascii_end();
    // Some books have a semicolon right after the fields.
    fields.strip_suffix(b";").unwrap_or(fields).trim_ascii_end()
}
