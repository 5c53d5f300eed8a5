//! Signals and console events that request a stop.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::time::sleep;

use super::runtime::runtime;

/// Whether this process listens for requests to stop, so that they do not end it.
static IS_LISTENING: AtomicBool = AtomicBool::new(false);

/// Notices requests to stop during a step that blocks, in a process that listens for them
/// elsewhere.
#[derive(Debug)]
pub struct StopWatch {
    /// `None` if the process does not listen: a signal ends it.
    listening: Option<(Runtime, Arc<AtomicBool>)>,
}

impl StopWatch {
    /// Notices requests from now on.
    pub fn start() -> Self {
        let listen = || {
            let runtime = runtime().ok()?;
            let requested = Arc::new(AtomicBool::new(false));
            let request = || {
                let requested = Arc::clone(&requested);
                move || {
                    requested.store(true, Ordering::Relaxed);
                    false
                }
            };
            runtime
                .block_on(async {
                    on_interrupt(request()).and_then(|()| on_termination(request()))
                })
                .ok()?;
            Some((runtime, requested))
        };
        let is_listening = IS_LISTENING.load(Ordering::Relaxed);
        Self {
            listening: is_listening.then(listen).flatten(),
        }
    }

    /// Whether there has been a request.
    pub fn is_requested(&self) -> bool {
        self.listening.as_ref().is_some_and(|(runtime, requested)| {
            // Lets the runtime receive signals.
            runtime.block_on(async { sleep(Duration::from_millis(1)).await });
            requested.load(Ordering::Relaxed)
        })
    }

    /// The reason to end a command, after a request.
    pub fn reason(&self) -> Option<String> {
        self.is_requested().then(|| "interrupted".to_string())
    }
}

/// Calls `stop` at every Ctrl-C until it returns `false`. Ctrl-C no longer ends the process
/// as soon as this returns. Must be called inside a runtime.
///
/// # Errors
/// If the handler cannot be installed.
pub fn on_interrupt(stop: impl Fn() -> bool + Send + 'static) -> io::Result<()> {
    #[cfg(unix)]
    let mut signals = {
        use tokio::signal::unix::{SignalKind, signal};
        signal(SignalKind::interrupt())?
    };
    #[cfg(windows)]
    let mut signals = tokio::signal::windows::ctrl_c()?;
    IS_LISTENING.store(true, Ordering::Relaxed);
    tokio::spawn(async move { while signals.recv().await.is_some() && stop() {} });
    Ok(())
}

/// Calls `stop` at every other request to stop until it returns `false`: SIGTERM, and
/// SIGHUP unless it is ignored, as under `nohup`. Must be called inside a runtime.
///
/// # Errors
/// If a handler cannot be installed.
#[cfg(unix)]
pub fn on_termination(stop: impl Fn() -> bool + Clone + Send + 'static) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    for kind in [SignalKind::terminate(), SignalKind::hangup()] {
        if is_ignored(kind.as_raw_value()) {
            continue;
        }
        let mut signals = signal(kind)?;
        IS_LISTENING.store(true, Ordering::Relaxed);
        let stop = stop.clone();
        tokio::spawn(async move { while signals.recv().await.is_some() && stop() {} });
    }
    Ok(())
}

/// Whether this process was started with a signal ignored.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    // SAFETY: all zero is a valid `sigaction`.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: without a new action the call only writes the present one to `action`.
    let known = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut action) };
    known == 0 && action.sa_sigaction == libc::SIG_IGN
}

/// Calls `stop` at every other request to stop until it returns `false`: Ctrl-Break, the
/// console window closed, the user logged off, the system shut down. After the last three,
/// the system kills the process within a few seconds. Must be called inside a runtime.
///
/// # Errors
/// If a handler cannot be installed.
#[cfg(windows)]
pub fn on_termination(stop: impl Fn() -> bool + Clone + Send + 'static) -> io::Result<()> {
    use tokio::signal::windows;
    macro_rules! listen {
        ($($signal:ident)*) => {$({
            let mut signals = windows::$signal()?;
            let stop = stop.clone();
            tokio::spawn(async move {
                while signals.recv().await.is_some() && stop() {}
            });
        })*};
    }
    listen!(ctrl_break ctrl_close ctrl_logoff ctrl_shutdown);
    Ok(())
}
