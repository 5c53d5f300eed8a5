//! `hone calc rate`: ratings of any number of engines.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Args;

use super::pgn_games::add_pgn;
use super::run_folder::{Row, RunFolder};
use super::text::{TOO_FEW, ends};
use crate::cli::{Exit, Failure};
use crate::ledger::GAMES_PGN;
use crate::output::Out;
use crate::report::{counted, fixed, guarded};
use crate::run::{MANIFEST, Manifest, find_run};
use crate::stats::Estimate;
use crate::stats::rating::{Game, Games, Rating, RatingOptions, Ratings, rate};
use crate::stats::summary::Interval;

/// Ratings of any number of engines, by maximum likelihood on pairs
#[derive(Debug, Args)]
pub(super) struct Rate {
    /// PGN files, and folders of runs
    #[arg(required = true, value_name = "PGN|RUN")]
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
        let mut games = Games::default();
        let (mut read, mut runs) = (BTreeSet::new(), BTreeMap::new());
        for source in &self.sources {
            let source = &match source.is_file() {
                true => source.clone(),
                false => find_run(source)?,
            };
            note_source(source, &mut read)?;
            if source.is_dir() {
                note_runs(source, &mut runs)?;
                add_run(&RunFolder::read(source)?, &mut games)
                    .with_context(|| format!("in {}", source.display()))?;
                continue;
            }
            let (path, left_out) = (source.display(), add_pgn(source, &mut games)?);
            if let Some(number) = left_out.from_game {
                errln!("warning: {path}: game {number} does not end: skipped it and all after it");
            }
            if left_out.games > 0 {
                let skipped = counted(left_out.games as u64, "game");
                errln!("warning: {path}: skipped {skipped} without a result or two players");
            }
        }
        let options = self.options();
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

    fn options(&self) -> RatingOptions {
        RatingOptions {
            anchors: self.anchors.clone(),
            average: self.average,
            white_advantage: self.white_advantage,
            scale: if self.ordo_scale {
                202.0 / (0.76f64 / 0.24).log10()
            } else {
                RatingOptions::default().scale
            },
        }
    }
}

/// Notes a source.
///
/// # Errors
/// If its games would count twice: it was given before, or the one of two sources is a run
/// and the other its file of games.
fn note_source(source: &Path, read: &mut BTreeSet<PathBuf>) -> Result<(), anyhow::Error> {
    let (path, shown) = (source.canonicalize()?, source.display());
    let is_file_of = |file: &Path, run: &Path| file == run.join(GAMES_PGN);
    let same_games = |other: &&PathBuf| is_file_of(&path, other) || is_file_of(other, &path);
    if let Some(other) = read.iter().find(same_games) {
        let other = other.display();
        bail!("`{shown}` and `{other}` have the same games, which would count twice: give one");
    }
    match read.insert(path) {
        true => Ok(()),
        false => bail!("`{shown}` is given twice: its games would count twice"),
    }
}

/// Notes the runs whose games a folder has: itself, or those of a pool. The time of its
/// start tells a run from others, wherever it was copied to.
///
/// # Errors
/// If the games of one would count twice.
fn note_runs(
    folder: &Path,
    runs: &mut BTreeMap<jiff::Timestamp, PathBuf>,
) -> Result<(), anyhow::Error> {
    if !folder.join(MANIFEST).exists() {
        return Ok(());
    }
    let manifest = Manifest::read(folder)?;
    let own = manifest.pooled.is_empty().then_some(manifest.created);
    let pooled = manifest.pooled.iter().map(|run| run.created);
    for started in own.into_iter().chain(pooled) {
        if let Some(other) = runs.insert(started, folder.to_path_buf()) {
            let (shown, other) = (folder.display(), other.display());
            bail!(
                "`{shown}` and `{other}` have games of the same run, which would count twice: give one"
            );
        }
    }
    Ok(())
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

fn add_run(run: &RunFolder, games: &mut Games) -> Result<(), anyhow::Error> {
    for [one, two] in &run.pairs {
        anyhow::ensure!(
            one.white == two.black && one.black == two.white && one.white != one.black,
            "the games of pair {} are not between the same two engines with colours reversed",
            one.pair
        );
        let mut game = |row: &Row| Game {
            white: games.player(&row.white),
            black: games.player(&row.black),
            half_points: row.half_points,
        };
        let pair = [game(one), game(two)];
        games.add_pair(pair);
    }
    Ok(())
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
        let los = next.map_or_else(String::new, |los| format!("{:.1} %", 100.0 * los));
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
            "* {TOO_FEW}: the always-valid interval of the engine's own score, or of the games that link it to the others"
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

/// `+/- 3.1`, or both ends where the two sides differ.
fn interval(elo: Estimate) -> String {
    match elo.margin() {
        Some(margin) => format!("+/- {margin:.1}"),
        None => ends(elo, 1),
    }
}

fn print_white_advantage(ratings: &Ratings) {
    let white = ratings.white_advantage;
    let margin = match ratings.white_advantage_supported {
        true => format!("+/- {:.1} Elo", white.half_width()),
        false => format!("Elo ({TOO_FEW} for an interval)"),
    };
    let estimate = fixed(white.estimate, 1);
    outln!("White's advantage: {estimate} {margin}");
}

/// Games that belong to no pair.
fn singles(ratings: &Ratings) -> u64 {
    let sides: u64 = ratings.ratings.iter().map(|rating| rating.games).sum();
    sides / 2 - 2 * ratings.pairs
}

/// The probability in per cent that the engine of the row is the stronger.
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
                Some(los) => out!("{:>6.1}", 100.0 * los),
                None => out!("{:>6}", "-"),
            }
        }
        outln!();
    }
}

fn print_csv(ratings: &Ratings) -> Result<(), anyhow::Error> {
    let mut writer = csv::Writer::from_writer(Out);
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
    writer.flush()?;
    Ok(())
}
