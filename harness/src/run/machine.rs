//! What the machine offers.

use std::collections::HashSet;
use std::fs;

/// Physical cores that this process may use: hyper-threads of one core share
/// it, and two games on it would slow each other down.
pub fn physical_cores() -> usize {
    let available = std::thread::available_parallelism().map_or(1, usize::from);
    cores_by_topology()
        .map_or(available, |cores| cores.min(available))
        .max(1)
}

/// Distinct cores as Linux describes them; `None` elsewhere.
fn cores_by_topology() -> Option<usize> {
    let mut cores = HashSet::new();
    for entry in fs::read_dir("/sys/devices/system/cpu").ok()?.flatten() {
        let topology = entry.path().join("topology");
        let read = |file: &str| fs::read_to_string(topology.join(file)).ok();
        if let (Some(package), Some(core)) = (read("physical_package_id"), read("core_id")) {
            cores.insert((package, core));
        }
    }
    (!cores.is_empty()).then_some(cores.len())
}
