//! The row of a night from its run.

use anyhow::Context;
use jiff::Unit;

use super::gauntlet::Opponent;
use super::night::{Night, NightMatch};
use crate::Conclusion;
use hone_builds::{Repository, short_id};
use hone_experiment::settings::OnFinding;
use hone_report::{MatchReport, RunFacts};
use hone_stats::Pentanomial;
use hone_stats::detect::Finding;

impl Night {
    /// The night of a gauntlet of the new commit, without its Elo. Tags that match `releases`
    /// are releases.
    ///
    /// # Errors
    /// If the run is of another kind.
    pub(super) fn of(
        conclusion: &Conclusion<MatchReport>,
        repository: &Repository,
        releases: &str,
    ) -> anyhow::Result<Self> {
        let facts = &conclusion.report.facts;
        let new = &facts.engines[0];
        let built = &conclusion.manifest.engines[0];
        let date = conclusion.manifest.created.round(Unit::Second)?;
        let id = commit(facts, &new.name)?;
        // A commit that no longer exists has no tags either.
        let tags = repository.tags_at(&id, releases).unwrap_or_default();
        let section = conclusion.manifest.config.track.as_ref();
        let roles = section.map_or(&[][..], |section| &section.roles);
        let opponents = || conclusion.manifest.engines.iter().skip(1).zip(roles);
        let matches = facts.pairings.iter().map(|pairing| {
            let mut found = opponents().filter(|(engine, _)| engine.name == pairing.second);
            let (_, role) = found.next().with_context(|| {
                let name = &pairing.second;
                format!("[track] has no role of `{name}`: is this another run?")
            })?;
            Ok(NightMatch {
                role: *role,
                commit: commit(facts, &pairing.second)?,
                pentanomial: Pentanomial(pairing.pentanomial),
            })
        });
        Ok(Self {
            run: facts.run.clone(),
            date,
            commit: id,
            // The repository may no longer have the commit.
            committed: built.committed.unwrap_or(date),
            subject: built.subject.clone().unwrap_or_default(),
            tag: tags.into_iter().next(),
            bench: new.bench,
            limit: facts.limit.clone(),
            matches: matches.collect::<anyhow::Result<_>>()?,
            elo: None,
            nps: new.nps,
            failures: facts.failures[0].total(),
            findings: against_verdict(conclusion),
        })
    }
}

/// The findings that withhold what a night's games show; empty if there are none, or they are
/// only reported.
fn against_verdict(conclusion: &Conclusion<MatchReport>) -> String {
    match conclusion.manifest.config.r#match.on_finding {
        OnFinding::Report => String::new(),
        OnFinding::Undecided => {
            let findings = conclusion.report.facts.findings.iter();
            let against = findings.filter(|finding| finding.is_against_verdict());
            let sentences: Vec<String> = against.map(Finding::sentence).collect();
            sentences.join("; ")
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
