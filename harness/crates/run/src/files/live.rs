//! `live.json`: the games in play, for display by other processes. Runs do not depend on it,
//! and it is removed when the process ends.

use std::fs::{self, File};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::executor::{Boards, LiveGame};
use hone_base::platform::read_regular;

/// Name of the file in a run's folder.
pub const LIVE: &str = "live.json";

/// Time between two writes while games change.
const INTERVAL: Duration = Duration::from_millis(400);

/// Maximum number of games in the file: those of the first workers.
const MAX_GAMES: usize = 64;

/// Contents of `live.json`. The file is overwritten in place, which is cheap for
/// the disk; in a half-written file, `begin` and `end` differ.
#[derive(Debug, Serialize, Deserialize)]
pub struct LiveGames {
    begin: u64,
    pub games: Vec<LiveGame>,
    end: u64,
}

impl LiveGames {
    /// Reads the games of the run in a folder; `None` if it does not publish them, or the
    /// file is being written.
    pub fn read(dir: &Path) -> Option<Self> {
        let text = read_regular(&dir.join(LIVE)).ok()?;
        let games: Self = serde_json::from_slice(&text).ok()?;
        (games.begin == games.end).then_some(games)
    }

    /// Version of the file, which grows with each change.
    pub fn number(&self) -> u64 {
        self.begin
    }
}

/// Publishes the games of a run until it is dropped.
#[derive(Debug)]
pub struct Publisher {
    path: PathBuf,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Publisher {
    /// Publishes in a run's folder. Failures are ignored.
    pub fn start(dir: &Path, boards: Boards) -> Self {
        let path = dir.join(LIVE);
        let (stop, stopped) = mpsc::channel::<()>();
        let file = path.clone();
        let publish = move || {
            let mut writer = Writer::new(file);
            while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                writer.update(&boards);
            }
        };
        let thread = thread::Builder::new().name("live games".into());
        Self {
            path,
            stop: Some(stop),
            thread: thread.spawn(publish).ok(),
        }
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        // It may never have been written.
        let _ = fs::remove_file(&self.path);
    }
}

struct Writer {
    path: PathBuf,
    file: Option<File>,
    version: u64,
    number: u64,
}

impl Writer {
    fn new(path: PathBuf) -> Self {
        Self {
            path,
            file: None,
            version: 0,
            number: 0,
        }
    }

    fn update(&mut self, boards: &Boards) {
        let (version, games) = boards.games(MAX_GAMES);
        if version == self.version {
            return;
        }
        self.version = version;
        self.number = self.number.wrapping_add(1);
        let games = LiveGames {
            begin: self.number,
            games,
            end: self.number,
        };
        if let Ok(text) = serde_json::to_vec(&games)
            && self.write(&text).is_err()
        {
            // The folder may be gone, or the disk full; the ledger reports it.
            self.file = None;
        }
    }

    fn write(&mut self, text: &[u8]) -> std::io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(File::create(&self.path)?),
        };
        file.rewind()?;
        file.write_all(text)?;
        file.set_len(text.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(pair: u64) -> LiveGame {
        serde_json::from_value(serde_json::json!({
            "pair": pair, "game": 1, "players": [1, 0], "opening": 3, "fen": null,
            "moves": [{ "uci": "e2e4" }], "left_ms": [null, 20], "thinking_since_ms": 5
        }))
        .expect("a game")
    }

    #[test]
    fn games_are_published_while_they_are_played_and_no_longer() {
        let dir = tempfile::tempdir().expect("a folder");
        let boards = Boards::new(1);
        let mut place = boards.writer(0);
        let publisher = Publisher::start(dir.path(), boards);
        let wait = |wanted: &[LiveGame]| {
            while LiveGames::read(dir.path()).is_none_or(|live| live.games != wanted) {
                thread::sleep(Duration::from_millis(10));
            }
        };
        place.begin(game(1_000_000));
        wait(&[game(1_000_000)]);
        // A shorter text takes the place of a longer one.
        place.begin(game(1));
        wait(&[game(1)]);
        place.end();
        wait(&[]);
        drop(publisher);
        assert!(!dir.path().join(LIVE).exists());
    }

    #[test]
    fn half_a_file_and_foreign_text_are_not_read() {
        let dir = tempfile::tempdir().expect("a folder");
        for (text, is_read) in [
            (r#"{"begin":2,"games":[],"end":2}"#, true),
            (r#"{"begin":2,"games":[],"end":1}"#, false),
            (r#"{"begin":2,"games":["#, false),
            ("", false),
            (
                r#"{"begin":2,"games":[{"pair":1,"game":1,"players":[1,0],"opening":3,"fen":null,
                "moves":[{"uci":"<script>"}],"left_ms":[null,20],"thinking_since_ms":5}],"end":2}"#,
                false,
            ),
        ] {
            fs::write(dir.path().join(LIVE), text).expect("written");
            assert_eq!(LiveGames::read(dir.path()).is_some(), is_read, "{text}");
        }
    }
}
