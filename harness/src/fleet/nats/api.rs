//! Calls of JetStream's API that are allowed to few: the client's own types
//! ask for more than a worker or a runner may.

use async_nats::Client;
use serde_json::Value;

use crate::fleet::link::LinkError;

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
            Err(LinkError::new(call, text.unwrap_or("unknown error")))
        }
        None => Ok(answer),
    }
}

/// A number in an answer; 0 if it is not there.
pub(super) fn number(answer: &Value, name: &str) -> u64 {
    answer.get(name).and_then(Value::as_u64).unwrap_or(0)
}

/// Publishes into a stream; returns when the server has stored it.
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
