//! `hone worker`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::args::ranges::from_one;
use super::{Exit, Failure};
use crate::fleet::{self, Access, BuildWhen, Name, RequestedOptions, WorkerOptions};

/// Play pairs for a fleet.
///
/// JOIN is the credential (`hone1.…`) that `hone fleet up` or `hone fleet join`
/// prints, or a file with it. The worker only makes outgoing connections. The
/// engines come from the owners of the runs: join only a fleet whose owners you
/// trust. Ctrl-C finishes the pairs in progress, a second one stops at once.
#[derive(Debug, Args)]
pub(super) struct WorkerArgs {
    /// The credential, or a file with it.
    join: String,
    /// Threads that engines may use [default: physical cores].
    #[arg(long, value_name = "N", value_parser = from_one::<NonZeroUsize>)]
    cores: Option<NonZeroUsize>,
    /// Memory for all engines together, as in 8G or 512M; each engine process is
    /// limited to the share of one game [default: all memory, no limit per process].
    #[arg(long, value_name = "SIZE", value_parser = megabytes)]
    max_memory: Option<u64>,
    /// Tablebases on this machine, for runs that adjudicate by them.
    #[arg(long, value_name = "DIR")]
    syzygy: Option<PathBuf>,
    /// Run engines without network, with a read-only view of the file system;
    /// needs Linux and bubblewrap.
    #[arg(long)]
    sandbox: bool,
    /// Build engines on this machine from the commits of a run, where they are
    /// from commits. The build command, which the owner of the run wrote, runs with
    /// your rights, or in the sandbox.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = BuildArg::Never)]
    build: BuildArg,
    /// The worker's name in reports [default: the machine's name].
    #[arg(long)]
    name: Option<Name>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum BuildArg {
    /// Play only programs for this system and processor.
    Never,
    /// Build engines whose programs are for another system or processor.
    Needed,
    /// Run no program that is sent: build all engines, and play only those.
    Always,
}

impl From<BuildArg> for BuildWhen {
    fn from(when: BuildArg) -> Self {
        match when {
            BuildArg::Never => Self::Never,
            BuildArg::Needed => Self::Needed,
            BuildArg::Always => Self::Always,
        }
    }
}

impl WorkerArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let access = Access::read(&self.join)?;
        let asked = RequestedOptions {
            name: self.name,
            cores: self.cores,
            memory_mb: self.max_memory,
            syzygy: self.syzygy,
            sandbox: self.sandbox,
            build: self.build.into(),
        };
        fleet::work(&WorkerOptions::new(access, asked)?)?;
        Ok(Exit::Done)
    }
}

/// Megabytes of `8G` or `512M`.
fn megabytes(text: &str) -> anyhow::Result<u64> {
    let (digits, factor) = match text.as_bytes().last() {
        Some(b'G' | b'g') => (&text[..text.len() - 1], 1024),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 1),
        _ => ("", 1),
    };
    let number: u64 = digits
        .parse()
        .context("use a number with M or G, as in 8G")?;
    number.checked_mul(factor).context("it is too large")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(megabytes("8G").expect("a size"), 8192);
        assert_eq!(megabytes("512M").expect("a size"), 512);
        for text in [
            "",
            "G",
            "8T",
            "1",
            "8192",
            "-1G",
            "99999999999999999999G",
            "18446744073709551615G",
        ] {
            assert!(megabytes(text).is_err(), "{text}");
        }
    }
}
