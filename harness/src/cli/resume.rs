//! `hone resume`.

use std::path::PathBuf;

use clap::Args;

use super::common::{announce, failure};
use super::ends::EndArgs;
use super::play::play;
use super::{Exit, Failure, bisect, tune};
use crate::run::{Kind, Manifest, Session};

/// Continue a run that was interrupted or stopped.
#[derive(Debug, Args)]
pub(super) struct ResumeArgs {
    /// The run's folder.
    run: PathBuf,
    #[command(flatten)]
    ends: EndArgs,
}

impl ResumeArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        if Manifest::read(&self.run)?.kind == Kind::Bisect {
            return bisect::resume(&self.run, &self.ends);
        }
        let session = Session::resume(&self.run, &mut announce).map_err(failure)?;
        match session.manifest.kind {
            Kind::Tune => tune::resume(self.ends.limit(session), self.ends.json),
            Kind::Match | Kind::Sprt | Kind::Bisect => play(session, &self.ends),
        }
    }
}
