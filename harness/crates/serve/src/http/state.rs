//! The state that all request handlers share.

use std::collections::HashMap;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, oneshot, watch};

use crate::actions::{Audit, Queue, Tokens};
use crate::opened::Opened;
use crate::overview::Overview;
use crate::pages::Site;
use crate::reader::Wish;
use crate::snapshot::Snapshot;

/// Maximum number of browsers that follow pages.
pub(super) const FOLLOWERS: usize = 500;

/// A page requested within this time is still kept up to date.
const FRESH: Duration = Duration::from_secs(20);

/// The state that all handlers share.
pub(super) type Shared = Arc<State>;

pub(crate) struct State {
    pub overview: watch::Receiver<Arc<Overview>>,
    /// Names of this machine that browsers may use.
    pub hosts: Vec<String>,
    pub actions: Option<Actions>,
    /// The page of the fleet, if one is shown.
    pub fleet: Option<watch::Receiver<Arc<Snapshot>>>,
    /// Permits for browsers that follow a page.
    pub followers: Arc<Semaphore>,
    /// Becomes true when the server ends.
    pub ending: watch::Receiver<bool>,
    wishes: Sender<Wish>,
    opened: Mutex<HashMap<String, Opened>>,
}

/// The state of actions, if tokens allow them.
pub(crate) struct Actions {
    pub tokens: Tokens,
    pub queue: Arc<Queue>,
    pub audit: Audit,
}

impl State {
    pub(crate) fn new(
        overview: watch::Receiver<Arc<Overview>>,
        wishes: Sender<Wish>,
        hosts: Vec<String>,
        actions: Option<Actions>,
        fleet: Option<watch::Receiver<Arc<Snapshot>>>,
        ending: watch::Receiver<bool>,
    ) -> Self {
        Self {
            overview,
            hosts,
            actions,
            fleet,
            followers: Arc::new(Semaphore::new(FOLLOWERS)),
            ending,
            wishes,
            opened: Mutex::default(),
        }
    }

    /// The features of the server besides runs.
    pub(super) fn site(&self) -> Site {
        Site {
            can_act: self.actions.is_some(),
            has_fleet: self.fleet.is_some(),
        }
    }

    /// All runs; waits until the folder has been read once.
    pub(super) async fn overview(&self) -> Arc<Overview> {
        let mut overview = self.overview.clone();
        match overview.wait_for(|overview| !overview.is_first()).await {
            Ok(overview) => Arc::clone(&overview),
            Err(_) => Arc::default(),
        }
    }

    /// A run's page; `None` if the run does not exist or cannot be read.
    pub(super) async fn open(&self, run: &str) -> Option<Opened> {
        let known = self.lock().get(run).cloned();
        // A closed channel belongs to a run that was unloaded.
        if let Some(opened) = known
            && opened.is_watched(FRESH)
            && opened.snapshot.has_changed().is_ok()
        {
            opened.touch();
            return Some(opened);
        }
        let (answer, opened) = oneshot::channel();
        let wish = Wish {
            run: run.to_string(),
            answer,
        };
        self.wishes.send(wish).ok()?;
        let opened = opened.await.ok()?;
        let mut all = self.lock();
        all.retain(|_, opened| opened.snapshot.has_changed().is_ok());
        match opened {
            Some(opened) => {
                opened.touch();
                all.insert(run.to_string(), opened.clone());
                Some(opened)
            }
            None => {
                all.remove(run);
                None
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Opened>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
