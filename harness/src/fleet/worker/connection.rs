//! What the user learns when a worker's connection breaks, or the server refuses it.

use std::time::{Duration, Instant};

use anyhow::bail;

use crate::fleet::ids::Name;

/// How long a server must refuse the credential: one that has just been made or is
/// being loaded again is refused for a moment.
const REFUSED: Duration = Duration::from_secs(30);

/// The connection of a worker.
#[derive(Debug, Default)]
pub(super) struct Connection {
    is_cut_off: bool,
    /// The user knows that the server refuses something.
    is_denied: bool,
    /// Since when the server has refused the credential.
    refused_since: Option<Instant>,
}

impl Connection {
    /// The server is there, for the first time or again. Returns what the user is to
    /// learn, as the other methods do.
    pub(super) fn up(&mut self) -> Option<&'static str> {
        self.refused_since = None;
        std::mem::take(&mut self.is_cut_off).then_some("connected again")
    }

    /// The server is gone.
    pub(super) fn down(&mut self) -> Option<&'static str> {
        let is_known = std::mem::replace(&mut self.is_cut_off, true);
        (!is_known).then_some("the server does not answer; the pairs in progress continue")
    }

    /// The server does not let this worker do something that it needs. Everything else
    /// that it refuses has the same reason.
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
    /// If it has done so for long.
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
                "the server no longer accepts this credential: it has expired or was revoked\nhelp: ask for a new one (`hone fleet join`)"
            );
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::samples::name;

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
    fn a_server_that_refuses_a_worker_for_a_moment_does_not_end_it() {
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
