//! Requests to stop from one step of a process to the next, also while nothing is played, as
//! during a build.

use anyhow::Context;
use tokio::runtime::Runtime;

use super::interrupt::Interrupts;

/// Receives requests to stop. Once it exists, Ctrl-C no longer ends the process by itself,
/// because the runtime's signal handlers stay installed; so it must exist until the last step.
#[derive(Debug)]
pub struct StopRequests {
    runtime: Runtime,
    interrupts: Interrupts,
}

impl StopRequests {
    /// Receives all requests from now on.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn listen() -> anyhow::Result<Self> {
        let runtime = hone_base::platform::runtime()?;
        let interrupts = runtime
            .block_on(async { Interrupts::listen() })
            .context("cannot listen for signals")?;
        Ok(Self {
            runtime,
            interrupts,
        })
    }

    /// Whether there has been a request.
    pub fn is_requested(&mut self) -> bool {
        self.runtime.block_on(self.interrupts.is_requested())
    }

    /// Runs a step that receives the requests itself.
    pub fn during<T>(&mut self, step: impl AsyncFnOnce(&mut Interrupts) -> T) -> T {
        self.runtime.block_on(step(&mut self.interrupts))
    }
}
