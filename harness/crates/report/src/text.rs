//! The results as text, in the format of fastchess.

use super::contract::{EngineFacts, PoolFacts, SprtFacts};
use super::facts::RunFacts;
use super::machines::FleetFacts;
use super::numbers::{
    TOO_FEW_PAIRS, counted, elo_text, ends, fixed, number, percent, plus_minus, probability, signed,
};
use super::tournament;
use super::verdict::TestVerdict;
use hone_run::Failures;
use hone_stats::confidence::StopRule;
use hone_stats::detect::{Finding, Test};
use hone_stats::summary::Interval;
use hone_stats::{Estimate, Model, Wdl};

/// The results as lines, each with a line end.
pub(crate) fn results_block(facts: &RunFacts) -> String {
    let mut lines = vec![title_line(facts)];
    lines.extend(facts.pool.as_ref().map(pool_line));
    let is_tournament = facts.engines.len() > 2;
    if is_tournament {
        lines.extend(tournament::block(facts));
    }
    if !is_tournament || tournament::is_gauntlet(facts) {
        if is_tournament {
            lines.push(format!("\n{} against the others:", facts.engines[0].name));
        }
        lines.extend(first_engine_lines(facts));
    }
    lines.extend(facts.sprt.as_ref().map(llr_line));
    if let Some(interval) = facts.always_valid_of_match()
        && facts.interval == Interval::FixedLength
        && facts.always_valid_only().is_none()
    {
        lines.push(format!(
            "Always-valid interval (95 %, at every look): {}",
            ends(interval, 2)
        ));
    }
    for (number, engine) in facts.engines.iter().enumerate() {
        lines.extend(failures_line(facts, number));
        if engine.illegal_pvs > 0 {
            lines.push(format!(
                "{} sent {} principal variations with an illegal move (marked in games.pgn)",
                engine.name, engine.illegal_pvs
            ));
        }
    }
    lines.extend(replays_line(facts));
    lines.extend(evidence_line(facts));
    lines.extend(facts.findings.iter().map(Finding::sentence));
    lines.extend(facts.fleet.iter().flat_map(FleetFacts::lines));
    lines.join("\n") + "\n"
}

fn title_line(facts: &RunFacts) -> String {
    let names: Vec<&str> = facts.engines.iter().map(|e| e.name.as_str()).collect();
    let title = match names.as_slice() {
        [first, others @ ..] => format!("{first} vs {}", others.join(", ")),
        [] => String::new(),
    };
    format!("Results of {title} ({}, {}):", facts.limit, facts.openings)
}

/// The runs of a pool, with their shards.
fn pool_line(pool: &PoolFacts) -> String {
    let runs = pool.runs.iter().map(|run| {
        if run.shard.is_whole() {
            run.run.clone()
        } else {
            format!("{} ({})", run.run, run.shard.words())
        }
    });
    format!("Pooled from {}", runs.collect::<Vec<_>>().join(", "))
}

/// The results of the first engine against all others.
fn first_engine_lines(facts: &RunFacts) -> [String; 4] {
    let wdl = Wdl::from(facts.wdl);
    let (elo, nelo) = (valid_elo(facts), valid_nelo(facts));
    let los = at_the_end(facts, facts.los);
    let los = los.map_or_else(str::to_string, |los| probability(los, 2));
    [
        format!("Elo: {elo}, nElo: {nelo}"),
        format!(
            "LOS: {los}, DrawRatio: {}, PairsRatio: {}",
            percent(facts.draw_ratio),
            number(facts.pair_ratio)
        ),
        format!(
            "Games: {}, Wins: {}, Draws: {}, Losses: {}, Points: {:.1} ({})",
            wdl.games(),
            wdl.wins,
            wdl.draws,
            wdl.losses,
            wdl.points(),
            percent(wdl.score())
        ),
        format!(
            "Ptnml(0-2): {:?}, WL/DD Ratio: {}",
            facts.pentanomial,
            number(facts.wl_dd_ratio)
        ),
    ]
}

/// Elo of the first engine with an interval that is valid now.
pub(super) fn valid_elo(facts: &RunFacts) -> String {
    match facts.always_valid_only() {
        Some(elo) => elo_text(Some(elo), Interval::AlwaysValid),
        None => elo_text(facts.elo, facts.interval),
    }
}

/// Normalized Elo of the first engine, or why it is not shown.
pub(super) fn valid_nelo(facts: &RunFacts) -> String {
    at_the_end(facts, facts.nelo).map_or_else(str::to_string, plus_minus)
}

