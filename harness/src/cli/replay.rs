//! `hone replay`: repeats the situation in which an engine failed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Args;
use serde::Serialize;
use tokio::time::sleep;

use super::results::progress::announce;
use super::{Exit, Failure};
use hone_base::diagnostic::Diagnostic;
use hone_base::diagnostic::shown;
use hone_base::platform::{quoted, read_text};
use hone_base::{out, outln};
use hone_report::counted;
use hone_run::executor::{Pondered, Situation};
use hone_run::ledger::FAILURES;
use hone_run::{MANIFEST, find_run};
use hone_uci::engine::uci::{AnswerError, Client};
use hone_uci::rules::millis;

/// Repeat the situation in which an engine failed.
///
/// Starts the engine with the same options and sends it the same position and
/// the same `go`; if it pondered, also `ponderhit` or `stop` after the same time.
/// Each try starts a new process, without the searches that came before.
#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    /// The evidence of a failure: a folder in a run's `failures/`, as in
    /// latest/failures/1-1 or results/RUN/failures/1-1.
    #[arg(add = super::completions::evidence())]
    evidence: PathBuf,
    /// Repeat this many times, each with a fresh process; stop at a failure.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    times: u32,
    /// Print the whole dialogue.
    #[arg(long)]
    dialogue: bool,
    /// Print one JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// The result as JSON.
#[derive(Serialize)]
struct Replayed<'a> {
    engine: &'a str,
    /// The failure in the run.
    failure: &'a str,
    /// Time limit of the answer in milliseconds.
    allowed_ms: u64,
    /// Searches before the failure, which are not repeated.
    earlier_searches: u64,
    tries: Vec<Try>,
}

/// One attempt to repeat the failure.
#[derive(Serialize)]
struct Try {
    /// The engine's answer, or how it failed.
    answer: String,
    /// Time of the answer in milliseconds; `None` after a failure, and if no move was asked
    /// for.
    ms: Option<u64>,
    #[serde(rename = "failed")]
    has_failed: bool,
    /// With `--dialogue`.
    #[serde(skip_serializing_if = "Option::is_none")]
    dialogue: Option<String>,
}

impl Try {
    fn failed(answer: String, dialogue: Option<String>) -> Self {
        Self {
            answer,
            ms: None,
            has_failed: true,
            dialogue,
        }
    }
}

