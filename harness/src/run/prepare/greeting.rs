//! The first start of an engine: its identity, its options, a first search.

use std::time::{Duration, Instant};

use super::error::PrepareError;
use super::preflight::Preflight;
use crate::config::{Config, EngineConfig};
use crate::engine::uci::{
    Client, EngineOption, Launch, StartError, check_options, options_for, supports,
};
use crate::openings::Variant;

/// What an engine says of itself.
pub(super) struct Greeting {
    pub(super) id: String,
    pub(super) author: String,
    pub(super) options: Vec<EngineOption>,
}

/// How often an engine is started that ends while it is tried out.
const TRIES: u32 = 3;

/// How often the engine of a commit is started that says nothing.
const SILENT_TRIES: u32 = 2;

/// [`greet`], again if the engine ends: something else may have killed it, and
/// what is decided here (to skip a commit, to refuse a run) should depend on
/// the engine only. That of a commit, which may be skipped, gets a second try
/// too if it says nothing: something may have stopped it.
pub(super) fn greet_patiently(
    engine: &EngineConfig,
    launch: &Launch,
    config: &Config,
    preflight: Option<Preflight<'_>>,
    is_of_commit: bool,
    announce: &mut dyn FnMut(&str),
) -> Result<Greeting, PrepareError> {
    let mut ended = None;
    let mut tries = 1;
    loop {
        let may_try_again = |error: &PrepareError| {
            (tries < TRIES && error.is_death())
                || (tries < SILENT_TRIES && is_of_commit && error.is_silence())
        };
        match greet(engine, launch, config, preflight, announce) {
            Err(error) if may_try_again(&error) => {
                tries += 1;
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

/// Starts the engine once: reads its identity, checks and sets its options,
/// waits until it is ready and lets it search.
fn greet(
    engine: &EngineConfig,
    launch: &Launch,
    config: &Config,
    preflight: Option<Preflight<'_>>,
    announce: &mut dyn FnMut(&str),
) -> Result<Greeting, PrepareError> {
    let failed = |source| PrepareError::Start {
        name: engine.name.clone(),
        source,
    };
    let play = &config.r#match;
    let startup = Duration::from_millis(play.startup_ms);
    let ready = Duration::from_millis(play.stall_ms);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| {
            failed(StartError::Spawn {
                command: launch.command_line(),
                source,
            })
        })?;
    runtime.block_on(async {
        let started = Client::start_as(&engine.name, launch, startup).await;
        let mut client = started.map_err(failed)?;
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

/// Checks and sets the engine's options, and waits until it is ready.
async fn make_ready(
    client: &mut Client,
    engine: &EngineConfig,
    variant: Variant,
    patience: Duration,
) -> Result<(), PrepareError> {
    let name = || engine.name.clone();
    let wanted = &engine.options.0;
    let values = wanted.iter().map(|(name, value)| (&**name, &**value));
    check_options(client.options(), values).map_err(|source| PrepareError::Option {
        name: name(),
        source,
    })?;
    if !supports(client.options(), variant) {
        return Err(PrepareError::Chess960 { name: name() });
    }
    let options = options_for(variant, engine.ponder, wanted);
    let deadline = Instant::now() + patience;
    let ready = async {
        client.configure(&options, deadline).await?;
        client.send(b"isready\n", deadline).await?;
        client.wait_ready(deadline).await
    };
    ready.await.map_err(|source| PrepareError::Ready {
        name: name(),
        source,
    })
}
