//! What a worker does when its connection breaks, or the server refuses it.

use std::time::{Duration, Instant};

use anyhow::bail;

use super::Worker;
use crate::fleet::link::WorkerLink;

/// How long a server must refuse the credential: one that has just been made or is
/// being loaded again is refused for a moment.
const REFUSED: Duration = Duration::from_secs(30);

impl<L: WorkerLink> Worker<L> {
    pub(super) async fn connected(&mut self) {
        self.refused_since = None;
        if std::mem::take(&mut self.is_cut_off) {
            errln!("connected again");
        }
        self.link.ask().await;
        self.report().await;
    }

    pub(super) fn cut_off(&mut self) {
        self.is_cut_off = true;
        errln!("the server does not answer; the pairs in progress are played on");
    }

    /// The server does not let this worker do something that it needs. Everything else
    /// that it refuses has the same reason.
    pub(super) fn denied(&mut self, what: &str) {
        if std::mem::replace(&mut self.is_denied, true) {
            return tracing::info!("{what}");
        }
        errln!(
            "warning: the server does not let this worker do what it needs: {what}\nhelp: is the credential that of `{}`, and a worker's? See `hone help fleet`",
            self.id.credential
        );
    }

    /// The server refuses the credential.
    ///
    /// # Errors
    /// If it has done so for long.
    pub(super) fn expelled(&mut self, now: Instant) -> anyhow::Result<()> {
        let Some(since) = self.refused_since else {
            self.refused_since = Some(now);
            errln!(
                "the server refuses this JOIN; the worker tries for {} s to connect again",
                REFUSED.as_secs()
            );
            return Ok(());
        };
        if now.duration_since(since) >= REFUSED {
            bail!(
                "the server does not accept this JOIN any more: it is expired or revoked\nhelp: ask for a new one (`hone fleet join`)"
            );
        }
        Ok(())
    }
}
