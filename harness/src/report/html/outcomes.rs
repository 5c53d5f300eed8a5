//! The numbers of a run: results, pairings, pairs, endings, colours.

use super::markup::{Table, paragraph};
use super::progress::figure;
use crate::report::chart::{Chart, Paint};
use crate::report::facts::{EngineFacts, RunFacts};
use crate::report::text::{number, percent, plus_minus};
use crate::stats::Estimate;

/// What a pair can come to, from the first engine's side.
const PAIRS: [(&str, &str); 5] = [
    ("LL", "both lost"),
    ("LD", "one lost, one drawn"),
    ("DD+WL", "level"),
    ("WD", "one won, one drawn"),
    ("WW", "both won"),
];

pub(super) fn results(facts: &RunFacts) -> String {
    let mut table = Table::new("From the first engine's side", &["", ""]);
    let [wins, draws, losses] = facts.wdl;
    let games = wins + draws + losses;
    let points = wins as f64 + draws as f64 / 2.0;
    let share = (games > 0).then(|| points / games as f64);
    let interval = |e: Option<Estimate>| match e {
        Some(e) => format!(
            "{} (95 %: {:.1} to {:.1})",
            plus_minus(Some(e)),
            e.low,
            e.high
        ),
        None => "not defined".to_string(),
    };
    table.row(&["Elo", &interval(facts.elo)]);
    if let Some(valid) = facts.always_valid {
        table.row(&[
            "Elo, always-valid interval",
            &format!("{:.1} to {:.1} (95 %)", valid.low, valid.high),
        ]);
    }
    if let Some(estimate) = facts.sprt.as_ref().and_then(|sprt| sprt.elo.as_ref()) {
        table.row(&[
            "Elo, corrected for stopping at a bound",
            &format!(
                "{:.1} (95 %: {:.1} to {:.1})",
                estimate.elo.estimate, estimate.elo.low, estimate.elo.high
            ),
        ]);
    }
    table.row(&["normalized Elo", &interval(facts.nelo)]);
    if let Some(sprt) = &facts.sprt {
        table.row(&[
            "LLR",
            &format!(
                "{:.2}, bounds {:.2} and {:.2}",
                sprt.llr, sprt.lower, sprt.upper
            ),
        ]);
        table.row(&[
            "hypotheses",
            &format!(
                "H0: {} Elo, H1: {} Elo ({}), error rates {} and {}",
                sprt.elo0, sprt.elo1, sprt.model, sprt.alpha, sprt.beta
            ),
        ]);
    }
    table.row(&["probability of being stronger", &percent(facts.los)]);
    table.row(&[
        "games",
        &format!("{games}: {wins} won, {draws} drawn, {losses} lost"),
    ]);
    table.row(&["points", &format!("{points:.1} ({})", percent(share))]);
    table.row(&["drawn pairs", &percent(facts.draw_ratio)]);
    table.row(&["pairs won by pairs lost", &number(facts.pair_ratio)]);
    table.row(&["seconds of play", &format!("{:.1}", facts.seconds)]);
    let mut html = table.html();
    for finding in &facts.findings {
        html += &format!(
            "<div class=\"lead bad\">{}</div>",
            paragraph(&finding.sentence())
        );
    }
    html + &engines(facts)
}

fn engines(facts: &RunFacts) -> String {
    let mut head = vec![""];
    head.extend(facts.engines.iter().map(|engine| engine.name.as_str()));
    let mut table = Table::new("The engines: means over their moves", &head);
    let mut row = |name: &str, cell: &dyn Fn(&EngineFacts) -> String| {
        let mut cells = vec![name.to_string()];
        cells.extend(facts.engines.iter().map(cell));
        table.row(&cells);
    };
    row("points as White", &|e| percent(share(e.as_white)));
    row("points as Black", &|e| percent(share(e.as_black)));
    row("depth", &|e| number(e.depth));
    row("selective depth", &|e| number(e.seldepth));
    row("nodes a move", &|e| number(e.nodes));
    row("ms a move", &|e| number(e.ms));
    row("nodes a second", &|e| number(e.nps));
    table.html()
}

fn share([wins, draws, losses]: [u64; 3]) -> Option<f64> {
    let games = wins + draws + losses;
    (games > 0).then(|| (wins as f64 + draws as f64 / 2.0) / games as f64)
}

