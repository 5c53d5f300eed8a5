//! How long threads that were ready to run waited for a processor: those of `hone`, whose
//! delay is not charged to an engine's clock, and those of an engine, whose delay shows
//! whether the machine caused a time forfeit.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::time::{Duration, Instant};

thread_local! {
    static METER: RefCell<Option<Meter>> = const { RefCell::new(None) };
}

/// Measures how long its thread waited for a processor before it found an answer. It
/// belongs to the thread that made it, until it is dropped. A thread without a meter, and
/// systems other than Linux, measure zero.
#[derive(Debug)]
pub struct DelayMeter {
    _here: PhantomData<*const ()>,
}

impl Default for DelayMeter {
    fn default() -> Self {
        Self::new()
    }
}

impl DelayMeter {
    /// Gives the calling thread a meter.
    pub fn new() -> Self {
        let stat = SchedStat::of_this_thread();
        let delay = AnswerDelay::new(Instant::now(), stat.waited().unwrap_or_default());
        METER.set(Some(Meter { stat, delay }));
        Self { _here: PhantomData }
    }

    /// Records that the wait for an answer begins at `now`.
    pub fn begin(now: Instant) {
        Self::with(|meter| meter.delay.begin(now, || meter.stat.waited()));
    }

    /// Records that the thread polls for the answer at `now`.
    pub fn poll(now: Instant) {
        Self::with(|meter| meter.delay.poll(now, || meter.stat.waited()));
    }

    /// How long the thread waited for a processor since the last poll that did not find
    /// the answer.
    pub fn waited() -> Duration {
        let waited = Self::with(|meter| Some(meter.delay.until(meter.stat.waited()?)));
        waited.flatten().unwrap_or_default()
    }

    fn with<T>(run: impl FnOnce(&mut Meter) -> T) -> Option<T> {
        METER.with_borrow_mut(|meter| meter.as_mut().map(run))
    }
}

impl Drop for DelayMeter {
    fn drop(&mut self) {
        METER.set(None);
    }
}

#[derive(Debug)]
struct Meter {
    stat: SchedStat,
    delay: AnswerDelay,
}

/// The statistics are read at most once in this time: a read takes about 0.5 µs, not much
/// less than a quick move.
const READ_INTERVAL: Duration = Duration::from_millis(1);

/// The part of a thread's waits for a processor that delayed an answer.
#[derive(Debug)]
struct AnswerDelay {
    /// When the statistics were last read, and the thread's total wait then.
    read: Instant,
    total: Duration,
    /// The total wait at the last poll but one, or when the wait for the answer began:
    /// waits before that did not delay the answer.
    before: Duration,
}

impl AnswerDelay {
    fn new(now: Instant, total: Duration) -> Self {
        Self {
            read: now,
            total,
            before: total,
        }
    }

    fn begin(&mut self, now: Instant, waited: impl FnOnce() -> Option<Duration>) {
        self.poll(now, waited);
        self.before = self.total;
    }

    /// Counts as part of the poll before if that was within [`READ_INTERVAL`]: the runtime
    /// may report an answer only at the second poll.
    fn poll(&mut self, now: Instant, waited: impl FnOnce() -> Option<Duration>) {
        if now < self.read + READ_INTERVAL {
            return;
        }
        self.before = self.total;
        self.total = waited().unwrap_or(self.total);
        self.read = now;
    }

    /// The delay of an answer that is found when the thread's total wait is `total`.
    fn until(&self, total: Duration) -> Duration {
        total.saturating_sub(self.before)
    }
}

/// The kernel's scheduling statistics of a thread.
#[derive(Debug)]
struct SchedStat {
    #[cfg(target_os = "linux")]
    file: Option<std::fs::File>,
}

impl SchedStat {
    fn of_this_thread() -> Self {
        Self {
            #[cfg(target_os = "linux")]
            file: std::fs::File::open("/proc/thread-self/schedstat").ok(),
        }
    }

    /// How long the thread has waited for a processor so far.
    #[cfg(target_os = "linux")]
    fn waited(&self) -> Option<Duration> {
        use std::os::unix::fs::FileExt;
        let mut text = [0; 96];
        let count = self.file.as_ref()?.read_at(&mut text, 0).ok()?;
        // "on-cpu-ns waiting-ns timeslices"
        let text = std::str::from_utf8(&text[..count]).ok()?;
        let nanos = text.split_whitespace().nth(1)?.parse().ok()?;
        Some(Duration::from_nanos(nanos))
    }

    #[cfg(not(target_os = "linux"))]
    fn waited(&self) -> Option<Duration> {
        None
    }
}

/// Whether [`processor_wait`] is available on this system.
pub const CAN_MEASURE_STARVATION: bool = cfg!(target_os = "linux");

/// How long the threads of a process have waited for a processor so far, in sum; `None`
/// if the process has ended, and on systems other than Linux.
#[cfg(target_os = "linux")]
pub fn processor_wait(pid: u32) -> Option<Duration> {
    let mut nanos = 0;
    for thread in std::fs::read_dir(format!("/proc/{pid}/task")).ok()? {
        let stat = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        let waited: u64 = stat.split_whitespace().nth(1)?.parse().ok()?;
        nanos += waited;
    }
    Some(Duration::from_nanos(nanos))
}

#[cfg(not(target_os = "linux"))]
pub fn processor_wait(_pid: u32) -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// The delay of an answer to a command that the thread sends at 10 ms. `sent` and the
    /// second number of each poll are its total wait until then, the first number of a poll
    /// is its time, all in ms. The last poll finds the answer.
    fn delay(sent: u64, polls: &[(u64, u64)]) -> Duration {
        let start = Instant::now();
        let mut delay = AnswerDelay::new(start, Duration::ZERO);
        delay.begin(start + MS(10), || Some(MS(sent)));
        for &(now, total) in polls {
            delay.poll(start + MS(now), || Some(MS(total)));
        }
        let (_, last) = polls.last().expect("a poll");
        delay.until(MS(*last))
    }

    #[test]
    fn only_waits_after_the_last_poll_without_an_answer_count() {
        assert_eq!(delay(7, &[(20, 7)]), MS(0), "before and while it sends");
        assert_eq!(delay(7, &[(20, 12)]), MS(5), "before the first poll");
        assert_eq!(delay(0, &[(12, 1), (14, 3), (114, 8)]), MS(5));
        assert_eq!(delay(0, &[(110, 40), (210, 80), (250, 80)]), MS(0));
    }

    #[test]
    fn statistics_that_cannot_be_read_add_nothing() {
        let start = Instant::now();
        let mut delay = AnswerDelay::new(start, MS(30));
        delay.begin(start + MS(10), || None);
        delay.poll(start + MS(20), || None);
        assert_eq!(delay.until(MS(32)), MS(2));
    }

    #[test]
    fn a_poll_right_after_another_reads_no_statistics() {
        let start = Instant::now();
        let moment = Duration::from_micros(50);
        let unread = || panic!("the statistics are read only once in a millisecond");
        let mut delay = AnswerDelay::new(start, Duration::ZERO);
        delay.begin(start + MS(10), || Some(MS(0)));
        delay.poll(start + MS(110), || Some(MS(40)));
        delay.poll(start + MS(110) + moment, unread);
        assert_eq!(delay.until(MS(41)), MS(41));
        delay.begin(start + MS(110) + 2 * moment, unread);
        assert_eq!(
            delay.until(MS(41)),
            MS(1),
            "an earlier wait does not delay the next answer"
        );
    }
}
