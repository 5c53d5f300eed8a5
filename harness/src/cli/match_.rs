//! `hone match`.

use std::path::Path;

use anyhow::{bail, ensure};
use clap::Args;

use super::args::conditions::ConditionArgs;
use super::args::ranges::from_one;
use super::args::run::RunArgs;
use super::{Exit, Failure};
use hone_base::diagnostic::Diagnostic;
use hone_kinds::Match;
use hone_run::config::Draft;
use hone_run::find_program;

/// Play a match, a gauntlet or a round robin.
///
/// Give a configuration, or two or more engines: FILE, git:REV,
/// git:REPOSITORY@REV or worktree: (the uncommitted changes). Each engine plays
/// each other one; with `--set match.tournament=gauntlet` only the first plays
/// all others.
#[derive(Debug, Args)]
pub(super) struct MatchArgs {
    /// The configuration, in TOML (configs/sprt.toml is one with comments), or
    /// two or more engines.
    #[arg(required = true, value_name = "CONFIG.toml | ENGINE")]
    operands: Vec<String>,
    /// Pairs of each pairing.
    #[arg(long, visible_alias = "rounds", value_name = "N", value_parser = from_one::<std::num::NonZeroU32>)]
    pairs: Option<std::num::NonZeroU32>,
    #[command(flatten)]
    conditions: ConditionArgs,
    #[command(flatten)]
    run: RunArgs,
}

impl MatchArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let file = match &self.operands[..] {
            [file] => Some(Path::new(file)),
            _ => None,
        };
        let configure = || {
            let mut draft = match file {
                Some(file) => self.configured(file)?,
                None => named(&self.operands)?,
            };
            let pairs = self.pairs.map(|pairs| i64::from(pairs.get()));
            draft.flag("--pairs", pairs, &["match", "pairs"]);
            self.run.apply(&mut draft);
            self.conditions.apply(&mut draft, &self.run.set)?;
            Ok(draft.finish()?)
        };
        self.run.start::<Match>(configure, file)
    }

    fn configured(&self, file: &Path) -> anyhow::Result<Draft> {
        let draft = Draft::read(Some(file));
        if file
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            return Ok(draft?);
        }
        // Not an excerpt of a program.
        if draft.is_err() && find_program(&self.operands[0], Path::new("")).is_some() {
            bail!(
                Diagnostic::new(format!(
                    "`{}` is a program, and a match needs at least two engines",
                    self.operands[0]
                ))
                .help("name another one, as in `hone match ./new ./old`")
            );
        }
        draft.map_err(|error| {
            Diagnostic::new("one operand is a configuration")
                .because(error)
                .help("give two or more engines, as in `hone match ./new ./old`")
                .into()
        })
    }
}

/// A draft with the engines of the command line.
fn named(operands: &[String]) -> anyhow::Result<Draft> {
    let mut draft = Draft::read_or_usual(None)?;
    for (index, operand) in operands.iter().enumerate() {
        ensure!(
            !operand.ends_with(".toml"),
            "`{operand}` is a configuration: give it alone, or engines alone"
        );
        draft.take_engine(index, &operand.parse()?, operand);
    }
    Ok(draft)
}
