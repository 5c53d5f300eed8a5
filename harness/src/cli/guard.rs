//! The hidden command `guard-engines`: a process that ends the processes of another `hone`.

use std::io;

use clap::Args;

use super::{Exit, Failure};
use hone_base::platform::guard;

/// End the engines, benches and builds that another hone leaves behind (started by hone itself).
#[derive(Debug, Args)]
pub(super) struct GuardArgs {}

impl GuardArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        guard::guard(io::stdin().lock());
        Ok(Exit::Done)
    }
}
