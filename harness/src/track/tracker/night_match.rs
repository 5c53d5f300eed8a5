//! The match of a commit's night.

use std::fmt::Display;

use super::{Start, Tracker};
use crate::builds::{BenchCheck, Commit, short_id};
use crate::config::Config;
use crate::kinds::Session;
use crate::report::counted;
use crate::rules::Limit;
use crate::run::{BookIdentity, MANIFEST, Manifest, PrepareError, SessionError};
use crate::text::numbered;
use crate::track::RUNS;
use crate::track::gauntlet::{Opponent, opponents};
use crate::track::night_of_run::opponent_name;
use crate::track::previous::previous_of;
use crate::track::role::Role;
use crate::track::skipped::SkippedCommit;

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
                Ok(Some(error.to_string()))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn warn_without(&self, opponent: &Opponent, why: &dyn Display) {
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
        while !opponents.is_empty() {
            let config = self.config_of(commit, &opponents);
            let place = self.place.clone();
            let error = match Session::create(config, Some(&run), place, &mut self.announce) {
                Ok(session) => {
                    self.warn_of_few_openings(&session.manifest);
                    return Ok(Start::Ready(Box::new(session)));
                }
                Err(error) => error,
            };
            let SessionError::Prepare(PrepareError::Broken { name, error: fault }) = &error else {
                return Err(error);
            };
            if skip_broken && name == commit.short() {
                let reason = format!("it builds but does not start ({fault})");
                return Ok(Start::Broken(SkippedCommit::new(commit, reason)));
            }
            let mut others = opponents.iter();
            let broken = others.position(|opponent| {
                opponent.role != Role::Anchor && opponent_name(opponent) == *name
            });
            let Some(at) = broken else {
                return Err(error);
            };
            self.warn_without(&opponents.remove(at), &error);
        }
        Ok(Start::NoOpponents)
    }

    /// The night's match: the new build against each opponent.
    fn config_of(&self, commit: &Commit, opponents: &[Opponent]) -> Config {
        let mut config = self.config.clone();
        let tracked = config.engine.remove(0);
        let mut new = tracked.clone();
        new.name = commit.short().to_string();
        new.rev = Some(commit.id.clone());
        config.engine.push(new);
        for opponent in opponents {
            let mut engine = tracked.clone();
            engine.name = opponent_name(opponent);
            engine.rev = Some(opponent.commit.clone());
            engine.bench = BenchCheck::Record;
            config.engine.push(engine);
        }
        // Different openings every night: otherwise builds that play alike would repeat their
        // games, which would count as new ones.
        let nights = self.nights.len() as u64;
        let pairs = config.r#match.pairs;
        config.r#match.use_openings_after(nights, pairs);
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
            "warning: nights of {} at {limit} need at least {needed} distinct openings, and there are {openings}: builds that play alike repeat games, which raises more false alarms than `false_alarm_nights` allows\nhelp: use a larger book, or fewer `pairs` in [track]",
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
