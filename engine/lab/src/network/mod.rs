//! `lab network` plays games, and fits the weights of the network to their positions.

mod adam;
mod layers;
mod play;
mod sample;
mod train;

use crate::games;
use anyhow::{Context as _, ensure};
use clap::{Args, Subcommand};
use layers::Layers;
use sample::Sample;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use stillwater::board::{Color, Position};
use train::Settings;

/// Fit the network of Stillwater to games
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Extract quiet positions from games: not in check, and the move played is not a capture
    Extract(Extract),
    /// Play games with some random moves, and write their positions with scores and results
    Play(Play),
    /// Fit a network to positions; a twentieth of them is held out for validation
    Fit(Fit),
}

#[derive(Args)]
pub(crate) struct Extract {
    /// Games in PGN with the scores of the engines in their comments
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Where to write the positions, 28 bytes each
    #[arg(long)]
    out: PathBuf,
}

#[derive(Args)]
pub(crate) struct Play {
    /// Openings: one position in FEN or EPD per line
    #[arg(required = true)]
    openings: Vec<PathBuf>,
    /// Games to play
    #[arg(long)]
    games: u64,
    /// Nodes for each position
    #[arg(long, default_value_t = 100)]
    nodes: u64,
    /// Probability of a random move instead of the best one, 0 to 1
    #[arg(long, default_value_t = 0.2)]
    random: f64,
    /// Options of the engine, as NAME=VALUE
    #[arg(long, value_parser = name_and_value)]
    set: Vec<(String, String)>,
    /// Processors to use
    #[arg(long, default_value_t = Settings::default().threads)]
    threads: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to write the positions
    #[arg(long)]
    out: PathBuf,
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("needs NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

#[derive(Args)]
pub(crate) struct Fit {
    /// Positions from `extract`
    #[arg(required = true)]
    positions: Vec<PathBuf>,
    /// Epochs: passes over all positions
    #[arg(long, default_value_t = Settings::default().epochs)]
    epochs: usize,
    /// Initial learning rate; it falls to a hundredth of that along a cosine
    #[arg(long, default_value_t = Settings::default().rate)]
    rate: f32,
    /// Positions in a batch
    #[arg(long, default_value_t = Settings::default().batch)]
    batch: usize,
    /// Weight of the game's result in the target, 0 to 1; the rest is the score
    #[arg(long, default_value_t = Settings::default().result)]
    result: f32,
    /// Processors to use. The same number gives the same network
    #[arg(long, default_value_t = Settings::default().threads)]
    threads: usize,
    #[arg(long, default_value_t = Settings::default().seed)]
    seed: u64,
    /// Initial weights, also of a network with half as many sums [default: random]
    #[arg(long)]
    start: Option<PathBuf>,
    /// Where to write the weights, after every epoch
    #[arg(long)]
    out: PathBuf,
}

pub(crate) fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Extract(arguments) => extract(&arguments),
        Command::Play(arguments) => play(arguments),
        Command::Fit(arguments) => fit(arguments),
    }
}

fn extract(arguments: &Extract) -> anyhow::Result<()> {
    let out = &arguments.out;
    let mut file = BufWriter::new(File::create(out).with_context(|| out.display().to_string())?);
    let mut count = 0;
    for path in &arguments.games {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let mut written = Ok(());
        let read = games::read(
            &text,
            |position| !position.in_check(),
            |taken| {
                if let Some(sample) = of_game(&taken)
                    && written.is_ok()
                {
                    written = file.write_all(&sample.to_bytes());
                    count += 1;
                }
            },
        );
        read.with_context(|| path.display().to_string())?;
        written.with_context(|| out.display().to_string())?;
        eprintln!("{count} positions after {}", path.display());
    }
    ensure!(
        count > 0,
        "cannot extract positions: the games have no scores in their comments"
    );
    file.flush().with_context(|| out.display().to_string())
}

/// `None` without a score.
fn of_game(taken: &games::Sample) -> Option<Sample> {
    let (score, result) = match taken.position.turn {
        Color::White => (taken.score?, taken.result),
        Color::Black => (-taken.score?, 1.0 - taken.result),
    };
    Sample::new(
        &taken.position,
        (100.0 * score).round() as i32,
        Some(result),
    )
}

fn play(arguments: Play) -> anyhow::Result<()> {
    let mut openings = Vec::new();
    for path in &arguments.openings {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        for (number, line) in (1..).zip(text.lines()) {
            // The operations of an EPD follow the first four fields.
            let fen: Vec<&str> = line.split_whitespace().take(4).collect();
            let position = Position::from_fen(&fen.join(" ")).map_err(anyhow::Error::msg);
            let place = || format!("{}, line {number}", path.display());
            openings.push(position.with_context(place)?);
        }
    }
    ensure!(
        !openings.is_empty(),
        "cannot play: the files of openings are empty"
    );
    let plan = play::Plan {
        nodes: arguments.nodes,
        games: arguments.games,
        random: arguments.random.clamp(0.0, 1.0),
        threads: arguments.threads.max(1),
        seed: arguments.seed,
        set: arguments.set,
    };
    let out = &arguments.out;
    let file = File::create(out).with_context(|| out.display().to_string())?;
    let progress = Mutex::new((BufWriter::new(file), 0u64, 0u64));
    play::run(&plan, &openings, |samples| {
        let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, games, positions) = &mut *progress;
        for sample in &samples {
            file.write_all(&sample.to_bytes())?;
        }
        *games += 1;
        *positions += samples.len() as u64;
        if games.is_multiple_of(1000) || *games == plan.games {
            eprintln!("{positions} positions of {games} games");
        }
        Ok(())
    })?;
    let (mut file, ..) = progress
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    file.flush().with_context(|| out.display().to_string())
}

fn fit(arguments: Fit) -> anyhow::Result<()> {
    let samples = read_samples(&arguments.positions)?;
    let settings = Settings {
        epochs: arguments.epochs,
        rate: arguments.rate,
        batch: arguments.batch.max(1),
        result: arguments.result,
        threads: arguments.threads.max(1),
        seed: arguments.seed,
    };
    let start = match &arguments.start {
        None => Layers::random(arguments.seed),
        Some(path) => {
            let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
            let layers = Layers::from_bytes(&bytes);
            layers.with_context(|| {
                format!(
                    "cannot start from {}: not the weights of this network",
                    path.display()
                )
            })?
        }
    };
    eprintln!("{} positions are valued by terms", samples.len());
    let examples = train::with_terms(&settings, samples);
    let tell = |progress| eprintln!("{progress}");
    train::run(&settings, start, &examples, tell, |network| {
        let out = &arguments.out;
        std::fs::write(out, network.to_bytes()).with_context(|| out.display().to_string())
    })
}

/// The samples of the files, each position once.
fn read_samples(paths: &[PathBuf]) -> anyhow::Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for path in paths {
        let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
        let (chunks, rest) = bytes.as_chunks();
        if !rest.is_empty() {
            eprintln!(
                "{}: the last position is cut off and left out",
                path.display()
            );
        }
        for bytes in chunks {
            let sample = Sample::from_bytes(bytes);
            samples.push(sample.with_context(|| {
                format!(
                    "cannot read {}: it was not written by `play` or `extract`",
                    path.display()
                )
            })?);
        }
    }
    ensure!(
        !samples.is_empty(),
        "cannot fit: the files of positions are empty"
    );
    let read = samples.len();
    sample::keep_first_of_each_position(&mut samples);
    eprintln!(
        "{} of {read} positions repeat an earlier one and are left out",
        read - samples.len()
    );
    Ok(samples)
}
