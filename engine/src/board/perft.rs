//! Counting the leaves of the legal move tree.

use super::{Move, MoveList, Position, movegen};

/// Returns whether counting should stop.
pub type Stopped<'a> = &'a dyn Fn() -> bool;

/// Number of legal lines of exactly `depth` plies.
pub fn perft(position: &Position, depth: usize) -> u64 {
    count(position, depth, &mut MoveList::new(), &|| false)
}

/// [`perft`] split by first move, in generation order. The counts are too small
/// once it is `stopped`.
pub fn divide(position: &Position, depth: usize, stopped: Stopped) -> Vec<(Move, u64)> {
    let (mut stack, depth) = (MoveList::new(), depth.saturating_sub(1));
    let counted = |mv| (mv, count(&position.play(mv), depth, &mut stack, stopped));
    let moves = movegen::legal_moves(position);
    moves.into_iter().map(counted).collect()
}

fn count(position: &Position, depth: usize, stack: &mut MoveList, stopped: Stopped) -> u64 {
    // Checked some hundred times a second.
    if depth == 0 || depth > 3 && stopped() {
        return 1;
    }
    let start = stack.len();
    movegen::legal(position, stack);
    let total = match depth {
        1 => (stack.len() - start) as u64,
        _ => (start..stack.len())
            .map(|i| count(&position.play(stack[i].mv), depth - 1, stack, stopped))
            .sum(),
    };
    stack.truncate(start);
    total
}
