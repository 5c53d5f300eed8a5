//! A UCI engine for tests and benchmarks: it answers at once with a random legal move of a
//! seeded generator, and misbehaves at the events in its command line.
//!
//! ```text
//! scripted_engine [--seed N] [--name NAME] [--crlf] [--ponder] [--lose PERCENT]
//!                 [--learn | --vary] [EVENT=ACTION]...
//!
//! --lose   in so many of a hundred games its score is -9 pawns, so that a match which
//!          adjudicates them has a weaker engine; opening and seed decide which games
//! --learn  ucinewgame has no effect: its moves depend on the games before, and from the third
//!          game of the process on it never has the score of --lose
//! --vary   another seed in each process
//! EVENT    start, uci, isready, quit, ucinewgame or go (each of them), move (a go
//!          of a game, after ucinewgame), ponder (a go ponder), ponderhit, stop (both
//!          after a go ponder), or ucinewgame:N or go:N (the Nth of the process, from
//!          1). In the search before a run, whose ucinewgame follows an isready, the
//!          event trial replaces the first ucinewgame, and the event move is missing
//! ACTION   exit:CODE, abort, hang, silent, stop (SIGSTOP to itself), close (its
//!          output), late:MS, twice (each answer), illegal, malformed, escape (a move with
//!          control characters), none, flood (info lines without end), blank (empty lines
//!          without end), options (option lines without end), longline (8 MB), chatter
//!          (20,000 info lines), nonutf8, badpv, endlesspv, nodes:N (reported in info),
//!          stderr, grumble (500 kB to standard error), fork:SECONDS (a
//!          child that sleeps), orphan:SECONDS (a child that sleeps and holds the
//!          output open), spin:MS (uses processor time), alloc:MB (uses memory),
//!          mark:FILE (creates the file), until:FILE (waits until the file exists),
//!          probe:PORT (its name lists whether it can reach the port, write to HOME and see
//!          other processes)
//! ```
//!
//! `silent`, `illegal`, `malformed`, `escape` and `none` replace the answer. After the other
//! actions the engine continues as usual, unless they end it.

use std::fs::{self, File};
use std::io::{self, BufRead, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::PathBuf;
use std::process::{self, Command, Stdio};
use std::thread;
use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Move, Position};

struct Script {
    seed: u64,
    name: String,
    line_end: &'static str,
    /// Whether `bestmove` has a move to ponder on.
    ponder: bool,
    lose: u64,
    learn: bool,
    actions: Vec<(String, String)>,
}

impl Script {
    fn parse(mut args: impl Iterator<Item = String>) -> Self {
        let mut script = Self {
            seed: 1,
            name: "Scripted".to_string(),
            line_end: "\n",
            ponder: false,
            lose: 0,
            learn: false,
            actions: Vec::new(),
        };
        while let Some(arg) = args.next() {
            match (arg.as_str(), arg.split_once('=')) {
                ("--seed" | "--lose", _) => {
                    let number = args.next().and_then(|number| number.parse().ok());
                    let number = number.unwrap_or_else(|| usage(&format!("{arg} needs a number")));
                    if arg == "--seed" {
                        script.seed = number;
                    } else {
                        script.lose = number;
                    }
                }
                ("--name", _) => {
                    script.name = args.next().unwrap_or_else(|| usage("--name needs a name"));
                }
                ("--crlf", _) => script.line_end = "\r\n",
                ("--ponder", _) => script.ponder = true,
                ("--learn", _) => script.learn = true,
                ("--vary", _) => script.seed ^= u64::from(process::id()) << 32,
                (_, Some((event, action))) => {
                    script.actions.push((event.to_string(), action.to_string()));
                }
                _ => usage(&format!("{arg} is neither a flag nor EVENT=ACTION")),
            }
        }
        script
    }

    fn actions(&self, event: &str) -> impl Iterator<Item = &str> {
        self.actions
            .iter()
            .filter(move |(on, _)| on == event)
            .map(|(_, action)| action.as_str())
    }
}

