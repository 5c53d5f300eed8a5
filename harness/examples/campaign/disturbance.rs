//! Disturbances of a run, and their times.

use std::time::Duration;

use rand::{Rng, RngExt};

/// The process that gets a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Hone,
    Engine,
    Guard,
}

/// A signal to a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    Kill,
    Term,
    Int,
    /// SIGSTOP, and SIGCONT after a while.
    Pause,
}

impl Signal {
    pub(crate) fn number(self) -> i32 {
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
    /// One signal, sent one to three times to one target.
    Signals(Target, Signal),
    /// `hone` is killed while a guard or an engine is stopped.
    KillWhileStopped(Target),
    /// `hone` is killed after its guard.
    KillAfterGuard,
    /// One to three random signals to random targets, then perhaps a kill of `hone`.
    Mixed,
    /// After a kill the files lack some of their last bytes.
    Torn,
}

pub(crate) const DISTURBANCES: [(&str, Disturbance); 16] = {
    use Disturbance::{KillAfterGuard, KillWhileStopped, Mixed, Signals, Torn};
    use Signal::{Int, Kill, Pause, Term};
    use Target::{Engine, Guard, Hone};
    [
        ("hone-kill", Signals(Hone, Kill)),
        ("hone-term", Signals(Hone, Term)),
        ("hone-int", Signals(Hone, Int)),
        ("hone-stop", Signals(Hone, Pause)),
        ("engine-kill", Signals(Engine, Kill)),
        ("engine-term", Signals(Engine, Term)),
        ("engine-int", Signals(Engine, Int)),
        ("engine-stop", Signals(Engine, Pause)),
        ("guard-kill", Signals(Guard, Kill)),
        ("guard-term", Signals(Guard, Term)),
        ("guard-int", Signals(Guard, Int)),
        ("guard-stop", Signals(Guard, Pause)),
        ("guard-then-hone", KillAfterGuard),
        ("stopped-engine", KillWhileStopped(Engine)),
        ("mixed", Mixed),
        ("torn", Torn),
    ]
};

impl Disturbance {
    /// The signals to send during one start of `hone`, in order.
    pub(crate) fn signals(self, random: &mut impl Rng) -> Vec<(Target, Signal)> {
        use Signal::Kill;
        use Target::{Engine, Guard, Hone};
        match self {
            // A game is played again at most three times.
            Self::Signals(Engine, signal) => vec![(Engine, signal); random.random_range(1..=3)],
            Self::Signals(Hone, Signal::Pause) => {
                vec![(Hone, Signal::Pause); random.random_range(1..=3)]
            }
            Self::Signals(target, signal) => vec![(target, signal)],
            Self::KillWhileStopped(target) => vec![(target, Signal::Pause), (Hone, Kill)],
            Self::KillAfterGuard => vec![(Guard, Kill), (Hone, Kill)],
            Self::Mixed => {
                let one = |random: &mut _| {
                    let target = pick(random, &[Hone, Engine, Guard]);
                    let signals = [Kill, Signal::Term, Signal::Int, Signal::Pause];
                    (target, pick(random, &signals))
                };
                let count = random.random_range(1..=3);
                let mut signals: Vec<_> = (0..count).map(|_| one(random)).collect();
                if random.random_bool(0.5) {
                    signals.push((Hone, Kill));
                }
                signals
            }
            Self::Torn => vec![(Hone, Kill)],
        }
    }
}

fn pick<T: Copy>(random: &mut impl Rng, from: &[T]) -> T {
    from[random.random_range(0..from.len())]
}

/// The time of a signal.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Timing {
    /// After this share of the time of an undisturbed run.
    Share(f64),
    /// When the run has this number of rows, after a delay.
    Rows(u64, Duration),
}

impl Timing {
    /// At the start, during the games, at the end or during the report of a run that has
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
