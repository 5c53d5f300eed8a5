//! `hone match`: a match, a gauntlet or a round robin.

use crate::config::Tournament;
use crate::experiment::TournamentExperiment;
use crate::run::Manifest;

/// The experiment of a run, before its results.
pub(crate) fn experiment(manifest: &Manifest) -> TournamentExperiment {
    let play = &manifest.config.r#match;
    let engines = manifest.config.engine.len();
    let tournament = match play.tournament {
        Tournament::RoundRobin => TournamentExperiment::round_robin(engines, play.pairs),
        Tournament::Gauntlet => TournamentExperiment::gauntlet(engines, play.pairs),
    };
    tournament.stopping_when(play.stop)
}
