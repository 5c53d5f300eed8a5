//! Processors, their cores, and the load.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(any(target_os = "linux", windows)))]
mod portable;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(any(target_os = "linux", windows)))]
use portable as system;
#[cfg(windows)]
use windows as system;

pub use system::{bind_thread, load, processors};
#[cfg(windows)]
pub(super) use windows::bound_mask;

/// A logical processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Processor {
    /// The number that the system uses for it.
    pub id: usize,
    pub package: usize,
    /// Number of the physical core, unique within its package.
    pub core: usize,
}

/// Number of processors that this process may use, limited by a container's quota of
/// processor time; `None` where the processors cannot be listed.
pub fn usable_processors() -> Option<usize> {
    let listed = processors().len();
    (listed > 0).then(|| parallelism().map_or(listed, |most| most.min(listed)))
}

/// The standard library's number of processors, which includes a container's quota.
fn parallelism() -> Option<usize> {
    std::thread::available_parallelism().ok().map(usize::from)
}

/// Number of physical cores that this process may use, limited by a container's quota of
/// processor time. Two games on the hyper-threads of one core slow each other down.
pub fn physical_cores() -> usize {
    let mut cores: Vec<_> = processors().iter().map(|p| (p.package, p.core)).collect();
    cores.sort_unstable();
    cores.dedup();
    let count = match cores.len() {
        0 => system::core_count(),
        count => Some(count),
    };
    at_most(count, parallelism())
}

/// The smaller of the known numbers, at least 1.
fn at_most(count: Option<usize>, quota: Option<usize>) -> usize {
    count.into_iter().chain(quota).min().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_at_most_as_many_cores_as_processors() {
        let limited = [(Some(8), Some(2)), (Some(2), Some(8)), (None, None)];
        assert_eq!(
            limited.map(|(count, quota)| at_most(count, quota)),
            [2, 2, 1]
        );
        let cores = physical_cores();
        let logical = std::thread::available_parallelism().expect("known").get();
        assert!((1..=logical).contains(&cores), "{cores} of {logical}");
        assert!(usable_processors().is_none_or(|usable| (cores..=logical).contains(&usable)));
        assert!(processors().len() >= logical || processors().is_empty());
    }

    #[cfg(any(target_os = "linux", windows))]
    #[test]
    fn a_thread_is_bound_to_a_processor_it_may_use() {
        let ended = std::thread::spawn(|| {
            let first = processors().first().expect("one").id;
            assert!(bind_thread(&[first]));
        });
        ended.join().expect("it is bound");
    }
}
