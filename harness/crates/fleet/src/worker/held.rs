//! A job that a worker has taken, until its reply is stored.

use super::abilities::Resources;
use crate::ids::Name;
use crate::message::{
    EvidenceText, Job, MAX_GAME, MAX_TEXT, MessageError, PlayedReply, Refusal, Reply, encode,
};
use hone_experiment::settings::OnFailure;
use hone_run::executor::{Evidence, PlayedPair};
use hone_uci::rules::without_engine_lines;

/// The phase of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Waiting,
    Playing,
    /// Its result is being sent to the server.
    Answered,
}

/// A job whose reply is not stored yet.
pub(super) struct Held<D> {
    /// Its number on this worker.
    pub(super) ticket: u64,
    pub(super) run: Name,
    pub(super) job: Job,
    /// The key of its files.
    pub(super) files: String,
    pub(super) delivery: D,
    /// What a game of it needs.
    pub(super) resources: Resources,
    pub(super) phase: Phase,
    /// Nodes per second of this machine, if time controls are scaled.
    pub(super) nps: Option<u64>,
    /// Whether the engines were built here.
    pub(super) built: bool,
}

/// A key of a job's files. The jobs of a run may have different files, in a bisection or
/// in a tournament.
pub(super) fn files_key(job: &Job) -> String {
    let files = job.files.iter();
    let parts = files.map(|file| {
        let option = file.option.as_deref().unwrap_or("");
        format!("{}/{}/{}/{option}", file.sha256, file.name, file.player)
    });
    parts.collect::<Vec<_>>().join(" ")
}

impl<D> Held<D> {
    /// The reply that the job is not played here.
    pub(super) fn refusal(&self, reason: String, stops_run: bool) -> Refusal {
        Refusal {
            pair: self.job.pair.pair,
            lease: self.job.lease.clone(),
            reason,
            stops_run,
        }
    }

    /// Whether an engine's failure stops the run.
    pub(super) fn stops_run(&self) -> bool {
        self.job.pair.rules.on_failure == OnFailure::Stop
    }
}

/// The encoded reply with a result. Evidence files are shortened to [`MAX_TEXT`] bytes. The
/// engines' principal variations are removed from games of more than [`MAX_GAME`] bytes.
/// If the reply is too long, the evidence and then all principal variations are removed.
///
/// # Errors
/// [`MessageError`] if it is still too long.
pub(super) fn reply_of<D>(
    held: &Held<D>,
    played: PlayedPair,
    evidence: Vec<Evidence>,
) -> Result<Vec<u8>, MessageError> {
    let evidence = evidence.into_iter().take(4).map(|one| EvidenceText {
        game: one.game,
        files: one
            .files
            .into_iter()
            .map(|(name, text)| (name.to_string(), ending(text)))
            .collect(),
    });
    let mut message = PlayedReply {
        pair: held.job.pair.pair,
        lease: held.job.lease.clone(),
        finished_ms: played.finished_ms,
        nps: held.nps,
        built: held.built,
        games: played.result.games,
        texts: played.texts,
        evidence: evidence.collect(),
    };
    for text in &mut message.texts {
        if text.pgn.len() > MAX_GAME {
            text.pgn = without_engine_lines(&text.pgn);
        }
    }
    let encoded = |message: &PlayedReply| encode(&Reply::Played(Box::new(message.clone())));
    let shorter: [fn(&mut PlayedReply); 2] = [
        |message| message.evidence.clear(),
        |message| {
            for text in &mut message.texts {
                text.pgn = without_engine_lines(&text.pgn);
            }
        },
    ];
    for shorten in shorter {
        match encoded(&message) {
            Err(MessageError::TooLong { .. }) => shorten(&mut message),
            encoded => return encoded,
        }
    }
    encoded(&message)
}

/// The last [`MAX_TEXT`] bytes of a text: the failure is at its end.
fn ending(text: String) -> String {
    if text.len() <= MAX_TEXT {
        return text;
    }
    let (_, end) = text.split_at(text.ceil_char_boundary(text.len() - MAX_TEXT));
    format!("(the beginning is cut off)\n{end}")
}

#[cfg(test)]
mod tests {
    use super::super::super::message::{decode, samples};
    use super::*;

    fn held() -> Held<()> {
        let job = samples::job(0);
        Held {
            ticket: 0,
            run: job.run.clone(),
            files: files_key(&job),
            delivery: (),
            resources: Resources {
                threads: 1,
                memory_mb: 1,
            },
            phase: Phase::Answered,
            nps: None,
            built: false,
            job,
        }
    }

    #[test]
    fn a_result_is_sent_without_evidence_that_is_too_long() {
        let held = held();
        let played = samples::played_pair(0);
        // Each control character has six bytes in JSON.
        let long = "é".repeat(300_000);
        let longest = "\u{1}".repeat(MAX_TEXT);
        let empty = String::new();
        for (count, texts, kept) in [
            (1, [&long, &long], 1),
            (4, [&long, &long], 4),
            (9, [&long, &long], 4),
            (1, [&longest, &empty], 1),
            (1, [&longest, &longest], 0),
            (2, [&longest, &empty], 0),
        ] {
            let [summary, stderr] = texts.map(String::clone);
            let evidence = Evidence {
                pair: 0,
                game: 0,
                files: vec![("summary.txt", summary), ("stderr-first.txt", stderr)],
            };
            let all = vec![evidence; count];
            let bytes = reply_of(&held, played.clone(), all).expect("sent");
            let Reply::Played(read) = decode(&bytes).expect("read") else {
                panic!("another kind");
            };
            let first = texts[0].chars().next();
            assert_eq!(read.evidence.len(), kept, "{count} {first:?}");
        }
    }

    #[test]
    fn games_that_are_too_long_are_sent_without_principal_variations() {
        let held = held();
        let sent = |lines: [usize; 2]| {
            let mut played = samples::played_pair(0);
            for (text, length) in played.texts.iter_mut().zip(lines) {
                let line = format!("1. f3 {{+0.10/2 0.1s, line=\"{}\"}}", "x".repeat(length));
                text.pgn = text.pgn.replacen("1. f3", &line, 1);
                assert!(text.pgn.len() > length);
            }
            let bytes = reply_of(&held, played, Vec::new()).expect("sent");
            let Reply::Played(read) = decode(&bytes).expect("read") else {
                panic!("another kind");
            };
            read.texts.map(|text| text.pgn.contains("line="))
        };
        assert_eq!(sent([10, 10]), [true, true]);
        assert_eq!(sent([10, MAX_GAME]), [true, false]);
    }
}
