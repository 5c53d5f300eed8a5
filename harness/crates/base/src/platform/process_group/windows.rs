//! Job objects of Windows.

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle, RawHandle};
use std::os::windows::process::CommandExt;
use std::process::{Child, Command};
use std::ptr;

use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT, JOB_OBJECT_LIMIT_AFFINITY,
    JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOB_OBJECT_LIMIT_PROCESS_MEMORY, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectExtendedLimitInformation, SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, OpenProcess, PROCESS_SET_QUOTA, PROCESS_TERMINATE,
};

use crate::platform::processors::bound_mask;

/// A job object, which includes every process that its processes start. This has the only
/// handle, so that the system kills the processes of the job when `hone` ends.
#[derive(Debug)]
pub struct ProcessGroup {
    /// `None` if the job could not be created.
    job: Option<OwnedHandle>,
}

impl ProcessGroup {
    /// Makes a command start in its own console group, so that Ctrl-C reaches only
    /// `hone`.
    pub fn separate(command: &mut Command) {
        command.creation_flags(CREATE_NEW_PROCESS_GROUP);
    }

    /// As [`ProcessGroup::separate`]: Windows has no terminal sessions.
    pub fn separate_session(command: &mut Command) {
        Self::separate(command);
    }

    /// Does nothing: a job ends with the process that created it.
    pub fn die_with_parent(_command: &mut Command) {}

    /// Puts a process that was just started into a job, which is bound to the processors of
    /// this thread. A child that the process has started before is not part of the job.
    pub fn of(pid: u32) -> Self {
        Self::limited(pid, None)
    }

    /// As [`ProcessGroup::of`], with a limit in bytes on the committed memory of each
    /// process.
    pub fn limited(pid: u32, max_memory: Option<u64>) -> Self {
        Self {
            job: job_of(pid, max_memory),
        }
    }

    /// Whether a process has ended. The job has a handle, so ids do not matter.
    ///
    /// # Errors
    /// Those of the system.
    pub fn leader_has_ended(leader: &mut Child) -> io::Result<bool> {
        Ok(leader.try_wait()?.is_some())
    }

    /// Kills all processes of the job.
    pub fn kill(&self) {
        if let Some(job) = &self.job {
            // SAFETY: the handle is open and has all rights.
            unsafe {
                TerminateJobObject(job.as_raw_handle(), 1);
            }
        }
    }
}

fn job_of(pid: u32, max_memory: Option<u64>) -> Option<OwnedHandle> {
    // SAFETY: all arguments may be null; a handle that is not null is ours.
    let job = owned(unsafe { CreateJobObjectW(ptr::null(), ptr::null()) })?;
    // A crashed engine must end without showing a dialog.
    let limits = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
    let memory = max_memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    let limits = match memory {
        Some(_) => limits | JOB_OBJECT_LIMIT_PROCESS_MEMORY,
        None => limits,
    };
    let memory = memory.unwrap_or(0);
    let is_bound = bound_mask() != 0
        && set_limits(
            &job,
            limits | JOB_OBJECT_LIMIT_AFFINITY,
            bound_mask(),
            memory,
        );
    if !is_bound && !set_limits(&job, limits, 0, memory) {
        return None;
    }
    // SAFETY: plain values; a handle that is not null is ours.
    let process = unsafe { OpenProcess(PROCESS_SET_QUOTA | PROCESS_TERMINATE, 0, pid) };
    let process = owned(process)?;
    // SAFETY: both handles are open and have the rights that are needed.
    let assigned =
        unsafe { AssignProcessToJobObject(job.as_raw_handle(), process.as_raw_handle()) };
    (assigned != 0).then_some(job)
}

fn set_limits(job: &OwnedHandle, flags: JOB_OBJECT_LIMIT, mask: usize, memory: usize) -> bool {
    let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    limits.BasicLimitInformation.LimitFlags = flags;
    limits.BasicLimitInformation.Affinity = mask;
    limits.ProcessMemoryLimit = memory;
    let size = size_of_val(&limits).try_into().unwrap_or(0);
    // SAFETY: the class is that of the struct, whose size is given.
    let set = unsafe {
        SetInformationJobObject(
            job.as_raw_handle(),
            JobObjectExtendedLimitInformation,
            (&raw const limits).cast(),
            size,
        )
    };
    set != 0
}

fn owned(handle: RawHandle) -> Option<OwnedHandle> {
    // SAFETY: the caller has just got it from the system and has no other copy.
    (!handle.is_null()).then(|| unsafe { OwnedHandle::from_raw_handle(handle) })
}
