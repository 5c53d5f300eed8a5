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

/// When a game's pair ended, in milliseconds, and the nodes of the game.
fn games(run: &Path) -> Vec<(i64, f64)> {
    let text = fs::read_to_string(run.join("games.csv")).expect("there");
    let game = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |at: usize| fields[at].parse::<f64>().expect("a number");
        (number(24) as i64, number(10) + number(11))
    };
    text.lines().skip(1).map(game).collect()
}

/// Nodes a second of the games that were played within a time: those after the
/// first pair that ended in it.
fn speed(games: &[(i64, f64)], from: i64, to: i64) -> Option<f64> {
    let within = || games.iter().filter(|game| (from..to).contains(&game.0));
    let (start, _) = within().next()?;
    let (end, _) = within().next_back()?;
    let later = within().filter(|game| game.0 > *start);
    let nodes: f64 = later.map(|game| game.1).sum();
    (end > start).then(|| nodes * 1000.0 / (end - start) as f64)
}

fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

/// One long match, which browsers follow every other time: a drift of the
/// machine's speed cancels out.
#[test]
#[ignore = "a measurement of many minutes, for docs/serve.md: its result depends on the machine"]
fn speed_of_games_with_and_without_browsers() {
    let turns = setting("HONE_TURNS", 100);
    let length = Duration::from_secs(setting("HONE_SECONDS", 10) as u64);
    let engine = stillwater().display().to_string();
    let players = engines(("one", &engine, ""), ("two", &engine, ""));
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=5000\"\npairs = 1000000\nconcurrency = 1\n\
         openings = \"default\"\n[adjudication]\nmax_moves = 20\n"
    ));
    let mut player = setup.command("match", "results/run", &[]);
    player.stdout(Stdio::null()).stderr(Stdio::null());
    let mut player = player.spawn().expect("hone starts");
    let run = setup.run("results/run");
    wait_until("games", || common::rows(&run) > 4);
    let server = Server::start(&setup.run("results"), &[]);
    wait_until("the page", || server.get("/runs/run").status == 200);
    let mut times = Vec::new();
    for turn in 0..turns {
        let is_watched = turn % 2 == 1;
        let browsers = is_watched.then(|| Browsers::open(&server, "/runs/run/events"));
        let start = now_ms();
        thread::sleep(length);
        times.push((start, now_ms()));
        if let Some(browsers) = browsers {
            assert!(browsers.bytes() > 0, "nobody has watched");
            browsers.close();
        }
    }
    player.kill().expect("killed");
    player.wait().expect("waited for");
    let games = games(&run);
    let speeds: Vec<f64> = times
        .iter()
        .map(|(from, to)| speed(&games, *from, *to).expect("games"))
        .collect();
    // Each watched turn beside those before and after it.
    let ratios: Vec<f64> = speeds
        .windows(3)
        .step_by(2)
        .map(|three| 2.0 * three[1] / (three[0] + three[2]))
        .collect();
    let count = ratios.len() as f64;
    let mean = ratios.iter().sum::<f64>() / count;
    let squares = ratios.iter().map(|ratio| (ratio - mean).powi(2));
    let error = (squares.sum::<f64>() / (count - 1.0).max(1.0) / count).sqrt();
    println!(
        "{} games, {count} turns with {BROWSERS} browsers: {:.2} % of the speed without, ± {:.2} (two standard errors)",
        games.len(),
        100.0 * mean,
        200.0 * error
    );
}