fn usage(problem: &str) -> ! {
    eprintln!("scripted_engine: {problem}");
    process::exit(2)
}

/// Whether the engine still has to answer after an action.
#[derive(PartialEq)]
enum Then {
    Answer,
    /// The action has answered, or there must not be an answer.
    Answered,
}

struct Engine {
    script: Script,
    rng: ChaCha8Rng,
    position: Chess,
    mode: CastlingMode,
    /// Its score in this game.
    score: i32,
    /// The last `position` command, so that only new moves are played.
    command: String,
    gos: u64,
    games: u64,
    /// Whether this process is for the search before a run.
    trial: bool,
    /// Principal variation in place of the move.
    variation: Option<&'static str>,
    nodes: u64,
    /// Whether every answer is written twice.
    twice: bool,
    pondering: bool,
    /// The memory of `alloc`.
    memory: Vec<Vec<u8>>,
}

impl Engine {
    /// Writes text and a line end.
    fn print(&self, text: &str) {
        let mut out = io::stdout().lock();
        // In one write, so that a second answer arrives with the first.
        let _ = out.write_all((text.to_owned() + self.script.line_end).as_bytes());
        let _ = out.flush();
    }

    fn act(&mut self, event: &str) -> Then {
        let actions: Vec<String> = self.script.actions(event).map(str::to_string).collect();
        let mut then = Then::Answer;
        for action in actions {
            let (verb, value) = action.split_once(':').unwrap_or((&action, ""));
            let number = value.parse::<u64>().unwrap_or(0);
            match verb {
                "exit" => process::exit(number as i32),
                "abort" => process::abort(),
                "hang" => loop {
                    thread::sleep(Duration::from_secs(3600));
                },
                "silent" => then = Then::Answered,
                "stop" => stop_self(),
                "close" => close_output(),
                "twice" => self.twice = true,
                "late" => thread::sleep(Duration::from_millis(number)),
                "illegal" | "malformed" | "escape" | "none" => {
                    self.print(match verb {
                        "illegal" => "bestmove a1a1",
                        "malformed" => "bestmove e2-e4!x#",
                        "escape" => "bestmove \u{1b}[31mred\0",
                        _ => "bestmove (none)",
                    });
                    then = Then::Answered;
                }
                "flood" => loop {
                    self.print("info depth 1 score cp 1 nodes 1 pv e2e4");
                },
                "blank" => flood("\n"),
                "options" => flood("option name Tune type spin default 1 min 0 max 9\n"),
                "nodes" => self.nodes = number,
                "longline" => self.print(&format!("info string {}", "x".repeat(8 << 20))),
                "chatter" => {
                    for depth in 0..20_000 {
                        self.print(&format!("info depth {depth} score cp 5 nodes {depth}"));
                    }
                }
                "nonutf8" => {
                    let mut out = io::stdout().lock();
                    let _ = out.write_all(b"info string \xff\xfe\x00\n");
                }
                "badpv" => self.variation = Some("a1a1 zz {x} h9h9"),
                "endlesspv" => {
                    let pv = "g1f3 g8f6 f3g1 f6g8 ".repeat(5_000);
                    self.print(&format!("info depth 3 score cp 7 nodes 9 pv {pv}"));
                }
                "grumble" => (0..5_000).for_each(|line| eprintln!("{line:100}")),
                "stderr" => eprintln!("something went wrong inside"),
                "spin" => spin(Duration::from_millis(number)),
                "mark" => drop(File::create(value)),
                "until" => {
                    while !fs::exists(value).unwrap_or(false) {
                        thread::sleep(Duration::from_millis(5));
                    }
                }
                "alloc" => self.memory.push(vec![1; (number as usize) << 20]),
                "probe" => self.script.name = probe(number as u16),
                "fork" => fork_sleeper(value, false),
                "orphan" => fork_sleeper(value, true),
                _ => usage(&format!("unknown action {action}")),
            }
        }
        then
    }

