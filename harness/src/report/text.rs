//! The results in words, in the block that engine authors know from fastchess.

use std::fmt::Write;

use super::facts::{RunFacts, SprtFacts};
use super::verdict::TestVerdict;
use crate::stats::detect::{Finding, Test};
use crate::stats::{Estimate, Model};

/// The results as a block of lines, each ended.
pub(crate) fn results_block(facts: &RunFacts) -> String {
    let mut text = String::new();
    let mut line = |content: String| {
        text.push_str(&content);
        text.push('\n');
    };
    let names: Vec<&str> = facts.engines.iter().map(|e| e.name.as_str()).collect();
    let title = match names.as_slice() {
        [first, second] => format!("{first} vs {second}"),
        [first, others @ ..] => format!("{first} vs {}", others.join(", ")),
        [] => String::new(),
    };
    line(format!(
        "Results of {title} ({}, {}):",
        facts.limit, facts.openings
    ));
    if facts.engines.len() > 2 {
        for pairing in &facts.pairings {
            let [w, d, l] = pairing.wdl;
            line(format!(
                "  {} vs {}: {w} - {l} - {d}  Elo {}",
                pairing.first,
                pairing.second,
                plus_minus(pairing.summary.elo)
            ));
        }
    }
    line(format!(
        "Elo: {}, nElo: {}",
        plus_minus(facts.elo),
        plus_minus(facts.nelo)
    ));
    line(format!(
        "LOS: {}, DrawRatio: {}, PairsRatio: {}",
        percent(facts.los),
        percent(facts.draw_ratio),
        number(facts.pair_ratio)
    ));
    let [wins, draws, losses] = facts.wdl;
    let games = wins + draws + losses;
    let points = wins as f64 + draws as f64 / 2.0;
    let share = (games > 0).then(|| points / games as f64);
    line(format!(
        "Games: {games}, Wins: {wins}, Losses: {losses}, Draws: {draws}, Points: {points:.1} ({})",
        percent(share)
    ));
    line(format!(
        "Ptnml(0-2): {:?}, WL/DD Ratio: {}",
        facts.pentanomial,
        number(facts.wl_dd_ratio)
    ));
    if let Some(sprt) = &facts.sprt {
        line(llr_line(sprt));
    }
    if let Some(interval) = facts.always_valid {
        line(format!(
            "Always-valid interval (95 %, at every look): {:.2} to {:.2}",
            interval.low, interval.high
        ));
    }
    for (engine, facts_of_it) in facts.engines.iter().enumerate() {
        if let Some(failures) = failures_line(facts, engine) {
            line(failures);
        }
        if facts_of_it.illegal_pvs > 0 {
            line(format!(
                "{} sent {} principal variations with an illegal move (marked in games.pgn)",
                facts_of_it.name, facts_of_it.illegal_pvs
            ));
        }
    }
    for finding in &facts.findings {
        line(finding.sentence());
    }
    if let Some(error) = &facts.rating_error {
        line(format!("no rating list: {error}"));
    }
    for (rank, rating) in facts.ratings.iter().enumerate() {
        line(format!(
            "{:>3}. {:<24} Elo {:>20}  {:.1} of {}",
            rank + 1,
            rating.name,
            plus_minus(rating.elo),
            rating.points,
            rating.games
        ));
    }
    text
}

/// The games that an engine lost by failing, if it did.
fn failures_line(facts: &RunFacts, engine: usize) -> Option<String> {
    let failures = &facts.failures;
    let starved = facts.engines[engine].starved;
    let on_time = match (failures.time_forfeit[engine], starved) {
        (0, _) => None,
        (count, 0) => Some(format!("{count} on time")),
        (count, starved) => Some(format!(
            "{count} on time ({starved} of them while it was starved of CPU for longer than the overrun)"
        )),
    };
    let others = [
        (failures.crash[engine], "by crashing"),
        (failures.stall[engine], "by stalling"),
        (failures.illegal_move[engine], "by illegal moves"),
    ];
    let lost: Vec<String> = on_time
        .into_iter()
        .chain(
            others
                .into_iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, how)| format!("{count} {how}")),
        )
        .collect();
    let name = &facts.engines[engine].name;
    (!lost.is_empty()).then(|| format!("{name} lost {}", lost.join(", ")))
}

fn llr_line(sprt: &SprtFacts) -> String {
    let bound = if sprt.llr < 0.0 {
        sprt.lower
    } else {
        sprt.upper
    };
    format!(
        "LLR: {:.2} ({:.1}%) ({:.2}, {:.2}) [{:.2}, {:.2}] {}",
        sprt.llr,
        100.0 * sprt.llr / bound,
        sprt.lower,
        sprt.upper,
        sprt.elo0,
        sprt.elo1,
        sprt.model
    )
}

