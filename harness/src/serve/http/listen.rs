//! Takes connections and bounds what each can cost.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, Sleep, sleep};

/// Connections at once; more wait until one ends.
const CONNECTIONS: usize = 1000;
/// Time for the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// Time for a browser to take something of what it is sent.
const STUCK: Duration = Duration::from_secs(30);
/// Bytes of the head of a request.
const HEAD_BYTES: usize = 32 << 10;

/// Serves until `ending` is set.
pub(crate) async fn listen(
    listener: TcpListener,
    router: Router,
    mut ending: watch::Receiver<bool>,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = ending.wait_for(|ending| *ending) => return,
        };
        let Ok((stream, address)) = accepted else {
            // Too many files are open, for example: some will be closed.
            sleep(Duration::from_millis(100)).await;
            continue;
        };
        let router = router.clone().layer(axum::Extension(address));
        let ending = ending.clone();
        tokio::spawn(async move {
            serve(stream, router, ending).await;
            drop(place);
        });
    }
}

async fn serve(stream: TcpStream, router: Router, mut ending: watch::Receiver<bool>) {
    let _ = stream.set_nodelay(true);
    let io = TokioIo::new(Bounded::new(stream));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(io, TowerToHyperService::new(router));
    // A browser that has left is not an error.
    tokio::select! {
        _ = connection => {}
        _ = ending.wait_for(|ending| *ending) => {}
    }
}

/// A connection whose other end must take what it is sent.
struct Bounded {
    stream: TcpStream,
    /// Runs while it takes nothing.
    patience: Option<Pin<Box<Sleep>>>,
}

impl Bounded {
    fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            patience: None,
        }
    }

    fn judge<T>(
        &mut self,
        poll: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if poll.is_ready() {
            self.patience = None;
            return poll;
        }
        let patience = self
            .patience
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + STUCK)));
        ready!(patience.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Bounded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Bounded {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(poll, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
