//! Checks the termination of a game against the board, the PGN and the adjudication rules.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use super::replay::Replayed;
use hone_uci::rules::{Adjudication, Ending, GameResult, Outcome, Termination, termination_tag};

/// Checks the termination of a game in the ledger.
///
/// # Errors
/// What differs, in words.
pub(super) fn check(
    game: &Replayed,
    result: &GameResult,
    adjudication: &Adjudication,
) -> Result<(), String> {
    on_board(game.ending, result)?;
    is_possible(result, adjudication)?;
    let words = result.termination.words();
    let tag = termination_tag(result.termination);
    if let Some(written) = game.termination.as_deref().filter(|text| *text != tag) {
        return Err(format!(
            "its Termination tag is `{written}`, but the ledger has {words}"
        ));
    }
    // The tag stands for several terminations, the last comment for one.
    match Termination::of_reason(&last_field(&game.comment), result.outcome) {
        Some(written) if written != result.termination => Err(format!(
            "the PGN shows {}, but the ledger has {words}",
            written.words()
        )),
        _ => Ok(()),
    }
}

/// The last field of a comment that is wrapped into lines.
fn last_field(comment: &[u8]) -> String {
    let comment = String::from_utf8_lossy(comment);
    let words: Vec<&str> = comment.split_ascii_whitespace().collect();
    let comment = words.join(" ");
    let field = comment.rsplit(", ").next().unwrap_or_default();
    field.to_string()
}

/// Checks that the board shows an ending by rule exactly if the ledger has one.
fn on_board(ending: Option<Ending>, result: &GameResult) -> Result<(), String> {
    let by_rule = matches!(
        result.termination,
        Termination::Checkmate
            | Termination::Stalemate
            | Termination::InsufficientMaterial
            | Termination::Repetition
            | Termination::FiftyMoves
    );
    let claimed = by_rule.then_some(Ending {
        outcome: result.outcome,
        termination: result.termination,
    });
    let word = |ending: Option<Ending>| ending.map_or("no end by rule", |e| e.termination.words());
    if claimed == ending {
        Ok(())
    } else {
        Err(format!(
            "the board shows {}, but the ledger has {}",
            word(ending),
            word(claimed)
        ))
    }
}

/// Checks that the result can follow from its termination, and that the run has a rule for it.
fn is_possible(result: &GameResult, rules: &Adjudication) -> Result<(), String> {
    let is_draw = result.outcome == Outcome::Draw;
    let (has_rule, fits) = match result.termination {
        Termination::DrawAdjudication => (rules.draw.is_some(), is_draw),
        Termination::ResignAdjudication => (rules.resign.is_some(), !is_draw),
        Termination::MaxMoves => (rules.max_moves.is_some(), is_draw),
        Termination::Tablebase => (rules.syzygy.is_some(), true),
        // `on_board` checks these.
        Termination::Checkmate
        | Termination::Stalemate
        | Termination::InsufficientMaterial
        | Termination::Repetition
        | Termination::FiftyMoves => (true, true),
        Termination::TimeForfeit
        | Termination::IllegalMove
        | Termination::Disconnect
        | Termination::Stall => (true, !is_draw),
    };
    let words = result.termination.words();
    if !has_rule {
        return Err(format!(
            "the ledger has {words}, but [adjudication] has no such rule"
        ));
    }
    if fits {
        Ok(())
    } else {
        Err(format!(
            "the result {} does not follow from {words}",
            result.outcome.as_str()
        ))
    }
}
