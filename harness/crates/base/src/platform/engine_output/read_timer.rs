//! A periodic timer that interrupts the system calls of its thread.

use std::cell::Cell;
use std::io;
use std::marker::PhantomData;
use std::ptr;
use std::sync::OnceLock;

use super::READ_TIMEOUT;

/// By default this signal is ignored, so a stray one does no harm.
const SIGNAL: libc::c_int = libc::SIGURG;

thread_local! {
    static TIMER: Cell<Option<Timer>> = const { Cell::new(None) };
}

/// The timer of the thread that made it, until it is dropped. Only for threads that wait
/// for one engine at a time: while such a thread reads, its other tasks are blocked for up
/// to [`READ_TIMEOUT`].
#[derive(Debug)]
pub struct ReadTimer {
    /// Not [`Send`].
    _here: PhantomData<*const ()>,
}

#[derive(Debug, Clone, Copy)]
struct Timer {
    id: libc::timer_t,
    armed: bool,
}

impl ReadTimer {
    /// Gives the calling thread a timer, disarmed at first.
    ///
    /// # Errors
    /// If the system has no timer left.
    pub fn new() -> io::Result<Self> {
        install_handler()?;
        // SAFETY: gettid cannot fail; a zeroed sigevent is valid; timer_create
        // reads the event and writes the id.
        let id = unsafe {
            let mut event: libc::sigevent = std::mem::zeroed();
            event.sigev_notify = libc::SIGEV_THREAD_ID;
            event.sigev_signo = SIGNAL;
            event.sigev_notify_thread_id = libc::gettid();
            let mut id: libc::timer_t = ptr::null_mut();
            if libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut id) != 0 {
                return Err(io::Error::last_os_error());
            }
            id
        };
        TIMER.set(Some(Timer { id, armed: false }));
        Ok(Self { _here: PhantomData })
    }

    /// Arms the timer of this thread: it fires every [`READ_TIMEOUT`]. `false` if the
    /// thread has none.
    pub fn arm() -> bool {
        Self::set(true)
    }

    /// Disarms the timer of this thread, if it has one.
    pub fn disarm() {
        Self::set(false);
    }

    fn set(armed: bool) -> bool {
        let Some(timer) = TIMER.get() else {
            return false;
        };
        if timer.armed == armed {
            return true;
        }
        let every = libc::timespec {
            tv_sec: 0,
            tv_nsec: if armed {
                READ_TIMEOUT.subsec_nanos().into()
            } else {
                0
            },
        };
        let times = libc::itimerspec {
            it_interval: every,
            it_value: every,
        };
        // SAFETY: the id is of a timer that is deleted only with its owner.
        let set = unsafe { libc::timer_settime(timer.id, 0, &raw const times, ptr::null_mut()) };
        if set == 0 {
            TIMER.set(Some(Timer { armed, ..timer }));
        }
        set == 0
    }
}

impl Drop for ReadTimer {
    fn drop(&mut self) {
        if let Some(timer) = TIMER.take() {
            // SAFETY: the timer exists, and its id is not used after this.
            unsafe {
                libc::timer_delete(timer.id);
            }
        }
    }
}

/// Installs a handler that does nothing: without a handler, or with `SA_RESTART`, the
/// signal would not interrupt a read.
fn install_handler() -> io::Result<()> {
    extern "C" fn interrupt(_: libc::c_int) {}
    static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();
    let installed = INSTALLED.get_or_init(|| {
        // SAFETY: a zeroed sigaction is valid, the handler is safe to run at
        // any instant, and it replaces no other handler: `hone` does not use
        // this signal elsewhere.
        let done = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = interrupt as extern "C" fn(libc::c_int) as usize;
            libc::sigaction(SIGNAL, &raw const action, ptr::null_mut())
        };
        match done {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error().raw_os_error().unwrap_or(0)),
        }
    });
    installed.map_err(io::Error::from_raw_os_error)
}
