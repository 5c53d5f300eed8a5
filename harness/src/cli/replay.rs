//! `hone replay`: repeats the situation in which an engine failed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Args;
use tokio::time::sleep;

use super::common::announce;
use super::{Exit, Failure};
use crate::engine::uci::{AnswerError, Client};
use crate::executor::{Pondered, Situation};
use crate::ledger::FAILURES;
use crate::platform::quoted;

/// Repeat the situation in which an engine failed.
///
/// Starts the engine with the same options and sends it the same position and
/// the same `go`; if it pondered, also `ponderhit` or `stop` after the same time.
/// Exit code 0: it answers in time with a legal move; 1: it
/// fails again.
#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    /// The evidence of a failure: a folder in a run's `failures/`.
    evidence: PathBuf,
    /// Repeat this many times, each with a fresh process; stop at a failure.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    times: u32,
    /// Print the whole dialogue.
    #[arg(long)]
    dialogue: bool,
}

impl ReplayArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let path = self.evidence.join("replay.toml");
        refuse_run(&self.evidence)?;
        let text = fs::read_to_string(&path).with_context(|| {
            format!(
                "{} is not the evidence of a failure",
                self.evidence.display()
            )
        })?;
        let mut situation: Situation =
            toml::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?;
        outln!("{} failed: {}", situation.name, situation.failure);
        if let Some(gone) = situation.launch.dir.take_if(|dir| !dir.is_dir()) {
            announce(&format!(
                "warning: the engine's working folder {} is gone: it runs in the current one",
                gone.display()
            ));
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        for number in 1..=self.times {
            let (said, fine) = runtime.block_on(self.attempt(&situation));
            outln!("try {number}: {said}");
            if !fine {
                return Ok(Exit::Rejected);
            }
        }
        Ok(Exit::Done)
    }

    async fn attempt(&self, situation: &Situation) -> (String, bool) {
        let startup = Duration::from_millis(situation.startup_ms);
        let mut client = match Client::start(&situation.launch, startup).await {
            Ok(client) => client,
            Err(error) => return (error.to_string(), false),
        };
        let outcome = answer(&mut client, situation).await;
        if self.dialogue {
            out!("{}", client.transcript().render());
        }
        let said = match outcome {
            Ok(said) => (said, true),
            Err(said) => {
                let status = client.exit_status().await;
                (format!("{said}; process: {status}"), false)
            }
        };
        client.quit(Duration::from_millis(500)).await;
        said
    }
}

/// Failures of a run that are named.
const LISTED: usize = 3;

/// Lists the failures of a run: one of them must be named.
fn refuse_run(named: &Path) -> anyhow::Result<()> {
    let failures = named.join(FAILURES);
    let entries = fs::read_dir(&failures).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.collect();
    // By pair and game.
    names.sort_by_key(|name| (name.len(), name.clone()));
    let more = names.len().saturating_sub(LISTED);
    let mut listed = names[..names.len() - more].join(", ");
    if more > 0 {
        listed += &format!(", or one of {more} more");
    }
    ensure!(
        names.is_empty(),
        "{} is a run: name one of its failures\nhelp: `hone replay {}/NAME`, where NAME is {listed}",
        named.display(),
        quoted(&failures),
    );
    Ok(())
}

/// An engine is given no more time to ponder.
const LONGEST_PONDERING: Duration = Duration::from_mins(1);

async fn answer(client: &mut Client, situation: &Situation) -> Result<String, String> {
    let silent = |error: AnswerError| error.to_string();
    let ready = Instant::now() + Duration::from_millis(situation.stall_ms);
    client
        .configure(&situation.options, ready)
        .await
        .map_err(silent)?;
    client.begin_game(ready).await.map_err(silent)?;
    if situation.go.is_empty() {
        return Ok("it is ready for a game; before, it failed here".to_string());
    }
    let referee = situation.referee()?;
    let commands = format!("{}\n{}\n", situation.position, situation.go);
    let allowed = Duration::from_millis(situation.allowed_ms);
    let mut asked = Instant::now();
    let sent = client.send(commands.as_bytes(), asked + allowed).await;
    sent.map_err(silent)?;
    if let Some(Pondered { end, after_ms }) = situation.pondered {
        let pause = Duration::from_millis(after_ms).min(LONGEST_PONDERING);
        // Nobody else reads it meanwhile, and one whose pipe is full stops thinking.
        tokio::select! {
            () = sleep(pause) => {}
            never = client.read_along() => match never {},
        }
        asked = Instant::now();
        let command = format!("{}\n", end.command());
        let sent = client.send(command.as_bytes(), asked + allowed).await;
        sent.map_err(silent)?;
    }
    let deadline = asked + allowed;
    let answer = client.wait_bestmove(deadline).await.map_err(silent)?;
    let used = answer.arrived.saturating_duration_since(asked);
    let best = String::from_utf8_lossy(client.best_move()).into_owned();
    if referee.find(client.best_move()).is_none() {
        return Err(format!("bestmove {best} is illegal"));
    }
    Ok(format!(
        "bestmove {best} after {} ms of {}",
        used.as_millis(),
        situation.allowed_ms
    ))
}
