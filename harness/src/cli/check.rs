//! `hone check`: a UCI compliance report.

use std::num::NonZeroU64;
use std::time::Duration;

use clap::Args;
use serde::Serialize;

use super::args::program::program;
use super::args::ranges::from_one;
use super::args::sandbox::SandboxArgs;
use super::{Exit, Failure};
use hone_base::outln;
use hone_uci::engine::compliance::{self, CheckResult, Subject};
use hone_uci::engine::uci::parse_option;

/// Check that an engine follows the UCI protocol.
///
/// Prints each check, passed or failed.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// The engine: a program, with arguments if it needs any.
    engine: String,
    /// A UCI option to set first, as NAME=VALUE.
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option)]
    options: Vec<(String, String)>,
    /// Time limit for answers that must come immediately, in milliseconds; for `uciok` at least
    /// 10000.
    #[arg(long, default_value = "5000", value_parser = from_one::<NonZeroU64>)]
    patience: NonZeroU64,
    /// Print the dialogue of checks that passed too.
    #[arg(long)]
    dialogue: bool,
    #[command(flatten)]
    sandbox: SandboxArgs,
    /// Print one JSON object on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct CheckSummary<'a> {
    engine: &'a str,
    passed: usize,
    failed: usize,
    checks: Vec<ShownCheck<'a>>,
}

#[derive(Serialize)]
struct ShownCheck<'a> {
    #[serde(flatten)]
    result: &'a CheckResult,
    /// Of a failed check, or with `--dialogue`.
    #[serde(skip_serializing_if = "Option::is_none")]
    dialogue: Option<&'a str>,
}

impl CheckArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let engine = program(&self.engine, Vec::new())?;
        let engine = self.sandbox.around(engine)?;
        let subject = Subject {
            launch: engine.launch,
            options: self.options.clone(),
            patience: Duration::from_millis(self.patience.get()),
        };
        let runtime = hone_base::platform::runtime()?;
        let mut show = |outcome: &CheckResult| {
            if !self.json {
                self.print(outcome);
            }
        };
        let checks = runtime.block_on(compliance::check(&subject, &mut show))?;
        let failed = checks.iter().filter(|check| !check.passed).count();
        let passed = checks.len() - failed;
        if self.json {
            let shown = checks.iter().map(|result| ShownCheck {
                result,
                dialogue: self.shows_dialogue(result).then_some(&*result.dialogue),
            });
            let summary = CheckSummary {
                engine: &self.engine,
                passed,
                failed,
                checks: shown.collect(),
            };
            outln!("{}", serde_json::to_string(&summary)?);
        } else {
            outln!("{passed} passed, {failed} failed");
        }
        Ok(match failed {
            0 => Exit::Done,
            _ => Exit::Rejected,
        })
    }

    fn shows_dialogue(&self, outcome: &CheckResult) -> bool {
        self.dialogue || !outcome.passed
    }

    fn print(&self, outcome: &CheckResult) {
        let mark = if outcome.passed { "ok    " } else { "FAILED" };
        let colon = if outcome.detail.is_empty() { "" } else { ": " };
        outln!("{mark} {}{colon}{}", outcome.name, outcome.detail);
        if self.shows_dialogue(outcome) {
            for line in outcome.dialogue.lines() {
                outln!("       {line}");
            }
        }
    }
}
