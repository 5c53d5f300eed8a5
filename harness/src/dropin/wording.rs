//! Messages of a run in the words of a command line: the same messages name keys of a
//! configuration, which its user does not have.

/// What names a key, and the flag with the same effect. An earlier one may contain a
/// later one.
const FLAGS: &[(&str, &str)] = &[
    ("raise `stall_ms` in [match]", "raise `-ping-ms`"),
    ("`margin_ms` in [match]", "`-each timemargin=`"),
    ("and `on_failure` is \"stop\"", "and `-strict` is given"),
    (
        "set the variant to chess960 (match.variant=chess960, or --chess960 with `hone book`)",
        "add `-variant fischerandom`",
    ),
    (
        "`syzygy` in [adjudication]: `pieces` is",
        "`-tb`: `-tbpieces` is",
    ),
    ("`syzygy` in [adjudication]", "`-tb`"),
    ("`affinity`", "`-use-affinity`"),
    (
        "lower `Hash` or `concurrency`, or set `max_memory` in [[engine]]",
        "lower `option.Hash` or `-concurrency`",
    ),
    (
        "help: `max_memory` in [[engine]]",
        "help: in a configuration (`--explain`), `max_memory` in [[engine]]",
    ),
];

/// The message with flags in place of the keys.
pub(crate) fn by_flags(message: &str) -> String {
    let text = message.to_string();
    FLAGS
        .iter()
        .fold(text, |text, (key, flag)| text.replace(key, flag))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::rules::tablebase::TablebaseError;

    #[test]
    fn messages_about_tables_name_the_flags() {
        let path = PathBuf::from("/tables");
        let empty = TablebaseError::Empty { path: path.clone() };
        assert_eq!(
            by_flags(&empty.to_string()),
            "`-tb`: /tables contains no tables (*.rtbw)"
        );
        let pieces = TablebaseError::Pieces {
            path,
            asked: 7,
            there: 5,
        };
        assert_eq!(
            by_flags(&pieces.to_string()),
            "`-tb`: `-tbpieces` is 7, but the tables in /tables have at most 5 pieces"
        );
    }
}
