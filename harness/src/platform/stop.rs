//! The system's requests to stop, except Ctrl-C.

use std::io;

/// Calls `stop` at every such request until it returns `false`: SIGTERM and
/// SIGHUP. Must be called inside a runtime.
///
/// # Errors
/// If the system refuses.
#[cfg(unix)]
pub(crate) fn on_termination(stop: impl Fn() -> bool + Clone + Send + 'static) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    for kind in [SignalKind::terminate(), SignalKind::hangup()] {
        let mut signals = signal(kind)?;
        let stop = stop.clone();
        tokio::spawn(async move { while signals.recv().await.is_some() && stop() {} });
    }
    Ok(())
}

/// Calls `stop` at every such request until it returns `false`: Ctrl-Break, the
/// console's window closed, the user logged off, the system shut down. After
/// the last three the system leaves a few seconds. Must be called inside a
/// runtime.
///
/// # Errors
/// If the system refuses.
#[cfg(windows)]
pub(crate) fn on_termination(stop: impl Fn() -> bool + Clone + Send + 'static) -> io::Result<()> {
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
