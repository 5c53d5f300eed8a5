//! `hone check`: a UCI compliance report.

use std::num::NonZeroU64;
use std::time::Duration;

use clap::Args;
use serde::Serialize;

use super::args::engines::program;
use super::args::ranges::from_one;
use super::args::sandbox::SandboxArgs;
use super::{Exit, Failure};
use hone_base::outln;
use hone_uci::engine::compliance::{self, CheckResult, Subject};
use hone_uci::engine::uci::parse_option;

/// Check that an engine follows the UCI protocol.
///
/// Prints each check: passed, failed or not made. A failed one is followed by the last lines of
/// its dialogue.
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
    /// Print the whole dialogue of all checks.
    #[arg(long)]
    dialogue: bool,
    #[command(flatten)]
    sandbox: SandboxArgs,
    /// Print one JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// Lines of a failed check's dialogue that are printed.
const SHOWN_LINES: usize = 8;

#[derive(Serialize)]
struct CheckSummary<'a> {
    engine: &'a str,
    passed: usize,
    failed: usize,
    not_made: usize,
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
        let count = |passed| checks.iter().filter(|check| check.passed == passed).count();
        let [passed, failed, not_made] = [Some(true), Some(false), None].map(count);
        if self.json {
            let shown = checks.iter().map(|result| ShownCheck {
                result,
                dialogue: self.shows_dialogue(result).then_some(&*result.dialogue),
            });
            let summary = CheckSummary {
                engine: &self.engine,
                passed,
                failed,
                not_made,
                checks: shown.collect(),
            };
            outln!("{}", serde_json::to_string(&summary)?);
        } else {
            let rest = match not_made {
                0 => String::new(),
                count => format!(", {count} not made"),
            };
            outln!("{passed} passed, {failed} failed{rest}");
        }
        Ok(match failed {
            0 => Exit::Done,
            _ => Exit::Rejected,
        })
    }

    fn shows_dialogue(&self, outcome: &CheckResult) -> bool {
        self.dialogue || outcome.passed == Some(false)
    }

    fn print(&self, outcome: &CheckResult) {
        let mark = match outcome.passed {
            Some(true) => "ok      ",
            Some(false) => "FAILED  ",
            None => "not made",
        };
        let colon = if outcome.detail.is_empty() { "" } else { ": " };
        outln!("{mark} {}{colon}{}", outcome.name, outcome.detail);
        if self.shows_dialogue(outcome) {
            let lines: Vec<&str> = outcome.dialogue.lines().collect();
            let hidden = if self.dialogue {
                0
            } else {
                lines.len().saturating_sub(SHOWN_LINES)
            };
            if hidden > 0 {
                outln!("         … {hidden} earlier lines: --dialogue prints all");
            }
            for line in lines.iter().skip(hidden) {
                outln!("         {line}");
            }
        }
    }
}
