//! Messages of a stream, requested in batches. One request is open at a time; late
//! messages of an earlier request are also delivered.

use std::time::Duration;

use async_nats::{Client, Message, Subscriber};
use futures_util::StreamExt;
use serde_json::json;
use tokio::time::Instant;

use super::api::subscribe;
use crate::link::LinkError;
use hone_base::platform::until;

/// Time after the server's deadline for a request at which the client gives it up.
const GRACE: Duration = Duration::from_secs(2);

/// Requests messages of a stream.
pub(super) struct Pull {
    client: Client,
    /// The subject of requests up to the consumer's name.
    api: String,
    inbox: String,
    subscriber: Subscriber,
    /// The number of the last request.
    number: u64,
    open: Option<Request>,
}

/// An open request.
struct Request {
    wanted: usize,
    received: usize,
    deadline: Instant,
}

/// An event of a request.
pub(super) enum Pulled {
    Message(Message),
    /// The request has ended after this number of messages.
    Ended {
        messages: usize,
        is_refused: bool,
    },
}

impl Pull {
    /// # Errors
    /// If the subscription fails.
    pub(super) async fn new(client: Client, stream: &str) -> Result<Self, LinkError> {
        let inbox = client.new_inbox();
        Ok(Self {
            subscriber: subscribe(&client, &format!("{inbox}.*")).await?,
            client,
            api: format!("$JS.API.CONSUMER.MSG.NEXT.{stream}"),
            inbox,
            number: 0,
            open: None,
        })
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Requests up to `messages` messages of a consumer, which arrive within `wait`.
    pub(super) async fn request(&mut self, consumer: &str, messages: usize, wait: Duration) {
        self.number += 1;
        self.open = Some(Request {
            wanted: messages,
            received: 0,
            deadline: Instant::now() + wait + GRACE,
        });
        let body = if wait.is_zero() {
            json!({ "batch": messages, "no_wait": true })
        } else {
            json!({ "batch": messages, "expires": wait.as_nanos() as u64 })
        };
        let reply = format!("{}.{}", self.inbox, self.number);
        let subject = format!("{}.{consumer}", self.api);
        let body = body.to_string().into_bytes();
        // A request that cannot be sent ends at its deadline.
        let _ = self
            .client
            .publish_with_reply(subject, reply, body.into())
            .await;
    }

    /// The next event. Waits forever if no request is open and no message arrives. Cancel
    /// safe.
    pub(super) async fn next(&mut self) -> Pulled {
        loop {
            let deadline = self.open.as_ref().map(|open| open.deadline);
            let message = tokio::select! {
                message = self.subscriber.next() => message,
                () = until(deadline) => return self.end(false),
            };
            let Some(message) = message else {
                // The client is closed.
                return std::future::pending().await;
            };
            // A status has the request's own subject, a message that of its
            // stream.
            let is_current = message
                .subject
                .rsplit('.')
                .next()
                .is_some_and(|last| last.parse() == Ok(self.number));
            match (message.status.map(|status| status.as_u16()), &mut self.open) {
                (None, open) => {
                    if let Some(open) = open {
                        open.received += 1;
                        if open.received >= open.wanted {
                            // The next call returns its end.
                            open.deadline = Instant::now();
                        }
                    }
                    return Pulled::Message(message);
                }
                // A heartbeat.
                (Some(100), _) => {}
                (Some(status), Some(_)) if is_current => {
                    return self.end(!matches!(status, 404 | 408));
                }
                _ => {}
            }
        }
    }

    fn end(&mut self, is_refused: bool) -> Pulled {
        let open = self.open.take();
        Pulled::Ended {
            messages: open.map_or(0, |open| open.received),
            is_refused,
        }
    }
}
