//! Keeps the terminal from printing `^C` into the scoreboard when the user presses Ctrl-C.

/// Turns the echo of control characters off until it is dropped.
#[derive(Debug)]
pub struct NoEcho {
    /// The settings to restore.
    #[cfg(unix)]
    before: Option<libc::termios>,
}

#[cfg(unix)]
impl NoEcho {
    pub fn start() -> Self {
        let mut settings = std::mem::MaybeUninit::<libc::termios>::uninit();
        // SAFETY: `tcgetattr` fills the settings if it returns 0, and only
        // then are they read.
        let before = unsafe {
            match libc::tcgetattr(libc::STDERR_FILENO, settings.as_mut_ptr()) {
                0 => Some(settings.assume_init()),
                _ => None,
            }
        };
        if let Some(mut quiet) = before.filter(|_| is_in_foreground()) {
            quiet.c_lflag &= !libc::ECHOCTL;
            set(&quiet);
        }
        Self { before }
    }
}

#[cfg(unix)]
impl Drop for NoEcho {
    fn drop(&mut self) {
        if let Some(before) = self.before.filter(|_| is_in_foreground()) {
            set(&before);
        }
    }
}

/// Whether the process may change the terminal: the system would stop a background process.
#[cfg(unix)]
fn is_in_foreground() -> bool {
    // SAFETY: both calls only read.
    unsafe { libc::tcgetpgrp(libc::STDERR_FILENO) == libc::getpgrp() }
}

#[cfg(unix)]
fn set(settings: &libc::termios) {
    // SAFETY: the settings come from `tcgetattr`. On failure the terminal is unchanged.
    unsafe {
        libc::tcsetattr(libc::STDERR_FILENO, libc::TCSANOW, settings);
    }
}

#[cfg(not(unix))]
impl NoEcho {
    pub fn start() -> Self {
        Self {}
    }
}
