//! The commits between the two engines of a run.

use maud::{Markup, html};

use hone_builds::{Commit, Forge, Repository, short_id};
use hone_report::html::copyable;
use hone_run::{EngineIdentity, Manifest};

/// Maximum number of commits that are listed.
const LISTED: usize = 50;

/// The commits between the two engines, with a link to the difference; `None` unless both were
/// built from one repository. It starts git.
pub(crate) fn change(manifest: &Manifest) -> Option<Markup> {
    if manifest.kind.is_over_history() {
        return None;
    }
    let [new, old] = &manifest.engines[..] else {
        return None;
    };
    let commit = |engine: &EngineIdentity| engine.commit.clone();
    let (new, old) = (commit(new)?, commit(old)?);
    let [new_engine, old_engine] = &manifest.config.engine[..] else {
        return None;
    };
    if new == old || new_engine.git != old_engine.git {
        return None;
    }
    let path = new_engine.git.as_ref()?;
    let repository = Repository::open(&manifest.base.join(path)).ok();
    let forge = repository.as_ref().and_then(Repository::forge);
    let between = |from: &str, to: &str| {
        let commits = repository.as_ref()?.newest_between(from, to, LISTED + 1);
        commits.ok()
    };
    let range = format!("{}..{}", short_id(&old), short_id(&new));
    let command = format!(
        "git -C {} log --oneline {range}",
        shlex::try_quote(&path.display().to_string()).ok()?,
    );
    Some(html! {
        @if let Some(forge) = &forge {
            p { a href=(forge.diff(&old, &new)) rel="noreferrer" { "The difference between " (short_id(&old)) " and " (short_id(&new)) } }
        }
        (commits("In the first engine only", between(&old, &new), forge.as_ref()))
        (commits("In the second engine only", between(&new, &old), forge.as_ref()))
        (copyable(&command))
    })
}

fn commits(heading: &str, commits: Option<Vec<Commit>>, forge: Option<&Forge>) -> Markup {
    let commits = commits.unwrap_or_default();
    let link = |commit: &Commit| forge.map(|forge| forge.commit(&commit.id));
    html! {
        @if !commits.is_empty() {
            h3 { (heading) }
            ul.commits {
                @for commit in commits.iter().take(LISTED) {
                    li {
                        @match link(commit) {
                            Some(href) => a href=(href) rel="noreferrer" { code { (commit.short()) } },
                            None => code { (commit.short()) },
                        }
                        " " (commit.subject) " "
                        small { (commit.author) ", " (commit.date.strftime("%Y-%m-%d").to_string()) }
                    }
                }
                @if commits.len() > LISTED { li { "and earlier ones" } }
            }
        }
    }
}
