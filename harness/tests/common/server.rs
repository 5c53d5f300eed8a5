//! `hone serve` under test, and a client that sends any bytes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::hone;
use super::running::Running;

/// Longer than any answer takes on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A server, ended when it is dropped.
pub(crate) struct Server {
    child: Running,
    /// `127.0.0.1:PORT`.
    pub(crate) address: String,
}

/// An HTTP response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Status line and headers, in lower case.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Server {
    /// Serves a folder.
    pub(crate) fn start(folder: &Path, args: &[&str]) -> Self {
        let mut command = hone();
        command
            .arg("serve")
            .arg(folder)
            .args(["--listen", "127.0.0.1:0"]);
        let mut child = Running::start(command.args(args).stderr(Stdio::piped()));
        let mut lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
        let line = lines.next().expect("a line").expect("text");
        let (_, rest) = line
            .split_once("http://")
            .unwrap_or_else(|| panic!("{line}"));
        let address = rest.split(';').next().expect("an address").to_string();
        // A full pipe would block it.
        thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Self { child, address }
    }

    pub(crate) fn home(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, signal: i32) {
        super::signal(&self.child, signal);
    }

    /// Sends these bytes and reads until the server closes the connection.
    pub(crate) fn send(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).expect("sent");
        let mut bytes = Vec::new();
        // The server may close a connection whose request it refuses before it has read it.
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        let is_chunked = head.to_lowercase().contains("transfer-encoding: chunked");
        Answer {
            status: status.unwrap_or(0),
            head: head.to_lowercase(),
            body: if is_chunked {
                joined(body)
            } else {
                body.to_string()
            },
        }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(TIMEOUT)).expect("set");
        stream
    }

    /// Requests a page. The answer is read from the stream, for example events without end.
    pub(crate) fn open(&self, path: &str) -> TcpStream {
        let mut stream = self.connect();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address);
        stream.write_all(request.as_bytes()).expect("sent");
        stream
    }

    pub(crate) fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        self.send(&format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            self.address,
            body.len()
        ))
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.request("GET", path, "", "")
    }

    pub(crate) fn post(&self, path: &str, token: &str, body: &str) -> Answer {
        let header = format!("Authorization: Bearer {token}\r\n");
        self.request("POST", path, &header, body)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        super::signal(&self.child, libc::SIGTERM);
        let _ = self.child.wait();
    }
}

/// The text of a body that came in chunks.
fn joined(body: &str) -> String {
    let (mut rest, mut text) = (body, String::new());
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        let Some(chunk) = after.get(..size).filter(|_| size > 0) else {
            break;
        };
        text += chunk;
        rest = after[size..].trim_start_matches("\r\n");
    }
    text
}
