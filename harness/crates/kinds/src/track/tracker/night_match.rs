//! The match of a commit's night.

use super::{Start, Tracker};
use crate::Session;
use crate::track::RUNS;
use crate::track::Role;
use crate::track::gauntlet::{Opponent, opponents};
use crate::track::night_of_run::opponent_name;
use crate::track::previous::previous_of;
use crate::track::skipped::SkippedCommit;
use crate::track::used_openings::UsedOpenings;
use hone_base::diagnostic::shown;
use hone_base::text::numbered;
use hone_builds::{BenchCheck, Commit, short_id};
use hone_report::counted;
use hone_run::config::{Config, MatchConfig};
use hone_run::{
    BookIdentity, MANIFEST, Manifest, PrepareError, PreparedEngines, SessionError, list_runs,
};
use hone_uci::rules::Limit;

impl Tracker {
    /// The opponents of a commit's build, without those that do not build (the anchor is
    /// always included).
    ///
    /// # Errors
    /// If a query of the repository fails, or an opponent cannot be built for a reason that is
    /// not its own fault.
    pub(super) fn opponents_of(&mut self, commit: &Commit) -> anyhow::Result<Vec<Opponent>> {
        let history = self.repository.history(&commit.id)?;
        let branch = self.repository.history(&self.section.branch)?;
        let previous = previous_of(commit, &history, &branch, &self.nights);
        let releases = &self.section.releases;
        let mut release = None;
        if !releases.is_empty()
            && let Some(tag) = self
                .repository
                .newest_tag(&format!("{}^", commit.id), releases)?
        {
            release = Some(self.repository.commit(&tag)?.id);
        }
        let release = release.as_deref();
        let mut playing = Vec::new();
        for opponent in opponents(&commit.id, &self.anchor.id, previous, release) {
            let fault = match opponent.role {
                Role::Anchor => None,
                Role::Previous | Role::Release => self.fault_of(&opponent)?,
            };
            match fault {
                Some(why) => self.warn_without(&opponent, &why),
                None => playing.push(opponent),
            }
        }
        Ok(playing)
    }

