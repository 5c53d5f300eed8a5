//! Waiting for answers.

use std::convert::Infallible;
use std::future::pending;
use std::time::{Duration, Instant};

use tokio::task::yield_now;

use super::{Answer, AnswerError, Client};
use crate::engine::uci::transcript::Direction;
use crate::platform::{DelayMeter, ReadTimer, TICK};
use crate::rules::{Info, LinePattern};

/// An answer that comes within this time is prompt.
pub(crate) const PROMPT: Duration = Duration::from_millis(5);

/// A thread lets other tasks run at least this often, even if all answers are
/// prompt.
const REST: Duration = Duration::from_millis(20);

/// Characters kept of a line for the record.
const MAX_KEPT: usize = 1024;

/// Where the lines of an answer are kept.
struct Heard<'a> {
    info: &'a mut Info,
    patterns: &'a [LinePattern],
    best: &'a mut Vec<u8>,
    ponder: &'a mut Vec<u8>,
}

impl Heard<'_> {
    /// Takes a line of a search. Shows an `info` line and what is known after it. Returns
    /// whether it is the answer.
    fn take(&mut self, line: &[u8], watch: &mut impl FnMut(&[u8], &Info)) -> bool {
        if !self.patterns.is_empty() {
            self.keep(line);
        }
        let line = line.trim_ascii_start();
        if let Some(rest) = line.strip_prefix(b"info")
            && rest.first().is_some_and(u8::is_ascii_whitespace)
        {
            self.info.update(line);
            watch(line, self.info);
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

    /// Keeps a line that the record wants.
    fn keep(&mut self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end();
        // An endless line would make an endless comment.
        let text: String = text.chars().take(MAX_KEPT).collect();
        for (pattern, kept) in self.patterns.iter().zip(&mut self.info.lines) {
            if pattern.is_match(&text) {
                *kept = Some(text.clone());
            }
        }
    }
}

impl Client {
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

    /// Drops lines that have arrived and answer nothing: a second `bestmove` must not
    /// pass for the answer to the next `go`.
    pub(crate) fn drop_unasked(&mut self) {
        self.has_answered_unasked |= self.early.take().is_some();
        self.drop_buffered();
        self.lines.fill_present();
        self.drop_buffered();
    }

    fn drop_buffered(&mut self) {
        let arrived = self.lines.arrived();
        while let Some(line) = self.lines.buffered() {
            self.transcript.push(Direction::FromEngine, arrived, line);
            if line.trim_ascii_start().starts_with(b"bestmove") {
                self.has_answered_unasked = true;
            }
        }
    }

    /// Whether it has sent a `bestmove` without a `go`, which was dropped.
    pub(crate) fn has_answered_unasked(&self) -> bool {
        self.has_answered_unasked
    }

    /// Waits for the answer to a `go`, keeping what the `info` lines say.
    ///
    /// # Errors
    /// [`AnswerError`]; after a time-out the engine may still be thinking.
    pub async fn wait_bestmove(&mut self, deadline: Instant) -> Result<Answer, AnswerError> {
        self.watch_bestmove(deadline, |_, _| {}).await
    }

    /// [`Client::wait_bestmove`] that shows each `info` line, without blanks before it
    /// and without its end, and what is known after it.
    ///
    /// # Errors
    /// As [`Client::wait_bestmove`].
    pub async fn watch_bestmove(
        &mut self,
        deadline: Instant,
        mut watch: impl FnMut(&[u8], &Info),
    ) -> Result<Answer, AnswerError> {
        match self.early.take() {
            Some(answer) => Ok(answer),
            None => {
                self.wait_for(deadline, |heard, line| heard.take(line, &mut watch))
                    .await
            }
        }
    }

    /// Reads what the engine writes while it ponders: one whose pipe is full stops
    /// thinking. An answer, which is not due yet, is left to the next wait, and so is the
    /// end of its output. Cancel safe.
    pub(crate) async fn read_along(&mut self) -> Infallible {
        loop {
            if self.early.is_none() {
                self.early = self.hear(&mut |heard, line| heard.take(line, &mut |_, _| {}));
            }
            if self.early.is_some() || !matches!(self.lines.fill().await, Ok(true)) {
                return pending().await;
            }
            // One that never stops writing must not block other tasks.
            yield_now().await;
        }
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
            if let Some(answer) = self.hear(&mut is_it) {
                return Ok(answer);
            }
            self.stop_if_late(self.lines.arrived(), deadline)?;
            self.fill(deadline).await?;
        }
    }

    /// Goes through the lines that have been read, up to one that `is_it` accepts.
    fn hear(&mut self, is_it: &mut impl FnMut(&mut Heard<'_>, &[u8]) -> bool) -> Option<Answer> {
        let arrived = self.lines.arrived();
        let mut heard = Heard {
            info: &mut self.info,
            patterns: &self.patterns,
            best: &mut self.best,
            ponder: &mut self.ponder,
        };
        while let Some(line) = self.lines.buffered() {
            self.transcript.push(Direction::FromEngine, arrived, line);
            if is_it(&mut heard, line) {
                return Some(Answer { arrived });
            }
        }
        None
    }

    /// An engine that never stops writing must not block the other tasks.
    pub(super) fn stop_if_late(
        &mut self,
        arrived: Instant,
        deadline: Instant,
    ) -> Result<(), AnswerError> {
        if arrived > self.watch.extended(deadline) {
            return Err(self.silence());
        }
        Ok(())
    }

    /// What it means that no answer came in time: an engine that has ended
    /// while a child of it holds its output open does not stall.
    fn silence(&mut self) -> AnswerError {
        match self.has_ended() {
            true => AnswerError::Disconnected,
            false => AnswerError::TimedOut,
        }
    }

    pub(super) async fn fill(&mut self, deadline: Instant) -> Result<(), AnswerError> {
        if let Some(filled) = self.fill_promptly(deadline).await {
            return filled;
        }
        let mut has_ended = false;
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
            self.woke(now, glance);
            match filled {
                Some(Ok(true)) => return Ok(()),
                Some(Ok(false) | Err(_)) => return Err(AnswerError::Disconnected),
                None if now >= self.watch.extended(deadline) => return Err(self.silence()),
                None if has_ended => return Err(AnswerError::Disconnected),
                // What it wrote before its end is read first.
                None => has_ended = self.has_ended(),
            }
        }
    }

    /// Waits in the read itself, if this thread has a read timer, for as long as an
    /// answer may be called prompt. `None` if it is not.
    async fn fill_promptly(&mut self, deadline: Instant) -> Option<Result<(), AnswerError>> {
        let until = deadline.min(self.sent + PROMPT);
        while self.attended + TICK < until && ReadTimer::arm() {
            if self.attended > self.rested + REST {
                self.rest().await;
            }
            let glance = self.watch.glance(self.attended, deadline);
            let filled = self.lines.fill_alone();
            let now = match filled {
                Some(_) => self.lines.arrived(),
                None => Instant::now(),
            };
            self.woke(now, glance);
            match filled {
                Some(Ok(true)) => return Some(Ok(())),
                Some(Ok(false) | Err(_)) => return Some(Err(AnswerError::Disconnected)),
                // Perhaps it waits for its standard error to be read.
                None => self.rest().await,
            }
        }
        ReadTimer::disarm();
        None
    }

    /// It is `now`, and the time to look up was `glance`.
    fn woke(&mut self, now: Instant, glance: Instant) {
        self.watch.woke(now, glance);
        DelayMeter::look(now);
        self.attended = now;
    }

    /// Lets the thread run its other tasks.
    async fn rest(&mut self) {
        self.rested = self.attended;
        yield_now().await;
    }

    /// For how long `hone` did not watch for the answer to the last command,
    /// because it was stopped itself. Deadlines move by this time.
    pub fn unwatched(&self) -> Duration {
        self.watch.unwatched()
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
        Client::start(&launch, PATIENCE).await.expect("it starts")
    }

    const PATIENCE: Duration = Duration::from_secs(60);

    /// The move that answers a `go`.
    async fn answer(client: &mut Client) -> String {
        let deadline = Instant::now() + PATIENCE;
        client.send(b"go\n", deadline).await.expect("it reads");
        client.wait_bestmove(deadline).await.expect("it answers");
        String::from_utf8_lossy(client.best_move()).into_owned()
    }

    fn block_on(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(test);
    }

    #[test]
    fn a_second_bestmove_that_comes_later_does_not_answer_the_next_go() {
        let folder = tempfile::tempdir().expect("a folder");
        let said = folder.path().join("said");
        block_on(async {
            let mut client = engine(&format!(
                "read go\necho bestmove e2e4\nread on\necho bestmove e2e4\n: >'{}'\n\
                 read go\necho bestmove g1f3\nread quit",
                said.display()
            ))
            .await;
            assert_eq!(answer(&mut client).await, "e2e4");
            client.drop_unasked();
            assert!(!client.has_answered_unasked());
            let deadline = Instant::now() + PATIENCE;
            client.send(b"on\n", deadline).await.expect("it reads");
            while !said.exists() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            client.drop_unasked();
            assert!(client.has_answered_unasked());
            assert_eq!(answer(&mut client).await, "g1f3");
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
