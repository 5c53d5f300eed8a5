//! The judgement of a candidate by an engine.

use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Position};

use super::Recipe;
use crate::book::opening::from_white;
use hone_uci::engine::analysis::{AnalysisError, Analyst, SearchLimit};
use hone_uci::openings::Opening;
use hone_uci::rules::Score;

/// The judge's decision on a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Judgement {
    /// The score is outside the window, a mate, or differs too much between the searches.
    Unfit,
    /// Centipawns from White's side.
    Score(i32),
}

/// Judges a position with an empty hash table: a short search first, which rejects most
/// positions, then the full one. A position is quiet if the two scores are close. A first
/// score further from the window than that margin therefore rejects the position.
///
/// # Errors
/// If the engine fails.
pub async fn judge(
    analyst: &mut Analyst,
    position: &Chess,
    recipe: &Recipe,
) -> Result<Judgement, AnalysisError> {
    let fen = Opening::from_position(position);
    let fen = fen.start_fen();
    let place = format!("position \"{fen}\"");
    analyst.forget().await?;
    let limit = SearchLimit::Nodes(recipe.glance);
    let glance = analyst.evaluate(fen, &place, limit).await?;
    let Some(first) = white_score(glance.score, position) else {
        return Ok(Judgement::Unfit);
    };
    let (low, high) = recipe.window.clone().into_inner();
    if !(low.saturating_sub(recipe.quiet)..=high.saturating_add(recipe.quiet)).contains(&first) {
        return Ok(Judgement::Unfit);
    }
    let limit = SearchLimit::Nodes(recipe.nodes);
    let full = analyst.evaluate(fen, &place, limit).await?;
    Ok(match white_score(full.score, position) {
        Some(score)
            if recipe.window.contains(&score)
                && first.abs_diff(score) <= recipe.quiet.unsigned_abs() =>
        {
            Judgement::Score(score)
        }
        _ => Judgement::Unfit,
    })
}

/// A score in centipawns from White's side; `None` for a mate or no score.
fn white_score(score: Option<Score>, position: &Chess) -> Option<i32> {
    match score? {
        Score::Cp(cp) => Some(from_white(cp, position.turn())),
        Score::Mate(_) => None,
    }
}
