//! One engine process: its start, its options and what is sent to it. `waiting` reads its
//! answers, `failing` describes its failures, `ending` ends it.

mod ending;
mod failing;
mod waiting;

use std::io;
use std::pin::Pin;
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin};
use tokio::task::unconstrained;
use tokio::time::{Sleep, sleep_until, timeout_at};

use crate::engine::uci::lines::LineReader;
use crate::engine::uci::memory_size::MemorySize;
use crate::engine::uci::not_started::reason;
use crate::engine::uci::options::{EngineOption, OptionError, UnreadableOptions, check_options};
use crate::engine::uci::process::Launch;
use crate::engine::uci::setoption::{as_declared, setoptions};
use crate::engine::uci::stderr::KeptStderr;
use crate::engine::uci::transcript::{Direction, Transcript};
use crate::engine::uci::watch::PauseTracker;
use crate::rules::{LinePattern, SearchInfo};
use hone_base::diagnostic::Diagnostic;
use hone_base::platform::sandbox::engine_in;
use hone_base::platform::{EngineOutput, ProcessGroup, guard};
use hone_base::text::printable;

pub use waiting::PROMPT;

/// An answer that has arrived; [`Client::best_move`] has the move of a `bestmove`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    pub arrived: Instant,
}

/// Why an engine could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("cannot start `{command}`: {why}")]
    Spawn {
        command: String,
        #[source]
        why: Diagnostic,
    },
    #[error("`{command}` {what} before it sent `uciok`{question}{details}")]
    Ended {
        command: String,
        /// `ended (…)` or `closed its standard output …`.
        what: String,
        /// Empty, or a question after a colon.
        question: &'static str,
        /// [`Client::details`].
        #[source]
        details: Diagnostic,
    },
    #[error("`{command}` did not send `uciok` within {} s{details}", within.as_secs_f64())]
    NoUciok {
        command: String,
        within: Duration,
        /// [`Client::details`].
        #[source]
        details: Diagnostic,
    },
    #[error(
        "`{command}` declares more than {MAX_OPTIONS} options, or {} KiB of them",
        MAX_OPTION_BYTES / 1024
    )]
    TooManyOptions { command: String },
}

impl StartError {
    /// Whether the process was started and the engine failed.
    pub fn is_of_engine(&self) -> bool {
        !matches!(self, Self::Spawn { .. })
    }
}

/// Options that an engine may declare, and bytes of these lines.
const MAX_OPTIONS: usize = 4096;
const MAX_OPTION_BYTES: usize = 1024 * 1024;

/// Characters kept of an engine's name and author.
const MAX_NAME: usize = 256;

/// The first [`MAX_NAME`] characters of a name.
fn shortened(name: &str) -> String {
    name.trim().chars().take(MAX_NAME).collect()
}

/// Why there was no `uciok`.
enum HandshakeError {
    NoAnswer(AnswerError),
    TooManyOptions,
}

impl From<AnswerError> for HandshakeError {
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

/// A running engine that has sent `uciok`.
#[derive(Debug)]
pub struct Client {
    child: Child,
    pid: u32,
    /// The engine's own process in a sandbox, whose outer process is `pid`.
    inner: Option<u32>,
    is_sandboxed: bool,
    max_memory: Option<MemorySize>,
    /// Peak memory of the process in bytes, once it has ended.
    peak: Option<u64>,
    /// The process and its descendants, until they are killed.
    group: Option<ProcessGroup>,
    /// `None` once the input is closed.
    stdin: Option<ChildStdin>,
    lines: LineReader<EngineOutput>,
    /// Pauses during the wait for the answer to the last command.
    pauses: PauseTracker,
    /// When `hone` last checked for output of this engine, or sent a command.
    last_poll: Instant,
    /// When the last command was written.
    sent: Instant,
    /// When the thread last let other tasks run.
    last_yield: Instant,
    /// Fires when the next poll is due. It keeps running from move to move, because
    /// resetting it costs more than a needless poll now and then.
    poll_timer: Pin<Box<Sleep>>,
    transcript: Transcript,
    stderr: KeptStderr,
    /// `id name` and `id author`.
    name: String,
    author: String,
    options: Vec<EngineOption>,
    /// The options that [`Client::configure`] has set, in the case of their declaration.
    set: Vec<(String, String)>,
    /// Number of `go` commands sent.
    searches: u64,
    info: SearchInfo,
    /// Lines before an answer that [`SearchInfo::lines`] keeps.
    patterns: Vec<LinePattern>,
    best: Vec<u8>,
    ponder: Vec<u8>,
    /// A `bestmove` that came while the engine pondered.
    early_answer: Option<Answer>,
    unreadable_options: UnreadableOptions,
    has_sent_unsolicited: bool,
}

impl Client {
    /// Starts the engine and waits for its `uciok`, at most for `startup`. Its name in the
    /// log is that of its program.
    ///
    /// # Errors
    /// [`StartError`], with the last line of the engine's standard error or output.
    pub async fn start(launch: &Launch, startup: Duration) -> Result<Self, StartError> {
        Self::start_as(&launch.name(), launch, startup).await
    }

