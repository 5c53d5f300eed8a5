//! The fault campaign of the fleet: a server, three workers and a run, each
//! killed or frozen at random moments. The run must come to the games of an
//! undisturbed run on one machine. `docs/fleet.md` says how it is run.
//!
//!     cargo build -p harness --bin hone --example scripted_engine --example fleet_faults
//!     target/debug/examples/fleet_faults --moments 200

#[cfg(unix)]
mod scene;

#[cfg(not(unix))]
fn main() {
    eprintln!("error: cannot run the campaign: it needs Unix signals");
    std::process::exit(2);
}

#[cfg(unix)]
fn main() -> anyhow::Result<()> {
    unix::main()
}

#[cfg(unix)]
mod unix {
    use std::path::PathBuf;
    use std::thread;
    use std::time::{Duration, Instant};

    use anyhow::{Context, ensure};
    use clap::Parser;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::scene::Scene;

    /// Kill and freeze workers, runner and server of a fleet at random moments,
    /// and check that no pair is lost or doubled.
    ///
    /// Needs nats-server (`PATH` or `HONE_NATS_SERVER`).
    #[derive(Debug, Parser)]
    #[command(after_help = "Examples:\n  \
        A short campaign:\n    fleet_faults --moments 10\n  \
        A long one:\n    fleet_faults --moments 200 --seed 1")]
    struct Options {
        /// Random moments at which something is disturbed.
        #[arg(long, default_value_t = 20)]
        moments: u32,
        /// Chooses what and when.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Pairs of each run.
        #[arg(long, default_value_t = 500)]
        pairs: usize,
        /// How long something is frozen, in seconds: longer than a worker may
        /// be silent.
        #[arg(long, default_value_t = 60)]
        freeze: u64,
        /// `hone` and `scripted_engine` [default: those beside this program].
        #[arg(long)]
        programs: Option<PathBuf>,
    }

    const FAULTS: [(&str, u32); 6] = [
        ("kill a worker", 30),
        ("kill the runner", 25),
        ("kill the server", 25),
        ("replace a worker in order", 10),
        ("freeze a worker", 5),
        ("freeze the server", 5),
    ];

    pub(super) fn main() -> anyhow::Result<()> {
        let options = Options::parse();
        let programs = match &options.programs {
            Some(dir) => dir.clone(),
            None => {
                let own = std::env::current_exe()?;
                let examples = own.parent().context("a program is in a folder")?;
                examples.parent().context("beside `hone`")?.to_path_buf()
            }
        };
        let mut random = ChaCha8Rng::seed_from_u64(options.seed);
        let mut counts = [0u32; FAULTS.len()];
        let mut waits = Vec::new();
        let mut runs = 0;
        while counts.iter().sum::<u32>() < options.moments {
            runs += 1;
            let mut scene = Scene::new(&programs, options.pairs)?;
            let expected = scene.undisturbed()?;
            scene.start()?;
            while !scene.has_ended()? && counts.iter().sum::<u32>() < options.moments {
                thread::sleep(Duration::from_millis(random.random_range(0..4000)));
                let fault = choose(&mut random);
                counts[fault] += 1;
                let victim = random.random_range(0..3);
                println!("{:>7.1} s: {}", scene.seconds(), FAULTS[fault].0);
                match fault {
                    0 => waits.extend(scene.kill_worker(victim)?),
                    1 => scene.kill_runner()?,
                    2 => scene.kill_server()?,
                    3 => scene.replace_worker(victim)?,
                    4 => scene.freeze_worker(victim, Duration::from_secs(options.freeze))?,
                    _ => scene.freeze_server(Duration::from_secs(options.freeze))?,
                }
            }
            let begun = Instant::now();
            scene.finish()?;
            println!(
                "run {runs}: finished {:.1} s after its last fault",
                begun.elapsed().as_secs_f64()
            );
            let found = scene.digest("disturbed")?;
            ensure!(
                found == expected,
                "run {runs}: the digest is {found}, and {expected} on one machine; see {}",
                scene.keep().display()
            );
        }
        println!(
            "\n{runs} runs of {} pairs, each with the games of one machine",
            options.pairs
        );
        for ((name, _), count) in FAULTS.iter().zip(counts) {
            println!("  {name:<28} {count:>4}");
        }
        waits.sort_by(f64::total_cmp);
        if let (Some(median), Some(most)) = (waits.get(waits.len() / 2), waits.last()) {
            println!(
                "  a killed worker's pairs came from others after {median:.1} s (median), {most:.1} s (most)"
            );
        }
        Ok(())
    }

    fn choose(random: &mut ChaCha8Rng) -> usize {
        let all: u32 = FAULTS.iter().map(|(_, weight)| weight).sum();
        let mut at = random.random_range(0..all);
        for (index, (_, weight)) in FAULTS.iter().enumerate() {
            match at.checked_sub(*weight) {
                Some(rest) => at = rest,
                None => return index,
            }
        }
        0
    }
}
