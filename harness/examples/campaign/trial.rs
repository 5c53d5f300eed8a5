//! One trial: a run that is disturbed several times, then finished without disturbance.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::checks::{self, FinishedPairs};
use super::disturbance::{Disturbance, Signal, Target, Timing};
use super::processes::{self, send};
use super::records;
use super::scene::{Kind, Programs, Scene};
use super::torn;

/// Longer than any of these runs takes on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(900);
/// Maximum number of disturbed starts in a trial.
const STARTS: u32 = 8;
const REFUSED: i32 = 2;
const STOPPED: i32 = 4;
const INTERRUPTED: i32 = 130;

/// An undisturbed run.
pub(crate) struct Baseline {
    pub(crate) kind: Kind,
    pub(crate) dir: PathBuf,
    exit: Option<i32>,
    result: checks::Result,
    rows: u64,
    time: Duration,
}

impl Baseline {
    pub(crate) fn play(programs: &Programs, kind: Kind, folder: &Path) -> anyhow::Result<Self> {
        let mark = format!("{}-undisturbed-{}", std::process::id(), kind.name());
        let dir = folder.join(&mark);
        fs::create_dir_all(&dir)?;
        let scene = Scene::prepare(programs, kind, &dir, &mark)?;
        let started = Instant::now();
        let output = scene.next()?.output()?;
        let time = started.elapsed();
        let exit = output.status.code();
        let rows = records::count(&scene.runs());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        anyhow::ensure!(matches!(exit, Some(0..=3)) && rows > 0, "{exit:?}: {text}");
        Ok(Self {
            kind,
            dir,
            exit,
            result: checks::Result::of(&scene, exit)?,
            rows,
            time,
        })
    }
}

/// The result of a trial.
pub(crate) struct Outcome {
    /// Disturbances that had an effect.
    pub(crate) hits: u64,
    pub(crate) result: anyhow::Result<()>,
    /// The folder of the run, which is kept if the trial failed.
    pub(crate) folder: PathBuf,
}

pub(crate) struct Trial<'a> {
    programs: &'a Programs,
    baseline: &'a Baseline,
    disturbance: Disturbance,
    random: ChaCha8Rng,
    dir: PathBuf,
    mark: String,
    hits: u64,
}

impl<'a> Trial<'a> {
    pub(crate) fn new(
        programs: &'a Programs,
        baseline: &'a Baseline,
        (name, disturbance): (&str, Disturbance),
        seed: u64,
        folder: &Path,
    ) -> Self {
        let label = format!("{}-{name}-{seed}", baseline.kind.name());
        // Each cell of the table has its own sequence.
        let stream = label.bytes().fold(0_u64, |hash, byte| {
            hash.wrapping_mul(0x100_0000_01b3) ^ u64::from(byte)
        });
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        let mark = format!("{}-{label}", std::process::id());
        Self {
            programs,
            baseline,
            disturbance,
            random,
            dir: folder.join(&mark),
            mark,
            hits: 0,
        }
    }

    pub(crate) fn run(mut self) -> Outcome {
        let result = self.attempt();
        processes::end_all(&self.mark);
        let cleared = match &result {
            Ok(()) => fs::remove_dir_all(&self.dir).context("the trial's folder"),
            Err(_) => Ok(()),
        };
        Outcome {
            hits: self.hits,
            result: result.and(cleared),
            folder: self.dir,
        }
    }

    fn attempt(&mut self) -> anyhow::Result<()> {
        let work = self.dir.join("work");
        fs::create_dir_all(&work)?;
        let scene = Scene::prepare(self.programs, self.baseline.kind, &work, &self.mark)?;
        for stage in 1..=self.random.random_range(1..=STARTS) {
            let before = FinishedPairs::of(&scene)?;
            let exit = self
                .stage(&scene, stage)
                .with_context(|| format!("start {stage}"))?;
            before.must_be_in(&FinishedPairs::of(&scene)?)?;
            if self.disturbance == Disturbance::Torn {
                self.tear(&scene, stage)
                    .with_context(|| format!("after start {stage}"))?;
            }
            // A run that has ended is started again in 30 % of cases.
            if exit == self.baseline.exit && self.random.random_bool(0.7) {
                break;
            }
        }
        let before = FinishedPairs::of(&scene)?;
        let mut child = self.start(&scene, "last")?;
        let exit = self.wait(&mut child)?;
        before.must_be_in(&FinishedPairs::of(&scene)?)?;
        processes::none_left(scene.mark())?;
        anyhow::ensure!(
            exit == self.baseline.exit,
            "the last start ended with {exit:?}: {}",
            self.last_lines("last")
        );
        for run in scene.runs() {
            checks::pgn_equals_rows(&run)?;
        }
        let result = checks::Result::of(&scene, exit)?;
        result.must_equal(&self.baseline.result)
    }

    /// Starts `hone`, disturbs it, and waits for its end.
    fn stage(&mut self, scene: &Scene, stage: u32) -> anyhow::Result<Option<i32>> {
        let name = format!("start-{stage}");
        let mut child = self.start(scene, &name)?;
        let signals = self.disturbance.signals(&mut self.random);
        let mut stopped = Vec::new();
        for &(target, signal) in &signals {
            self.wait_for_random_time(scene, &mut child)?;
            let is_last = (target, signal) == (Target::Hone, Signal::Kill);
            stopped.extend(self.send_signal(scene, &mut child, target, signal)?);
            if !matches!(self.disturbance, Disturbance::KillWhileStopped(_)) || is_last {
                self.continue_stopped(&mut stopped);
            }
        }
        let exit = self.wait(&mut child)?;
        if self.random.random_bool(0.75) {
            processes::none_left(scene.mark())?;
        }
        anyhow::ensure!(
            self.may_end_with(exit, &signals),
            "it ended with {exit:?} after {signals:?}: {}",
            self.last_lines(&name)
        );
        Ok(exit)
    }

