//! One engine process and the commands for it.

use std::time::{Duration, Instant};

use shakmaty::Position;

use crate::engine::uci::{AnswerError, Client, EngineOption, UnreadableOptions, referee_after};
use crate::rules::{Referee, SearchInfo};
use hone_base::diagnostic::shown;

pub(super) struct Dialogue {
    client: Option<Client>,
    patience: Duration,
    infos: Infos,
    searched: Searched,
}

/// Whether the searches of a dialogue were answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Searched {
    /// There was none that needed a `bestmove`.
    #[default]
    Nothing,
    /// At least one `bestmove`.
    Moved,
    /// No `bestmove` in time, in a search that needed one.
    Silent,
}

/// The `info` lines since the last `go`, at most [`MAX_INFOS`] and [`MAX_INFO_BYTES`].
#[derive(Default)]
struct Infos {
    lines: Vec<String>,
    bytes: usize,
}

const MAX_INFOS: usize = 4096;
const MAX_INFO_BYTES: usize = 1024 * 1024;

impl Infos {
    fn push(&mut self, line: &[u8]) {
        if self.lines.len() < MAX_INFOS && self.bytes + line.len() <= MAX_INFO_BYTES {
            self.bytes += line.len();
            self.lines.push(String::from_utf8_lossy(line).into_owned());
        }
    }
}

impl Dialogue {
    /// A dialogue with a running engine. `patience` is the time limit for each answer.
    pub(super) fn new(client: Client, patience: Duration) -> Self {
        Self {
            client: Some(client),
            patience,
            infos: Infos::default(),
            searched: Searched::default(),
        }
    }

    pub(super) fn searched(&self) -> Searched {
        self.searched
    }

    /// Sets the engine's options.
    pub(super) async fn configure(&mut self, options: &[(String, String)]) -> Result<(), String> {
        let deadline = self.deadline();
        let client = self.client();
        match client.configure(options, deadline).await {
            Ok(()) => Ok(()),
            Err(error) => Err(shown(&client.explain(error).await)),
        }
    }

    fn client(&mut self) -> &mut Client {
        self.client.as_mut().expect("the engine runs until the end")
    }

    fn deadline(&self) -> Instant {
        Instant::now() + self.patience
    }

    pub(super) fn patience(&self) -> Duration {
        self.patience
    }

    pub(super) fn id(&mut self) -> (String, String) {
        let client = self.client();
        (client.name().to_string(), client.author().to_string())
    }

    pub(super) fn options(&mut self) -> Vec<EngineOption> {
        self.client().options().to_vec()
    }

