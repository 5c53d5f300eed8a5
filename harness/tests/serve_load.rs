//! What `hone serve` costs with many browsers. Two measurements:
//!
//! * of the server, on a long run: `cargo test -p harness --test serve_load
//!   many_browsers -- --ignored --nocapture`;
//! * of the games, with and without browsers that watch them: `cargo test
//!   -p harness --test serve_load speed -- --ignored --nocapture`.
#![cfg(all(target_os = "linux", feature = "serve"))]

mod common;

use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use common::server::Server;
use common::{Setup, engines, scripted, stillwater, wait_until};

const PAIRS: u64 = 50_000;
const BROWSERS: usize = 200;
const MEASURED: Duration = Duration::from_secs(60);
/// A pair of bullet games on a large machine.
const PACE: Duration = Duration::from_millis(50);

/// A finished match of one pair, planned for many more.
fn seed() -> Setup {
    let cmd = |seed: u32| format!("{} --seed {seed}", scripted());
    let players = engines(("one", &cmd(1), ""), ("two", &cmd(2), ""));
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"10+0.1\"\npairs = 1\nconcurrency = 1\n\
         [adjudication]\nmax_moves = 20\n[sprt]\nelo0 = 0.0\nelo1 = 0.5\nmax_pairs = 1\n"
    ));
    let played = setup.play("sprt", "results/run", &[]);
    assert!(matches!(played.code, Some(0 | 1 | 3)), "{}", played.stderr);
    let manifest = setup.run("results/run/run.toml");
    let text = fs::read_to_string(&manifest).expect("there");
    fs::write(
        &manifest,
        text.replace("max_pairs = 1\n", "max_pairs = 1000000\n"),
    )
    .expect("written");
    setup
}

/// The rows of a pair: those of the first, with its own number and results.
fn rows(first: &str, pair: u64, now_ms: i64) -> String {
    // Level on the whole, and in no order that repeats.
    let mixed = pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    let results = ["1-0", "0-1", "1/2-1/2"];
    let row = |number: usize, line: &str| {
        let mut fields: Vec<String> = line.split(',').map(str::to_string).collect();
        fields[0] = pair.to_string();
        fields[4] = (1 + mixed % 5000).to_string();
        fields[5] = results[((mixed >> (8 * number)) % 3) as usize].to_string();
        fields[13] = format!("{:016x}", pair * 2 + number as u64);
        fields[24] = now_ms.to_string();
        fields[29] = String::new();
        fields.join(",") + "\n"
    };
    first
        .lines()
        .enumerate()
        .map(|(number, line)| row(number, line))
        .collect()
}

fn fill(run: &Path) -> (String, fs::File) {
    let csv = run.join("games.csv");
    let text = fs::read_to_string(&csv).expect("there");
    let (_, first) = text.split_once('\n').expect("a header");
    let mut file = OpenOptions::new().append(true).open(&csv).expect("there");
    let now = jiff::Timestamp::now().as_millisecond();
    let many: String = (2..=PAIRS)
        .map(|pair| rows(first, pair, now - 1000))
        .collect();
    file.write_all(many.as_bytes()).expect("written");
    (first.to_string(), file)
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
    let setup = seed();
    let (first, mut ledger) = fill(&setup.run("results/run"));
    // As if a process played it.
    ledger.lock().expect("it is free");
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
    let began = Instant::now();
    let swings = || server.get("/api/runs/run/games?order=swing").json()["searched"].clone();
    wait_until("the swings", || swings()["games"] == 2 * PAIRS);
    println!("all swings after {:.1} s", began.elapsed().as_secs_f64());
    let began = Instant::now();
    swings();
    println!("swings again after {:.3} s", began.elapsed().as_secs_f64());
    let browsers = Browsers::open(&server, "/runs/run/events");
    let (before, _) = cost(server.pid());
    let began = Instant::now();
    let mut pair = PAIRS;
    while began.elapsed() < MEASURED {
        pair += 1;
        let now = jiff::Timestamp::now().as_millisecond();
        ledger
            .write_all(rows(&first, pair, now).as_bytes())
            .expect("written");
        thread::sleep(PACE);
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
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
        let mut streams = Vec::new();
        let threads = (0..BROWSERS).map(|_| {
            let mut stream = server.connect();
            stream.write_all(request.as_bytes()).expect("sent");
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
            // One that was cut off in the middle has nothing more to tell.
            let _ = thread.join();
        }
    }
}

/// A number from the environment.
fn setting(name: &str, default: usize) -> usize {
    let value = std::env::var(name).ok();
    value.map_or(default, |text| text.parse().expect("a number"))
}

/// How long the engines have thought in the pairs of a run from `first` on, and
/// how long these pairs took, in milliseconds.
fn thought(run: &Path, first: usize) -> (f64, f64) {
    let text = fs::read_to_string(run.join("games.csv")).expect("there");
    // Pair, milliseconds of both engines, when the pair ended.
    let game = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |at: usize| fields[at].parse::<f64>().expect("a number");
        (number(0) as usize, number(8) + number(9), number(24))
    };
    let games: Vec<_> = text.lines().skip(1).map(game).collect();
    let before = games.iter().rfind(|game| game.0 + 1 == first);
    let (_, _, start) = *before.expect("a pair before");
    let (_, _, end) = *games.last().expect("games");
    let counted = games.iter().filter(|game| game.0 >= first);
    (counted.map(|game| game.1).sum(), end - start)
}

