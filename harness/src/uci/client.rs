//! One engine process: its life, its options and its answers.

use std::io;
use std::pin::Pin;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin};
use tokio::task::{unconstrained, yield_now};
use tokio::time::{Sleep, sleep_until, timeout_at};

use super::guard;
use super::info::Info;
use super::lines::LineReader;
use super::options::EngineOption;
use super::output::{Bell, EngineOutput, RING};
use super::process::{Launch, kill_group};
use super::stderr::KeptStderr;
use super::transcript::{Direction, Transcript};
use super::watch::Watch;

/// How long an engine may take to say that it is there.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// From its start to `uciok`.
    pub startup: Duration,
    /// From `isready` to `readyok`.
    pub ready: Duration,
}

/// Why an engine could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("cannot start `{command}`: {source}")]
    Spawn { command: String, source: io::Error },
    #[error("`{command}` ended ({status}) before it said `uciok`: is it a UCI engine?{stderr}")]
    Ended {
        command: String,
        status: String,
        stderr: String,
    },
    #[error("`{command}` did not say `uciok` within {seconds} s: is it a UCI engine?{heard}")]
    NoUciok {
        command: String,
        seconds: u64,
        heard: String,
    },
}

/// Why an engine did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("the engine closed its output or ended")]
    Disconnected,
    #[error("the engine did not answer in time")]
    TimedOut,
}

/// A `bestmove` that has arrived; the moves are in [`Client::best_move`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    pub arrived: Instant,
}

/// An answer that comes within this time is prompt.
pub(crate) const PROMPT: Duration = Duration::from_millis(5);

/// So often a thread sees to other things even if all answers are prompt.
const REST: Duration = Duration::from_millis(20);

/// A running engine that has said `uciok`.
#[derive(Debug)]
pub struct Client {
    child: Child,
    pid: u32,
    /// Closed to tell the engine that nobody is there any more.
    stdin: Option<ChildStdin>,
    lines: LineReader<EngineOutput>,
    /// Of the wait for an answer to what was sent last.
    watch: Watch,
    /// When this engine was last attended to.
    attended: Instant,
    /// When something was sent last.
    sent: Instant,
    /// When the thread last saw to what else there is to do.
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
    best: Vec<u8>,
    ponder: Vec<u8>,
}

impl Client {
    /// Starts the engine and waits for its `uciok`.
    ///
    /// # Errors
    /// [`StartError`], with what the engine said instead.
    pub async fn start(launch: &Launch, timeouts: Timeouts) -> Result<Self, StartError> {
        let command = launch.command_line();
        // A fork that is interrupted begins again.
        Bell::silence();
        let mut child = launch.spawn().map_err(|source| StartError::Spawn {
            command: command.clone(),
            source,
        })?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("stdout is piped");
        let stdout = EngineOutput::new(stdout).map_err(|source| StartError::Spawn {
            command: command.clone(),
            source,
        })?;
        let stderr = KeptStderr::of(child.stderr.take().expect("stderr is piped"));
        let pid = child.id().unwrap_or(0);
        guard::watch(pid);
        let mut client = Self {
            pid,
            child,
            stdin,
            lines: LineReader::new(stdout),
            watch: Watch::default(),
            attended: Instant::now(),
            sent: Instant::now(),
            rested: Instant::now(),
            alarm: Box::pin(sleep_until(Instant::now().into())),
            transcript: Transcript::default(),
            stderr,
            name: String::new(),
            author: String::new(),
            options: Vec::new(),
            set: Vec::new(),
            info: Info::default(),
            best: Vec::new(),
            ponder: Vec::new(),
        };
        match client.handshake(timeouts.startup).await {
            Ok(()) => Ok(client),
            Err(AnswerError::Disconnected) => Err(StartError::Ended {
                command,
                status: client.exit_status().await,
                stderr: client.stderr_hint(),
            }),
            Err(AnswerError::TimedOut) => Err(StartError::NoUciok {
                command,
                seconds: timeouts.startup.as_secs(),
                heard: client.stderr_hint(),
            }),
        }
    }

