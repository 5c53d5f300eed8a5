//! The engine of a command that does not build engines.

use anyhow::bail;

use hone_base::diagnostic::Diagnostic;
use hone_builds::Spec;
use hone_uci::engine::analysis::EngineCommand;

/// The program that `engine` names, with the options to set.
///
/// # Errors
/// If it is not a program.
pub(in crate::cli) fn program(
    engine: &str,
    options: Vec<(String, String)>,
) -> anyhow::Result<EngineCommand> {
    match engine.parse() {
        Ok(Spec::Commit { .. } | Spec::WorkTree { .. }) => bail!(
            Diagnostic::new(format!(
                "`{engine}` is not a program, and this command does not build engines"
            ))
            .help("build the engine and name its program, as in `./engine`")
        ),
        Ok(Spec::Program(program)) => Ok(EngineCommand::new(&program, options)?),
        Err(_) => Ok(EngineCommand::new(engine, options)?),
    }
}
