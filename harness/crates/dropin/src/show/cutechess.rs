//! The output of cutechess-cli, as fastchess prints it with `-output format=cutechess`.

use super::fastchess::progress;
use super::figures::{Figures, fixed, percent};
use super::scores::accepted;
use hone_stats::{Counts, SprtState, Wdl};

/// The score after a game of two engines.
pub(super) fn score(names: [&str; 2], wdl: &Wdl) -> String {
    format!(
        "Score of {} vs {}: {} - {} - {}  [{}] {}\n",
        names[0],
        names[1],
        wdl.wins,
        wdl.losses,
        wdl.draws,
        fixed(wdl.score().unwrap_or(f64::NAN), 3),
        wdl.games()
    )
}

/// The state of the test.
pub(super) fn test(state: &SprtState) -> String {
    let accepted = accepted(state).map_or_else(String::new, |accepted| {
        format!(" - {accepted} was accepted")
    });
    format!(
        "SPRT: llr {} ({}%), lbound {}, ubound {}{accepted}\n",
        fixed(state.llr, 2),
        fixed(progress(state).abs(), 1),
        fixed(state.lower, 2),
        fixed(state.upper, 2)
    )
}

/// Elo of two engines.
pub(super) fn elo(wdl: Wdl) -> String {
    let figures = Figures::of_games(&wdl);
    format!(
        "Elo difference: {} +/- {}, LOS: {} %, DrawRatio: {} %\n",
        fixed(figures.elo, 2),
        fixed(figures.elo_error, 2),
        fixed(100.0 * figures.los, 2),
        percent(Counts::from(wdl).draw_ratio(), 2)
    )
}