/// The verdict in one sentence, or for a match who is ahead; then, in lines of
/// their own, what must be known beside it.
pub(crate) fn verdict_sentence(facts: &RunFacts) -> String {
    let mut text = match (facts.reason, &facts.sprt) {
        (Some(reason), _) => reason.sentence().to_string(),
        (None, Some(sprt)) => test_sentence(facts, sprt),
        (None, None) => match_sentence(facts),
    };
    // A run that ended for its repeats has said so.
    let is_said = |finding: &Finding| facts.reason.is_some() && finding.test == Test::RepeatedGames;
    let findings = facts.findings.iter().filter(|finding| !is_said(finding));
    if let Some(care) = care(findings) {
        text.push('\n');
        text += &care;
    }
    text
}

/// A warning, if the games are weak evidence.
fn care<'a>(findings: impl Iterator<Item = &'a Finding>) -> Option<String> {
    let kinds: Vec<&str> = findings
        .filter(|finding| finding.p_value.is_none())
        .map(|finding| finding.test.words())
        .collect();
    (!kinds.is_empty()).then(|| {
        format!(
            "Read this result with care: {}. The lines marked as suspicious say more.",
            kinds.join(", ")
        )
    })
}

fn test_sentence(facts: &RunFacts, sprt: &SprtFacts) -> String {
    let (dev, base) = names(facts);
    let scale = scale(sprt.model);
    let mut text = match facts.verdict {
        TestVerdict::H1 if sprt.elo0 < 0.0 => format!(
            "H1 accepted: {dev} is not weaker than {base} by {} {scale} or more",
            -sprt.elo0
        ),
        TestVerdict::H1 if sprt.elo0 == 0.0 => {
            format!("H1 accepted: {dev} is stronger than {base}")
        }
        TestVerdict::H1 => format!(
            "H1 accepted: {dev} is stronger than {base} by at least {} {scale}",
            sprt.elo0
        ),
        TestVerdict::H0 if sprt.elo1 == 0.0 => format!("H0 accepted: {dev} is weaker than {base}"),
        TestVerdict::H0 if sprt.elo1 < 0.0 => format!(
            "H0 accepted: {dev} is weaker than {base} by more than {} {scale}",
            -sprt.elo1
        ),
        TestVerdict::H0 => format!(
            "H0 accepted: {dev} is not stronger than {base} by {} {scale} or more",
            sprt.elo1
        ),
        TestVerdict::None => format!(
            "No decision: the LLR is within its bounds after {} pairs",
            facts.pairs
        ),
    };
    match facts.verdict {
        TestVerdict::H1 => push_error_rate(&mut text, "false-positive", "alpha", sprt.alpha),
        TestVerdict::H0 => push_error_rate(&mut text, "false-negative", "beta", sprt.beta),
        TestVerdict::None => text.push('.'),
    }
    if let Some(estimate) = &sprt.elo {
        let elo = estimate.elo;
        write!(
            text,
            "\nEstimated Elo: {:.1} (95 %: {:.1} to {:.1}), corrected for the stopping rule; the Elo above is not corrected.",
            elo.estimate, elo.low, elo.high
        )
        .expect("writing to a string cannot fail");
    }
    text
}

fn push_error_rate(text: &mut String, kind: &str, name: &str, rate: f64) {
    write!(
        text,
        " ({kind} rate at most {} %, {name} = {rate}).",
        (rate * 1000.0).round() / 10.0
    )
    .expect("writing to a string cannot fail");
}

fn match_sentence(facts: &RunFacts) -> String {
    let (first, others) = names(facts);
    match (facts.elo, facts.los) {
        (Some(elo), Some(los)) => format!(
            "{first} against {others}: {:+.1} Elo (95 %: {:.1} to {:.1}), stronger with {:.1} % probability.",
            elo.estimate,
            elo.low,
            elo.high,
            100.0 * los
        ),
        _ => "No games yet.".to_string(),
    }
}

fn names(facts: &RunFacts) -> (&str, &str) {
    let name = |index: usize| facts.engines.get(index).map_or("?", |e| e.name.as_str());
    match facts.engines.len() {
        0..=2 => (name(0), name(1)),
        _ => (name(0), "the others"),
    }
}

fn scale(model: Model) -> &'static str {
    match model {
        Model::Normalized => "normalized Elo",
        Model::Bayesian => "BayesElo",
        Model::Logistic | Model::Betting => "Elo",
    }
}

pub(super) fn plus_minus(estimate: Option<Estimate>) -> String {
    match estimate {
        Some(e) => format!("{:.2} +/- {:.2}", e.estimate, e.half_width()),
        None => "not defined".to_string(),
    }
}

pub(super) fn percent(share: Option<f64>) -> String {
    match share {
        Some(share) => format!("{:.2} %", 100.0 * share),
        None => "not defined".to_string(),
    }
}

pub(super) fn number(value: Option<f64>) -> String {
    match value {
        Some(value) => format!("{value:.2}"),
        None => "not defined".to_string(),
    }
}