    /// [`Client::start`] with another name in the log.
    ///
    /// # Errors
    /// As [`Client::start`].
    pub async fn start_as(
        name: &str,
        launch: &Launch,
        startup: Duration,
    ) -> Result<Self, StartError> {
        let command = launch.command_line();
        let client = match launch.spawn().await {
            Ok(child) => Self::of_process(child, name, launch),
            Err(error) => Err(error),
        };
        let mut client = client.map_err(|error| StartError::Spawn {
            command: command.clone(),
            why: reason(launch, &error),
        })?;
        if let Err(error) = client.handshake(startup).await {
            return Err(client.start_error(error, command, startup).await);
        }
        if client.is_sandboxed {
            client.inner = engine_in(client.pid);
        }
        tracing::info!("engine {} started: {command} ({})", client.pid, client.name);
        Ok(client)
    }

    /// The client of a process that was just started.
    ///
    /// # Errors
    /// As [`EngineOutput::new`].
    fn of_process(mut child: Child, name: &str, launch: &Launch) -> io::Result<Self> {
        let pid = child.id().unwrap_or(0);
        let max_memory = launch.max_memory;
        let group = ProcessGroup::limited(pid, max_memory.map(MemorySize::bytes));
        let stdin = child.stdin.take();
        let stdout = EngineOutput::new(child.stdout.take().expect("stdout is piped"))?;
        let stderr = KeptStderr::of(child.stderr.take().expect("stderr is piped"));
        guard::register(pid);
        Ok(Self {
            pid,
            inner: None,
            is_sandboxed: launch.sandbox,
            max_memory,
            peak: None,
            group: Some(group),
            child,
            stdin,
            lines: LineReader::new(stdout),
            pauses: PauseTracker::default(),
            last_poll: Instant::now(),
            sent: Instant::now(),
            last_yield: Instant::now(),
            poll_timer: Box::pin(sleep_until(Instant::now().into())),
            transcript: Transcript::of(pid, name.to_string()),
            stderr,
            name: String::new(),
            author: String::new(),
            options: Vec::new(),
            set: Vec::new(),
            searches: 0,
            info: SearchInfo::default(),
            patterns: Vec::new(),
            best: Vec::new(),
            ponder: Vec::new(),
            early_answer: None,
            unreadable_options: UnreadableOptions::default(),
            has_sent_unsolicited: false,
        })
    }

