//! `hone calc rate`: ratings of any number of engines.

use std::path::PathBuf;

use clap::Args;

use super::sources::{self, Sources};
use super::text::ends;
use crate::cli::{Exit, Failure};
use hone_base::{errln, out, outln};
use hone_report::{TOO_FEW_RESULTS, counted, fixed, guarded, probability};
use hone_stats::Estimate;
use hone_stats::rating::{Rating, RatingOptions, Ratings, rate};
use hone_stats::summary::Interval;

/// Ratings of any number of engines, by maximum likelihood on pairs
#[derive(Debug, Args)]
pub(super) struct Rate {
    /// PGN files, and folders of runs
    #[arg(required = true, value_name = "PGN|RUN", add = crate::cli::completions::run_or_file())]
    sources: Vec<PathBuf>,
    /// An engine with a fixed rating (0 if not given); repeatable
    #[arg(long = "anchor", value_name = "NAME[=ELO]", value_parser = parse_anchor, allow_hyphen_values = true)]
    anchors: Vec<(String, f64)>,
    /// The mean rating of a pool without anchor
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 0.0,
        value_parser = parse_elo,
        allow_negative_numbers = true
    )]
    average: f64,
    /// White's advantage, instead of an estimate
    #[arg(long, value_name = "ELO", value_parser = parse_elo, allow_negative_numbers = true)]
    white_advantage: Option<f64>,
    /// Ordo's scale, 202 points at a score of 76 %, instead of the logistic one
    #[arg(long)]
    ordo_scale: bool,
    /// Print comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Rate {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let Sources { games, planned } = sources::read(&self.sources)?;
        let options = self.options(planned);
        let ratings = rate(&games, &options)?.supported_by(&games, &options);
        if self.json {
            outln!("{}", serde_json::to_string(&ratings)?);
            return Ok(Exit::Done);
        }
        for warning in &ratings.warnings {
            errln!("warning: {warning}");
        }
        if self.csv {
            print_csv(&ratings)?;
        } else {
            print_table(&ratings);
        }
        Ok(Exit::Done)
    }

    fn options(&self, planned: Option<u64>) -> RatingOptions {
        RatingOptions {
            anchors: self.anchors.clone(),
            average: self.average,
            white_advantage: self.white_advantage,
            scale: if self.ordo_scale {
                202.0 / (0.76f64 / 0.24).log10()
            } else {
                RatingOptions::default().scale
            },
            planned,
        }
    }
}

fn parse_anchor(text: &str) -> Result<(String, f64), String> {
    let Some((name, elo)) = text.rsplit_once('=') else {
        return Ok((text.to_owned(), 0.0));
    };
    match parse_elo(elo) {
        Ok(elo) => Ok((name.to_owned(), elo)),
        Err(error) => Err(format!("{error}: write NAME=ELO")),
    }
}

fn parse_elo(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(elo) if f64::is_finite(elo) => Ok(elo),
        _ => Err(format!("`{text}` is not a rating")),
    }
}

fn print_table(ratings: &Ratings) {
    let names = ratings
        .ratings
        .iter()
        .map(|rating| rating.name.chars().count());
    let width = names.max().unwrap_or(0).max(6);
    outln!(
        "{:>4}  {:width$} {:>9} {:>19} {:>8} {:>9} {:>7}  LOS vs next",
        "#",
        "engine",
        "Elo",
        "95 %",
        "games",
        "points",
        "score"
    );
    for (i, rating) in ratings.ratings.iter().enumerate() {
        let is_new_pool = i > 0 && ratings.ratings[i - 1].pool != rating.pool;
        if is_new_pool {
            outln!("      -- separate pool: not comparable with the engines above --");
        }
        let (elo, ends) = rating.elo.map_or_else(
            || ("-".to_owned(), "-".to_owned()),
            |elo| {
                let mark = match rating.interval {
                    Interval::AlwaysValid => "*",
                    Interval::FixedLength => "",
                };
                (fixed(elo.estimate, 1), interval(elo) + mark)
            },
        );
        let next = ratings.los[i].get(i + 1).copied().flatten();
        let los = next.map_or_else(String::new, |los| probability(los, 1));
        outln!(
            "{:>4}  {:width$} {elo:>9} {ends:>19} {:>8} {:>9.1} {:>6.1}%  {los}",
            i + 1,
            rating.name,
            rating.games,
            rating.points,
            100.0 * rating.points / rating.games as f64,
        );
    }
    let is_marked =
        |rating: &Rating| rating.elo.is_some() && rating.interval == Interval::AlwaysValid;
    if ratings.ratings.iter().any(is_marked) {
        outln!(
            "* {TOO_FEW_RESULTS}: the always-valid interval of the engine's own score, or of the games that link it to the others"
        );
    }
    print_white_advantage(ratings);
    if let Some(draw_ratio) = ratings.draw_ratio {
        outln!("Draws between equals: {:.1} %", 100.0 * draw_ratio);
    }
    outln!(
        "{} and {}",
        counted(ratings.pairs, "pair"),
        counted(singles(ratings), "single game")
    );
    print_los(ratings);
}

/// `+/- 3.1`, or both ends of an asymmetric interval.
fn interval(elo: Estimate) -> String {
    match elo.margin() {
        Some(margin) => format!("+/- {margin:.1}"),
        None => ends(elo, 1),
    }
}

fn print_white_advantage(ratings: &Ratings) {
    let white = ratings.white_advantage;
    let margin = if ratings.white_advantage_supported {
        format!("+/- {:.1} Elo", white.half_width())
    } else {
        format!("Elo ({TOO_FEW_RESULTS} for an interval)")
    };
    let estimate = fixed(white.estimate, 1);
    outln!("White's advantage: {estimate} {margin}");
}

/// Number of games without a partner.
fn singles(ratings: &Ratings) -> u64 {
    let sides: u64 = ratings.ratings.iter().map(|rating| rating.games).sum();
    sides / 2 - 2 * ratings.pairs
}

/// The matrix of LOS in per cent: the probability that the engine of the row is the stronger.
fn print_los(ratings: &Ratings) {
    if ratings.ratings.len() < 3 {
        return;
    }
    outln!("\nLOS of row over column, %");
    out!("{:>4}", "");
    (1..=ratings.los.len()).for_each(|column| out!("{column:>6}"));
    outln!();
    for (i, row) in ratings.los.iter().enumerate() {
        out!("{:>4}", i + 1);
        for los in row {
            match los {
                Some(los) => out!("{:>6}", probability(*los, 1).trim_end_matches(" %")),
                None => out!("{:>6}", "-"),
            }
        }
        outln!();
    }
}

fn print_csv(ratings: &Ratings) -> Result<(), anyhow::Error> {
    // Not written to `Out`: the writer's buffer may end within a character.
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "rank", "name", "elo", "low", "high", "games", "points", "wins", "draws", "losses", "pool",
    ])?;
    for (i, rating) in ratings.ratings.iter().enumerate() {
        let Rating { elo, .. } = rating;
        let number = |value: Option<f64>| value.map_or_else(String::new, |v| format!("{v:.4}"));
        writer.write_record([
            (i + 1).to_string(),
            guarded(&rating.name),
            number(elo.map(|e| e.estimate)),
            number(elo.map(|e| e.low)),
            number(elo.map(|e| e.high)),
            rating.games.to_string(),
            rating.points.to_string(),
            rating.wins.to_string(),
            rating.draws.to_string(),
            rating.losses.to_string(),
            rating.pool.to_string(),
        ])?;
    }
    out!("{}", String::from_utf8(writer.into_inner()?)?);
    Ok(())
}