    pub(super) fn has_option(&mut self, name: &str) -> bool {
        self.client()
            .options()
            .iter()
            .any(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// The `option` lines that do not declare an option.
    pub(super) fn unreadable_options(&mut self) -> UnreadableOptions {
        self.client().unreadable_options().clone()
    }

    /// Sends whole lines.
    pub(super) async fn send(&mut self, text: &str) -> Result<(), String> {
        let deadline = self.deadline();
        let client = self.client();
        match client.send(text.as_bytes(), deadline).await {
            Ok(()) => Ok(()),
            Err(error) => Err(shown(&client.explain(error).await)),
        }
    }

    /// Sends `isready` and waits for `readyok`.
    pub(super) async fn ready(&mut self) -> Result<(), String> {
        self.send("isready\n").await?;
        self.expect_ready().await
    }

    pub(super) async fn expect_ready(&mut self) -> Result<(), String> {
        let deadline = self.deadline();
        let client = self.client();
        match client.wait_ready(deadline).await {
            Ok(()) => Ok(()),
            Err(error) => Err(format!(
                "no `readyok`: {}",
                shown(&client.explain(error).await)
            )),
        }
    }

    /// Whether there was a `bestmove` since the last command.
    pub(super) fn has_moved(&mut self) -> bool {
        let mut lines = self.client().transcript().answers();
        lines.any(|line| line.split_whitespace().next() == Some("bestmove"))
    }

    /// Whether a `bestmove` comes within `wait`.
    pub(super) async fn bestmove_within(&mut self, wait: Duration) -> Result<bool, String> {
        let deadline = Instant::now() + wait;
        let infos = &mut self.infos;
        let client = self.client.as_mut().expect("the engine runs until the end");
        let answer = client.watch_bestmove(deadline, |line, _| infos.push(line));
        match answer.await {
            Ok(_) => {
                self.searched = Searched::Moved;
                Ok(true)
            }
            Err(AnswerError::TimedOut) => Ok(false),
            Err(error) => Err(shown(&client.explain(error).await)),
        }
    }

    /// Sends a position and a `go`, and checks that the answer is a legal move. Returns the
    /// time of the search and what the engine reported.
    pub(super) async fn think(
        &mut self,
        position: &str,
        go: &str,
    ) -> Result<(Duration, SearchInfo), String> {
        let referee = referee_of(position)?;
        self.infos = Infos::default();
        let (sent, deadline) = (Instant::now(), self.deadline());
        self.send(&format!("position {position}\n{go}\n")).await?;
        let client = self.client();
        client.clear_info();
        let answer = match client.wait_bestmove(deadline).await {
            Ok(answer) => answer,
            Err(error) => {
                let why = shown(&client.explain(error).await);
                if error == AnswerError::TimedOut && self.searched == Searched::Nothing {
                    self.searched = Searched::Silent;
                }
                return Err(format!("no `bestmove` after `{go}`: {why}"));
            }
        };
        let info = client.info().clone();
        let best = client.best_move().to_vec();
        self.searched = Searched::Moved;
        if referee.find(&best).is_none() {
            let best = String::from_utf8_lossy(&best);
            return Err(format!("`bestmove {best}` is illegal in `{position}`"));
        }
        Ok((answer.arrived.saturating_duration_since(sent), info))
    }

    /// The move of the last `bestmove`.
    pub(super) fn best_move(&mut self) -> &[u8] {
        self.client().best_move()
    }

    /// [`Client::line_with_score`] of the last search.
    pub(super) fn line_with_score(&mut self) -> Option<String> {
        self.client().line_with_score()
    }

    /// The `info` lines of the last search.
    pub(super) fn infos(&self) -> &[String] {
        &self.infos.lines
    }

    /// Closes the engine's input. Returns whether it ends within the time limit.
    pub(super) async fn hang_up(&mut self) -> bool {
        let client = self.client.take().expect("the engine runs until the end");
        client.hang_up(self.patience).await
    }

    /// Sends `quit`. Returns whether the engine ends within the time limit.
    pub(super) async fn quits(&mut self) -> bool {
        if self.send("quit\n").await.is_err() {
            return false;
        }
        let deadline = Instant::now() + self.patience;
        loop {
            if self.client().ended().await.is_some() {
                return true;
            }
            if Instant::now() > deadline {
                return false;
            }
        }
    }

    /// Kills the engine. Returns the dialogue; empty after [`Self::hang_up`].
    pub(super) async fn end(mut self) -> String {
        match self.client.take() {
            Some(client) => {
                let text = client.transcript().render();
                client.kill().await;
                text
            }
            None => String::new(),
        }
    }
}

/// The game after a `position` command with these arguments.
///
/// # Errors
/// As [`referee_after`].
pub(super) fn referee_of(position: &str) -> Result<Referee, String> {
    let referee = referee_after(&format!("position {position}"), None)?;
    debug_assert!(!referee.position().legal_moves().is_empty());
    Ok(referee)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::engine::uci::Launch;

    #[test]
    fn blanks_before_a_line_do_not_matter() {
        let script = "read uci; echo uciok; read position; read go
            printf '  info depth 1 pv e2e4\\n \\tbestmove e2e4\\n'; read quit";
        let launch = Launch {
            program: "sh".into(),
            args: vec!["-c".into(), script.into()],
            ..Launch::default()
        };
        let patience = Duration::from_secs(60);
        let runtime = hone_base::platform::runtime().expect("a runtime");
        runtime.block_on(async {
            let client = Client::start(&launch, patience).await.expect("it starts");
            let mut dialogue = Dialogue::new(client, patience);
            let sent = dialogue.send("position startpos\ngo infinite\n").await;
            sent.expect("it reads");
            assert_eq!(dialogue.bestmove_within(patience).await, Ok(true));
            assert_eq!(dialogue.infos(), ["info depth 1 pv e2e4"]);
        });
    }
}
