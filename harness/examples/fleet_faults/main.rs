//! The fault campaign of the fleet: a server, three workers and a test, which are killed,
//! stopped or disconnected at random times. The test must have the games and the verdict of
//! an undisturbed test on one machine. `docs/reliability.md` has the results.
//!
//!     cargo build -p harness --bin hone --example scripted_engine --example fleet_faults
//!     target/debug/examples/fleet_faults --moments 200 --parallel 3

#[cfg(target_os = "linux")]
#[path = "../fleet_server/mod.rs"]
mod fleet_server;
#[cfg(target_os = "linux")]
mod relay;
#[cfg(target_os = "linux")]
mod scene;
#[cfg(target_os = "linux")]
mod tally;

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("error: cannot run the campaign: it needs Linux");
    std::process::exit(2);
}

#[cfg(target_os = "linux")]
fn main() -> anyhow::Result<()> {
    linux::main()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::path::{Path, PathBuf};
    use std::thread;
    use std::time::Duration;

    use anyhow::ensure;
    use clap::Parser;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::fleet_server::programs;
    use super::scene::{Scene, can_mount};
    use super::tally::{Fault, Tally};

    /// Kill, stop and disconnect workers, run and server of a fleet at random times, and
    /// check that no pair is lost or doubled.
    ///
    /// Needs nats-server (`PATH` or `HONE_NATS_SERVER`). The server's disk is
    /// only filled where `unshare` may mount a file system.
    #[derive(Debug, Parser)]
    #[command(after_help = "Examples:\n  \
        A short campaign:\n    fleet_faults --moments 10\n  \
        A long one:\n    fleet_faults --moments 200 --parallel 3")]
    struct Options {
        /// Number of faults, at random times.
        #[arg(long, default_value_t = 20)]
        moments: u32,
        /// Campaigns at the same time, each with a server of its own.
        #[arg(long, default_value_t = 1)]
        parallel: u32,
        /// Seed of the faults and their times.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Seconds for which a process is stopped or disconnected: longer than a worker may
        /// be silent.
        #[arg(long, default_value_t = 60)]
        freeze: u64,
        /// Seconds for which the server's disk is full.
        #[arg(long, default_value_t = 20)]
        full: u64,
        /// Only faults whose name contains this.
        #[arg(long, default_value = "")]
        only: String,
        /// `hone` and `scripted_engine` [default: those beside this program].
        #[arg(long)]
        programs: Option<PathBuf>,
    }

    pub(super) fn main() -> anyhow::Result<()> {
        let options = Options::parse();
        let programs = programs(options.programs.as_ref())?;
        let fills_disk = can_mount();
        if !fills_disk {
            println!("no file system can be mounted here: the server's disk is never full");
        }
        let possible: Vec<_> = Fault::ALL
            .into_iter()
            .filter(|(fault, _)| fills_disk || *fault != Fault::FillDisk)
            .filter(|(fault, _)| fault.name().contains(&options.only))
            .collect();
        ensure!(
            !possible.is_empty(),
            "`--only {}` names no fault",
            options.only
        );
        ensure!(
            options.seed < 1_000_000 && options.parallel < 1000,
            "`--seed` must be less than a million, `--parallel` less than a thousand"
        );
        let campaigns = u64::from(options.parallel.max(1));
        let share = options.moments.div_ceil(options.parallel.max(1));
        let campaign = |number: u64| {
            let seed = options.seed * 1000 + number;
            play(&options, &programs, &possible, fills_disk, seed, share)
        };
        let tallies: Vec<_> = thread::scope(|scope| {
            let started: Vec<_> = (0..campaigns)
                .map(|number| scope.spawn(move || campaign(number)))
                .collect();
            let joined = started.into_iter().map(thread::ScopedJoinHandle::join);
            joined.collect()
        });
        let mut all = Tally::default();
        for tally in tallies {
            all.take(tally.map_err(|_| anyhow::anyhow!("a campaign panicked"))??);
        }
        println!("\n{}", all.table());
        Ok(())
    }

    /// Plays one run after the other, each with a server and workers of its own.
    fn play(
        options: &Options,
        programs: &Path,
        possible: &[(Fault, u32)],
        fills_disk: bool,
        seed: u64,
        moments: u32,
    ) -> anyhow::Result<Tally> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut tally = Tally::default();
        while tally.faults() < moments {
            tally.runs += 1;
            let seed_of_run = seed * 1000 + u64::from(tally.runs);
            let mut scene = Scene::new(programs, seed_of_run, fills_disk)?;
            let expected = scene.undisturbed()?;
            scene.start()?;
            while !scene.has_ended()? && tally.faults() < moments {
                thread::sleep(Duration::from_millis(random.random_range(0..4000)));
                let fault = choose(&mut random, possible);
                let victim = random.random_range(0..3);
                let at = scene.seconds();
                disturb(&mut scene, fault, victim, options, &mut tally)?;
                let next_pair = scene.next_pair()?;
                let next = next_pair.map_or("the run ended".to_string(), |seconds| {
                    format!("next pair {seconds:.1} s later")
                });
                println!("{seed} {at:>7.1} s: {}; {next}", fault.name());
                tally.add(fault, next_pair);
            }
            scene.finish()?;
            scene.compare(&expected, &mut tally)?;
            println!(
                "{seed} run {}: the games and the verdict of one machine",
                tally.runs
            );
        }
        Ok(tally)
    }

    fn disturb(
        scene: &mut Scene,
        fault: Fault,
        victim: usize,
        options: &Options,
        tally: &mut Tally,
    ) -> anyhow::Result<()> {
        let freeze = Duration::from_secs(options.freeze);
        match fault {
            Fault::KillWorker => tally.reassigned.extend(scene.kill_worker(victim)?),
            Fault::KillRunner => scene.kill_runner()?,
            Fault::KillServer => scene.kill_server()?,
            Fault::ReplaceWorker => scene.replace_worker(victim)?,
            Fault::FreezeWorker => scene.freeze_worker(victim, freeze),
            Fault::FreezeServer => scene.freeze_server(freeze)?,
            Fault::CutWorker => scene.cut_worker(victim, freeze),
            Fault::CutRunner => scene.cut_runner(freeze),
            Fault::FillDisk => scene.fill_disk(Duration::from_secs(options.full))?,
        }
        Ok(())
    }

    fn choose(random: &mut ChaCha8Rng, possible: &[(Fault, u32)]) -> Fault {
        let all: u32 = possible.iter().map(|(_, weight)| weight).sum();
        let mut at = random.random_range(0..all);
        for (fault, weight) in possible {
            match at.checked_sub(*weight) {
                Some(rest) => at = rest,
                None => return *fault,
            }
        }
        unreachable!("the weights cover every number below their sum")
    }
}
