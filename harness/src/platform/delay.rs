//! How long threads were ready to run but were kept waiting for a processor:
//! `hone`'s own, which an engine's clock must not be charged with, and an
//! engine's, which tells whether the machine made it lose on time.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::time::{Duration, Instant};

thread_local! {
    static METER: RefCell<Option<Meter>> = const { RefCell::new(None) };
}

/// Measures how long its thread waited for a processor before it found an
/// answer. It belongs to the thread that made it, until it is dropped there;
/// without one, and where the system keeps no account, nothing is measured.
#[derive(Debug)]
pub(crate) struct DelayMeter {
    _here: PhantomData<*const ()>,
}

impl DelayMeter {
    /// Gives the calling thread a meter.
    pub(crate) fn new() -> Self {
        let account = Account::of_this_thread();
        let waits = Waits::new(Instant::now(), account.total().unwrap_or_default());
        METER.set(Some(Meter { account, waits }));
        Self { _here: PhantomData }
    }

    /// The wait for an answer begins `now`.
    pub(crate) fn begin(now: Instant) {
        Self::with(|meter| meter.waits.begin(now, || meter.account.total()));
    }

    /// The thread looks `now` for the answer.
    pub(crate) fn look(now: Instant) {
        Self::with(|meter| meter.waits.look(now, || meter.account.total()));
    }

    /// How long the thread waited between the last look that did not find the
    /// answer and now.
    pub(crate) fn waited() -> Duration {
        let mut waited = None;
        Self::with(|meter| waited = meter.account.total().map(|now| meter.waits.until(now)));
        waited.unwrap_or_default()
    }

    fn with(ask: impl FnOnce(&mut Meter)) {
        METER.with_borrow_mut(|meter| meter.as_mut().map(ask));
    }
}

impl Drop for DelayMeter {
    fn drop(&mut self) {
        METER.set(None);
    }
}

#[derive(Debug)]
struct Meter {
    account: Account,
    waits: Waits,
}

/// The account is read at most once in this time: the read takes about 0.5 µs, and
/// a quick move not much longer.
const PRECISION: Duration = Duration::from_millis(1);

/// Tells the waits that delayed an answer from those before.
#[derive(Debug)]
struct Waits {
    /// When the account was read last, and its total.
    read: Instant,
    total: Duration,
    /// The total at the last look but one, or at the beginning: the waits until
    /// then did not delay the answer.
    before: Duration,
}

impl Waits {
    fn new(now: Instant, total: Duration) -> Self {
        Self {
            read: now,
            total,
            before: total,
        }
    }

    fn begin(&mut self, now: Instant, account: impl FnOnce() -> Option<Duration>) {
        self.look(now, account);
        self.before = self.total;
    }

    /// A look right after another is a part of it: the runtime may learn only
    /// then of an answer that was already there.
    fn look(&mut self, now: Instant, account: impl FnOnce() -> Option<Duration>) {
        if now < self.read + PRECISION {
            return;
        }
        self.before = self.total;
        self.total = account().unwrap_or(self.total);
        self.read = now;
    }

    fn until(&self, total: Duration) -> Duration {
        total.saturating_sub(self.before)
    }
}

/// The kernel's account of a thread.
#[derive(Debug)]
struct Account {
    #[cfg(target_os = "linux")]
    file: Option<std::fs::File>,
}

impl Account {
    fn of_this_thread() -> Self {
        Self {
            #[cfg(target_os = "linux")]
            file: std::fs::File::open("/proc/thread-self/schedstat").ok(),
        }
    }

    /// The time that the thread has waited so far.
    #[cfg(target_os = "linux")]
    fn total(&self) -> Option<Duration> {
        use std::os::unix::fs::FileExt;
        let mut text = [0; 96];
        let count = self.file.as_ref()?.read_at(&mut text, 0).ok()?;
        // "on-cpu-ns waiting-ns timeslices"
        let text = std::str::from_utf8(&text[..count]).ok()?;
        let nanos = text.split_whitespace().nth(1)?.parse().ok()?;
        Some(Duration::from_nanos(nanos))
    }

    #[cfg(not(target_os = "linux"))]
    fn total(&self) -> Option<Duration> {
        None
    }
}

/// Whether [`waited_by`] knows anything on this system.
pub(crate) const CAN_SEE_STARVATION: bool = cfg!(target_os = "linux");

/// How long the threads of a process have waited so far, in sum; `None` where
/// the system does not tell.
#[cfg(target_os = "linux")]
pub(crate) fn waited_by(pid: u32) -> Option<Duration> {
    let mut nanos = 0;
    for thread in std::fs::read_dir(format!("/proc/{pid}/task")).ok()? {
        let account = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        let waited: u64 = account.split_whitespace().nth(1)?.parse().ok()?;
        nanos += waited;
    }
    Some(Duration::from_nanos(nanos))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn waited_by(_pid: u32) -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// The wait that delayed an answer. The thread sends at 10 ms, having waited
    /// for `sent` ms, and looks at these times, having waited for so long; the last
    /// look finds the answer.
    fn delay(sent: u64, looks: &[(u64, u64)]) -> Duration {
        let start = Instant::now();
        let mut waits = Waits::new(start, Duration::ZERO);
        waits.begin(start + MS(10), || Some(MS(sent)));
        for &(now, total) in looks {
            waits.look(start + MS(now), || Some(MS(total)));
        }
        let (_, last) = looks.last().expect("a look");
        waits.until(MS(*last))
    }

    #[test]
    fn only_waits_after_the_last_look_that_found_nothing_count() {
        assert_eq!(delay(7, &[(20, 7)]), MS(0), "before and while it sends");
        assert_eq!(delay(7, &[(20, 12)]), MS(5), "before the first look");
        assert_eq!(delay(0, &[(12, 1), (14, 3), (114, 8)]), MS(5));
        assert_eq!(delay(0, &[(110, 40), (210, 80), (250, 80)]), MS(0));
    }

    #[test]
    fn an_account_that_cannot_be_read_gives_nothing() {
        let start = Instant::now();
        let mut waits = Waits::new(start, MS(30));
        waits.begin(start + MS(10), || None);
        waits.look(start + MS(20), || None);
        assert_eq!(waits.until(MS(32)), MS(2));
    }

    #[test]
    fn a_look_right_after_another_is_a_part_of_it_and_reads_nothing() {
        let start = Instant::now();
        let moment = Duration::from_micros(50);
        let unread = || panic!("the account is read only once in a millisecond");
        let mut waits = Waits::new(start, Duration::ZERO);
        waits.begin(start + MS(10), || Some(MS(0)));
        waits.look(start + MS(110), || Some(MS(40)));
        waits.look(start + MS(110) + moment, unread);
        assert_eq!(waits.until(MS(41)), MS(41));
        waits.begin(start + MS(110) + 2 * moment, unread);
        assert_eq!(
            waits.until(MS(41)),
            MS(1),
            "not once more for the next answer"
        );
    }
}
