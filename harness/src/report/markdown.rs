//! The report as Markdown, for a pull request or a wiki.

use std::fmt::{self, Write};

use super::escape_markdown;
use super::facts::{EngineFacts, RunFacts};
use super::numbers::{elo_text, number, percent, plus_minus, supported};
use super::summary::fence_for;
use super::text::{results_block, verdict_sentence};
use super::tournament::wdl;

/// The report as Markdown.
pub(crate) fn markdown(facts: &RunFacts) -> String {
    let mut text = String::new();
    write_markdown(&mut text, facts).expect("writing to a string cannot fail");
    text
}

fn write_markdown(out: &mut String, facts: &RunFacts) -> fmt::Result {
    writeln!(out, "# {}\n", escape_markdown(&facts.run))?;
    for sentence in verdict_sentence(facts).lines() {
        writeln!(out, "{}\n", escape_markdown(sentence))?;
    }
    let results = results_block(facts);
    let fence = fence_for(&results);
    writeln!(out, "{fence}text\n{results}{fence}\n")?;
    write_engines(out, facts)?;
    if facts.engines.len() > 2 {
        write_pairings(out, facts)?;
    }
    write_games(out, facts)
}

fn write_engines(out: &mut String, facts: &RunFacts) -> fmt::Result {
    writeln!(out, "| | {} |", cells(facts, |e| e.name.clone()))?;
    writeln!(out, "|---|{}", "---:|".repeat(facts.engines.len()))?;
    for (name, cells) in engine_rows(facts) {
        writeln!(out, "| {name} | {cells} |")?;
    }
    writeln!(out)
}

/// What is said of each engine: a name, and the cells of all engines.
fn engine_rows(facts: &RunFacts) -> Vec<(&'static str, String)> {
    let count = |count: fn(&EngineFacts) -> u64| cells(facts, |e| count(e).to_string());
    let failures = &facts.failures;
    let mut rows = vec![
        ("engine", cells(facts, |e| e.id.clone())),
        ("options", cells(facts, options)),
        ("limit", cells(facts, |e| e.limit.clone())),
        ("points as White", cells(facts, |e| share(e.as_white))),
        ("points as Black", cells(facts, |e| share(e.as_black))),
        ("depth", cells(facts, |e| number(e.depth))),
        ("selective depth", cells(facts, |e| number(e.seldepth))),
        ("nodes a move", cells(facts, |e| number(e.nodes))),
        ("ms a move", cells(facts, |e| number(e.ms))),
        ("nodes a second", cells(facts, |e| number(e.nps))),
        (
            "hone's own time, µs a move",
            cells(facts, |e| number(e.latency_us)),
        ),
        ("time forfeits", counts(&failures.time_forfeit)),
        ("of these the machine's doing", count(|e| e.starved)),
        ("crashes", counts(&failures.crash)),
        ("stalls", counts(&failures.stall)),
        ("illegal moves", counts(&failures.illegal_move)),
        ("illegal principal variations", count(|e| e.illegal_pvs)),
    ];
    if facts.engines.iter().any(|engine| engine.replayed > 0) {
        let name = "failures whose games were played again";
        rows.push((name, count(|e| e.replayed)));
    }
    rows
}

fn write_pairings(out: &mut String, facts: &RunFacts) -> fmt::Result {
    writeln!(
        out,
        "| pairing | W-D-L | Elo | nElo |\n|---|---:|---:|---:|"
    )?;
    for pairing in &facts.pairings {
        let nelo = pairing.summary.nelo.map(|nelo| plus_minus(Some(nelo)));
        writeln!(
            out,
            "| {} - {} | {} | {} | {} |",
            escape_markdown(&pairing.first),
            escape_markdown(&pairing.second),
            wdl(pairing.wdl.into()),
            elo_text(pairing.summary.elo, pairing.summary.interval),
            supported(nelo)
        )?;
    }
    writeln!(out)
}

fn write_games(out: &mut String, facts: &RunFacts) -> fmt::Result {
    let [white, draws, black] = facts.by_colour;
    writeln!(out, "| games | |\n|---|---:|")?;
    writeln!(out, "| won by White | {white} |")?;
    writeln!(out, "| drawn | {draws} |")?;
    writeln!(out, "| won by Black | {black} |")?;
    for (termination, count) in &facts.terminations {
        writeln!(out, "| ended by {} | {count} |", termination.words())?;
    }
    writeln!(out, "| plies a game | {} |", number(facts.mean_plies))?;
    for (worker, processors) in facts.placement.iter().enumerate() {
        writeln!(out, "| processors of worker {worker} | {processors:?} |")?;
    }
    writeln!(out, "| seconds | {:.1} |", facts.seconds)
}

/// The share of the points of these wins, draws and losses.
fn share([w, d, l]: [u64; 3]) -> String {
    let games = w + d + l;
    percent((games > 0).then(|| (w as f64 + d as f64 / 2.0) / games as f64))
}

fn counts(counts: &[u64]) -> String {
    let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
    counts.join(" | ")
}

fn cells(facts: &RunFacts, cell: impl Fn(&EngineFacts) -> String) -> String {
    facts
        .engines
        .iter()
        .map(|engine| escape_markdown(&cell(engine)))
        .collect::<Vec<_>>()
        .join(" | ")
}

fn options(engine: &EngineFacts) -> String {
    let options = engine.options.0.iter();
    options
        .map(|(name, value)| format!("{name}={value}"))
        .collect::<Vec<_>>()
        .join(" ")
}
