//! The load of `hone serve` with many browsers. Two measurements:
//!
//! * of the server, on a long run: `cargo test -p harness --test serve_load
//!   many_browsers -- --ignored --nocapture`;
//! * of the games, with and without browsers that watch them: `cargo test
//!   -p harness --test serve_load speed -- --ignored --nocapture`.
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::common::running::Running;
use crate::common::server::Server;
use crate::common::{Setup, engines, hone, rows, scripted, signal, stillwater, wait_until};

/// Pairs of the run when the measurement begins.
const PAIRS: u64 = 50_000;
const BROWSERS: usize = 200;
/// Length of the measurement.
const MEASURED: Duration = Duration::from_secs(60);
/// Time between two pairs: that of bullet games on a machine with many cores.
const PAIR_INTERVAL: Duration = Duration::from_millis(50);

/// A run that was stopped after its first pairs.
fn seed(one: &str, two: &str, limit: &str) -> Setup {
    let players = engines(("one", one, ""), ("two", two, "options = { Hash = 17 }"));
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"{limit}\"\nconcurrency = 1\n[adjudication]\n\
         max_moves = 20\n[sprt]\nelo0 = 0.0\nelo1 = 0.5\nmax_pairs = 1000000\n"
    ));
    let run = setup.run("results/run");
    let mut command = setup.command("sprt", "results/run", &[]);
    let playing = Running::start(command.stdout(Stdio::null()).stderr(Stdio::null()));
    wait_until("the first pair", || rows(&run) >= 2);
    signal(&playing, libc::SIGTERM);
    playing.finish();
    setup
}

/// A run to which copies of its first pair are added. No process plays it.
struct Copies {
    pairs: u64,
    rows: Vec<String>,
    games: [String; 2],
    ledger: fs::File,
    pgn: fs::File,
    pgn_len: usize,
}

impl Copies {
    fn of(run: &Path) -> Self {
        let read = |name| fs::read_to_string(run.join(name)).expect("there");
        let append = |name| OpenOptions::new().append(true).open(run.join(name));
        let (csv, pgn) = (read("games.csv"), read("games.pgn"));
        let (_, rows) = csv.split_once('\n').expect("a header");
        let game = |text: &str| {
            text[..1 + text[1..].find("[Event ").unwrap_or(text.len() - 1)].to_string()
        };
        let first = game(&pgn);
        let second = game(&pgn[first.len()..]);
        Self {
            pairs: rows.lines().count() as u64 / 2,
            rows: rows.lines().take(2).map(str::to_string).collect(),
            games: [first, second],
            ledger: append("games.csv").expect("there"),
            pgn: append("games.pgn").expect("there"),
            pgn_len: pgn.len(),
        }
    }

    /// Adds pairs up to number `pairs`. Each has its number, results and digests of its own.
    fn grow(&mut self, pairs: u64, now_ms: i64) {
        let (mut rows, mut games) = (String::new(), String::new());
        for pair in self.pairs + 1..=pairs {
            // Results whose mean is 1/2, in an order that does not repeat.
            let mixed = pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
            let results = ["1-0", "0-1", "1/2-1/2"];
            for (number, line) in self.rows.iter().enumerate() {
                let game = &self.games[number];
                let mut fields: Vec<String> = line.split(',').map(str::to_string).collect();
                fields[0] = pair.to_string();
                fields[4] = (1 + mixed % 5000).to_string();
                fields[5] = results[((mixed >> (8 * number)) % 3) as usize].to_string();
                fields[12] = (self.pgn_len + games.len()).to_string();
                fields[13] = format!("{:016x}", pair * 2 + number as u64);
                fields[24] = now_ms.to_string();
                fields[29] = String::new();
                rows += &(fields.join(",") + "\n");
                games += game;
            }
        }
        self.pgn.write_all(games.as_bytes()).expect("written");
        self.ledger.write_all(rows.as_bytes()).expect("written");
        self.pgn_len += games.len();
        self.pairs = pairs;
    }
}

fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

/// Processor time in seconds and resident memory in MB.
fn cost(pid: u32) -> (f64, f64) {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("it lives");
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .expect("fields")
        .split_whitespace()
        .collect();
    let ticks: f64 = [11, 12]
        .iter()
        .map(|at| fields[*at].parse::<f64>().expect("a number"))
        .sum();
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("it lives");
    let rss = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .expect("a line");
    let kb: f64 = rss
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .expect("a number");
    (ticks / 100.0, kb / 1024.0)
}

