//! Signs of the perturbations: rows of Hadamard matrices.
//!
//! Within a block of `2^m` batches (the smallest power of two above the number
//! of parameters) the signs of any two parameters agree exactly as often as
//! they differ, so the effect of one parameter does not bias the estimate of
//! another, as it does by chance with independent signs. The column of each
//! parameter, the order of the rows and a sign for each row are drawn again for
//! every block.

use rand_chacha::rand_core::Rng;

use super::stream::{Purpose, shuffle, stream};

/// The schedule of signs of a run.
#[derive(Debug, Clone)]
pub(super) struct Design {
    seed: u64,
    parameters: usize,
    /// Rows of a block; a power of two above the number of parameters.
    rows: usize,
    block: Option<Block>,
}

#[derive(Debug, Clone)]
struct Block {
    index: u64,
    order: Vec<usize>,
    negated: Vec<bool>,
    columns: Vec<usize>,
}

impl Design {
    pub(super) fn new(seed: u64, parameters: usize) -> Self {
        Self {
            seed,
            parameters,
            rows: (parameters + 1).next_power_of_two(),
            block: None,
        }
    }

    /// The signs, +1 or -1, of all parameters in a batch.
    pub(super) fn signs(&mut self, batch: u64) -> Vec<f64> {
        let index = batch / self.rows as u64;
        let row = (batch % self.rows as u64) as usize;
        if self.block.as_ref().is_none_or(|block| block.index != index) {
            self.block = Some(self.draw_block(index));
        }
        let Some(block) = &self.block else {
            unreachable!("the block was just drawn");
        };
        let line = block.order[row];
        let columns = block.columns.iter();
        columns
            .map(|column| {
                let odd = (line & column).count_ones() % 2 == 1;
                if odd == block.negated[row] { 1.0 } else { -1.0 }
            })
            .collect()
    }

    fn draw_block(&self, index: u64) -> Block {
        let mut rng = stream(self.seed, Purpose::Flips, index);
        let mut order: Vec<usize> = (0..self.rows).collect();
        shuffle(&mut rng, &mut order);
        let mut columns: Vec<usize> = (1..self.rows).collect();
        shuffle(&mut rng, &mut columns);
        columns.truncate(self.parameters);
        let negated = (0..self.rows).map(|_| rng.next_u32() & 1 == 1).collect();
        Block {
            index,
            order,
            negated,
            columns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_two_parameters_are_orthogonal_within_a_block() {
        for parameters in [1, 3, 4, 12, 31] {
            let mut design = Design::new(5, parameters);
            let rows = design.rows as u64;
            for block in 0..3 {
                let signs: Vec<Vec<f64>> = (0..rows)
                    .map(|row| design.signs(block * rows + row))
                    .collect();
                for a in 0..parameters {
                    for b in 0..a {
                        let product: f64 = signs.iter().map(|row| row[a] * row[b]).sum();
                        assert_eq!(product, 0.0);
                    }
                }
            }
        }
    }

    #[test]
    fn signs_do_not_depend_on_the_order_of_the_batches() {
        let mut forward = Design::new(5, 12);
        let all: Vec<_> = (0..64).map(|batch| forward.signs(batch)).collect();
        for batch in (0..64).rev() {
            assert_eq!(Design::new(5, 12).signs(batch), all[batch as usize]);
        }
        assert_ne!(Design::new(6, 12).signs(0), all[0]);
        assert_ne!(all[..16], all[16..32]);
    }
}
