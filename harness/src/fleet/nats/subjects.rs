//! Names of streams and subjects, and who may use which. The server checks
//! the permissions; a message's subject therefore tells who sent it.

use crate::fleet::ids::{Name, WorkerId};

/// A work queue of jobs.
pub(super) const JOBS: &str = "HONE_JOBS";
/// Results that no runner has put on disk yet.
pub(super) const RESULTS: &str = "HONE_RESULTS";
/// Engines and nets, in parts.
pub(super) const FILES: &str = "HONE_FILES";

/// Asks runs for their notice and workers for their status.
pub(super) const ASK: &str = "hone.ask";
/// Asks only runs: thousands of workers that join must not each ask all others.
pub(super) const ASK_RUNS: &str = "hone.ask-runs";
/// Notices of runs, statuses of workers, and the end of runs.
pub(super) const ALL_RUNS: &str = "hone.run.*";
pub(super) const ALL_WORKERS: &str = "hone.worker.*.*";
pub(super) const ALL_STOPS: &str = "hone.stop.*";
/// Asks for the games of a run while they are played, and the games.
pub(super) const ALL_WATCHES: &str = "hone.watch.*";
#[cfg(feature = "serve")]
pub(super) const ALL_BOARDS: &str = "hone.board.*.*.*";

pub(super) fn job(run: &Name) -> String {
    format!("hone.job.{run}")
}

pub(super) fn result(worker: &WorkerId, run: &Name) -> String {
    format!("hone.result.{}.{}.{run}", worker.credential, worker.machine)
}

pub(super) fn results_of(run: &Name) -> String {
    format!("hone.result.*.*.{run}")
}

pub(super) fn run(run: &Name) -> String {
    format!("hone.run.{run}")
}

pub(super) fn stop(run: &Name) -> String {
    format!("hone.stop.{run}")
}

#[cfg(feature = "serve")]
pub(super) fn watch(run: &Name) -> String {
    format!("hone.watch.{run}")
}

pub(super) fn board(worker: &WorkerId, run: &Name) -> String {
    format!("hone.board.{}.{}.{run}", worker.credential, worker.machine)
}

pub(super) fn worker(worker: &WorkerId) -> String {
    format!("hone.worker.{}.{}", worker.credential, worker.machine)
}

pub(super) fn file(sha256: &str, chunk: u64) -> String {
    format!("hone.file.{sha256}.{chunk}")
}

/// The worker that a subject of a result, of games or of a status names.
pub(super) fn worker_of(subject: &str) -> Option<WorkerId> {
    let mut parts = subject.split('.').skip(2);
    Some(WorkerId {
        credential: Name::new(parts.next()?).ok()?,
        machine: Name::new(parts.next()?).ok()?,
    })
}

/// The name at the end of a subject.
pub(super) fn last_name(subject: &str) -> Option<Name> {
    Name::new(subject.rsplit('.').next()?).ok()
}

/// Where the answers to a credential's requests go.
pub(super) fn inbox(credential: &Name) -> String {
    format!("_INBOX.{credential}")
}

/// What a credential may publish and subscribe to.
#[derive(Debug, Clone)]
pub(crate) struct Permissions {
    pub(crate) publish: Vec<String>,
    pub(crate) subscribe: Vec<String>,
}

/// A worker takes jobs, reads files, gives results under its own name, and
/// nothing else.
pub(crate) fn worker_permissions(credential: &Name) -> Permissions {
    Permissions {
        publish: vec![
            ASK_RUNS.to_string(),
            format!("hone.worker.{credential}.*"),
            format!("hone.result.{credential}.*.*"),
            format!("hone.board.{credential}.*.*"),
            format!("$JS.API.CONSUMER.MSG.NEXT.{JOBS}.*"),
            format!("$JS.ACK.{JOBS}.>"),
            format!("$JS.API.DIRECT.GET.{FILES}.>"),
        ],
        subscribe: vec![
            ASK.to_string(),
            ALL_RUNS.to_string(),
            ALL_STOPS.to_string(),
            ALL_WATCHES.to_string(),
            format!("{}.>", inbox(credential)),
        ],
    }
}

/// Somebody who starts runs: owns jobs, results and files, and sees workers.
pub(crate) fn submit_permissions(credential: &Name) -> Permissions {
    let mut publish: Vec<String> = [ASK, "hone.job.*", "hone.run.*", "hone.stop.*", ALL_WATCHES]
        .map(str::to_string)
        .to_vec();
    publish.push("hone.file.*.*".to_string());
    for stream in [JOBS, RESULTS] {
        for call in [
            "CONSUMER.CREATE",
            "CONSUMER.INFO",
            "CONSUMER.DELETE",
            "CONSUMER.MSG.NEXT",
        ] {
            publish.push(format!("$JS.API.{call}.{stream}.>"));
        }
        publish.push(format!("$JS.API.STREAM.PURGE.{stream}"));
    }
    publish.push(format!("$JS.API.STREAM.INFO.{FILES}"));
    publish.push(format!("$JS.ACK.{RESULTS}.>"));
    Permissions {
        publish,
        subscribe: vec![
            ASK.to_string(),
            ASK_RUNS.to_string(),
            ALL_RUNS.to_string(),
            ALL_WORKERS.to_string(),
            "hone.board.*.*.*".to_string(),
            format!("{}.>", inbox(credential)),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::samples::name;

    #[test]
    fn subjects_name_who_sent_them() {
        let id = WorkerId {
            credential: name("club"),
            machine: name("box-1"),
        };
        let of_run = name("r1");
        assert_eq!(worker_of(&result(&id, &of_run)), Some(id.clone()));
        assert_eq!(worker_of(&board(&id, &of_run)), Some(id.clone()));
        assert_eq!(worker_of(&worker(&id)), Some(id));
        assert_eq!(last_name("hone.run.r1"), Some(of_run));
        assert_eq!(worker_of("hone.worker.club"), None);
        assert_eq!(last_name("hone.run.R"), None);
    }

    #[test]
    fn a_worker_may_not_publish_jobs_files_or_other_names() {
        let club = name("club");
        let allowed = worker_permissions(&club);
        for forbidden in [
            "hone.job",
            "hone.run",
            "hone.stop",
            "hone.file",
            "hone.result.*",
            "hone.board.*",
            "hone.watch",
        ] {
            let may = allowed
                .publish
                .iter()
                .any(|subject| subject.starts_with(forbidden));
            assert!(!may, "{forbidden}");
        }
        assert!(
            !allowed
                .publish
                .iter()
                .any(|subject| subject == ">" || subject.contains("STREAM"))
        );
    }
}
