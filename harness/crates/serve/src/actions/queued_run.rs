//! A submitted run, and its two files: the job and its configuration.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};

use super::action::Refusal;
use crate::kinds::Kinds;
use hone_base::checksum::sha256_of;
use hone_base::platform::write_whole;
use hone_run::Kind;
use hone_run::config;

/// A submission.
#[derive(Debug, Clone)]
pub(crate) struct Submission {
    pub name: String,
    pub kind: Kind,
    pub priority: i32,
}

impl Submission {
    /// Parses the parameters of a request.
    ///
    /// # Errors
    /// If one is missing, unknown or invalid.
    pub(crate) fn of(params: &[(String, String)]) -> anyhow::Result<Self> {
        let (mut name, mut kind, mut priority) = (None, None, 0);
        for (param, value) in params {
            ensure!(
                params.iter().filter(|(other, _)| other == param).count() == 1,
                "the parameter `{param}` is given twice"
            );
            match param.as_str() {
                "name" => name = Some(value.clone()),
                "kind" => kind = Some(kind_named(value)?),
                "priority" => priority = priority_of(value)?,
                _ => bail!("unknown parameter `{param}`: allowed are name, kind and priority"),
            }
        }
        Ok(Self {
            name: name.context("the name of the run is missing: add `name=NAME`")?,
            kind: kind.context("the kind of the run is missing: add `kind=KIND`")?,
            priority,
        })
    }
}

fn kind_named(name: &str) -> anyhow::Result<Kind> {
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
    kind.with_context(|| {
        let names = Kind::ALL.map(Kind::name).join(", ");
        format!("`kind={name}` is not a kind of run: allowed are {names}")
    })
}

/// Parses a priority.
///
/// # Errors
/// If it is not a whole number.
pub(crate) fn priority_of(value: &str) -> anyhow::Result<i32> {
    let priority = value.parse();
    priority.with_context(|| format!("`priority={value}` is not a whole number"))
}

/// The requested state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Wanted {
    Played,
    /// It waits for the approval of somebody else.
    Approval,
    /// It keeps its place in the queue until it is resumed.
    Paused,
}

/// The process that plays a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum PlayedBy {
    #[default]
    Nobody,
    ThisServer,
    /// Not a child of this server: started by hand, or by an earlier server that was killed.
    Another,
}

