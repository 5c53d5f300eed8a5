//! The large figures of a match, a sequential test and a tournament.

use super::figures::{Figure, Part, Tone};
use super::numbers::{counted, percentage, probability, real_minus, signed, with_ends};
use crate::report::facts::{FailureFacts, RunFacts};
use crate::report::numbers::{TOO_FEW, fixed};
use crate::stats::summary::Interval;

/// What a pair can come to, from the first engine's side: name, meaning, the
/// class that colours it.
pub(super) const PAIRS: [(&str, &str, &str); 5] = [
    ("LL", "both lost", "lost"),
    ("LD", "one lost, one drawn", "lost half"),
    ("DD+WL", "level", "drawn"),
    ("WD", "one won, one drawn", "won half"),
    ("WW", "both won", "won"),
];

/// The four of them.
pub(super) fn figures(facts: &RunFacts) -> Vec<Figure> {
    if facts.engines.len() > 2 {
        return vec![leader(facts), games(facts), colours(facts), failures(facts)];
    }
    vec![elo(facts), evidence(facts), wdl(facts), pentanomial(facts)]
}

/// The tone of the verdict: of a test its decision, of a match its interval.
pub(super) fn tone(facts: &RunFacts) -> Tone {
    match facts.sprt {
        Some(_) => facts.verdict.into(),
        None if facts.engines.len() == 2 => Tone::of(facts.always_valid_only().or(facts.elo)),
        None => Tone::Neutral,
    }
}

fn elo(facts: &RunFacts) -> Figure {
    let corrected = facts.sprt.as_ref().and_then(|sprt| sprt.elo.as_ref());
    let valid = facts.always_valid_only();
    match corrected {
        Some(estimate) => Figure::elo("Elo, corrected for stopping", Some(estimate.elo)),
        None if valid.is_some() => Figure::early_elo("Elo, always-valid interval", valid),
        None if facts.interval == Interval::AlwaysValid => Figure::early_elo(
            "Elo, always-valid interval: too few different pairs",
            facts.elo,
        ),
        None => Figure::elo("Elo", facts.elo),
    }
}

fn evidence(facts: &RunFacts) -> Figure {
    let Some(sprt) = &facts.sprt else {
        let los = match los(facts) {
            Ok(los) => los,
            Err(why) => return Figure::new("LOS", "–", why),
        };
        return Figure::new("LOS", &probability(los), "likelihood of superiority")
            .toned(Tone::of(facts.elo))
            .with_progress(los);
    };
    let note = real_minus(&format!(
        "bounds {:.2} and {:.2}; H0 {}, H1 {} Elo ({})",
        sprt.lower, sprt.upper, sprt.elo0, sprt.elo1, sprt.model
    ));
    Figure::new("LLR", &rounded(sprt.llr), &note)
        .toned(facts.verdict.into())
        .with_gauge(sprt.llr, (sprt.lower, sprt.upper))
}

/// The likelihood of superiority, or why it is not shown.
pub(super) fn los(facts: &RunFacts) -> Result<f64, &'static str> {
    match facts.always_valid_only() {
        Some(_) if facts.stop.is_some() => Err("not valid with an early stop"),
        Some(_) => Err("not valid before the end"),
        None => facts.los.ok_or(TOO_FEW),
    }
}

fn rounded(llr: f64) -> String {
    real_minus(&fixed(llr, 2))
}

fn wdl(facts: &RunFacts) -> Figure {
    let [wins, draws, losses] = facts.wdl;
    let games = wins + draws + losses;
    let mut note = counted(games, "game");
    if games > 0 {
        let points = wins as f64 + draws as f64 / 2.0;
        note += &format!(", score {}", percentage(points / games as f64));
    }
    let part = |name, count, class| Part { name, count, class };
    Figure::new("W-D-L", &format!("{wins}-{draws}-{losses}"), &note).with_parts(&[
        part("won", wins, "won"),
        part("drawn", draws, "drawn"),
        part("lost", losses, "lost"),
    ])
}

fn pentanomial(facts: &RunFacts) -> Figure {
    let counts = facts.pentanomial.map(|count| count.to_string());
    let note = format!("{}: LL, LD, DD+WL, WD, WW", counted(facts.pairs, "pair"));
    let parts = PAIRS.iter().zip(facts.pentanomial);
    let parts: Vec<Part<'_>> = parts
        .map(|((name, _, class), count)| Part { name, count, class })
        .collect();
    Figure::new("Pentanomial", &counts.join(" "), &note).with_columns(&parts)
}

fn leader(facts: &RunFacts) -> Figure {
    let Some(first) = facts.ratings.first() else {
        return Figure::new("First place", "–", "no ratings yet");
    };
    let elo = match (first.elo, first.why_unrated()) {
        (Some(elo), _) => format!("Elo {}", with_ends(elo)),
        (None, Some(why)) => format!("{why}: no rating"),
        (None, None) => "no rating".to_string(),
    };
    let ahead = match facts.ratings.get(1).map(|second| (first.elo, second.elo)) {
        Some((Some(one), Some(two))) => {
            format!(
                ", {} ahead of the next",
                signed(one.estimate - two.estimate)
            )
        }
        _ => String::new(),
    };
    Figure::new("First place", &first.name, &(elo + &ahead))
}

fn games(facts: &RunFacts) -> Figure {
    let engines = facts.engines.len() as u64;
    let pairings = facts.pairings.len() as u64;
    let note = format!(
        "{} of {}",
        counted(pairings, "pairing"),
        counted(engines, "engine")
    );
    Figure::new("Games", &facts.games.to_string(), &note)
}

fn colours(facts: &RunFacts) -> Figure {
    let [white, drawn, black] = facts.by_colour;
    let part = |name, count, class| Part { name, count, class };
    Figure::new(
        "White won, drawn, Black won",
        &format!("{white}-{drawn}-{black}"),
        "all games, by colour",
    )
    .with_parts(&[
        part("White won", white, "white-won"),
        part("drawn", drawn, "drawn"),
        part("Black won", black, "black-won"),
    ])
}

fn failures(facts: &RunFacts) -> Figure {
    let count = failed(&facts.failures);
    let tone = if count > 0 { Tone::Bad } else { Tone::Good };
    let note = "games lost by crashes, stalls, illegal moves or on time";
    Figure::new("Failures", &count.to_string(), note).toned(tone)
}

fn failed(failures: &FailureFacts) -> u64 {
    let all = [
        &failures.time_forfeit,
        &failures.crash,
        &failures.stall,
        &failures.illegal_move,
    ];
    all.into_iter().flatten().sum()
}
