//! A run of any kind, and the nights of a track.

use maud::{PreEscaped, html};

use super::overview::{actions, pace};
use super::run_href;
use crate::builds::{Repository, short_id};
use crate::report::html::{Page, copyable};
use crate::run::{EngineIdentity, Kind, Manifest};
use crate::serve::snapshot::{Part, Snapshot};
use crate::serve::summary::{RunSummary, State};

/// The page of a run: that of its report, and what only makes sense live.
///
/// # Errors
/// If a section cannot be made.
pub(crate) fn run_parts(
    page: Page,
    manifest: &Manifest,
    summary: &RunSummary,
) -> anyhow::Result<Snapshot> {
    let mut parts = vec![
        Part::new("lead", None, page.lead),
        Part::new("pace", None, pace_line(summary)),
        Part::new("live", Some("Games being played"), LIVE.to_string()),
    ];
    for section in page.sections {
        let (id, heading) = (section.id, section.heading);
        let html = section.html()?;
        // Its links start from the run's folder.
        let html = match id {
            "failures" => html.replace(
                "href=\"failures/",
                &format!("href=\"{}/failures/", run_href(&summary.run)),
            ),
            _ => html,
        };
        parts.push(Part::new(id, Some(heading), html));
        if id == "results" {
            if let Some(change) = change(manifest) {
                parts.push(Part::new("change", Some("What changed"), change));
            }
            parts.push(Part::new(
                "numbers",
                Some("Numbers to copy"),
                numbers(summary),
            ));
        }
    }
    Ok(Snapshot {
        title: page.title,
        subtitle: page.subtitle,
        description: summary.sentence(),
        parts,
        json: "".into(),
    })
}

/// Filled by the page's script.
const LIVE: &str = "<div id=\"live-boards\"></div>\n\
    <p id=\"live-none\" class=\"facts\">No game of this run is being played.</p>\n";

fn pace_line(summary: &RunSummary) -> String {
    let state = match summary.state {
        State::Running => "Running: ",
        State::Stopped => "Stopped, not finished: ",
        State::Finished => "Finished: ",
    };
    let done = format!("{} of at most {} pairs", summary.pairs, summary.budget);
    html! {
        p.pace { (state) (done) ", " (pace(summary)) }
        p { (actions(&summary.run)) }
        p.facts {
            a href={ (run_href(&summary.run)) "/games.pgn" } { "games.pgn" } " · "
            a href={ "/api" (run_href(&summary.run)) } { "JSON" }
        }
    }
    .into_string()
}

/// The statistics in the forms that other test pages use.
fn numbers(summary: &RunSummary) -> String {
    html! {
        div.beside {
            div { h3 { "OpenBench" } (PreEscaped(copyable(&summary.openbench_block()))) }
            div { h3 { "fishtest" } (PreEscaped(copyable(&summary.fishtest_block()))) }
        }
    }
    .into_string()
}

/// The commits between the two engines, if both were built from one
/// repository.
fn change(manifest: &Manifest) -> Option<String> {
    if manifest.kind == Kind::Bisect {
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
    let repository = new_engine.git.as_ref()?;
    let forge = Repository::open(&manifest.base.join(repository))
        .ok()
        .and_then(|repository| repository.forge());
    let command = format!(
        "git -C {} log --oneline {}..{}",
        shlex::try_quote(&repository.display().to_string()).ok()?,
        short_id(&old),
        short_id(&new)
    );
    let markup = html! {
        @if let Some(forge) = forge {
            p { a href=(forge.diff(&old, &new)) rel="noreferrer" { "The difference between " (short_id(&old)) " and " (short_id(&new)) } }
        }
        (PreEscaped(copyable(&command)))
    };
    Some(markup.into_string())
}

/// The page of a folder of nights.
///
/// # Errors
/// If a section cannot be made.
pub(crate) fn nights_parts(page: Page, id: &str) -> anyhow::Result<Snapshot> {
    let mut parts = vec![Part::new("lead", None, page.lead)];
    for section in page.sections {
        let (name, heading) = (section.id, section.heading);
        parts.push(Part::new(name, Some(heading), section.html()?));
    }
    Ok(Snapshot {
        title: page.title,
        description: format!("{}: {}", id, page.subtitle),
        subtitle: page.subtitle,
        parts,
        json: "".into(),
    })
}