impl ReplayArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let evidence = find_evidence(&self.evidence)?;
        let path = evidence.join("replay.toml");
        refuse_run(&evidence)?;
        let text = read_text(&path)
            .with_context(|| format!("{} is not the evidence of a failure", evidence.display()))?;
        let mut situation: Situation =
            toml::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?;
        if let Some(gone) = situation.launch.dir.take_if(|dir| !dir.is_dir()) {
            announce(&format!(
                "warning: the engine's working folder {} is gone: it runs in the current one",
                gone.display()
            ));
        }
        let has_failed = if self.json {
            self.print_json(&situation)?
        } else {
            self.print_text(&situation)?
        };
        Ok(if has_failed {
            Exit::Rejected
        } else {
            Exit::Done
        })
    }

    /// Prints each try. Returns whether the engine failed again.
    fn print_text(&self, situation: &Situation) -> anyhow::Result<bool> {
        outln!("{} failed: {}", situation.name, situation.failure);
        let mut number = 0;
        let has_failed = self.attempts(situation, |attempt| {
            number += 1;
            if let Some(dialogue) = &attempt.dialogue {
                out!("{dialogue}");
            }
            let time = attempt.ms.map_or_else(String::new, |ms| {
                format!(" after {ms} ms of {}", situation.allowed_ms)
            });
            outln!("try {number}: {}{time}", attempt.answer);
        })?;
        if !has_failed && situation.earlier_searches > 0 {
            outln!(
                "not repeated: each try starts a new process; in the run, the process had \
                 searched {} before (see dialogue-first.txt and dialogue-second.txt)",
                counted(situation.earlier_searches, "time")
            );
        }
        Ok(has_failed)
    }

    /// Prints all tries as one object. Returns whether the engine failed again.
    fn print_json(&self, situation: &Situation) -> anyhow::Result<bool> {
        let mut tries = Vec::new();
        let has_failed = self.attempts(situation, |attempt| tries.push(attempt))?;
        let replayed = Replayed {
            engine: &situation.name,
            failure: &situation.failure,
            allowed_ms: situation.allowed_ms,
            earlier_searches: situation.earlier_searches,
            tries,
        };
        outln!("{}", serde_json::to_string(&replayed)?);
        Ok(has_failed)
    }

    /// Tries up to `--times` times, up to a failure. Returns whether there was one.
    fn attempts(&self, situation: &Situation, mut done: impl FnMut(Try)) -> anyhow::Result<bool> {
        let runtime = hone_base::platform::runtime()?;
        for _ in 0..self.times {
            let attempt = runtime.block_on(self.attempt(situation));
            let has_failed = attempt.has_failed;
            done(attempt);
            if has_failed {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn attempt(&self, situation: &Situation) -> Try {
        let startup = Duration::from_millis(situation.startup_ms);
        let mut client = match Client::start(&situation.launch, startup).await {
            Ok(client) => client,
            Err(error) => return Try::failed(shown(&error), None),
        };
        let outcome = answer(&mut client, situation).await;
        let dialogue = self.dialogue.then(|| client.transcript().render());
        let attempt = match outcome {
            Ok((answer, ms)) => Try {
                answer,
                ms,
                has_failed: false,
                dialogue,
            },
            Err(answer) => {
                let status = client.exit_status().await;
                let stderr = client
                    .last_error()
                    .map_or_else(String::new, |line| format!("; its standard error: {line}"));
                Try::failed(format!("{answer}; process: {status}{stderr}"), dialogue)
            }
        };
        client.quit(Duration::from_millis(500)).await;
        attempt
    }
}

/// The folder that the user names: by its path, or in a run as [`find_run`] finds it.
fn find_evidence(named: &Path) -> anyhow::Result<PathBuf> {
    if named.exists() {
        return Ok(named.to_path_buf());
    }
    let run = named
        .parent()
        .filter(|failures| failures.ends_with(FAILURES))
        .and_then(Path::parent);
    match (run, named.file_name()) {
        (Some(run), Some(name)) => Ok(find_run(run)?.join(FAILURES).join(name)),
        _ => find_run(named),
    }
}

/// Maximum number of failures that are listed.
const LISTED: usize = 3;

/// Refuses the folder of a run, and lists its failures: the user must name one of them.
fn refuse_run(named: &Path) -> anyhow::Result<()> {
    let failures = named.join(FAILURES);
    let entries = fs::read_dir(&failures).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.collect();
    let is_run = named.join(MANIFEST).exists();
    ensure!(
        !is_run || !names.is_empty(),
        "{} has no failures to repeat",
        named.display()
    );
    // By pair and game.
    names.sort_by_key(|name| (name.len(), name.clone()));
    let more = names.len().saturating_sub(LISTED);
    let mut listed = names[..names.len() - more].join(", ");
    if more > 0 {
        listed += &format!(", or one of {more} more");
    }
    ensure!(
        names.is_empty(),
        Diagnostic::new(format!(
            "{} is a run: name one of its failures",
            named.display()
        ))
        .help(format!(
            "`hone replay {}/NAME`, where NAME is {listed}",
            quoted(&failures)
        ))
    );
    Ok(())
}

/// Maximum time of pondering in a replay.
const LONGEST_PONDERING: Duration = Duration::from_mins(1);

/// The answer and its time in milliseconds; no time if no move was asked for.
///
/// # Errors
/// How the engine failed, in words.
async fn answer(
    client: &mut Client,
    situation: &Situation,
) -> Result<(String, Option<u64>), String> {
    let silent = |error: AnswerError| error.to_string();
    let ready = Instant::now() + Duration::from_millis(situation.stall_ms);
    client
        .configure(&situation.options, ready)
        .await
        .map_err(silent)?;
    client.begin_game(ready).await.map_err(silent)?;
    if situation.go.is_empty() {
        let ready = "it is ready for a game; before, it failed here";
        return Ok((ready.to_string(), None));
    }
    let referee = situation.referee()?;
    let commands = format!("{}\n{}\n", situation.position, situation.go);
    let allowed = Duration::from_millis(situation.allowed_ms);
    let mut asked = Instant::now();
    let sent = client.send(commands.as_bytes(), asked + allowed).await;
    sent.map_err(silent)?;
    if let Some(Pondered { end, after_ms }) = situation.pondered {
        let pause = Duration::from_millis(after_ms).min(LONGEST_PONDERING);
        // The output must be read meanwhile: an engine with a full pipe stops searching.
        tokio::select! {
            () = sleep(pause) => {}
            never = client.read_while_pondering() => match never {},
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
    let ready = Instant::now() + Duration::from_millis(situation.stall_ms);
    still_answers(client, ready)
        .await
        .map_err(|error| format!("after bestmove {best}: {error}"))?;
    Ok((format!("bestmove {best}"), Some(millis(used))))
}

/// Fails if the engine ended after its move.
async fn still_answers(client: &mut Client, deadline: Instant) -> Result<(), AnswerError> {
    client.send(b"isready\n", deadline).await?;
    client.wait_ready(deadline).await
}
