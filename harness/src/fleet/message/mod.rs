//! What travels between runners and workers: JSON with a version, of bounded
//! size. What is malformed, too long or of another version is refused.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::string_slice))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

mod file_ref;
#[cfg(test)]
pub(super) mod samples;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::clock::Reference;
use super::ids::Name;
use crate::config::WorkerPattern;
use crate::executor::{GameText, PairJob};
use crate::rules::GameResult;
pub(crate) use file_ref::{CHUNK, FileRef, SourceRef};

/// Raised when a message changes its meaning: a worker and a runner that do
/// not speak the same version refuse each other.
pub(crate) const VERSION: u32 = 2;

/// The longest message that a server carries, in bytes.
pub(crate) const MAX_PAYLOAD: usize = 1024 * 1024;
/// The longest text of a file of evidence, in bytes.
pub(crate) const MAX_TEXT: usize = 96 * 1024;
/// The longest text of a game, in bytes.
pub(crate) const MAX_GAME: usize = 4 * MAX_TEXT;

/// Why a message is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MessageError {
    #[error("the message has {bytes} bytes, and {allowed} are allowed")]
    TooLong { bytes: usize, allowed: usize },
    #[error("the message is malformed: {0}")]
    Malformed(String),
    #[error("the message is of protocol version {0}, and this hone supports version {VERSION}")]
    Version(u32),
    #[error("the message is not valid: {0}")]
    Invalid(&'static str),
}

/// A kind of message.
pub(crate) trait Message: Serialize + DeserializeOwned {
    /// The longest it can be, in bytes.
    const LIMIT: usize;

    /// Refuses values that no honest sender has.
    ///
    /// # Errors
    /// What is wrong.
    fn check(&self) -> Result<(), &'static str>;
}

#[derive(Serialize)]
struct Outgoing<'a, M> {
    hone: u32,
    body: &'a M,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Incoming<M> {
    #[serde(rename = "hone")]
    version: u32,
    body: M,
}

#[derive(Deserialize)]
struct Versioned {
    hone: u32,
}

/// The bytes of a message.
///
/// # Errors
/// [`MessageError::TooLong`], [`MessageError::Invalid`].
pub(crate) fn encode<M: Message>(message: &M) -> Result<Vec<u8>, MessageError> {
    message.check().map_err(MessageError::Invalid)?;
    let envelope = Outgoing {
        hone: VERSION,
        body: message,
    };
    #[cfg_attr(not(test), expect(clippy::expect_used, reason = "its own types"))]
    let bytes = serde_json::to_vec(&envelope).expect("a message can be put into JSON");
    check_length::<M>(&bytes)?;
    Ok(bytes)
}

/// Reads a message.
///
/// # Errors
/// [`MessageError`].
pub(crate) fn decode<M: Message>(bytes: &[u8]) -> Result<M, MessageError> {
    check_length::<M>(bytes)?;
    let incoming = match serde_json::from_slice::<Incoming<M>>(bytes) {
        Ok(incoming) if incoming.version == VERSION => incoming,
        Ok(incoming) => return Err(MessageError::Version(incoming.version)),
        // Another version may have other fields.
        Err(error) => match serde_json::from_slice::<Versioned>(bytes) {
            Ok(other) if other.hone != VERSION => return Err(MessageError::Version(other.hone)),
            _ => return Err(MessageError::Malformed(error.to_string())),
        },
    };
    incoming.body.check().map_err(MessageError::Invalid)?;
    Ok(incoming.body)
}

/// Reads a message of every kind, for the fuzzer: what is accepted is valid, and
/// is the same when it is sent on.
pub(crate) fn read_any(bytes: &[u8]) {
    fn read<M: Message + std::fmt::Debug>(bytes: &[u8]) {
        let Ok(message) = decode::<M>(bytes) else {
            return;
        };
        // What is nearly too long may be written with more spaces or digits.
        let Ok(again) = encode(&message) else {
            return;
        };
        #[cfg_attr(not(test), expect(clippy::expect_used, reason = "a fault to be found"))]
        let read = decode::<M>(&again).expect("it was just written");
        assert_eq!(format!("{read:?}"), format!("{message:?}"));
    }
    read::<Job>(bytes);
    read::<Reply>(bytes);
    read::<Notice>(bytes);
    read::<Status>(bytes);
}