    async fn handshake(&mut self, limit: Duration) -> Result<(), AnswerError> {
        let deadline = Instant::now() + limit;
        self.send(b"uci\n", deadline).await?;
        loop {
            while let Some(line) = self.lines.buffered() {
                self.transcript
                    .push(Direction::FromEngine, Instant::now(), line);
                let text = String::from_utf8_lossy(line);
                let text = text.trim();
                if text == "uciok" {
                    return Ok(());
                }
                if let Some(name) = text.strip_prefix("id name ") {
                    self.name = name.trim().to_string();
                } else if let Some(author) = text.strip_prefix("id author ") {
                    self.author = author.trim().to_string();
                } else if let Some(option) = EngineOption::parse(text) {
                    self.options.push(option);
                }
            }
            self.fill(deadline).await?;
        }
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

    /// The process's id, which is also that of its process group.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Brings the engine's options from what they are to `wanted`: sends what
    /// differs, and sets back to its default what is no longer wanted.
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

    /// Waits for `readyok`, which must have been asked for.
    ///
    /// # Errors
    /// [`AnswerError`].
    pub async fn wait_ready(&mut self, deadline: Instant) -> Result<(), AnswerError> {
        // The opponent was waited for first.
        self.attended = Instant::now();
        self.wait_for(deadline, |_, line| line.trim_ascii() == b"readyok")
            .await
            .map(drop)
    }

    /// Forgets what the engine said of its last search.
    pub fn clear_info(&mut self) {
        self.info.clear();
    }

    /// Waits for a line that `is_it` accepts, which sees every line without
    /// its end.
    ///
    /// # Errors
    /// [`AnswerError`].
    pub async fn wait_line(
        &mut self,
        deadline: Instant,
        mut is_it: impl FnMut(&[u8]) -> bool,
    ) -> Result<Answer, AnswerError> {
        self.wait_for(deadline, |_, line| is_it(line)).await
    }

    /// Waits for the answer to a `go`, keeping what the `info` lines say.
    ///
    /// # Errors
    /// [`AnswerError`]; after a time-out the engine may still be thinking.
    pub async fn wait_bestmove(&mut self, deadline: Instant) -> Result<Answer, AnswerError> {
        self.watch_bestmove(deadline, |_| {}).await
    }

    /// [`Client::wait_bestmove`] that shows what is known after each `info`
    /// line.
    ///
    /// # Errors
    /// As [`Client::wait_bestmove`].
    pub async fn watch_bestmove(
        &mut self,
        deadline: Instant,
        mut watch: impl FnMut(&Info),
    ) -> Result<Answer, AnswerError> {
        self.wait_for(deadline, |heard, line| {
            if let Some(rest) = line.strip_prefix(b"info")
                && rest.first().is_some_and(u8::is_ascii_whitespace)
            {
                heard.info.update(line);
                watch(heard.info);
                return false;
            }
            let mut words = line
                .split(u8::is_ascii_whitespace)
                .filter(|word| !word.is_empty());
            if words.next() != Some(b"bestmove") {
                return false;
            }
            heard.best.extend(words.next().unwrap_or_default());
            if words.next() == Some(b"ponder") {
                heard.ponder.extend(words.next().unwrap_or_default());
            }
            true
        })
        .await
    }

    /// What the engine said before its last answer.
    pub fn info(&self) -> &Info {
        &self.info
    }

    /// The move of the last answer as the engine wrote it; empty if it wrote
    /// none.
    pub fn best_move(&self) -> &[u8] {
        &self.best
    }

    /// The move it would like to ponder on; empty if it named none.
    pub fn ponder_move(&self) -> &[u8] {
        &self.ponder
    }

    async fn wait_for(
        &mut self,
        deadline: Instant,
        mut is_it: impl FnMut(&mut Heard<'_>, &[u8]) -> bool,
    ) -> Result<Answer, AnswerError> {
        self.best.clear();
        self.ponder.clear();
        loop {
            let arrived = self.lines.arrived();
            let mut heard = Heard {
                info: &mut self.info,
                best: &mut self.best,
                ponder: &mut self.ponder,
            };
            while let Some(line) = self.lines.buffered() {
                self.transcript.push(Direction::FromEngine, arrived, line);
                if is_it(&mut heard, line) {
                    return Ok(Answer { arrived });
                }
            }
            // An engine that never stops talking must not keep the floor.
            if arrived > self.watch.extended(deadline) {
                return Err(AnswerError::TimedOut);
            }
            self.fill(deadline).await?;
        }
    }

    async fn fill(&mut self, deadline: Instant) -> Result<(), AnswerError> {
        if let Some(filled) = self.fill_promptly(deadline).await {
            return filled;
        }
        loop {
            let glance = self.watch.glance(self.attended, deadline);
            if self.alarm.is_elapsed() || self.alarm.deadline() > glance.into() {
                self.alarm.as_mut().reset(glance.into());
            }
            let filled = tokio::select! {
                biased;
                filled = self.lines.fill() => Some(filled),
                () = &mut self.alarm => None,
            };
            let now = match filled {
                Some(_) => self.lines.arrived(),
                None => Instant::now(),
            };
            self.watch.woke(now, glance);
            self.attended = now;
            match filled {
                Some(Ok(true)) => return Ok(()),
                Some(Ok(false) | Err(_)) => return Err(AnswerError::Disconnected),
                None if now >= self.watch.extended(deadline) => {
                    return Err(AnswerError::TimedOut);
                }
                None => {}
            }
        }
    }

    /// Waits in the read itself, if this thread has a bell, for as long as an
    /// answer may be called prompt. `None` if it is not.
    async fn fill_promptly(&mut self, deadline: Instant) -> Option<Result<(), AnswerError>> {
        let until = deadline.min(self.sent + PROMPT);
        while self.attended + RING < until && Bell::ring() {
            if self.attended > self.rested + REST {
                self.rest().await;
            }
            let glance = self.watch.glance(self.attended, deadline);
            let filled = self.lines.fill_alone();
            self.attended = match filled {
                Some(_) => self.lines.arrived(),
                None => Instant::now(),
            };
            self.watch.woke(self.attended, glance);
            match filled {
                Some(Ok(true)) => return Some(Ok(())),
                Some(Ok(false) | Err(_)) => return Some(Err(AnswerError::Disconnected)),
                // Perhaps it waits for its standard error to be read.
                None => self.rest().await,
            }
        }
        Bell::silence();
        None
    }

    /// Lets the thread see to what else there is to do.
    async fn rest(&mut self) {
        self.rested = self.attended;
        yield_now().await;
    }

    /// For how long nobody has watched for the answer to what was sent last,
    /// because `hone` itself was stopped. Deadlines are later by that.
    pub fn unwatched(&self) -> Duration {
        self.watch.unwatched()
    }

    /// Closes the engine's input, as happens when the controlling program dies,
    /// and says whether the engine ends within `patience`. It and all its
    /// descendants are gone afterwards.
    pub async fn hang_up(mut self, patience: Duration) -> bool {
        self.stdin = None;
        let ended = tokio::time::timeout(patience, self.child.wait()).await;
        self.kill().await;
        matches!(ended, Ok(Ok(_)))
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
        match self.stderr().lines().next_back() {
            Some(last) => format!(" It wrote: {last}"),
            None => String::new(),
        }
    }

    /// How the process ended, in words; "still running" if it does after a
    /// short wait. Its last words are then in [`Client::stderr`].
    pub async fn exit_status(&mut self) -> String {
        const PATIENCE: Duration = Duration::from_millis(200);
        let status = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        if status.is_ok() {
            self.stderr.complete(PATIENCE).await;
        }
        match status {
            Ok(Ok(status)) => describe(status),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "still running".to_string(),
        }
    }

    /// Asks the engine to quit, and ends it and all its descendants if it does
    /// not within `patience`.
    pub async fn quit(mut self, patience: Duration) {
        let deadline = Instant::now() + patience;
        if self.send(b"quit\n", deadline).await.is_ok() {
            let _ = timeout_at(deadline.into(), self.child.wait()).await;
        }
        self.kill().await;
    }

    /// Ends the engine and all its descendants at once.
    pub async fn kill(mut self) {
        kill_group(self.pid);
        let _ = self.child.kill().await;
        guard::forget(self.pid);
        // The drop must not signal a process id that is no longer ours.
        self.pid = 0;
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if self.pid != 0 {
            kill_group(self.pid);
            guard::forget(self.pid);
        }
    }
}

/// Where the lines of an answer are kept.
struct Heard<'a> {
    info: &'a mut Info,
    best: &'a mut Vec<u8>,
    ponder: &'a mut Vec<u8>,
}

fn push_setoption(commands: &mut String, name: &str, value: &str) {
    commands.push_str("setoption name ");
    commands.push_str(name);
    if !value.is_empty() {
        commands.push_str(" value ");
        commands.push_str(value);
    }
    commands.push('\n');
}

/// How a process ended, in words.
fn describe(status: ExitStatus) -> String {
    let text = status.to_string().replacen(": ", " ", 1);
    if text.contains("SIGILL") {
        return format!("killed by {text}: perhaps it is built for another processor");
    }
    match text.starts_with("signal") {
        true => format!("killed by {text}"),
        false => text,
    }
}
