//! Error messages about an engine that fails.

use std::time::Duration;

use super::{AnswerError, Client, HandshakeError, StartError};
use hone_base::diagnostic::Diagnostic;
use hone_base::text::{first_error, without_escapes};

/// Characters of one line of the engine in a message.
const MAX_SHOWN: usize = 200;

impl Client {
    /// Describes a failed handshake.
    pub(super) async fn start_error(
        &mut self,
        error: HandshakeError,
        command: String,
        within: Duration,
    ) -> StartError {
        match error {
            HandshakeError::TooManyOptions => StartError::TooManyOptions { command },
            HandshakeError::NoAnswer(error @ AnswerError::Disconnected) => {
                let what = match self.ended().await {
                    Some(status) => format!("ended ({status})"),
                    None => "closed its standard output while still running,".to_string(),
                };
                let question = match self.last_error() {
                    Some(_) => "",
                    None => ": is it a UCI engine?",
                };
                StartError::Ended {
                    command,
                    what,
                    question,
                    details: self.details(error),
                }
            }
            HandshakeError::NoAnswer(error @ AnswerError::TimedOut) => StartError::NoUciok {
                command,
                within,
                details: self.details(error),
            },
        }
    }

    /// The error with how the process ended, if it did, and with [`Client::details`].
    pub async fn explain(&mut self, error: AnswerError) -> Diagnostic {
        let status = match error {
            AnswerError::Disconnected => format!(" ({})", self.exit_status().await),
            AnswerError::TimedOut => String::new(),
        };
        let details = self.details(error);
        Diagnostic::new(format!("{error}{status}{details}")).because(details)
    }

    /// The end of an error message about a missing answer: [`Client::last_error`], after a timeout
    /// what the engine wrote instead of the answer, and as help the limit on memory. If the
    /// engine has ended, call [`Client::exit_status`] first, which waits for the
    /// rest of its standard error.
    pub fn details(&self, error: AnswerError) -> Diagnostic {
        let mut details = match self.last_error() {
            Some(line) => format!("; its standard error: {line}"),
            None => String::new(),
        };
        if error == AnswerError::TimedOut {
            details += &self.last_output();
        }
        let details = Diagnostic::new(details);
        match self.max_memory {
            Some(limit) => details.help(format!("its memory is limited by `max_memory`, {limit}")),
            None => details,
        }
    }

    /// The line of the standard error that tells most: the first error, with the next line if it
    /// ends with a colon, or else the last line. `None` if all are blank.
    pub fn last_error(&self) -> Option<String> {
        let text = self.stderr();
        let lines = text.lines().map(shown).filter(|line| !line.is_empty());
        let lines: Vec<String> = lines.collect();
        let Some(first) = first_error(&lines) else {
            return lines.last().cloned();
        };
        let (error, next) = (lines.get(first)?, lines.get(first.saturating_add(1)));
        match next.filter(|_| error.ends_with(':')) {
            Some(next) => Some(format!("{error} {next}")),
            None => Some(error.clone()),
        }
    }

    /// What the engine wrote last in place of an answer.
    fn last_output(&self) -> String {
        let unfinished = shown(&String::from_utf8_lossy(self.lines.unfinished()));
        if !unfinished.is_empty() {
            return format!(
                "; it wrote `{unfinished}` without a line end (does it flush its output?)"
            );
        }
        let mut lines = self.transcript.answers().map(|line| shown(&line));
        match lines.find(|line| !line.is_empty()) {
            Some(line) => format!("; its last line: `{line}`"),
            None => "; it wrote nothing (does it flush its output?)".to_string(),
        }
    }
}

/// The first [`MAX_SHOWN`] characters of a line, without escape sequences.
fn shown(line: &str) -> String {
    without_escapes(line)
        .trim()
        .chars()
        .take(MAX_SHOWN)
        .collect()
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::engine::uci::Launch;

    /// An engine in the shell.
    fn engine(script: &str) -> Launch {
        Launch {
            program: "sh".into(),
            args: vec!["-c".into(), script.into()],
            ..Launch::default()
        }
    }

    const TIMEOUT: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn an_end_without_uciok_has_the_standard_error_or_a_question() {
        for (script, words) in [
            (
                "echo net.bin >&2; exit 3",
                "ended (exit status 3) before it sent `uciok`; its standard error: net.bin",
            ),
            (
                "exit 3",
                "ended (exit status 3) before it sent `uciok`: is it a UCI engine?",
            ),
        ] {
            let started = Client::start(&engine(script), TIMEOUT).await;
            let text = started.expect_err("no `uciok`").to_string();
            assert!(text.ends_with(words), "{text}");
        }
    }

    #[tokio::test]
    async fn the_first_error_is_shown_without_escape_sequences() {
        for (written, line) in [
            ("loading\\n\\033[31mnet.bin\\033[0m", "net.bin"),
            (
                "\\nthread main panicked at a.rs:1:2:\\nindex 8\\nnote: run with",
                "thread main panicked at a.rs:1:2: index 8",
            ),
            (
                "\\033[1mERROR: AddressSanitizer: x\\033[0m\\n#0 main\\nABORTING",
                "ERROR: AddressSanitizer: x",
            ),
            (
                "Traceback (last call):\\n  a.py\\nKeyError: 5",
                "KeyError: 5",
            ),
        ] {
            let script = format!("printf '{written}\\n\\n' >&2; exit 3");
            let started = Client::start(&engine(&script), TIMEOUT).await;
            let text = started.expect_err("no `uciok`").to_string();
            assert!(text.ends_with(&format!("standard error: {line}")), "{text}");
        }
    }

    #[tokio::test]
    async fn a_crash_is_explained_by_its_status_and_the_standard_error() {
        let script = "read uci; echo uciok; read go; printf 'Traceback\\nValueError: x\\n\\n' >&2
            exit 1";
        let started = Client::start(&engine(script), TIMEOUT).await;
        let mut client = started.expect("it starts");
        let deadline = Instant::now() + TIMEOUT;
        client.send(b"go\n", deadline).await.expect("it reads");
        let error = client.wait_bestmove(deadline).await.expect_err("it ends");
        assert_eq!(
            client.explain(error).await.to_string(),
            "the engine closed its output or ended (exit status 1); its standard error: ValueError: x"
        );
    }

    #[tokio::test]
    async fn a_timeout_is_explained_by_what_the_engine_wrote() {
        const NOTHING: &str = "; it wrote nothing (does it flush its output?)";
        for (answer, words) in [
            ("echo bestmove: d2d4", "; its last line: `bestmove: d2d4`"),
            ("printf uciok", "; it wrote `uciok` without a line end"),
            ("true", NOTHING),
        ] {
            let script = format!("read uci; echo uciok; read go; {answer}; read on");
            let started = Client::start(&engine(&script), TIMEOUT).await;
            let mut client = started.expect("it starts");
            let deadline = Instant::now() + TIMEOUT;
            client.send(b"go\n", deadline).await.expect("it reads");
            while words != NOTHING && client.last_output() == NOTHING {
                let soon = Instant::now() + Duration::from_millis(20);
                let answer = client.wait_bestmove(soon).await;
                assert_eq!(answer, Err(AnswerError::TimedOut));
            }
            let text = client.explain(AnswerError::TimedOut).await.to_string();
            let start = format!("the engine did not answer in time{words}");
            assert!(text.starts_with(&start), "{text}");
        }
    }
}
