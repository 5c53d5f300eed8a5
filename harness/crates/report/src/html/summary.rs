//! The large figures of a match, a sequential test and a tournament.

use super::figures::{Figure, Part, Tone};
use super::numbers::{counted, percentage, probability, real_minus, signed, with_ends};
use crate::facts::RunFacts;
use crate::numbers::fixed;
use crate::summary::lost_by_failures;
use crate::text::at_the_end;
use crate::tournament::{leaders, names_of};
use hone_stats::Wdl;
use hone_stats::summary::Interval;

/// The results of a pair from the first engine's side: name, meaning, CSS class.
pub(super) const PAIRS: [(&str, &str, &str); 5] = [
    ("LL", "both lost", "lost"),
    ("LD", "one lost, one drawn", "lost half"),
    ("DD+WL", "level", "drawn"),
    ("WD", "one won, one drawn", "won half"),
    ("WW", "both won", "won"),
];

/// The four large figures.
pub(super) fn figures(facts: &RunFacts) -> Vec<Figure> {
    if facts.engines.len() > 2 {
        return vec![leader(facts), games(facts), colours(facts), failures(facts)];
    }
    vec![elo(facts), evidence(facts), wdl(facts), pentanomial(facts)]
}

/// The colour of the verdict: by the decision of a test, or the interval of a match.
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
        Some(estimate) => Figure::elo("Elo, corrected for the stopping rule", Some(estimate.elo)),
        None if valid.is_some() => Figure::early_elo("Elo, always-valid interval", valid),
        None if facts.interval == Interval::AlwaysValid => Figure::early_elo(
            "Elo, always-valid interval: too few different pairs",
            facts.elo,
        ),
        None => Figure::elo("Elo", facts.elo),
    }
}

/// LLR of a test, LOS of a match.
fn evidence(facts: &RunFacts) -> Figure {
    let Some(sprt) = &facts.sprt else {
        let los = match at_the_end(facts, facts.los) {
            Ok(los) => los,
            Err(why) => return Figure::new("LOS", "–", why),
        };
        return Figure::new("LOS", &probability(los), "likelihood of superiority")
            .with_tone(Tone::of(facts.elo))
            .with_progress(los);
    };
    let note = real_minus(&format!(
        "bounds {:.2} and {:.2}; H0 {}, H1 {} Elo ({})",
        sprt.lower, sprt.upper, sprt.elo0, sprt.elo1, sprt.model
    ));
    Figure::new("LLR", &llr_text(sprt.llr), &note)
        .with_tone(facts.verdict.into())
        .with_gauge(sprt.llr, (sprt.lower, sprt.upper))
}

fn llr_text(llr: f64) -> String {
    real_minus(&fixed(llr, 2))
}

fn wdl(facts: &RunFacts) -> Figure {
    let wdl = Wdl::from(facts.wdl);
    let mut note = counted(wdl.games(), "game");
    if let Some(score) = wdl.score() {
        note += &format!(", score {}", percentage(score));
    }
    let part = |name, count, class| Part { name, count, class };
    Figure::new("W-D-L", &wdl.to_string(), &note).with_parts(&[
        part("won", wdl.wins, "won"),
        part("drawn", wdl.draws, "drawn"),
        part("lost", wdl.losses, "lost"),
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
    let leaders = leaders(&facts.ratings);
    let Some(first) = leaders.first() else {
        return Figure::new("First place", "–", "no ratings yet");
    };
    let elo = match (first.rating.elo, first.why_unrated()) {
        (Some(elo), _) => format!("Elo {}", with_ends(elo)),
        (None, Some(why)) => format!("{why}: no rating"),
        (None, None) => "no rating".to_string(),
    };
    let second = facts.ratings.get(1).and_then(|second| second.rating.elo);
    let ahead = match first.rating.elo.zip(second) {
        Some((one, two)) if leaders.len() == 1 => {
            let lead = signed(one.estimate - two.estimate);
            format!(", {lead} ahead of the next")
        }
        _ => String::new(),
    };
    Figure::new("First place", &names_of(leaders), &(elo + &ahead))
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
    let count = lost_by_failures(facts);
    let tone = if count > 0 { Tone::Bad } else { Tone::Good };
    let note = "games lost by crashes, stalls, illegal moves or on time";
    Figure::new("Failures", &count.to_string(), note).with_tone(tone)
}
