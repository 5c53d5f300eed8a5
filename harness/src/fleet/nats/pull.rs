//! Messages of a stream, asked for in batches. One request is open at a time;
//! what came of an earlier one is still delivered.

use std::time::Duration;

use async_nats::{Client, Message, Subscriber};
use futures_util::StreamExt;
use serde_json::json;
use tokio::time::{Instant, sleep_until};

use crate::fleet::link::LinkError;

/// How much later than the server the asker gives up.
const GRACE: Duration = Duration::from_secs(2);

/// Asks a consumer for messages.
pub(super) struct Pull {
    client: Client,
    /// Everything before the consumer's name.
    api: String,
    inbox: String,
    subscriber: Subscriber,
    number: u64,
    open: Option<Open>,
}

struct Open {
    wanted: usize,
    got: usize,
    deadline: Instant,
}

/// What a request has brought.
pub(super) enum Pulled {
    Message(Message),
    /// It is over; this number of messages has arrived.
    Ended {
        messages: usize,
        is_refused: bool,
    },
}

impl Pull {
    /// # Errors
    /// If the server does not let this client listen.
    pub(super) async fn new(client: Client, stream: &str) -> Result<Self, LinkError> {
        let inbox = client.new_inbox();
        let subscriber = client
            .subscribe(format!("{inbox}.*"))
            .await
            .map_err(|error| LinkError::new("cannot listen", error))?;
        Ok(Self {
            client,
            api: format!("$JS.API.CONSUMER.MSG.NEXT.{stream}"),
            inbox,
            subscriber,
            number: 0,
            open: None,
        })
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Asks for up to `messages`, waiting for them up to `wait`.
    pub(super) async fn ask(&mut self, consumer: &str, messages: usize, wait: Duration) {
        self.number += 1;
        self.open = Some(Open {
            wanted: messages,
            got: 0,
            deadline: Instant::now() + wait + GRACE,
        });
        let body = match wait.is_zero() {
            true => json!({ "batch": messages, "no_wait": true }),
            false => json!({ "batch": messages, "expires": wait.as_nanos() as u64 }),
        };
        let reply = format!("{}.{}", self.inbox, self.number);
        let subject = format!("{}.{consumer}", self.api);
        let body = body.to_string().into_bytes();
        // A request that is lost ends at its deadline.
        let _ = self
            .client
            .publish_with_reply(subject, reply, body.into())
            .await;
    }

    /// What comes next; never, if nothing was asked for. Cancel safe.
    pub(super) async fn next(&mut self) -> Pulled {
        loop {
            let deadline = self.open.as_ref().map(|open| open.deadline);
            let message = tokio::select! {
                message = self.subscriber.next() => message,
                () = until(deadline) => return self.end(false),
            };
            let Some(message) = message else {
                // The client is closed: there is nothing more to come.
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
                        open.got += 1;
                        if open.got >= open.wanted {
                            // Its end comes with the next call.
                            open.deadline = Instant::now();
                        }
                    }
                    return Pulled::Message(message);
                }
                // The server is still there.
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
            messages: open.map_or(0, |open| open.got),
            is_refused,
        }
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
