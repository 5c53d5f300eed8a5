//! The messages between runners and workers: JSON with a protocol version and a maximum
//! length. Malformed or too long messages and those of other versions are refused.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
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
pub(crate) use file_ref::CHUNK;
pub(crate) use file_ref::{FileRef, SourceRef};
use hone_base::text::printable;
use hone_run::config::WorkerPattern;
use hone_run::executor::{GameText, PairJob};
use hone_uci::rules::GameResult;

/// The protocol version, raised when the meaning of a message changes or a field is added
/// that is always sent: unknown fields are refused. An optional field breaks older peers
/// only in runs that use it. Workers and runners refuse messages of other versions.
pub(crate) const VERSION: u32 = 4;

/// Maximum length of a message on the server, in bytes.
pub(crate) const MAX_PAYLOAD: usize = 1024 * 1024;
/// Maximum length of an evidence file, in bytes.
pub(crate) const MAX_TEXT: usize = 96 * 1024;
/// Maximum length of a game's PGN, in bytes.
pub(crate) const MAX_GAME: usize = 4 * MAX_TEXT;
/// Maximum length of the names in a worker's status, in characters.
const MAX_NAME: usize = 100;
/// Maximum length of a reason that is shown, in characters.
const MAX_REASON: usize = 2000;
/// Maximum of a worker's games per minute.
const MAX_PACE: f64 = 1e9;

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
    /// Maximum length of the encoded message, in bytes.
    const LIMIT: usize;

    /// Checks the values.
    ///
    /// # Errors
    /// The first value that is not valid.
    fn check(&self) -> Result<(), &'static str>;

    /// Replaces what its texts must not contain when they are shown. Called for each message
    /// that is received.
    fn clean(&mut self) {}
}

/// A text of another machine as one line of at most `length` characters, without characters
/// that affect a terminal: it must not look like further lines of `hone`.
fn clean_text(text: &mut String, length: usize) {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines.collect::<Vec<_>>().join("; ").replace('\t', " ");
    *text = printable(&line).chars().take(length).collect();
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

/// Encodes a message.
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

/// Decodes and checks a message.
///
/// # Errors
/// [`MessageError`].
pub(crate) fn decode<M: Message>(bytes: &[u8]) -> Result<M, MessageError> {
    check_length::<M>(bytes)?;
    let mut incoming = match serde_json::from_slice::<Incoming<M>>(bytes) {
        Ok(incoming) if incoming.version == VERSION => incoming,
        Ok(incoming) => return Err(MessageError::Version(incoming.version)),
        // Another version may have other fields.
        Err(error) => match serde_json::from_slice::<Versioned>(bytes) {
            Ok(other) if other.hone != VERSION => return Err(MessageError::Version(other.hone)),
            _ => return Err(MessageError::Malformed(error.to_string())),
        },
    };
    incoming.body.check().map_err(MessageError::Invalid)?;
    incoming.body.clean();
    Ok(incoming.body)
}

fn check_length<M: Message>(bytes: &[u8]) -> Result<(), MessageError> {
    if bytes.len() > M::LIMIT {
        Err(MessageError::TooLong {
            bytes: bytes.len(),
            allowed: M::LIMIT,
        })
    } else {
        Ok(())
    }
}

/// A pair to play. Its programs are file names without a folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Job {
    pub run: Name,
    pub lease: String,
    pub pair: PairJob,
    pub files: Vec<FileRef>,
    /// The sources of the engines that another machine can build.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceRef>,
    /// The speed that time controls refer to, if they are scaled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Reference>,
    /// The workers that have played the pair: another must play it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_by: Vec<String>,
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
        let programs_of = |player| {
            let files = self.files.iter();
            files
                .filter(|file| file.player == player && file.option.is_none())
                .count()
        };
        if (0..2).any(|player| programs_of(player) != 1) {
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

/// Whether an engine's option is the folder of its endgame tables, which each worker
/// replaces by its own.
pub(crate) fn is_tables_option(name: &str) -> bool {
    name.eq_ignore_ascii_case("SyzygyPath")
}

fn check_lease(lease: &str) -> Result<(), &'static str> {
    if lease.len() == 32 && lease.bytes().all(|c| c.is_ascii_hexdigit()) {
        Ok(())
    } else {
        Err("a lease must be 32 hexadecimal digits")
    }
}

/// A worker's reply to a job.
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
    pub pair: u64,
    pub lease: String,
    /// Milliseconds since 1970.
    pub finished_ms: i64,
    /// Nodes per second of the worker, if time controls are scaled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nps: Option<u64>,
    /// Whether the worker built the engines from their commits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub built: bool,
    pub games: [GameResult; 2],
    pub texts: [GameText; 2],
    /// The evidence of games that an engine lost by a failure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<EvidenceText>,
}

/// The evidence files of a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EvidenceText {
    /// 0 or 1.
    pub game: usize,
    /// Texts by file name.
    pub files: BTreeMap<String, String>,
}