#[test]
#[ignore = "a measurement of a minute, for docs/serve.md: its result depends on the machine"]
fn many_browsers_on_a_long_run() {
    let player = |seed: u32| format!("{} --seed {seed}", scripted());
    let setup = seed(&player(1), &player(2), "10+0.1");
    let mut run = Copies::of(&setup.run("results/run"));
    run.grow(PAIRS, now_ms() - 1000);
    // The lock marks a run that is being played.
    run.ledger.lock().expect("it is free");
    let began = Instant::now();
    let server = Server::start(&setup.run("results"), &[]);
    wait_until("the run is read", || {
        server.get("/api/runs").json()["runs"][0]["pairs"] == PAIRS
    });
    println!(
        "read {} games after {:.1} s",
        2 * PAIRS,
        began.elapsed().as_secs_f64()
    );
    let began = Instant::now();
    let page = server.get("/runs/run");
    println!(
        "first page: {} kB after {:.2} s",
        page.body.len() / 1024,
        began.elapsed().as_secs_f64()
    );
    let began = Instant::now();
    server.get("/runs/run");
    println!("next page after {:.3} s", began.elapsed().as_secs_f64());
    let browsers = Browsers::open(&server, "/runs/run/events");
    let (before, _) = cost(server.pid());
    let began = Instant::now();
    let mut pair = PAIRS;
    while began.elapsed() < MEASURED {
        pair += 1;
        run.grow(pair, now_ms());
        thread::sleep(PAIR_INTERVAL);
    }
    let (after, memory) = cost(server.pid());
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{BROWSERS} browsers, {} games, {} more while measured: {:.0} % of a processor, {memory:.0} MB, {:.0} kB/s to each browser",
        2 * pair,
        2 * (pair - PAIRS),
        100.0 * (after - before) / seconds,
        browsers.bytes() as f64 / 1024.0 / seconds / BROWSERS as f64,
    );
    browsers.close();
}

/// Browsers that follow a page.
struct Browsers {
    is_over: Arc<AtomicBool>,
    bytes: Arc<AtomicU64>,
    streams: Vec<TcpStream>,
    threads: Vec<JoinHandle<()>>,
}

impl Browsers {
    fn open(server: &Server, path: &str) -> Self {
        let (is_over, bytes) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicU64::new(0)),
        );
        let mut streams = Vec::new();
        let threads = (0..BROWSERS).map(|_| {
            let mut stream = server.open(path);
            streams.push(stream.try_clone().expect("a second handle"));
            let (is_over, bytes) = (Arc::clone(&is_over), Arc::clone(&bytes));
            thread::spawn(move || {
                let mut piece = vec![0; 1 << 16];
                while !is_over.load(Ordering::Relaxed) {
                    match stream.read(&mut piece) {
                        Ok(count) if count > 0 => {
                            bytes.fetch_add(count as u64, Ordering::Relaxed);
                        }
                        _ if is_over.load(Ordering::Relaxed) => return,
                        ended => panic!("the server has closed the page: {ended:?}"),
                    }
                }
            })
        });
        Self {
            threads: threads.collect(),
            streams,
            is_over,
            bytes,
        }
    }

    fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    fn close(self) {
        self.is_over.store(true, Ordering::Relaxed);
        for stream in &self.streams {
            // The server may have closed it before.
            let _ = stream.shutdown(Shutdown::Both);
        }
        for thread in self.threads {
            // A thread panics if its stream was closed before it saw `is_over`.
            let _ = thread.join();
        }
    }
}

/// A number from the environment.
fn setting(name: &str, default: usize) -> usize {
    let value = std::env::var(name).ok();
    value.map_or(default, |text| text.parse().expect("a number"))
}

/// A mean, and two of its standard errors.
fn mean(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean).powi(2));
    let error = (squares.sum::<f64>() / (count - 1.0).max(1.0) / count).sqrt();
    (mean, 2.0 * error)
}

/// Binds this thread, and the processes and threads that it starts later, to one processor.
fn stay_on(processor: usize) {
    // SAFETY: a set of processors is plain bits, for which zero is empty; the
    // calls get a pointer to it, and its size.
    let code = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(processor, &mut set);
        libc::sched_setaffinity(0, size_of_val(&set), &raw const set)
    };
    assert_eq!(code, 0, "cannot use processor {processor}");
}

