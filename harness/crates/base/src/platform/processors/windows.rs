//! Processors of Windows. With more than 64 of them, only those of the processor group in
//! which `hone` was started are used.

use std::cell::Cell;
use std::ptr;

use windows_sys::Win32::System::SystemInformation::{
    GetLogicalProcessorInformation, RelationProcessorCore, RelationProcessorPackage,
    SYSTEM_LOGICAL_PROCESSOR_INFORMATION,
};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, GetProcessAffinityMask, SetThreadAffinityMask,
};

use super::Processor;

thread_local! {
    /// The processors to which the thread is bound; 0 if it is not.
    static BOUND: Cell<usize> = const { Cell::new(0) };
}

/// The processors that this process may use; empty if they cannot be read.
pub fn processors() -> Vec<Processor> {
    let (mut allowed, mut all) = (0, 0);
    // SAFETY: the pseudo handle needs not be closed; both masks are written.
    let known =
        unsafe { GetProcessAffinityMask(GetCurrentProcess(), &raw mut allowed, &raw mut all) };
    if known == 0 {
        return Vec::new();
    }
    let table = topology();
    let index_of = |relation, id: usize| {
        table
            .iter()
            .filter(|entry| entry.Relationship == relation)
            .position(|entry| entry.ProcessorMask >> id & 1 == 1)
    };
    let ids = (0..usize::BITS as usize).filter(|id| allowed >> id & 1 == 1);
    let mut processors: Vec<Processor> = ids
        .filter_map(|id| {
            Some(Processor {
                id,
                package: index_of(RelationProcessorPackage, id).unwrap_or(0),
                core: index_of(RelationProcessorCore, id)?,
            })
        })
        .collect();
    processors.sort_unstable();
    processors
}

/// The processors of each core and of each package.
fn topology() -> Vec<SYSTEM_LOGICAL_PROCESSOR_INFORMATION> {
    let mut bytes = 0;
    // SAFETY: a null buffer of length 0 makes the call return the length.
    unsafe {
        GetLogicalProcessorInformation(ptr::null_mut(), &raw mut bytes);
    }
    let entry = size_of::<SYSTEM_LOGICAL_PROCESSOR_INFORMATION>();
    let count = usize::try_from(bytes).unwrap_or(0) / entry;
    let mut table = vec![SYSTEM_LOGICAL_PROCESSOR_INFORMATION::default(); count];
    // SAFETY: the table has the length that the system returned; the call fails if it has
    // grown since.
    let done = unsafe { GetLogicalProcessorInformation(table.as_mut_ptr(), &raw mut bytes) };
    if done == 0 {
        table.clear();
    }
    table
}

/// Windows has no load average.
pub fn load() -> Option<f64> {
    None
}

/// Not used: [`processors`] lists the cores.
pub(super) fn core_count() -> Option<usize> {
    None
}

/// Binds the calling thread, and every engine that it starts from now on, to some
/// processors. Returns whether that succeeded.
pub fn bind_thread(processors: &[usize]) -> bool {
    let mask = processors
        .iter()
        .filter(|id| **id < usize::BITS as usize)
        .fold(0, |mask, id| mask | 1 << id);
    // SAFETY: the pseudo handle needs not be closed; an impossible mask fails.
    let is_bound = mask != 0 && unsafe { SetThreadAffinityMask(GetCurrentThread(), mask) } != 0;
    if is_bound {
        BOUND.set(mask);
    }
    is_bound
}

/// The processors to which the calling thread is bound; 0 if it is not.
pub(in crate::platform) fn bound_mask() -> usize {
    BOUND.get()
}
