//! Systems where no timer can interrupt the reads of a single thread.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, ReadBuf};
use tokio::process::ChildStdout;

use super::DirectRead;

/// Cannot be armed, so that every wait uses the runtime.
#[derive(Debug)]
pub struct ReadTimer;

impl ReadTimer {
    /// # Errors
    /// None here.
    pub fn new() -> io::Result<Self> {
        Ok(Self)
    }

    pub fn arm() -> bool {
        false
    }

    pub fn disarm() {}
}

#[derive(Debug)]
pub struct EngineOutput(ChildStdout);

impl EngineOutput {
    /// # Errors
    /// None here.
    pub fn new(stdout: ChildStdout) -> io::Result<Self> {
        Ok(Self(stdout))
    }
}

impl DirectRead for EngineOutput {
    fn read_blocking(&mut self, _: &mut [u8]) -> io::Result<Option<usize>> {
        Ok(None)
    }

    fn read_available(&mut self, into: &mut [u8]) -> io::Result<Option<usize>> {
        let mut into = ReadBuf::new(into);
        // The next wait registers its own waker.
        let mut context = Context::from_waker(Waker::noop());
        match Pin::new(&mut self.0).poll_read(&mut context, &mut into) {
            Poll::Ready(read) => read.map(|()| Some(into.filled().len())),
            Poll::Pending => Ok(None),
        }
    }
}

impl AsyncRead for EngineOutput {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, into)
    }
}