/// Why a worker does not play a run's pairs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Refusal {
    pub pair: u64,
    pub lease: String,
    pub reason: String,
    /// Whether an engine failed in a game of a run with `on_failure = "stop"`.
    pub(crate) stops_run: bool,
}

impl Message for Reply {
    const LIMIT: usize = MAX_PAYLOAD - 1024;

    fn check(&self) -> Result<(), &'static str> {
        match self {
            Self::Played(played) => played.check(),
            Self::Refused(refusal) => {
                check_lease(&refusal.lease)?;
                if refusal.reason.len() > MAX_REASON {
                    Err("the reason is too long")
                } else {
                    Ok(())
                }
            }
        }
    }

    fn clean(&mut self) {
        if let Self::Refused(refusal) = self {
            clean_text(&mut refusal.reason, MAX_REASON);
        }
    }
}

impl PlayedReply {
    fn check(&self) -> Result<(), &'static str> {
        check_lease(&self.lease)?;
        if self.evidence.len() > 8 || self.evidence.iter().any(|one| one.game > 1) {
            return Err("more than 8 failures with evidence, or a game number other than 0 and 1");
        }
        for text in &self.texts {
            if text.pgn.len() > MAX_GAME || text.epd.len() > 256 {
                return Err("a game's text is too long");
            }
            if text.pgn.matches("[Event ").count() != 1 {
                return Err("a text must be one game");
            }
            if text.epd.matches('\n').count() > 1 {
                return Err("a final position must be one line");
            }
        }
        Ok(())
    }
}

/// The description and state of a run, which its runner sends every few seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notice {
    /// The kind of run and the engines, for display.
    pub title: String,
    /// Its share of the machines relative to other runs, 1 to 1000.
    pub priority: u32,
    /// Threads that a game needs, at least 1.
    pub threads: usize,
    /// Memory that both engines of a game need together, in megabytes.
    pub memory_mb: u64,
    /// Operating system and processor of its programs, as in `linux-x86_64`.
    pub platform: String,
    /// Whether its engines can be built from their commits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_sources: bool,
    /// Number of pieces of the endgame tables that it needs.
    pub tables: Option<usize>,
    /// Number of pairs absorbed.
    pub recorded: u64,
    /// Number of pairs in flight.
    pub in_flight: u64,
    /// Whether games in progress are finished and no others are started.
    pub draining: bool,
    /// Workers that its configuration excludes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<WorkerPattern>,
    /// Workers in quarantine, and why.
    #[serde(rename = "excluded")]
    pub quarantined: BTreeMap<String, String>,
}

impl Notice {
    /// Encodes the notice with as many workers in quarantine as fit: the runner refuses
    /// the results of the others too, and their number never ends the run.
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
        if self.threads == 0 || !(1..=1000).contains(&self.priority) {
            Err("`threads` must be at least 1, and `priority` 1 to 1000")
        } else {
            Ok(())
        }
    }
}

/// The order to drop the pairs of a run. It has a content because other messages reach the
/// subject of orders: a worker can make the server send its replies there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StopOrder {
    pub run: Name,
}

impl Message for StopOrder {
    const LIMIT: usize = 1024;

    fn check(&self) -> Result<(), &'static str> {
        Ok(())
    }
}

/// The state of a worker, which it sends every few seconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Status {
    pub hone: String,
    /// Operating system and processor, as in `linux-x86_64`.
    pub platform: String,
    /// Name of the processor model.
    pub processor: String,
    /// Threads that it offers.
    pub cores: usize,
    /// Threads that games use.
    pub busy: usize,
    /// Games since the worker started.
    pub games: u64,
    pub time_forfeits: u64,
    pub failures: u64,
    /// Games per minute, over the last three minutes.
    pub pace: f64,
    /// The pairs that it has taken, by run.
    pub holds: BTreeMap<Name, Vec<u64>>,
    /// Runs that it refused, and why.
    pub refuses: BTreeMap<Name, String>,
    /// Whether it builds engines from their commits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub builds: bool,
    /// The runs whose engines it is building.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub building: BTreeSet<Name>,
    /// Whether it takes no further pairs and ends soon.
    pub leaving: bool,
}

/// The text between the reason of a refusal and the time of the next try.
pub(crate) const NEXT_TRY: &str = "; next try in ";

impl Status {
    /// Why the worker does not play a run, without the time of the next try.
    pub fn refusal(&self, run: &Name) -> Option<&str> {
        let why = self.refuses.get(run)?;
        Some(why.rsplit_once(NEXT_TRY).map_or(why, |(why, _)| why))
    }

    /// Encodes the status with as many reasons of refusals as fit: without a status, the
    /// worker would count as dead.
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
        let is_pace = (0.0..=MAX_PACE).contains(&self.pace);
        if self.cores > 4096 || self.busy > self.cores || !is_pace {
            Err("`cores`, `busy` or `pace` is out of range")
        } else {
            Ok(())
        }
    }

    fn clean(&mut self) {
        for name in [&mut self.hone, &mut self.platform, &mut self.processor] {
            clean_text(name, MAX_NAME);
        }
        for reason in self.refuses.values_mut() {
            clean_text(reason, MAX_REASON);
        }
    }
}
