//! The positions and texts of the numbers at an axis.

/// The numbers of an axis.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Ticks {
    /// Round numbers.
    #[default]
    Numbers,
    /// Whole numbers only: counts, depths.
    Whole,
    /// Positions with texts, in order; as many are shown as fit.
    Named(Vec<(f64, String)>),
}

impl Ticks {
    /// Positions and texts on an axis with this range and room for `most` texts.
    pub(super) fn of(&self, range: (f64, f64), most: usize) -> Vec<(f64, String)> {
        match self {
            Self::Numbers => numbers(range, most, 0.0),
            Self::Whole => numbers(range, most, 1.0),
            Self::Named(all) => {
                let step = all.len().div_ceil(most.max(1)).max(1);
                all.iter().step_by(step).cloned().collect()
            }
        }
    }
}

/// Multiples of a step of 1, 2 or 5 times a power of ten. The step is at least `finest` and
/// divides the range at most `most` times. Texts have the digits of the step.
fn numbers((low, high): (f64, f64), most: usize, finest: f64) -> Vec<(f64, String)> {
    let wanted = ((high - low) / most.max(1) as f64).max(finest);
    let power = 10f64.powf(wanted.log10().floor());
    // With a tolerance: products such as 2 times 0.1 are not exact.
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = steps.into_iter().find(|step| *step >= wanted * 0.999_999);
    let step = step.unwrap_or(wanted);
    let [first, last] = [(low / step).ceil() as i64, (high / step).floor() as i64];
    let digits = (-(step * 1.000_001).log10().floor()).max(0.0) as usize;
    (first..=last)
        .map(|multiple| multiple as f64 * step)
        .map(|place| (place, trimmed(&format!("{place:.digits$}"))))
        .collect()
}

/// A number rounded for a chart: two decimals, one from 10 on, none from 100 on.
pub fn short(value: &f64) -> String {
    let text = match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    };
    trimmed(&text)
}

/// A number without trailing zeros, and zero without a sign.
fn trimmed(text: &str) -> String {
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    };
    if text == "-0" {
        "0".to_string()
    } else {
        text.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(ticks: &Ticks, range: (f64, f64), most: usize) -> Vec<String> {
        let ticks = ticks.of(range, most);
        ticks.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn numbers_are_round_and_few() {
        assert_eq!(
            texts(&Ticks::Numbers, (-0.3, 0.9), 6),
            ["-0.2", "0", "0.2", "0.4", "0.6", "0.8"]
        );
        assert_eq!(
            texts(&Ticks::Numbers, (0.0, 4321.0), 5),
            ["0", "1000", "2000", "3000", "4000"]
        );
        assert_eq!(
            texts(&Ticks::Numbers, (0.0, 0.025), 6),
            ["0", "0.005", "0.01", "0.015", "0.02", "0.025"]
        );
        assert_eq!(
            texts(&Ticks::Numbers, (100.0, 101.0), 2),
            ["100", "100.5", "101"]
        );
        for most in 2..9 {
            for high in [0.01, 1.0, 7.0, 85.0, 1e6] {
                let count = texts(&Ticks::Numbers, (0.0, high), most).len();
                assert!((2..=most + 1).contains(&count), "{most} {high}: {count}");
            }
        }
    }

    #[test]
    fn depths_are_whole() {
        assert_eq!(texts(&Ticks::Whole, (0.5, 4.5), 8), ["1", "2", "3", "4"]);
    }

    #[test]
    fn names_are_thinned() {
        let names = |count: i32| (0..count).map(|at| (f64::from(at), at.to_string()));
        let ticks = Ticks::Named(names(10).collect());
        assert_eq!(texts(&ticks, (0.0, 9.0), 4), ["0", "3", "6", "9"]);
        assert_eq!(texts(&ticks, (0.0, 9.0), 20).len(), 10);
        assert!(texts(&Ticks::Named(Vec::new()), (0.0, 1.0), 4).is_empty());
    }
}
