//! The scripts of the GitHub Action, as its steps call them.

use std::path::Path;
use std::process::Command;

use super::repository::EngineRepository;
use super::{Finished, workspace};

/// Whether `jq` is installed, which the scripts need. If not, the test is skipped.
pub(crate) fn has_jq() -> bool {
    let found = Command::new("jq").arg("--version").output().is_ok();
    if !found {
        super::skip::skipped("jq is not installed");
    }
    found
}

/// A script with its arguments in a repository, for a pull request whose event is in the
/// runner's folder.
pub(crate) fn step(script: &str, repository: &EngineRepository, runner: &Path) -> Command {
    let mut words = script.split(' ');
    let script = words.next().unwrap_or_default();
    let mut command = Command::new("bash");
    command
        .arg(workspace().join(".github/action").join(script))
        .args(words)
        .current_dir(repository.path())
        .stdin(std::process::Stdio::null())
        .env_remove("GITHUB_STEP_SUMMARY")
        .env("HONE_HOME", runner.join("home"))
        .env("GITHUB_EVENT_NAME", "pull_request")
        .env("GITHUB_EVENT_PATH", runner.join("event.json"))
        .env("GITHUB_OUTPUT", runner.join("output"));
    command
}

/// Checks `main` out and makes a new bare repository its remote `origin`.
pub(crate) fn publish(repository: &EngineRepository, origin: &str) {
    repository.git(&["checkout", "--quiet", "main"]);
    repository.git(&["clone", "--quiet", "--bare", ".", origin]);
    repository.git(&["remote", "add", "origin", origin]);
    repository.git(&["fetch", "--quiet", "origin"]);
    repository.git(&["branch", "--quiet", "--set-upstream-to=origin/main", "main"]);
}

/// Whether a step succeeded, and what it printed.
pub(crate) fn outcome(step: Finished) -> (bool, String) {
    (step.code == Some(0), step.stdout + &step.stderr)
}
