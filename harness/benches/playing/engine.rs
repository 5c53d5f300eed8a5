//! The instant engine: it answers `go` at once with a random legal move.
//!
//! It does as little as an engine can, so that the cost of a game is that of the program
//! that runs it. When it ends, it writes a record: the number of its searches and games
//! and, on request, their times.

use std::env;
use std::fs;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process;

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};

/// Environment variable: the folder for the records of engines.
pub(crate) const RECORDS: &str = "INSTANT_ENGINE_RECORDS";
/// Environment variable: if it is set, records contain times.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventKind {
    /// A `go` was read.
    Go,
    /// A `bestmove` is about to be written.
    BestMove,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Event {
    /// Time on the monotonic clock.
    pub(crate) ns: u64,
    pub(crate) kind: EventKind,
    /// Hash of the `position` command; for `BestMove`, of that after the move.
    pub(crate) position: u64,
}

/// The file that an engine writes when it ends.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) searches: u64,
    pub(crate) games: u64,
    pub(crate) events: Vec<Event>,
}

impl Record {
    fn write(&self) -> io::Result<()> {
        let Some(folder) = env::var_os(RECORDS) else {
            return Ok(());
        };
        let mut bytes = Vec::new();
        let mut push = |number: u64| bytes.extend_from_slice(&number.to_le_bytes());
        push(self.searches);
        push(self.games);
        for event in &self.events {
            push(event.ns);
            push(u64::from(event.kind == EventKind::BestMove));
            push(event.position);
        }
        fs::write(PathBuf::from(folder).join(process::id().to_string()), bytes)
    }

    pub(crate) fn read(bytes: &[u8]) -> Self {
        let numbers: Vec<u64> = bytes
            .chunks_exact(8)
            .map(|chunk| u64::from_le_bytes(chunk.try_into().expect("eight bytes")))
            .collect();
        let events = numbers[2..].chunks_exact(3).map(|event| Event {
            ns: event[0],
            kind: match event[1] {
                0 => EventKind::Go,
                _ => EventKind::BestMove,
            },
            position: event[2],
        });
        Self {
            searches: numbers[0],
            games: numbers[1],
            events: events.collect(),
        }
    }
}

/// The position of the last `position` command. If the next command only adds moves, only
/// these are played.
#[derive(Default)]
struct Game {
    command: Vec<u8>,
    /// FNV-1a of `command`.
    hash: u64,
    position: Chess,
}

impl Game {
    fn set(&mut self, command: &[u8]) {
        let known = self.command.len();
        if known > 0 && command.len() > known && command.starts_with(&self.command) {
            let added = &command[known..];
            self.hash = fnv(self.hash, added);
            self.command.extend_from_slice(added);
            let added = added.trim_ascii_start();
            self.play(added.strip_prefix(b"moves").unwrap_or(added));
            return;
        }
        self.command.clear();
        self.command.extend_from_slice(command);
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
        self.play(moves.as_bytes());
    }

    /// A legal move in UCI notation, by a step of an xorshift generator.
    fn random_move(&self, random: &mut u64) -> Vec<u8> {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        let moves = self.position.legal_moves();
        let chosen = moves[(*random % moves.len() as u64) as usize];
        let mut text = Vec::with_capacity(8);
        chosen
            .to_uci(CastlingMode::Standard)
            .append_ascii_to(&mut text);
        text
    }

    /// The hash of the `position` command after another move.
    fn hash_after(&self, uci: &[u8]) -> u64 {
        let separator: &[u8] = match memchr::memmem::find(&self.command, b" moves ") {
            None => b" moves ",
            Some(_) => b" ",
        };
        fnv(fnv(self.hash, separator), uci)
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
    let mut game = Game::default();
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
                game.set(line);
            } else if line.starts_with(b"go") {
                record.searches += 1;
                let uci = game.random_move(&mut random);
                answer.extend_from_slice(b"info depth 1 score cp 0 nodes 1 pv ");
                answer.extend_from_slice(&uci);
                answer.extend_from_slice(b"\nbestmove ");
                answer.extend_from_slice(&uci);
                answer.push(b'\n');
                if timed {
                    record.events.push(Event {
                        ns: arrived,
                        kind: EventKind::Go,
                        position: game.hash,
                    });
                    record.events.push(Event {
                        ns: now(),
                        kind: EventKind::BestMove,
                        position: game.hash_after(&uci),
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
