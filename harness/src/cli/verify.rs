//! `hone verify`: checks that the files of a run agree.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{Exit, Failure};
use hone_base::checksum::hex;
use hone_base::text::with_causes;
use hone_base::{out, outln};
use hone_experiment::settings::Shard;
use hone_kinds as kinds;
use hone_report::{TestVerdict, counted, verdict_of};
use hone_run::{
    Folder, Manifest, RunFiles, find_run, started_stages, started_verification, verify,
};

/// Replay every game of a run with an independent rules library.
///
/// Checks legality, result, digest, plies, moves and termination of each game, the
/// opening of each pair (also against the book, if it has not changed), and that the
/// PGN contains exactly the games of the ledger. The last line on standard output is one
/// digest over all games up to the verdict, without timings: equal digests
/// mean the same games. In a test with stages, each stage is checked, and the last
/// line is the digest of their digests. For a tuning, the test of its values is checked
/// too, and the last line is the digest of the tuning.
#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// The run: its folder, the beginning of its name in results/, or latest.
    #[arg(add = super::completions::run())]
    run: PathBuf,
    /// Print one JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// The check of a run.
#[derive(Serialize)]
struct Verified {
    run: String,
    /// Games that were checked.
    games: u64,
    /// The digest of all games up to the verdict; `None` if they cannot all be read.
    digest: Option<String>,
    /// The faults of all parts, one line for each cause.
    faults: Vec<String>,
    /// Of a run of one part.
    #[serde(flatten)]
    judged: Option<Judged>,
    /// The stages of a test, or a tuning and the test of its values.
    #[serde(rename = "stages", skip_serializing_if = "is_single")]
    parts: Vec<Part>,
}

/// The check of a whole run, or of one of its parts.
#[derive(Serialize)]
struct Part {
    /// `None` for a whole run.
    name: Option<String>,
    games: u64,
    digest: Option<String>,
    faults: Vec<String>,
    /// Number of faults: those with the same cause share a line.
    #[serde(skip)]
    fault_count: u64,
    /// `None` if its files cannot be read.
    #[serde(flatten)]
    judged: Option<Judged>,
    /// Whether the digest of the run includes it.
    #[serde(skip)]
    is_digested: bool,
}

/// The result of a whole run, or of one of its parts.
#[derive(Clone, Copy, Serialize)]
struct Judged {
    /// Pairs that count.
    pairs: u64,
    verdict: TestVerdict,
    #[serde(skip)]
    shard: Shard,
}

/// The files of a run, of a stage or of the test of a tuning.
struct NamedFiles {
    name: Option<String>,
    files: RunFiles,
    is_digested: bool,
}

fn is_single(parts: &[Part]) -> bool {
    parts.len() < 2
}

impl VerifyArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let dir = find_run(&self.run)?;
        let manifest = Manifest::read(&dir)?;
        let verified = Verified::of(&dir, manifest);
        if self.json {
            outln!("{}", serde_json::to_string(&verified)?);
        } else {
            out!("{}", verified.text());
        }
        Ok(if verified.faults.is_empty() {
            Exit::Done
        } else {
            Exit::Rejected
        })
    }
}

impl Verified {
    fn of(dir: &Path, manifest: Manifest) -> Self {
        let folder = Folder::open(dir);
        let run = folder.name();
        let parts: Vec<Part> = match all_files(folder, manifest) {
            Ok(all) => all.into_iter().map(Part::of).collect(),
            Err(error) => vec![Part::unreadable(None, true, &error)],
        };
        Self {
            run,
            games: parts.iter().map(|part| part.games).sum(),
            digest: digest(&parts),
            faults: parts.iter().flat_map(|part| part.faults.clone()).collect(),
            judged: match &parts[..] {
                [part] => part.judged,
                _ => None,
            },
            parts,
        }
    }

