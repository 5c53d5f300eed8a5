//! One engine process: its start, its options and what is sent to it. `waiting`
//! has its answers, `ending` its end.

mod ending;
mod waiting;

use std::io;
use std::pin::Pin;
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin};
use tokio::task::unconstrained;
use tokio::time::{Sleep, sleep_until, timeout_at};

use crate::engine::uci::guard;
use crate::engine::uci::lines::LineReader;
use crate::engine::uci::memory_size::MemorySize;
use crate::engine::uci::options::EngineOption;
use crate::engine::uci::process::Launch;
use crate::engine::uci::stderr::KeptStderr;
use crate::engine::uci::transcript::{Direction, Transcript};
use crate::engine::uci::watch::Watch;
use crate::output::printable;
use crate::platform::sandbox::engine_in;
use crate::platform::{EngineOutput, ProcessGroup};
use crate::rules::{Info, LinePattern};

pub(crate) use waiting::PROMPT;

/// A `bestmove` that has arrived; the moves are in [`Client::best_move`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    pub arrived: Instant,
}

/// Why an engine could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("cannot start `{command}`: {source}")]
    Spawn { command: String, source: io::Error },
    #[error("`{command}` {what} before it sent `uciok`: is it a UCI engine?{stderr}")]
    Ended {
        command: String,
        /// That it ended, or closed its output.
        what: String,
        stderr: String,
    },
    #[error("`{command}` did not send `uciok` within {} s: is it a UCI engine?{heard}", within.as_secs_f64())]
    NoUciok {
        command: String,
        within: Duration,
        heard: String,
    },
    #[error(
        "`{command}` declares more than {MAX_OPTIONS} options, or {} KiB of them",
        MAX_OPTION_BYTES / 1024
    )]
    TooManyOptions { command: String },
}

impl StartError {
    /// Whether its process was there and did not do what it should.
    pub(crate) fn is_of_engine(&self) -> bool {
        !matches!(self, Self::Spawn { .. })
    }
}

/// Options that an engine may declare, and bytes of the lines that do so.
const MAX_OPTIONS: usize = 4096;
const MAX_OPTION_BYTES: usize = 1024 * 1024;

/// Characters kept of an engine's name and author.
const MAX_NAME: usize = 256;

fn shortened(name: &str) -> String {
    name.trim().chars().take(MAX_NAME).collect()
}

/// Why there was no `uciok`.
enum Unheard {
    NoAnswer(AnswerError),
    TooManyOptions,
}

impl From<AnswerError> for Unheard {
    fn from(error: AnswerError) -> Self {
        Self::NoAnswer(error)
    }
}

/// Why an engine did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("the engine closed its output or ended")]
    Disconnected,
    #[error("the engine did not answer in time")]
    TimedOut,
}

/// A running engine that has said `uciok`.
#[derive(Debug)]
pub struct Client {
    child: Child,
    pid: u32,
    /// The engine's own process, if that is another one in a sandbox.
    inner: Option<u32>,
    is_sandboxed: bool,
    max_memory: Option<MemorySize>,
    /// Bytes that the process had at its peak, once it has ended.
    peak: Option<u64>,
    /// The process and its descendants, until they have ended.
    group: Option<ProcessGroup>,
    /// Closed to show the engine that its controller is gone.
    stdin: Option<ChildStdin>,
    lines: LineReader<EngineOutput>,
    /// Of the wait for an answer to what was sent last.
    watch: Watch,
    /// When this engine was last attended to.
    attended: Instant,
    /// When something was sent last.
    sent: Instant,
    /// When the thread last let other tasks run.
    rested: Instant,
    /// Wakes `hone` to look up. It is left to run from move to move, because
    /// setting it costs more than an idle glance now and then.
    alarm: Pin<Box<Sleep>>,
    transcript: Transcript,
    stderr: KeptStderr,
    /// `id name` and `id author`.
    name: String,
    author: String,
    options: Vec<EngineOption>,
    /// What has been set and differs from the engine's defaults.
    set: Vec<(String, String)>,
    info: Info,
    /// Lines to keep of what it says before its answers.
    patterns: Vec<LinePattern>,
    best: Vec<u8>,
    ponder: Vec<u8>,
    /// An answer that came while it pondered.
    early: Option<Answer>,
    /// Lines that begin with `option` and do not declare one.
    unreadable_options: usize,
    has_answered_unasked: bool,
}

