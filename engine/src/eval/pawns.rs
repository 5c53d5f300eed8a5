//! Pawn structure: what depends on the pawns alone, and is remembered.

use super::tapered::Tapered;
use super::terms::Sink;
use super::weights::Term;
use crate::board::{Bitboard, Color, Position, Role, attacks};

/// What is known of a pawn structure.
#[derive(Clone, Copy, Default)]
pub(super) struct Structure {
    key: u64,
    pub(super) sum: Tapered,
    pub(super) passed: [Bitboard; 2],
}

/// Structures met before, by key.
pub struct PawnCache(Vec<Structure>);

const ENTRIES: usize = 1 << 12;

impl Default for PawnCache {
    fn default() -> PawnCache {
        // A position without pawns has key 0, sum 0 and no passed pawns.
        PawnCache(vec![Structure::default(); ENTRIES])
    }
}

impl PawnCache {
    pub(super) fn look_up(&mut self, position: &Position) -> Structure {
        let [key, ..] = position.part_keys;
        let entry = &mut self.0[key as usize % ENTRIES];
        if entry.key != key {
            let mut sum = Tapered::ZERO;
            let passed = assess(position, &mut sum);
            *entry = Structure { key, sum, passed };
        }
        *entry
    }
}

/// Finds the features of both sides' pawns and returns their passed pawns.
pub(super) fn assess(position: &Position, sink: &mut impl Sink) -> [Bitboard; 2] {
    Color::BOTH.map(|us| {
        let own = position.pieces(us, Role::Pawn);
        let enemies = position.pieces(!us, Role::Pawn);
        let mut passed = Bitboard::EMPTY;
        for pawn in own {
            let file = Bitboard::file(pawn.file());
            let neighbours = file.west() | file.east();
            let rank = pawn.relative_rank(us);
            let ahead = Bitboard::of(pawn).forward(us).fill_forward(us);
            let flanks = ahead.west() | ahead.east();
            let doubled = (ahead & own).any();
            if doubled {
                sink.add(us, Term::DoubledPawn, 0, 1);
            }
            let supported = attacks::pawn(!us, pawn) & own;
            let beside = Bitboard::of(pawn).west() | Bitboard::of(pawn).east();
            let opposed = usize::from((ahead & enemies).any());
            if supported.any() {
                sink.add(us, Term::SupportedPawn, rank, supported.count() as i32);
            }
            if (beside & own).any() {
                sink.add(us, Term::Phalanx, rank, 1);
            }
            if (neighbours & own).is_empty() {
                sink.add(us, Term::IsolatedPawn, opposed, 1);
            } else if (supported | beside & own).is_empty() {
                // Backward: no neighbour can ever support it, and the square
                // before it is guarded.
                let behind = (Bitboard::of(pawn) | beside).fill_forward(!us);
                let can_be_supported = (behind & neighbours & own).any();
                let stop_guarded = attacks::pawn(us, pawn.forward(us)) & enemies;
                if !can_be_supported && stop_guarded.any() {
                    sink.add(us, Term::BackwardPawn, opposed, 1);
                }
            }
            if ((ahead | flanks) & enemies).is_empty() && !doubled {
                passed |= Bitboard::of(pawn);
                sink.add(us, Term::PassedPawn, rank, 1);
                if supported.any() {
                    sink.add(us, Term::PassedProtected, 0, 1);
                }
            }
        }
        passed
    })
}
