//! Fits the weights of the evaluation to the results of games:
//!
//! ```text
//! cargo run --release --example tune_eval -- --out engine/src/eval/weights.rs games.pgn
//! ```

mod fit;
mod games;

use anyhow::{Context as _, ensure};
use clap::Parser;
use fit::{Fit, Settings};
use std::path::PathBuf;

/// Fit the evaluation of Stillwater to games. A twentieth of the positions is
/// held out to judge by.
#[derive(Parser)]
struct Arguments {
    /// Games in PGN, or lines `FEN;result` with the result as 1-0, 0-1, 1/2-1/2
    /// or the share of the point that is White's
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Passes over the positions
    #[arg(long, default_value_t = Settings::default().epochs)]
    epochs: usize,
    /// Part of the result that the scores in the games' comments make up, 0 to 1
    #[arg(long, default_value_t = 0.5)]
    blend: f32,
    /// Pull towards the weights as they are, in positions' worth
    #[arg(long, default_value_t = Settings::default().pull)]
    pull: f64,
    /// Where to write the source of the weights; standard output if left out
    #[arg(long)]
    out: Option<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut samples = Vec::new();
    for file in &arguments.games {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let read = games::read(&text, arguments.blend);
        samples.extend(read.with_context(|| file.display().to_string())?);
    }
    ensure!(!samples.is_empty(), "there are no quiet positions in these");
    let (fitted, held_out) = hold_out(samples);
    eprintln!(
        "{} positions, and {} held out to judge by",
        fitted.len(),
        held_out.len()
    );
    let mut fit = Fit::new(&fitted);
    let judge = (!held_out.is_empty()).then(|| Fit::new(&held_out));
    drop((fitted, held_out));
    let losses = |fit: &Fit| match &judge {
        Some(judge) => format!("loss {:.6}, held out {:.6}", fit.loss(), judge.loss_of(fit)),
        None => format!("loss {:.6}", fit.loss()),
    };
    eprintln!("before: {}", losses(&fit));
    let settings = Settings {
        epochs: arguments.epochs,
        pull: arguments.pull,
        ..Settings::default()
    };
    fit.run(&settings, |epoch, fit| {
        eprintln!("epoch {epoch}: {}", losses(fit));
    });
    match arguments.out {
        None => print!("{}", fit.source()),
        Some(file) => {
            std::fs::write(&file, fit.source()).with_context(|| file.display().to_string())?;
        }
    }
    Ok(())
}

/// Takes a twentieth of the positions out, in stretches of many games, so that
/// no game is in both parts but at the seams.
fn hold_out<T>(samples: Vec<T>) -> (Vec<T>, Vec<T>) {
    const STRETCH: usize = 2000;
    let (mut fitted, mut held_out) = (Vec::new(), Vec::new());
    for (i, sample) in samples.into_iter().enumerate() {
        match i / STRETCH % 20 {
            10 => held_out.push(sample),
            _ => fitted.push(sample),
        }
    }
    (fitted, held_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_twentieth_is_held_out_in_stretches() {
        let (fitted, held_out) = hold_out((0..80_000).collect());
        assert_eq!((fitted.len(), held_out.len()), (76_000, 4_000));
        assert_eq!(held_out[1_999] - held_out[0], 1_999);
        let mut all = [fitted, held_out].concat();
        all.sort_unstable();
        assert!((0..80_000).eq(all));
        assert!(hold_out(vec![1, 2, 3]).1.is_empty(), "too few to judge by");
    }
}
