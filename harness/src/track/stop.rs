//! Requests to stop while no night is played, as during a build.

use anyhow::Context;
use tokio::runtime::Runtime;

use crate::run::Interrupts;

/// Receives requests to stop. Once it exists, Ctrl-C no longer ends the process by itself,
/// because the runtime's signal handlers stay installed.
#[derive(Debug)]
pub(super) struct StopRequests {
    runtime: Runtime,
    interrupts: Interrupts,
    is_requested: bool,
}

impl StopRequests {
    /// Receives all requests from now on, including those that a night receives.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn listen() -> anyhow::Result<Self> {
        let runtime = crate::platform::runtime()?;
        let interrupts = runtime
            .block_on(async { Interrupts::listen() })
            .context("cannot listen for signals")?;
        Ok(Self {
            runtime,
            interrupts,
            is_requested: false,
        })
    }

    /// Whether there has been a request.
    pub(super) fn is_requested(&mut self) -> bool {
        let asked = self.interrupts.is_requested();
        self.is_requested |= self.runtime.block_on(asked);
        self.is_requested
    }
}
