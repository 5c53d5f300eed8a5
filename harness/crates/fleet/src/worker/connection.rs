//! Messages to the user about the connection of a worker.

use std::time::{Duration, Instant};

use anyhow::bail;

use crate::ids::Name;
use hone_base::diagnostic::Diagnostic;

/// Time for which a refused credential is retried: the server may be loading its
/// credentials.
const REFUSED: Duration = Duration::from_secs(30);

/// The connection of a worker.
#[derive(Debug, Default)]
pub(super) struct Connection {
    is_cut_off: bool,
    /// Whether the warning about a denied permission was shown.
    is_denied: bool,
    /// When the server began to refuse the credential.
    refused_since: Option<Instant>,
}

impl Connection {
    /// The connection is established, for the first time or again. As the other methods,
    /// returns the message to the user, if there is one.
    pub(super) fn up(&mut self) -> Option<&'static str> {
        self.refused_since = None;
        std::mem::take(&mut self.is_cut_off).then_some("connected again")
    }

    /// The connection is lost.
    pub(super) fn down(&mut self) -> Option<&'static str> {
        let was_cut_off = std::mem::replace(&mut self.is_cut_off, true);
        (!was_cut_off).then_some("the server does not answer; the pairs in progress continue")
    }

    pub(super) fn is_cut_off(&self) -> bool {
        self.is_cut_off
    }

    /// The server denies a permission that this worker needs. Only the first one is shown:
    /// all have the same cause.
    pub(super) fn denied(&mut self, what: &str, credential: &Name) -> Option<String> {
        if std::mem::replace(&mut self.is_denied, true) {
            tracing::info!("{what}");
            return None;
        }
        Some(format!(
            "warning: the server does not let this worker do what it needs: {what}\nhelp: is the credential that of `{credential}`, and a worker's? See `hone help fleet`"
        ))
    }

    /// The server refuses the credential.
    ///
    /// # Errors
    /// If it has refused it for [`REFUSED`].
    pub(super) fn refused(&mut self, now: Instant) -> anyhow::Result<Option<String>> {
        let Some(since) = self.refused_since else {
            self.refused_since = Some(now);
            return Ok(Some(format!(
                "the server refuses this credential; the worker keeps trying to reconnect for {} s",
                REFUSED.as_secs()
            )));
        };
        if now.duration_since(since) >= REFUSED {
            bail!(
                Diagnostic::new(
                    "the server no longer accepts this credential: it has expired or was revoked"
                )
                .help("ask for a new one (`hone fleet invite`)")
            );
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::name;

    #[test]
    fn each_change_is_shown_once() {
        let mut connection = Connection::default();
        assert_eq!(connection.up(), None);
        for _ in 0..2 {
            let text = connection.down().expect("news");
            assert!(text.contains("does not answer"), "{text}");
            assert_eq!(connection.down(), None);
            assert_eq!(connection.up(), Some("connected again"));
            assert_eq!(connection.up(), None);
        }
        let text = connection.denied("no replies", &name("all"));
        let text = text.expect("news");
        assert!(text.contains("no replies\nhelp: "), "{text}");
        assert_eq!(connection.denied("no statuses", &name("all")), None);
    }

    #[test]
    fn a_worker_that_is_refused_for_less_than_30_s_continues() {
        let mut connection = Connection::default();
        let mut now = Instant::now();
        let short = Duration::from_secs(29);
        for _ in 0..2 {
            let text = connection.refused(now).expect("the first refusal");
            assert!(text.expect("news").contains("reconnect for 30 s"));
            now += short;
            assert_eq!(connection.refused(now).expect("not for long"), None);
            connection.up();
            now += short;
        }
        connection.refused(now).expect("the first refusal");
        let error = connection.refused(now + Duration::from_secs(30));
        let error = error.expect_err("for long").to_string();
        assert!(error.contains("expired or was revoked"), "{error}");
    }
}
