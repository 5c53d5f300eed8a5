//! Bisection.

/// Halves the interval from `low` to `high` `steps` times, towards the value at which `is_low`
/// becomes false, and returns its ends. `low` may be the greater number.
pub fn bisect(
    (mut low, mut high): (f64, f64),
    steps: u32,
    is_low: impl Fn(f64) -> bool,
) -> (f64, f64) {
    for _ in 0..steps {
        let middle = 0.5 * (low + high);
        if is_low(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_close_in_on_the_root() {
        assert_eq!(bisect((1.0, 2.0), 3, |x| x * x < 2.0), (1.375, 1.5));
        assert_eq!(bisect((2.0, 1.0), 3, |x| x * x > 2.0), (1.5, 1.375));
        assert_eq!(bisect((1.0, 2.0), 0, |_| true), (1.0, 2.0));
    }
}
