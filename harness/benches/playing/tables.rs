//! The measurements, as tables of text.

use std::env;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use shakmaty::fen::Epd;
use shakmaty::{Chess, EnPassantMode, Position};

use super::contestant::{Match, Measured, Program};
use super::delays::{self, Delays};

const REPEATS: usize = 5;
const LARGE_BOOK: usize = 247_000;
const SMALL_BOOK: usize = 1_000;

pub(crate) fn print(arguments: &[String]) {
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1)
    };
    let long = value("--games").map_or(20_000, |games| games.parse().expect("a number of games"));
    let mut programs = vec![Program::Hone];
    let program = |name| {
        let path = PathBuf::from(value(name)?).canonicalize();
        Some(path.expect("the program exists"))
    };
    programs.extend(program("--c-chess-cli").map(Program::CChessCli));
    programs.extend(program("--fastchess").map(Program::Fastchess));
    let folder = tempfile::tempdir().expect("a folder for the books");
    let books = Books::write(folder.path()).expect("the books are written");
    let only = value("--only").map(String::as_str);
    let wanted = |name: &str| only.is_none_or(|only| only == name);
    if wanted("pinned") {
        pinned(&programs, &books);
    }
    if wanted("concurrency") {
        concurrency(&programs, &books);
    }
    if wanted("starts") {
        starts(&programs, &books);
    }
    if wanted("memory") {
        memory(&programs, &books, long);
    }
}

/// Everything on one processor, one game at a time.
fn pinned(programs: &[Program], books: &Books) {
    println!("Everything pinned to one processor, one game at a time (medians of {REPEATS} runs)");
    println!(
        "{:<11} {:>9} {:>9} {:>10} {:>24} {:>22}",
        "", "plies/s", "games/s", "CPU/ply", "bestmove to go: median", "p99, game to game"
    );
    let what = Match {
        games: 1_000,
        concurrency: 1,
        book: &books.small,
        pinned: true,
        timed: false,
    };
    let runs = in_turns(programs, what);
    let timed = in_turns(
        programs,
        Match {
            timed: true,
            games: 200,
            ..what
        },
    );
    for ((program, runs), timed) in programs.iter().zip(&runs).zip(&timed) {
        let moves = |share| {
            median(timed, |run| {
                micros(&delays::between_moves(&run.records), share)
            })
        };
        let games = median(timed, |run| {
            micros(&delays::between_games(&run.records), 0.5)
        });
        println!(
            "{:<11} {:>9.0} {:>9.0} {:>7.2} µs {:>21.1} µs {:>9.1} µs {:>6.1} µs",
            program.name(),
            median(runs, plies_a_second),
            median(runs, |run| what.games as f64 / run.cost.wall.as_secs_f64()),
            median(runs, processor_a_ply),
            moves(0.5),
            moves(0.99),
            games,
        );
    }
    println!();
}

/// Several games at a time, on all processors.
fn concurrency(programs: &[Program], books: &Books) {
    println!("On all processors");
    println!(
        "{:<10} {:>5} {:>9} {:>10} {:>40}",
        "", "games", "plies/s", "CPU/ply", "bestmove to go: median, p99, largest"
    );
    for program in programs {
        for concurrency in [1, 2, 8] {
            let what = Match {
                games: 400,
                concurrency,
                book: &books.small,
                pinned: false,
                timed: true,
            };
            let run = play(program, what);
            let delays = delays::between_moves(&run.records);
            println!(
                "{:<10} {:>5} {:>9.0} {:>7.2} µs {:>14.1} µs {:>8.1} µs {:>8.0} µs",
                program.name(),
                concurrency,
                plies_a_second(&run),
                processor_a_ply(&run),
                micros(&delays, 0.5),
                micros(&delays, 0.99),
                micros(&delays, 1.0),
            );
        }
    }
    println!();
}

/// Time from start to exit, and the cost of a large book.
fn starts(programs: &[Program], books: &Books) {
    println!("Two games, from start to exit (medians of {REPEATS} runs)");
    println!(
        "{:<10} {:>9} {:>42}",
        "",
        "wall",
        format!("with a book of {LARGE_BOOK} lines: CPU, memory")
    );
    for program in programs {
        let what = Match {
            games: 2,
            concurrency: 1,
            book: &books.small,
            pinned: false,
            timed: false,
        };
        let small = repeat(program, what);
        let large = repeat(
            program,
            Match {
                book: &books.large,
                ..what
            },
        );
        println!(
            "{:<10} {:>7.3} s {:>31.3} s {:>5.1} MB",
            program.name(),
            median(&small, |run| run.cost.wall.as_secs_f64()),
            median(&large, |run| run.cost.processor.as_secs_f64()),
            median(&large, megabytes),
        );
    }
    println!();
}

/// Peak memory after few and after many games.
fn memory(programs: &[Program], books: &Books, long: u64) {
    println!("Largest memory");
    for program in programs {
        let mut line = format!("{:<10}", program.name());
        for games in [200, long] {
            let what = Match {
                games,
                concurrency: 1,
                book: &books.small,
                pinned: false,
                timed: false,
            };
            let run = play(program, what);
            write!(line, "  after {games} games {:.1} MB", megabytes(&run))
                .expect("writing to a string cannot fail");
        }
        println!("{line}");
    }
}

fn play(program: &Program, what: Match<'_>) -> Measured {
    program.play(what).expect("the match can be played")
}

fn repeat(program: &Program, what: Match<'_>) -> Vec<Measured> {
    (0..REPEATS).map(|_| play(program, what)).collect()
}

/// The runs of each program, in rounds in which each plays once: the speed of the machine drifts.
fn in_turns(programs: &[Program], what: Match<'_>) -> Vec<Vec<Measured>> {
    let mut runs: Vec<Vec<Measured>> = programs.iter().map(|_| Vec::new()).collect();
    for _ in 0..REPEATS {
        for (program, runs) in programs.iter().zip(&mut runs) {
            runs.push(play(program, what));
        }
    }
    runs
}

fn median(runs: &[Measured], figure: impl Fn(&Measured) -> f64) -> f64 {
    let mut figures: Vec<f64> = runs.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn plies_a_second(run: &Measured) -> f64 {
    run.plies as f64 / run.cost.wall.as_secs_f64()
}

fn processor_a_ply(run: &Measured) -> f64 {
    run.cost.processor.as_secs_f64() * 1e6 / run.plies as f64
}

fn megabytes(run: &Measured) -> f64 {
    run.cost.memory as f64 / 1e6
}

fn micros(delays: &Delays, share: f64) -> f64 {
    delays.quantile(share).as_secs_f64() * 1e6
}

/// Books of random openings.
struct Books {
    small: PathBuf,
    large: PathBuf,
}

impl Books {
    fn write(folder: &Path) -> io::Result<Self> {
        let folder = env::current_dir()?.join(folder);
        let books = Self {
            small: folder.join("small.epd"),
            large: folder.join("large.epd"),
        };
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut text = String::new();
        for number in 0..LARGE_BOOK {
            if number == SMALL_BOOK {
                fs::write(&books.small, &text)?;
            }
            let position = random_opening(&mut random);
            writeln!(
                text,
                "{}",
                Epd::from_position(&position, EnPassantMode::Legal)
            )
            .expect("writing to a string cannot fail");
        }
        fs::write(&books.large, text)?;
        Ok(books)
    }
}

fn random_opening(random: &mut ChaCha8Rng) -> Chess {
    loop {
        let mut position = Chess::default();
        for _ in 0..8 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play_unchecked(moves[random.random_range(0..moves.len())]);
        }
        if !position.legal_moves().is_empty() {
            return position;
        }
    }
}
