//! Solves symmetric positive definite systems.

/// The lower triangle `L` of `A = L L'`, row by row.
#[derive(Debug, Clone)]
pub struct Cholesky {
    size: usize,
    lower: Vec<f64>,
}

impl Cholesky {
    /// Factors the matrix whose lower triangle is in `a` (`size` rows of
    /// `size` numbers). `None` if it is not positive definite: if a pivot is at
    /// most `tolerance` times the diagonal's element, only rounding is left.
    pub fn new(mut a: Vec<f64>, size: usize, tolerance: f64) -> Option<Self> {
        for row in 0..size {
            let (above, rest) = a.split_at_mut(row * size);
            let current = &mut rest[..size];
            for column in 0..row {
                let other = &above[column * size..column * size + column + 1];
                let dot: f64 = current[..column]
                    .iter()
                    .zip(other)
                    .map(|(x, y)| x * y)
                    .sum();
                current[column] = (current[column] - dot) / other[column];
            }
            let square: f64 = current[..row].iter().map(|x| x * x).sum();
            let pivot = current[row] - square;
            if !pivot.is_finite() || pivot <= tolerance * current[row].abs() {
                return None;
            }
            current[row] = pivot.sqrt();
        }
        Some(Self { size, lower: a })
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.lower[row * self.size..row * self.size + row + 1]
    }

    /// `L^-1 b`.
    pub fn forward(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        for i in 0..self.size {
            let row = self.row(i);
            let dot: f64 = row[..i].iter().zip(&x[..i]).map(|(l, x)| l * x).sum();
            x[i] = (x[i] - dot) / row[i];
        }
        x
    }

    /// `A^-1 b`.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = self.forward(b);
        for i in (0..self.size).rev() {
            let row = self.row(i);
            x[i] /= row[i];
            let known = x[i];
            for (x, l) in x[..i].iter_mut().zip(row) {
                *x -= l * known;
            }
        }
        x
    }

    /// `A^-1` by rows. Column by column, each sum in the order of its terms.
    pub(crate) fn inverse(&self) -> Vec<Vec<f64>> {
        let n = self.size;
        // The columns of `L` as rows: the sums below run along memory.
        let mut columns = vec![0.0; n * n];
        for (i, row) in (0..n).map(|i| (i, self.row(i))) {
            for (k, x) in row.iter().enumerate() {
                columns[k * n + i] = *x;
            }
        }
        let column = |column: usize| {
            let mut unit = vec![0.0; n];
            unit[column] = 1.0;
            let mut x = self.forward(&unit);
            for i in (0..n).rev() {
                let below = &columns[i * n + i + 1..(i + 1) * n];
                let sum: f64 = below.iter().zip(&x[i + 1..]).map(|(l, x)| l * x).sum();
                x[i] = (x[i] - sum) / columns[i * n + i];
            }
            x
        };
        // The inverse is symmetric: its columns are its rows.
        (0..n).map(column).collect()
    }

    /// `ln det A`.
    pub fn log_determinant(&self) -> f64 {
        (0..self.size).map(|i| 2.0 * self.row(i)[i].ln()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_a_known_system() {
        // A = [[4, 2], [2, 3]], det 8.
        let factor = Cholesky::new(vec![4.0, 0.0, 2.0, 3.0], 2, 0.0).unwrap();
        let x = factor.solve(&[8.0, 7.0]);
        assert!(
            (x[0] - 1.25).abs() < 1e-12 && (x[1] - 1.5).abs() < 1e-12,
            "{x:?}"
        );
        assert!((factor.log_determinant() - 8f64.ln()).abs() < 1e-12);
        // b' A^-1 b is the squared length of L^-1 b.
        let half = factor.forward(&[8.0, 7.0]);
        let square: f64 = half.iter().map(|x| x * x).sum();
        assert!((square - (8.0 * 1.25 + 7.0 * 1.5)).abs() < 1e-12);
    }

    #[test]
    fn inverse_by_hand() {
        let factor = Cholesky::new(vec![4.0, 0.0, 2.0, 3.0], 2, 0.0).unwrap();
        let expected = [[0.375, -0.25], [-0.25, 0.5]];
        for (row, expected) in factor.inverse().iter().zip(expected) {
            for (x, expected) in row.iter().zip(expected) {
                assert!((x - expected).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn refuses_what_is_not_positive() {
        assert!(Cholesky::new(vec![1.0, 0.0, 2.0, 1.0], 2, 0.0).is_none());
        assert!(Cholesky::new(vec![f64::NAN], 1, 0.0).is_none());
        assert!(Cholesky::new(vec![1.0, 0.0, 1.0, 1.0], 2, 1e-12).is_none());
    }
}
