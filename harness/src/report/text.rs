//! The results in words, in the block that engine authors know from fastchess.

use std::fmt::Write;

use super::facts::{EngineFacts, PoolFacts, RunFacts, SprtFacts};
use super::machines::FleetFacts;
use super::numbers::{TOO_FEW, counted, elo_text, fixed, probability, supported};
pub(super) use super::numbers::{number, percent, plus_minus};
use super::tournament;
use super::verdict::TestVerdict;
use crate::stats::Model;
use crate::stats::confidence::StopRule;
use crate::stats::detect::{Finding, Test};
use crate::stats::summary::Interval;

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
    if let Some(pool) = &facts.pool {
        line(pool_line(pool));
    }
    let is_tournament = facts.engines.len() > 2;
    if is_tournament {
        tournament::block(facts).into_iter().for_each(&mut line);
    }
    if !is_tournament || tournament::is_gauntlet(facts) {
        if is_tournament {
            line(format!("\n{} against the others:", facts.engines[0].name));
        }
        first_engine_lines(facts).into_iter().for_each(&mut line);
    }
    if let Some(sprt) = &facts.sprt {
        line(llr_line(sprt));
    }
    if let Some(interval) = facts.always_valid
        && facts.interval == Interval::FixedLength
        && facts.always_valid_only().is_none()
    {
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
    if let Some(replays) = replays_line(facts) {
        line(replays);
    }
    for finding in &facts.findings {
        line(finding.sentence());
    }
    for about_machines in facts.fleet.iter().flat_map(FleetFacts::lines) {
        line(about_machines);
    }
    text
}

/// The runs of a pool.
fn pool_line(pool: &PoolFacts) -> String {
    let runs = pool.runs.iter().map(|run| match run.shard.is_whole() {
        true => run.run.clone(),
        false => format!("{} ({})", run.run, run.shard.words()),
    });
    format!("Pooled from {}", runs.collect::<Vec<_>>().join(", "))
}

/// The results of the first engine against all others.
fn first_engine_lines(facts: &RunFacts) -> [String; 4] {
    let [wins, draws, losses] = facts.wdl;
    let games = wins + draws + losses;
    let points = wins as f64 + draws as f64 / 2.0;
    let share = (games > 0).then(|| points / games as f64);
    let (elo, nelo, los) = match facts.always_valid_only() {
        Some(elo) => {
            let not_valid = match facts.stop {
                Some(_) => "not valid with an early stop",
                None => "not valid before the end",
            };
            let elo = elo_text(Some(elo), Interval::AlwaysValid);
            (elo, not_valid.to_string(), not_valid.to_string())
        }
        None => (
            elo_text(facts.elo, facts.interval),
            supported(facts.nelo.map(|nelo| plus_minus(Some(nelo)))),
            supported(facts.los.map(|los| probability(los, 2))),
        ),
    };
    [
        format!("Elo: {elo}, nElo: {nelo}"),
        format!(
            "LOS: {los}, DrawRatio: {}, PairsRatio: {}",
            percent(facts.draw_ratio),
            number(facts.pair_ratio)
        ),
        format!(
            "Games: {games}, Wins: {wins}, Draws: {draws}, Losses: {losses}, Points: {points:.1} ({})",
            percent(share)
        ),
        format!(
            "Ptnml(0-2): {:?}, WL/DD Ratio: {}",
            facts.pentanomial,
            number(facts.wl_dd_ratio)
        ),
    ]
}

/// The failures that did not count because their games were played again, if there were
/// any.
fn replays_line(facts: &RunFacts) -> Option<String> {
    let by_engine: Vec<String> = facts
        .engines
        .iter()
        .filter(|engine| engine.replayed > 0)
        .map(|engine| format!("{} {}", engine.name, engine.replayed))
        .collect();
    let total: u64 = facts.engines.iter().map(|engine| engine.replayed).sum();
    (total > 0).then(|| {
        format!(
            "Played again after a failure: {total} times ({})",
            by_engine.join(", ")
        )
    })
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
    let EngineFacts { name, games, .. } = &facts.engines[engine];
    let counts = [
        failures.time_forfeit[engine],
        failures.crash[engine],
        failures.stall[engine],
        failures.illegal_move[engine],
    ];
    let total: u64 = counts.iter().sum();
    (total > 0).then(|| {
        format!(
            "{name} lost {total} of {games} games ({:.1} %) by failures: {}",
            100.0 * total as f64 / (*games).max(1) as f64,
            lost.join(", ")
        )
    })
}

fn llr_line(sprt: &SprtFacts) -> String {
    let bound = if sprt.llr < 0.0 {
        sprt.lower
    } else {
        sprt.upper
    };
    format!(
        "LLR: {} ({:.1}%) ({:.2}, {:.2}) [{:.2}, {:.2}] {}",
        fixed(sprt.llr, 2),
        100.0 * sprt.llr / bound,
        sprt.lower,
        sprt.upper,
        sprt.elo0,
        sprt.elo1,
        sprt.model
    )
}

