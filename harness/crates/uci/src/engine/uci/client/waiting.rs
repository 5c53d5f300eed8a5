//! Waiting for answers.

use std::convert::Infallible;
use std::future::pending;
use std::time::{Duration, Instant};

use tokio::task::yield_now;

use super::{Answer, AnswerError, Client};
use crate::engine::uci::transcript::Direction;
use crate::rules::{LinePattern, SearchInfo};
use hone_base::platform::{DelayMeter, READ_TIMEOUT, ReadTimer};
use hone_base::text::printable;

/// Time after a command in which its answer is waited for without the runtime: most
/// answers of fast games come within it.
pub const PROMPT: Duration = Duration::from_millis(5);

/// A thread lets its other tasks run at least this often, even if all answers come
/// within [`PROMPT`].
const YIELD_INTERVAL: Duration = Duration::from_millis(20);

/// Characters kept of a line that matches a pattern of the record.
const MAX_KEPT: usize = 1024;

/// Parses the lines of a search into the fields of its [`Client`].
struct AnswerParser<'a> {
    info: &'a mut SearchInfo,
    patterns: &'a [LinePattern],
    best: &'a mut Vec<u8>,
    ponder: &'a mut Vec<u8>,
}

impl AnswerParser<'_> {
    /// Parses a line; calls `on_info` after an `info` line. Returns whether the line is a
    /// `bestmove`.
    fn parse(&mut self, line: &[u8], on_info: &mut impl FnMut(&[u8], &SearchInfo)) -> bool {
        if !self.patterns.is_empty() {
            self.keep_matching(line);
        }
        let line = line.trim_ascii_start();
        if let Some(rest) = line.strip_prefix(b"info")
            && rest.first().is_some_and(u8::is_ascii_whitespace)
        {
            self.info.update(line);
            on_info(line, self.info);
            return false;
        }
        let mut words = line
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        if words.next() != Some(b"bestmove") {
            return false;
        }
        self.best.clear();
        self.best.extend(words.next().unwrap_or_default());
        self.ponder.clear();
        if words.next() == Some(b"ponder") {
            self.ponder.extend(words.next().unwrap_or_default());
        }
        true
    }

    /// Keeps a line for each pattern of the record that it matches.
    fn keep_matching(&mut self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let text: String = text.trim_end().chars().take(MAX_KEPT).collect();
        for (pattern, kept) in self.patterns.iter().zip(&mut self.info.lines) {
            if pattern.is_match(&text) {
                *kept = Some(text.clone());
            }
        }
    }
}

impl Client {
    /// Waits for the `readyok` that answers an `isready` sent before.
    ///
    /// # Errors
    /// [`AnswerError`].
    pub async fn wait_ready(&mut self, deadline: Instant) -> Result<(), AnswerError> {
        // Waiting for the opponent to get ready is not a pause.
        self.last_poll = Instant::now();
        self.wait_for(deadline, |_, line| line.trim_ascii() == b"readyok")
            .await
            .map(drop)
    }

    /// Clears what the engine reported about its last search.
    pub fn clear_info(&mut self) {
        self.info.clear();
    }

    /// Drops lines that have arrived since the last answer: a second `bestmove` must not
    /// count as the answer to the next `go`.
    pub fn drop_unsolicited(&mut self) {
        self.has_sent_unsolicited |= self.early_answer.take().is_some();
        self.drop_buffered();
        self.lines.fill_available();
        self.drop_buffered();
    }

    fn drop_buffered(&mut self) {
        let arrived = self.lines.arrived();
        while let Some(line) = self.lines.buffered() {
            self.transcript.push(Direction::FromEngine, arrived, line);
            if line.trim_ascii_start().starts_with(b"bestmove") {
                self.has_sent_unsolicited = true;
            }
        }
    }

    /// Whether the engine has sent a `bestmove` without a `go`.
    pub fn has_sent_unsolicited(&self) -> bool {
        self.has_sent_unsolicited
    }

    /// Waits for the `bestmove` that answers a `go`, and reads the `info` lines before it.
    ///
    /// # Errors
    /// [`AnswerError`]; after a timeout the engine may still be thinking.
    pub async fn wait_bestmove(&mut self, deadline: Instant) -> Result<Answer, AnswerError> {
        self.watch_bestmove(deadline, |_, _| {}).await
    }

    /// [`Client::wait_bestmove`] that calls `on_info` with each `info` line, without
    /// leading blanks and line end, and with the state after it.
    ///
    /// # Errors
    /// As [`Client::wait_bestmove`].
    pub(crate) async fn watch_bestmove(
        &mut self,
        deadline: Instant,
        mut on_info: impl FnMut(&[u8], &SearchInfo),
    ) -> Result<Answer, AnswerError> {
        match self.early_answer.take() {
            Some(answer) => Ok(answer),
            None => {
                self.wait_for(deadline, |parser, line| parser.parse(line, &mut on_info))
                    .await
            }
        }
    }

