//! A summary of a test for the page of a pull request or of a CI job.

use std::fmt::Write as _;

use super::escape_markdown;
use super::facts::RunFacts;
use super::numbers::{elo_text, fixed, plus_minus, supported};
use super::text::{results_block, verdict_sentence};
use super::tournament::wdl;
use super::verdict::TestVerdict;
use crate::builds::short_id;
use crate::stats::Estimate;

/// Commands that a summary shows beside the facts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SummaryNotes<'a> {
    /// The command that repeats the test.
    pub repeat: &'a str,
    /// The command that resumes the run, if it is not finished.
    pub resume: Option<&'a str>,
}

impl SummaryNotes<'_> {
    /// Both, as Markdown.
    pub(crate) fn text(&self) -> String {
        let resume = self
            .resume
            .map_or(String::new(), |resume| format!("To resume: `{resume}`\n\n"));
        resume + &repeat_block(self.repeat)
    }
}

/// The verdict, the numbers and the command to repeat it, as Markdown.
pub(super) fn summary(facts: &RunFacts, notes: SummaryNotes<'_>) -> String {
    let mut text = String::new();
    write_summary(&mut text, facts, notes).expect("writing to a string cannot fail");
    text
}

/// The summary of a test that could not be played.
pub(crate) fn failed_summary(error: &str, repeat: &str) -> String {
    error_block(error) + &repeat_block(repeat)
}

/// The head of such a summary: the whole error.
pub(crate) fn error_block(error: &str) -> String {
    let fence = fence_for(error);
    format!("## hone: not played\n\n{fence}text\n{error}\n{fence}\n\n")
}

/// The summary of a run that an error has stopped: the first line of the
/// error, and the summary of the results so far.
pub(crate) fn stopped_summary(error: &str, so_far: &str) -> String {
    let line = escape_markdown(error.lines().next().unwrap_or_default());
    format!("# hone: failed\n\nThe run stopped: {line}\n\nThe results so far:\n\n{so_far}")
}

fn write_summary(out: &mut String, facts: &RunFacts, notes: SummaryNotes<'_>) -> std::fmt::Result {
    let heading = match (facts.verdict, &facts.sprt) {
        (TestVerdict::None, _) if facts.reason.is_some() => "no decision",
        (TestVerdict::H1, _) => "passed",
        (TestVerdict::H0, _) => "failed",
        (TestVerdict::None, Some(_)) => "no decision",
        (TestVerdict::None, None) => "played",
    };
    writeln!(out, "## hone: {heading}\n")?;
    for sentence in verdict_sentence(facts).lines() {
        writeln!(out, "{}\n", escape_markdown(sentence))?;
    }
    writeln!(out, "| | |\n|---|---|")?;
    for engine in &facts.engines {
        let commit = engine.commit.as_deref().map_or(String::new(), |commit| {
            let subject = escape_markdown(engine.subject.as_deref().unwrap_or_default());
            let changes = if engine.uncommitted {
                " and uncommitted changes"
            } else {
                ""
            };
            format!(", commit `{}` {subject}{changes}", short_id(commit))
        });
        let bench = engine
            .bench
            .map_or(String::new(), |nodes| format!(", bench {nodes}"));
        let id = escape_markdown(&engine.id);
        writeln!(
            out,
            "| {} | {id}{commit}{bench} |",
            escape_markdown(&engine.name)
        )?;
    }
    if facts.engines.len() > 2 {
        return write_tournament(out, facts, notes);
    }
    writeln!(
        out,
        "| games | {}: W-D-L {} |",
        facts.games,
        wdl(facts.wdl.into())
    )?;
    writeln!(out, "| pentanomial | {:?} |", facts.pentanomial)?;
    let nelo = facts.nelo.map(|nelo| plus_minus(Some(nelo)));
    writeln!(out, "| Elo | {} |", elo_text(facts.elo, facts.interval))?;
    writeln!(out, "| normalized Elo | {} |", supported(nelo))?;
    if let Some(sprt) = &facts.sprt {
        writeln!(
            out,
            "| LLR | {} of {:.2} to {:.2}, Elo {} against {} ({}) |",
            fixed(sprt.llr, 2),
            sprt.lower,
            sprt.upper,
            sprt.elo0,
            sprt.elo1,
            sprt.model
        )?;
        if let Some(estimate) = &sprt.elo {
            writeln!(
                out,
                "| Elo, corrected for stopping | {} |",
                interval(estimate.elo)
            )?;
        }
    }
    write_end(out, facts, notes)
}

fn write_tournament(
    out: &mut String,
    facts: &RunFacts,
    notes: SummaryNotes<'_>,
) -> std::fmt::Result {
    writeln!(out, "| games | {} |", facts.games)?;
    write_end(out, facts, notes)?;
    let results = results_block(facts);
    let fence = fence_for(&results);
    writeln!(out, "\n{fence}text\n{results}{fence}")
}

fn write_end(out: &mut String, facts: &RunFacts, notes: SummaryNotes<'_>) -> std::fmt::Result {
    writeln!(
        out,
        "| limit, openings | {}, {} |",
        facts.limit,
        escape_markdown(&facts.openings)
    )?;
    let f = &facts.failures;
    let failures: u64 = [&f.time_forfeit, &f.crash, &f.stall, &f.illegal_move]
        .into_iter()
        .flatten()
        .sum();
    writeln!(out, "| games lost by failures | {failures} |")?;
    writeln!(out, "| time | {:.0} s |\n", facts.seconds)?;
    for finding in &facts.findings {
        writeln!(out, "{}\n", escape_markdown(&finding.sentence()))?;
    }
    out.write_str(&notes.text())
}

fn interval(elo: Estimate) -> String {
    format!(
        "{:.1} (95 %: {:.1} to {:.1})",
        elo.estimate, elo.low, elo.high
    )
}

fn repeat_block(command: &str) -> String {
    let fence = fence_for(command);
    format!(
        "<details><summary>Command to repeat it</summary>\n\n{fence}sh\n{command}\n{fence}\n\n</details>\n"
    )
}

/// A fence that the text does not hold.
pub(super) fn fence_for(text: &str) -> String {
    let mut fence = "```".to_string();
    while text.contains(&fence) {
        fence.push('`');
    }
    fence
}
