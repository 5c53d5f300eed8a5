//! Processors of Unix systems other than Linux. macOS has no interface to bind a thread to
//! a processor.

use super::Processor;

/// Always empty: the processors cannot be listed.
pub fn processors() -> Vec<Processor> {
    Vec::new()
}

/// The load average of the last minute.
pub fn load() -> Option<f64> {
    let mut averages = [0.0];
    // SAFETY: there is room for one average.
    let count = unsafe { libc::getloadavg(averages.as_mut_ptr(), 1) };
    (count == 1).then_some(averages[0])
}

/// Number of physical cores.
#[cfg(target_os = "macos")]
pub(super) fn core_count() -> Option<usize> {
    let mut count: libc::c_int = 0;
    let mut size = size_of_val(&count);
    // SAFETY: the name ends in a zero, the value is an int of the given size,
    // and nothing is set.
    let done = unsafe {
        libc::sysctlbyname(
            c"hw.physicalcpu".as_ptr(),
            (&raw mut count).cast(),
            &raw mut size,
            std::ptr::null_mut(),
            0,
        )
    };
    if done != 0 {
        return None;
    }
    usize::try_from(count).ok().filter(|count| *count > 0)
}

/// Unknown on this system.
#[cfg(not(target_os = "macos"))]
pub(super) fn core_count() -> Option<usize> {
    None
}

/// Not supported; returns `false`.
pub fn bind_thread(_processors: &[usize]) -> bool {
    false
}
