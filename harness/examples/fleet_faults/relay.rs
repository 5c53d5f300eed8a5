//! A TCP relay that can be cut: then it forwards no bytes and closes no connection.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

const PREFIX: &str = "hone1.";
/// Interval at which a cut relay is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A relay to the server.
pub(crate) struct Relay {
    address: SocketAddr,
    is_cut: Arc<AtomicBool>,
}

impl Relay {
    /// Starts a relay to a server on this machine. It runs until the campaign ends.
    pub(crate) fn to(server: SocketAddr) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let is_cut = Arc::new(AtomicBool::new(false));
        let cut = Arc::clone(&is_cut);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                wait_while(&cut);
                // A server that is being started again refuses.
                if let Ok(server) = TcpStream::connect(server) {
                    forward(&client, &server, &cut);
                    forward(&server, &client, &cut);
                }
            }
        });
        Ok(Self { address, is_cut })
    }

    /// The credential in a line of `hone fleet up`, with the address of this relay.
    pub(crate) fn credential(&self, line: &str) -> anyhow::Result<String> {
        let encoded = line.strip_prefix(PREFIX).context("not a credential")?;
        let mut access: serde_json::Value =
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(encoded)?)?;
        access["url"] = format!("tls://{}", self.address).into();
        let json = serde_json::to_vec(&access)?;
        Ok(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(json)))
    }

    /// Cuts the connections for a time.
    pub(crate) fn cut_for(&self, time: Duration) {
        self.is_cut.store(true, Ordering::Relaxed);
        thread::sleep(time);
        self.is_cut.store(false, Ordering::Relaxed);
    }
}

fn wait_while(cut: &AtomicBool) {
    while cut.load(Ordering::Relaxed) {
        thread::sleep(POLL_INTERVAL);
    }
}

/// Forwards one direction of a connection on a thread of its own.
fn forward(from: &TcpStream, to: &TcpStream, cut: &Arc<AtomicBool>) {
    let (Ok(mut from), Ok(mut to)) = (from.try_clone(), to.try_clone()) else {
        return;
    };
    let cut = Arc::clone(cut);
    thread::spawn(move || {
        let mut bytes = [0; 64 * 1024];
        while let Ok(read @ 1..) = from.read(&mut bytes) {
            wait_while(&cut);
            if to.write_all(&bytes[..read]).is_err() {
                break;
            }
        }
        wait_while(&cut);
        // Ends the other direction, too.
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    });
}