    /// The reason why an opponent cannot be built; `None` if it can.
    fn fault_of(&mut self, opponent: &Opponent) -> anyhow::Result<Option<String>> {
        let Ok(commit) = self.repository.commit(&opponent.commit) else {
            let why = "its commit is not in the repository any more";
            return Ok(Some(why.to_string()));
        };
        match self.builds(&commit) {
            Ok(()) => Ok(None),
            // Ctrl-C also ends builds.
            Err(error) if error.is_of_commit() && !self.is_stop_requested() => {
                Ok(Some(shown(&error)))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn warn_without(&self, opponent: &Opponent, why: &str) {
        let role = match opponent.role {
            Role::Previous => "previous nightly",
            role @ (Role::Anchor | Role::Release) => role.name(),
        };
        (self.announce)(&format!(
            "warning: this nightly is played without the {role} {}: {why}",
            short_id(&opponent.commit)
        ));
    }

    /// Starts a commit's night, without the opponents that do not start (the anchor is always
    /// included).
    pub(super) fn start_against(
        &mut self,
        commit: &Commit,
        mut opponents: Vec<Opponent>,
        skip_broken: bool,
    ) -> Result<Start, SessionError> {
        let run = self.out.join(RUNS).join(self.run_name(commit));
        let used = self.used_openings();
        while !opponents.is_empty() {
            let config = self.config_of(commit, &opponents, used);
            let place = self.place.clone();
            let error = match Session::create(config, Some(&run), place, &mut self.announce) {
                Ok(session) => {
                    self.record
                        .set_used(used.after(self.config.r#match.pairs))?;
                    let alarms = self.section.false_alarm_nights;
                    self.record.set_false_alarm_nights(alarms)?;
                    self.warn_of_few_openings(&session.manifest);
                    return Ok(Start::Ready(Box::new(session)));
                }
                Err(SessionError::Prepare(error)) => self.blamed(error, commit, &opponents),
                Err(error) => return Err(error),
            };
            if skip_broken && error.wrong_bench() == Some(commit.short()) {
                return Ok(Start::Broken(SkippedCommit::not_playing(commit, &error)));
            }
            let PrepareError::Broken { name, error: fault } = &error else {
                return Err(error.into());
            };
            if skip_broken && name == commit.short() {
                return Ok(Start::Broken(SkippedCommit::not_playing(commit, fault)));
            }
            let mut others = opponents.iter();
            let broken = others.position(|opponent| {
                opponent.role != Role::Anchor && opponent_name(opponent) == *name
            });
            let Some(at) = broken else {
                return Err(error.into());
            };
            self.warn_without(&opponents.remove(at), &shown(&error));
        }
        Ok(Start::NoOpponents)
    }

    /// The error of a night's engine. One that does not support the configuration is a broken
    /// build if another build does: the new one, which starts first, or else the anchor.
    fn blamed(
        &mut self,
        error: PrepareError,
        commit: &Commit,
        opponents: &[Opponent],
    ) -> PrepareError {
        let Some(name) = error.without_support().map(str::to_string) else {
            return error;
        };
        if name != commit.short() || self.anchor_starts(commit, opponents) {
            error.into_broken(&name)
        } else {
            error
        }
    }

    /// Whether the anchor is one of the opponents, and starts.
    fn anchor_starts(&mut self, commit: &Commit, opponents: &[Opponent]) -> bool {
        let anchor = opponents.iter().find(|one| one.role == Role::Anchor);
        let Some(name) = anchor.map(opponent_name) else {
            return false;
        };
        let mut config = self.config_of(commit, opponents, UsedOpenings::default());
        config.engine.retain(|engine| engine.name == name);
        std::env::current_dir().is_ok_and(|base| {
            PreparedEngines::prepare(&config, &base, None, &mut self.announce).is_ok()
        })
    }

    /// The openings of all nights before.
    fn used_openings(&self) -> UsedOpenings {
        let runs = list_runs(&self.out.join(RUNS)).into_iter();
        let runs = runs.filter_map(|(_, manifest)| {
            let manifest = manifest.ok()?;
            let mut play = manifest.config.r#match;
            play.pairs = manifest.pairs.unwrap_or(play.pairs);
            Some(play)
        });
        let runs: Vec<MatchConfig> = runs.collect();
        let used = self.record.used();
        used.including(&self.nights, &runs, &self.config.r#match)
    }

    /// The night's match: the new build against each opponent, with other openings than those
    /// that are `used`.
    fn config_of(&self, commit: &Commit, opponents: &[Opponent], used: UsedOpenings) -> Config {
        let mut config = self.config.clone();
        let tracked = config.engine.remove(0);
        let mut new = tracked.clone();
        new.name = commit.short().to_string();
        new.rev = Some(commit.id.clone());
        config.engine.push(new);
        if let Some(section) = &mut config.track {
            section.roles = opponents.iter().map(|opponent| opponent.role).collect();
        }
        for opponent in opponents {
            let mut engine = tracked.clone();
            engine.name = opponent_name(opponent);
            engine.rev = Some(opponent.commit.clone());
            engine.bench = BenchCheck::Record;
            config.engine.push(engine);
        }
        let play = &mut config.r#match;
        play.use_openings_after(used.nights, used.openings);
        config
    }

    /// Warns of a book that is too small, unless this process has played a night before.
    fn warn_of_few_openings(&self, manifest: &Manifest) {
        let book = manifest.book.as_ref();
        let openings = book.map_or(1, BookIdentity::distinct_openings);
        let r#match = &manifest.config.r#match;
        if self.played.is_empty()
            && let Some(warning) = few_openings(&r#match.limit, openings as u64, r#match.pairs)
        {
            (self.announce)(&warning);
        }
    }

    /// An unused name for the run.
    fn run_name(&self, commit: &Commit) -> String {
        let runs = self.out.join(RUNS);
        let is_free = |name: &String| {
            let is_run = runs.join(name).join(MANIFEST).exists();
            !is_run && self.nights.iter().all(|night| night.run != *name)
        };
        numbered(commit.short(), is_free)
    }
}

/// Minimum openings of the book for each pair of a night; with fewer, repeated games cause
/// more false alarms than stated.
const OPENINGS_A_PAIR: u64 = 20;

/// The warning about a book with too few distinct `openings` for nights of `pairs` pairs: at a
/// limit without a clock, builds that play alike repeat their games from the same opening, and
/// the detector counts them as new.
fn few_openings(limit: &Limit, openings: u64, pairs: u64) -> Option<String> {
    let needed = pairs.saturating_mul(OPENINGS_A_PAIR);
    (!limit.is_timed() && openings < needed).then(|| {
        format!(
            "warning: nightlies of {} at {limit} need at least {needed} distinct openings, and there are {openings}: builds that play alike repeat games, which raises more false alarms than `false_alarm_nights` allows\nhelp: use a larger book, or fewer `pairs` in [track]",
            counted(pairs, "pair")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_needs_twenty_times_the_pairs_where_games_repeat() {
        let warning = |limit: &str, openings, pairs| {
            let limit: Limit = limit.parse().expect("a limit");
            few_openings(&limit, openings, pairs)
        };
        for limit in ["nodes=2000", "depth=8"] {
            let text = warning(limit, 3999, 200).expect("too few");
            assert!(
                text.contains("at least 4000 distinct openings, and there are 3999"),
                "{text}"
            );
            assert_eq!(warning(limit, 4000, 200), None);
        }
        for limit in ["8+0.08", "movetime=100"] {
            assert_eq!(warning(limit, 1, 200), None);
        }
    }
}
