//! `hone verify`: checks that the files of a run agree.

use std::path::PathBuf;

use clap::Args;

use super::{Exit, Failure};
use crate::kinds;
use crate::report::TestVerdict;
use crate::run::{RunFiles, find_run, verify};

/// Replay every game of a run with an independent rules library.
///
/// Checks legality, result and digest of each game, and that the PGN contains
/// exactly the games of the ledger. The last line on standard output is one
/// digest over all games up to the verdict, without timings: equal digests
/// mean the same games. Exit code 0: no fault; 1: at least one fault.
#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// The run: its folder, the beginning of its name in results/, or latest.
    run: PathBuf,
}

impl VerifyArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let files = RunFiles::open(&find_run(&self.run)?)?;
        let report = verify::verify(&files, kinds::experiment_of(&files)?)?;
        for fault in &report.faults {
            outln!("{fault}");
        }
        let verdict = TestVerdict::from(report.fold.verdict());
        let shard = files.manifest.config.r#match.shard;
        let result = match shard.is_whole() {
            true => format!("up to the verdict: {verdict}"),
            false => format!("of {}", shard.words()),
        };
        outln!(
            "{} games checked, {} faults; {} pairs {result}",
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
