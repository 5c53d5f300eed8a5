//! `stillwater tune-eval`: fits the evaluation's weights.

use super::{CommandError, fail, number};
use crate::eval::tune::{Fit, Settings, read};

pub(super) fn run(arguments: &[&str]) -> Result<String, CommandError> {
    let mut settings = Settings::default();
    let (mut blend, mut out, mut files) = (0.5, None, Vec::new());
    let mut words = arguments.iter();
    while let Some(&word) = words.next() {
        let mut value = || match words.next() {
            Some(&value) => Ok(value),
            None => fail(format!("{word} needs a value")),
        };
        match word {
            "--epochs" => settings.epochs = number(value()?)?,
            "--pull" => settings.pull = number(value()?)?,
            "--blend" => blend = number(value()?)?,
            "--out" => out = Some(value()?),
            _ => files.push(word),
        }
    }
    let mut samples = Vec::new();
    for file in files {
        match std::fs::read_to_string(file) {
            Ok(text) => match read(&text, blend) {
                Ok(read) => samples.extend(read),
                Err(error) => return fail(format!("{file}: {error}")),
            },
            Err(error) => return fail(format!("{file}: {error}")),
        }
    }
    if samples.is_empty() {
        return fail("tune-eval needs files with games or positions");
    }
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
    fit.run(&settings, |epoch, fit| {
        eprintln!("epoch {epoch}: {}", losses(fit));
    });
    match out {
        None => Ok(fit.source()),
        Some(file) => match std::fs::write(file, fit.source()) {
            Ok(()) => Ok(format!("wrote {file}")),
            Err(error) => fail(format!("{file}: {error}")),
        },
    }
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
