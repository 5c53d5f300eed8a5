//! A dishonest UCI engine for tests: it stands between `hone` and an honest engine and takes
//! one advantage.
//!
//! ```text
//! LIE=MODE liar ENGINE [ARGUMENT]...
//!
//! MODE  none          passes everything on
//!       score         reports +2 pawns in every position
//!       more:N        searches N times the nodes of its limit and reports them
//!       hidden:N      searches each position N times and reports one search
//!       shallow       searches one ply in place of a number of nodes
//!       helper:MS     eight threads compute for so long after each of its moves
//!       pause:MS      stops its parent for so long once a game
//!       overrun:MS    exceeds its clock by so much once a game
//!       crash:N       exits at one of N moves, by chance, but not at the first of a game
//!       learn         searches each position once more with each game that it has played
//!       attack:FILE   before each move it tries to end the opponent's search and to stop the
//!                     opponent and its parent; FILE lists what it could do (Linux)
//! ```
//!
//! The mode is in the environment, so that a liar and an honest `LIE=none` are the same
//! program with the same arguments.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{self, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

#[derive(Clone)]
struct Mode {
    name: String,
    value: String,
}

impl Mode {
    fn of_environment() -> Self {
        let text = std::env::var("LIE").unwrap_or_default();
        let (name, value) = text.split_once(':').unwrap_or((&text, ""));
        Self {
            name: name.to_string(),
            value: value.to_string(),
        }
    }

    /// Its number, if this is the mode `name`.
    fn number(&self, name: &str) -> Option<u64> {
        let is_it = self.name == name;
        is_it.then(|| self.value.parse().unwrap_or_else(|_| usage()))
    }

    fn is(&self, name: &str) -> bool {
        self.name == name
    }

    fn duration(&self, name: &str) -> Option<Duration> {
        self.number(name).map(Duration::from_millis)
    }
}

fn usage() -> ! {
    eprintln!("usage: LIE=MODE liar ENGINE [ARGUMENT]...");
    process::exit(2)
}

/// The engine's input, and the searches that are repeated without `hone`'s knowledge.
struct Engine {
    input: ChildStdin,
    go: String,
    /// Answers that are not passed on.
    hidden: u64,
}

impl Engine {
    fn send(&mut self, command: &str) {
        if self.input.write_all(command.as_bytes()).is_err() {
            process::exit(1);
        }
    }
}

