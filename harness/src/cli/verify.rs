//! `hone verify`: checks that the files of a run agree.

use std::path::PathBuf;

use clap::Args;
use sha2::{Digest, Sha256};

use super::{Exit, Failure};
use crate::kinds::{self, tune};
use crate::output::hex;
use crate::report::{TestVerdict, counted};
use crate::run::{RunFiles, find_run, verify};

/// Replay every game of a run with an independent rules library.
///
/// Checks legality, result, digest, plies, moves and termination of each game, the
/// opening of each pair (also against the book, if it has not changed), and that the
/// PGN contains exactly the games of the ledger. The last line on standard output is one
/// digest over all games up to the verdict, without timings: equal digests
/// mean the same games. In a test with stages, each stage is checked, and the last
/// line is the digest of their digests. For a tuning, the test of its values is checked
/// too, and the last line is the digest of the tuning. Exit code 0: no fault; 1: at
/// least one fault.
#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// The run: its folder, the beginning of its name in results/, or latest.
    run: PathBuf,
}

impl VerifyArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let first = RunFiles::open(&find_run(&self.run)?)?;
        let later = kinds::later(&first)?;
        let config = first.manifest.config.clone();
        let mut digests = Vec::new();
        let mut is_sound = true;
        if let Some(test) = tune::test_of(&first)? {
            outln!("verifying test");
            is_sound &= checked(&test)?.1 == 0;
            outln!("tuning");
        }
        for (stage, files) in std::iter::once(first).chain(later).enumerate() {
            if config.stage.len() > 1 {
                outln!("{}", config.stage_words(stage));
            }
            let (digest, faults) = checked(&files)?;
            is_sound &= faults == 0;
            digests.push(digest);
        }
        if let [_, _, ..] = &digests[..] {
            outln!("{}", hex(&Sha256::digest(digests.concat())));
        }
        Ok(match is_sound {
            true => Exit::Done,
            false => Exit::Rejected,
        })
    }
}

/// Verifies one run and prints what was found. Returns its digest and the
/// number of faults.
fn checked(files: &RunFiles) -> anyhow::Result<(String, usize)> {
    let report = verify::verify(files, kinds::experiment_of(files)?)?;
    for fault in &report.faults {
        outln!("{fault}");
    }
    let shard = files.manifest.config.r#match.shard;
    let result = match shard.is_whole() {
        true => {
            let verdict = TestVerdict::from(report.fold.verdict());
            format!("up to the verdict: {verdict}")
        }
        false => format!("of {}", shard.words()),
    };
    outln!(
        "{} checked, {}; {} {result}",
        counted(report.games, "game"),
        counted(report.faults.len() as u64, "fault"),
        counted(report.fold.tally.pairs, "pair")
    );
    outln!("{}", report.digest);
    Ok((report.digest, report.faults.len()))
}
