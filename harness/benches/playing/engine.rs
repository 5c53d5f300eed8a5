//! The instant engine: a random legal move as soon as it is asked.
//!
//! It does as little as an engine can, so that what a game costs is what the
//! program that runs it costs. When it ends, it leaves a record of how often it
//! was asked and, if wanted, when.

use std::env;
use std::fs;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process;

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};

/// Folder for the records of engines, and whether they shall hold times.
pub(crate) const RECORDS: &str = "INSTANT_ENGINE_RECORDS";
pub(crate) const TIMES: &str = "INSTANT_ENGINE_TIMES";

/// Nanoseconds on the clock that all processes share.
fn now() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a live `timespec`.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// What happened in an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// A `go` was read.
    Asked,
    /// A `bestmove` is about to be written.
    Answering,
}

/// One record: when, in which position (after the move that is answered with).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) at: u64,
    pub(crate) event: Event,
    pub(crate) position: u64,
}

/// What an engine leaves behind.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) asked: u64,
    pub(crate) games: u64,
    pub(crate) moments: Vec<Moment>,
}

impl Record {
    fn write(&self) -> io::Result<()> {
        let Some(folder) = env::var_os(RECORDS) else {
            return Ok(());
        };
        let mut bytes = Vec::new();
        let mut push = |number: u64| bytes.extend_from_slice(&number.to_le_bytes());
        push(self.asked);
        push(self.games);
        for moment in &self.moments {
            push(moment.at);
            push(u64::from(moment.event == Event::Answering));
            push(moment.position);
        }
        fs::write(PathBuf::from(folder).join(process::id().to_string()), bytes)
    }

    pub(crate) fn read(bytes: &[u8]) -> Self {
        let numbers: Vec<u64> = bytes
            .chunks_exact(8)
            .map(|chunk| u64::from_le_bytes(chunk.try_into().expect("eight bytes")))
            .collect();
        let moments = numbers[2..].chunks_exact(3).map(|moment| Moment {
            at: moment[0],
            event: match moment[1] {
                0 => Event::Asked,
                _ => Event::Answering,
            },
            position: moment[2],
        });
        Self {
            asked: numbers[0],
            games: numbers[1],
            moments: moments.collect(),
        }
    }
}

/// A position as it was last described, so that a longer description of the
/// same game costs only its new moves.
struct Game {
    described: Vec<u8>,
    /// FNV-1a over `described`.
    hash: u64,
    position: Chess,
}

impl Game {
    fn new() -> Self {
        Self {
            described: Vec::new(),
            hash: 0,
            position: Chess::default(),
        }
    }

    fn describe(&mut self, command: &[u8]) {
        let known = self.described.len();
        if known > 0 && command.len() > known && command.starts_with(&self.described) {
            let added = &command[known..];
            self.hash = fnv(self.hash, added);
            let added = added.trim_ascii_start();
            self.play(added.strip_prefix(b"moves").unwrap_or(added));
            self.described.extend_from_slice(&command[known..]);
            return;
        }
        self.described.clear();
        self.described.extend_from_slice(command);
        self.hash = fnv(0xcbf2_9ce4_8422_2325, command);
        let text = std::str::from_utf8(command).expect("commands are ASCII");
        let (start, moves) = text.split_once(" moves").unwrap_or((text, ""));
        self.position = match start.strip_prefix("position fen ") {
            None => Chess::default(),
            Some(fen) => {
                let fen: Fen = fen.parse().expect("a FEN");
                fen.into_position(CastlingMode::Standard)
                    .expect("a legal position")
            }
        };
        let moves = moves.as_bytes().to_vec();
        self.play(&moves);
    }

    fn play(&mut self, moves: &[u8]) {
        for word in moves
            .split(u8::is_ascii_whitespace)
            .filter(|w| !w.is_empty())
        {
            let uci = UciMove::from_ascii(word).expect("a move");
            let legal = uci.to_move(&self.position).expect("a legal move");
            self.position.play_unchecked(legal);
        }
    }
}

fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Answers until `quit`.
pub(crate) fn run(seed: u64) -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut buffer = Vec::new();
    let mut chunk = [0; 16 * 1024];
    let mut record = Record::default();
    let timed = env::var_os(TIMES).is_some();
    let mut random = seed | 1;
    let mut game = Game::new();
    let mut answer = Vec::new();
    loop {
        let count = input.read(&mut chunk)?;
        if count == 0 {
            return record.write();
        }
        let arrived = now();
        buffer.extend_from_slice(&chunk[..count]);
        let mut done = 0;
        while let Some(length) = memchr::memchr(b'\n', &buffer[done..]) {
            let line = buffer[done..done + length].trim_ascii_end();
            done += length + 1;
            answer.clear();
            if line.starts_with(b"position") {
                game.describe(line);
            } else if line.starts_with(b"go") {
                record.asked += 1;
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let moves = game.position.legal_moves();
                let chosen = moves[(random % moves.len() as u64) as usize];
                let uci = chosen.to_uci(CastlingMode::Standard);
                let mut text = Vec::with_capacity(8);
                uci.append_ascii_to(&mut text);
                answer.extend_from_slice(b"info depth 1 score cp 0 nodes 1 pv ");
                answer.extend_from_slice(&text);
                answer.extend_from_slice(b"\nbestmove ");
                answer.extend_from_slice(&text);
                answer.push(b'\n');
                if timed {
                    record.moments.push(Moment {
                        at: arrived,
                        event: Event::Asked,
                        position: game.hash,
                    });
                    let moves: &[u8] = match memchr::memmem::find(&game.described, b" moves ") {
                        None => b" moves ",
                        Some(_) => b" ",
                    };
                    let after = fnv(fnv(game.hash, moves), &text);
                    record.moments.push(Moment {
                        at: now(),
                        event: Event::Answering,
                        position: after,
                    });
                }
            } else if line == b"isready" {
                answer.extend_from_slice(b"readyok\n");
            } else if line == b"ucinewgame" {
                record.games += 1;
            } else if line == b"uci" {
                answer.extend_from_slice(b"id name Instant\nid author hone\nuciok\n");
            } else if line == b"quit" {
                return record.write();
            }
            if !answer.is_empty() {
                output.write_all(&answer)?;
                output.flush()?;
            }
        }
        buffer.drain(..done);
    }
}
