//! The report as Markdown: `report.md`.

use super::escape_markdown;
use super::facts::{EngineFacts, RunFacts};
use super::numbers::{elo_text, number, percent, plus_minus, supported};
use super::summary::fenced;
use super::text::{results_block, verdict_sentence};
use hone_run::Failures;
use hone_stats::Wdl;

/// The report as Markdown.
pub(crate) fn markdown(facts: &RunFacts) -> String {
    let mut text = format!("# {}\n\n", escape_markdown(&facts.run));
    for sentence in verdict_sentence(facts).lines() {
        text += &format!("{}\n\n", escape_markdown(sentence));
    }
    text += &fenced(&results_block(facts));
    text += "\n";
    text += &engines(facts);
    if facts.engines.len() > 2 {
        text += &pairings(facts);
    }
    text + &games(facts)
}

fn engines(facts: &RunFacts) -> String {
    let mut text = format!("| | {} |\n", cells(facts, |e| e.name.clone()));
    text += &format!("|---|{}\n", "---:|".repeat(facts.engines.len()));
    for (name, cells) in engine_rows(facts) {
        text += &format!("| {name} | {cells} |\n");
    }
    text + "\n"
}

/// The rows of the table of engines: a name, and the cells of all engines.
fn engine_rows(facts: &RunFacts) -> Vec<(&'static str, String)> {
    let count = |count: fn(&EngineFacts) -> u64| cells(facts, |e| count(e).to_string());
    let failures = |count: fn(&Failures) -> u64| {
        let counts = facts.failures.iter().map(|one| count(one).to_string());
        counts.collect::<Vec<_>>().join(" | ")
    };
    let mut rows = vec![
        ("engine", cells(facts, |e| e.id.clone())),
        ("options", cells(facts, options)),
        ("limit", cells(facts, |e| e.limit.clone())),
        ("score as White", cells(facts, |e| score(e.as_white))),
        ("score as Black", cells(facts, |e| score(e.as_black))),
        ("depth", cells(facts, |e| number(e.depth))),
        ("selective depth", cells(facts, |e| number(e.seldepth))),
        ("nodes per move", cells(facts, |e| number(e.nodes))),
        ("ms per move", cells(facts, |e| number(e.ms))),
        ("nodes per second", cells(facts, |e| number(e.nps))),
        (
            "latency of hone, µs per move",
            cells(facts, |e| number(e.latency_us)),
        ),
        ("time forfeits", failures(|f| f.time_forfeit)),
        ("of these caused by the machine", count(|e| e.starved)),
        ("crashes", failures(|f| f.crash)),
        ("stalls", failures(|f| f.stall)),
        ("illegal moves", failures(|f| f.illegal_move)),
        ("illegal principal variations", count(|e| e.illegal_pvs)),
    ];
    if facts.engines.iter().any(|engine| engine.replayed > 0) {
        let name = "failures whose games were played again";
        rows.push((name, count(|e| e.replayed)));
    }
    rows
}

fn pairings(facts: &RunFacts) -> String {
    let mut text = "| pairing | W-D-L | Elo | nElo |\n|---|---:|---:|---:|\n".to_string();
    for pairing in &facts.pairings {
        text += &format!(
            "| {} - {} | {} | {} | {} |\n",
            escape_markdown(&pairing.first),
            escape_markdown(&pairing.second),
            Wdl::from(pairing.wdl),
            elo_text(pairing.summary.elo, pairing.summary.interval),
            supported(pairing.summary.nelo.map(plus_minus))
        );
    }
    text + "\n"
}

fn games(facts: &RunFacts) -> String {
    let [white, draws, black] = facts.by_colour;
    let mut text = format!(
        "| games | |\n|---|---:|\n| won by White | {white} |\n| drawn | {draws} |\n\
         | won by Black | {black} |\n"
    );
    for (termination, count) in &facts.terminations {
        text += &format!("| ended by {} | {count} |\n", termination.words());
    }
    text += &format!("| plies per game | {} |\n", number(facts.mean_plies));
    for (worker, processors) in facts.placement.iter().enumerate() {
        text += &format!("| processors of worker {worker} | {processors:?} |\n");
    }
    text + &format!("| seconds | {:.1} |\n", facts.seconds)
}

/// The score of these wins, draws and losses as a percentage.
fn score(wdl: [u64; 3]) -> String {
    percent(Wdl::from(wdl).score())
}

/// The cells of all engines.
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
