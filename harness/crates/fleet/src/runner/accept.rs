//! Checks whether a result fits its job. A worker may belong to somebody else: its games
//! are replayed before they count.

use crate::clock::Reference;
use crate::message::{EvidenceText, PlayedReply};
use hone_experiment::PairResult;
use hone_run::executor::{Evidence, GameText, PairJob, PlayedPair, Situation};
use hone_run::verify;
use hone_uci::engine::uci::Launch;

/// The allowed names of evidence files.
const EVIDENCE: [&str; 6] = [
    "summary.txt",
    REPLAY,
    "dialogue-first.txt",
    "dialogue-second.txt",
    "stderr-first.txt",
    "stderr-second.txt",
];
const REPLAY: &str = "replay.toml";

/// A result that counts.
#[derive(Debug)]
pub(crate) struct Accepted {
    /// Its worker is not numbered yet.
    pub played: PlayedPair,
    pub evidence: Vec<Evidence>,
    /// Nodes per second of its worker and the factor of its time controls, if they are
    /// scaled.
    pub clock: Option<(u64, f64)>,
    /// Whether its worker built the engines.
    pub built: bool,
}

/// Checks the result that a worker sent for a job.
///
/// # Errors
/// Why the result is refused.
pub(super) fn accept(
    job: &PairJob,
    reference: Option<Reference>,
    played: PlayedReply,
) -> Result<Accepted, String> {
    let clock = match (reference, played.nps) {
        (None, _) => None,
        (Some(reference), Some(nps)) => {
            let factor = reference.factor(nps);
            Some((nps, factor.ok_or("its speed is not possible")?))
        }
        (Some(_), None) => return Err("its speed is missing".to_string()),
    };
    let result = PairResult {
        pair: job.pair,
        engines: [job.players[0].engine, job.players[1].engine],
        games: played.games,
    };
    for (game, text) in played.texts.iter().enumerate() {
        check_game(job, &result, game, text)?;
    }
    let evidence = played.evidence.into_iter();
    Ok(Accepted {
        evidence: evidence
            .map(|one| evidence_of(job, one))
            .collect::<Result<_, _>>()?,
        clock,
        built: played.built,
        played: PlayedPair {
            result,
            opening_number: job.opening_number,
            texts: played.texts,
            worker: 0,
            finished_ms: played.finished_ms,
        },
    })
}

/// Checks game 0 or 1 of a result and its texts.
///
/// # Errors
/// Why the result is refused.
fn check_game(
    job: &PairJob,
    result: &PairResult,
    game: usize,
    text: &GameText,
) -> Result<(), String> {
    let names = [&*job.players[0].name, &*job.players[1].name];
    let rules = &job.rules;
    let terms = verify::ReplayRules {
        mode: rules.variant.castling_mode(),
        notation: rules.record.notation,
        adjudication: &rules.adjudication,
    };
    let opening = verify::check_text(result, game, text.pgn.as_bytes(), names, terms)?;
    if opening != job.opening {
        return Err(
            "it does not start from the pair's opening, or its plies are not those after it"
                .to_string(),
        );
    }
    if !result.games[game].termination.allows(&text.detail) {
        return Err("its detail is not one of its termination".to_string());
    }
    if rules.record.epd != text.epd.ends_with('\n') {
        return Err("its final position is missing or not requested".to_string());
    }
    Ok(())
}

/// Checks the file names of evidence. `hone replay` starts the program and sets the
/// options that `replay.toml` names, so the worker's values are replaced.
fn evidence_of(job: &PairJob, evidence: EvidenceText) -> Result<Evidence, String> {
    let mut files = Vec::new();
    for (name, text) in evidence.files {
        let known = EVIDENCE.into_iter().find(|known| *known == name);
        let known = known.ok_or("its evidence has a file of an unknown name")?;
        let text = match known {
            REPLAY => with_own_engine(job, &text)?,
            _ => text,
        };
        files.push((known, text));
    }
    Ok(Evidence {
        pair: job.pair,
        game: evidence.game,
        files,
    })
}

