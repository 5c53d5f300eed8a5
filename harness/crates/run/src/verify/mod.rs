//! Replays a run's games with a rules library that is independent of the engines, and checks
//! that ledger and PGN agree.

mod ending;
mod faults;
mod opening;
pub(super) mod replay;

use std::fmt::Write as _;
use std::io;

use anyhow::Context;
use sha2::{Digest, Sha256};
use shakmaty::CastlingMode;

use crate::ledger::{GAME_START, GAMES_PGN, GamesFile, LedgerError, Pairs, RecordedPair};
use crate::{Fold, RunFiles, prepare::conditions::Comparison};
use faults::Faults;
use hone_base::checksum::hex;
use hone_base::text::counted;
use hone_experiment::{Experiment, PairResult};
use hone_uci::openings::Opening;
use hone_uci::rules::{Adjudication, Notation, game_digests};
use opening::Openings;
use replay::replay;

/// The result of verifying a run.
pub struct VerifyReport {
    pub games: u64,
    pub faults: Faults,
    /// SHA-256 of all games up to the verdict, in hexadecimal.
    pub digest: String,
    pub fold: Fold<Box<dyn Experiment>>,
}

/// Verifies a run.
///
/// # Errors
/// If its files cannot be read.
pub fn verify(files: &RunFiles, experiment: Box<dyn Experiment>) -> anyhow::Result<VerifyReport> {
    let RunFiles {
        folder,
        manifest,
        pairs,
    } = files;
    let mut faults = Faults::default();
    let path = folder.path().join(GAMES_PGN);
    let unreadable = || format!("cannot read {}", path.display());
    let mut games = Games {
        pgn: GamesFile::open(&path).with_context(unreadable)?,
        names: manifest.names(),
        rules: ReplayRules {
            mode: manifest.config.r#match.variant.castling_mode(),
            notation: manifest.config.pgn.notation,
            adjudication: &manifest.config.adjudication,
        },
    };
    let len = games.pgn.bytes().with_context(unreadable)?;
    let end = check_offsets(pairs, len, &mut faults)?;
    let openings = Openings::of(manifest, end);
    let mut comparison = Comparison::new(folder.path())?;
    let shard = experiment.shard();
    let (mut total, mut of_shard) = (0, 0);
    for entry in pairs.by_arrival()? {
        let entry = entry?;
        let pair = entry.result.pair;
        total += 1;
        if shard.contains(pair) {
            of_shard += 1;
        } else {
            faults.of_pair(pair, format!("it does not belong to {}", shard.words()));
        }
        comparison.add(&entry);
        let played = games.check(&entry, &mut faults).with_context(unreadable)?;
        let place = experiment.opening(pair);
        let checked = openings.as_ref().map_or(Ok(()), |all| {
            all.check(place, entry.opening_number, played.as_ref())
        });
        if let Err(fault) = checked {
            faults.of_pair(pair, fault);
        }
    }
    if let Some(fault) = comparison.fault() {
        faults.of_run(fault);
    }
    let fold = Fold::begin(experiment, manifest, folder.path())?;
    let read = fold_pairs(pairs, fold, &games.names)?;
    if read.pairs < of_shard {
        let twice = counted(of_shard - read.pairs, "pair");
        faults.of_run(format!("the ledger has {twice} twice"));
    }
    Ok(VerifyReport {
        games: total * 2,
        faults,
        digest: read.digest,
        fold: read.fold,
    })
}

/// The pairs of a ledger, each read once.
struct ReadPairs {
    fold: Fold<Box<dyn Experiment>>,
    /// Of the games up to the verdict.
    digest: String,
    /// Number of different pairs.
    pairs: u64,
}

/// Absorbs each pair once, in the order of their numbers.
fn fold_pairs(
    pairs: &Pairs,
    mut fold: Fold<Box<dyn Experiment>>,
    names: &[String],
) -> Result<ReadPairs, LedgerError> {
    let shard = fold.experiment.shard();
    let mut hasher = Sha256::new();
    let mut distinct = 0;
    for entry in pairs.in_order(shard, u64::MAX)? {
        let entry = entry?;
        distinct += 1;
        let before = fold.absorbed();
        fold.push(entry.result.clone());
        if fold.absorbed() > before {
            hasher.update(digest_rows(&entry, names));
        }
    }
    Ok(ReadPairs {
        fold,
        digest: hex(&hasher.finalize()),
        pairs: distinct,
    })
}

