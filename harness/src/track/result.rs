//! What a night's run has shown.

use anyhow::Context;
use jiff::{Timestamp, Unit};

use super::gauntlet::Opponent;
use super::night::{Night, NightMatch};
use super::role::Role;
use crate::builds::{Repository, short_id};
use crate::kinds::Conclusion;
use crate::report::{MatchReport, RunFacts};
use crate::stats::Pentanomial;

/// A night's run at its end.
pub(super) struct Played {
    pub(super) run: String,
    pub(super) date: Timestamp,
    pub(super) commit: String,
    pub(super) committed: Timestamp,
    pub(super) subject: String,
    pub(super) bench: Option<u64>,
    pub(super) limit: String,
    pub(super) matches: Vec<NightMatch>,
    pub(super) nps: Option<f64>,
    pub(super) failures: u64,
}

impl Played {
    /// Of a gauntlet of the new commit against engines that [`opponent_name`]
    /// has named.
    ///
    /// # Errors
    /// If it is another run.
    pub(super) fn of(conclusion: &Conclusion<MatchReport>) -> anyhow::Result<Self> {
        let facts = &conclusion.report.facts;
        let new = &facts.engines[0];
        let built = &conclusion.manifest.engines[0];
        let created = conclusion.manifest.created.round(Unit::Second)?;
        let matches = facts.pairings.iter().map(|pairing| {
            Ok(NightMatch {
                role: role_in(&pairing.second)?,
                commit: commit(facts, &pairing.second)?,
                pentanomial: Pentanomial(pairing.pentanomial),
            })
        });
        let failures = &facts.failures;
        let failures = [
            &failures.time_forfeit,
            &failures.crash,
            &failures.stall,
            &failures.illegal_move,
        ];
        Ok(Self {
            run: facts.run.clone(),
            date: created,
            commit: commit(facts, &new.name)?,
            // The repository may have lost the commit since.
            committed: built.committed.unwrap_or(created),
            subject: built.subject.clone().unwrap_or_default(),
            bench: new.bench,
            limit: facts.limit.clone(),
            matches: matches.collect::<anyhow::Result<_>>()?,
            nps: new.nps,
            failures: failures.map(|by_engine| by_engine[0]).iter().sum(),
        })
    }

    /// The night's row, without its Elo. Tags that match `releases` are
    /// releases.
    pub(super) fn night(self, repository: &Repository, releases: &str) -> Night {
        // A commit that is gone has no tags either.
        let tags = repository.tags_at(&self.commit, releases);
        Night {
            run: self.run,
            date: self.date,
            committed: self.committed,
            subject: self.subject,
            tag: tags.unwrap_or_default().into_iter().next(),
            commit: self.commit,
            bench: self.bench,
            limit: self.limit,
            matches: self.matches,
            elo: None,
            nps: self.nps,
            failures: self.failures,
        }
    }
}

fn commit(facts: &RunFacts, name: &str) -> anyhow::Result<String> {
    let mut engines = facts.engines.iter();
    let engine = engines.find(|engine| engine.name == name);
    engine
        .and_then(|engine| engine.commit.clone())
        .with_context(|| format!("{name} is built from no commit"))
}

/// The name of an opponent in the night's run.
pub(super) fn opponent_name(opponent: &Opponent) -> String {
    format!("{} {}", opponent.role.name(), short_id(&opponent.commit))
}

/// The role that [`opponent_name`] gives.
fn role_in(name: &str) -> anyhow::Result<Role> {
    let role = name.split(' ').next().and_then(Role::named);
    role.with_context(|| format!("`{name}` is not an opponent of a night: is this another run?"))
}