    fn text(&self) -> String {
        let mut text: String = self.parts.iter().map(Part::text).collect();
        if self.parts.iter().filter(|part| part.is_digested).count() > 1
            && let Some(digest) = &self.digest
        {
            text += &format!("digest of the run: {digest}\n");
        }
        text
    }
}

/// The files of a run and its parts, in the order of the output.
fn all_files(folder: Folder, manifest: Manifest) -> anyhow::Result<Vec<NamedFiles>> {
    let first = RunFiles::of(folder, manifest)?;
    let later = started_stages(&first.manifest, first.folder.path());
    let later = later.iter().map(|dir| RunFiles::open(dir));
    let later: Vec<RunFiles> = later.collect::<Result<_, _>>()?;
    let config = first.manifest.config.clone();
    let test = started_verification(&first.manifest, first.folder.path());
    let test = test.map(|dir| RunFiles::open(&dir)).transpose()?;
    let has_test = test.is_some();
    let mut all = Vec::new();
    all.extend(test.map(|files| NamedFiles {
        name: Some("verifying test".to_string()),
        files,
        is_digested: false,
    }));
    for (stage, files) in std::iter::once(first).chain(later).enumerate() {
        let name = match config.stage.len() {
            0 | 1 => has_test.then(|| "tuning".to_string()),
            _ => Some(config.stage_words(stage)),
        };
        all.push(NamedFiles {
            name,
            files,
            is_digested: true,
        });
    }
    Ok(all)
}

/// The digest of several parts is that of their digests.
fn digest(parts: &[Part]) -> Option<String> {
    let digested = parts.iter().filter(|part| part.is_digested);
    let digests: Option<Vec<String>> = digested.map(|part| part.digest.clone()).collect();
    match &digests?[..] {
        [digest] => Some(digest.clone()),
        digests => Some(hex(&Sha256::digest(digests.concat()))),
    }
}

impl Part {
    /// Verifies a run, a stage or the test of a tuning.
    fn of(named: NamedFiles) -> Self {
        let NamedFiles {
            name,
            files,
            is_digested,
        } = named;
        let experiment = kinds::experiment_of(&files);
        let report = match experiment.and_then(|it| verify::verify(&files, it)) {
            Ok(report) => report,
            Err(error) => return Self::unreadable(name, is_digested, &error),
        };
        let verdict = match verdict_of(&files, &report.fold) {
            Ok((verdict, _)) => verdict,
            Err(error) => return Self::unreadable(name, is_digested, &error),
        };
        let judged = Judged {
            pairs: report.fold.tally.pairs,
            verdict,
            shard: files.manifest.config.r#match.shard,
        };
        Self {
            name,
            games: report.games,
            digest: Some(report.digest),
            faults: report.faults.lines(),
            fault_count: report.faults.count(),
            judged: Some(judged),
            is_digested,
        }
    }

    /// A part whose files cannot be read.
    fn unreadable(name: Option<String>, is_digested: bool, error: &anyhow::Error) -> Self {
        Self {
            name,
            games: 0,
            digest: None,
            faults: vec![format!("cannot verify the run: {}", with_causes(error))],
            fault_count: 1,
            judged: None,
            is_digested,
        }
    }

    fn text(&self) -> String {
        let checked = counted(self.games, "game");
        let faults = counted(self.fault_count, "fault");
        let result = match &self.judged {
            Some(judged) => format!("{checked} checked, {faults}; {}", judged.text()),
            None => format!("{checked} checked, {faults}"),
        };
        let lines = self.name.iter().chain(&self.faults);
        let digest = self
            .digest
            .as_ref()
            .map(|digest| format!("digest: {digest}"));
        let lines = lines.chain([&result]).chain(&digest);
        lines.map(|line| format!("{line}\n")).collect()
    }
}

impl Judged {
    fn text(&self) -> String {
        let pairs = counted(self.pairs, "pair");
        if self.shard.is_whole() {
            format!("{pairs} up to the verdict: {}", self.verdict)
        } else {
            format!("{pairs} of {}", self.shard.words())
        }
    }
}
