//! The settings of a run, as messages name them to a user of a command line, who has no
//! configuration.

use super::program::Program;
use hone_base::diagnostic::{Flags, name_settings_by};
use hone_uci::engine::uci::OptionError;

/// From now on, messages name the flags of `program` in place of keys.
pub fn name_flags_of(program: Program) {
    let flags: Flags = match program {
        Program::Fastchess => flag,
        Program::Cutechess => |key| match key {
            // Flags that only fastchess has.
            "match.stall_ms" => {
                Some("`-ping-ms` (of fastchess; `hone cutechess-cli` accepts it too)")
            }
            "match.startup_ms" => {
                Some("`-startup-ms` (of fastchess; `hone cutechess-cli` accepts it too)")
            }
            key => flag(key),
        },
    };
    name_settings_by(flags);
}

/// What has the effect of a key.
fn flag(key: &str) -> Option<&'static str> {
    Some(match key {
        "match.stall_ms" => "`-ping-ms`",
        "match.startup_ms" => "`-startup-ms`",
        "match.limit" => "another limit, as in `-each tc=10+0.1`",
        "match.margin_ms" => "`-each timemargin=`",
        "match.on_failure" => "`-strict` is given",
        "match.variant" => "add `-variant fischerandom`",
        "match.openings.file" => "`-openings file=`",
        "match.affinity" => "`-use-affinity`",
        "match.concurrency" => "`-concurrency`",
        "engine.dir" => "`dir=` of `-engine`",
        "engine.options.Hash" => "`option.Hash`",
        "engine.max_memory" => "in a configuration (`--explain`) `max_memory` in [[engine]]",
        "adjudication.syzygy" => "`-tb`",
        "adjudication.syzygy.pieces" => "`-tbpieces`",
        _ => return None,
    })
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
    fn messages_name_the_flags() {
        name_flags_of(Program::Fastchess);
        let path = PathBuf::from("/tables");
        let pieces = TablebaseError::Pieces {
            path,
            requested: 7,
            available: 5,
        };
        assert_eq!(
            pieces.to_string(),
            "`-tb`: `-tbpieces` is 7, but the tables in /tables have at most 5 pieces"
        );
    }
}
