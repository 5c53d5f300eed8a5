//! Replays a run's games with a rules library that had no part in playing
//! them, and checks that ledger and PGN tell one story.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::ops::ControlFlow;

use anyhow::Context;
use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};
use sha2::{Digest, Sha256};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};

use crate::experiment::{Experiment, GameResult, PairResult, Termination};
use crate::game::{Ending, Referee, game_digest};
use crate::ledger::{Entry, GAMES_PGN, in_pair_order};
use crate::run::{Fold, Folder, Manifest, read_entries};

/// What verifying found.
pub struct VerifyReport {
    pub games: u64,
    /// One line for each thing that does not fit.
    pub faults: Vec<String>,
    /// Over all games up to the verdict, in hexadecimal.
    pub digest: String,
    pub fold: Fold<Box<dyn Experiment>>,
}

/// Verifies a run.
///
/// # Errors
/// If its files cannot be read.
pub fn verify(
    folder: &Folder,
    manifest: &Manifest,
    experiment: Box<dyn Experiment>,
) -> anyhow::Result<VerifyReport> {
    let entries = read_entries(folder, manifest)?;
    let path = folder.path().join(GAMES_PGN);
    let pgn = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut faults = Vec::new();
    check_offsets(&entries, pgn.len() as u64, &mut faults);
    let names = manifest.names();
    let mode = manifest.config.r#match.variant.castling_mode();
    for entry in &entries {
        for game in 0..2 {
            if let Err(fault) = check_game(entry, game, &pgn, &names, mode) {
                faults.push(format!(
                    "pair {}, game {}: {fault}",
                    entry.result.pair + 1,
                    game + 1
                ));
            }
        }
    }
    let games = entries.len() as u64 * 2;
    let total = entries.len();
    let ordered = in_pair_order(entries);
    if ordered.len() < total {
        faults.push(format!(
            "{} pairs are in the ledger twice",
            total - ordered.len()
        ));
    }
    let mut fold = Fold::new(experiment, manifest.engines.len());
    let mut hasher = Sha256::new();
    for entry in &ordered {
        let before = fold.absorbed();
        fold.push(entry.result.clone());
        if fold.absorbed() > before {
            hasher.update(digest_rows(entry, &names));
        }
    }
    Ok(VerifyReport {
        games,
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
fn check_offsets(entries: &[Entry], len: u64, faults: &mut Vec<String>) {
    let mut at = 0;
    for entry in entries {
        for (offset, bytes) in entry.pgn {
            if offset != at {
                faults.push(format!(
                    "pair {}: its game should begin at byte {at} of {GAMES_PGN}, the ledger says {offset}",
                    entry.result.pair + 1
                ));
            }
            at = offset + bytes;
        }
    }
    if at != len {
        faults.push(format!(
            "{GAMES_PGN} has {len} bytes, the games of the ledger make {at}"
        ));
    }
}

fn check_game(
    entry: &Entry,
    game: usize,
    pgn: &[u8],
    names: &[String],
    mode: CastlingMode,
) -> Result<(), String> {
    let (offset, bytes) = entry.pgn[game];
    let text = usize::try_from(offset)
        .ok()
        .zip(usize::try_from(offset + bytes).ok())
        .and_then(|(start, end)| pgn.get(start..end))
        .ok_or("it lies outside the PGN")?;
    let replayed = replay(text, mode)?;
    let result = &entry.result.games[game];
    let [white, black] = match game {
        0 => entry.result.engines,
        _ => [entry.result.engines[1], entry.result.engines[0]],
    };
    let fits = [
        ("White", replayed.white == names[white]),
        ("Black", replayed.black == names[black]),
        (
            "round",
            replayed.round == (entry.result.pair + 1).to_string(),
        ),
        ("result", replayed.result == result.outcome.as_str()),
    ];
    if let Some((what, _)) = fits.into_iter().find(|(_, fits)| !fits) {
        return Err(format!("{what} differs between ledger and PGN"));
    }
    let digest = game_digest(replayed.fen.as_deref(), &replayed.moves, result.outcome);
    if digest != result.digest {
        return Err("its moves are not those of the ledger's digest".to_string());
    }
    check_ending(replayed.ending, result)
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
    let told = by_rule.then_some(Ending {
        outcome: result.outcome,
        termination: result.termination,
    });
    let word = |ending: Option<Ending>| ending.map_or("no end by rule", |e| e.termination.words());
    if told == ending {
        Ok(())
    } else {
        Err(format!(
            "the board shows {}, the ledger says {}",
            word(ending),
            word(told)
        ))
    }
}

struct Replayed {
    white: String,
    black: String,
    round: String,
    result: String,
    fen: Option<String>,
    /// UCI moves separated by spaces.
    moves: String,
    referee: Referee,
    ending: Option<Ending>,
}

fn replay(pgn: &[u8], mode: CastlingMode) -> Result<Replayed, String> {
    let mut reader = Reader::new(io::Cursor::new(pgn));
    let mut replay = Replay { mode };
    reader
        .read_game(&mut replay)
        .map_err(|error| error.to_string())?
        .ok_or("there is no game in the PGN")?
}

struct Replay {
    mode: CastlingMode,
}

impl Visitor for Replay {
    type Tags = Replayed;
    type Movetext = (Replayed, Option<String>);
    type Output = Result<Replayed, String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        ControlFlow::Continue(Replayed {
            white: String::new(),
            black: String::new(),
            round: String::new(),
            result: String::new(),
            fen: None,
            moves: String::new(),
            referee: Referee::new(Chess::default()),
            ending: None,
        })
    }

    fn tag(
        &mut self,
        tags: &mut Self::Tags,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        let value = value.decode_utf8_lossy().into_owned();
        match name {
            b"White" => tags.white = value,
            b"Black" => tags.black = value,
            b"Round" => tags.round = value,
            b"Result" => tags.result = value,
            b"FEN" => tags.fen = Some(value),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(
        &mut self,
        mut tags: Self::Tags,
    ) -> ControlFlow<Self::Output, Self::Movetext> {
        if let Some(fen) = &tags.fen {
            let position = Fen::from_ascii(fen.as_bytes())
                .map_err(|error| error.to_string())
                .and_then(|fen| {
                    fen.into_position(self.mode)
                        .map_err(|error| error.to_string())
                });
            match position {
                Ok(position) => tags.referee = Referee::new(position),
                Err(error) => {
                    return ControlFlow::Break(Err(format!("its FEN tag is no position: {error}")));
                }
            }
        }
        tags.ending = tags.referee.ending();
        ControlFlow::Continue((tags, None))
    }

    fn san(
        &mut self,
        (game, fault): &mut Self::Movetext,
        san: SanPlus,
    ) -> ControlFlow<Self::Output> {
        if fault.is_some() {
            return ControlFlow::Continue(());
        }
        if let Some(ending) = game.ending {
            let words = ending.termination.words();
            *fault = Some(format!("it goes on after {words}"));
            return ControlFlow::Continue(());
        }
        match san.san.to_move(game.referee.position()) {
            Ok(legal) => {
                let uci = legal.to_uci(self.mode);
                write!(game.moves, " {uci}").expect("writing to a string cannot fail");
                game.ending = game.referee.play(legal);
            }
            Err(_) => *fault = Some(format!("{san} is no legal move after{}", game.moves)),
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Self::Movetext) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, (game, fault): Self::Movetext) -> Self::Output {
        match fault {
            Some(fault) => Err(fault),
            None => Ok(game),
        }
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
