//! `audit.jsonl`: the append-only log of all actions, with their user and outcome.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde::Serialize;

use hone_base::platform::append_whole;

const NAME: &str = "audit.jsonl";

/// Maximum lines per minute for requests without a valid token, which anyone who reaches the
/// address can send.
const WITHOUT_TOKEN: u32 = 10;
const MINUTE: Duration = Duration::from_secs(60);

/// The audit log.
#[derive(Debug)]
pub(crate) struct Audit(Mutex<Log>);

#[derive(Debug)]
struct Log {
    path: PathBuf,
    file: File,
    /// Start of the current minute, and its number of lines without a valid token.
    minute: Instant,
    without_token: u32,
    /// Requests without a line since the last line.
    omitted: u64,
}

/// An action, allowed or not.
#[derive(Debug, Serialize)]
pub(crate) struct Event<'a> {
    /// The owner of the token; `None` if it was missing or wrong.
    pub by: Option<&'a str>,
    /// The address of the client.
    pub from: String,
    pub action: &'a str,
    pub run: &'a str,
    /// `ok`, or the reason of the refusal.
    pub outcome: &'a str,
}

#[derive(Serialize)]
struct Line<'a> {
    time: jiff::Timestamp,
    #[serde(flatten)]
    event: &'a Event<'a>,
    /// Number of earlier requests without a valid token that have no line.
    #[serde(skip_serializing_if = "is_zero")]
    omitted: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Audit {
    /// Opens the file in a folder. An incomplete last line, left by a crash, stays a line of
    /// its own.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn open(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(NAME);
        let file = open_at_line_start(&path);
        let file = file.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self(Mutex::new(Log {
            path,
            file,
            minute: Instant::now(),
            without_token: 0,
            omitted: 0,
        })))
    }

    /// Adds an action. The number of lines for requests without a valid token is limited.
    ///
    /// # Errors
    /// Those of the file system; an action that cannot be logged must not be done.
    pub(crate) fn note(&self, event: &Event<'_>) -> anyhow::Result<()> {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.note(event, Instant::now())
    }
}

impl Log {
    fn note(&mut self, event: &Event<'_>, now: Instant) -> anyhow::Result<()> {
        if event.by.is_none() && !self.has_line_without_token(now) {
            self.omitted += 1;
            return Ok(());
        }
        let line = Line {
            time: jiff::Timestamp::now(),
            event,
            omitted: self.omitted,
        };
        let mut line = serde_json::to_vec(&line)?;
        line.push(b'\n');
        self.append(&line).context("cannot write the audit log")?;
        self.omitted = 0;
        Ok(())
    }

    fn append(&self, line: &[u8]) -> io::Result<()> {
        let len = self.file.metadata()?.len();
        append_whole(&self.file, &self.path, len, line)?;
        self.file.sync_data()
    }

    fn has_line_without_token(&mut self, now: Instant) -> bool {
        if now.duration_since(self.minute) >= MINUTE {
            self.minute = now;
            self.without_token = 0;
        }
        let has_line = self.without_token < WITHOUT_TOKEN;
        self.without_token += u32::from(has_line);
        has_line
    }
}

/// Opens a file for appending, and ends its last line.
fn open_at_line_start(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let mut file = options.read(true).append(true).create(true).open(path)?;
    if file.metadata()?.len() > 0 {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stop(outcome: &str) -> Event<'_> {
        Event {
            by: Some("ann"),
            from: "127.0.0.1:1".to_string(),
            action: "stop",
            run: "x",
            outcome,
        }
    }

    #[test]
    fn a_line_after_one_that_a_crash_cut_off_is_complete() {
        let dir = tempfile::tempdir().expect("a folder");
        let note = || {
            let audit = Audit::open(dir.path()).expect("made");
            audit.note(&stop("ok")).expect("noted");
        };
        note();
        let path = dir.path().join(NAME);
        let line = std::fs::read_to_string(&path).expect("there");
        for cut in [1, line.len() - 1] {
            std::fs::write(&path, &line[..cut]).expect("written");
            note();
            note();
            let text = std::fs::read_to_string(&path).expect("there");
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!((lines.len(), lines[0]), (3, &line[..cut]));
            for line in &lines[1..] {
                serde_json::from_str::<serde_json::Value>(line).expect("JSON");
            }
        }
    }

    /// A limit on the size of files cuts off a write, as a full disk does. It applies to a
    /// whole process, so the test starts itself again with such a limit.
    #[cfg(unix)]
    #[test]
    fn a_line_that_does_not_fit_on_the_disk_leaves_no_part() {
        const FOLDER: &str = "HONE_TEST_FULL_AUDIT";
        if let Some(folder) = std::env::var_os(FOLDER) {
            hone_base::platform::fail_beyond_limit();
            let audit = Audit::open(Path::new(&folder)).expect("made");
            audit.note(&stop("ok")).expect("it fits");
            let long = "long ".repeat(10_000);
            audit.note(&stop(&long)).expect_err("beyond the limit");
            audit.note(&stop("ok")).expect("it fits");
            return;
        }
        let dir = tempfile::tempdir().expect("a folder");
        let (_, module) = module_path!().split_once("::").expect("a crate");
        let name = "a_line_that_does_not_fit_on_the_disk_leaves_no_part";
        let limited = std::process::Command::new("sh")
            .args(["-c", "ulimit -f 1 && exec \"$@\"", "sh"])
            .arg(std::env::current_exe().expect("this program"))
            .args(["--exact", &format!("{module}::{name}")])
            .env(FOLDER, dir.path())
            .output()
            .expect("started");
        let words = String::from_utf8_lossy(&limited.stdout);
        assert!(words.contains("1 passed"), "{limited:?}");
        let text = std::fs::read_to_string(dir.path().join(NAME)).expect("there");
        for line in text.lines() {
            serde_json::from_str::<serde_json::Value>(line).expect("JSON");
        }
        assert_eq!(text.lines().count(), 2);
    }

    #[test]
    fn requests_without_a_token_cannot_fill_the_disk() {
        let dir = tempfile::tempdir().expect("a folder");
        let audit = Audit::open(dir.path()).expect("made");
        let mut log = audit.0.lock().expect("free");
        let start = log.minute;
        let mut note = |by: Option<&str>, seconds: u64| {
            let event = Event {
                by,
                from: "127.0.0.1:1".to_string(),
                action: "stop",
                run: "x",
                outcome: "no valid token",
            };
            let now = start + Duration::from_secs(seconds);
            log.note(&event, now).expect("noted");
        };
        for second in 0..50 {
            note(None, second);
        }
        note(Some("ann"), 50);
        note(Some("ann"), 50);
        note(None, 59);
        note(None, 61);
        let text = std::fs::read_to_string(dir.path().join(NAME)).expect("there");
        let lines = text
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
        let omitted: Vec<Option<u64>> = lines.map(|line| line["omitted"].as_u64()).collect();
        let mut expected = vec![None; 13];
        (expected[10], expected[12]) = (Some(40), Some(1));
        assert_eq!(omitted, expected);
    }
}
