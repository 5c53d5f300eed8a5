//! The figures of fastchess and cutechess-cli, by their formulas. They are not clamped:
//! one-sided results are infinite.

use hone_stats::elo::NELO_PER_SIGMA;
use hone_stats::{Pentanomial, Wdl, normal};

/// Elo, normalized Elo and likelihood of superiority of a sample of scores.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figures {
    pub elo: f64,
    pub elo_error: f64,
    pub nelo: f64,
    pub nelo_error: f64,
    /// 0 to 1.
    pub los: f64,
}

impl Figures {
    /// The figures of single games.
    pub(super) fn of_games(wdl: &Wdl) -> Self {
        let counts = [wdl.losses, wdl.draws, wdl.wins];
        Self::new(&counts, &[0.0, 0.5, 1.0], 1.0)
    }

    /// The figures of pairs.
    pub(super) fn of_pairs(pairs: &Pentanomial) -> Self {
        Self::new(&pairs.0, &[0.0, 0.25, 0.5, 0.75, 1.0], 2.0)
    }

    /// The figures of a sample; `games` is the number of games of one unit (1 or 2).
    fn new(counts: &[u64], scores: &[f64], games: f64) -> Self {
        let total = counts.iter().sum::<u64>() as f64;
        let weighted = || counts.iter().map(|count| *count as f64 / total).zip(scores);
        let score: f64 = weighted().map(|(share, score)| share * score).sum();
        let variance: f64 = weighted()
            .map(|(share, point)| share * (point - score).powi(2))
            .sum();
        let deviation = (variance / total).sqrt();
        let margin = normal::Z95 * deviation;
        let (low, high) = (score - margin, score + margin);
        let nelo = |score: f64| (score - 0.5) / (games * variance).sqrt() * NELO_PER_SIGMA;
        Self {
            elo: elo(score),
            elo_error: (elo(high) - elo(low)) / 2.0,
            nelo: nelo(score),
            nelo_error: (nelo(high) - nelo(low)) / 2.0,
            los: normal::cdf((score - 0.5) / deviation),
        }
    }
}

fn elo(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

/// A number with `decimals` decimals; NaN is `nan`, as in C.
pub(super) fn fixed(value: f64, decimals: usize) -> String {
    match value {
        _ if value.is_nan() => "nan".to_string(),
        _ if value.is_infinite() => if value > 0.0 { "inf" } else { "-inf" }.to_string(),
        _ => format!("{value:.decimals$}"),
    }
}

/// A share (0 to 1) in percent, without the sign; `nan` if it is not defined.
pub(super) fn percent(share: Option<f64>, decimals: usize) -> String {
    fixed(100.0 * share.unwrap_or(f64::NAN), decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_of_a_known_block() {
        // Counts of a public test on fishtest; the figures follow from the
        // formulas at the top.
        let pairs = Pentanomial([43, 61, 144, 55, 37]);
        let figures = Figures::of_pairs(&pairs);
        assert_eq!(fixed(figures.elo, 2), "-9.20");
        assert_eq!(fixed(figures.elo_error, 2), "20.93");
        assert_eq!(fixed(figures.nelo, 2), "-11.50");
        assert_eq!(fixed(figures.nelo_error, 2), "26.11");
        assert_eq!(fixed(100.0 * figures.los, 2), "19.41");
    }

    #[test]
    fn one_sided_results_are_infinite() {
        let wins = Wdl {
            wins: 3,
            draws: 0,
            losses: 0,
        };
        let figures = Figures::of_games(&wins);
        assert_eq!(fixed(figures.elo, 2), "inf");
        assert_eq!(fixed(figures.elo_error, 2), "nan");
    }
}
