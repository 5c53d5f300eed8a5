//! Processors of Linux.

use std::fs;

use super::Processor;

/// The processors that this process may use; empty if they cannot be read.
pub fn processors() -> Vec<Processor> {
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

/// The load average of the last minute.
pub fn load() -> Option<f64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// Not used: [`processors`] lists the cores.
pub(super) fn core_count() -> Option<usize> {
    None
}

/// Binds the calling thread, and every process that it starts from now on, to some
/// processors. Returns whether that succeeded.
pub fn bind_thread(processors: &[usize]) -> bool {
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

fn allowed_processors() -> Vec<usize> {
    // SAFETY: sched_getaffinity fills a set of the given size; CPU_ISSET only reads it.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set) == 0 {
            let ids = 0..libc::CPU_SETSIZE as usize;
            return ids.filter(|id| libc::CPU_ISSET(*id, &set)).collect();
        }
    }
    Vec::new()
}
