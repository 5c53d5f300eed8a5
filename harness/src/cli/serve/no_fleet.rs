//! The live pages of a program without fleets.

use clap::Args;

use hone_serve::ServerOptions;

/// The options that allow actions.
pub(super) const TOKENS: [&str; 1] = ["token_file"];

#[derive(Debug, Args)]
pub(super) struct FleetArgs {}

impl FleetArgs {
    #[expect(clippy::unnecessary_wraps, reason = "as with fleets")]
    pub(super) fn add_to(self, _options: &mut ServerOptions) -> anyhow::Result<()> {
        Ok(())
    }
}
