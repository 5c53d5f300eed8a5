//! Accepts connections and limits the resources of each.

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

/// Maximum number of connections; more wait until one ends.
const CONNECTIONS: usize = 1000;
/// Time limit for the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// Time limit for a client to accept further bytes.
const STUCK: Duration = Duration::from_secs(30);
/// Maximum size of the head of a request, in bytes.
pub(super) const HEAD_BYTES: usize = 32 << 10;

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
            // For example too many open files; retry after some are closed.
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
    // A closed connection is not an error.
    tokio::select! {
        _ = connection => {}
        _ = ending.wait_for(|ending| *ending) => {}
    }
}

/// A connection that ends if the client does not accept bytes in time.
struct Bounded {
    stream: TcpStream,
    /// Timeout that runs while the client accepts nothing.
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
