//! The reading end of a pipe, for the runtime and for blocking reads.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, Interest, ReadBuf};
use tokio::process::ChildStdout;

use super::DirectRead;

/// A pipe in blocking mode. As an [`AsyncRead`] it is read only when it has data.
#[derive(Debug)]
pub struct EngineOutput {
    pipe: AsyncFd<OwnedFd>,
}

impl EngineOutput {
    /// # Errors
    /// If the pipe cannot be set to blocking mode or registered with the runtime.
    pub fn new(stdout: ChildStdout) -> io::Result<Self> {
        let pipe = stdout.into_owned_fd()?;
        // SAFETY: the descriptor is open; these calls only change its flags.
        let set = unsafe {
            let flags = libc::fcntl(pipe.as_raw_fd(), libc::F_GETFL);
            libc::fcntl(pipe.as_raw_fd(), libc::F_SETFL, flags & !libc::O_NONBLOCK)
        };
        if set < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the pipe's descriptor is its own and open as long as it lives.
        let pipe = unsafe { AsyncFd::register_with_interest(pipe, Interest::READABLE)? };
        Ok(Self { pipe })
    }

    fn read_once(&self, into: &mut [u8]) -> io::Result<usize> {
        // SAFETY: the descriptor is open and the buffer has the given length.
        let count =
            unsafe { libc::read(self.pipe.as_raw_fd(), into.as_mut_ptr().cast(), into.len()) };
        usize::try_from(count).map_err(|_| io::Error::last_os_error())
    }

    /// Whether a read would return at once. The runtime's own state may be out of date: a
    /// blocking read may have taken the data since.
    fn is_readable(&self) -> bool {
        let mut poll = libc::pollfd {
            fd: self.pipe.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        // SAFETY: the pointer is to one live pollfd.
        unsafe { libc::poll(&raw mut poll, 1, 0) > 0 }
    }
}

impl DirectRead for EngineOutput {
    fn read_blocking(&mut self, into: &mut [u8]) -> io::Result<Option<usize>> {
        match self.read_once(into) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
            read => read.map(Some),
        }
    }

    fn read_available(&mut self, into: &mut [u8]) -> io::Result<Option<usize>> {
        if self.is_readable() {
            self.read_blocking(into)
        } else {
            Ok(None)
        }
    }
}

impl AsyncRead for EngineOutput {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let mut ready = ready!(self.pipe.poll_read_ready(context))?;
            if !self.is_readable() {
                ready.clear_ready();
                continue;
            }
            let space = into.initialize_unfilled();
            match self.read_once(space) {
                Ok(count) => into.advance(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Poll::Ready(Err(error)),
            }
            return Poll::Ready(Ok(()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::process::{ChildStdin, Command};
    use tokio::time::timeout;

    use super::*;
    use crate::platform::ReadTimer;

    /// Runs a test with the input and output of `cat` in a separate thread, which may
    /// hang.
    fn with_cat(test: impl AsyncFnOnce(ChildStdin, EngineOutput) + Send + 'static) {
        let (done, ended) = mpsc::channel();
        thread::spawn(move || {
            let runtime = crate::platform::runtime().expect("a runtime");
            runtime.block_on(async {
                let mut cat = Command::new("cat")
                    .stdin(Stdio::piped())
                    .stdout(Stdio::piped())
                    .kill_on_drop(true)
                    .spawn()
                    .expect("cat");
                let output = cat.stdout.take().expect("piped");
                let output = EngineOutput::new(output).expect("a pipe");
                test(cat.stdin.take().expect("piped"), output).await;
            });
            done.send(()).expect("somebody waits");
        });
        ended
            .recv_timeout(Duration::from_secs(60))
            .expect("the test neither hangs nor fails");
    }

    fn read_blocking(output: &mut EngineOutput) -> Vec<u8> {
        let mut bytes = [0; 16];
        loop {
            if let Some(count) = output.read_blocking(&mut bytes).expect("read") {
                return bytes[..count].to_vec();
            }
        }
    }

    #[test]
    fn the_read_timer_ends_a_read_that_finds_nothing() {
        with_cat(async |mut input, mut output| {
            assert!(!ReadTimer::arm(), "the thread has no timer yet");
            let timer = ReadTimer::new().expect("a timer");
            assert!(ReadTimer::arm());
            assert_eq!(output.read_blocking(&mut [0; 16]).expect("read"), None);
            assert_eq!(output.read_blocking(&mut [0; 16]).expect("read"), None);
            input.write_all(b"here\n").await.expect("write");
            assert_eq!(read_blocking(&mut output), b"here\n");
            drop(input);
            assert_eq!(read_blocking(&mut output), b"", "the end");
            drop(timer);
            assert!(!ReadTimer::arm(), "the timer is dropped");
        });
    }

    #[test]
    fn a_read_of_what_is_present_never_waits() {
        with_cat(async |mut input, mut output| {
            let mut bytes = [0; 16];
            assert_eq!(output.read_available(&mut bytes).expect("read"), None);
            input.write_all(b"one\n").await.expect("write");
            while !output.is_readable() {
                thread::yield_now();
            }
            assert_eq!(output.read_available(&mut bytes).expect("read"), Some(4));
            assert_eq!(output.read_available(&mut bytes).expect("read"), None);
            // The runtime reports later data.
            input.write_all(b"two\n").await.expect("write");
            let count = output.read(&mut bytes).await.expect("read");
            assert_eq!(&bytes[..count], b"two\n");
        });
    }

    #[test]
    fn the_runtime_does_not_block_on_data_that_a_blocking_read_has_taken() {
        with_cat(async |mut input, mut output| {
            let _timer = ReadTimer::new().expect("a timer");
            let moment = Duration::from_millis(20);
            let mut bytes = [0; 16];
            for _ in 0..3 {
                input.write_all(b"one\n").await.expect("write");
                assert!(ReadTimer::arm());
                assert_eq!(read_blocking(&mut output), b"one\n");
                ReadTimer::disarm();
                // The runtime has an event for data that a blocking read has taken.
                assert!(timeout(moment, output.read(&mut bytes)).await.is_err());
                input.write_all(b"two\n").await.expect("write");
                let count = output.read(&mut bytes).await.expect("read");
                assert_eq!(&bytes[..count], b"two\n");
            }
        });
    }
}
