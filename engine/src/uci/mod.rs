//! The UCI session: one thread reads commands, another carries them out in
//! order, so that `isready` and `stop` are answered while it searches.

pub mod output;
pub mod parse;

use crate::board::Position;
use crate::command;
use crate::engine::{Engine, STACK};
use crate::params::{PARAMETERS, Params, SETTINGS, Settings};
use crate::search::Game;
use crate::search::limits::{Limits, StopOrder};
use output::{Printer, say, tell};
use std::io::BufRead;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

/// What the reader asks of the worker.
enum Job {
    Set(String, String),
    NewGame,
    Ready,
    Search(u64, Box<Game>, Limits),
    /// One of the commands of [`crate::command`].
    Other(String, Box<Game>),
}

/// What both threads see.
#[derive(Default)]
struct Shared {
    stop: StopOrder,
    /// Number of the last search that is done.
    done: AtomicU64,
}

/// Carries out commands from `input` until `quit` or its end.
pub fn run(engine: Engine, input: impl BufRead) {
    let shared = &Shared::default();
    let (jobs, queue) = channel();
    let mut reader = Reader {
        game: Game::new(Position::start()),
        searches: 0,
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
                Err(error) => tell(&error),
            }
        }
        shared.stop.stop_up_to(u64::MAX);
        drop(reader);
        let _ = worker.join();
    });
}

struct Reader<'a> {
    game: Game,
    /// Number of searches asked for so far.
    searches: u64,
    jobs: Sender<Job>,
    shared: &'a Shared,
}

impl Reader<'_> {
    /// Carries out one line; `Ok(false)` to end.
    fn command(&mut self, line: &str) -> Result<bool, String> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "" => {}
            "uci" => say(&introduction()),
            "isready" => {
                if self.shared.done.load(Ordering::Acquire) < self.searches {
                    say("readyok");
                } else {
                    self.ask(Job::Ready);
                }
            }
            "ucinewgame" => self.ask(Job::NewGame),
            "setoption" => {
                let (name, value) = parse::setoption(rest)?;
                self.ask(Job::Set(name.to_owned(), value.to_owned()));
            }
            "position" => self.game = parse::position(rest)?,
            "go" => {
                let (limits, complaints) = parse::go(rest, &self.game.position);
                for complaint in complaints {
                    tell(&complaint);
                }
                self.searches += 1;
                let game = Box::new(self.game.clone());
                self.ask(Job::Search(self.searches, game, limits));
            }
            "stop" => self.shared.stop.stop_up_to(self.searches),
            "quit" => return Ok(false),
            _ => self.ask(Job::Other(line.to_owned(), Box::new(self.game.clone()))),
        }
        Ok(true)
    }

    fn ask(&self, job: Job) {
        // The worker outlives the reader's sender.
        let _ = self.jobs.send(job);
    }
}

fn work(mut engine: Engine, queue: &Receiver<Job>, shared: &Shared) {
    for job in queue {
        match job {
            Job::Set(name, value) => match engine.set(&name, &value) {
                Ok((name, value)) => tell(&format!("{name} = {value}")),
                Err(error) => tell(&error),
            },
            Job::NewGame => engine.new_game(),
            Job::Ready => say("readyok"),
            Job::Other(line, game) => {
                let words: Vec<&str> = line.split_ascii_whitespace().collect();
                match command::execute(&mut engine, &game, &words) {
                    Ok(Some(output)) => say(&output),
                    Ok(None) => tell(&format!("unknown command '{line}'")),
                    Err(error) => tell(&error),
                }
            }
            Job::Search(number, game, limits) => {
                let mut printer = Printer::new(engine.settings());
                let outcome = engine.search(&game, &limits, &mut printer, &shared.stop, number);
                // Marked as done before `bestmove` is printed, so that an
                // `isready` sent after it waits for what follows.
                shared.done.store(number, Ordering::Release);
                printer.finish(&outcome);
            }
        }
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
