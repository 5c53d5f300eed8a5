//! `hone worker`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::args::ranges::from_one;
use super::{Exit, Failure};
use hone_fleet::{self as fleet, Access, BuildWhen, Name, RequestedOptions, WorkerOptions};
use hone_uci::engine::uci::MemorySize;

/// Play pairs for a fleet.
///
/// JOIN is the credential (`hone1.…`) that `hone fleet up` or `hone fleet invite`
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
    #[arg(long, value_name = "SIZE")]
    max_memory: Option<MemorySize>,
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
            memory_mb: self.max_memory.map(MemorySize::mib),
            syzygy: self.syzygy,
            sandbox: self.sandbox,
            build: self.build.into(),
        };
        fleet::work(&WorkerOptions::new(access, asked)?)?;
        Ok(Exit::Done)
    }
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;

    #[test]
    fn memory_has_the_units_and_the_range_of_a_configuration() {
        let megabytes = |size: &str| {
            let command = WorkerArgs::augment_args(clap::Command::new("worker"));
            let words = ["worker", "JOIN", "--max-memory", size];
            let matches = command.try_get_matches_from(words).ok()?;
            let args = WorkerArgs::from_arg_matches(&matches).ok()?;
            args.max_memory.map(MemorySize::mib)
        };
        assert_eq!(megabytes("8G"), Some(8192));
        assert_eq!(megabytes("512M"), Some(512));
        for text in ["", "8T", "8192", "0G", "20000000000G"] {
            assert_eq!(megabytes(text), None, "{text}");
        }
    }
}
