//! The stages of a test, on the page of the first stage.

use maud::{Markup, html};

use super::table::Table;
use super::{BELOW, PageLocation, Source};
use crate::REPORT_HTML;
use crate::facts::RunFacts;
use hone_run::stage_folder_name;

pub(super) fn section(facts: &RunFacts, source: &Source<'_>) -> Markup {
    let mut table = Table::new(
        "Each stage is played if the one before accepts H1; this page shows the games of the first",
        &["stage", "limit", "H0, H1 (Elo)", "pairs", "accepted"],
    );
    let mut links = Vec::new();
    for (index, stage) in facts.stages.iter().enumerate() {
        let [elo0, elo1] = stage.bounds;
        table.row(&[
            stage.words.clone(),
            stage.limit.clone(),
            format!("{elo0}, {elo1}"),
            stage.pairs.to_string(),
            if stage.is_started {
                stage.verdict.to_string()
            } else {
                "not started".to_string()
            },
        ]);
        if index == 0 || !stage.is_started {
            continue;
        }
        let folder = stage_folder_name(index);
        let href = match source.place {
            PageLocation::Elsewhere => continue,
            PageLocation::Inside => format!("{folder}/{REPORT_HTML}"),
            PageLocation::Served(address) => format!("{address}{BELOW}{folder}"),
        };
        links.push((href, &stage.words));
    }
    html! {
        (table.html())
        @for (href, words) in links { p { a href=(href) { "Report of " (words) } } }
    }
}
