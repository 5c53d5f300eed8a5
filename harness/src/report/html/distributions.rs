//! How long the engines thought and how deep they looked.

use super::Source;
use super::effort::{Counts, Effort};
use super::markup::{Table, paragraph};
use super::progress::figure;
use crate::ledger::LedgerError;
use crate::report::chart::{Chart, Line, Paint};
use crate::report::facts::RunFacts;

/// Bins of a decade of milliseconds.
const BINS: f64 = 8.0;

/// Of `efforts`, which the games' comments told, or, where they tell nothing,
/// of the means of games in the ledger.
pub(super) fn section(
    efforts: &[Effort],
    facts: &RunFacts,
    source: &Source<'_>,
) -> anyhow::Result<String> {
    let names: Vec<&str> = facts.engines.iter().map(|e| e.name.as_str()).collect();
    let told = efforts.iter().any(|effort| effort.ms.total() > 0);
    let means;
    let (efforts, unit, origin) = if told {
        (efforts, "moves", "From every move's comment in games.pgn.")
    } else {
        means = means_of_games(source, facts.pairs, efforts.len())?;
        (
            means.as_slice(),
            "games",
            "games.pgn has no comments on the moves, so these are the means of each game, from games.csv.",
        )
    };
    if efforts.iter().all(|effort| effort.ms.total() == 0) {
        return Ok(paragraph("No moves yet."));
    }
    let mut html = paragraph(origin);
    html += "<div class=\"pictures\">\n";
    html += &pictured(
        "Time of a move",
        "ms",
        unit,
        &names,
        efforts,
        time,
        &log_bin,
    )?;
    html += &pictured(
        "Depth of a move",
        "depth",
        unit,
        &names,
        efforts,
        depth,
        &|v| v as f64,
    )?;
    html += "</div>\n";
    html += &table("Time of a move, in ms", unit, &names, efforts, time);
    html += &table("Depth of a move", unit, &names, efforts, depth);
    Ok(html)
}

fn means_of_games(
    source: &Source<'_>,
    pairs: u64,
    engines: usize,
) -> Result<Vec<Effort>, LedgerError> {
    let mut efforts = vec![Effort::default(); engines];
    for entry in source.counted(pairs)? {
        let entry = entry?;
        for (number, game) in entry.result.games.iter().enumerate() {
            for colour in 0..2 {
                let moves = u64::from(game.effort[colour].moves);
                let engine = entry.result.engines[(number + colour) % 2];
                let mean = |sum: u64| sum.checked_div(moves);
                if let (Some(ms), Some(depth)) =
                    (mean(game.ms[colour]), mean(game.effort[colour].depth))
                {
                    efforts[engine].ms.add(ms);
                    efforts[engine].depth.add(depth);
                }
            }
        }
    }
    Ok(efforts)
}

/// The middle of the bin of a time in milliseconds, as its logarithm to the
/// base of ten; less than a millisecond has a bin of its own.
fn log_bin(ms: u64) -> f64 {
    if ms == 0 {
        return -1.0 / BINS;
    }
    ((ms as f64).log10() * BINS).floor() / BINS
}

type Pick = fn(&Effort) -> &Counts;

fn time(effort: &Effort) -> &Counts {
    &effort.ms
}

fn depth(effort: &Effort) -> &Counts {
    &effort.depth
}

