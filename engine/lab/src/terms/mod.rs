//! `lab terms` fits the weights of the evaluation's terms to the results of games.

mod fit;

use crate::games;
use anyhow::{Context as _, ensure};
use clap::Args;
use fit::{Fit, Settings};
use std::path::PathBuf;
use stillwater::board::{Position, movegen};

/// Fit the terms of the evaluation to games. A twentieth of the positions is held out for
/// validation, which uses only the results
#[derive(Args)]
pub(crate) struct Arguments {
    /// Games in PGN, or lines `FEN;result` with the result as 1-0, 0-1, 1/2-1/2
    /// or the share of the point that is White's
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Passes over the positions
    #[arg(long, default_value_t = Settings::default().epochs)]
    epochs: usize,
    /// Learning rate: about the centipawns by which a weight moves in the first steps
    #[arg(long, default_value_t = Settings::default().rate)]
    rate: f64,
    /// Weight of the scores in the games' comments in the target, 0 to 1
    #[arg(long, default_value_t = 0.5)]
    blend: f32,
    /// Strength of the pull towards the initial weights, in units of positions
    #[arg(long, default_value_t = Settings::default().pull)]
    pull: f64,
    /// Where to write the source of the weights; standard output if left out
    #[arg(long)]
    out: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let (mut fit, mut judge) = (Fit::new(), Fit::new());
    let mut number = 0;
    for file in &arguments.games {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let read = games::read(&text, is_quiet, |sample| {
            if is_held_out(number) {
                judge.add(&sample.position, sample.result);
            } else {
                fit.add(&sample.position, target(&sample, arguments.blend));
            }
            number += 1;
        });
        read.with_context(|| file.display().to_string())?;
        eprintln!("{} positions after {}", number, file.display());
    }
    ensure!(fit.len() > 0, "the games have no quiet positions");
    eprintln!("{} of them held out to judge by", judge.len());
    let settings = Settings {
        epochs: arguments.epochs,
        rate: arguments.rate,
        pull: arguments.pull,
        ..Settings::default()
    };
    fit.run(&settings, |epoch, fit| {
        if epoch % 5 == 0 || epoch == arguments.epochs {
            eprintln!("epoch {epoch}: {}", losses(fit, &judge));
        }
    });
    match &arguments.out {
        None => print!("{}", fit.source()),
        Some(file) => {
            std::fs::write(file, fit.source()).with_context(|| file.display().to_string())?;
        }
    }
    Ok(())
}

/// Whether the side to move is not in check and has no winning capture.
fn is_quiet(position: &Position) -> bool {
    const VALUES: [i32; 6] = [100, 320, 330, 500, 950, 0];
    let mut noisy = Vec::new();
    movegen::noisy(position, &mut noisy);
    !position.in_check()
        && !noisy
            .iter()
            .any(|scored| position.see_at_least(scored.mv, 1, &VALUES))
}

/// Score in pawns at which a win is e times as likely as a loss.
const PAWNS_PER_UNIT: f32 = 1.6;

/// The target: the result, blended with the engine's expectation (weight `blend`) if known.
fn target(sample: &games::Sample, blend: f32) -> f32 {
    let expected = |score: f32| 1.0 / (1.0 + (-score / PAWNS_PER_UNIT).exp());
    let expected = sample.score.map_or(sample.result, expected);
    (1.0 - blend) * sample.result + blend * expected
}

fn losses(fit: &Fit, judge: &Fit) -> String {
    match judge.len() {
        0 => format!("loss {:.6}", fit.loss()),
        _ => format!("loss {:.6}, held out {:.6}", fit.loss(), judge.loss_of(fit)),
    }
}

/// Whether a position is held out: a twentieth of them, in stretches of many games, so that
/// only the games at the ends of a stretch are in both parts.
fn is_held_out(number: usize) -> bool {
    const STRETCH: usize = 2000;
    number / STRETCH % 20 == 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_twentieth_is_held_out_in_stretches() {
        let held_out: Vec<usize> = (0..80_000).filter(|&i| is_held_out(i)).collect();
        assert_eq!(held_out.len(), 4_000);
        assert_eq!(held_out[1_999] - held_out[0], 1_999);
        assert!(!(0..3).any(is_held_out), "too few to judge by");
    }
}
