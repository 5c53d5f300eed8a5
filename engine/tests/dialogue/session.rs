//! A UCI session with the built engine.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Time limit for an answer, long enough for a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Session {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Session {
    pub(crate) fn new() -> Session {
        Session::of(Command::new(env!("CARGO_BIN_EXE_stillwater")))
    }

    /// A session with the engine that `command` starts.
    pub(crate) fn of(mut command: Command) -> Session {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Session {
            input: child.stdin.take(),
            child,
            lines,
        }
    }

    pub(crate) fn send(&mut self, text: &str) {
        let input = self.input.as_mut().expect("still open");
        input
            .write_all(format!("{text}\n").as_bytes())
            .expect("the engine reads");
    }

    fn next(&mut self) -> String {
        self.lines
            .recv_timeout(PATIENCE)
            .expect("the engine answers")
    }

    /// All lines up to and including the one that begins with `start`.
    pub(crate) fn until(&mut self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.next();
            let found = line.starts_with(start);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    pub(crate) fn ask(&mut self, text: &str, start: &str) -> Vec<String> {
        self.send(text);
        self.until(start)
    }

    /// Ends the session and returns the remaining output.
    pub(crate) fn quit(mut self) -> Vec<String> {
        self.send("quit");
        self.end()
    }

    pub(crate) fn end(mut self) -> Vec<String> {
        self.input = None;
        let mut rest = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            rest.push(line);
        }
        assert!(self.child.wait().expect("it ends").success());
        rest
    }
}