    /// Reads what the engine writes while it ponders: an engine blocks when its pipe is
    /// full. Leaves an early `bestmove` and the end of the output to the next wait.
    /// Never returns; cancel safe.
    pub async fn read_while_pondering(&mut self) -> Infallible {
        loop {
            if self.early_answer.is_none() {
                self.early_answer =
                    self.parse_buffered(&mut |parser, line| parser.parse(line, &mut |_, _| {}));
            }
            if self.early_answer.is_some() || !matches!(self.lines.fill().await, Ok(true)) {
                return pending().await;
            }
            // An engine that writes without end must not block other tasks.
            yield_now().await;
        }
    }

    /// What the engine reported before its last answer.
    pub fn info(&self) -> &SearchInfo {
        &self.info
    }

    /// The last `info` line since the last command whose `score` is not a bound: it cannot
    /// be read if [`Client::info`] has no score.
    pub fn line_with_score(&self) -> Option<String> {
        let has_score = |line: &String| {
            let mut words = line.split_whitespace();
            let is_info = words.next() == Some("info");
            // The rest of the line is free text.
            let words: Vec<&str> = words.take_while(|word| *word != "string").collect();
            let is_bound = words.contains(&"lowerbound") || words.contains(&"upperbound");
            is_info && words.contains(&"score") && !is_bound
        };
        let line = self.transcript.answers().find(has_score)?;
        Some(printable(&line).chars().take(MAX_KEPT).collect())
    }

    /// The move of the last `bestmove` as the engine wrote it; empty if it wrote none.
    pub fn best_move(&self) -> &[u8] {
        &self.best
    }

    /// The `ponder` move of the last `bestmove`; empty if there was none.
    pub fn ponder_move(&self) -> &[u8] {
        &self.ponder
    }

