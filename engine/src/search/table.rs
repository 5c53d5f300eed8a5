//! The transposition table.
//!
//! A slot is two relaxed atomic words: the data, and the key XOR the data. A slot that two
//! threads have written in part therefore matches no position (lockless hashing, Hyatt and
//! Mann 2002).

use super::score::{from_table, to_table};
use crate::board::Move;
use std::sync::atomic::{AtomicU64, Ordering};

/// Whether a score is exact or a bound of the true score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Bound {
    /// Only for root moves: not searched in this iteration.
    None,
    Upper,
    Lower,
    Exact,
}

impl Bound {
    /// Whether a score with this bound decides a null window at `beta`: a lower bound of at
    /// least beta, or an upper bound below it.
    pub fn decides(self, score: i32, beta: i32) -> bool {
        match self {
            Bound::None => false,
            Bound::Exact => true,
            Bound::Lower => score >= beta,
            Bound::Upper => score < beta,
        }
    }

    /// Whether a score with this bound decides a node with this window: a lower bound of at
    /// least beta, or an upper bound of at most alpha.
    pub fn decides_window(self, score: i32, alpha: i32, beta: i32) -> bool {
        match self {
            Bound::Upper => score <= alpha,
            _ => self.decides(score, beta),
        }
    }

    /// The bound of a score found with a window; `pv` marks an open window.
    pub fn of(score: i32, alpha: i32, beta: i32, pv: bool) -> Bound {
        match score {
            _ if score >= beta => Bound::Lower,
            _ if pv && score > alpha => Bound::Exact,
            _ => Bound::Upper,
        }
    }
}

/// An entry of the table, unpacked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    pub mv: Move,
    /// Mate scores count from the root here, from the entry's own node in the table.
    pub score: i32,
    /// Static evaluation, or [`NO_EVAL`].
    pub eval: i32,
    /// In plies; 0 and below in quiescence.
    pub depth: i32,
    pub bound: Bound,
    /// Whether the node was on a principal variation.
    pub pv: bool,
}

/// Marks a missing evaluation, mostly that of a position in check.
pub const NO_EVAL: i32 = i16::MIN as i32;

#[derive(Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

impl Slot {
    /// The check word (see [`Table::check`]) and the data.
    fn load(&self) -> (u64, u64) {
        let data = self.data.load(Ordering::Relaxed);
        (self.check.load(Ordering::Relaxed) ^ data, data)
    }
}

#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; 4]);

pub struct Table {
    buckets: Vec<Bucket>,
    /// Changes with every new game. Entries of another epoch count as empty, so clearing is
    /// free.
    epoch: u16,
    /// Changes with every search, modulo 32.
    age: u64,
}

const AGES: u64 = 32;

/// Plies by which an entry loses value with each search since it was stored, and by which a
/// shallower result may still replace a deeper one of the same position. Not an option: it
/// matters only in a full table, which a test at few nodes does not fill.
const REPLACEMENT_PLIES: i32 = 4;

fn pack(entry: &Entry, age: u64) -> u64 {
    // Extensions can lead beyond 127 plies.
    let depth = entry.depth.clamp(i8::MIN.into(), i8::MAX.into());
    u64::from(entry.mv.bits())
        | u64::from(entry.score as i16 as u16) << 16
        | u64::from(entry.eval as i16 as u16) << 32
        | u64::from(depth as i8 as u8) << 48
        | (entry.bound as u64) << 56
        | u64::from(entry.pv) << 58
        | age << 59
}

fn unpack(data: u64) -> Entry {
    Entry {
        mv: Move::from_bits(data as u16),
        score: i32::from((data >> 16) as i16),
        eval: i32::from((data >> 32) as i16),
        depth: i32::from((data >> 48) as i8),
        bound: [Bound::None, Bound::Upper, Bound::Lower, Bound::Exact][(data >> 56 & 3) as usize],
        pv: data >> 58 & 1 != 0,
    }
}

impl Table {
    /// A table of at most `megabytes` MiB. Panics if there is not enough memory.
    pub fn new(megabytes: usize) -> Table {
        let mut table = Table {
            buckets: Vec::new(),
            epoch: 1,
            age: 0,
        };
        assert!(table.resize(megabytes), "cannot allocate {megabytes} MiB");
        table
    }

    /// Empties the table and resizes it to at most `megabytes` MiB. Returns `false` if there
    /// is not enough memory: the table must be resized again before it is used.
    pub fn resize(&mut self, megabytes: usize) -> bool {
        let count = megabytes * (1 << 20) / size_of::<Bucket>();
        // Free the old buckets before the new ones are allocated.
        self.buckets = Vec::new();
        if self.buckets.try_reserve_exact(count).is_err() {
            return false;
        }
        ask_for_huge_pages(&mut self.buckets);
        self.buckets.resize_with(count, Bucket::default);
        true
    }