/// The verdict, or who is ahead, and the failures on one line; then the
/// estimate after a test and the warnings, each on its own.
pub(crate) fn verdict_sentence(facts: &RunFacts) -> String {
    let mut text = match (facts.reason, &facts.sprt) {
        (Some(reason), _) => reason.sentence().to_string(),
        (None, Some(sprt)) => decision_sentence(facts, sprt),
        (None, None) if facts.engines.len() > 2 && !tournament::is_gauntlet(facts) => {
            tournament::sentence(facts)
        }
        (None, None) => match_sentence(facts),
    };
    if !facts.is_finished && facts.pairs > 0 && facts.pool.is_none() {
        let of = match facts.sprt {
            Some(_) => "of at most",
            None => "of",
        };
        write!(
            text,
            " Not finished: {} {of} {}.",
            facts.absorbed,
            counted(facts.budget, "pair")
        )
        .expect("writing to a string cannot fail");
    }
    for failures in (0..facts.engines.len()).filter_map(|engine| failures_line(facts, engine)) {
        write!(text, " {failures}.").expect("writing to a string cannot fail");
    }
    if let Some(sprt) = &facts.sprt
        && facts.reason.is_none()
    {
        push_estimate(&mut text, facts, sprt);
    }
    if !facts.shard.is_whole() {
        write!(
            text,
            "\nThis is {}: `hone pool` judges all shards together.",
            facts.shard.words()
        )
        .expect("writing to a string cannot fail");
    }
    if let Some(pool) = &facts.pool
        && pool.waiting > 0
        && !facts.is_finished
    {
        write!(
            text,
            "\nPair {} is missing: what was played after it ({}) is not judged.",
            pool.next,
            counted(pool.waiting, "pair")
        )
        .expect("writing to a string cannot fail");
    }
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
    let mut kinds: Vec<&str> = Vec::new();
    for finding in findings.filter(|finding| finding.p_value.is_none()) {
        let kind = finding.test.words();
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    (!kinds.is_empty()).then(|| {
        format!(
            "Read this result with care: {}. See the lines marked as suspicious.",
            kinds.join(", ")
        )
    })
}

fn decision_sentence(facts: &RunFacts, sprt: &SprtFacts) -> String {
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
            "No decision: the LLR is within its bounds after {}",
            counted(facts.pairs, "pair")
        ),
    };
    match facts.verdict {
        TestVerdict::H1 => push_error_rate(&mut text, "false-positive", "alpha", sprt.alpha),
        TestVerdict::H0 => push_error_rate(&mut text, "false-negative", "beta", sprt.beta),
        TestVerdict::None => text.push('.'),
    }
    text
}

fn push_estimate(text: &mut String, facts: &RunFacts, sprt: &SprtFacts) {
    let written = match (&sprt.elo, facts.elo) {
        (Some(estimate), _) => {
            let elo = estimate.elo;
            write!(
                text,
                "\nEstimated Elo: {:.1} (95 %: {:.1} to {:.1}), corrected for the stopping rule; the Elo above is not corrected.",
                elo.estimate, elo.low, elo.high
            )
        }
        (None, Some(elo)) => write!(
            text,
            "\nEstimated Elo: {:.1} (always-valid 95 %: {:.1} to {:.1}); {TOO_FEW} for an estimate corrected for the stopping rule.",
            elo.estimate, elo.low, elo.high
        ),
        (None, None) => Ok(()),
    };
    written.expect("writing to a string cannot fail");
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
    if let Some(elo) = facts.always_valid_only() {
        let is_early = facts.is_finished && facts.absorbed < facts.budget;
        let stopped = match facts.stop.filter(|_| is_early) {
            None => String::new(),
            Some(StopRule::ZeroOutside) => format!(
                " Stopped after {} of {} pairs: 0 is outside this interval.",
                facts.absorbed, facts.budget
            ),
            Some(StopRule::Width(width)) => format!(
                " Stopped after {} of {} pairs: this interval is at most {width} Elo wide.",
                facts.absorbed, facts.budget
            ),
        };
        return format!(
            "{first} against {others}: {:+.1} Elo (always-valid 95 %: {:.1} to {:.1}).{stopped}",
            elo.estimate, elo.low, elo.high
        );
    }
    let Some(elo) = facts.elo else {
        return "No games yet.".to_string();
    };
    let kind = match facts.interval {
        Interval::FixedLength => "95 %",
        Interval::AlwaysValid => "always-valid 95 %",
    };
    let order = match facts.los {
        Some(los) => format!("stronger with {} probability", probability(los, 1)),
        None => format!("{TOO_FEW} for a probability of being stronger"),
    };
    format!(
        "{first} against {others}: {:+.1} Elo ({kind}: {:.1} to {:.1}), {order}.",
        elo.estimate, elo.low, elo.high
    )
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