    /// Cuts the newest run's files, and continues it.
    fn tear(&mut self, scene: &Scene, stage: u32) -> anyhow::Result<()> {
        processes::none_left(scene.mark())?;
        let nights = checks::nights(scene)?;
        let is_open = |run: &PathBuf| !nights.iter().any(|night| run.ends_with(&night.run));
        let Some(run) = scene.runs().into_iter().rfind(is_open) else {
            return Ok(());
        };
        let Some(torn) = torn::tear(&run, &mut self.random)? else {
            return Ok(());
        };
        self.hits += 1;
        let before = FinishedPairs::of(scene)?;
        let name = format!("torn-{stage}");
        let mut child = self.start(scene, &name)?;
        let exit = self.wait(&mut child)?;
        if exit == Some(REFUSED) && torn.is_untouched()? {
            // A refusal is allowed: a power failure may lose more bytes than a kill.
            return torn.restore();
        }
        anyhow::ensure!(
            exit == self.baseline.exit,
            "{}: it ended with {exit:?}: {}",
            torn.what,
            self.last_lines(&name)
        );
        let after = FinishedPairs::of(scene)?;
        let kept = before.without(&run, torn.pair);
        kept.must_be_in(&after).context(torn.what)
    }

    fn start(&self, scene: &Scene, name: &str) -> anyhow::Result<Child> {
        let stderr = File::create(self.dir.join(format!("{name}.txt")))?;
        let mut command = scene.next()?;
        command.stdout(Stdio::null()).stderr(stderr);
        command.spawn().context("hone does not start")
    }

    /// The last lines that a start has printed.
    fn last_lines(&self, name: &str) -> String {
        let text = fs::read(self.dir.join(format!("{name}.txt"))).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(6)..].join("\n")
    }

    /// Waits for a random time, or until `hone` has ended.
    fn wait_for_random_time(&mut self, scene: &Scene, child: &mut Child) -> anyhow::Result<()> {
        let timing = Timing::draw(
            &mut self.random,
            records::count(&scene.runs()),
            self.baseline.rows,
        );
        let started = Instant::now();
        match timing {
            Timing::Share(share) => {
                let until = started + self.baseline.time.mul_f64(share);
                while Instant::now() < until && child.try_wait()?.is_none() {
                    thread::sleep(Duration::from_millis(1));
                }
            }
            Timing::Rows(rows, delay) => {
                while records::count(&scene.runs()) < rows
                    && child.try_wait()?.is_none()
                    && started.elapsed() < TIMEOUT
                {
                    thread::sleep(Duration::from_millis(1));
                }
                thread::sleep(delay);
            }
        }
        Ok(())
    }

    /// Waits for the target and sends it a signal. Returns the process id if it is stopped.
    fn send_signal(
        &mut self,
        scene: &Scene,
        child: &mut Child,
        target: Target,
        signal: Signal,
    ) -> anyhow::Result<Option<i32>> {
        let hone = i32::try_from(child.id())?;
        // The process id remains that of the child until it is waited for.
        while child.try_wait()?.is_none() {
            let pid = match target {
                Target::Hone => Some(hone),
                Target::Guard => {
                    let all = processes::marked(scene.mark());
                    all.iter().find(|one| one.is_guard()).map(|one| one.pid)
                }
                Target::Engine => {
                    let mut all = processes::marked(scene.mark());
                    all.retain(|one| one.is_engine_of(hone));
                    let index = self.random.random_range(0..all.len().max(1));
                    all.get(index).map(|one| one.pid)
                }
            };
            match pid {
                Some(pid) if send(pid, signal.number()) => {
                    self.hits += 1;
                    return Ok((signal == Signal::Pause).then_some(pid));
                }
                // `hone` continues without a guard. Engines end and are started again.
                _ if target == Target::Guard => return Ok(None),
                _ => thread::sleep(Duration::from_millis(1)),
            }
        }
        Ok(None)
    }

    /// Continues the stopped processes after 1 to 300 ms.
    fn continue_stopped(&mut self, stopped: &mut Vec<i32>) {
        if stopped.is_empty() {
            return;
        }
        thread::sleep(Duration::from_millis(self.random.random_range(1..300)));
        for pid in stopped.drain(..) {
            send(pid, libc::SIGCONT);
        }
    }

    fn wait(&self, child: &mut Child) -> anyhow::Result<Option<i32>> {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status.code());
            }
            if Instant::now() >= deadline {
                child.kill()?;
                child.wait()?;
                anyhow::bail!("it did not end within {} s", TIMEOUT.as_secs());
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Whether a start may end with this exit code after these signals.
    fn may_end_with(&self, exit: Option<i32>, signals: &[(Target, Signal)]) -> bool {
        let hit = |target| signals.iter().any(|(one, _)| *one == target);
        let ends_hone = |(target, signal): &(Target, Signal)| {
            *target == Target::Hone && matches!(signal, Signal::Kill | Signal::Term | Signal::Int)
        };
        let may_stop = hit(Target::Engine);
        match exit {
            // Only a signal to `hone` itself has these exit codes.
            None | Some(INTERRUPTED) => signals.iter().any(ends_hone),
            Some(REFUSED | STOPPED) if may_stop => true,
            exit => exit == self.baseline.exit,
        }
    }
}
