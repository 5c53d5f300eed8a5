//! One trial: a run that is disturbed several times, then left in peace.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::checks::{self, Holdings};
use super::disk::Disk;
use super::disturbance::{Blow, Disturbance, Moment, Target};
use super::processes::{self, send};
use super::records;
use super::scene::{Kind, Programs, Scene};
use super::torn;

/// Longer than any of these runs takes, on a machine that is very busy.
const PATIENCE: Duration = Duration::from_secs(900);
/// Disturbed starts of a trial, at most.
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

/// What came of a trial.
pub(crate) struct Outcome {
    /// Disturbances that hit something.
    pub(crate) strikes: u64,
    pub(crate) result: anyhow::Result<()>,
    /// Where its run is, if it failed.
    pub(crate) folder: PathBuf,
}

pub(crate) struct Trial<'a> {
    programs: &'a Programs,
    baseline: &'a Baseline,
    disturbance: Disturbance,
    random: ChaCha8Rng,
    dir: PathBuf,
    mark: String,
    strikes: u64,
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
            strikes: 0,
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
            strikes: self.strikes,
            result: result.and(cleared),
            folder: self.dir,
        }
    }

    fn attempt(&mut self) -> anyhow::Result<()> {
        let work = self.dir.join("work");
        fs::create_dir_all(&work)?;
        if !self.disturbance.needs_disk() {
            return self.disturb_and_check(&work, None);
        }
        let disk = Disk::mount(&work)?;
        let result = self.disturb_and_check(&work, Some(&disk));
        if result.is_err() {
            // What is on the disk vanishes with it.
            let _ = disk.make_room();
            let kept = self.dir.join("kept");
            let _ = std::process::Command::new("cp")
                .arg("-r")
                .args([&work, &kept])
                .status();
        }
        result
    }

    fn disturb_and_check(&mut self, work: &Path, disk: Option<&Disk>) -> anyhow::Result<()> {
        let scene = Scene::prepare(self.programs, self.baseline.kind, work, &self.mark)?;
        for stage in 1..=self.random.random_range(1..=STARTS) {
            let before = Holdings::of(&scene)?;
            let exit = self
                .stage(&scene, stage, disk)
                .with_context(|| format!("start {stage}"))?;
            before.are_kept_in(&Holdings::of(&scene)?)?;
            self.between(&scene, stage, disk)
                .with_context(|| format!("after start {stage}"))?;
            // A run that has ended is seldom started again.
            if exit == self.baseline.exit && self.random.random_bool(0.7) {
                break;
            }
        }
        let before = Holdings::of(&scene)?;
        let mut child = self.start(&scene, "last")?;
        let exit = self.wait(&mut child)?;
        before.are_kept_in(&Holdings::of(&scene)?)?;
        processes::none_left(scene.mark())?;
        anyhow::ensure!(
            exit == self.baseline.exit,
            "the last start ended with {exit:?}: {}",
            self.said("last")
        );
        for run in scene.runs() {
            checks::pgn_equals_rows(&run)?;
        }
        let result = checks::Result::of(&scene, exit)?;
        result.must_equal(&self.baseline.result)
    }

    /// Starts `hone`, disturbs it, and waits for its end.
    fn stage(
        &mut self,
        scene: &Scene,
        stage: u32,
        disk: Option<&Disk>,
    ) -> anyhow::Result<Option<i32>> {
        let name = format!("start-{stage}");
        let mut child = self.start(scene, &name)?;
        if let (Disturbance::FullDisk, Some(disk)) = (self.disturbance, disk) {
            self.await_moment(scene, &mut child)?;
            disk.fill(self.random.random_range(0..16_384))?;
            self.strikes += 1;
        }
        let strikes = self.disturbance.strikes(&mut self.random);
        let mut stopped = Vec::new();
        for &(target, blow) in &strikes {
            self.await_moment(scene, &mut child)?;
            let is_last = (target, blow) == (Target::Hone, Blow::Kill);
            stopped.extend(self.strike(scene, &mut child, target, blow)?);
            if !matches!(self.disturbance, Disturbance::KillWhileStopped(_)) || is_last {
                self.wake(&mut stopped);
            }
        }
        let exit = self.wait(&mut child)?;
        if let Some(disk) = disk {
            disk.make_room()?;
        }
        if self.random.random_bool(0.75) {
            processes::none_left(scene.mark())?;
        }
        anyhow::ensure!(
            self.may_end_with(exit, &strikes),
            "it ended with {exit:?} after {strikes:?}: {}",
            self.said(&name)
        );
        Ok(exit)
    }

    /// What happens to the run's files while no `hone` runs.
    fn between(&mut self, scene: &Scene, stage: u32, disk: Option<&Disk>) -> anyhow::Result<()> {
        match (self.disturbance, disk) {
            (Disturbance::ReadOnly, Some(disk)) => {
                processes::none_left(scene.mark())?;
                disk.set_read_only(true)?;
                self.strikes += 1;
                let name = format!("read-only-{stage}");
                // A start without a manifest removes the folder first.
                let exit = match scene.out().join("run.toml").exists() || scene.is_tracked() {
                    true => {
                        let mut child = self.start(scene, &name)?;
                        self.wait(&mut child)?
                    }
                    false => Some(REFUSED),
                };
                processes::none_left(scene.mark())?;
                disk.set_read_only(false)?;
                anyhow::ensure!(
                    matches!(exit, Some(REFUSED | STOPPED)) || exit == self.baseline.exit,
                    "read-only, it ended with {exit:?}: {}",
                    self.said(&name)
                );
                Ok(())
            }
            (Disturbance::Torn, _) => self.tear(scene, stage),
            _ => Ok(()),
        }
    }

    /// Cuts the newest run's files, and continues it.
    fn tear(&mut self, scene: &Scene, stage: u32) -> anyhow::Result<()> {
        processes::none_left(scene.mark())?;
        let recorded = checks::recorded_nights(scene)?;
        let open = |run: &PathBuf| !recorded.iter().any(|night| run.ends_with(night));
        let Some(run) = scene.runs().into_iter().rfind(open) else {
            return Ok(());
        };
        let Some(torn) = torn::tear(&run, &mut self.random)? else {
            return Ok(());
        };
        self.strikes += 1;
        let before = Holdings::of(scene)?;
        let name = format!("torn-{stage}");
        let mut child = self.start(scene, &name)?;
        let exit = self.wait(&mut child)?;
        if exit == Some(REFUSED) && torn.is_untouched()? {
            // Refused and named: a power cut may do what a kill cannot.
            return torn.restore();
        }
        anyhow::ensure!(
            exit == self.baseline.exit,
            "{}: it ended with {exit:?}: {}",
            torn.what,
            self.said(&name)
        );
        let after = Holdings::of(scene)?;
        let kept = before.without(&run, torn.pair);
        kept.are_kept_in(&after).context(torn.what)
    }

    fn start(&self, scene: &Scene, name: &str) -> anyhow::Result<Child> {
        let stderr = File::create(self.dir.join(format!("{name}.txt")))?;
        let mut command = scene.next()?;
        command.stdout(Stdio::null()).stderr(stderr);
        command.spawn().context("hone does not start")
    }

    /// The end of what a start has printed.
    fn said(&self, name: &str) -> String {
        let text = fs::read(self.dir.join(format!("{name}.txt"))).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(6)..].join("\n")
    }

    /// Waits for a random moment, or until `hone` has ended.
    fn await_moment(&mut self, scene: &Scene, child: &mut Child) -> anyhow::Result<()> {
        let moment = Moment::draw(
            &mut self.random,
            records::count(&scene.runs()),
            self.baseline.rows,
        );
        let started = Instant::now();
        let rows = match moment {
            Moment::Share(share) => {
                let until = started + self.baseline.time.mul_f64(share);
                while Instant::now() < until && child.try_wait()?.is_none() {
                    thread::sleep(Duration::from_millis(1));
                }
                return Ok(());
            }
            Moment::Rows(rows, _) => rows,
        };
        while records::count(&scene.runs()) < rows
            && child.try_wait()?.is_none()
            && started.elapsed() < PATIENCE
        {
            thread::sleep(Duration::from_millis(1));
        }
        if let Moment::Rows(_, later) = moment {
            thread::sleep(later);
        }
        Ok(())
    }

    /// Strikes once the target is there. Returns the process that it stopped.
    fn strike(
        &mut self,
        scene: &Scene,
        child: &mut Child,
        target: Target,
        blow: Blow,
    ) -> anyhow::Result<Option<i32>> {
        let hone = i32::try_from(child.id())?;
        // Not reaped before this: the process id is still its own.
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
                Some(pid) if send(pid, blow.signal()) => {
                    self.strikes += 1;
                    return Ok((blow == Blow::Pause).then_some(pid));
                }
                // Without a guard it plays on; engines come and go.
                _ if target == Target::Guard => return Ok(None),
                _ => thread::sleep(Duration::from_millis(1)),
            }
        }
        Ok(None)
    }

    /// Continues what was stopped, after a while.
    fn wake(&mut self, stopped: &mut Vec<i32>) {
        if stopped.is_empty() {
            return;
        }
        thread::sleep(Duration::from_millis(self.random.random_range(1..300)));
        for pid in stopped.drain(..) {
            send(pid, libc::SIGCONT);
        }
    }

    fn wait(&self, child: &mut Child) -> anyhow::Result<Option<i32>> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status.code());
            }
            if Instant::now() >= deadline {
                child.kill()?;
                child.wait()?;
                anyhow::bail!("it did not end within {} s", PATIENCE.as_secs());
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Whether a start may end so, after these blows.
    fn may_end_with(&self, exit: Option<i32>, strikes: &[(Target, Blow)]) -> bool {
        let hit = |target| strikes.iter().any(|(one, _)| *one == target);
        let asked = |(target, blow): &(Target, Blow)| {
            *target == Target::Hone && matches!(blow, Blow::Kill | Blow::Term | Blow::Int)
        };
        let may_stop = hit(Target::Engine) || self.disturbance == Disturbance::FullDisk;
        match exit {
            // By a signal; only `hone` itself is sent one that ends it.
            None | Some(INTERRUPTED) => strikes.iter().any(asked),
            Some(REFUSED | STOPPED) if may_stop => true,
            exit => exit == self.baseline.exit,
        }
    }
}
