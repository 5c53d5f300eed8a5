//! `hone match`: a match, a gauntlet or a round robin.

use std::path::Path;

use anyhow::ensure;

use super::follow::follow_match;
use super::kind::{RunKind, check_engines};
use hone_experiment::{Sharded, TournamentExperiment};
use hone_report::{Following, MatchReport, Scoreboard};
use hone_run::config::{Config, Tournament};
use hone_run::{Fold, Kind, Manifest, RunFiles, View};

/// A fixed number of pairs of each pairing.
pub struct Match;

impl RunKind for Match {
    type Experiment = Sharded<TournamentExperiment>;
    type Report = MatchReport;

    const KIND: Kind = Kind::Match;

    fn check(config: &Config) -> anyhow::Result<()> {
        check_engines(config)?;
        let engines = config.engine.len();
        ensure!(
            engines == 2 || config.r#match.stop.is_none(),
            "`stop` is for matches of two engines, and {engines} are configured"
        );
        Ok(())
    }

    fn openings(config: &Config) -> Option<u64> {
        Some(config.r#match.pairs)
    }

    fn experiment(_dir: &Path, manifest: &Manifest) -> anyhow::Result<Self::Experiment> {
        let play = &manifest.config.r#match;
        let engines = manifest.config.engine.len();
        let tournament = match play.tournament {
            Tournament::RoundRobin => TournamentExperiment::round_robin(engines, play.pairs),
            Tournament::Gauntlet => TournamentExperiment::gauntlet(engines, play.seeds, play.pairs),
        };
        let tournament = match manifest.pairs {
            Some(pairs) => tournament.extended_to(pairs),
            None => tournament,
        };
        Ok(Sharded::new(
            tournament.stopping_when(play.stop),
            play.shard,
        ))
    }

    fn view(manifest: &Manifest, at_a_time: Option<usize>) -> impl View<Self::Experiment> {
        Scoreboard::of(manifest, at_a_time)
    }

    fn follow(files: RunFiles) -> anyhow::Result<Box<dyn Following>> {
        follow_match::<Self>(files)
    }

    fn report(files: RunFiles, fold: Fold<Self::Experiment>) -> anyhow::Result<MatchReport> {
        MatchReport::new(files, &fold)
    }
}
