//! Plays the same command lines with `hone` and with the program that it replaces, and
//! compares output and files line by line, without times. `docs/coming-from.md` lists the
//! known differences.
//!
//!     cargo build --workspace --bins --examples
//!     target/debug/examples/dropin_compare --program fastchess --path ./fastchess

mod case;
mod differences;
mod played;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::Parser;

use case::{Case, Programs, cases};
use differences::{DIFFERENCES, Difference};
use played::Played;

/// Compare `hone fastchess` with fastchess, or `hone cutechess-cli` with
/// cutechess-cli.
#[derive(Debug, Parser)]
#[command(after_help = "Examples:\n  \
    All command lines:\n    dropin_compare --program fastchess --path ./fastchess\n  \
    One of them, with what both printed:\n    dropin_compare --program fastchess --path ./fastchess --only 'a gauntlet' --show")]
struct Arguments {
    /// The program that hone replaces: fastchess or cutechess-cli.
    #[arg(long)]
    program: String,
    /// Path of the program.
    #[arg(long)]
    path: PathBuf,
    /// A folder with Syzygy tables of 3 and 4 pieces; without it, the command
    /// lines that need one are omitted.
    #[arg(long)]
    tables: Option<PathBuf>,
    /// Only the command lines whose names contain this.
    #[arg(long)]
    only: Option<String>,
    /// Print what each side printed and wrote.
    #[arg(long)]
    show: bool,
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let programs = Programs::find(&arguments.path, arguments.tables.as_deref())?;
    let is_wanted = |case: &Case| {
        let only = arguments.only.as_deref().unwrap_or_default();
        case.program == arguments.program && case.name.contains(only)
    };
    let cases: Vec<Case> = cases().into_iter().filter(is_wanted).collect();
    ensure!(!cases.is_empty(), "no command line is selected");
    let mut known = [0; DIFFERENCES.len()];
    let mut different = 0;
    for case in &cases {
        let Some(line) = programs.fill_in(case) else {
            println!("omitted    {} (no --tables)", case.name);
            continue;
        };
        let sides = [programs.other(&line), programs.hone(&case.program, &line)];
        let mut played = Vec::new();
        for side in sides {
            played.push(Played::of(side, case).context(case.name.clone())?);
        }
        if arguments.show {
            println!("{}\n----- hone\n{}", played[0], played[1]);
        }
        let found = differences::remove(&mut played, case);
        let rest = played::compare(&played[0], &played[1]);
        let names: Vec<&str> = found.iter().map(|index| DIFFERENCES[*index].name).collect();
        for index in &found {
            known[*index] += 1;
        }
        let (word, after) = match (rest.is_empty(), names.is_empty()) {
            (true, true) => ("same", String::new()),
            (true, false) => ("known", format!(" ({})", names.join("; "))),
            (false, _) => ("DIFFERENT", format!("\n{rest}")),
        };
        different += usize::from(!rest.is_empty());
        println!("{word:<10} {}{after}", case.name);
    }
    println!("\n{} command lines, {different} different", cases.len());
    for (Difference { name, reason, .. }, count) in DIFFERENCES.iter().zip(known) {
        if count > 0 {
            println!("{count:>4} {name}: {reason}");
        }
    }
    Ok(match different {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}
