//! Messages for tests.

use super::super::samples::{name, pair_job};
use super::*;
use hone_experiment::PairResult;
use hone_run::executor::PlayedPair;
use hone_uci::rules::Detail;
use hone_uci::rules::{Effort, Outcome, Termination};

/// A run's notice with this priority, whose games need `threads` threads.
pub(crate) fn notice_of(priority: u32, threads: usize) -> Notice {
    Notice {
        priority,
        threads,
        ..notice()
    }
}

pub(crate) fn job(pair: u64) -> Job {
    let file = |player| FileRef {
        sha256: "0a".repeat(32),
        bytes: 12,
        name: "engine".to_string(),
        player,
        option: None,
        bench: None,
    };
    Job {
        run: name("run"),
        lease: "0".repeat(32),
        pair: pair_job(pair),
        files: vec![file(0), file(1)],
        sources: Vec::new(),
        reference: None,
        not_by: Vec::new(),
    }
}

/// The games of [`played`], as a slot of a worker reports them.
pub(crate) fn played_pair(pair: u64) -> PlayedPair {
    let PlayedReply { games, texts, .. } = played(pair, String::new());
    PlayedPair {
        result: PairResult {
            pair,
            engines: [0, 1],
            games,
        },
        opening_number: 1,
        texts,
        worker: 0,
        finished_ms: 0,
    }
}

/// 1. f3 e5 2. g4 Qh4#, twice: each engine loses with White.
pub(crate) fn played(pair: u64, lease: String) -> PlayedReply {
    let moves = "f2f3 e7e5 g2g4 d8h4";
    let effort = Effort {
        moves: 2,
        ..Effort::default()
    };
    let game = || GameResult {
        outcome: Outcome::Black,
        termination: Termination::Checkmate,
        plies: 4,
        ms: [1, 2],
        nodes: [200, 200],
        effort: [effort; 2],
        digest: hone_uci::rules::game_digests(None, moves, Outcome::Black).game,
        line: None,
    };
    let text = |white: &str, black: &str| GameText {
        pgn: format!(
            "[Event \"?\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Round \"{}\"]\n\
             [Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n",
            pair + 1
        ),
        epd: String::new(),
        detail: Detail::None,
    };
    PlayedReply {
        pair,
        lease,
        finished_ms: 5,
        nps: None,
        built: false,
        games: [game(), game()],
        texts: [text("new", "old"), text("old", "new")],
        evidence: Vec::new(),
    }
}

/// 1. f3 e6 2. g4 Qh4#, twice: another result of the same pair.
pub(crate) fn played_otherwise(pair: u64, lease: String) -> PlayedReply {
    let mut played = played(pair, lease);
    for (game, text) in played.games.iter_mut().zip(&mut played.texts) {
        text.pgn = text.pgn.replace(" e5", " e6");
        let moves = "f2f3 e7e6 g2g4 d8h4";
        game.digest = hone_uci::rules::game_digests(None, moves, game.outcome).game;
    }
    played
}

/// The status of a worker with four cores that holds these pairs.
pub(crate) fn status(run: &Name, holds: &[u64]) -> Status {
    Status {
        cores: 4,
        holds: BTreeMap::from([(run.clone(), holds.to_vec())]),
        ..Status::default()
    }
}

/// The notice of a run without pairs in flight.
pub(crate) fn notice() -> Notice {
    Notice {
        title: String::new(),
        priority: 100,
        threads: 1,
        memory_mb: 100,
        platform: "linux-x86_64".to_string(),
        has_sources: false,
        tables: None,
        recorded: 0,
        in_flight: 0,
        draining: false,
        exclude: Vec::new(),
        quarantined: BTreeMap::new(),
    }
}
