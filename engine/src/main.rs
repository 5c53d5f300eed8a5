//! Stillwater, a UCI chess engine whose every search constant is an option.

mod processor;

use std::process::ExitCode;
use stillwater::{command, uci};

fn main() -> ExitCode {
    if let Some(code) = processor::prefer_faster_build() {
        return code;
    }
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    match command::run(&arguments) {
        Ok((engine, None)) => uci::run(engine, std::io::stdin().lock()),
        Ok((_, Some(text))) => uci::output::say(&text),
        Err(error) => {
            eprintln!("stillwater: {error}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