fn check_length<M: Message>(bytes: &[u8]) -> Result<(), MessageError> {
    match bytes.len() > M::LIMIT {
        true => Err(MessageError::TooLong {
            bytes: bytes.len(),
            allowed: M::LIMIT,
        }),
        false => Ok(()),
    }
}

/// A pair to play. Paths of programs in it are only names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Job {
    pub(crate) run: Name,
    pub(crate) lease: String,
    pub(crate) pair: PairJob,
    pub(crate) files: Vec<FileRef>,
    /// Of the engines that another machine can build.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sources: Vec<SourceRef>,
    /// Time controls are relative to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reference: Option<Reference>,
}

impl Message for Job {
    const LIMIT: usize = 128 * 1024;

    fn check(&self) -> Result<(), &'static str> {
        check_lease(&self.lease)?;
        if self.files.len() > 16 {
            return Err("more than 16 files");
        }
        for file in &self.files {
            file.check()?;
        }
        if self.sources.len() > 2 {
            return Err("more than 2 sources");
        }
        for source in &self.sources {
            source.check()?;
        }
        let program_of = |player| {
            let programs = self.files.iter();
            programs
                .filter(|file| file.player == player && file.option.is_none())
                .count()
        };
        if (0..2).any(|player| program_of(player) != 1) {
            return Err("each player needs one program");
        }
        for player in &self.pair.players {
            let launch = &player.launch;
            if launch.dir.is_some() || launch.program.components().count() != 1 {
                return Err(
                    "a program must be a file name, without a folder or a working directory",
                );
            }
        }
        Ok(())
    }
}

/// Whether an engine's option is the folder of its endgame tables: each worker has
/// its own.
pub(crate) fn is_tables_option(name: &str) -> bool {
    name.eq_ignore_ascii_case("SyzygyPath")
}

fn check_lease(lease: &str) -> Result<(), &'static str> {
    match lease.len() == 32 && lease.bytes().all(|c| c.is_ascii_hexdigit()) {
        true => Ok(()),
        false => Err("a lease must be 32 hexadecimal digits"),
    }
}

/// What a worker answers to a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Reply {
    Played(Box<PlayedReply>),
    Refused(Refusal),
}

/// A played pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlayedReply {
    pub(crate) pair: u64,
    pub(crate) lease: String,
    /// Milliseconds since 1970.
    pub(crate) finished_ms: i64,
    /// Nodes a second here, where time controls are relative to a reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) nps: Option<u64>,
    /// Whether the worker built the engines from their commits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) built: bool,
    pub(crate) games: [GameResult; 2],
    pub(crate) texts: [GameText; 2],
    /// Of games that an engine lost by failing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) evidence: Vec<EvidenceText>,
}

/// Files of evidence of a failure, by their names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EvidenceText {
    /// 0 or 1.
    pub(crate) game: usize,
    pub(crate) files: BTreeMap<String, String>,
}

/// Why a worker does not play a run's pairs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Refusal {
    pub(crate) pair: u64,
    pub(crate) lease: String,
    pub(crate) reason: String,
    /// The run's own rule is to stop: `on_failure = "stop"`.
    pub(crate) stops_run: bool,
}

impl Message for Reply {
    const LIMIT: usize = MAX_PAYLOAD - 1024;

    fn check(&self) -> Result<(), &'static str> {
        match self {
            Self::Played(played) => played.check(),
            Self::Refused(refusal) => {
                check_lease(&refusal.lease)?;
                match refusal.reason.len() > 2000 {
                    true => Err("the reason is too long"),
                    false => Ok(()),
                }
            }
        }
    }
}

impl PlayedReply {
    fn check(&self) -> Result<(), &'static str> {
        check_lease(&self.lease)?;
        if self.evidence.len() > 8 || self.evidence.iter().any(|one| one.game > 1) {
            return Err("more than 8 failures with evidence, or a game number other than 0 and 1");
        }
        let texts = self.texts.iter();
        let is_long = |text: &str| text.len() > MAX_GAME;
        if texts.clone().any(|text| is_long(&text.pgn))
            || texts.clone().any(|text| text.epd.len() > 256)
        {
            return Err("a game's text is too long");
        }
        if texts
            .clone()
            .any(|text| text.pgn.matches("[Event ").count() != 1)
        {
            return Err("a text must be one game");
        }
        if texts.clone().any(|text| text.epd.matches('\n').count() > 1) {
            return Err("a final position must be one line");
        }
        Ok(())
    }
}

