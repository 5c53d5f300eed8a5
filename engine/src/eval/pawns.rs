//! Pawn structure: terms that depend on the pawns alone, cached.

use super::terms::{Sink, Sum};
use super::weights::Term;
use super::{Cache, king};
use crate::board::{Bitboard, Color, Position, Role, Square, attacks};

/// The cached evaluation of a pawn structure; it fits one cache line.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub(super) struct Structure {
    key: u64,
    sum: Sum,
    pub(super) passed: [Bitboard; 2],
    /// The squares of the kings that `shelter` was computed for.
    kings: [Option<Square>; 2],
    shelter: [Sum; 2],
}

impl Structure {
    /// Sum of the pawn structure and of the shelter of both kings.
    pub(super) fn total(&self) -> Sum {
        let [white, black] = self.shelter;
        self.sum.plus(white).plus(black)
    }
}

impl Cache<Structure> {
    /// The structure of a position, from the cache or computed. A position without pawns has
    /// key 0, sum 0 and no passed pawns, like an unused entry.
    pub(super) fn look_up(&mut self, position: &Position) -> &Structure {
        let [key, ..] = position.part_keys;
        let entry = self.at(key);
        if entry.key != key {
            let mut sum = Sum::default();
            let passed = assess(position, &mut sum);
            *entry = Structure {
                key,
                sum,
                passed,
                ..Structure::default()
            };
        }
        for us in Color::BOTH {
            let (king, index) = (position.king(us), us.index());
            if entry.kings[index] != Some(king) {
                let mut sum = Sum::default();
                king::shelter(position, us, &mut sum);
                (entry.kings[index], entry.shelter[index]) = (Some(king), sum);
            }
        }
        entry
    }
}

/// Adds the features of both sides' pawns to `sink` and returns the passed pawns.
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
            let supported = attacks::pawn(!us, pawn) & own;
            let beside = Bitboard::of(pawn).west() | Bitboard::of(pawn).east();
            let opposed = usize::from((ahead & enemies).any());
            if supported.any() {
                let index = rank + 8 * opposed;
                sink.add(us, Term::SupportedPawn, index, supported.count() as i32);
            }
            if (beside & own).any() {
                sink.add(us, Term::Phalanx, rank + 8 * opposed, 1);
            }
            if doubled {
                sink.add(us, Term::DoubledPawn, usize::from(supported.is_empty()), 1);
            }
            if (neighbours & own).is_empty() {
                let edge = pawn.file().min(7 - pawn.file());
                sink.add(us, Term::IsolatedPawn, edge + 4 * opposed, 1);
            } else if (supported | beside & own).is_empty() {
                // Backward: no pawn on a neighbouring file can ever support it, and the
                // square in front of it is guarded.
                let can_be_supported = (behind_of(pawn, us) & own).any();
                let stop_guarded = attacks::pawn(us, pawn.forward(us)) & enemies;
                if !can_be_supported && stop_guarded.any() {
                    sink.add(us, Term::BackwardPawn, opposed, 1);
                }
            }
            let levers = attacks::pawn(us, pawn) & enemies;
            if supported.is_empty() && levers.more_than_one() {
                sink.add(us, Term::PawnBetweenLevers, 0, 1);
            }
            if enemies.contains(pawn.forward(us)) && rank >= 4 {
                sink.add(us, Term::PawnBlockedFar, rank - 4, 1);
            }
            // Candidate: not opposed, and supported against the pawns that guard its path.
            let guards = (flanks & enemies).count();
            let helpers = ((behind_of(pawn, us)) & own).count();
            if opposed == 0 && guards > 0 && helpers >= guards && !doubled {
                sink.add(us, Term::CandidatePawn, rank, 1);
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

/// The squares on the neighbouring files beside and behind a pawn.
fn behind_of(pawn: Square, us: Color) -> Bitboard {
    let beside = Bitboard::of(pawn).west() | Bitboard::of(pawn).east();
    beside.fill_forward(!us)
}
