//! The name and processor of the machine.

use std::fs;

/// The model name of the processor, at most 80 characters; `None` on systems other than
/// Linux.
pub fn processor_name() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    let (_, name) = line.split_once(':')?;
    Some(name.trim().chars().take(80).collect())
}

/// The machine's name in its network.
#[cfg(unix)]
pub fn host_name() -> Option<String> {
    let mut buffer = [0u8; 256];
    // SAFETY: gethostname writes at most the given length, and a final zero if it fits.
    let failed = unsafe { libc::gethostname(buffer.as_mut_ptr().cast(), buffer.len() - 1) } != 0;
    let len = buffer.iter().position(|byte| *byte == 0)?;
    let name = String::from_utf8_lossy(&buffer[..len]).into_owned();
    (!failed && !name.is_empty()).then_some(name)
}

/// The machine's name in its network.
#[cfg(not(unix))]
pub fn host_name() -> Option<String> {
    std::env::var("COMPUTERNAME").ok()
}
