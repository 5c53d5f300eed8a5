//! The output of cutechess-cli.

use std::collections::BTreeMap;

use super::figures::{Figures, Z95_APPROXIMATED, fixed, general, los_of_decided_games, percent};
use super::scores::accepted;
use hone_run::PairingTally;
use hone_stats::{Counts, SprtState, Wdl};

/// The score after each game of two engines; fastchess prints the same on
/// request.
pub(super) fn score(names: [&str; 2], wdl: &Wdl) -> String {
    format!("Score of {} vs {}: {}\n", names[0], names[1], line(wdl))
}

/// `W - L - D  [score] games`.
fn line(wdl: &Wdl) -> String {
    format!(
        "{} - {} - {}  [{}] {}",
        wdl.wins,
        wdl.losses,
        wdl.draws,
        fixed(wdl.score().unwrap_or(f64::NAN), 3),
        wdl.games()
    )
}

/// The result of two engines: the first by colour, and its Elo.
pub(super) fn head_to_head(name: &str, wdl: Wdl, by_colour: [Wdl; 2]) -> String {
    let mut text = String::new();
    for (colour, wdl) in ["White", "Black"].into_iter().zip(by_colour) {
        if wdl.games() > 0 {
            text += &format!("...      {name} playing {colour}: {}\n", line(&wdl));
        }
    }
    if wdl.games() > 0 {
        let [white, black] = by_colour;
        let white_side = white + black.swapped();
        text += &format!("...      White vs Black: {}\n", line(&white_side));
    }
    let figures = Figures::of_games(&wdl, Z95_APPROXIMATED);
    text + &format!(
        "Elo difference: {} +/- {}, LOS: {} %, DrawRatio: {} %\n",
        unsigned_zero(figures.elo, 1),
        fixed(figures.elo_error, 1),
        fixed(los_of_decided_games(&wdl), 1),
        percent(Counts::from(wdl).draw_ratio(), 1)
    )
}

/// Formats a number like cutechess-cli: zero has no sign.
fn unsigned_zero(value: f64, decimals: usize) -> String {
    fixed(if value == 0.0 { 0.0 } else { value }, decimals)
}

/// The line of cutechess-cli without a test.
pub(super) const NO_TEST: &str = "SPRT: llr 0 (0.0%), lbound -inf, ubound inf\n";

/// The state of the test.
pub(super) fn test(state: &SprtState) -> String {
    let accepted = accepted(state).map_or_else(String::new, |accepted| {
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
pub(super) fn ranking(names: &[String], results: &[PairingTally], gauntlet: bool) -> String {
    let mut rows: Vec<(usize, Wdl)> = results.iter().map(|one| one.wdl).enumerate().collect();
    rows.sort_by(|a, b| {
        let key = |(index, wdl): &(usize, Wdl)| match wdl.score() {
            _ if gauntlet && *index == 0 => -1.0,
            None => 2.0,
            Some(score) => 1.0 - score,
        };
        // Among equal engines, the last comes first.
        key(a).total_cmp(&key(b)).then(b.0.cmp(&a.0))
    });
    let mut text = format!(
        "{:>4} {:<25} {:>7} {:>7} {:>7} {:>7} {:>7} \n",
        "Rank", "Name", "Elo", "+/-", "Games", "Score", "Draw"
    );
    let first = usize::from(!gauntlet);
    for (number, (index, wdl)) in rows.into_iter().enumerate() {
        let figures = Figures::of_games(&wdl, Z95_APPROXIMATED);
        text += &format!(
            "{:>4} {:<25} {:>7} {:>7} {:>7} {:>6}% {:>6}% \n",
            number + first,
            names[index],
            unsigned_zero(figures.elo, 0),
            fixed(figures.elo_error, 0),
            wdl.games(),
            percent(wdl.score(), 1),
            percent(Counts::from(wdl).draw_ratio(), 1)
        );
    }
    text
}

/// The terminations of each engine's games, each after an empty line.
pub(super) fn outcomes(names: &[String], outcomes: &[BTreeMap<String, u64>]) -> String {
    let mut text = String::new();
    for (name, outcomes) in names.iter().zip(outcomes) {
        text += &format!("\nPlayer: {name}");
        for (reason, count) in outcomes {
            text += &format!("\n   \"{reason}\": {count}");
        }
    }
    text.push('\n');
    text
}