/// What a runner reports of its run, every few seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Notice {
    /// The kind and the engines, for people.
    pub(crate) title: String,
    /// Its share of the machines, relative to other runs.
    pub(crate) priority: u32,
    /// Threads that think at the same time in one game.
    pub(crate) threads: usize,
    /// Megabytes that both engines of a game need.
    pub(crate) memory_mb: u64,
    /// Operating system and processor that its programs are for.
    pub(crate) platform: String,
    /// Whether its engines can be built from their commits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_sources: bool,
    /// Pieces of the endgame tables that it needs.
    pub(crate) tables: Option<usize>,
    /// Pairs absorbed and in flight.
    pub(crate) recorded: u64,
    pub(crate) in_flight: u64,
    /// Games in progress are finished, and no other is started.
    pub(crate) draining: bool,
    /// Workers that its configuration excludes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) exclude: Vec<WorkerPattern>,
    /// Workers in quarantine, and why.
    #[serde(rename = "excluded")]
    pub(crate) quarantined: BTreeMap<String, String>,
}

impl Notice {
    /// The bytes of the notice, with as many workers in quarantine as have room: one
    /// that is not told why is refused all the same, and their number never ends the
    /// run.
    ///
    /// # Errors
    /// [`MessageError`].
    pub(crate) fn encode_shortened(&mut self) -> Result<Vec<u8>, MessageError> {
        loop {
            match encode(self) {
                Err(MessageError::TooLong { .. }) if self.quarantined.pop_first().is_some() => {}
                encoded => return encoded,
            }
        }
    }
}

impl Message for Notice {
    const LIMIT: usize = 32 * 1024;

    fn check(&self) -> Result<(), &'static str> {
        match self.threads == 0 || !(1..=1000).contains(&self.priority) {
            true => Err("`threads` must be at least 1, and `priority` 1 to 1000"),
            false => Ok(()),
        }
    }
}

/// What a worker reports of itself, every few seconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Status {
    pub(crate) hone: String,
    /// Operating system and processor.
    pub(crate) platform: String,
    pub(crate) processor: String,
    pub(crate) cores: usize,
    pub(crate) busy: usize,
    /// Games since it joined.
    pub(crate) games: u64,
    pub(crate) time_forfeits: u64,
    pub(crate) failures: u64,
    /// Games a minute, over the last minutes.
    pub(crate) pace: f64,
    /// The pairs that it has taken, by run.
    pub(crate) holds: BTreeMap<Name, Vec<u64>>,
    /// Runs that it refused, and why.
    pub(crate) refuses: BTreeMap<Name, String>,
    /// Whether it builds engines from their commits, and the runs for which it
    /// does so now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) builds: bool,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) building: BTreeSet<Name>,
    /// It takes no further pairs and ends soon.
    pub(crate) leaving: bool,
}

/// Between a reason not to play a run and the time of the next try.
pub(crate) const NEXT_TRY: &str = "; next try in ";

impl Status {
    /// Why the worker does not play a run, without the time of the next try.
    pub(crate) fn refusal(&self, run: &Name) -> Option<&str> {
        let why = self.refuses.get(run)?;
        Some(why.rsplit_once(NEXT_TRY).map_or(why, |(why, _)| why))
    }

    /// The bytes of the status, with as many reasons of refusals as have room: a
    /// silent worker is taken for dead.
    ///
    /// # Errors
    /// [`MessageError`].
    pub(crate) fn encode_shortened(&mut self) -> Result<Vec<u8>, MessageError> {
        loop {
            let encoded = encode(self);
            let mut reasons = self.refuses.values_mut();
            match (&encoded, reasons.find(|reason| !reason.is_empty())) {
                (Err(MessageError::TooLong { .. }), Some(reason)) => reason.clear(),
                _ => return encoded,
            }
        }
    }
}

impl Message for Status {
    const LIMIT: usize = 64 * 1024;

    fn check(&self) -> Result<(), &'static str> {
        match self.cores > 4096 || self.busy > self.cores || !self.pace.is_finite() {
            true => Err("`cores`, `busy` or `pace` is out of range"),
            false => Ok(()),
        }
    }
}