/// A pair that was played while it was measured.
struct Measured {
    start_ms: i64,
    end_ms: i64,
    nodes: f64,
}

/// The pairs of a run with one worker, from number `first` on.
fn measured(run: &Path, first: u64) -> Vec<Measured> {
    let text = fs::read_to_string(run.join("games.csv")).expect("there");
    // Pair, nodes of both engines, when the pair ended.
    let game = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |at: usize| fields[at].parse::<i64>().expect("a number");
        (number(0), number(10) + number(11), number(24))
    };
    let games: Vec<_> = text.lines().skip(1).map(game).collect();
    let pairs: Vec<_> = games.chunks_exact(2).collect();
    let played = pairs
        .windows(2)
        .filter(|two| two[1][0].0 >= first as i64)
        .map(|two| Measured {
            start_ms: two[0][0].2,
            end_ms: two[1][0].2,
            nodes: (two[1][0].1 + two[1][1].1) as f64,
        });
    played.collect()
}

/// Nodes a second over the pairs that began and ended between two times.
fn speed(pairs: &[Measured], from_ms: i64, until_ms: i64) -> f64 {
    let within = |pair: &&Measured| from_ms <= pair.start_ms && pair.end_ms <= until_ms;
    let (nodes, ms) = pairs
        .iter()
        .filter(within)
        .fold((0.0, 0), |(nodes, ms), pair| {
            (nodes + pair.nodes, ms + pair.end_ms - pair.start_ms)
        });
    assert!(ms > 0, "no pair was played in {} ms", until_ms - from_ms);
    1000.0 * nodes / ms as f64
}

/// Time for which the server runs, and for which it is stopped.
const PHASE: Duration = Duration::from_secs(4);

/// A run of 100,000 games continues while browsers follow it. The server is stopped and
/// continued every few seconds: over such a short time, the machine's speed is nearly
/// constant. A continued server catches up with the games it missed. The games have a
/// processor of their own, because browsers run on other machines.
#[test]
#[ignore = "a measurement of many minutes, for docs/serve.md: its result depends on the machine"]
fn speed_of_games_with_and_without_browsers() {
    let turns = setting("HONE_TURNS", 90);
    let engine = stillwater().display().to_string();
    let setup = seed(&engine, &engine, "nodes=2000");
    let run = setup.run("results/run");
    Copies::of(&run).grow(PAIRS, now_ms() - 1000);
    stay_on(1);
    let server = Server::start(&setup.run("results"), &[]);
    wait_until("the run is read", || {
        server.get("/api/runs").json()["runs"][0]["pairs"] == PAIRS
    });
    let mut command = hone();
    command.arg("resume").arg(&run);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    stay_on(0);
    let playing = Running::start(&mut command);
    stay_on(1);
    let browsers = Browsers::open(&server, "/runs/run/events");
    wait_until("further games", || rows(&run) > 2 * PAIRS as usize + 20);
    let phase = |is_served: bool| {
        let (before, from) = (browsers.bytes(), now_ms());
        server.signal(if is_served {
            libc::SIGCONT
        } else {
            libc::SIGSTOP
        });
        thread::sleep(PHASE);
        let has_received = browsers.bytes() - before > 100_000;
        assert_eq!(has_received, is_served, "bytes that the browsers received");
        (from, now_ms())
    };
    // The order alternates, so that a drift of the machine's speed cancels out.
    let phases: Vec<_> = (0..turns)
        .map(|turn| {
            if turn % 2 == 1 {
                let served = phase(true);
                [phase(false), served]
            } else {
                [phase(false), phase(true)]
            }
        })
        .collect();
    server.signal(libc::SIGCONT);
    signal(&playing, libc::SIGTERM);
    playing.finish();
    browsers.close();
    let pairs = measured(&run, PAIRS + 1);
    let speeds = |(from, until): (i64, i64)| speed(&pairs, from, until);
    let ratios = phases
        .iter()
        .map(|[without, with]| 100.0 * speeds(*with) / speeds(*without));
    let ratios: Vec<f64> = ratios.collect();
    let (ratio, error) = mean(&ratios);
    println!(
        "{turns} turns of {} s, {} games after the first {}: with {BROWSERS} browsers their speed \
         is {ratio:.2} % of that without, ± {error:.2} (two standard errors)",
        2 * PHASE.as_secs(),
        2 * pairs.len(),
        2 * PAIRS,
    );
}