fn pictured(
    title: &str,
    x_title: &str,
    unit: &str,
    names: &[&str],
    efforts: &[Effort],
    pick: Pick,
    bin: &dyn Fn(u64) -> f64,
) -> anyhow::Result<String> {
    let is_log = x_title == "ms";
    let width = if is_log { 1.0 / BINS } else { 1.0 };
    // Mates are found at any depth: the last few would squeeze all others.
    let most = |effort: &Effort| pick(effort).quantile(if is_log { 1.0 } else { 0.995 });
    let last = efforts.iter().take(2).filter_map(most).max().unwrap_or(0);
    let shares: Vec<Vec<(f64, f64)>> = efforts
        .iter()
        .take(2)
        .map(|effort| steps(pick(effort), last, bin, width))
        .collect();
    let all = || shares.iter().flatten();
    let ends = all().fold((f64::MAX, f64::MIN), |(low, high), (x, _)| {
        (low.min(*x), high.max(*x))
    });
    let top = all().map(|(_, y)| *y).fold(0.0, f64::max);
    let medians: Vec<String> = names
        .iter()
        .zip(efforts)
        .take(2)
        .filter_map(|(name, effort)| Some(format!("{name} {}", pick(effort).quantile(0.5)?)))
        .collect();
    let mut words = format!("{title}: median {}.", medians.join(", "));
    if !is_log {
        words += &format!(" Shown up to {last}, where 99.5 % lie.");
    }
    let milliseconds = |x: &f64| match x {
        x if *x < 0.0 => "<1".to_string(),
        x => format!("{:.0}", 10f64.powf(*x)),
    };
    let y_title = format!("% of {unit}");
    let paints = [Paint::First, Paint::Second];
    let lines = shares.into_iter().zip(paints);
    let svg = Chart {
        label: words.clone(),
        x_title,
        y_title: &y_title,
        x: ends,
        y: (0.0, (top * 1.08).max(1.0)),
        x_format: if is_log { Some(&milliseconds) } else { None },
        lines: lines
            .map(|(points, paint)| Line { paint, points })
            .collect(),
        ..Chart::default()
    }
    .svg()?;
    let legend: Vec<(Paint, &str)> = paints.into_iter().zip(names.iter().copied()).collect();
    Ok(figure(&svg, &words, &legend))
}

/// The outline of a histogram in percent, up to the value `last`.
fn steps(counts: &Counts, last: u64, bin: &dyn Fn(u64) -> f64, width: f64) -> Vec<(f64, f64)> {
    let mut bins: Vec<(f64, f64)> = Vec::new();
    for (value, count) in counts.iter().take_while(|(value, _)| *value <= last) {
        let share = 100.0 * count as f64 / counts.total() as f64;
        let x = bin(value);
        match bins.last_mut() {
            Some((last, sum)) if *last == x => *sum += share,
            _ => bins.push((x, share)),
        }
    }
    let mut outline = Vec::new();
    let mut end = None;
    for (x, share) in bins {
        if let Some(end) = end
            && x - end > width / 2.0
        {
            outline.extend([(end, 0.0), (x, 0.0)]);
        } else if end.is_none() {
            outline.push((x, 0.0));
        }
        outline.extend([(x, share), (x + width, share)]);
        end = Some(x + width);
    }
    outline.extend(end.map(|end| (end, 0.0)));
    outline
}

fn table(caption: &str, unit: &str, names: &[&str], efforts: &[Effort], pick: Pick) -> String {
    let head = ["engine", unit, "10 %", "median", "90 %", "99 %", "most"];
    let mut table = Table::new(caption, &head);
    for (name, effort) in names.iter().zip(efforts) {
        let counts = pick(effort);
        let mut row = vec![(*name).to_string(), counts.total().to_string()];
        for q in [0.1, 0.5, 0.9, 0.99, 1.0] {
            row.push(
                counts
                    .quantile(q)
                    .map_or("-".to_string(), |v| v.to_string()),
            );
        }
        table.row(&row);
    }
    table.html()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_is_an_outline_of_all() {
        let mut counts = Counts::default();
        for depth in [1, 2, 2, 5] {
            counts.add(depth);
        }
        let outline = steps(&counts, 9, &|v| v as f64, 1.0);
        assert_eq!(
            outline,
            [
                (1.0, 0.0),
                (1.0, 25.0),
                (2.0, 25.0),
                (2.0, 50.0),
                (3.0, 50.0),
                (3.0, 0.0),
                (5.0, 0.0),
                (5.0, 25.0),
                (6.0, 25.0),
                (6.0, 0.0)
            ]
        );
        assert!(steps(&Counts::default(), 9, &|v| v as f64, 1.0).is_empty());
    }

    #[test]
    fn times_are_binned_by_their_logarithm() {
        assert_eq!(log_bin(1), 0.0);
        assert_eq!(log_bin(1000), 3.0);
        assert!(log_bin(0) < 0.0);
        assert_eq!(log_bin(105), 2.0);
    }
}