fn with<T>(engine: &Mutex<Engine>, act: impl FnOnce(&mut Engine) -> T) -> T {
    act(&mut engine.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Computes in this thread.
fn spin(time: Duration) {
    let begun = Instant::now();
    while begun.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// Replaces the `count` words after a keyword.
fn replaced(line: &str, keyword: &str, count: usize, by: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some(at) = words.iter().position(|word| *word == keyword) else {
        return line.to_string();
    };
    let after = words.iter().skip(at + 1 + count).copied();
    let all: Vec<&str> = words[..=at]
        .iter()
        .copied()
        .chain([by])
        .chain(after)
        .collect();
    all.join(" ") + "\n"
}

fn number_after(line: &str, keyword: &str) -> Option<u64> {
    let mut words = line.split_whitespace();
    words.find(|word| *word == keyword)?;
    words.next()?.parse().ok()
}

/// Passes the engine's output on.
fn pass_output(output: ChildStdout, mode: &Mode, engine: &Mutex<Engine>) {
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        let mut line = line + "\n";
        let is_answer = line.starts_with("bestmove");
        let is_hidden = is_answer
            && with(engine, |engine| {
                let is_hidden = engine.hidden > 0;
                if is_hidden {
                    engine.hidden -= 1;
                    let go = engine.go.clone();
                    engine.send(&go);
                }
                is_hidden
            });
        if is_hidden {
            continue;
        }
        if mode.is("score") && line.starts_with("info") {
            line = replaced(&line, "score", 2, "cp 200");
        }
        let mut out = io::stdout().lock();
        let written = out.write_all(line.as_bytes()).and_then(|()| out.flush());
        if written.is_err() {
            return;
        }
        if let Some(time) = mode.duration("helper").filter(|_| is_answer) {
            // So many get a share of processors that others use too.
            for _ in 0..8 {
                thread::spawn(move || spin(time));
            }
        }
    }
}

/// What it does before a `go` is passed on, the `gos`th of its game. Returns the command that
/// is passed on.
fn before_go(mode: &Mode, line: &str, gos: u64) -> String {
    let nodes = number_after(line, "nodes");
    if let (Some(factor), Some(nodes)) = (mode.number("more"), nodes) {
        return replaced(line, "nodes", 1, &(factor * nodes).to_string());
    }
    if mode.is("shallow") && nodes.is_some() {
        return "go depth 1\n".to_string();
    }
    if let Some(time) = mode.duration("pause").filter(|_| gos == 1) {
        pause_parent(time);
    }
    if let Some(time) = mode.duration("overrun").filter(|_| gos == 1) {
        let clocks = ["wtime", "btime"].map(|clock| number_after(line, clock).unwrap_or(0));
        thread::sleep(Duration::from_millis(clocks[0].max(clocks[1])) + time);
    }
    if let Some(one_of) = mode.number("crash").filter(|_| gos > 1) {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let chance = now.map_or(0, |now| u64::from(now.subsec_nanos()) / 97);
        if chance.is_multiple_of(one_of) {
            process::exit(1);
        }
    }
    if mode.is("attack") {
        attack(&mode.value);
    }
    line.to_string()
}

#[cfg(unix)]
fn signal(pid: i32, number: i32) -> bool {
    // SAFETY: kill takes any process and signal.
    unsafe { libc::kill(pid, number) == 0 }
}

#[cfg(unix)]
fn parent() -> i32 {
    // SAFETY: getppid is always safe to call.
    unsafe { libc::getppid() }
}

/// Stops the parent for a time; `false` if that is not possible.
#[cfg(unix)]
fn pause_parent(time: Duration) -> bool {
    let parent = parent();
    let could = signal(parent, libc::SIGSTOP);
    if could {
        thread::sleep(time);
        signal(parent, libc::SIGCONT);
    }
    could
}

#[cfg(not(unix))]
fn pause_parent(_time: Duration) -> bool {
    false
}

/// The other processes that the parent has started with the same program: opponents.
#[cfg(target_os = "linux")]
fn opponents() -> Vec<i32> {
    use std::fs;
    let own = i32::try_from(process::id()).unwrap_or(0);
    let program = fs::read("/proc/self/comm").unwrap_or_default();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let is_opponent = |pid: &i32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let after_name = stat.rsplit(')').next().unwrap_or_default();
        let parent_of = after_name.split_whitespace().nth(1);
        let comm = fs::read(format!("/proc/{pid}/comm")).unwrap_or_default();
        *pid != own && parent_of == Some(&parent().to_string()) && comm == program
    };
    pids.filter(is_opponent).collect()
}

/// Appends a line for each opponent: whether its input could be written, and whether it and
/// the parent could be stopped.
#[cfg(target_os = "linux")]
fn attack(file: &str) {
    use std::fs::OpenOptions;
    let log = OpenOptions::new().create(true).append(true).open(file);
    let mut log = log.unwrap_or_else(|_| usage());
    for pid in opponents() {
        let input = OpenOptions::new()
            .write(true)
            .open(format!("/proc/{pid}/fd/0"));
        let input = input.is_ok_and(|mut input| input.write_all(b"stop\n").is_ok());
        let opponent = signal(pid, libc::SIGSTOP);
        signal(pid, libc::SIGCONT);
        let parent = pause_parent(Duration::from_millis(1));
        // In one write: several games append to the file.
        let line = format!("input={input} opponent={opponent} parent={parent}\n");
        let _ = log.write_all(line.as_bytes());
    }
}

#[cfg(not(target_os = "linux"))]
fn attack(_file: &str) {
    usage()
}

fn main() {
    let mode = Mode::of_environment();
    let mut arguments = std::env::args_os().skip(1);
    let program = arguments.next().unwrap_or_else(|| usage());
    let started = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = started.unwrap_or_else(|error| {
        eprintln!("liar: {error}");
        process::exit(2)
    });
    let input = child.stdin.take().expect("stdin is piped");
    let output = child.stdout.take().expect("stdout is piped");
    let engine = Arc::new(Mutex::new(Engine {
        input,
        go: String::new(),
        hidden: 0,
    }));
    let (output_mode, output_engine) = (mode.clone(), Arc::clone(&engine));
    thread::spawn(move || {
        pass_output(output, &output_mode, &output_engine);
        // The engine has ended.
        process::exit(0);
    });
    let (mut games, mut gos) = (0_u64, 0);
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let mut line = line + "\n";
        if line.starts_with("ucinewgame") {
            games += 1;
            gos = 0;
        }
        let mut hidden = 0;
        if line.starts_with("go") {
            gos += 1;
            line = before_go(&mode, &line, gos);
            hidden = match mode.number("hidden") {
                Some(searches) => searches.saturating_sub(1),
                None if mode.is("learn") => games.saturating_sub(1),
                None => 0,
            };
        }
        with(&engine, |engine| {
            if line.starts_with("go") {
                engine.hidden = hidden;
                engine.go.clone_from(&line);
            }
            engine.send(&line);
        });
    }
    let _ = child.kill();
    let _ = child.wait();
}