    async fn wait_for(
        &mut self,
        deadline: Instant,
        mut is_answer: impl FnMut(&mut AnswerParser<'_>, &[u8]) -> bool,
    ) -> Result<Answer, AnswerError> {
        self.best.clear();
        self.ponder.clear();
        loop {
            if let Some(answer) = self.parse_buffered(&mut is_answer) {
                return Ok(answer);
            }
            self.stop_if_late(self.lines.arrived(), deadline)?;
            self.fill(deadline).await?;
        }
    }

    /// Parses the lines in the buffer, up to one that `is_answer` accepts.
    fn parse_buffered(
        &mut self,
        is_answer: &mut impl FnMut(&mut AnswerParser<'_>, &[u8]) -> bool,
    ) -> Option<Answer> {
        let arrived = self.lines.arrived();
        let mut parser = AnswerParser {
            info: &mut self.info,
            patterns: &self.patterns,
            best: &mut self.best,
            ponder: &mut self.ponder,
        };
        while let Some(line) = self.lines.buffered() {
            self.transcript.push(Direction::FromEngine, arrived, line);
            if is_answer(&mut parser, line) {
                return Some(Answer { arrived });
            }
        }
        None
    }

    /// Checks the deadline after each read: an engine that writes without end must not
    /// extend it.
    ///
    /// # Errors
    /// As [`Client::no_answer`], if `arrived` is after the deadline.
    pub(super) fn stop_if_late(
        &mut self,
        arrived: Instant,
        deadline: Instant,
    ) -> Result<(), AnswerError> {
        if arrived > self.pauses.extended(deadline) {
            return Err(self.no_answer());
        }
        Ok(())
    }

    /// Why no answer came in time. An engine that has ended while a child of it holds its
    /// output open has disconnected.
    fn no_answer(&mut self) -> AnswerError {
        if self.has_ended() {
            AnswerError::Disconnected
        } else {
            AnswerError::TimedOut
        }
    }

    /// Waits for more output.
    ///
    /// # Errors
    /// [`AnswerError`].
    pub(super) async fn fill(&mut self, deadline: Instant) -> Result<(), AnswerError> {
        if let Some(filled) = self.fill_promptly(deadline).await {
            return filled;
        }
        let mut has_ended = false;
        loop {
            let due = self.pauses.next_poll(self.last_poll, deadline);
            if self.poll_timer.is_elapsed() || self.poll_timer.deadline() > due.into() {
                self.poll_timer.as_mut().reset(due.into());
            }
            let filled = tokio::select! {
                biased;
                filled = self.lines.fill() => Some(filled),
                () = &mut self.poll_timer => None,
            };
            let now = self.record_poll(filled.is_some(), due);
            match filled {
                Some(Ok(true)) => return Ok(()),
                Some(Ok(false) | Err(_)) => return Err(AnswerError::Disconnected),
                None if now >= self.pauses.extended(deadline) => return Err(self.no_answer()),
                None if has_ended => return Err(AnswerError::Disconnected),
                // Output that the engine wrote before its end is read first.
                None => has_ended = self.has_ended(),
            }
        }
    }

    /// Waits with blocking reads until [`PROMPT`] has passed, if this thread has a read
    /// timer. `None` if nothing came.
    async fn fill_promptly(&mut self, deadline: Instant) -> Option<Result<(), AnswerError>> {
        let until = deadline.min(self.sent + PROMPT);
        while self.last_poll + READ_TIMEOUT < until && ReadTimer::arm() {
            if self.last_poll > self.last_yield + YIELD_INTERVAL {
                self.yield_to_tasks().await;
            }
            let due = self.pauses.next_poll(self.last_poll, deadline);
            let filled = self.lines.fill_blocking();
            self.record_poll(filled.is_some(), due);
            match filled {
                Some(Ok(true)) => return Some(Ok(())),
                Some(Ok(false) | Err(_)) => return Some(Err(AnswerError::Disconnected)),
                // The engine may be blocked until its standard error is read.
                None => self.yield_to_tasks().await,
            }
        }
        ReadTimer::disarm();
        None
    }

    /// Records a poll that was due at `due`, and returns when it was.
    fn record_poll(&mut self, has_read: bool, due: Instant) -> Instant {
        let now = if has_read {
            self.lines.arrived()
        } else {
            Instant::now()
        };
        self.pauses.record_poll(now, due);
        DelayMeter::poll(now);
        self.last_poll = now;
        now
    }

    /// Lets the thread run its other tasks.
    async fn yield_to_tasks(&mut self) {
        self.last_yield = self.last_poll;
        yield_now().await;
    }

    /// The part of the wait for the last answer in which `hone` itself was paused.
    /// Deadlines move by this time.
    pub fn pause_credit(&self) -> Duration {
        self.pauses.credit()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::engine::uci::Launch;
    use crate::rules::Score;

    /// An engine in the shell, after its `uciok`.
    async fn engine(script: &str) -> Client {
        let launch = Launch {
            program: "sh".into(),
            args: vec!["-c".into(), format!("read uci\necho uciok\n{script}")],
            ..Launch::default()
        };
        Client::start(&launch, TIMEOUT).await.expect("it starts")
    }

    const TIMEOUT: Duration = Duration::from_secs(60);

    /// Sends a `go` and returns the move of its answer.
    async fn answer(client: &mut Client) -> String {
        let deadline = Instant::now() + TIMEOUT;
        client.send(b"go\n", deadline).await.expect("it reads");
        client.wait_bestmove(deadline).await.expect("it answers");
        String::from_utf8_lossy(client.best_move()).into_owned()
    }

    fn block_on(test: impl Future<Output = ()>) {
        let runtime = hone_base::platform::runtime().expect("a runtime");
        runtime.block_on(test);
    }

    #[test]
    fn a_second_bestmove_that_comes_later_does_not_answer_the_next_go() {
        let folder = tempfile::tempdir().expect("a folder");
        let marker = folder.path().join("marker");
        block_on(async {
            let mut client = engine(&format!(
                "read go\necho bestmove e2e4\nread on\necho bestmove e2e4\n: >'{}'\n\
                 read go\necho bestmove g1f3\nread quit",
                marker.display()
            ))
            .await;
            assert_eq!(answer(&mut client).await, "e2e4");
            client.drop_unsolicited();
            assert!(!client.has_sent_unsolicited());
            let deadline = Instant::now() + TIMEOUT;
            client.send(b"on\n", deadline).await.expect("it reads");
            while !marker.exists() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            client.drop_unsolicited();
            assert!(client.has_sent_unsolicited());
            assert_eq!(answer(&mut client).await, "g1f3");
        });
    }

    #[test]
    fn the_line_with_a_score_that_cannot_be_read_is_found() {
        block_on(async {
            let mut client = engine(
                "read go\necho info depth 1 score cp 0.11 pv e2e4\n\
                 echo info depth 2 score cp 9 lowerbound\necho info string score 5\n\
                 echo bestmove e2e4\nread go\necho bestmove e2e4\nread quit",
            )
            .await;
            answer(&mut client).await;
            assert_eq!(client.info().score, None);
            let line = client.line_with_score();
            assert_eq!(line.as_deref(), Some("info depth 1 score cp 0.11 pv e2e4"));
            answer(&mut client).await;
            assert_eq!(client.line_with_score(), None);
        });
    }

    #[test]
    fn blanks_before_a_line_do_not_matter() {
        block_on(async {
            let mut client = engine(
                "read go\nprintf '  info depth 3 score cp 41 pv e2e4\\n \\tbestmove e2e4\\n'\nread quit",
            )
            .await;
            assert_eq!(answer(&mut client).await, "e2e4");
            assert_eq!(client.info().score, Some(Score::Cp(41)));
            assert_eq!(client.info().depth, 3);
        });
    }
}