    /// Sends `uci` and reads the engine's name, author and options, up to `uciok`.
    async fn handshake(&mut self, limit: Duration) -> Result<(), HandshakeError> {
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
                        return Err(HandshakeError::TooManyOptions);
                    }
                    self.options.push(option);
                } else if text.split_whitespace().next() == Some("option") {
                    self.unreadable_options.add(&text);
                }
            }
            self.stop_if_late(arrived, deadline)?;
            self.fill(deadline).await?;
        }
    }

    /// Sets the patterns of the lines that [`SearchInfo::lines`] keeps.
    pub fn keep_lines(&mut self, patterns: &[LinePattern]) {
        self.info.lines = vec![None; patterns.len()];
        self.patterns = patterns.to_vec();
    }

    /// The engine's `id name`; empty if it sent none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The engine's `id author`; empty if it sent none.
    pub fn author(&self) -> &str {
        &self.author
    }

    /// The options that the engine declares.
    pub fn options(&self) -> &[EngineOption] {
        &self.options
    }

    /// The `option` lines that do not declare an option.
    pub(crate) fn unreadable_options(&self) -> &UnreadableOptions {
        &self.unreadable_options
    }

    /// Checks `(name, value)` pairs against the options that the engine declares.
    ///
    /// # Errors
    /// [`OptionError`].
    pub fn check_options<'a>(
        &self,
        wanted: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<(), OptionError> {
        check_options(&self.options, wanted)
            .map_err(|error| error.with_unreadable(&self.unreadable_options))
    }

    /// The id of the process and of its process group.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The id of the engine's own process, which differs from [`Client::pid`] in a sandbox.
    pub fn engine_pid(&self) -> u32 {
        self.inner.unwrap_or(self.pid)
    }

    /// Sets the options `wanted`: sends those that differ from the last call, and resets
    /// the others of the last call to their defaults. Names and combo values are sent in the
    /// letter case in which the engine declares them.
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn configure(
        &mut self,
        wanted: &[(String, String)],
        deadline: Instant,
    ) -> Result<(), AnswerError> {
        let wanted = wanted.iter().map(|pair| as_declared(&self.options, pair));
        let wanted: Vec<_> = wanted.collect();
        let commands = setoptions(&self.options, &self.set, &wanted);
        if !commands.is_empty() {
            self.send(commands.as_bytes(), deadline).await?;
            self.set = wanted;
        }
        Ok(())
    }

    /// Sends `ucinewgame` and `isready`.
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn announce_game(&mut self, deadline: Instant) -> Result<(), AnswerError> {
        self.send(b"ucinewgame\nisready\n", deadline).await
    }

    /// Sends `ucinewgame` and waits until the engine is ready.
    ///
    /// # Errors
    /// As [`Client::send`]; [`AnswerError::TimedOut`] also without a `readyok`.
    pub async fn begin_game(&mut self, deadline: Instant) -> Result<(), AnswerError> {
        self.announce_game(deadline).await?;
        self.wait_ready(deadline).await
    }

    /// Sends whole lines.
    ///
    /// # Errors
    /// [`AnswerError::Disconnected`] if the engine has closed its input,
    /// [`AnswerError::TimedOut`] if it does not read.
    pub async fn send(&mut self, text: &[u8], deadline: Instant) -> Result<(), AnswerError> {
        self.send_at(Instant::now(), text, deadline).await.map(drop)
    }

    /// [`Client::send`] for a caller that has just read the time `now`. Returns when all
    /// was written.
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
        // In a game, a `go` is always the last line.
        let last = text.trim_ascii_end().rsplit(|byte| *byte == b'\n').next();
        self.searches += u64::from(last.is_some_and(|line| line.starts_with(b"go ")));
        self.pauses = PauseTracker::default();
        let Some(stdin) = &mut self.stdin else {
            return Err(AnswerError::Disconnected);
        };
        // The cooperative budget of the runtime must not delay the write.
        let write = unconstrained(stdin.write_all(text));
        match timeout_at(deadline.into(), write).await {
            Ok(Ok(())) => {
                self.last_poll = Instant::now();
                self.sent = self.last_poll;
                Ok(self.last_poll)
            }
            Ok(Err(_)) => Err(AnswerError::Disconnected),
            Err(_) => Err(AnswerError::TimedOut),
        }
    }

    /// Number of `go` commands that the process was sent.
    pub fn searches(&self) -> u64 {
        self.searches
    }

    /// The last part of the dialogue.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// The last part of the engine's standard error.
    pub fn stderr(&self) -> String {
        self.stderr.text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An engine that distinguishes the case of names.
    #[test]
    #[cfg(unix)]
    fn options_are_sent_in_the_case_of_their_declaration() {
        let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
        let script = "read uci; echo option name Hash type spin default 16 min 1 max 64
            echo option name Style type combo default Solid var Solid var Risky; echo uciok
            read a; read b; read c; read d; echo $a, $b, $c, $d; echo readyok; read quit";
        let launch = Launch {
            program: "sh".into(),
            args: vec!["-c".into(), script.into()],
            ..Launch::default()
        };
        let runtime = hone_base::platform::runtime().expect("a runtime");
        runtime.block_on(async {
            let patience = Duration::from_secs(60);
            let mut client = Client::start(&launch, patience).await.expect("it starts");
            let deadline = Instant::now() + patience;
            for options in [
                &[pair("hash", "8"), pair("style", "RISKY")][..],
                &[pair("HASH", "8"), pair("Style", "Risky")],
                &[pair("Hash", "9")],
            ] {
                let set = client.configure(options, deadline).await;
                set.expect("it reads");
            }
            client.wait_ready(deadline).await.expect("it answers");
            let mut answers = client.transcript().answers();
            let sent = answers.find(|line| line.starts_with("setoption"));
            let expected = "setoption name Hash value 8, setoption name Style value Risky, \
                setoption name Style value Solid, setoption name Hash value 9";
            assert_eq!(sent.as_deref(), Some(expected));
        });
    }
}
