//! A process and its descendants, which are killed together.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::ProcessGroup;
#[cfg(windows)]
pub use windows::ProcessGroup;

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    use super::ProcessGroup;

    /// A shell that writes a line and then waits for another process; both hold the pipe
    /// open.
    fn waiting() -> Command {
        let (shell, flag, script) = if cfg!(windows) {
            ("cmd", "/C", "echo here& ping -n 1000 127.0.0.1 >NUL")
        } else {
            ("sh", "-c", "echo here; sleep 1000 & wait")
        };
        let mut command = Command::new(shell);
        command.args([flag, script]);
        command
    }

    #[test]
    fn descendants_end_with_the_process() {
        let mut command = waiting();
        ProcessGroup::separate(&mut command);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("a shell");
        let group = ProcessGroup::of(child.id());
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        output.read_line(&mut line).expect("it writes");
        group.kill();
        line.clear();
        assert_eq!(output.read_line(&mut line).expect("read"), 0, "both ended");
        child.wait().expect("it has ended");
    }

    #[cfg(unix)]
    #[test]
    fn a_process_that_has_ended_keeps_its_id() {
        let mut command = Command::new("true");
        ProcessGroup::separate(&mut command);
        let mut child = command.spawn().expect("a process");
        while !ProcessGroup::leader_has_ended(&mut child).expect("a child") {
            std::thread::yield_now();
        }
        let pid = libc::pid_t::try_from(child.id()).expect("a pid");
        // SAFETY: signal 0 only checks whether the process exists.
        assert_eq!(unsafe { libc::kill(pid, 0) }, 0, "not reaped");
        assert!(child.wait().expect("it has ended").success());
    }
}