/// The rating list and the pairings of more than two engines.
pub(super) fn field(facts: &RunFacts) -> String {
    let mut ratings = Table::new("Ratings", &["engine", "Elo", "points", "games"]);
    for rating in &facts.ratings {
        ratings.row(&[
            rating.name.clone(),
            plus_minus(rating.elo),
            format!("{:.1}", rating.points),
            rating.games.to_string(),
        ]);
    }
    let mut pairings = Table::new(
        "Pairings, from the first engine's side",
        &["pairing", "won", "drawn", "lost", "Elo", "normalized Elo"],
    );
    for pairing in &facts.pairings {
        let [w, d, l] = pairing.wdl.map(|count| count.to_string());
        pairings.row(&[
            format!("{} - {}", pairing.first, pairing.second),
            w,
            d,
            l,
            plus_minus(pairing.summary.elo),
            plus_minus(pairing.summary.nelo),
        ]);
    }
    if let Some(error) = &facts.rating_error {
        paragraph(&format!("No rating list: {error}.")) + &pairings.html()
    } else if facts.ratings.is_empty() {
        pairings.html()
    } else {
        ratings.html() + &pairings.html()
    }
}

/// Pairs, endings and colours.
pub(super) fn counts(facts: &RunFacts) -> anyhow::Result<String> {
    let total: u64 = facts.pentanomial.iter().sum();
    let mut table = Table::new(
        "Pairs by what the first engine took from them",
        &["pair", "meaning", "pairs", "share"],
    );
    for ((name, meaning), count) in PAIRS.iter().zip(facts.pentanomial) {
        table.row(&[
            (*name).to_string(),
            (*meaning).to_string(),
            count.to_string(),
            percent((total > 0).then(|| count as f64 / total as f64)),
        ]);
    }
    let paints = [
        Paint::Bad,
        Paint::Bad,
        Paint::Soft,
        Paint::Good,
        Paint::Good,
    ];
    let bars = PAIRS.iter().zip(facts.pentanomial).zip(paints);
    let words = format!("Pairs LL, LD, DD+WL, WD, WW: {:?}.", facts.pentanomial);
    let bars = bars.map(|(((name, _), count), paint)| ((*name).to_string(), count as f64, paint));
    let svg = Chart::of_bars(words.clone(), "pairs", bars).svg()?;
    let legend = [
        (Paint::Bad, "lost"),
        (Paint::Soft, "level"),
        (Paint::Good, "won"),
    ];
    let mut html = String::from("<div class=\"pictures\">\n");
    html += &figure(&svg, &words, &legend);
    html += "<div>\n";
    html += &table.html();
    html += &colours(facts);
    html += "</div>\n</div>\n";
    Ok(html + &endings(facts))
}

fn colours(facts: &RunFacts) -> String {
    let games: u64 = facts.by_colour.iter().sum();
    let mut table = Table::new("Games by colour", &["", "games", "share", ""]);
    for (name, count) in ["White won", "drawn", "Black won"]
        .iter()
        .zip(facts.by_colour)
    {
        let share = (games > 0).then(|| count as f64 / games as f64);
        let cells = [(*name).to_string(), count.to_string(), percent(share)];
        table.bar_row(&cells, share.unwrap_or(0.0));
    }
    table.html()
}

fn endings(facts: &RunFacts) -> String {
    let games: u64 = facts.terminations.iter().map(|(_, count)| count).sum();
    let mut table = Table::new(
        "Games by how they ended",
        &[
            "ended by",
            "games",
            "White won",
            "drawn",
            "Black won",
            "share",
            "",
        ],
    );
    for (termination, colours) in &facts.endings {
        let count: u64 = colours.iter().sum();
        let share = count as f64 / games.max(1) as f64;
        let mut cells = vec![termination.words().to_string(), count.to_string()];
        cells.extend(colours.map(|count| count.to_string()));
        cells.push(percent(Some(share)));
        table.bar_row(&cells, share);
    }
    let plies = match facts.mean_plies {
        Some(plies) => paragraph(&format!(
            "A game had {plies:.1} plies on average, without the opening."
        )),
        None => String::new(),
    };
    table.html() + &plies
}
