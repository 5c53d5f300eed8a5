//! The first start of an engine: its identity, its options, a first search.

use std::time::{Duration, Instant};

use super::error::{PrepareError, option_help};
use super::preflight::{Preflight, STALL};
use crate::config::{Config, EngineConfig};
use hone_base::diagnostic::{Diagnostic, Setting};
use hone_base::output::Announce;
use hone_uci::engine::uci::{
    AnswerError, Client, EngineOption, Launch, StartError, options_for, supports,
};
use hone_uci::openings::Variant;

/// The identity and options that an engine declares.
pub(super) struct Greeting {
    pub(super) id: String,
    pub(super) author: String,
    pub(super) options: Vec<EngineOption>,
}

/// Maximum number of starts of an engine that ends during the checks.
const MAX_STARTS: u32 = 3;

/// Maximum number of starts of a commit's engine that does not answer.
const MAX_SILENT_STARTS: u32 = 2;

/// [`greet`], repeated if the engine ends: another process may have killed it, and the
/// decision to skip a commit or to refuse a run should depend on the engine only. The engine
/// of a commit, which may be skipped, is also started a second time if it does not answer,
/// because another process may have stopped it.
pub(super) fn greet_with_retries(
    engine: &EngineConfig,
    launch: &Launch,
    config: &Config,
    preflight: Option<Preflight<'_>>,
    is_of_commit: bool,
    announce: Announce<'_>,
) -> Result<Greeting, PrepareError> {
    let mut ended = None;
    let mut starts = 1;
    loop {
        let may_try_again = |error: &PrepareError| {
            (starts < MAX_STARTS && error.is_exit())
                || (starts < MAX_SILENT_STARTS && is_of_commit && error.is_timeout())
        };
        match greet(engine, launch, config, preflight, announce) {
            Err(error) if may_try_again(&error) => {
                starts += 1;
                tracing::warn!("trying again: {error}");
                ended = Some(error);
            }
            greeting => {
                if let (Ok(_), Some(error)) = (&greeting, ended) {
                    announce(&format!("warning: {error}; tried again, it started"));
                }
                return greeting;
            }
        }
    }
}

/// Starts the engine once: reads its identity, checks and sets its options, waits until it is
/// ready, and has it search.
fn greet(
    engine: &EngineConfig,
    launch: &Launch,
    config: &Config,
    preflight: Option<Preflight<'_>>,
    announce: Announce<'_>,
) -> Result<Greeting, PrepareError> {
    let failed = |source| PrepareError::Start {
        name: engine.name.clone(),
        source,
    };
    let play = &config.r#match;
    let startup = Duration::from_millis(play.startup_ms);
    let ready = Duration::from_millis(play.stall_ms);
    let runtime = hone_base::platform::runtime().map_err(|error| {
        failed(StartError::Spawn {
            command: launch.command_line(),
            why: Diagnostic::new(error.to_string()),
        })
    })?;
    runtime.block_on(async {
        let started = Client::start_as(&engine.name, launch, startup).await;
        let mut client = started.map_err(|error| failed(with_startup_help(error)))?;
        make_ready(&mut client, engine, play.variant, ready).await?;
        if let Some(preflight) = preflight {
            preflight.try_out(&mut client, announce).await?;
        }
        let greeting = Greeting {
            id: client.name().to_string(),
            author: client.author().to_string(),
            options: client.options().to_vec(),
        };
        client.quit(Duration::from_millis(500)).await;
        Ok(greeting)
    })
}

/// Adds the setting of the time for `uciok`.
fn with_startup_help(mut error: StartError) -> StartError {
    if let StartError::NoUciok { details, .. } = &mut error {
        let help = format!("if it needs longer, raise {STARTUP}");
        *details = std::mem::take(details).help(help);
    }
    error
}

const STARTUP: Setting = Setting {
    key: "match.startup_ms",
    words: "`startup_ms` in [match]",
};

/// Checks and sets the engine's options, and waits until it is ready.
async fn make_ready(
    client: &mut Client,
    engine: &EngineConfig,
    variant: Variant,
    timeout: Duration,
) -> Result<(), PrepareError> {
    let name = || engine.name.clone();
    let wanted = &engine.options.0;
    let values = wanted.iter().map(|(name, value)| (&**name, &**value));
    client
        .check_options(values)
        .map_err(|error| PrepareError::Option {
            name: name(),
            help: option_help(&error),
            error,
        })?;
    if !supports(client.options(), variant) {
        return Err(PrepareError::Chess960 { name: name() });
    }
    let options = options_for(variant, engine.ponder, wanted);
    let deadline = Instant::now() + timeout;
    let ready = async {
        client.configure(&options, deadline).await?;
        client.send(b"isready\n", deadline).await?;
        client.wait_ready(deadline).await
    };
    let Err(error) = ready.await else {
        return Ok(());
    };
    let why = match error {
        AnswerError::Disconnected => client.explain(error).await,
        AnswerError::TimedOut => {
            let details = client.details(error);
            let seconds = timeout.as_secs_f64();
            Diagnostic::new(format!(
                "it did not answer `isready` with `readyok` within {seconds} s{details}"
            ))
            .because(details)
            .help(format!("if it needs longer, raise {STALL}"))
        }
    };
    Err(PrepareError::Ready {
        name: name(),
        error,
        why,
    })
}
