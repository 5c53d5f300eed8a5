//! Stillwater, a UCI chess engine whose every search constant is an option.

use std::process::ExitCode;
use stillwater::{command, uci};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match command::run(&arguments) {
        Ok(None) => uci::run(std::io::stdin().lock()),
        Ok(Some(text)) => println!("{text}"),
        Err(error) => {
            eprintln!("stillwater: {error}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
