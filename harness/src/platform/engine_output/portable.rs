//! What there is where a thread's reads cannot be interrupted by a timer.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, ReadBuf};
use tokio::process::ChildStdout;

use super::ReadAlone;

/// A timer that never fires, so that every wait goes through the runtime.
#[derive(Debug)]
pub(crate) struct ReadTimer;

impl ReadTimer {
    /// # Errors
    /// None here.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self)
    }

    pub(crate) fn arm() -> bool {
        false
    }

    pub(crate) fn disarm() {}
}

#[derive(Debug)]
pub(crate) struct EngineOutput(ChildStdout);

impl EngineOutput {
    /// # Errors
    /// None here.
    pub(crate) fn new(stdout: ChildStdout) -> io::Result<Self> {
        Ok(Self(stdout))
    }
}

impl ReadAlone for EngineOutput {
    fn read_alone(&mut self, _: &mut [u8]) -> io::Result<Option<usize>> {
        Ok(None)
    }

    fn read_present(&mut self, into: &mut [u8]) -> io::Result<Option<usize>> {
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
