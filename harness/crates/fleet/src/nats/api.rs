//! Calls of JetStream's API with few permissions: those of the client library need
//! more than a worker or a runner has.

use std::time::Duration;

use async_nats::connection::State;
use async_nats::{Client, Subscriber};
use serde_json::Value;
use tokio::time::sleep;

use crate::link::LinkError;

/// Time between two attempts to publish a message.
const RETRY: Duration = Duration::from_secs(1);

/// JetStream's number of the error about a consumer that does not exist.
const CONSUMER_NOT_FOUND: u64 = 10_014;

/// Calls the API and returns its answer.
///
/// # Errors
/// [`LinkError`]: no answer, or an error in it.
pub(super) async fn call(client: &Client, call: &str, body: &Value) -> Result<Value, LinkError> {
    let what = || format!("the server did not answer {call}");
    let payload = match body {
        Value::Null => Vec::new(),
        body => body.to_string().into_bytes(),
    };
    let answer = client
        .request(format!("$JS.API.{call}"), payload.into())
        .await
        .map_err(|error| LinkError::new(&what(), error))?;
    let answer: Value =
        serde_json::from_slice(&answer.payload).map_err(|error| LinkError::new(&what(), error))?;
    match answer.get("error") {
        Some(error) => {
            let text = error.get("description").and_then(Value::as_str);
            Err(LinkError {
                is_missing: number(error, "err_code") == CONSUMER_NOT_FOUND,
                ..LinkError::new(call, text.unwrap_or("unknown error"))
            })
        }
        None => Ok(answer),
    }
}

/// A number in an answer; 0 if it is missing.
pub(super) fn number(answer: &Value, name: &str) -> u64 {
    answer.get(name).and_then(Value::as_u64).unwrap_or(0)
}

/// Subscribes to a subject.
///
/// # Errors
/// [`LinkError`]: the client is closed.
pub(super) async fn subscribe(client: &Client, subject: &str) -> Result<Subscriber, LinkError> {
    let subscribed = client.subscribe(subject.to_string()).await;
    subscribed.map_err(|error| LinkError::new("cannot subscribe", error))
}

/// Publishes a message to a stream; returns when the server has stored it.
///
/// # Errors
/// [`LinkError`]: no answer, or the stream is full.
pub(super) async fn put(client: &Client, subject: String, bytes: Vec<u8>) -> Result<(), LinkError> {
    let failed = |error: &dyn std::fmt::Display| LinkError::new("cannot store a message", error);
    let answer = client
        .request(subject, bytes.into())
        .await
        .map_err(|error| failed(&error))?;
    let answer: Value = serde_json::from_slice(&answer.payload).map_err(|error| failed(&error))?;
    match answer.get("error") {
        Some(error) => Err(failed(error)),
        None => Ok(()),
    }
}

/// [`put`], repeated until the server has stored the message.
pub(super) async fn put_until_stored(client: Client, subject: String, bytes: Vec<u8>) {
    loop {
        // While it is disconnected, the client buffers a limited number of messages;
        // once the buffer is full, every call blocks.
        if client.connection_state() == State::Connected {
            match put(&client, subject.clone(), bytes.clone()).await {
                Ok(()) => return,
                Err(error) => tracing::info!("{subject} is published again: {error}"),
            }
        }
        sleep(RETRY).await;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::super::connect::offline;
    use super::*;

    #[tokio::test]
    async fn nothing_is_buffered_for_an_unreachable_server() {
        let client = offline(1).await;
        let put = put_until_stored(client.clone(), "hone.job.run".to_string(), Vec::new());
        assert_eq!(put.now_or_never(), None);
        let other = client.publish("hone.run.run", Vec::new().into());
        assert!(other.now_or_never().is_some(), "the buffer is not full");
    }
}
