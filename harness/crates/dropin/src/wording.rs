//! Rewords the messages of a run for a user of a command line, who has no configuration: flags
//! replace its keys.

use super::program::Program;
use hone_uci::engine::uci::OptionError;

/// Names of keys in messages, and the flags with the same effect. A longer name precedes a
/// shorter one that it contains.
const FLAGS: &[(&str, &str)] = &[
    ("raise `stall_ms` in [match]", "raise `-ping-ms`"),
    ("raise `startup_ms` in [match]", "raise `-startup-ms`"),
    (
        "give it another `limit`",
        "give it another limit, as in `-each tc=10+0.1`",
    ),
    ("correct `dir` in [[engine]]", "correct `dir=` of `-engine`"),
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
    (
        "use a book (`openings = \"default\"` is the built-in one)",
        "use a book (`-openings file=`)",
    ),
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

/// Advised flags that only fastchess has, although `hone cutechess-cli` accepts them.
const OF_FASTCHESS: [&str; 2] = ["raise `-ping-ms`", "raise `-startup-ms`"];

/// The message with flags of `program` in place of the keys.
pub fn by_flags(message: &str, program: Program) -> String {
    let text = message.to_string();
    let text = FLAGS
        .iter()
        .fold(text, |text, (key, flag)| text.replace(key, flag));
    match program {
        Program::Fastchess => text,
        Program::Cutechess => OF_FASTCHESS.iter().fold(text, |text, flag| {
            text.replace(
                flag,
                &format!("{flag} (of fastchess; `hone cutechess-cli` accepts it too)"),
            )
        }),
    }
}

/// The warning of `program` about an option of the engine `engine` that is not set. Servers look
/// for it: fishtest's worker reports it as a fault of the tested commit.
pub fn unset_option(program: Program, engine: &str, error: &OptionError, value: &str) -> String {
    let mark = match program {
        Program::Fastchess => "Warning;",
        Program::Cutechess => "Warning:",
    };
    let option = error.option();
    match error {
        OptionError::Unknown { .. } => format!("{mark} {engine} doesn't have option {option}"),
        OptionError::NoValue { .. } | OptionError::Value { .. } => {
            format!("{mark} Invalid value for option {option}; {value}")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use hone_uci::rules::tablebase::TablebaseError;

    #[test]
    fn help_about_an_engine_without_an_answer_names_flags() {
        let help = "give it another `limit`\nhelp: raise `stall_ms` in [match]";
        let flags = "give it another limit, as in `-each tc=10+0.1`\nhelp: raise `-ping-ms`";
        assert_eq!(by_flags(help, Program::Fastchess), flags);
        assert_eq!(
            by_flags(help, Program::Cutechess),
            format!("{flags} (of fastchess; `hone cutechess-cli` accepts it too)")
        );
    }

    #[test]
    fn messages_about_tables_name_the_flags() {
        let path = PathBuf::from("/tables");
        let empty = TablebaseError::Empty { path: path.clone() };
        assert_eq!(
            by_flags(&empty.to_string(), Program::Fastchess),
            "`-tb`: /tables contains no tables (*.rtbw)"
        );
        let pieces = TablebaseError::Pieces {
            path,
            requested: 7,
            available: 5,
        };
        assert_eq!(
            by_flags(&pieces.to_string(), Program::Fastchess),
            "`-tb`: `-tbpieces` is 7, but the tables in /tables have at most 5 pieces"
        );
    }
}
