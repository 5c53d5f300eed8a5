//! The output of fastchess.

use super::figures::{Figures, fixed, percent};
use hone_run::config::EngineConfig;
use hone_run::{Manifest, PairingTally, option_value};
use hone_stats::{Counts, SprtState};
use hone_uci::rules::Limit;

/// The line above and below a block.
pub(super) const RULE: &str = "--------------------------------------------------\n";

/// The conditions of a match, as a block prints them.
pub(super) fn conditions(manifest: &Manifest) -> String {
    let config = &manifest.config;
    let both = |text: &dyn Fn(&EngineConfig) -> String| {
        let texts: Vec<String> = config.engine.iter().take(2).map(text).collect();
        match &texts[..] {
            [first, second] if first != second => format!("{first} - {second}"),
            _ => texts.into_iter().next().unwrap_or_default(),
        }
    };
    let limit = both(&|engine| limit_text(config.limit_of(engine)));
    let threads = both(&|engine| option(engine, manifest, "Threads", "t"));
    let hash = both(&|engine| option(engine, manifest, "Hash", "MB"));
    let mut text = format!("{limit}, {threads}, {hash}");
    if let Some(file @ hone_experiment::settings::BookSource::File(_)) =
        &config.r#match.openings.file
    {
        text += &format!(", {}", file.name());
    }
    text
}

/// The value of an option: that of the command line, or the default; `NULL` if the engine
/// does not have it.
fn option(engine: &EngineConfig, manifest: &Manifest, name: &str, unit: &str) -> String {
    let value = option_value(engine, &manifest.engines, name);
    value.map_or_else(|| "NULL".to_string(), |value| format!("{value}{unit}"))
}

fn limit_text(limit: &Limit) -> String {
    if let Some(stage) = limit.stages().first() {
        let moves = stage
            .moves
            .map_or_else(String::new, |moves| format!("{moves}/"));
        let increment = match stage.increment {
            0 => String::new(),
            ms => format!("+{}", ms as f64 / 1000.0),
        };
        return format!("{moves}{}{increment}", stage.base as f64 / 1000.0);
    }
    if let Some(ms) = limit.movetime {
        return format!("{}/move", ms as f64 / 1000.0);
    }
    match (limit.depth, limit.nodes) {
        (Some(depth), _) => format!("{depth} plies"),
        (None, Some(nodes)) => format!("{nodes} nodes"),
        (None, None) => String::new(),
    }
}

/// The result of two engines.
pub(super) fn head_to_head(
    names: [&str; 2],
    conditions: &str,
    results: &PairingTally,
    penta: bool,
) -> String {
    let figures = figures(results, penta);
    let wdl = results.wdl;
    let mut text = format!("Results of {} vs {} ({conditions}):\n", names[0], names[1]);
    text += &format!(
        "Elo: {} +/- {}, nElo: {} +/- {}\nLOS: {} %, DrawRatio: {} %",
        fixed(figures.elo, 2),
        fixed(figures.elo_error, 2),
        fixed(figures.nelo, 2),
        fixed(figures.nelo_error, 2),
        fixed(100.0 * figures.los, 2),
        percent(counts(results, penta).draw_ratio(), 2)
    );
    if penta {
        let [ll, ld, _, wd, ww] = results.pentanomial.0;
        let ratio = (ww + wd) as f64 / (ld + ll) as f64;
        text += &format!(", PairsRatio: {}", fixed(ratio, 2));
    }
    text += &format!(
        "\nGames: {}, Wins: {}, Losses: {}, Draws: {}, Points: {} ({} %)\n",
        wdl.games(),
        wdl.wins,
        wdl.losses,
        wdl.draws,
        fixed(wdl.points(), 1),
        percent(wdl.score(), 2)
    );
    if penta {
        let level = results.pentanomial.0[2] - results.won_and_lost;
        let ratio = results.won_and_lost as f64 / level as f64;
        text += &format!(
            "Ptnml(0-2): {:?}, WL/DD Ratio: {}\n",
            results.pentanomial.0,
            fixed(ratio, 2)
        );
    }
    text
}

/// The state of the test.
pub(super) fn test(state: &SprtState) -> String {
    format!(
        "LLR: {} ({}%) ({}, {}) {}\n",
        fixed(state.llr, 2),
        fixed(progress(state), 1),
        fixed(state.lower, 2),
        fixed(state.upper, 2),
        hypotheses(state)
    )
}

fn hypotheses(state: &SprtState) -> String {
    format!("[{}, {}]", fixed(state.elo0, 2), fixed(state.elo1, 2))
}

/// The LLR in percent of the bound of the same sign; negative towards H0.
pub(super) fn progress(state: &SprtState) -> f64 {
    if state.llr >= 0.0 {
        100.0 * state.llr / state.upper
    } else {
        -100.0 * state.llr / state.lower
    }
}

/// The last line of a decided test.
pub(super) fn decided(state: &SprtState, accepted: &str) -> String {
    format!(
        "SPRT ({}) completed - {accepted} was accepted\n",
        hypotheses(state)
    )
}

fn figures(results: &PairingTally, penta: bool) -> Figures {
    match counts(results, penta) {
        Counts::Pentanomial(pairs) => Figures::of_pairs(&pairs),
        Counts::Wdl(games) => Figures::of_games(&games),
    }
}

/// Counts of pairs or of single games.
fn counts(results: &PairingTally, penta: bool) -> Counts {
    if penta {
        results.pentanomial.into()
    } else {
        results.wdl.into()
    }
}

/// The ranking of more than two engines.
pub(super) fn ranking(names: &[String], results: &[PairingTally], penta: bool) -> String {
    let mut rows: Vec<(&String, &PairingTally, Figures)> = names
        .iter()
        .zip(results)
        .map(|(name, results)| (name, results, figures(results, penta)))
        .collect();
    // Engines without a number come last.
    rows.sort_by(|a, b| {
        let key = |elo: f64| if elo.is_nan() { f64::NEG_INFINITY } else { elo };
        key(b.2.elo).total_cmp(&key(a.2.elo))
    });
    let width = names.iter().map(String::len).max().unwrap_or(0).max(25);
    let mut text = format!(
        "{RULE}{:<4} {:<width$} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>20}\n",
        "Rank", "Name", "Elo", "+/-", "nElo", "+/-", "Games", "Score", "Draw", "Ptnml(0-2)"
    );
    for (number, (name, results, figures)) in rows.into_iter().enumerate() {
        let pairs = if penta {
            format!("{:?}", results.pentanomial.0)
        } else {
            String::new()
        };
        text += &format!(
            "{:>4} {name:<width$} {:>10} {:>10} {:>10} {:>10} {:>10} {:>9}% {:>9}% {pairs:>20}\n",
            number + 1,
            fixed(figures.elo, 2),
            fixed(figures.elo_error, 2),
            fixed(figures.nelo, 2),
            fixed(figures.nelo_error, 2),
            results.wdl.games(),
            percent(results.wdl.score(), 1),
            percent(counts(results, penta).draw_ratio(), 1)
        );
    }
    text + RULE
}
