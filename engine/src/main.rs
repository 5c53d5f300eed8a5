//! Stillwater, a UCI chess engine whose every search constant is an option.

mod processor;

use std::io::Write;
use std::process::ExitCode;
use stillwater::{command, engine, uci};

fn main() -> ExitCode {
    if let Some(code) = processor::prefer_faster_build() {
        return code;
    }
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let done = command::run(&arguments).and_then(|(engine, output)| {
        let Some(text) = output else {
            uci::run(engine, std::io::stdin().lock());
            return Ok(());
        };
        let written = writeln!(std::io::stdout(), "{text}");
        written.map_err(|error| format!("cannot write the output: {error}"))
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => engine::fail(&error),
    }
}
