//! Names of streams and subjects, and the permissions of credentials. The server enforces
//! the permissions, so the subject of a message identifies its sender.

use crate::ids::{Name, WorkerId};

/// The work queue of jobs.
pub(super) const JOBS: &str = "HONE_JOBS";
/// Results that are not on the disk of their runner yet.
pub(super) const RESULTS: &str = "HONE_RESULTS";
/// Engines and nets, in parts.
pub(super) const FILES: &str = "HONE_FILES";

/// Requests the notices of runs and the statuses of workers.
pub(super) const ASK: &str = "hone.ask";
/// Requests only the notices of runs: a worker sends it when it starts, and must not
/// trigger the statuses of thousands of others.
pub(super) const ASK_RUNS: &str = "hone.ask-runs";
/// Notices of runs.
pub(super) const ALL_RUNS: &str = "hone.run.*";
/// Statuses of workers.
pub(super) const ALL_WORKERS: &str = "hone.worker.*.*";
/// Requests to drop the pairs of a run.
pub(super) const ALL_STOPS: &str = "hone.stop.*";
/// Requests for the games of a run while they are played.
pub(super) const ALL_WATCHES: &str = "hone.watch.*";
/// The games of a run while they are played.
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

/// All parts of a file.
pub(super) fn parts_of(sha256: &str) -> String {
    format!("hone.file.{sha256}.*")
}

/// The worker in the subject of a result, of games or of a status.
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

/// The prefix of the inboxes for answers to a credential's requests.
pub(super) fn inbox(credential: &Name) -> String {
    format!("_INBOX.{credential}")
}

/// The inboxes of a credential.
pub(crate) fn inboxes(credential: &Name) -> String {
    format!("{}.>", inbox(credential))
}

/// The subjects to which a credential may publish and subscribe, besides its inboxes.
#[derive(Debug, Clone)]
pub(crate) struct Permissions {
    pub publish: Vec<String>,
    pub subscribe: Vec<String>,
}

/// A worker may only take jobs, read files, and send results, statuses and games under
/// its own name. `credential` is a name, or `*` for the subjects of all workers.
pub(crate) fn worker_permissions(credential: &str) -> Permissions {
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
        subscribe: [ASK, ALL_RUNS, ALL_STOPS, ALL_WATCHES]
            .map(str::to_string)
            .to_vec(),
    }
}

/// Whether a message to this subject may have several answers.
pub(crate) fn has_several_answers(subject: &str) -> bool {
    subject.contains(".MSG.NEXT.")
}

/// The owner of a run may write jobs and files, read results and see workers.
pub(crate) fn submit_permissions() -> Permissions {
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
    let subscribe = [ASK, ASK_RUNS, ALL_RUNS, ALL_WORKERS, "hone.board.*.*.*"];
    Permissions {
        publish,
        subscribe: subscribe.map(str::to_string).to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::name;

    #[test]
    fn subjects_identify_the_sender() {
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
    fn a_worker_may_not_publish_jobs_or_files_or_under_other_names() {
        let allowed = worker_permissions("club");
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
