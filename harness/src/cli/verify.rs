//! `hone verify`: checks that the files of a run agree.

use std::path::PathBuf;

use clap::Args;

use super::{Exit, Failure};
use crate::experiment::{Experiment, Verdict};
use crate::kinds::experiment_of;
use crate::run::verify;
use crate::run::{Folder, Manifest};

/// Replay every game of a run with an independent rules library.
///
/// Checks legality, result and digest of each game, and that the PGN contains
/// exactly the games of the ledger. The last line on standard output is one
/// digest over all games up to the verdict, without timings: equal digests
/// mean the same games. Exit code 0: no fault; 1: at least one fault.
#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// The run's folder.
    run: PathBuf,
}

impl VerifyArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let folder = Folder::open(&self.run);
        let manifest = Manifest::read(folder.path())?;
        let report = verify::verify(&folder, &manifest, experiment_of(&folder, &manifest)?)?;
        for fault in &report.faults {
            outln!("{fault}");
        }
        let verdict = match report.fold.experiment.verdict() {
            Some(Verdict::H1) => "H1",
            Some(Verdict::H0) => "H0",
            _ => "none",
        };
        outln!(
            "{} games checked, {} faults; {} pairs up to the verdict: {verdict}",
            report.games,
            report.faults.len(),
            report.fold.tally.pairs
        );
        outln!("{}", report.digest);
        Ok(if report.faults.is_empty() {
            Exit::Done
        } else {
            Exit::Rejected
        })
    }
}
