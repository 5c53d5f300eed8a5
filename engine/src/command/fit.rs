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
    eprintln!("{} positions", samples.len());
    let mut fit = Fit::new(&samples);
    eprintln!("loss {:.6} before", fit.loss());
    fit.run(&settings, |epoch, loss| {
        eprintln!("epoch {epoch}: loss {loss:.6}");
    });
    match out {
        None => Ok(fit.source()),
        Some(file) => match std::fs::write(file, fit.source()) {
            Ok(()) => Ok(format!("wrote {file}")),
            Err(error) => fail(format!("{file}: {error}")),
        },
    }
}