/// A submitted run that is not finished.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct QueuedRun {
    pub name: String,
    pub kind: Kind,
    pub priority: i32,
    pub by: String,
    pub submitted: jiff::Timestamp,
    /// The person who approved it, if approval was needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    pub wanted: Wanted,
    #[serde(skip)]
    pub played_by: PlayedBy,
    /// The reason why it ended without a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl QueuedRun {
    pub(super) fn new(submission: &Submission, by: &str) -> Self {
        Self {
            name: submission.name.clone(),
            kind: submission.kind,
            priority: submission.priority,
            by: by.to_string(),
            submitted: jiff::Timestamp::now(),
            approved_by: None,
            wanted: Wanted::Played,
            played_by: PlayedBy::Nobody,
            failure: None,
        }
    }

    /// Whether it waits for a free slot.
    pub(crate) fn is_waiting(&self) -> bool {
        self.wanted == Wanted::Played
            && self.played_by == PlayedBy::Nobody
            && self.failure.is_none()
    }

    /// A description of its state.
    pub(crate) fn words(&self) -> String {
        match (self.played_by, &self.failure, self.wanted) {
            (PlayedBy::Another, ..) => "running, started by another process".to_string(),
            (_, Some(failure), _) => format!("failed: {failure}"),
            (_, None, Wanted::Approval) => "waiting for approval".to_string(),
            (PlayedBy::ThisServer, None, Wanted::Played) => "running".to_string(),
            (PlayedBy::Nobody, None, Wanted::Played) => "waiting".to_string(),
            (PlayedBy::ThisServer, None, Wanted::Paused) => {
                "pausing: games in progress are being finished".to_string()
            }
            (PlayedBy::Nobody, None, Wanted::Paused) => "paused".to_string(),
        }
    }

    /// The possible actions, by their names in the API.
    pub(crate) fn offered(&self) -> &'static [&'static str] {
        match (self.played_by, self.wanted) {
            (PlayedBy::Another, _) => &[],
            (_, Wanted::Approval) => &["approve", "stop", "priority"],
            (_, Wanted::Played) if self.failure.is_none() => &["pause", "stop", "priority"],
            (_, Wanted::Played | Wanted::Paused) => &["resume", "stop", "priority"],
        }
    }

    /// Whether it waits for approval.
    pub(crate) fn needs_approval(&self) -> bool {
        self.wanted == Wanted::Approval
    }

    /// Approves the configuration with this SHA-256, by the owner of another token. The hash
    /// is needed because the submitter can replace the run by another one of the same name.
    ///
    /// # Errors
    /// [`Refusal`].
    pub(super) fn approve(
        &mut self,
        folder: &Path,
        by: &str,
        read: Option<&str>,
    ) -> Result<(), Refusal> {
        let name = &self.name;
        let conflict = |message| Err(Refusal::Conflict(message));
        if !self.needs_approval() {
            return conflict(format!("`{name}` does not wait for approval"));
        }
        if self.by == by {
            return conflict(format!(
                "{by} submitted `{name}`: somebody else must approve it"
            ));
        }
        let config = fs::read(self.config(folder));
        let config = config.map_err(|error| Refusal::Failed(error.into()))?;
        let Some(read) = read else {
            return Err(Refusal::Invalid(anyhow!(
                "an approval needs `config=SHA256`, of the configuration that /api/queue/{name} shows"
            )));
        };
        if !read.eq_ignore_ascii_case(&sha256_of(&config)) {
            return conflict(format!(
                "the configuration of `{name}` is not the one that was reviewed: read it again at \
                 /api/queue/{name}"
            ));
        }
        self.wanted = Wanted::Played;
        self.approved_by = Some(by.to_string());
        Ok(())
    }

    /// Its configuration, in the folder of the queue.
    pub(super) fn config(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.toml", self.name))
    }

    /// The file with the output of its process.
    pub(super) fn log(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.log", self.name))
    }

    /// Refuses a configuration that the command of its kind would refuse before it prepares an
    /// engine.
    ///
    /// # Errors
    /// The error of the configuration.
    pub(super) fn check_config(&self, kinds: Kinds, folder: &Path) -> anyhow::Result<()> {
        let config = config::load(&self.config(folder), &[]);
        // The submitter does not have this file, which is removed if it is refused.
        let config = config.map_err(|error| error.in_file("the submitted configuration"))?;
        (kinds.check_submitted)(self.kind, config)
    }

    fn file(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.json", self.name))
    }

    /// Writes the job atomically.
    pub(super) fn save(&self, folder: &Path) -> anyhow::Result<()> {
        let path = self.file(folder);
        let text = serde_json::to_string_pretty(self)? + "\n";
        write_whole(&path, |file| file.write_all(text.as_bytes()))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// Removes its files.
    ///
    /// # Errors
    /// If the file of the job remains, which the next server would queue again. The other files
    /// are kept then.
    pub(super) fn remove(&self, folder: &Path) -> anyhow::Result<()> {
        let path = self.file(folder);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot remove {}", path.display()));
            }
            _ => {}
        }
        for path in [self.config(folder), self.log(folder)] {
            // Without the job file the other two have no effect.
            let _ = fs::remove_file(path);
        }
        Ok(())
    }

    /// The jobs in a folder; invalid files are skipped.
    pub(super) fn read_all(folder: &Path) -> Vec<Self> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut jobs: Vec<Self> = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "json"))
            .filter_map(|path| {
                let job: Self = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
                (check_name(&job.name).is_ok() && job.file(folder) == path).then_some(job)
            })
            .collect();
        jobs.sort_by_key(|job| job.submitted);
        jobs
    }
}

