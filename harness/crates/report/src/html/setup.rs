//! The configuration of a run and how to repeat it.

use anyhow::Context;
use maud::{Markup, html};

use super::Source;
use super::markup::{collapsed, copyable};
use super::table::Table;

/// Engines, book and configuration. `repeat` explains how to repeat the run.
///
/// # Errors
/// If the configuration cannot be written as TOML.
pub(crate) fn setup_section(source: &Source<'_>, repeat: &Markup) -> anyhow::Result<Markup> {
    let manifest = source.manifest;
    let mut engines = Table::new("The engines", &["engine", "UCI name", "program", "sha256"]);
    for engine in &manifest.engines {
        engines.row(&[
            engine.name.clone(),
            engine.id.clone(),
            engine.program.display().to_string(),
            engine.sha256.clone(),
        ]);
    }
    let mut facts = Table::new("The run", &["", ""]);
    facts.row(&["hone", &manifest.hone]);
    facts.row(&["started", &manifest.created.to_string()]);
    facts.row(&["started in", &manifest.base.display().to_string()]);
    facts.row(&["seed", &manifest.config.r#match.seed.to_string()]);
    facts.row(&["pairs at a time", &manifest.concurrency.to_string()]);
    if !manifest.isolation.is_empty() {
        facts.row(&["isolation of engines", &manifest.isolation]);
    }
    for (worker, processors) in manifest.placement.iter().enumerate() {
        let name = format!("processors of worker {worker}");
        facts.row(&[name, format!("{processors:?}")]);
    }
    if let Some(book) = &manifest.book {
        facts.row(&["book", &book.file.display().to_string()]);
        facts.row(&["sha256 of the book", &book.sha256]);
        facts.row(&["openings in it", &book.openings.to_string()]);
    }
    let config =
        toml::to_string(&manifest.repeatable_config()).context("the configuration as TOML")?;
    let summary = "The configuration, with every default filled in";
    Ok(html! {
        (engines.html())
        (facts.html())
        (repeat)
        (collapsed(summary, &copyable(&config)))
    })
}
