//! The summary of a run, as Markdown for a pull request or a CI job.

use super::contract::{EngineFacts, SprtFacts};
use super::escape_markdown;
use super::facts::RunFacts;
use super::numbers::{ends, fixed};
use super::text::{results_block, valid_elo, valid_nelo, verdict_sentence};
use super::verdict::TestVerdict;
use hone_base::text::without_direction;
use hone_builds::short_id;
use hone_run::Failures;
use hone_stats::Wdl;

/// The command that resumes the run, as Markdown; nothing if it is finished.
pub fn to_resume(command: Option<&str>) -> String {
    command.map_or(String::new(), |command| {
        format!("To resume: `{command}`\n\n")
    })
}

/// The verdict, the numbers and the command to resume, as Markdown.
pub(super) fn summary(facts: &RunFacts, resume: Option<&str>) -> String {
    let mut text = format!("## hone: {}\n\n", heading(facts));
    for sentence in verdict_sentence(facts).lines() {
        text += &format!("{}\n\n", escape_markdown(sentence));
    }
    text += "| | |\n|---|---|\n";
    text.extend(facts.engines.iter().map(engine_row));
    if facts.engines.len() > 2 {
        text += &format!("| games | {} |\n", facts.games);
        text += &last_rows(facts, resume);
        return text + "\n" + &fenced(&results_block(facts));
    }
    text += &result_rows(facts);
    text + &last_rows(facts, resume)
}

/// The summary of a run that could not be started: a heading and the whole error.
pub fn error_block(error: &str) -> String {
    format!("## hone: not played\n\n{}\n", fenced(&format!("{error}\n")))
}

/// The summary of a run that an error has stopped: the first line of the
/// error, and the summary of the results so far.
pub fn stopped_summary(error: &str, so_far: &str) -> String {
    let line = escape_markdown(error.lines().next().unwrap_or_default());
    format!("## hone: stopped\n\nThe run stopped: {line}\n\nThe results so far:\n\n{so_far}")
}

fn heading(facts: &RunFacts) -> &'static str {
    match facts.verdict {
        TestVerdict::H1 => "passed",
        TestVerdict::H0 => "failed",
        TestVerdict::None if facts.reason.is_some() || facts.sprt.is_some() => "no decision",
        TestVerdict::None => "played",
    }
}

fn engine_row(engine: &EngineFacts) -> String {
    let commit = engine.commit.as_deref().map_or(String::new(), |commit| {
        let subject = escape_markdown(engine.subject.as_deref().unwrap_or_default());
        let changes = if engine.uncommitted {
            " and uncommitted changes"
        } else {
            ""
        };
        format!(", commit `{}` {subject}{changes}", short_id(commit))
    });
    let bench = engine.bench;
    let bench = bench.map_or(String::new(), |nodes| format!(", bench {nodes}"));
    let [name, id] = [&engine.name, &engine.id].map(|text| escape_markdown(text));
    format!("| {name} | {id}{commit}{bench} |\n")
}

/// The rows of a match of two engines.
fn result_rows(facts: &RunFacts) -> String {
    let test = facts.sprt.as_ref().map(test_rows).unwrap_or_default();
    format!(
        "| games | {}: W-D-L {} |\n| pentanomial | {:?} |\n| Elo | {} |\n\
         | normalized Elo | {} |\n{test}",
        facts.games,
        Wdl::from(facts.wdl),
        facts.pentanomial,
        valid_elo(facts),
        valid_nelo(facts)
    )
}

/// The rows of a sequential test.
fn test_rows(sprt: &SprtFacts) -> String {
    let mut text = format!(
        "| LLR | {} of {:.2} to {:.2}, Elo {} against {} ({}) |\n",
        fixed(sprt.llr, 2),
        sprt.lower,
        sprt.upper,
        sprt.elo0,
        sprt.elo1,
        sprt.model
    );
    if let Some(estimate) = &sprt.elo {
        let elo = estimate.elo;
        text += &format!(
            "| Elo, corrected for the stopping rule | {} (95 %: {}) |\n",
            fixed(elo.estimate, 1),
            ends(elo, 1)
        );
    }
    text
}

/// The last rows, the findings and the command to resume.
fn last_rows(facts: &RunFacts, resume: Option<&str>) -> String {
    let mut text = format!(
        "| limit, openings | {}, {} |\n| games lost by failures | {} |\n\
         | time | {:.0} s |\n\n",
        facts.limit,
        escape_markdown(&facts.openings),
        lost_by_failures(facts),
        facts.seconds
    );
    for finding in &facts.findings {
        text += &format!("{}\n\n", escape_markdown(&finding.sentence()));
    }
    text + &to_resume(resume)
}

/// Games that any engine lost by a failure.
pub(super) fn lost_by_failures(facts: &RunFacts) -> u64 {
    facts.failures.iter().map(Failures::total).sum()
}

/// The text of a report as Markdown, below the name of the run: `report.md`.
pub fn as_markdown(run: &str, text: &str) -> String {
    format!("# {}\n\n{}", escape_markdown(run), fenced(text))
}

/// Whole lines as a code block.
pub fn fenced(lines: &str) -> String {
    let lines = without_direction(lines);
    let fence = fence_for(&lines);
    format!("{fence}text\n{lines}{fence}\n")
}

/// A code fence that does not occur in the text.
fn fence_for(text: &str) -> String {
    let mut fence = "```".to_string();
    while text.contains(&fence) {
        fence.push('`');
    }
    fence
}