impl Client {
    /// Starts the engine and waits for its `uciok`, at most for `startup`. The log
    /// names it after its program.
    ///
    /// # Errors
    /// [`StartError`], with what the engine said instead.
    pub async fn start(launch: &Launch, startup: Duration) -> Result<Self, StartError> {
        Self::start_as(&launch.name(), launch, startup).await
    }

    /// [`Client::start`], with the name that the log has for the engine.
    ///
    /// # Errors
    /// As [`Client::start`].
    pub(crate) async fn start_as(
        name: &str,
        launch: &Launch,
        startup: Duration,
    ) -> Result<Self, StartError> {
        let command = launch.command_line();
        let spawned = launch.spawn().await;
        let mut child = spawned.map_err(|source| StartError::Spawn {
            command: command.clone(),
            source,
        })?;
        let pid = child.id().unwrap_or(0);
        let max_memory = launch.max_memory;
        let group = ProcessGroup::limited(pid, max_memory.map(MemorySize::bytes));
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("stdout is piped");
        let stdout = EngineOutput::new(stdout).map_err(|source| StartError::Spawn {
            command: command.clone(),
            source,
        })?;
        let stderr = KeptStderr::of(child.stderr.take().expect("stderr is piped"));
        guard::watch(pid);
        let mut client = Self {
            pid,
            inner: None,
            is_sandboxed: launch.sandbox,
            max_memory,
            peak: None,
            group: Some(group),
            child,
            stdin,
            lines: LineReader::new(stdout),
            watch: Watch::default(),
            attended: Instant::now(),
            sent: Instant::now(),
            rested: Instant::now(),
            alarm: Box::pin(sleep_until(Instant::now().into())),
            transcript: Transcript::of(pid, name.to_string()),
            stderr,
            name: String::new(),
            author: String::new(),
            options: Vec::new(),
            set: Vec::new(),
            info: Info::default(),
            patterns: Vec::new(),
            best: Vec::new(),
            ponder: Vec::new(),
            early: None,
            unreadable_options: 0,
            has_answered_unasked: false,
        };
        match client.handshake(startup).await {
            Ok(()) => {
                if client.is_sandboxed {
                    client.inner = engine_in(pid);
                }
                tracing::info!("engine {pid} started: {command} ({})", client.name);
                Ok(client)
            }
            Err(Unheard::TooManyOptions) => Err(StartError::TooManyOptions { command }),
            Err(Unheard::NoAnswer(AnswerError::Disconnected)) => Err(StartError::Ended {
                command,
                what: match client.ended().await {
                    Some(status) => format!("ended ({status})"),
                    None => "closed its standard output while still running,".to_string(),
                },
                stderr: client.stderr_hint(),
            }),
            Err(Unheard::NoAnswer(AnswerError::TimedOut)) => Err(StartError::NoUciok {
                command,
                within: startup,
                heard: client.stderr_hint(),
            }),
        }
    }

    async fn handshake(&mut self, limit: Duration) -> Result<(), Unheard> {
        let deadline = Instant::now() + limit;
        self.send(b"uci\n", deadline).await?;
        let mut option_bytes = 0;
        loop {
            let arrived = self.lines.arrived();
            while let Some(line) = self.lines.buffered() {
                self.transcript.push(Direction::FromEngine, arrived, line);
                let text = String::from_utf8_lossy(line);
                let text = printable(text.trim());
                if text == "uciok" {
                    return Ok(());
                }
                if let Some(name) = text.strip_prefix("id name ") {
                    self.name = shortened(name);
                } else if let Some(author) = text.strip_prefix("id author ") {
                    self.author = shortened(author);
                } else if let Some(option) = EngineOption::parse(&text) {
                    option_bytes += line.len();
                    if self.options.len() == MAX_OPTIONS || option_bytes > MAX_OPTION_BYTES {
                        return Err(Unheard::TooManyOptions);
                    }
                    self.options.push(option);
                } else if text.split_whitespace().next() == Some("option") {
                    self.unreadable_options += 1;
                }
            }
            self.stop_if_late(arrived, deadline)?;
            self.fill(deadline).await?;
        }
    }

    /// Keeps lines of what it says before its answers, for its [`Info`].
    pub(crate) fn keep_lines(&mut self, patterns: &[LinePattern]) {
        self.info.lines = vec![None; patterns.len()];
        self.patterns = patterns.to_vec();
    }

    /// The engine's `id name`; empty if it gave none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The engine's `id author`; empty if it gave none.
    pub fn author(&self) -> &str {
        &self.author
    }

    /// The options it declared.
    pub fn options(&self) -> &[EngineOption] {
        &self.options
    }