/// The situation with the program and the options of this machine.
fn with_own_engine(job: &PairJob, text: &str) -> Result<String, String> {
    let mut situation: Situation =
        toml::from_str(text).map_err(|_| "its evidence cannot be replayed".to_string())?;
    let player = job
        .players
        .iter()
        .find(|player| *player.name == *situation.name);
    let player = player.ok_or("its evidence is of an engine that did not play")?;
    // Both are empty if the engine failed before its first search.
    if !(situation.position.is_empty() && situation.go.is_empty()) {
        let game = situation.referee();
        game.map_err(|why| format!("its evidence cannot be replayed: {why}"))?;
    }
    situation.launch = Launch::clone(&player.launch);
    situation.options = player.all_options(&job.rules);
    Ok(toml::to_string(&situation).expect("a situation can be put into TOML"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::message::samples::played;
    use crate::samples::pair_job;
    use hone_uci::rules::{Detail, Effort, Outcome, Termination, game_digests};

    fn situation(program: &str) -> String {
        let situation = Situation {
            name: "new".to_string(),
            failure: "crash".to_string(),
            chess960: false,
            position: String::new(),
            go: String::new(),
            pondered: None,
            earlier_searches: 0,
            allowed_ms: 1,
            startup_ms: 1,
            stall_ms: 1,
            options: vec![("Debug Log File".to_string(), "notes.txt".to_string())],
            launch: Launch {
                program: program.into(),
                args: vec!["-c".to_string()],
                ..Launch::default()
            },
        };
        toml::to_string(&situation).expect("TOML")
    }

    #[test]
    fn a_result_of_another_opening_is_refused() {
        let mut job = pair_job(0);
        accept(&job, None, played(0, String::new())).expect("fits");
        job.opening.moves = "e2e4".into();
        let error = accept(&job, None, played(0, String::new())).expect_err("another opening");
        assert!(error.contains("opening"), "{error}");
    }

    /// After 1. f3 e5 2. g4 Black's process ends.
    fn crashed() -> PlayedReply {
        let mut played = played(0, String::new());
        for (game, text) in played.games.iter_mut().zip(&mut played.texts) {
            game.outcome = Outcome::White;
            game.termination = Termination::Disconnect;
            game.plies = 3;
            game.effort[1].moves = 1;
            game.digest = game_digests(None, "f2f3 e7e5 g2g4", game.outcome).game;
            let tag = "[Termination \"abandoned\"]\n\n";
            text.pgn = text
                .pgn
                .replace("0-1", "1-0")
                .replace(" Qh4#", " {+1.00/1 0.001s, Black\ndisconnects}")
                .replace("\n\n1.", &format!("\n{tag}1."));
        }
        played
    }

    #[test]
    fn plies_and_termination_must_be_those_of_the_game_and_the_job() {
        let job = pair_job(0);
        accept(&job, None, crashed()).expect("fits");
        let refused = |job: &PairJob, edit: &dyn Fn(&mut PlayedReply)| {
            let mut played = crashed();
            edit(&mut played);
            accept(job, None, played).expect_err("does not fit")
        };
        let plies = refused(&job, &|played| played.games[1].plies = 2);
        assert!(plies.contains("plies"), "{plies}");
        // Plies and moves agree, but the job's opening has no moves.
        let opening = refused(&job, &|played| {
            for game in &mut played.games {
                game.plies = 2;
                game.effort[0].moves = 1;
            }
        });
        assert!(opening.contains("opening"), "{opening}");
        for termination in Termination::ALL {
            if termination != Termination::Disconnect {
                refused(&job, &|played| {
                    let game = &mut played.games[0];
                    game.termination = termination;
                });
            }
        }
        let detail = refused(&job, &|played| played.texts[0].detail = Detail::Overrun(1));
        assert!(detail.contains("detail"), "{detail}");

        // The opening's moves are not among the plies.
        let mut job = pair_job(0);
        job.opening.moves = "f2f3 e7e5".into();
        refused(&job, &|_| ());
        let mut played = crashed();
        for game in &mut played.games {
            game.plies = 1;
            game.effort = [1, 0].map(|moves| Effort {
                moves,
                ..Effort::default()
            });
        }
        accept(&job, None, played).expect("fits");
    }

    #[test]
    fn a_scaled_clock_needs_a_possible_speed() {
        let job = pair_job(0);
        let reference = Some(Reference { nps: 1000 });
        let with = |nps| {
            let played = PlayedReply {
                nps,
                ..played(0, String::new())
            };
            accept(&job, reference, played).map(|accepted| accepted.clock)
        };
        assert_eq!(with(Some(500)).expect("accepted"), Some((500, 2.0)));
        assert!(with(None).is_err());
        assert!(with(Some(0)).is_err());
        assert!(with(Some(u64::MAX)).is_err());
    }

    #[test]
    fn a_worker_chooses_neither_the_replayed_program_nor_the_place_of_evidence() {
        let mut job = pair_job(0);
        job.players[0].options = [("Hash".to_string(), "8".to_string())].into();
        let with = |name: &str, text: String| {
            let mut played = played(0, String::new());
            played.evidence.push(EvidenceText {
                game: 0,
                files: BTreeMap::from([(name.to_string(), text)]),
            });
            accept(&job, None, played)
        };
        let accepted = with(REPLAY, situation("/bin/sh")).expect("kept");
        let (_, text) = &accepted.evidence[0].files[0];
        for part in ["/bin/sh", "-c", "Debug Log File"] {
            assert!(!text.contains(part), "{part} in {text}");
        }
        let kept: Situation = toml::from_str(text).expect("a situation");
        assert_eq!(kept.options, *job.players[0].options);
        assert!(with("../../x", String::new()).is_err());
        // `hone replay` sends both commands to the engine unchanged.
        let option = "setoption name Debug Log File value notes.txt";
        for (position, go, fits) in [
            ("position startpos moves e2e4", "go nodes 5", true),
            (
                "position fen 8/8/8/8/8/8/8/K1k5 w - - 0 1",
                "go nodes 5",
                true,
            ),
            (option, "go nodes 5", false),
            ("position startpos", option, false),
            ("position startpos\nquit", "go nodes 5", false),
            ("position startpos", "", false),
            ("position somewhere", "go nodes 5", false),
        ] {
            let mut sent: Situation = toml::from_str(&situation("new")).expect("a situation");
            (sent.position, sent.go) = (position.to_string(), go.to_string());
            let accepted = with(REPLAY, toml::to_string(&sent).expect("TOML"));
            assert_eq!(accepted.is_ok(), fits, "{position}, {go}: {accepted:?}");
        }
    }
}
