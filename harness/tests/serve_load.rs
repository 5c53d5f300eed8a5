//! What `hone serve` costs with many browsers. Two measurements:
//!
//! * of the server, on a long run: `cargo test -p harness --test serve_load
//!   many_browsers -- --ignored --nocapture`;
//! * of the games, with and without browsers that watch them: `cargo test
//!   --release -p harness --test serve_load speed -- --ignored --nocapture`.
#![cfg(all(target_os = "linux", feature = "serve"))]

mod common;

use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
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
    drop(server);
    browsers.close();
}

/// Browsers that follow a page.
struct Browsers {
    is_over: Arc<AtomicBool>,
    bytes: Arc<AtomicU64>,
    threads: Vec<JoinHandle<()>>,
}

impl Browsers {
    fn open(server: &Server, path: &str) -> Self {
        let (is_over, bytes) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicU64::new(0)),
        );
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
        let threads = (0..BROWSERS).map(|_| {
            let mut stream = server.connect();
            stream.write_all(request.as_bytes()).expect("sent");
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
            is_over,
            bytes,
        }
    }

    fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The server must have ended, or the connections be about to end.
    fn close(self) {
        self.is_over.store(true, Ordering::Relaxed);
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

/// Plays the same games again, into a new folder; pairs an hour.
fn speed(setup: &Setup, name: &str) -> f64 {
    let played = setup.play("match", &format!("results/{name}"), &["--json"]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let report = played.json();
    let number = |name: &str| report[name].as_f64().expect("a number");
    3600.0 * number("pairs") / number("seconds")
}

/// The same with browsers that follow it from its first games on.
fn watched_speed(setup: &Setup, server: &Server, name: &str) -> (f64, u64) {
    let page = format!("/runs/{name}");
    thread::scope(|scope| {
        let player = scope.spawn(|| speed(setup, name));
        wait_until("the page", || server.get(&page).status == 200);
        let browsers = Browsers::open(server, &format!("{page}/events"));
        let speed = player.join().expect("it plays");
        let bytes = browsers.bytes();
        // They are closed by the end of the server, after all rounds.
        browsers.is_over.store(true, Ordering::Relaxed);
        (speed, bytes)
    })
}

#[test]
#[ignore = "a measurement of many minutes, for docs/serve.md: its result depends on the machine"]
fn speed_of_games_with_and_without_browsers() {
    let rounds = setting("HONE_ROUNDS", 10);
    let pairs = setting("HONE_PAIRS", 100);
    let processors = thread::available_parallelism().map_or(1, usize::from);
    // One is for the server and the browsers, which run on other machines otherwise.
    let concurrency = setting("HONE_CONCURRENCY", (processors - 1).max(1));
    let engine = stillwater().display().to_string();
    let players = engines(("one", &engine, ""), ("two", &engine, ""));
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=20000\"\npairs = {pairs}\nconcurrency = {concurrency}\n\
         seed = 1\nopenings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 60\n"
    ));
    let mut ratios = Vec::new();
    println!("{pairs} pairs, {concurrency} at a time, {BROWSERS} browsers; pairs an hour");
    println!("round   without      with   ratio");
    for round in 0..rounds {
        let server = || Server::start(&setup.run("results"), &[]);
        let without = || speed(&setup, &format!("without-{round}"));
        let with = || {
            let server = server();
            watched_speed(&setup, &server, &format!("with-{round}"))
        };
        // In turns, so that a drift of the machine's speed cancels out.
        let (without, (with, bytes)) = match round % 2 {
            0 => {
                let first = without();
                (first, with())
            }
            _ => {
                let first = with();
                (without(), first)
            }
        };
        assert!(bytes > 0, "nobody has watched");
        ratios.push(with / without);
        println!(
            "{round:>5} {without:>9.0} {with:>9.0} {:>7.4}",
            with / without
        );
    }
    let count = ratios.len() as f64;
    let mean = ratios.iter().sum::<f64>() / count;
    let squares = ratios.iter().map(|ratio| (ratio - mean).powi(2));
    let error = (squares.sum::<f64>() / (count - 1.0).max(1.0) / count).sqrt();
    println!(
        "with browsers the games have {:.2} % of their speed, ± {:.2} (two standard errors)",
        100.0 * mean,
        200.0 * error
    );
}
