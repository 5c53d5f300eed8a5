//! The blocks of cutechess-cli.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::figures::{Figures, Z95_APPROXIMATED, fixed, general, los_of_decided_games};
use super::scores::{Counts, TestState};
use crate::stats::Wdl;

/// The score after each game of two engines; fastchess prints the same on
/// request.
pub(super) fn score(names: [&str; 2], wdl: &Wdl) -> String {
    format!("Score of {} vs {}: {}\n", names[0], names[1], line(wdl))
}

/// `W - L - D  [score] games`.
fn line(wdl: &Wdl) -> String {
    let games = wdl.games();
    let points = wdl.wins as f64 + wdl.draws as f64 / 2.0;
    format!(
        "{} - {} - {}  [{}] {games}",
        wdl.wins,
        wdl.losses,
        wdl.draws,
        fixed(points / games as f64, 3)
    )
}

/// The result of two engines: the first by colour, and its Elo.
pub(super) fn head_to_head(name: &str, counts: &Counts, by_colour: [Wdl; 2]) -> String {
    let mut text = String::new();
    for (colour, wdl) in ["White", "Black"].into_iter().zip(by_colour) {
        if wdl.games() > 0 {
            let _ = writeln!(text, "...      {name} playing {colour}: {}", line(&wdl));
        }
    }
    if counts.wdl.games() > 0 {
        let [white, black] = by_colour;
        let white_side = Wdl {
            wins: white.wins + black.losses,
            draws: white.draws + black.draws,
            losses: white.losses + black.wins,
        };
        let _ = writeln!(text, "...      White vs Black: {}", line(&white_side));
    }
    let figures = Figures::of_games(&counts.wdl, Z95_APPROXIMATED);
    let _ = writeln!(
        text,
        "Elo difference: {} +/- {}, LOS: {} %, DrawRatio: {} %",
        unsigned_zero(figures.elo, 1),
        fixed(figures.elo_error, 1),
        fixed(los_of_decided_games(&counts.wdl), 1),
        fixed(100.0 * counts.draw_ratio(), 1)
    );
    text
}

/// A number as cutechess-cli writes it: zero has no sign.
fn unsigned_zero(value: f64, decimals: usize) -> String {
    fixed(if value == 0.0 { 0.0 } else { value }, decimals)
}

/// What cutechess-cli prints of a test where there is none.
pub(super) const NO_TEST: &str = "SPRT: llr 0 (0.0%), lbound -inf, ubound inf\n";

/// How the test stands.
pub(super) fn test(state: &TestState) -> String {
    let accepted = state.accepted().map_or_else(String::new, |accepted| {
        format!(" - {accepted} was accepted")
    });
    format!(
        "SPRT: llr {} ({}%), lbound {}, ubound {}{accepted}\n",
        general(state.llr, 3),
        fixed(100.0 * state.llr / state.upper, 1),
        general(state.lower, 3),
        general(state.upper, 3)
    )
}

/// The ranking of more than two engines.
pub(super) fn ranking(names: &[String], counts: &[Counts], gauntlet: bool) -> String {
    let mut rows: Vec<(usize, &Counts)> = counts.iter().enumerate().collect();
    rows.sort_by(|a, b| {
        let key = |(index, counts): &(usize, &Counts)| match counts.wdl.games() {
            _ if gauntlet && *index == 0 => -1.0,
            0 => 2.0,
            _ => 1.0 - counts.score(),
        };
        // Of equal ones the last comes first.
        key(a).total_cmp(&key(b)).then(b.0.cmp(&a.0))
    });
    let mut text = format!(
        "{:>4} {:<25} {:>7} {:>7} {:>7} {:>7} {:>7} \n",
        "Rank", "Name", "Elo", "+/-", "Games", "Score", "Draw"
    );
    let first = usize::from(!gauntlet);
    for (number, (index, counts)) in rows.into_iter().enumerate() {
        let figures = Figures::of_games(&counts.wdl, Z95_APPROXIMATED);
        let _ = writeln!(
            text,
            "{:>4} {:<25} {:>7} {:>7} {:>7} {:>6}% {:>6}% ",
            number + first,
            names[index],
            unsigned_zero(figures.elo, 0),
            fixed(figures.elo_error, 0),
            counts.wdl.games(),
            fixed(100.0 * counts.score(), 1),
            fixed(100.0 * counts.draw_ratio(), 1)
        );
    }
    text
}

/// How the games of each engine ended, after an empty line for each.
pub(super) fn outcomes(names: &[String], outcomes: &[BTreeMap<String, u64>]) -> String {
    let mut text = String::new();
    for (name, outcomes) in names.iter().zip(outcomes) {
        let _ = write!(text, "\nPlayer: {name}");
        for (reason, count) in outcomes {
            let _ = write!(text, "\n   \"{reason}\": {count}");
        }
    }
    text.push('\n');
    text
}