    fn set_position(&mut self, command: &str) {
        let rest = command.strip_prefix(self.command.as_str());
        let moves = match rest.filter(|_| !self.command.is_empty()) {
            Some(rest) => rest.trim_start().trim_start_matches("moves"),
            None => {
                self.score = if self.loses(command) { -900 } else { 0 };
                let body = command.trim_start_matches("position").trim();
                let (start, moves) = body.split_once("moves").unwrap_or((body, ""));
                let start = start.trim();
                self.position = match start.strip_prefix("fen") {
                    Some(fen) => fen
                        .trim()
                        .parse::<Fen>()
                        .ok()
                        .and_then(|fen| fen.into_position(self.mode).ok())
                        .unwrap_or_else(|| usage(&format!("bad position: {command}"))),
                    None => Chess::default(),
                };
                moves
            }
        };
        for text in moves.split_whitespace() {
            let legal = text
                .parse::<UciMove>()
                .ok()
                .and_then(|uci| uci.to_move(&self.position).ok())
                .unwrap_or_else(|| usage(&format!("{text} is illegal: {command}")));
            self.position.play_unchecked(legal);
        }
        self.command.clear();
        self.command.push_str(command);
    }

    /// Whether its score is bad in the game that begins with this `position`.
    fn loses(&self, command: &str) -> bool {
        if self.script.learn && self.games > 2 {
            return false;
        }
        let mixed = command.bytes().fold(self.script.seed, |mixed, byte| {
            mixed.rotate_left(7) ^ u64::from(byte)
        });
        ChaCha8Rng::seed_from_u64(mixed).next_u64() % 100 < self.script.lose
    }

    fn go(&mut self) {
        self.gos += 1;
        let numbered = format!("go:{}", self.gos);
        let in_game = if self.games > 0 && !self.trial {
            "move"
        } else {
            ""
        };
        for event in ["go", &numbered, in_game] {
            if self.act(event) == Then::Answered {
                return;
            }
        }
        let moves = self.position.legal_moves();
        if moves.is_empty() {
            self.print("bestmove 0000");
            return;
        }
        let index = self.rng.next_u64() % moves.len() as u64;
        let legal = moves[index as usize];
        let uci = legal.to_uci(self.mode);
        let reply = self.reply(legal);
        let own = uci.to_string();
        let variation = self.variation.unwrap_or(&own);
        let end = self.script.line_end;
        let answer = format!("bestmove {uci}{reply}");
        let again = if self.twice {
            format!("{end}{answer}")
        } else {
            String::new()
        };
        self.print(&format!(
            "info depth 1 seldepth 1 score cp {} nodes {} nps 1000 time 0 pv {variation}{end}{answer}{again}",
            self.score, self.nodes
        ));
    }

    /// ` ponder MOVE` with the first legal reply, or nothing.
    fn reply(&self, legal: Move) -> String {
        if !self.script.ponder {
            return String::new();
        }
        let mut after = self.position.clone();
        after.play_unchecked(legal);
        match after.legal_moves().first() {
            Some(reply) => format!(" ponder {}", reply.to_uci(self.mode)),
            None => String::new(),
        }
    }

    fn new_game(&mut self) {
        if !self.script.learn {
            // The moves of a game must not depend on earlier games.
            self.rng = ChaCha8Rng::seed_from_u64(self.script.seed);
        }
        self.command.clear();
        self.games += 1;
        if self.games == 1 && self.trial {
            self.act("trial");
            return;
        }
        self.trial = false;
        self.act("ucinewgame");
        self.act(&format!("ucinewgame:{}", self.games));
    }
}

