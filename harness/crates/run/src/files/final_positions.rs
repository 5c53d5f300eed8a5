//! Restores `games.epd` of a run that is resumed from its games.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, anyhow};

use super::manifest::Manifest;
use crate::ledger::{GAMES_EPD, GAMES_PGN, GamesFile, Pairs};
use crate::verify::replay::replay;
use hone_base::output::Announce;
use hone_base::platform::write_whole;
use hone_uci::rules::final_epd;

/// Writes `games.epd` again if it is missing or has fewer lines than the run has games, up to
/// the first pair whose games are cut off in `games.pgn`.
///
/// # Errors
/// If a file cannot be read or written, or a game cannot be replayed.
pub fn restore(dir: &Path, manifest: &Manifest, announce: Announce<'_>) -> anyhow::Result<()> {
    if !manifest.config.pgn.epd {
        return Ok(());
    }
    let path = dir.join(GAMES_EPD);
    let lines = lines_of(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let pairs = Pairs::open(dir, &manifest.names())?;
    let mut games = 0_u64;
    for entry in pairs.by_arrival()? {
        entry?;
        games = games.saturating_add(2);
    }
    if lines >= games {
        return Ok(());
    }
    write(dir, manifest, &pairs).with_context(|| format!("cannot restore {}", path.display()))?;
    announce(&format!(
        "warning: {} had {lines} of {games} final positions: written again from {GAMES_PGN}",
        path.display()
    ));
    Ok(())
}

/// Number of whole lines; 0 if the file is missing.
fn lines_of(path: &Path) -> io::Result<u64> {
    let mut reader = match File::open(path) {
        Ok(file) => BufReader::new(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    let mut lines = 0_u64;
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            return Ok(lines);
        }
        let ends = memchr::memchr_iter(b'\n', chunk).count();
        lines = lines.saturating_add(ends as u64);
        let read = chunk.len();
        reader.consume(read);
    }
}

fn write(dir: &Path, manifest: &Manifest, pairs: &Pairs) -> anyhow::Result<()> {
    let mode = manifest.config.r#match.variant.castling_mode();
    let notation = manifest.config.pgn.notation;
    let mut pgn = GamesFile::open(&dir.join(GAMES_PGN))?;
    let bytes = pgn.bytes()?;
    write_whole(&dir.join(GAMES_EPD), |out| {
        for entry in pairs.by_arrival()? {
            let entry = entry?;
            let [_, second] = entry.pgn;
            if second.end() > bytes {
                break;
            }
            for (game, place) in (1..).zip(entry.pgn) {
                let replayed = replay(pgn.game(place)?, mode, notation).map_err(|fault| {
                    let pair = entry.result.pair.saturating_add(1);
                    anyhow!("pair {pair}, game {game} of {GAMES_PGN}: {fault}")
                })?;
                out.write_all(final_epd(replayed.referee.position()).as_bytes())?;
            }
        }
        Ok(())
    })
}
