//! The options of a worker, from the command line and from the machine.

use std::fs::{self, File};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Context, ensure};

use crate::access::{Access, Role};
use crate::ids::Name;
use crate::worker::abilities::{Abilities, BuildWhen, Resources};
use hone_base::diagnostic::Advise;
use hone_base::platform::{
    CAN_LIMIT_MEMORY, MachineMemory, host_name, lock_path, physical_cores, processor_name, sandbox,
};
use hone_builds::Cache;
use hone_report::counted;
use hone_uci::rules::tablebase;

/// The options of a worker.
#[derive(Debug)]
pub struct WorkerOptions {
    pub access: Access,
    name: Option<Name>,
    pub(crate) abilities: Abilities,
    pub processor: String,
    pub syzygy: Option<PathBuf>,
    pub sandbox: bool,
    /// Whether the memory of engines is limited.
    pub(crate) limits_memory: bool,
    /// The folder of files and locks.
    pub cache: PathBuf,
}

/// The options on the command line.
#[derive(Debug)]
pub struct RequestedOptions {
    pub name: Option<Name>,
    pub cores: Option<NonZeroUsize>,
    pub memory_mb: Option<u64>,
    pub syzygy: Option<PathBuf>,
    pub sandbox: bool,
    pub build: BuildWhen,
}

impl WorkerOptions {
    /// Completes the options by those of the machine.
    ///
    /// # Errors
    /// If a requested option is not possible on this machine.
    pub fn new(access: Access, requested: RequestedOptions) -> anyhow::Result<Self> {
        let access = access.for_role(Role::Worker)?;
        if requested.sandbox {
            sandbox::check()?;
        }
        let tables = requested
            .syzygy
            .as_ref()
            .map(|path| tablebase::most_pieces(path).with_context(|| "`--syzygy`".to_string()));
        let threads = requested
            .cores
            .map_or_else(physical_cores, NonZeroUsize::get);
        ensure!(threads <= 4096, "`--cores`: at most 4096 are allowed");
        let all_memory = MachineMemory::now().map(|memory| memory.total >> 20);
        Ok(Self {
            access,
            name: requested.name,
            abilities: Abilities {
                resources: Resources {
                    threads,
                    // If the size is unknown, every game fits.
                    memory_mb: requested.memory_mb.or(all_memory).unwrap_or(u64::MAX / 2),
                },
                platform: platform(),
                build: requested.build,
                tables: tables.transpose()?,
            },
            processor: processor_name().unwrap_or_default(),
            syzygy: requested.syzygy,
            sandbox: requested.sandbox,
            limits_memory: requested.memory_mb.is_some() && CAN_LIMIT_MEMORY,
            cache: Cache::of_user()?.path().to_path_buf(),
        })
    }

    /// A warning if engines may use more threads than there are `usable` processors.
    pub(crate) fn overload(&self, usable: Option<usize>) -> Option<String> {
        let (threads, usable) = (self.abilities.resources.threads, usable?);
        (threads > usable).then(|| {
            format!(
                "warning: engines may use {threads} threads, but {} can be used: expect time forfeits and noise\nhelp: lower `--cores`",
                counted(usable as u64, "processor")
            )
        })
    }

    /// A worker of one thread, for tests.
    #[cfg(test)]
    pub(super) fn sample(cache: &std::path::Path) -> Self {
        Self {
            access: Access {
                url: String::new(),
                name: crate::samples::name("all"),
                role: Role::Worker,
                seed: None,
                creds: None,
                fingerprint: None,
            },
            name: None,
            abilities: Abilities {
                resources: Resources {
                    threads: 1,
                    memory_mb: 1000,
                },
                platform: platform(),
                build: BuildWhen::Never,
                tables: None,
            },
            processor: String::new(),
            syzygy: None,
            sandbox: false,
            limits_memory: false,
            cache: cache.to_path_buf(),
        }
    }

    /// The machine's name on the fleet, and the lock that keeps other workers with the same
    /// cache from using it.
    ///
    /// # Errors
    /// If another worker has the name, or the machine has none.
    pub fn machine(&self) -> anyhow::Result<(Name, File)> {
        let dir = self.cache.join("fleet").join("workers");
        fs::create_dir_all(&dir).with_context(|| dir.display().to_string())?;
        let lock = |name: &Name| -> anyhow::Result<Option<File>> {
            let path = dir.join(format!("{}.{name}.lock", self.access.name));
            lock_path(&path).with_context(|| format!("cannot lock {}", path.display()))
        };
        if let Some(name) = &self.name {
            let held = lock(name)?
                .with_context(|| format!("another worker on this machine has the name `{name}`"));
            let held = held.help("give each its own --name")?;
            return Ok((name.clone(), held));
        }
        let host = host_name();
        let host = host.as_deref().and_then(Name::nearest);
        let host = host
            .context("this machine has no name")
            .help("give one with --name")?;
        for number in 1..1000 {
            let name = match number {
                1 => host.clone(),
                _ => {
                    let text: String = host.as_str().chars().take(28).collect();
                    Name::new(&format!("{text}-{number}"))?
                }
            };
            if let Some(held) = lock(&name)? {
                return Ok((name, held));
            }
        }
        anyhow::bail!("too many workers on this machine")
    }
}

/// Operating system and processor of this machine, as in `linux-x86_64`.
pub fn platform() -> String {
    format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_threads_than_processors_are_warned_of() {
        let mut options = WorkerOptions::sample(std::path::Path::new(""));
        options.abilities.resources.threads = 64;
        assert_eq!(options.overload(None), None);
        assert_eq!(options.overload(Some(64)), None);
        let warning = options.overload(Some(2)).unwrap_or_default();
        let expected = "64 threads, but 2 processors";
        assert!(warning.contains(expected), "{warning}");
    }
}