fn main() {
    let script = Script::parse(std::env::args().skip(1));
    let mut engine = Engine {
        rng: ChaCha8Rng::seed_from_u64(script.seed),
        script,
        position: Chess::default(),
        mode: CastlingMode::Standard,
        score: 0,
        command: String::new(),
        gos: 0,
        games: 0,
        trial: false,
        variation: None,
        nodes: 1,
        twice: false,
        pondering: false,
        memory: Vec::new(),
    };
    engine.act("start");
    let mut input = io::stdin().lock();
    let mut line = String::new();
    loop {
        line.clear();
        match input.read_line(&mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let command = line.trim();
        match command.split_whitespace().next() {
            Some("uci") if engine.act("uci") == Then::Answer => {
                engine.print(&format!("id name {}", engine.script.name));
                engine.print("id author the tests");
                engine.print("option name Hash type spin default 16 min 1 max 1024");
                engine.print("option name Threads type spin default 1 min 1 max 64");
                engine.print("option name UCI_Chess960 type check default false");
                engine.print("option name Ponder type check default false");
                engine.print("uciok");
            }
            Some("isready") if engine.act("isready") == Then::Answer => {
                engine.trial |= engine.games == 0;
                engine.print("readyok");
            }
            Some("ucinewgame") => engine.new_game(),
            Some("setoption") if command.contains("UCI_Chess960 value true") => {
                engine.mode = CastlingMode::Chess960;
            }
            Some("position") => engine.set_position(command),
            Some("go") if command.contains(" ponder") => {
                engine.pondering = true;
                engine.act("ponder");
            }
            Some("go") => engine.go(),
            Some(end @ ("ponderhit" | "stop")) if engine.pondering => {
                engine.pondering = false;
                if engine.act(end) == Then::Answer {
                    engine.go();
                }
            }
            Some("quit") if engine.act("quit") == Then::Answer => return,
            _ => {}
        }
    }
}

/// Stops itself, as Ctrl-Z or a debugger would.
fn stop_self() {
    #[cfg(unix)]
    // SAFETY: raise only sends a signal to this process.
    unsafe {
        libc::raise(libc::SIGSTOP);
    }
}

fn close_output() {
    #[cfg(unix)]
    // SAFETY: the descriptor is not used through any other handle afterwards,
    // except by writes that may fail.
    unsafe {
        libc::close(1);
    }
}

/// Writes a line again and again until the reader closes the pipe.
fn flood(line: &str) {
    let block = line.repeat(64 * 1024 / line.len());
    let mut out = io::stdout().lock();
    while out.write_all(block.as_bytes()).is_ok() {}
    process::exit(1)
}

/// Computes until this thread has used an amount of processor time.
fn spin(time: Duration) {
    #[cfg(unix)]
    let used = || {
        let mut spec = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: clock_gettime writes to the struct.
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut spec) };
        Duration::new(spec.tv_sec as u64, spec.tv_nsec as u32)
    };
    #[cfg(not(unix))]
    let used = {
        let start = std::time::Instant::now();
        move || start.elapsed()
    };
    let end = used() + time;
    while used() < end {
        std::hint::spin_loop();
    }
}

/// Lists what this process can reach; most of it cannot be reached in a sandbox.
fn probe(port: u16) -> String {
    let network = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok();
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let home = home.is_some_and(|home| File::create(home.join("written")).is_ok());
    let temporary = std::env::temp_dir().join("written");
    let temporary = File::create(&temporary).is_ok() && fs::remove_file(&temporary).is_ok();
    let own = process::id();
    let others = fs::read_dir("/proc").map_or(0, |entries| {
        let names = entries.flatten().map(|entry| entry.file_name());
        let pids = names.filter_map(|name| name.to_str()?.parse::<u32>().ok());
        // Process 1 of a sandbox is always visible.
        pids.filter(|pid| ![1, own].contains(pid)).count()
    });
    format!(
        "network={network} home={home} temporary={temporary} others={}",
        others > 0
    )
}

/// Starts a child that outlives this process.
fn fork_sleeper(seconds: &str, holds_output: bool) {
    let mut sleep = Command::new("sleep");
    sleep
        .arg(seconds)
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    if !holds_output {
        sleep.stdout(Stdio::null());
    }
    if sleep.spawn().is_err() {
        usage("sleep cannot be started");
    }
}
