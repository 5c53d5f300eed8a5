//! The argument of all commands that start engines or builds in a sandbox.

use clap::Args;

use hone_base::platform::sandbox;
use hone_run::config::{Draft, Level};
use hone_uci::engine::analysis::EngineCommand;

#[derive(Debug, Args)]
pub(in crate::cli) struct SandboxArgs {
    /// Run engines and builds without network, with a read-only view of the
    /// file system; needs Linux and bubblewrap.
    #[arg(long)]
    sandbox: bool,
}

impl SandboxArgs {
    /// Applies it to the configuration of a run.
    pub(in crate::cli) fn apply(&self, draft: &mut Draft) {
        if self.sandbox {
            draft.set(Level::Key, &["match", "sandbox"], true, "--sandbox");
        }
    }

    /// Applies it to an engine that is started without a run.
    ///
    /// # Errors
    /// If this machine does not support the sandbox.
    pub(in crate::cli) fn around(
        &self,
        mut engine: EngineCommand,
    ) -> anyhow::Result<EngineCommand> {
        if self.sandbox {
            sandbox::check()?;
        }
        engine.launch.sandbox = self.sandbox;
        Ok(engine)
    }
}