/// A mean, and two of its standard errors.
fn mean(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean).powi(2));
    let error = (squares.sum::<f64>() / (count - 1.0).max(1.0) / count).sqrt();
    (mean, 2.0 * error)
}

/// Keeps this thread, and what it starts from now on, on one processor.
fn stay_on(processor: usize) {
    // SAFETY: a set of processors is plain bits, for which zero is empty; the
    // calls get a pointer to it, and its size.
    let code = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(processor, &mut set);
        libc::sched_setaffinity(0, size_of_val(&set), &raw const set)
    };
    assert_eq!(code, 0, "processor {processor} cannot be had");
}

/// Pairs of a match of [`speed_of_games_with_and_without_browsers`], and those
/// that are played before all browsers are there.
const PAIRS_OF_A_TURN: usize = 14;
const PAIRS_BEFORE: usize = 3;

/// Each turn plays the same games twice, at fixed nodes: with browsers that
/// follow them and without. The games have a processor to themselves, because
/// browsers work elsewhere, on other machines.
#[test]
#[ignore = "a measurement of many minutes, for docs/serve.md: its result depends on the machine"]
fn speed_of_games_with_and_without_browsers() {
    let turns = setting("HONE_TURNS", 60);
    let engine = stillwater().display().to_string();
    let players = engines(
        ("one", &engine, ""),
        ("two", &engine, "options = { Hash = 17 }"),
    );
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=5000\"\npairs = {PAIRS_OF_A_TURN}\nconcurrency = 1\n\
         openings = \"default\"\n[adjudication]\nmax_moves = 20\n"
    ));
    fs::create_dir_all(setup.run("results")).expect("made");
    stay_on(1);
    let server = Server::start(&setup.run("results"), &[]);
    let play = |turn: usize, is_watched: bool| {
        let name = format!("{turn}-{is_watched}");
        let (out, seed) = (format!("results/{name}"), format!("match.seed={turn}"));
        let mut player = setup.command("match", &out, &["--set", &seed]);
        player.stdout(Stdio::null()).stderr(Stdio::null());
        stay_on(0);
        let mut player = player.spawn().expect("hone starts");
        stay_on(1);
        let page = format!("/runs/{name}");
        wait_until("the page", || server.get(&page).status == 200);
        let browsers = is_watched.then(|| Browsers::open(&server, &format!("{page}/events")));
        assert!(player.wait().expect("waited for").success());
        if let Some(browsers) = browsers {
            assert!(browsers.bytes() > 0, "nobody has watched");
            browsers.close();
        }
        thought(&setup.run(&out), PAIRS_BEFORE)
    };
    // Without browsers, then with them: which comes first changes, so that a
    // drift of the machine's speed cancels out.
    let turns: Vec<[(f64, f64); 2]> = (0..turns)
        .map(|turn| match turn % 2 == 1 {
            true => {
                let watched = play(turn, true);
                [play(turn, false), watched]
            }
            false => [play(turn, false), play(turn, true)],
        })
        .collect();
    let ratios = |measure: fn((f64, f64)) -> f64| -> Vec<f64> {
        let ratio = |[without, with]: &[(f64, f64); 2]| measure(*with) / measure(*without);
        turns.iter().map(|turn| 100.0 * ratio(turn)).collect()
    };
    let (share, of_share) = mean(&ratios(|(thought, took)| thought / took));
    let (speed, of_speed) = mean(&ratios(|(_, took)| 1.0 / took));
    let shares: Vec<f64> = turns
        .iter()
        .map(|[(thought, took), _]| 100.0 * thought / took)
        .collect();
    println!(
        "{} turns with {BROWSERS} browsers, ± two standard errors\n\
         engines think {:.2} % of the time without; with {share:.3} % of that, ± {of_share:.3}\n\
         speed of the games: {speed:.1} % of that without, ± {of_speed:.1}",
        turns.len(),
        mean(&shares).0,
    );
}
