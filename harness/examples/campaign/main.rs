//! The kill campaign: every kind of run is disturbed at random times, and must have the
//! games of an undisturbed run. `docs/reliability.md` has the table.
//!
//!     cargo build --workspace --bins --examples
//!     target/debug/examples/campaign --trials 20

#[cfg(target_os = "linux")]
mod checks;
#[cfg(target_os = "linux")]
mod disturbance;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod records;
#[cfg(target_os = "linux")]
mod scene;
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
    eprintln!("error: cannot run the campaign: it needs Linux (/proc)");
    std::process::exit(2);
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::path::PathBuf;
    use std::process::ExitCode;
    use std::time::Instant;

    use anyhow::Context;
    use clap::Parser;

    use super::disturbance::{DISTURBANCES, Disturbance};
    use super::scene::{Kind, Programs};
    use super::trial::{Baseline, Trial};

    /// Send signals to `hone`, its engines and its guard at random times, tear its files, and check that no game is lost or doubled.
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
        /// Only these disturbances.
        #[arg(long, value_name = "NAME")]
        disturbance: Vec<String>,
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
        let kinds = arguments.kinds();
        let disturbances = arguments.disturbances()?;
        fs::create_dir_all(&arguments.folder)
            .with_context(|| format!("cannot make {}", arguments.folder.display()))?;
        let folder = fs::canonicalize(&arguments.folder)?;
        let programs = Programs::beside_this_one()?;
        let started = Instant::now();

        let mut baselines = Vec::new();
        for kind in kinds {
            let baseline = Baseline::play(&programs, kind, &folder)
                .with_context(|| format!("the undisturbed {}", kind.name()))?;
            baselines.push(baseline);
        }
        let (mut hits, mut failures) = (0, 0);
        for seed in (arguments.seed..).take(arguments.trials as usize) {
            for baseline in &baselines {
                let kind = baseline.kind.name();
                for &(name, disturbance) in &disturbances {
                    let trial = Trial::new(&programs, baseline, (name, disturbance), seed, &folder);
                    let outcome = trial.run();
                    hits += outcome.hits;
                    println!("{kind} {name} {seed}: {} disturbances hit", outcome.hits);
                    if let Err(fault) = &outcome.result {
                        failures += 1;
                        println!(
                            "failed: --kind {kind} --disturbance {name} --seed {seed}: {fault:#}\n  in {}",
                            outcome.folder.display()
                        );
                    }
                }
            }
        }
        for baseline in &baselines {
            fs::remove_dir_all(&baseline.dir)?;
        }
        println!(
            "{hits} disturbances, {failures} failures, {} s",
            started.elapsed().as_secs()
        );
        Ok(if failures == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}
