//! What a game costs beside the engines' thinking: `cargo bench -p harness
//! --bench playing`, a few minutes.
//!
//! An instant engine, which answers every `go` with a random legal move, plays
//! itself under `hone`, so that speed and delays are `hone`'s (and the
//! system's). `-- --fastchess PROGRAM` measures fastchess beside it, `--
//! --games N` sets the games of the long run (20,000).

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
            // An engine whose reader is gone has nobody to tell.
            let _ = engine::run(seed.unwrap_or(1));
        }
        _ => tables::print(&arguments),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("skipped: processor time and memory of other processes are read as Linux tells them");
}