    /// Empties the table.
    pub fn clear(&mut self) {
        self.age = 0;
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.buckets.fill_with(Bucket::default);
            self.epoch = 1;
        }
    }

    /// Begins a new search: older entries are replaced more readily.
    pub fn new_search(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    fn bucket(&self, key: u64) -> &Bucket {
        let index = (u128::from(key) * self.buckets.len() as u128) >> 64;
        &self.buckets[index as usize]
    }

    /// The check word: the low bits of the key (the high ones choose the bucket) and the
    /// epoch.
    fn check(&self, key: u64) -> u64 {
        key << 16 | u64::from(self.epoch)
    }

    /// Prefetches the bucket of `key` into the processor's cache.
    pub fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bucket: *const Bucket = self.bucket(key);
            // SAFETY: a prefetch does not access memory, and the address is that of a bucket.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(bucket.cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// The slot of a position, and its data.
    fn find(&self, key: u64) -> Option<(&Slot, u64)> {
        let check = self.check(key);
        self.bucket(key).0.iter().find_map(|slot| {
            let (stored, data) = slot.load();
            (stored == check).then_some((slot, data))
        })
    }

    /// The entry of a position `ply` plies from the root.
    pub fn probe(&self, key: u64, ply: usize) -> Option<Entry> {
        let (_, data) = self.find(key)?;
        let mut entry = unpack(data);
        entry.score = from_table(entry.score, ply);
        Some(entry)
    }

    /// Stores an entry in place of that of the same position, else of the shallowest and
    /// oldest one of the bucket. A shallower result replaces a much deeper one of the same
    /// position only if it is exact.
    pub fn store(&self, key: u64, ply: usize, mut entry: Entry) {
        entry.score = to_table(entry.score, ply);
        let age = |data: u64| (self.age + AGES - (data >> 59)) % AGES;
        let worth = |slot: &&Slot| {
            let (stored, data) = slot.load();
            let worth = unpack(data).depth - REPLACEMENT_PLIES * age(data) as i32;
            if stored as u16 == self.epoch {
                worth
            } else {
                i32::MIN
            }
        };
        let known = self.find(key);
        if let Some((_, data)) = known {
            let old = unpack(data);
            if entry.bound != Bound::Exact
                && entry.depth + REPLACEMENT_PLIES < old.depth
                && age(data) == 0
            {
                return;
            }
            if !entry.mv.is_some() {
                entry.mv = old.mv;
            }
        }
        let slot = known.map(|(slot, _)| slot);
        if let Some(slot) = slot.or_else(|| self.bucket(key).0.iter().min_by_key(worth)) {
            let data = pack(&entry, self.age);
            slot.data.store(data, Ordering::Relaxed);
            let check = self.check(key) ^ data;
            slot.check.store(check, Ordering::Relaxed);
        }
    }

    /// Share of slots used by this search, in thousandths, estimated from the first buckets.
    pub fn hashfull(&self) -> usize {
        let sample = &self.buckets[..self.buckets.len().min(250)];
        let slots = sample.iter().flat_map(|bucket| &bucket.0);
        let is_used =
            |&(stored, data): &(u64, u64)| stored as u16 == self.epoch && data >> 59 == self.age;
        let used = slots.map(Slot::load).filter(is_used);
        used.count() * 1000 / (sample.len() * 4)
    }
}

/// Requests huge pages for memory that has not been written to. With small pages, almost
/// every access to the table is a TLB miss.
#[cfg(target_os = "linux")]
fn ask_for_huge_pages(buckets: &mut Vec<Bucket>) {
    const HUGE_PAGE: usize = 2 << 20;
    let memory = buckets.spare_capacity_mut();
    let (start, bytes) = (memory.as_mut_ptr(), size_of_val(memory));
    let skipped = start.addr().next_multiple_of(HUGE_PAGE) - start.addr();
    let whole = bytes.saturating_sub(skipped) / HUGE_PAGE * HUGE_PAGE;
    if whole > 0 {
        // SAFETY: the pages lie within our allocation, and the advice does not change their
        // content. A failure is harmless.
        unsafe { libc::madvise(start.byte_add(skipped).cast(), whole, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages(_: &mut Vec<Bucket>) {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Square;

    fn entry(depth: i32) -> Entry {
        Entry {
            mv: Move::normal(Square::new(12), Square::new(28)),
            score: -31_990,
            eval: NO_EVAL,
            depth,
            bound: Bound::Lower,
            pv: true,
        }
    }

    #[test]
    fn entries_are_found_until_the_table_is_cleared() {
        let mut table = Table::new(1);
        for depth in [-5, 0, 100] {
            let key = 0x1234_5678_9abc_def0_u64.wrapping_add_signed(depth.into());
            table.store(key, 0, entry(depth));
            assert_eq!(table.probe(key, 0), Some(entry(depth)));
            assert_eq!(table.probe(key ^ 1, 0), None);
        }
        table.clear();
        assert_eq!(table.probe(0x1234_5678_9abc_def0, 0), None);
        assert_eq!(table.hashfull(), 0);
    }

    #[test]
    fn a_prefetch_of_any_key_is_within_the_table() {
        let table = Table::new(1);
        for key in [0, 1 << 63, u64::MAX] {
            table.prefetch(key);
        }
    }

    #[test]
    fn a_depth_that_does_not_fit_stays_a_large_one() {
        let table = Table::new(1);
        table.store(7, 0, entry(128));
        assert_eq!(table.probe(7, 0), Some(entry(127)));
    }

    #[test]
    fn epochs_wrap_around_without_old_entries() {
        let mut table = Table::new(1);
        table.store(7, 0, entry(3));
        for _ in 0..u16::MAX {
            table.clear();
        }
        assert_eq!(table.probe(7, 0), None);
    }

    #[test]
    fn the_shallowest_entry_is_replaced_and_the_move_is_kept() {
        let table = Table::new(1);
        // The high bits choose the bucket: these share one.
        for depth in 1..=4 {
            table.store(depth as u64, 0, entry(depth));
        }
        table.store(9, 0, entry(9));
        assert_eq!(table.probe(1, 0), None);
        assert!((2..=4).all(|key| table.probe(key, 0).is_some()));
        let bare = Entry {
            mv: Move::NONE,
            ..entry(10)
        };
        table.store(9, 0, bare);
        assert_eq!(table.probe(9, 0), Some(entry(10)));
    }
}
