//! Symmetric positive definite systems, by Cholesky's decomposition.

/// A square matrix by rows.
pub(super) type Matrix = Vec<Vec<f64>>;

pub(super) fn zeros(n: usize) -> Matrix {
    vec![vec![0.0; n]; n]
}

/// The lower triangle L with L L^T = `matrix`; `None` if the matrix is not
/// positive definite.
fn cholesky(matrix: &Matrix) -> Option<Matrix> {
    let n = matrix.len();
    let mut lower = zeros(n);
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
            let rest = matrix[i][j] - sum;
            if i == j {
                // Relative to the diagonal: what is left is only rounding.
                if rest <= 1e-12 * matrix[i][i].abs() || !rest.is_finite() {
                    return None;
                }
                lower[i][i] = rest.sqrt();
            } else {
                lower[i][j] = rest / lower[j][j];
            }
        }
    }
    Some(lower)
}

/// The inverse; `None` if the matrix is not positive definite.
pub(super) fn inverse(matrix: &Matrix) -> Option<Matrix> {
    let n = matrix.len();
    let lower = cholesky(matrix)?;
    // The inverse is symmetric: its columns are its rows.
    let solve = |column: usize| {
        let mut x = vec![0.0; n];
        for i in 0..n {
            let unit = f64::from(u8::from(i == column));
            let sum: f64 = (0..i).map(|k| lower[i][k] * x[k]).sum();
            x[i] = (unit - sum) / lower[i][i];
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|k| lower[k][i] * x[k]).sum();
            x[i] = (x[i] - sum) / lower[i][i];
        }
        x
    };
    Some((0..n).map(solve).collect())
}

pub(super) fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    let n = a.len();
    let mut product = zeros(n);
    for i in 0..n {
        for k in 0..n {
            for j in 0..n {
                product[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_by_hand() {
        let inverse = inverse(&vec![vec![4.0, 2.0], vec![2.0, 3.0]]).unwrap();
        let expected = [[0.375, -0.25], [-0.25, 0.5]];
        for i in 0..2 {
            for j in 0..2 {
                assert!((inverse[i][j] - expected[i][j]).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn singular_matrices_have_none() {
        assert!(inverse(&vec![vec![1.0, 1.0], vec![1.0, 1.0]]).is_none());
        assert!(inverse(&vec![vec![-1.0]]).is_none());
    }
}