/// Checks that the games fill the PGN without gap or overlap. Returns the number after the
/// largest pair number.
fn check_offsets(pairs: &Pairs, len: u64, faults: &mut Faults) -> Result<u64, LedgerError> {
    let (mut at, mut end) = (0, 0);
    for entry in pairs.by_arrival()? {
        let entry = entry?;
        end = end.max(entry.result.pair.saturating_add(1));
        for game in entry.pgn {
            if game.offset != at {
                let fault = format!(
                    "its game begins at byte {at} of {GAMES_PGN}, but the ledger has {}",
                    game.offset
                );
                faults.of_pair(entry.result.pair, fault);
            }
            at = game.end();
        }
    }
    if at != len {
        faults.of_run(format!(
            "{GAMES_PGN} has {len} bytes, the games of the ledger make {at}"
        ));
    }
    Ok(end)
}

/// The games of a run, and what is needed to check them.
struct Games<'a> {
    pgn: GamesFile,
    names: Vec<String>,
    rules: ReplayRules<'a>,
}

impl Games<'_> {
    /// Checks both games of a pair. Returns their opening, if both have the same.
    fn check(&mut self, entry: &RecordedPair, faults: &mut Faults) -> io::Result<Option<Opening>> {
        let pair = entry.result.pair;
        let mut openings = [None, None];
        for (game, opening) in openings.iter_mut().enumerate() {
            let text = self.pgn.game(entry.pgn[game])?;
            let players = entry.result.engines.map(|engine| &*self.names[engine]);
            let checked = match (text.len() as u64) < entry.pgn[game].bytes {
                true => Err("it lies outside the PGN".to_string()),
                false if !text.starts_with(GAME_START) => {
                    Err("it does not begin where the ledger has it".to_string())
                }
                false => check_text(&entry.result, game, text, players, self.rules),
            };
            match checked {
                Ok(found) => *opening = Some(found),
                Err(fault) => faults.of_game(pair, game, fault),
            }
        }
        let [Some(first), Some(second)] = openings else {
            return Ok(None);
        };
        if first != second {
            let fault = "by the ledger's plies its two games have different openings";
            faults.of_pair(pair, fault.to_string());
            return Ok(None);
        }
        Ok(Some(first))
    }
}

/// The settings under which a game was played and written.
#[derive(Clone, Copy)]
pub struct ReplayRules<'a> {
    pub mode: CastlingMode,
    pub notation: Notation,
    pub adjudication: &'a Adjudication,
}

/// Checks that a game's text agrees with the result of its pair. `players` are the names of
/// the pair's first and second engine. Returns the game's opening, which ends where the
/// result's plies begin.
///
/// # Errors
/// What differs, in words.
pub fn check_text(
    pair: &PairResult,
    game: usize,
    text: &[u8],
    players: [&str; 2],
    rules: ReplayRules<'_>,
) -> Result<Opening, String> {
    let replayed = replay(text, rules.mode, rules.notation)?;
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
    let digests = game_digests(replayed.fen.as_deref(), &replayed.moves, result.outcome);
    if digests.game != result.digest {
        return Err("its moves are not those of the ledger's digest".to_string());
    }
    if result.line.is_some_and(|line| line != digests.line) {
        return Err("its moves are not those of the ledger's digest `line`".to_string());
    }
    ending::check(&replayed, result, rules.adjudication)?;
    opening::of(&replayed, result)
}

/// The digested text of a pair: the columns that do not differ between two runs of the same
/// games.
fn digest_rows(entry: &RecordedPair, names: &[String]) -> String {
    let result = &entry.result;
    let mut rows = String::new();
    for (number, game) in result.games.iter().enumerate() {
        let [white, black] = result.players(number).map(|engine| &names[engine]);
        writeln!(
            rows,
            "{},{},{white},{black},{},{},{},{},{:016x}",
            result.pair + 1,
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
