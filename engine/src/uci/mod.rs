//! The UCI session: one thread reads commands, another executes them in order, so that
//! `isready` and `stop` are handled during a search.

pub mod output;
pub mod parse;

use crate::board::Position;
use crate::command;
use crate::engine::{Engine, STACK};
use crate::params::{PARAMETERS, Params, QsMoves, SETTINGS, Settings};
use crate::search::Game;
use crate::search::limits::{Limits, StopSignal};
use output::{Printer, print_info, print_lines};
use std::io::BufRead;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

/// A job for the worker thread.
enum Job {
    Set(String, String),
    NewGame,
    Ready,
    Search(Box<Game>, Limits),
    /// One of the commands of [`crate::command`].
    Other(String, Box<Game>),
}

/// The state shared by both threads.
#[derive(Default)]
struct Shared {
    /// Stops searches.
    stop: StopSignal,
    /// Stops other commands. `quit` and the end of the input do not stop them, because scripts
    /// send `bench` and then `quit`, or close the pipe.
    stop_others: StopSignal,
    /// Number of the last finished job.
    done: AtomicU64,
}

/// Executes commands from `input` until `quit` or the end of the input.
pub fn run(engine: Engine, input: impl BufRead) {
    let shared = &Shared::default();
    let (jobs, queue) = channel();
    let mut reader = Reader {
        game: Game::new(Position::start()),
        asked: 0,
        search: 0,
        jobs,
        shared,
    };
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK);
        let worker = builder.spawn_scoped(scope, move || work(engine, &queue, shared));
        let worker = worker.expect("the system has threads left");
        for line in input.split(b'\n') {
            let Ok(line) = line else { break };
            let line = String::from_utf8_lossy(&line);
            match reader.command(line.trim()) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => print_info(&error),
            }
        }
        shared.stop.stop_up_to(u64::MAX);
        drop(reader);
        let _ = worker.join();
    });
}

struct Reader<'a> {
    game: Game,
    /// Number of jobs requested so far.
    asked: u64,
    /// Number of the last search among them.
    search: u64,
    jobs: Sender<(u64, Job)>,
    shared: &'a Shared,
}

impl Reader<'_> {
    /// Executes one line; `Ok(false)` ends the session.
    fn command(&mut self, line: &str) -> Result<bool, String> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "" => {}
            "uci" => print_lines(&introduction()),
            "isready" => {
                let is_done = self.shared.done.load(Ordering::Acquire) >= self.search;
                if !is_done && !self.shared.stop.covers(self.search) {
                    print_lines("readyok");
                } else {
                    self.ask(Job::Ready);
                }
            }
            "ucinewgame" => self.ask(Job::NewGame),
            "setoption" => {
                let (name, value) = parse::setoption(rest)?;
                self.ask(Job::Set(name, value));
            }
            "position" => self.game = parse::position(rest)?,
            "go" => {
                let (limits, warnings) = parse::go(rest, &self.game.position);
                warnings.iter().for_each(|warning| print_info(warning));
                self.ask(Job::Search(Box::new(self.game.clone()), limits));
            }
            "stop" => {
                self.shared.stop.stop_up_to(self.asked);
                self.shared.stop_others.stop_up_to(self.asked);
            }
            "quit" => return Ok(false),
            _ => self.ask(Job::Other(line.to_owned(), Box::new(self.game.clone()))),
        }
        Ok(true)
    }

    fn ask(&mut self, job: Job) {
        self.asked += 1;
        if matches!(job, Job::Search(..)) {
            self.search = self.asked;
        }
        // The worker lives until the sender is dropped, so sending cannot fail.
        let _ = self.jobs.send((self.asked, job));
    }
}

fn work(mut engine: Engine, queue: &Receiver<(u64, Job)>, shared: &Shared) {
    // End of the last search: the clock of a queued search starts then.
    let mut idle = None;
    for (number, job) in queue {
        match job {
            Job::Set(name, value) => match engine.set(&name, &value) {
                Ok((name, value)) => print_info(&format!("{name} = {value}")),
                Err(error) => print_info(&error),
            },
            Job::NewGame => engine.new_game(),
            Job::Ready => print_lines("readyok"),
            Job::Other(line, game) => {
                let words: Vec<&str> = line.split_ascii_whitespace().collect();
                // Quiescence of all moves would never end, so `quit` stops it too.
                let params = engine.params();
                let is_endless = params.qs_moves == QsMoves::All
                    && params.qs_max_ply.max(params.qs_max_ply_from_root) == 0
                    && !line.contains("perft");
                let stop = [&shared.stop_others, &shared.stop][usize::from(is_endless)];
                match command::execute(&mut engine, &game, &words, (stop, number)) {
                    Ok(Some(output)) => print_lines(&output),
                    Ok(None) => print_info(&format!("unknown command '{line}'")),
                    Err(error) => print_info(&error),
                }
            }
            Job::Search(game, mut limits) => {
                limits.start = limits.start.max(idle);
                let mut printer = Printer::new(engine.settings());
                let outcome = engine.search(&game, &limits, &mut printer, &shared.stop, number);
                // Marked as done before `bestmove` is printed, so that an
                // `isready` sent after it waits for what follows.
                shared.done.store(number, Ordering::Release);
                printer.finish(&outcome);
                idle = Some(Instant::now());
            }
        }
        shared.done.store(number, Ordering::Release);
    }
}

fn introduction() -> String {
    let settings = SETTINGS.iter().map(|row| row.announce(&Settings::DEFAULT));
    let params = PARAMETERS.iter().map(|row| row.announce(&Params::DEFAULT));
    let options: Vec<String> = settings.chain(params).collect();
    format!(
        "id name Stillwater {}\nid author the Stillwater authors\n{}\nuciok",
        env!("CARGO_PKG_VERSION"),
        options.join("\n")
    )
}
