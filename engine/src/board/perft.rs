//! Counting the leaves of the legal move tree.

use super::{Move, MoveList, Position, movegen};

/// Number of legal lines of exactly `depth` half moves.
pub fn perft(position: &Position, depth: usize) -> u64 {
    count(position, depth, &mut MoveList::new())
}

/// [`perft`] split by first move, in generation order.
pub fn divide(position: &Position, depth: usize) -> Vec<(Move, u64)> {
    let counted = |mv| (mv, perft(&position.play(mv), depth.saturating_sub(1)));
    let moves = movegen::legal_moves(position);
    moves.into_iter().map(counted).collect()
}

fn count(position: &Position, depth: usize, stack: &mut MoveList) -> u64 {
    if depth == 0 {
        return 1;
    }
    let start = stack.len();
    movegen::legal(position, stack);
    let total = match depth {
        1 => (stack.len() - start) as u64,
        _ => (start..stack.len())
            .map(|i| count(&position.play(stack[i].mv), depth - 1, stack))
            .sum(),
    };
    stack.truncate(start);
    total
}
