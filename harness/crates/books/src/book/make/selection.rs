//! Chooses the positions of the book from the judged candidates.

use std::collections::{BTreeMap, HashMap};

use super::{Recipe, candidates::Candidate, judge::Judgement};
use crate::book::opening::BookOpening;

/// Chooses in the order of the draws, independently of the order of the judgements.
#[derive(Debug)]
pub(crate) struct Selection {
    count: usize,
    per_family: usize,
    /// Draws that are being judged, and judgements that wait for earlier ones, oldest first.
    open: BTreeMap<u64, Option<(Candidate, Judgement)>>,
    families: HashMap<String, usize>,
    chosen: Vec<BookOpening>,
}

impl Selection {
    /// An empty book by this recipe.
    pub(crate) fn new(recipe: &Recipe) -> Self {
        Self {
            count: recipe.count,
            per_family: recipe.per_family.unwrap_or(usize::MAX),
            open: BTreeMap::new(),
            families: HashMap::new(),
            chosen: Vec::new(),
        }
    }

    /// Registers a candidate for judging. Returns false if its family is full: it would never
    /// be chosen.
    pub(crate) fn expect(&mut self, candidate: &Candidate) -> bool {
        let taken = self.families.get(&candidate.family).copied().unwrap_or(0);
        let worth = taken < self.per_family;
        if worth {
            self.open.insert(candidate.draw, None);
        }
        worth
    }

    /// Absorbs the judgement of a registered candidate.
    pub(crate) fn absorb(&mut self, candidate: Candidate, judgement: Judgement) {
        self.open
            .insert(candidate.draw, Some((candidate, judgement)));
        while let Some(oldest) = self.open.first_entry()
            && oldest.get().is_some()
        {
            if let Some((candidate, Judgement::Score(score))) = oldest.remove() {
                self.choose(candidate, score);
            }
        }
    }

    fn choose(&mut self, candidate: Candidate, score: i32) {
        let taken = self.families.entry(candidate.family).or_default();
        if *taken < self.per_family && self.chosen.len() < self.count {
            *taken += 1;
            self.chosen.push(BookOpening {
                score: Some(score),
                ..candidate.entry
            });
        }
    }

    /// Number of positions chosen so far.
    pub(crate) fn len(&self) -> usize {
        self.chosen.len()
    }

    /// Whether the book has all the positions it should have.
    pub(crate) fn is_complete(&self) -> bool {
        self.chosen.len() == self.count
    }

    /// The book.
    pub(crate) fn into_entries(self) -> Vec<BookOpening> {
        self.chosen
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::book::make::SourceKind;
    use hone_uci::openings::Variant;

    fn recipe() -> Recipe {
        Recipe {
            variant: Variant::Standard,
            source: SourceKind::Random,
            plies: 1..=1,
            count: 12,
            window: -50..=50,
            nodes: 8,
            glance: 1,
            quiet: 0,
            per_family: Some(4),
            seed: 1,
        }
    }

    fn candidate(draw: u64, family: u8) -> Candidate {
        Candidate {
            draw,
            family: family.to_string(),
            entry: BookOpening::default(),
        }
    }

    proptest! {
        /// The order of judgements, and judgements beyond the needed ones, do not change the
        /// book.
        #[test]
        fn the_order_of_judgements_does_not_matter(
            draws in prop::collection::vec((0_u8..4, prop::option::of(-50_i32..50)), 1..80),
            order in prop::collection::vec(any::<prop::sample::Index>(), 80),
            at_work in 1_usize..6,
        ) {
            let judged = |index: usize| {
                let (family, score) = draws[index];
                let judgement = score.map_or(Judgement::Unfit, Judgement::Score);
                (candidate(index as u64, family), judgement)
            };
            let run = |at_work: usize| {
                let mut selection = Selection::new(&recipe());
                let mut open = Vec::new();
                let mut next = 0;
                let mut step = 0;
                loop {
                    while open.len() < at_work && next < draws.len() && !selection.is_complete() {
                        let (candidate, judgement) = judged(next);
                        next += 1;
                        if selection.expect(&candidate) {
                            open.push((candidate, judgement));
                        }
                    }
                    if open.is_empty() {
                        break;
                    }
                    let (candidate, judgement) = open.remove(order[step % 80].index(open.len()));
                    step += 1;
                    selection.absorb(candidate, judgement);
                }
                selection.into_entries().iter().map(|entry| entry.score).collect::<Vec<_>>()
            };
            let one_by_one = run(1);
            prop_assert!(one_by_one.len() <= 12);
            prop_assert_eq!(run(at_work), one_by_one);
        }
    }
}