/// A quantity that is valid only at the end of a match of fixed length, or why it is not
/// shown.
pub(super) fn at_the_end<T>(facts: &RunFacts, quantity: Option<T>) -> Result<T, &'static str> {
    match facts.always_valid_only() {
        Some(_) if facts.stop.is_some() => Err("not valid with an early stop"),
        Some(_) if facts.is_extended => Err("not valid with more pairs than planned"),
        Some(_) => Err("not valid before the end"),
        None => quantity.ok_or(TOO_FEW_PAIRS),
    }
}

/// The failures that did not count because their games were played again. `None` without
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
            "Played again after a failure: {} ({})",
            counted(total, "time"),
            by_engine.join(", ")
        )
    })
}

/// Where the evidence of failures is. `None` without any failure.
fn evidence_line(facts: &RunFacts) -> Option<String> {
    let counted: u64 = facts.failures.iter().map(Failures::total).sum();
    let replayed: u64 = facts.engines.iter().map(|engine| engine.replayed).sum();
    (counted + replayed > 0).then(|| {
        "The evidence of failures is in failures/ of the run's folder; `hone replay RUN/failures/PAIR-GAME` repeats one".to_string()
    })
}

/// The games that an engine lost by failures. `None` without any.
fn failures_line(facts: &RunFacts, engine: usize) -> Option<String> {
    let failures = &facts.failures[engine];
    let starved = facts.engines[engine].starved;
    let on_time = match (failures.time_forfeit, starved) {
        (0, _) => None,
        (count, 0) => Some(format!("{count} on time")),
        (count, starved) => Some(format!(
            "{count} on time ({starved} of them while it was starved of CPU for longer than the overrun)"
        )),
    };
    let others = [
        (failures.crash, "by crashing"),
        (failures.stall, "by stalling"),
        (failures.illegal_move, "by illegal moves"),
    ];
    let others = others.into_iter().filter(|(count, _)| *count > 0);
    let others = others.map(|(count, how)| format!("{count} {how}"));
    let lost: Vec<String> = on_time.into_iter().chain(others).collect();
    let EngineFacts { name, games, .. } = &facts.engines[engine];
    let total = failures.total();
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
        "LLR: {} ({} %) ({:.2}, {:.2}) [{:.2}, {:.2}] {}",
        fixed(sprt.llr, 2),
        fixed(100.0 * sprt.llr / bound, 1),
        sprt.lower,
        sprt.upper,
        sprt.elo0,
        sprt.elo1,
        sprt.model
    )
}

/// The verdict or the leader, and the failures, on one line; then the estimate of a
/// sequential test and the warnings, one a line.
pub(crate) fn verdict_sentence(facts: &RunFacts) -> String {
    let mut text = match (facts.reason, &facts.sprt) {
        (Some(reason), _) => reason.sentence().to_string(),
        (None, Some(sprt)) => decision_sentence(facts, sprt),
        (None, None) if facts.engines.len() > 2 && !tournament::is_gauntlet(facts) => {
            tournament::sentence(facts)
        }
        (None, None) => match_sentence(facts),
    };
    // The sentence about a test names its progress.
    if is_played(facts) && facts.sprt.is_none() {
        let budget = counted(facts.budget, "pair");
        text += &format!(" Not finished: {} of {budget}.", facts.judged);
    }
    for failures in (0..facts.engines.len()).filter_map(|engine| failures_line(facts, engine)) {
        text += &format!(" {failures}.");
    }
    if let Some(sprt) = &facts.sprt
        && facts.reason.is_none()
    {
        text += &estimate_line(facts, sprt);
    }
    if !facts.shard.is_whole() {
        let shard = facts.shard.words();
        text += &format!("\nThis is {shard}: `hone pool` judges all shards together.");
    }
    if let Some(pool) = &facts.pool
        && pool.waiting > 0
        && !facts.is_finished
    {
        let after = match pool.waiting {
            1 => "the pair after it is".to_string(),
            pairs => format!("the {pairs} pairs after it are"),
        };
        text += &format!("\nPair {} is missing: {after} not judged yet.", pool.next);
    }
    // The first sentence names repeated games already if they ended the run.
    let is_named =
        |finding: &Finding| facts.reason.is_some() && finding.test == Test::RepeatedGames;
    let findings = facts.findings.iter().filter(|finding| !is_named(finding));
    if let Some(warning) = evidence_warning(findings) {
        text += &format!("\n{warning}");
    }
    text
}

/// Whether a run has begun and is not finished. The progress of a pool is that of its runs.
fn is_played(facts: &RunFacts) -> bool {
    !facts.is_finished && facts.pairs > 0 && facts.pool.is_none()
}

