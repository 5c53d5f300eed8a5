//! `hone sprt`.

use std::path::PathBuf;

use clap::Args;

use super::args::gate::GateArgs;
use super::args::run::RunArgs;
use super::{Exit, Failure};
use hone_kinds::SequentialTest;

/// Test whether the first engine is stronger than the second.
///
/// Plays pairs of games until the sequential probability ratio test (SPRT) of
/// [sprt] decides.
#[derive(Debug, Args)]
pub(super) struct SprtArgs {
    /// The configuration, in TOML; see configs/sprt.toml for one with
    /// comments. Optional with --dev and --base.
    config: Option<PathBuf>,
    #[command(flatten)]
    gate: GateArgs,
    #[command(flatten)]
    run: RunArgs,
}

impl SprtArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let file = self.config.as_deref();
        let configure = || {
            let mut draft = self.gate.draft(file)?;
            self.run.apply(&mut draft);
            let mut config = self.gate.finish(draft, &self.run.set)?;
            self.gate.check_stages(&config)?;
            config.enter_first_stage();
            Ok(config)
        };
        self.run.start::<SequentialTest>(configure, file)
    }
}
