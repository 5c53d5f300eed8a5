//! The output files that a command line requests in addition to the run's folder.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::{LogFile, Program};
use hone_base::platform::{append_whole, set_len};
use hone_run::RunFiles;
use hone_run::executor::GameText;
use hone_run::ledger::{GAMES_EPD, GAMES_PGN, GamesFile};

/// Games and final positions, appended when games are shown. The run's folder always has every
/// game, also if these files are lost.
#[derive(Debug, Default)]
pub struct Files {
    pgn: Option<Written>,
    epd: Option<Written>,
    /// Whether final positions are written as FEN.
    as_fen: bool,
    error: Option<anyhow::Error>,
}

/// One of the files.
#[derive(Debug)]
struct Written {
    path: PathBuf,
    file: File,
    /// Whether it did not exist before.
    is_new: bool,
    /// Whether a new run keeps its content.
    is_continued: bool,
    /// The checksum of its content, if it is printed.
    crc: Option<crc32fast::Hasher>,
    /// Whether a game could not be written. Later ones are not, so that they keep their order
    /// when the run is resumed.
    is_given_up: bool,
}

/// A requested file: its path, and whether it is continued.
type RequestedFile = Option<(PathBuf, bool)>;

impl Files {
    /// Opens the files in the format of `program`, without changing them.
    ///
    /// # Errors
    /// If one cannot be opened.
    pub fn open(pgn: RequestedFile, epd: RequestedFile, program: Program) -> anyhow::Result<Self> {
        let open = |file: RequestedFile| {
            file.map(|(path, append)| Written::open(path, append))
                .transpose()
        };
        Ok(Self {
            pgn: open(pgn)?,
            epd: open(epd)?,
            as_fen: program == Program::Cutechess,
            error: None,
        })
    }

    /// Removes the files that were made for a run that did not start.
    pub fn discard(self) {
        for file in [self.pgn, self.epd].into_iter().flatten() {
            if file.is_new && file.len().is_ok_and(|len| len == 0) {
                // An empty file that stays does no harm.
                let _ = std::fs::remove_file(&file.path);
            }
        }
    }

    /// Empties the files that a new run does not continue.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn begin(&mut self) -> anyhow::Result<()> {
        for file in [&self.pgn, &self.epd].into_iter().flatten() {
            if !file.is_continued && file.path.is_file() {
                file.shorten(0)?;
            }
        }
        Ok(())
    }

    /// Adds games of `run` that are missing in the files: another process may have played them,
    /// or was killed before it wrote them.
    ///
    /// # Errors
    /// If a file of the run cannot be read, or one of these cannot be written.
    pub fn catch_up(&mut self, run: &RunFiles) -> anyhow::Result<()> {
        let dir = run.folder.path();
        if let Some(pgn) = self.pgn.as_mut().filter(|file| file.path.is_file()) {
            let mut games = GamesFile::open(&dir.join(GAMES_PGN))?;
            let mut known = FileRecords::read(&pgn.path, b"[Event ")?;
            for entry in run.pairs.by_arrival()? {
                for place in entry?.pgn {
                    let text = games.game(place)?.to_vec();
                    known.take(pgn, &text)?;
                }
            }
        }
        if let Some(epd) = self.epd.as_mut().filter(|file| file.path.is_file()) {
            let path = dir.join(GAMES_EPD);
            let text = match std::fs::read(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
                read => read.with_context(|| format!("cannot read {}", path.display()))?,
            };
            let mut known = FileRecords::read(&epd.path, b"")?;
            for line in String::from_utf8_lossy(&text).split_inclusive('\n') {
                known.take(epd, final_position(line, self.as_fen).as_bytes())?;
            }
        }
        Ok(())
    }

    /// Maintains the checksum of the games.
    ///
    /// # Errors
    /// If the existing content cannot be read.
    pub fn with_crc(mut self) -> anyhow::Result<Self> {
        if let Some(pgn) = &mut self.pgn {
            pgn.crc = Some(crc_of(&pgn.path)?);
        }
        Ok(self)
    }

    /// Writes a game. Returns the file of the games and its checksum.
    pub(super) fn write(&mut self, game: &GameText) -> Option<(&Path, u32)> {
        let epd = final_position(&game.epd, self.as_fen);
        for (file, text) in [(&mut self.pgn, game.pgn.as_str()), (&mut self.epd, &*epd)] {
            let Some(file) = file.as_mut().filter(|file| !file.is_given_up) else {
                continue;
            };
            if let Err(error) = file.append(text.as_bytes()) {
                self.error.get_or_insert(error);
            }
        }
        let pgn = self.pgn.as_ref()?;
        let crc = pgn.crc.clone()?.finalize();
        Some((&pgn.path, crc))
    }

    pub(super) fn take_error(&mut self) -> Option<anyhow::Error> {
        self.error.take()
    }
}

impl Written {
    fn open(path: PathBuf, append: bool) -> anyhow::Result<Self> {
        let is_new = !path.exists();
        let file = open(&path, true)?;
        Ok(Self {
            path,
            file,
            is_new,
            is_continued: append,
            crc: None,
            is_given_up: false,
        })
    }

    /// Appends a whole text, or nothing of it.
    fn append(&mut self, text: &[u8]) -> anyhow::Result<()> {
        let written = self
            .len()
            .and_then(|len| append_whole(&self.file, &self.path, len, text));
        self.is_given_up = written.is_err();
        written.with_context(|| format!("cannot write {}", self.path.display()))?;
        if let Some(crc) = &mut self.crc {
            crc.update(text);
        }
        Ok(())
    }

