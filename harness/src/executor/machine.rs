//! What the machine offers: processors, their cores, and how busy it is.

use std::fs;

/// A logical processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Processor {
    /// As the system numbers it.
    pub id: usize,
    pub package: usize,
    /// Within its package.
    pub core: usize,
}

/// Physical cores that this process may use: hyper-threads of one core share
/// it, and two games on it would slow each other down.
pub(crate) fn physical_cores() -> usize {
    let mut cores: Vec<_> = processors().iter().map(|p| (p.package, p.core)).collect();
    cores.sort_unstable();
    cores.dedup();
    match cores.len() {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        count => count,
    }
}

/// The processors that this process may use; empty where the system does not
/// tell.
pub(crate) fn processors() -> Vec<Processor> {
    let allowed = allowed_processors();
    let mut processors: Vec<Processor> = allowed
        .into_iter()
        .filter_map(|id| {
            let topology = format!("/sys/devices/system/cpu/cpu{id}/topology");
            let read = |file: &str| {
                let text = fs::read_to_string(format!("{topology}/{file}")).ok()?;
                text.trim().parse::<usize>().ok()
            };
            Some(Processor {
                id,
                package: read("physical_package_id")?,
                core: read("core_id")?,
            })
        })
        .collect();
    processors.sort_unstable();
    processors
}

/// Which processors each worker's engines get, `each` of them: first one of
/// every physical core, then the hyper-threads. `None` if there are too few
/// for all workers.
pub(crate) fn place(
    processors: &[Processor],
    workers: usize,
    each: usize,
) -> Option<Vec<Vec<usize>>> {
    let mut by_turn: Vec<(usize, Processor)> = processors
        .iter()
        .map(|processor| {
            let turn = processors
                .iter()
                .filter(|other| {
                    (other.package, other.core) == (processor.package, processor.core)
                        && other.id < processor.id
                })
                .count();
            (turn, *processor)
        })
        .collect();
    by_turn.sort_by_key(|(turn, processor)| (*turn, processor.package, processor.id));
    let ids: Vec<usize> = by_turn.iter().map(|(_, processor)| processor.id).collect();
    (each > 0 && ids.len() >= workers * each).then(|| {
        ids.chunks(each)
            .take(workers)
            .map(<[usize]>::to_vec)
            .collect()
    })
}

/// Processes that wanted a processor in the last minute, on average.
pub(crate) fn load() -> Option<f64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// Megabytes of memory, where the system tells.
#[cfg(feature = "fleet")]
pub(crate) fn memory_mb() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes / 1024)
}

/// The processor as its maker calls it, where the system tells.
#[cfg(feature = "fleet")]
pub(crate) fn processor_name() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    let (_, name) = line.split_once(':')?;
    Some(name.trim().chars().take(80).collect())
}

/// The machine's name in its network.
#[cfg(feature = "fleet")]
pub(crate) fn host_name() -> Option<String> {
    #[cfg(unix)]
    {
        let mut buffer = [0u8; 256];
        // SAFETY: gethostname writes at most the length given, with a zero at
        // the end if there is room for one.
        let failed =
            unsafe { libc::gethostname(buffer.as_mut_ptr().cast(), buffer.len() - 1) } != 0;
        let len = buffer.iter().position(|byte| *byte == 0)?;
        let name = String::from_utf8_lossy(&buffer[..len]).into_owned();
        (!failed && !name.is_empty()).then_some(name)
    }
    #[cfg(not(unix))]
    {
        std::env::var("COMPUTERNAME").ok()
    }
}

/// Binds the calling thread, and every process it starts from now on, to some
/// processors. Returns whether the system did so.
pub(crate) fn bind_thread(processors: &[usize]) -> bool {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: a zeroed cpu_set_t is the empty set; CPU_SET stays within it
        // for the ids that fit; sched_setaffinity reads it.
        unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            for id in processors
                .iter()
                .filter(|id| **id < libc::CPU_SETSIZE as usize)
            {
                libc::CPU_SET(*id, &mut set);
            }
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set) == 0
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = processors;
        false
    }
}

fn allowed_processors() -> Vec<usize> {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: sched_getaffinity fills a set of the size given; CPU_ISSET
        // only reads it.
        unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            if libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set) == 0 {
                let ids = 0..libc::CPU_SETSIZE as usize;
                return ids.filter(|id| libc::CPU_ISSET(*id, &set)).collect();
            }
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two packages of two cores with two threads each, numbered as Linux
    /// does: the second threads after all first ones.
    fn machine() -> Vec<Processor> {
        (0..8)
            .map(|id| Processor {
                id,
                package: id / 2 % 2,
                core: id % 2,
            })
            .collect()
    }

    #[test]
    fn physical_cores_come_before_their_second_threads() {
        let placed = place(&machine(), 4, 1).expect("enough");
        assert_eq!(placed, [[0], [1], [2], [3]]);
        let placed = place(&machine(), 8, 1).expect("enough");
        assert_eq!(placed.concat(), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn engines_with_threads_get_as_many_and_none_is_shared() {
        let placed = place(&machine(), 3, 2).expect("enough");
        assert_eq!(placed, [[0, 1], [2, 3], [4, 5]]);
        assert_eq!(place(&machine(), 5, 2), None);
        assert_eq!(place(&[], 1, 1), None);
    }
}
