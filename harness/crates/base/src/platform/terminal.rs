//! Whether the terminal supports escape sequences.

/// Whether standard error, which is a terminal, supports escape sequences.
#[cfg(not(windows))]
pub(crate) fn accepts_escapes() -> bool {
    std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Turns on escape sequences, which consoles support from Windows 10 on. Returns whether
/// that succeeded.
#[cfg(windows)]
pub(crate) fn accepts_escapes() -> bool {
    use windows_sys::Win32::System::Console::{
        ENABLE_VIRTUAL_TERMINAL_PROCESSING, GetConsoleMode, GetStdHandle, STD_ERROR_HANDLE,
        SetConsoleMode,
    };
    // SAFETY: the calls fail for a handle that is not a console's; the mode is
    // written before it is read.
    unsafe {
        let console = GetStdHandle(STD_ERROR_HANDLE);
        let mut mode = 0;
        GetConsoleMode(console, &raw mut mode) != 0
            && SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0
    }
}