    /// The bytes of the file; 0 for a device or a pipe.
    fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn shorten(&self, bytes: u64) -> anyhow::Result<()> {
        let shortened = set_len(&self.file, &self.path, bytes);
        shortened.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// The records of a file: games of a PGN, or lines. Games are identified by their bytes; final
/// positions of different games may be equal.
struct FileRecords {
    counts: HashMap<u64, usize>,
    /// The start and the bytes of the last record, which may be incomplete after a kill.
    last: (u64, Vec<u8>),
}

impl FileRecords {
    /// Reads a file whose records start with a line with the prefix `first`.
    fn read(path: &Path, first: &[u8]) -> anyhow::Result<Self> {
        let failed = || format!("cannot read {}", path.display());
        let mut file = BufReader::new(File::open(path).with_context(failed)?);
        let mut counts = HashMap::new();
        let (mut start, mut record, mut line) = (0, Vec::new(), Vec::new());
        while file.read_until(b'\n', &mut line).with_context(failed)? > 0 {
            // The first line of the last record may be incomplete, after an empty line.
            let begins =
                line.starts_with(first) || first.starts_with(&line) && record.ends_with(b"\n\n");
            if begins && !record.is_empty() {
                *counts.entry(hash(&record)).or_default() += 1;
                start += record.len() as u64;
                record.clear();
            }
            record.append(&mut line);
        }
        *counts.entry(hash(&record)).or_default() += 1;
        Ok(Self {
            counts,
            last: (start, record),
        })
    }

    /// Appends a record to `file` unless the file has it.
    fn take(&mut self, file: &mut Written, record: &[u8]) -> anyhow::Result<()> {
        if let Some(count) = self
            .counts
            .get_mut(&hash(record))
            .filter(|count| **count > 0)
        {
            *count -= 1;
            return Ok(());
        }
        let (start, last) = &mut self.last;
        // An equal record is of another game that ended alike.
        if !last.is_empty() && last.len() < record.len() && record.starts_with(last) {
            file.shorten(*start)?;
            last.clear();
        }
        file.append(record)
    }
}

/// A line of `games.epd`. As a FEN (for cutechess-cli), the move counters replace its
/// operations.
fn final_position(line: &str, as_fen: bool) -> Cow<'_, str> {
    if !as_fen {
        return Cow::Borrowed(line);
    }
    let fen = line.replace(" hmvc ", " ").replace("; fmvn ", " ");
    Cow::Owned(fen.replace(';', ""))
}

fn hash(record: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(record);
    hasher.finish()
}

/// The checksum of a file's present content.
fn crc_of(path: &Path) -> anyhow::Result<crc32fast::Hasher> {
    let mut crc = crc32fast::Hasher::new();
    let failed = || format!("cannot read {}", path.display());
    let mut file = File::open(path).with_context(failed)?;
    let mut block = vec![0; 64 * 1024];
    loop {
        match file.read(&mut block).with_context(failed)? {
            0 => return Ok(crc),
            read => crc.update(&block[..read]),
        }
    }
}

impl LogFile {
    /// Opens the file; `None` without a name.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(&self) -> anyhow::Result<Option<File>> {
        let path = self.path.as_deref();
        path.map(|path| open(path, self.append)).transpose()
    }
}

fn open(path: &Path, append: bool) -> anyhow::Result<File> {
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
    }
    File::options()
        .create(true)
        .write(true)
        .append(append)
        .truncate(!append)
        .open(path)
        .with_context(|| format!("cannot open {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_start_leaves_no_empty_files() {
        let dir = tempfile::tempdir().expect("a folder");
        let (new, old) = (dir.path().join("new.pgn"), dir.path().join("old.epd"));
        std::fs::write(&old, "").expect("written");
        let pgn = Some((new.clone(), true));
        let files = Files::open(pgn, Some((old.clone(), true)), Program::Fastchess);
        files.expect("opened").discard();
        assert!(!new.exists() && old.exists());
    }

    /// The records of `whole` after a kill at any byte of `before` and it.
    fn is_whole_after_every_cut(before: &str, records: &[&str], first: &[u8]) {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("file");
        let whole = before.to_string() + &records.concat();
        for end in before.len()..=whole.len() {
            std::fs::write(&path, &whole[..end]).expect("written");
            let mut file = Written::open(path.clone(), true).expect("opened");
            let mut known = FileRecords::read(&path, first).expect("read");
            for record in records {
                known.take(&mut file, record.as_bytes()).expect("written");
            }
            let text = std::fs::read_to_string(&path).expect("there");
            assert_eq!(text, whole, "cut after {:?}", &whole[..end]);
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn after_a_failed_write_later_games_wait_for_the_resumed_run() {
        let full = Some((PathBuf::from("/dev/full"), true));
        let mut files = Files::open(full, None, Program::Fastchess).expect("opened");
        let game = GameText::default();
        let game = GameText {
            pgn: "[Event \"x\"]\n\n1-0\n\n".into(),
            ..game
        };
        files.write(&game);
        assert!(files.take_error().is_some());
        files.write(&game);
        assert!(files.take_error().is_none(), "written again");
    }

    #[test]
    fn a_file_that_was_cut_off_anywhere_is_completed() {
        let games = [
            "[Event \"x\"]\n[Round \"1\"]\n\n1. e4 1-0\n\n",
            "[Event \"x\"]\n[Round \"2\"]\n\n1. e4 0-1\n\n",
        ];
        is_whole_after_every_cut("", &games, b"[Event ");
        is_whole_after_every_cut("[Event \"y\"]\n\n*\n\n", &games, b"[Event ");
        // Different games may end in the same position.
        is_whole_after_every_cut("", &["a b\n", "c d\n", "c d\n"], b"");
        is_whole_after_every_cut("c d\n", &["a b\n", "a b\n"], b"");
    }
}
