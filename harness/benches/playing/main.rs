//! The cost of a game without the engines' searches: `cargo bench -p harness --bench
//! playing`, a few minutes.
//!
//! `hone` runs games of an instant engine, which answers every `go` with a random legal
//! move, against itself, so that speed and delays are those of `hone` and the system.
//! `-- --c-chess-cli PROGRAM` and `-- --fastchess PROGRAM` also measure these, `-- --games N`
//! sets the length of the long run (default 20,000 games), `-- --only NAME` prints one table:
//! `pinned`, `concurrency`, `starts` or `memory`.

#[cfg(target_os = "linux")]
mod contestant;
#[cfg(target_os = "linux")]
mod delays;
#[cfg(target_os = "linux")]
mod engine;
#[cfg(target_os = "linux")]
mod process;
#[cfg(target_os = "linux")]
mod tables;

#[cfg(target_os = "linux")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("--instant-engine") => {
            let seed = arguments.get(1).and_then(|seed| seed.parse().ok());
            // It fails if the reader of its output has ended.
            let _ = engine::run(seed.unwrap_or(1));
        }
        _ => tables::print(&arguments),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("skipped: processor time and memory of other processes are read from /proc of Linux");
}
