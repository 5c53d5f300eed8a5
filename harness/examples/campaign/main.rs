//! The kill campaign: every kind of run is disturbed at random times, and must have the
//! games of an undisturbed run. `docs/reliability.md` has the table.
//!
//!     cargo build --workspace --bins --examples
//!     target/debug/examples/campaign --trials 20

#[cfg(target_os = "linux")]
mod checks;
#[cfg(target_os = "linux")]
mod disk;
#[cfg(target_os = "linux")]
mod disturbance;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod records;
#[cfg(target_os = "linux")]
mod scene;
#[cfg(target_os = "linux")]
mod table;
#[cfg(target_os = "linux")]
mod torn;
#[cfg(target_os = "linux")]
mod trial;

#[cfg(target_os = "linux")]
fn main() -> anyhow::Result<std::process::ExitCode> {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("error: cannot run the campaign: it needs Linux (/proc and tmpfs)");
    std::process::exit(2);
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::path::PathBuf;
    use std::process::ExitCode;
    use std::time::{Duration, Instant};

    use anyhow::Context;
    use clap::Parser;

    use super::disk;
    use super::disturbance::{DISTURBANCES, Disturbance};
    use super::scene::{Kind, Programs};
    use super::table::Table;
    use super::trial::{Baseline, Trial};

    /// Send signals to `hone`, its engines and its guard at random times, fill or tear its
    /// files, and check that no game is lost or doubled.
    ///
    /// Trial N of a cell depends on the seed, the cell and N only. A failed
    /// trial keeps its folder and is repeated with the seed that is printed.
    #[derive(Debug, Parser)]
    #[command(after_help = "Examples:\n  \
        A trial of everything:\n    campaign\n  \
        More than 2,000 disturbances:\n    campaign --trials 20\n  \
        One failed trial again:\n    campaign --seed 17 --kind tune --disturbance torn")]
    struct Arguments {
        /// Seed of the first trial of each cell; the next trial has the next one.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Trials of each kind of run with each disturbance.
        #[arg(long, default_value_t = 1)]
        trials: u64,
        /// Only these kinds of run.
        #[arg(long, value_name = "KIND", value_enum)]
        kind: Vec<Kind>,
        /// Only these disturbances, as the table names them.
        #[arg(long, value_name = "NAME")]
        disturbance: Vec<String>,
        /// Start no trial after this many minutes.
        #[arg(long)]
        minutes: Option<u64>,
        /// Where runs are kept while they are played, and failed ones after.
        #[arg(long, default_value = "target/campaign")]
        folder: PathBuf,
    }

    impl Arguments {
        fn kinds(&self) -> Vec<Kind> {
            if self.kind.is_empty() {
                Kind::ALL.to_vec()
            } else {
                self.kind.clone()
            }
        }

        fn disturbances(&self) -> anyhow::Result<Vec<(&'static str, Disturbance)>> {
            let names: Vec<&str> = DISTURBANCES.iter().map(|(name, _)| *name).collect();
            for name in &self.disturbance {
                anyhow::ensure!(
                    names.contains(&name.as_str()),
                    "`{name}` is not a disturbance; there are: {}",
                    names.join(", ")
                );
            }
            let is_selected = |name: &str| {
                self.disturbance.is_empty() || self.disturbance.iter().any(|one| one == name)
            };
            let all = DISTURBANCES.iter().copied();
            Ok(all.filter(|(name, _)| is_selected(name)).collect())
        }
    }

    pub(super) fn main() -> anyhow::Result<ExitCode> {
        let arguments = Arguments::parse();
        disk::enter_namespace();
        let kinds = arguments.kinds();
        let mut disturbances = arguments.disturbances()?;
        fs::create_dir_all(&arguments.folder)
            .with_context(|| format!("cannot make {}", arguments.folder.display()))?;
        let folder = fs::canonicalize(&arguments.folder)?;
        if !disk::can_mount(&folder) {
            disturbances.retain(|(name, disturbance)| {
                if disturbance.needs_disk() {
                    eprintln!("skipped: {name}: no file system can be mounted here");
                }
                !disturbance.needs_disk()
            });
        }
        let programs = Programs::beside_this_one()?;
        let started = Instant::now();
        let limit = arguments.minutes.map(|it| Duration::from_secs(60 * it));
        let is_over = || limit.is_some_and(|limit| started.elapsed() >= limit);

        let mut baselines = Vec::new();
        for kind in kinds {
            let baseline = Baseline::play(&programs, kind, &folder)
                .with_context(|| format!("the undisturbed {}", kind.name()))?;
            baselines.push(baseline);
        }
        let mut table = Table::default();
        for number in 0..arguments.trials {
            if is_over() {
                break;
            }
            let seed = arguments.seed + number;
            for baseline in &baselines {
                for &(name, disturbance) in &disturbances {
                    if is_over() {
                        break;
                    }
                    let trial = Trial::new(&programs, baseline, (name, disturbance), seed, &folder);
                    let outcome = trial.run();
                    if let Err(fault) = &outcome.result {
                        println!(
                            "failed: --kind {} --disturbance {name} --seed {seed}: {fault:#}\n  in {}",
                            baseline.kind.name(),
                            outcome.folder.display()
                        );
                    }
                    table.add(baseline.kind.name(), name, &outcome);
                }
            }
            eprintln!(
                "{} of {} trials of each: {} disturbances, {} failures, {} s",
                number + 1,
                arguments.trials,
                table.hits(),
                table.failures(),
                started.elapsed().as_secs()
            );
        }
        for baseline in &baselines {
            fs::remove_dir_all(&baseline.dir)?;
        }
        println!("{table}");
        Ok(match table.failures() {
            0 => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        })
    }
}
