//! Whether the terminal obeys escape sequences.

/// Whether standard error, a terminal, can be redrawn.
#[cfg(not(windows))]
pub(crate) fn accepts_escapes() -> bool {
    std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Consoles of Windows 10 and later do once they are asked to.
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
