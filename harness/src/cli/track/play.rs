//! Plays one night.

use jiff::{Timestamp, Unit};

use super::nights::{Went, role_in};
use crate::cli::Failure;
use crate::cli::common::failure;
use crate::experiment::TournamentExperiment;
use crate::report::{self, RunFacts, Scoreboard};
use crate::run::{Ended, Session, open_pairs};
use crate::track::NightMatch;

/// What a night's run came to.
pub(super) struct Played {
    pub(super) run: String,
    pub(super) date: Timestamp,
    pub(super) commit: String,
    pub(super) bench: Option<u64>,
    pub(super) limit: String,
    pub(super) matches: Vec<NightMatch>,
    pub(super) nps: Option<f64>,
    pub(super) failures: u64,
}

/// Plays the run to its end, and writes its report; or says what came between.
pub(super) fn play_night(session: Session) -> Result<Result<Played, Went>, Failure> {
    let folder = session.folder.clone();
    let manifest = session.manifest.clone();
    let names = manifest.names();
    errln!(
        "playing {} in {}",
        names.join(" - "),
        folder.path().display()
    );
    let pairs = manifest.config.r#match.pairs;
    let gauntlet = TournamentExperiment::gauntlet(names.len(), pairs);
    let mut scoreboard = Scoreboard::new(names.clone());
    let outcome = session.play(gauntlet, &mut scoreboard);
    scoreboard.finish();
    let (ended, fold) = outcome.map_err(failure)?;
    match ended {
        Ended::Verdict(_) => {}
        Ended::Interrupted | Ended::OutOfTime | Ended::Waiting => {
            errln!("This night is not finished. Run the same command to resume it.");
            let is_over = ended == Ended::OutOfTime;
            return Ok(Err(if is_over {
                Went::OutOfTime
            } else {
                Went::Interrupted
            }));
        }
    }
    let pairs = open_pairs(&folder, &manifest).map_err(Failure::failed)?;
    let facts = RunFacts::new(folder.name(), &manifest, &fold, &pairs).map_err(Failure::failed)?;
    report::write_files(&folder, &facts, &manifest, &pairs).map_err(Failure::failed)?;
    let commit = |engine: usize| {
        let identity = &manifest.engines[engine];
        let missing = || anyhow::anyhow!("{} is built from no commit", identity.name);
        identity.commit.clone().ok_or_else(missing)
    };
    let matches = fold.tally.pairings.iter().map(|([_, opponent], pairing)| {
        Ok(NightMatch {
            role: role_in(&names[*opponent])?,
            commit: commit(*opponent)?,
            pentanomial: pairing.pentanomial,
        })
    });
    let matches = matches.collect::<anyhow::Result<_>>();
    Ok(Ok(Played {
        run: facts.run.clone(),
        date: manifest.created.round(Unit::Second)?,
        commit: commit(0).map_err(Failure::failed)?,
        bench: manifest.engines[0].bench,
        limit: facts.limit.clone(),
        matches: matches.map_err(Failure::failed)?,
        nps: facts.engines[0].nps,
        failures: fold.tally.engines[0].failures.total(),
    }))
}
