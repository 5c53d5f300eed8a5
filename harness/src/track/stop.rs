//! Requests to stop while no night is played, as during a build.

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};

use crate::run::Interrupts;

/// Hears requests to stop. From then on Ctrl-C does not end the process by
/// itself: the runtime's handlers of signals stay.
#[derive(Debug)]
pub(super) struct StopRequests {
    runtime: Runtime,
    interrupts: Interrupts,
    is_requested: bool,
}

impl StopRequests {
    /// Hears all requests from now on, also those that a night hears.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn listen() -> anyhow::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.context("cannot start the async runtime")?;
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