/// A warning if any finding means that the games are weak evidence.
fn evidence_warning<'a>(findings: impl Iterator<Item = &'a Finding>) -> Option<String> {
    let mut kinds: Vec<&str> = Vec::new();
    for finding in
        findings.filter(|finding| finding.p_value.is_none() || finding.is_against_verdict())
    {
        let kind = finding.test.words();
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    (!kinds.is_empty()).then(|| {
        format!(
            "Read this result with care: {}. The report describes each.",
            kinds.join(", ")
        )
    })
}

/// The verdict that was withheld, and why.
fn withheld_sentence(facts: &RunFacts, withheld: TestVerdict) -> String {
    let findings = facts.findings.iter();
    let against = findings.filter(|finding| finding.is_against_verdict());
    let mut words: Vec<&str> = against.map(|finding| finding.test.words()).collect();
    words.dedup();
    format!(
        "Verdict withheld: the test ended with {withheld}, but its games may not be evidence ({}).\n\
         help: correct the cause and test again, or set `on_finding = \"report\"` in [match]",
        words.join(", ")
    )
}

fn decision_sentence(facts: &RunFacts, sprt: &SprtFacts) -> String {
    if let Some(withheld) = facts.withheld {
        return withheld_sentence(facts, withheld);
    }
    let (dev, base) = names(facts);
    let scale = scale(sprt.model);
    let decision = match facts.verdict {
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
        TestVerdict::None if is_played(facts) => format!(
            "No decision yet: the LLR is within its bounds after {} of at most {}",
            facts.judged,
            counted(facts.budget, "pair")
        ),
        TestVerdict::None => format!(
            "No decision: the LLR is within its bounds after {}",
            counted(facts.pairs, "pair")
        ),
    };
    let error_rate = match facts.verdict {
        TestVerdict::H1 => error_rate("false-positive", "alpha", sprt.alpha),
        TestVerdict::H0 => error_rate("false-negative", "beta", sprt.beta),
        TestVerdict::None => String::new(),
    };
    format!("{decision}{error_rate}.")
}

fn estimate_line(facts: &RunFacts, sprt: &SprtFacts) -> String {
    match (&sprt.elo, facts.elo) {
        (Some(estimate), _) => format!("\n{}", corrected(estimate.elo)),
        (None, Some(elo)) => format!(
            "\nEstimated Elo: {} (always-valid 95 %: {}); {TOO_FEW_PAIRS} for an estimate corrected for the stopping rule.",
            fixed(elo.estimate, 1),
            ends(elo, 1)
        ),
        (None, None) => String::new(),
    }
}

/// The estimate after a test. The plain Elo stands before or after it, depending on the report.
fn corrected(elo: Estimate) -> String {
    format!(
        "Estimated Elo: {} (95 %: {}), corrected for the stopping rule; the plain Elo is not corrected.",
        fixed(elo.estimate, 1),
        ends(elo, 1)
    )
}

/// `rate` is above 0 and below 0.5.
fn error_rate(kind: &str, name: &str, rate: f64) -> String {
    // Rounded to eight decimals: 100 times 0.07 is 7.000000000000001.
    let percent = (1e10 * rate).round() / 1e8;
    format!(" ({kind} rate at most {percent} %, {name} = {rate})")
}

fn match_sentence(facts: &RunFacts) -> String {
    let (first, others) = names(facts);
    if let Some(elo) = facts.always_valid_only() {
        let is_early = facts.is_finished && facts.judged < facts.budget;
        let stopped = match facts.stop.filter(|_| is_early) {
            None => String::new(),
            Some(StopRule::ZeroOutside) => format!(
                " Stopped after {} of {} pairs: 0 is outside this interval.",
                facts.judged, facts.budget
            ),
            Some(StopRule::Width(width)) => format!(
                " Stopped after {} of {} pairs: this interval is at most {width} Elo wide.",
                facts.judged, facts.budget
            ),
        };
        return format!(
            "{first} against {others}: {} Elo (always-valid 95 %: {}).{stopped}",
            signed(elo.estimate),
            ends(elo, 1)
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
        None => format!("{TOO_FEW_PAIRS} for a probability of being stronger"),
    };
    format!(
        "{first} against {others}: {} Elo ({kind}: {}), {order}.",
        signed(elo.estimate),
        ends(elo, 1)
    )
}

/// The first engine, and its opponent or opponents.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_after_a_test_names_no_place_of_the_plain_elo() {
        let text = corrected(Estimate {
            estimate: 3.21,
            low: -1.04,
            high: 7.5,
        });
        let expected = "Estimated Elo: 3.2 (95 %: -1.0 to 7.5), corrected for the stopping rule; \
                        the plain Elo is not corrected.";
        assert_eq!(text, expected);
    }

    #[test]
    fn small_error_rates_are_not_rounded_to_zero() {
        for (rate, percent) in [(0.05, "5"), (0.07, "7"), (0.0123, "1.23"), (0.0001, "0.01")] {
            let text = error_rate("false-positive", "alpha", rate);
            let expected = format!(" (false-positive rate at most {percent} %, alpha = {rate})");
            assert_eq!(text, expected);
        }
    }
}