/// Device names of Windows, reserved with any extension; `COM1` to `LPT9` are checked too.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Checks that a name is a safe file name on every system.
///
/// # Errors
/// The reason why it is not.
pub(super) fn check_name(name: &str) -> anyhow::Result<()> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    ensure!(
        (1..=100).contains(&name.len())
            && name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(is_plain)
            && !name.ends_with('.'),
        "`{name}` is not a valid name of a run: allowed are letters, digits, `-`, `.` and `_`, \
         a letter or digit first, no `.` at the end, at most 100 characters"
    );
    let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    let is_port = |rest: &str| rest.len() == 1 && rest.chars().all(|c| c.is_ascii_digit());
    let mut ports = ["com", "lpt"].iter();
    ensure!(
        !DEVICES.contains(&stem.as_str())
            && !ports.any(|port| stem.strip_prefix(port).is_some_and(is_port)),
        "`{name}` is not a valid name of a run: Windows reserves it for a device"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::samples;
    use hone_base::diagnostic::with_causes;

    #[test]
    fn names_lead_nowhere_else() {
        for name in [
            "a",
            "2026-01-01-sprt",
            "x_1.5",
            "console",
            "com10",
            "compare",
        ] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", "../x", "a/b", ".hidden", "-v", "a b", "a~b", "ü"] {
            assert!(check_name(name).is_err(), "{name}");
        }
        assert!(check_name(&"a".repeat(101)).is_err());
    }

    #[test]
    fn names_that_windows_changes_or_reserves_are_refused() {
        for name in ["a.", "CON", "nul.txt", "Com1", "lpt9.old"] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }

    #[test]
    fn parameters_are_refused_in_plain_words() {
        let of = |params: &[(&str, &str)]| {
            let owned = params.iter().map(|(a, b)| (a.to_string(), b.to_string()));
            Submission::of(&owned.collect::<Vec<_>>()).map_err(|error| error.to_string())
        };
        let whole = of(&[("name", "a"), ("kind", "tune"), ("priority", "-3")]).expect("valid");
        assert_eq!((whole.kind, whole.priority), (Kind::Tune, -3));
        for (params, why) in [
            (&[("kind", "sprt")][..], "add `name=NAME`"),
            (&[("name", "a")], "add `kind=KIND`"),
            (
                &[("name", "a"), ("kind", "foo")],
                "`kind=foo` is not a kind of run: allowed are sprt, match, tune, bisect",
            ),
            (
                &[("priority", "high")],
                "`priority=high` is not a whole number",
            ),
            (&[("nmae", "a")], "unknown parameter `nmae`"),
            (
                &[("name", "a"), ("name", "b")],
                "the parameter `name` is given twice",
            ),
        ] {
            let error = of(params).expect_err(why);
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn only_what_is_possible_is_offered() {
        let submission = Submission {
            name: "one".to_string(),
            kind: Kind::Match,
            priority: 0,
        };
        let mut job = QueuedRun::new(&submission, "ann");
        assert_eq!(job.offered(), ["pause", "stop", "priority"]);
        job.failure = Some("the engine is missing".to_string());
        assert_eq!(job.offered(), ["resume", "stop", "priority"]);
        (job.failure, job.wanted) = (None, Wanted::Paused);
        assert_eq!(job.offered(), ["resume", "stop", "priority"]);
        job.wanted = Wanted::Approval;
        assert_eq!(job.offered(), ["approve", "stop", "priority"]);
        job.played_by = PlayedBy::Another;
        assert!(job.offered().is_empty());
    }

    /// A tuning has only one engine before it starts.
    #[test]
    fn the_configuration_of_a_tuning_has_one_engine_and_its_table() {
        let dir = tempfile::tempdir().expect("a folder");
        let submission = Submission {
            name: "t".to_string(),
            kind: Kind::Tune,
            priority: 0,
        };
        let job = QueuedRun::new(&submission, "ann");
        let check = |config: &str| {
            fs::write(job.config(dir.path()), config).expect("written");
            let checked = job.check_config(samples::kinds(), dir.path());
            checked.map_err(|error| error.to_string())
        };
        let one = "[[engine]]\ncmd = \"a\"\n";
        let tune = "[tune]\n[tune.params]\nA = {}\n";
        assert_eq!(check(&format!("{one}{tune}")), Ok(()));
        let two = check(&format!("{one}{one}")).expect_err("two engines");
        assert!(two.contains("exactly one [[engine]] is needed"), "{two}");
        let bare = check(one).expect_err("no parameters");
        assert!(bare.contains("[tune]"), "{bare}");
    }

    /// A submission of a kind, checked.
    fn checked(kind: Kind, config: &str) -> Result<(), String> {
        let dir = tempfile::tempdir().expect("a folder");
        let submission = Submission {
            name: "s3".to_string(),
            kind,
            priority: 0,
        };
        let job = QueuedRun::new(&submission, "ann");
        fs::write(job.config(dir.path()), config).expect("written");
        let checked = job.check_config(samples::kinds(), dir.path());
        checked.map_err(|error| with_causes(&error))
    }

    #[test]
    fn what_the_command_refuses_cannot_be_submitted() {
        let one = "[[engine]]\ncmd = \"a\"\n";
        let two = format!("{one}{one}");
        let nodes = "[match]\nlimit = \"nodes=50\"\n";
        let shard = "[match]\nshard = \"1/2\"\n[tune.params]\nA = {}\n";
        let scale = "[fleet]\nscale = \"bench\"\n";
        let commits = "[[engine]]\ncmd = \"a\"\ngit = \".\"\nbuild = \"make\"\n[bisect]\ngood = \"a\"\nbad = \"b\"\n";
        for (kind, config, words) in [
            (
                Kind::Match,
                format!("{two}{nodes}{scale}"),
                "needs a time control",
            ),
            (Kind::Tune, format!("{one}{shard}"), "cannot be divided"),
            (
                Kind::Bisect,
                format!("{commits}{scale}"),
                "only supported for",
            ),
        ] {
            let refused = checked(kind, &config).expect_err(words);
            assert!(refused.contains(words), "{refused}");
        }
        // The first stage replaces the limit.
        let stage = "[[stage]]\nlimit = \"8+0.08\"\n";
        let config = format!("{two}{nodes}{scale}{stage}");
        assert_eq!(checked(Kind::Sprt, &config), Ok(()));
    }

    #[test]
    fn an_error_names_no_file_of_the_server() {
        let refused = checked(Kind::Match, "[match]\nlimt = 1\n").expect_err("a wrong key");
        let place = "--> the submitted configuration:2:1\n";
        assert!(refused.contains(place), "{refused}");
    }

    #[test]
    fn jobs_survive_a_restart() {
        let dir = tempfile::tempdir().expect("a folder");
        let submission = Submission {
            name: "one".to_string(),
            kind: Kind::Match,
            priority: 3,
        };
        let mut job = QueuedRun::new(&submission, "ann");
        job.wanted = Wanted::Paused;
        job.save(dir.path()).expect("written");
        fs::write(dir.path().join("bad.json"), "{").expect("written");
        let jobs = QueuedRun::read_all(dir.path());
        assert_eq!(jobs.len(), 1);
        assert_eq!((jobs[0].name.as_str(), jobs[0].priority), ("one", 3));
        assert_eq!(jobs[0].words(), "paused");
        job.remove(dir.path()).expect("removed");
        assert!(QueuedRun::read_all(dir.path()).is_empty());
    }
}
