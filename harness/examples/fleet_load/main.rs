//! The load of a fleet: increasing numbers of simulated workers, with the real protocol, a
//! real nats-server and a real run. `docs/performance.md` has the numbers.
//!
//!     cargo build --release -p harness --bin hone --example scripted_engine --example fleet_load
//!     target/release/examples/fleet_load --workers 10,100,1000 --cores 4

#[cfg(target_os = "linux")]
#[path = "../fleet_server/mod.rs"]
mod fleet_server;
#[cfg(target_os = "linux")]
mod meter;
#[cfg(target_os = "linux")]
mod stage;
#[cfg(target_os = "linux")]
mod worker;

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("error: cannot measure the load: it needs Linux");
    std::process::exit(2);
}

#[cfg(target_os = "linux")]
fn main() -> anyhow::Result<()> {
    linux::main()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::path::PathBuf;
    use std::rc::Rc;
    use std::time::{Duration, Instant};

    use anyhow::ensure;
    use clap::Parser;
    use tokio::task::LocalSet;
    use tokio::time::sleep;

    use super::fleet_server::programs;
    use super::meter::{Meter, open_files};
    use super::stage::Stage;
    use super::worker::{Counts, Pace, work};

    /// Connections that are made at the same time.
    const AT_ONCE: usize = 32;
    /// Open files of a process besides its connections.
    const OTHER_FILES: u64 = 200;

    /// Measure a fleet with simulated workers, which take jobs and return games without
    /// playing.
    ///
    /// Needs nats-server (`PATH` or `HONE_NATS_SERVER`).
    #[derive(Debug, Parser)]
    #[command(after_help = "Examples:\n  \
        At full speed:\n    fleet_load --workers 10,100\n  \
        Ten thousand workers that need a minute for a pair:\n    fleet_load --workers 10000 --pair-seconds 60 --seconds 120")]
    struct Options {
        /// Numbers of workers, each measured on a fleet of its own.
        #[arg(long, value_delimiter = ',', default_value = "10,100,1000")]
        workers: Vec<usize>,
        /// Pairs that a worker plays at the same time.
        #[arg(long, default_value_t = 1)]
        cores: usize,
        /// Seconds that a worker takes for a pair.
        #[arg(long, default_value_t = 0.0)]
        pair_seconds: f64,
        /// Seconds of the measurement, after all workers have joined.
        #[arg(long, default_value_t = 20)]
        seconds: u64,
        /// `hone` and `scripted_engine` [default: those beside this program].
        #[arg(long)]
        programs: Option<PathBuf>,
    }

    pub(super) fn main() -> anyhow::Result<()> {
        let options = Options::parse();
        let programs = programs(options.programs.as_ref())?;
        let most = options.workers.iter().max().copied().unwrap_or(0) as u64;
        let limit = open_files()?;
        ensure!(
            most + OTHER_FILES <= limit,
            "{most} connections need as many open files, and the limit is {limit}\nhelp: raise it: `ulimit -n {}`",
            most + OTHER_FILES
        );
        println!(
            "| workers | pairs a second | run: processor | memory | nats-server: processor | memory | simulated workers: processor |\n\
             |---:|---:|---:|---:|---:|---:|---:|"
        );
        for workers in &options.workers {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            let measured =
                LocalSet::new().block_on(&runtime, measure(&options, &programs, *workers));
            println!("{}", measured?);
        }
        Ok(())
    }

    /// One row of the table.
    async fn measure(
        options: &Options,
        programs: &std::path::Path,
        workers: usize,
    ) -> anyhow::Result<String> {
        let mut stage = Stage::new(programs)?;
        let run = stage.run_name().await?;
        let pace = Pace {
            cores: options.cores.max(1),
            pair: Duration::from_secs_f64(options.pair_seconds.clamp(0.0, 86_400.0)),
        };
        let counts = Rc::new(Counts::default());
        let begun = Instant::now();
        for number in 0..workers {
            while counts.joining() >= AT_ONCE {
                sleep(Duration::from_millis(1)).await;
                stage.check()?;
            }
            counts.join();
            let access = stage.worker_access().clone();
            let (run, counts) = (run.clone(), Rc::clone(&counts));
            tokio::task::spawn_local(async move {
                if let Err(error) = work(&access, number, &run, pace, &counts).await {
                    eprintln!("worker {number}: {error:#}");
                }
            });
        }
        while counts.joined() < workers {
            sleep(Duration::from_millis(50)).await;
            stage.check()?;
        }
        eprintln!(
            "{workers} workers have joined after {:.1} s",
            begun.elapsed().as_secs_f64()
        );
        // Until the run knows all workers, and each has jobs.
        sleep(Duration::from_secs(6) + pace.pair).await;
        let mut meters = [stage.runner(), stage.server()?, std::process::id()].map(Meter::start);
        let (begun, before) = (Instant::now(), stage.recorded()?);
        sleep(Duration::from_secs(options.seconds)).await;
        stage.check()?;
        let pairs = stage.recorded()? - before;
        let seconds = begun.elapsed().as_secs_f64();
        let [run, server, own] = meters.each_mut().map(|meter| meter.read(seconds));
        Ok(format!(
            "| {workers} | {:.0} | {:.0} % | {} MB | {:.0} % | {} MB | {:.0} % |",
            pairs as f64 / seconds,
            run.percent,
            run.megabytes,
            server.percent,
            server.megabytes,
            own.percent
        ))
    }
}
