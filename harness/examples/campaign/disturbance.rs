//! What is done to a run, and when.

use std::time::Duration;

use rand::{Rng, RngExt};

/// Who is hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Hone,
    Engine,
    Guard,
}

/// What hits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blow {
    Kill,
    Term,
    Int,
    /// SIGSTOP, and SIGCONT after a while.
    Pause,
}

impl Blow {
    pub(crate) fn signal(self) -> i32 {
        match self {
            Self::Kill => libc::SIGKILL,
            Self::Term => libc::SIGTERM,
            Self::Int => libc::SIGINT,
            Self::Pause => libc::SIGSTOP,
        }
    }
}

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Disturbance {
    /// One target, one kind of blow.
    Strikes(Target, Blow),
    /// `hone` is killed while a guard or an engine is stopped.
    KillWhileStopped(Target),
    /// `hone` is killed after its guard.
    KillAfterGuard,
    /// Any blows to any targets, then perhaps a kill.
    Mixed,
    /// The disk fills up, with or without a kill.
    FullDisk,
    /// After a kill the folder is read-only for a while.
    ReadOnly,
    /// After a kill the files lack some of their last bytes.
    Torn,
}

pub(crate) const DISTURBANCES: [(&str, Disturbance); 18] = {
    use Blow::{Int, Kill, Pause, Term};
    use Disturbance::{FullDisk, KillAfterGuard, KillWhileStopped, Mixed, ReadOnly, Strikes, Torn};
    use Target::{Engine, Guard, Hone};
    [
        ("hone-kill", Strikes(Hone, Kill)),
        ("hone-term", Strikes(Hone, Term)),
        ("hone-int", Strikes(Hone, Int)),
        ("hone-stop", Strikes(Hone, Pause)),
        ("engine-kill", Strikes(Engine, Kill)),
        ("engine-term", Strikes(Engine, Term)),
        ("engine-int", Strikes(Engine, Int)),
        ("engine-stop", Strikes(Engine, Pause)),
        ("guard-kill", Strikes(Guard, Kill)),
        ("guard-term", Strikes(Guard, Term)),
        ("guard-int", Strikes(Guard, Int)),
        ("guard-stop", Strikes(Guard, Pause)),
        ("guard-then-hone", KillAfterGuard),
        ("stopped-engine", KillWhileStopped(Engine)),
        ("mixed", Mixed),
        ("full-disk", FullDisk),
        ("read-only", ReadOnly),
        ("torn", Torn),
    ]
};

impl Disturbance {
    /// Whether it needs a file system of its own.
    pub(crate) fn needs_disk(self) -> bool {
        matches!(self, Self::FullDisk | Self::ReadOnly)
    }

    /// The blows of one start of `hone`, in their order.
    pub(crate) fn strikes(self, random: &mut impl Rng) -> Vec<(Target, Blow)> {
        use Blow::Kill;
        use Target::{Engine, Guard, Hone};
        match self {
            // A game is played again at most three times.
            Self::Strikes(Engine, blow) => vec![(Engine, blow); random.random_range(1..=3)],
            Self::Strikes(Hone, Blow::Pause) => {
                vec![(Hone, Blow::Pause); random.random_range(1..=3)]
            }
            Self::Strikes(target, blow) => vec![(target, blow)],
            Self::KillWhileStopped(target) => vec![(target, Blow::Pause), (Hone, Kill)],
            Self::KillAfterGuard => vec![(Guard, Kill), (Hone, Kill)],
            Self::Mixed => {
                let one = |random: &mut _| {
                    let target = pick(random, &[Hone, Engine, Guard]);
                    let blows = [Kill, Blow::Term, Blow::Int, Blow::Pause];
                    (target, pick(random, &blows))
                };
                let count = random.random_range(1..=3);
                let mut strikes: Vec<_> = (0..count).map(|_| one(random)).collect();
                if random.random_bool(0.5) {
                    strikes.push((Hone, Kill));
                }
                strikes
            }
            Self::FullDisk if random.random_bool(0.5) => Vec::new(),
            Self::FullDisk | Self::ReadOnly | Self::Torn => vec![(Hone, Kill)],
        }
    }
}

fn pick<T: Copy>(random: &mut impl Rng, from: &[T]) -> T {
    from[random.random_range(0..from.len())]
}

/// When a blow falls.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Moment {
    /// After a part of the time that an undisturbed run takes.
    Share(f64),
    /// When the run holds this many rows, and a little later.
    Rows(u64, Duration),
}

impl Moment {
    /// At the start, at play, at the end or in the report of a run that holds
    /// `present` of its `total` rows.
    pub(crate) fn draw(random: &mut impl Rng, present: u64, total: u64) -> Self {
        let later = Duration::from_micros(random.random_range(0..20_000));
        let soon = total.min(present + 12);
        match random.random_range(0..10) {
            0..3 => Self::Share(random.random_range(0.0..0.3)),
            3..4 => Self::Share(random.random_range(0.0..1.1)),
            4..7 => Self::Rows(random.random_range(present..=soon.max(present)), later),
            7..9 => Self::Rows(random.random_range(present..=total.max(present)), later),
            _ => Self::Rows(total, 5 * later),
        }
    }
}
