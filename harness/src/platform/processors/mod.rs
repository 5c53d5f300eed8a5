//! Processors, their cores, and how busy they are.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(any(target_os = "linux", windows)))]
mod portable;
mod processor;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(any(target_os = "linux", windows)))]
use portable as system;
#[cfg(windows)]
use windows as system;

pub(crate) use processor::Processor;
pub(crate) use system::{bind_thread, load, processors};
#[cfg(windows)]
pub(super) use windows::bound_mask;

/// Physical cores that this process may use: hyper-threads of one core share
/// it, and two games on it would slow each other down.
pub(crate) fn physical_cores() -> usize {
    let mut cores: Vec<_> = processors().iter().map(|p| (p.package, p.core)).collect();
    cores.sort_unstable();
    cores.dedup();
    match cores.len() {
        0 => system::core_count()
            .or_else(|| std::thread::available_parallelism().ok().map(usize::from))
            .unwrap_or(1),
        count => count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_core_and_no_more_than_logical_processors() {
        let cores = physical_cores();
        let logical = std::thread::available_parallelism().expect("known");
        assert!(cores >= 1);
        assert!(processors().is_empty() || cores <= processors().len());
        assert!(processors().len() >= logical.get() || processors().is_empty());
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
