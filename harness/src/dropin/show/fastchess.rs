//! The blocks of fastchess.

use std::fmt::Write;

use super::figures::{Figures, Z95, fixed, general};
use super::scores::{Counts, TestState};
use crate::config::EngineConfig;
use crate::rules::Limit;
use crate::run::{Manifest, option_value};

/// The line above and below a block.
pub(super) const RULE: &str = "--------------------------------------------------\n";

/// Under which conditions two engines play, as a block names them.
pub(super) fn conditions(manifest: &Manifest) -> String {
    let config = &manifest.config;
    let both = |text: &dyn Fn(&EngineConfig) -> String| {
        let texts: Vec<String> = config.engine.iter().take(2).map(text).collect();
        match &texts[..] {
            [first, second] if first != second => format!("{first} - {second}"),
            _ => texts.into_iter().next().unwrap_or_default(),
        }
    };
    let limit = both(&|engine| {
        let limit = engine.limit.as_ref().unwrap_or(&config.r#match.limit);
        limit_text(limit)
    });
    let threads = both(&|engine| option(engine, manifest, "Threads", "t"));
    let hash = both(&|engine| option(engine, manifest, "Hash", "MB"));
    let mut text = format!("{limit}, {threads}, {hash}");
    if let Some(file @ crate::settings::BookSource::File(_)) = &config.r#match.openings.file {
        let _ = write!(text, ", {}", file.name());
    }
    text
}

/// An option that the command line sets, or its default; `NULL` for one that
/// the engine does not have.
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
            ms => format!("+{}", general(ms as f64 / 1000.0, 2)),
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
    counts: &Counts,
    penta: bool,
) -> String {
    let figures = figures(counts, penta);
    let wdl = &counts.wdl;
    let mut text = format!("Results of {} vs {} ({conditions}):\n", names[0], names[1]);
    let _ = writeln!(
        text,
        "Elo: {} +/- {}, nElo: {} +/- {}",
        fixed(figures.elo, 2),
        fixed(figures.elo_error, 2),
        fixed(figures.nelo, 2),
        fixed(figures.nelo_error, 2)
    );
    let _ = write!(text, "LOS: {} %", fixed(100.0 * figures.los, 2));
    let _ = match penta {
        true => {
            let [ll, ld, _, wd, ww] = counts.pairs.0;
            let ratio = (ww + wd) as f64 / (ld + ll) as f64;
            writeln!(
                text,
                ", DrawRatio: {} %, PairsRatio: {}",
                fixed(100.0 * counts.level_ratio(), 2),
                fixed(ratio, 2)
            )
        }
        false => writeln!(
            text,
            ", DrawRatio: {} %",
            fixed(100.0 * counts.draw_ratio(), 2)
        ),
    };
    let _ = writeln!(
        text,
        "Games: {}, Wins: {}, Losses: {}, Draws: {}, Points: {} ({} %)",
        wdl.games(),
        wdl.wins,
        wdl.losses,
        wdl.draws,
        fixed(counts.points(), 1),
        fixed(100.0 * counts.score(), 2)
    );
    if penta {
        let level = counts.pairs.0[2] - counts.won_and_lost;
        let ratio = counts.won_and_lost as f64 / level as f64;
        let _ = writeln!(
            text,
            "Ptnml(0-2): {:?}, WL/DD Ratio: {}",
            counts.pairs.0,
            fixed(ratio, 2)
        );
    }
    text
}

/// How the test stands.
pub(super) fn test(state: &TestState) -> String {
    format!(
        "LLR: {} ({}%) ({}, {}) {}\n",
        fixed(state.llr, 2),
        fixed(percent(state), 1),
        fixed(state.lower, 2),
        fixed(state.upper, 2),
        hypotheses(state)
    )
}

fn hypotheses(state: &TestState) -> String {
    format!("[{}, {}]", fixed(state.elo0, 2), fixed(state.elo1, 2))
}

/// The way to the bound that is nearer in sign; negative towards H0.
fn percent(state: &TestState) -> f64 {
    match state.llr >= 0.0 {
        true => 100.0 * state.llr / state.upper,
        false => -100.0 * state.llr / state.lower,
    }
}

/// The line that ends a decided test.
pub(super) fn decided(state: &TestState, accepted: &str) -> String {
    format!(
        "SPRT ({}) completed - {accepted} was accepted\n",
        hypotheses(state)
    )
}

/// How the test stands, as fastchess prints it for readers of cutechess-cli.
pub(super) fn test_as_cutechess(state: &TestState) -> String {
    let accepted = state.accepted().map_or_else(String::new, |accepted| {
        format!(" - {accepted} was accepted")
    });
    format!(
        "SPRT: llr {} ({}%), lbound {}, ubound {}{accepted}\n",
        fixed(state.llr, 2),
        fixed(percent(state).abs(), 1),
        fixed(state.lower, 2),
        fixed(state.upper, 2)
    )
}

/// Elo of two engines, as fastchess prints it for readers of cutechess-cli.
pub(super) fn elo_as_cutechess(counts: &Counts) -> String {
    let figures = Figures::of_games(&counts.wdl, Z95);
    format!(
        "Elo difference: {} +/- {}, LOS: {} %, DrawRatio: {} %\n",
        fixed(figures.elo, 2),
        fixed(figures.elo_error, 2),
        fixed(100.0 * figures.los, 2),
        fixed(100.0 * counts.draw_ratio(), 2)
    )
}

fn figures(counts: &Counts, penta: bool) -> Figures {
    match penta {
        true => Figures::of_pairs(&counts.pairs),
        false => Figures::of_games(&counts.wdl, Z95),
    }
}

/// The ranking of more than two engines.
pub(super) fn ranking(names: &[String], counts: &[Counts], penta: bool, is_plain: bool) -> String {
    let mut rows: Vec<(&String, &Counts, Figures)> = names
        .iter()
        .zip(counts)
        .map(|(name, counts)| (name, counts, figures(counts, penta)))
        .collect();
    // Without a number last.
    rows.sort_by(|a, b| {
        let key = |elo: f64| if elo.is_nan() { f64::NEG_INFINITY } else { elo };
        key(b.2.elo).total_cmp(&key(a.2.elo))
    });
    let width = names.iter().map(String::len).max().unwrap_or(0).max(25);
    let mut text = format!(
        "{:<4} {:<width$} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "Rank", "Name", "Elo", "+/-", "nElo", "+/-", "Games", "Score", "Draw"
    );
    text.push_str(&match is_plain {
        true => "\n".to_string(),
        false => format!(" {:>20}\n", "Ptnml(0-2)"),
    });
    for (number, (name, counts, figures)) in rows.into_iter().enumerate() {
        let draws = match penta {
            true => counts.level_ratio(),
            false => counts.draw_ratio(),
        };
        let _ = write!(
            text,
            "{:>4} {name:<width$} {:>10} {:>10} {:>10} {:>10} {:>10} {:>9}% {:>9}%",
            number + 1,
            fixed(figures.elo, 2),
            fixed(figures.elo_error, 2),
            fixed(figures.nelo, 2),
            fixed(figures.nelo_error, 2),
            counts.wdl.games(),
            fixed(100.0 * counts.score(), 1),
            fixed(100.0 * draws, 1)
        );
        let pairs = match penta {
            true => format!("{:?}", counts.pairs.0),
            false => String::new(),
        };
        text.push_str(&match is_plain {
            true => "\n".to_string(),
            false => format!(" {pairs:>20}\n"),
        });
    }
    text
}
