//! The engines of commands that neither build engines nor play a run.

use std::num::NonZeroUsize;

use anyhow::{bail, ensure};

use hone_base::diagnostic::Diagnostic;
use hone_builds::Spec;
use hone_run::config::{MAX_CONCURRENCY, default_concurrency};
use hone_uci::engine::analysis::EngineCommand;

/// Number of engines that run at the same time: `asked`, or one for each physical core.
///
/// # Errors
/// If it exceeds the maximum.
pub(in crate::cli) fn concurrency(asked: Option<NonZeroUsize>) -> anyhow::Result<usize> {
    let Some(asked) = asked.map(NonZeroUsize::get) else {
        return Ok(default_concurrency());
    };
    ensure!(
        asked <= MAX_CONCURRENCY,
        "`--concurrency`: {asked} is out of range: 1 to {MAX_CONCURRENCY} engines at a time are allowed"
    );
    Ok(asked)
}

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
