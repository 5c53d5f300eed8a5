//! Replays a run's games with a rules library that had no part in playing them,
//! and checks that ledger and PGN agree.

pub(super) mod replay;

use std::fmt::Write as _;

use anyhow::Context;
use sha2::{Digest, Sha256};
use shakmaty::CastlingMode;

use crate::experiment::{Experiment, PairResult};
use crate::ledger::{Entry, GAMES_PGN, GamesFile, LedgerError, Pairs};
use crate::rules::{Ending, Notation, game_digest};
use crate::rules::{GameResult, Termination};
use crate::run::{Fold, MANIFEST, RunFiles, conditions};
use replay::replay;

/// What verifying found.
pub(crate) struct VerifyReport {
    pub games: u64,
    /// One line for each fault.
    pub faults: Vec<String>,
    /// Over all games up to the verdict, in hexadecimal.
    pub digest: String,
    pub fold: Fold<Box<dyn Experiment>>,
}

/// Verifies a run.
///
/// # Errors
/// If its files cannot be read.
pub(crate) fn verify(
    files: &RunFiles,
    experiment: Box<dyn Experiment>,
) -> anyhow::Result<VerifyReport> {
    let RunFiles {
        folder,
        manifest,
        pairs,
    } = files;
    let path = folder.path().join(GAMES_PGN);
    let unreadable = || format!("cannot read {}", path.display());
    let mut pgn = GamesFile::open(&path).with_context(unreadable)?;
    let len = pgn.bytes().with_context(unreadable)?;
    let mut faults = Vec::new();
    check_offsets(pairs, len, &mut faults)?;
    let names = manifest.names();
    let mode = manifest.config.r#match.variant.castling_mode();
    let notation = manifest.config.pgn.notation;
    let conditions = conditions::read(folder.path())?;
    let (mut total, mut under_others) = (0, 0);
    for entry in pairs.by_arrival()? {
        let entry = entry?;
        total += 1;
        under_others += u64::from(entry.conditions.is_some_and(|then| then != conditions));
        for game in 0..2 {
            let text = pgn.game(entry.pgn[game]).with_context(unreadable)?;
            if let Err(fault) = check_game(&entry, game, text, &names, mode, notation) {
                faults.push(format!(
                    "pair {}, game {}: {fault}",
                    entry.result.pair + 1,
                    game + 1
                ));
            }
        }
    }
    if under_others > 0 {
        faults.push(format!(
            "{MANIFEST} has changed: {under_others} of {total} pairs were played under other conditions"
        ));
    }
    let shard = experiment.shard();
    let mut fold = Fold::new(experiment, manifest.engines.len(), manifest.repeats);
    let mut hasher = Sha256::new();
    let mut different = 0;
    for entry in pairs.in_order(u64::MAX)? {
        let entry = entry?;
        different += 1;
        if !shard.contains(entry.result.pair) {
            let pair = entry.result.pair + 1;
            faults.push(format!("pair {pair} does not belong to {}", shard.words()));
        }
        let before = fold.absorbed();
        fold.push(entry.result.clone());
        if fold.absorbed() > before {
            hasher.update(digest_rows(&entry, &names));
        }
    }
    if different < total {
        faults.push(format!(
            "{} pairs are in the ledger twice",
            total - different
        ));
    }
    Ok(VerifyReport {
        games: total * 2,
        faults,
        digest: hasher
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
        fold,
    })
}

/// The games must fill the PGN without gap or overlap.
fn check_offsets(pairs: &Pairs, len: u64, faults: &mut Vec<String>) -> Result<(), LedgerError> {
    let mut at = 0;
    for entry in pairs.by_arrival()? {
        let entry = entry?;
        for (offset, bytes) in entry.pgn {
            if offset != at {
                faults.push(format!(
                    "pair {}: its game begins at byte {at} of {GAMES_PGN}, but the ledger has {offset}",
                    entry.result.pair + 1
                ));
            }
            at = offset.saturating_add(bytes);
        }
    }
    if at != len {
        faults.push(format!(
            "{GAMES_PGN} has {len} bytes, the games of the ledger make {at}"
        ));
    }
    Ok(())
}

fn check_game(
    entry: &Entry,
    game: usize,
    text: &[u8],
    names: &[String],
    mode: CastlingMode,
    notation: Notation,
) -> Result<(), String> {
    if (text.len() as u64) < entry.pgn[game].1 {
        return Err("it lies outside the PGN".to_string());
    }
    let players = entry.result.engines.map(|engine| names[engine].as_str());
    check_text(&entry.result, game, text, players, mode, notation).map(|_| ())
}

/// How a game began and went.
#[cfg_attr(
    not(feature = "fleet"),
    expect(dead_code, reason = "a fleet checks the games of its workers by it")
)]
pub(crate) struct Line {
    pub(crate) fen: Option<String>,
    /// UCI moves separated by spaces, those of the opening included.
    pub(crate) moves: String,
}

/// Makes sure that a game's text tells what the pair's result does. `players` are the
/// names of the pair's first and second engine.
///
/// # Errors
/// What differs, in words.
pub(crate) fn check_text(
    pair: &PairResult,
    game: usize,
    text: &[u8],
    players: [&str; 2],
    mode: CastlingMode,
    notation: Notation,
) -> Result<Line, String> {
    let replayed = replay(text, mode, notation)?;
    let result = &pair.games[game];
    let [white, black] = [players[game], players[1 - game]];
    let fits = [
        ("White", replayed.white == white),
        ("Black", replayed.black == black),
        ("round", replayed.round == (pair.pair + 1).to_string()),
        ("result", replayed.result == result.outcome.as_str()),
    ];
    if let Some((what, _)) = fits.into_iter().find(|(_, fits)| !fits) {
        return Err(format!("{what} differs between ledger and PGN"));
    }
    let digest = game_digest(replayed.fen.as_deref(), &replayed.moves, result.outcome);
    if digest != result.digest {
        return Err("its moves are not those of the ledger's digest".to_string());
    }
    check_ending(replayed.ending, result)?;
    Ok(Line {
        fen: replayed.fen,
        moves: replayed.moves,
    })
}

/// An ending by rule must be on the board, exactly where the game ends.
fn check_ending(ending: Option<Ending>, result: &GameResult) -> Result<(), String> {
    let by_rule = matches!(
        result.termination,
        Termination::Checkmate
            | Termination::Stalemate
            | Termination::InsufficientMaterial
            | Termination::Repetition
            | Termination::FiftyMoves
    );
    let claimed = by_rule.then_some(Ending {
        outcome: result.outcome,
        termination: result.termination,
    });
    let word = |ending: Option<Ending>| ending.map_or("no end by rule", |e| e.termination.words());
    if claimed == ending {
        Ok(())
    } else {
        Err(format!(
            "the board shows {}, but the ledger has {}",
            word(ending),
            word(claimed)
        ))
    }
}

/// A pair's rows without what differs between two runs of the same games.
fn digest_rows(entry: &Entry, names: &[String]) -> String {
    let PairResult {
        pair,
        engines,
        games,
    } = &entry.result;
    let mut rows = String::new();
    for (number, game) in games.iter().enumerate() {
        let white = &names[engines[number]];
        let black = &names[engines[1 - number]];
        writeln!(
            rows,
            "{},{},{white},{black},{},{},{},{},{:016x}",
            pair + 1,
            number + 1,
            entry.opening_number,
            game.outcome.as_str(),
            game.termination.words(),
            game.plies,
            game.digest
        )
        .expect("writing to a string cannot fail");
    }
    rows
}