    /// The number of its `option` lines that do not declare an option.
    pub(crate) fn unreadable_options(&self) -> usize {
        self.unreadable_options
    }

    /// The process's id, which is also that of its process group.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The id of the engine's own process: in a sandbox another one.
    pub(crate) fn engine_pid(&self) -> u32 {
        self.inner.unwrap_or(self.pid)
    }

    /// Brings the engine's options from what they are to `wanted`: sends what
    /// differs, and resets to its default what is not wanted any more.
    ///
    /// # Errors
    /// [`AnswerError`] if the engine no longer reads.
    pub async fn configure(
        &mut self,
        wanted: &[(String, String)],
        deadline: Instant,
    ) -> Result<(), AnswerError> {
        let mut commands = String::new();
        for (name, _) in &self.set {
            if wanted.iter().any(|(other, _)| other == name) {
                continue;
            }
            let default = self
                .options
                .iter()
                .find(|option| option.name.eq_ignore_ascii_case(name))
                .and_then(EngineOption::default_value);
            if let Some(default) = default {
                push_setoption(&mut commands, name, &default);
            }
        }
        for pair in wanted {
            if !self.set.contains(pair) {
                push_setoption(&mut commands, &pair.0, &pair.1);
            }
        }
        if !commands.is_empty() {
            self.send(commands.as_bytes(), deadline).await?;
            self.set = wanted.to_vec();
        }
        Ok(())
    }

    /// Announces a new game, and asks whether the engine is ready for it.
    ///
    /// # Errors
    /// As [`Client::send`].
    pub(crate) async fn announce_game(&mut self, deadline: Instant) -> Result<(), AnswerError> {
        self.send(b"ucinewgame\nisready\n", deadline).await
    }

    /// Announces a new game and waits until the engine is ready for it.
    ///
    /// # Errors
    /// As [`Client::send`]; [`AnswerError::TimedOut`] also without a `readyok`.
    pub(crate) async fn begin_game(&mut self, deadline: Instant) -> Result<(), AnswerError> {
        self.announce_game(deadline).await?;
        self.wait_ready(deadline).await
    }

    /// Sends whole lines.
    ///
    /// # Errors
    /// [`AnswerError::Disconnected`] if the engine is gone,
    /// [`AnswerError::TimedOut`] if it does not read.
    pub async fn send(&mut self, text: &[u8], deadline: Instant) -> Result<(), AnswerError> {
        self.send_at(Instant::now(), text, deadline).await.map(drop)
    }

    /// [`Client::send`] where it is known to be `now`; returns when all was
    /// written.
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn send_at(
        &mut self,
        now: Instant,
        text: &[u8],
        deadline: Instant,
    ) -> Result<Instant, AnswerError> {
        self.transcript.push(Direction::ToEngine, now, text);
        self.watch = Watch::default();
        let Some(stdin) = &mut self.stdin else {
            return Err(AnswerError::Disconnected);
        };
        // The runtime may not put it off in favour of other tasks.
        let write = unconstrained(stdin.write_all(text));
        match timeout_at(deadline.into(), write).await {
            Ok(Ok(())) => {
                self.attended = Instant::now();
                self.sent = self.attended;
                Ok(self.attended)
            }
            Ok(Err(_)) => Err(AnswerError::Disconnected),
            Err(_) => Err(AnswerError::TimedOut),
        }
    }

    /// The last part of the dialogue.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// The last part of what it wrote to its standard error.
    pub fn stderr(&self) -> String {
        self.stderr.text()
    }

    fn stderr_hint(&self) -> String {
        let mut hint = match self.stderr().lines().next_back() {
            Some(last) => format!(" It wrote: {last}"),
            None => String::new(),
        };
        if let Some(limit) = self.max_memory {
            hint += &format!("\nhelp: its memory is limited by `max_memory`, {limit}");
        }
        hint
    }
}

/// Wherever a name or value comes from (the evidence of a failure can be edited), it
/// stays one command.
fn push_setoption(commands: &mut String, name: &str, value: &str) {
    let mut push = |text: &str| commands.extend(text.chars().filter(|c| !c.is_control()));
    push("setoption name ");
    push(name);
    if !value.is_empty() {
        push(" value ");
        push(value);
    }
    commands.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_stays_one_command() {
        let mut commands = String::new();
        push_setoption(&mut commands, "Se\red", "1\nquit\0");
        assert_eq!(commands, "setoption name Seed value 1quit\n");
    }
}
