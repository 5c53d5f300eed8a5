//! The three streams, which `hone fleet up` creates and updates.

use std::time::Duration;

use anyhow::Context;
use async_nats::Client;
use async_nats::jetstream;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy};
use serde_json::json;

use super::api::{call, put};
use super::subjects::{self, FILES, JOBS, RESULTS};
use crate::ids::{Name, WorkerId};
use crate::link::LinkError;
use crate::message::{Job, MAX_PAYLOAD, Message};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Creates missing streams and updates the configuration of the others.
///
/// # Errors
/// If the server refuses.
pub(crate) async fn prepare(client: &Client) -> anyhow::Result<()> {
    let context = jetstream::new(client.clone());
    for config in [jobs(), results(), files()] {
        let name = config.name.clone();
        context
            .create_or_update_stream(config)
            .await
            .with_context(|| format!("cannot create the stream {name}"))?;
    }
    Ok(())
}

/// Stores an empty message in each stream and removes it.
///
/// # Errors
/// [`LinkError`]: the server does not answer, or does not store the message.
pub(crate) async fn probe(client: &Client) -> Result<(), LinkError> {
    let name = Name::new("probe").map_err(|error| LinkError::new("a probe", error))?;
    let worker = WorkerId {
        credential: name.clone(),
        machine: name.clone(),
    };
    for (stream, subject) in [
        (JOBS, subjects::job(&name)),
        (RESULTS, subjects::result(&worker, &name)),
        (FILES, subjects::file(name.as_str(), 0)),
    ] {
        put(client, subject.clone(), Vec::new()).await?;
        let purge = format!("STREAM.PURGE.{stream}");
        call(client, &purge, &json!({ "filter": subject })).await?;
    }
    Ok(())
}

/// The stream's limit for messages of up to `bytes` bytes.
fn limit(bytes: usize) -> i32 {
    // The limit includes subject and headers.
    i32::try_from(bytes + 1024).expect("a message is not that long")
}

/// The queue of jobs. Runs send lost jobs again.
fn jobs() -> Config {
    Config {
        name: JOBS.to_string(),
        subjects: vec!["hone.job.*".to_string()],
        retention: RetentionPolicy::WorkQueue,
        max_message_size: limit(Job::LIMIT),
        max_age: 7 * DAY,
        duplicate_window: Duration::from_secs(10),
        ..Config::default()
    }
}

/// The results. The limit per subject keeps a worker that sends too many from filling the
/// stream.
fn results() -> Config {
    Config {
        name: RESULTS.to_string(),
        subjects: vec!["hone.result.*.*.*".to_string()],
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        discard_new_per_subject: true,
        max_messages_per_subject: 50_000,
        max_message_size: limit(MAX_PAYLOAD),
        max_age: 30 * DAY,
        duplicate_window: Duration::from_secs(10),
        ..Config::default()
    }
}

/// The parts of files, one message each.
fn files() -> Config {
    Config {
        name: FILES.to_string(),
        subjects: vec!["hone.file.*.*".to_string()],
        max_messages_per_subject: 1,
        max_message_size: limit(MAX_PAYLOAD),
        max_age: 90 * DAY,
        allow_direct: true,
        duplicate_window: Duration::from_secs(10),
        ..Config::default()
    }
}
