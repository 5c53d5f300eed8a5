//! The distribution of pairs, on the command line.

use std::path::PathBuf;

use clap::Args;

use super::run_folder::RunFolder;
use crate::cli::Failure;
use hone_base::diagnostic::Diagnostic;
use hone_run::find_run;
use hone_stats::Pentanomial;
use hone_stats::distribution::PairDistribution;

/// Default distribution of pairs of equal engines: typical of fishtest with unbalanced
/// openings. In normalized Elo, the number of pairs hardly depends on it.
pub(super) const TYPICAL: [f64; 5] = [0.004, 0.196, 0.6, 0.196, 0.004];

/// The distribution of pairs of equal engines; by default [`TYPICAL`].
#[derive(Debug, Args)]
#[group(required = false, multiple = false, id = "pairs_of_equals")]
struct Source {
    /// Probabilities of pairs: LL,LD,DD+WL,WD,WW [default: 0.004,0.196,0.6,0.196,0.004,
    /// typical of fishtest with unbalanced openings]
    #[arg(long, value_name = "P,P,P,P,P", value_parser = parse_probabilities)]
    distribution: Option<PairDistribution>,
    /// Counts of pairs that were played: LL,LD,DD+WL,WD,WW
    #[arg(long, value_name = "COUNTS", value_parser = super::counts::parse_pairs)]
    pentanomial: Option<super::counts::Pairs>,
    /// Share of drawn games, as in 0.6 or 60%; the games of a pair are then independent given the opening
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    draw_ratio: Option<f64>,
    /// A run that was played: its folder, the beginning of its name, or latest
    #[arg(long, value_name = "RUN", add = crate::cli::completions::run())]
    run: Option<PathBuf>,
}

/// The distribution of pairs, with the effect of openings.
#[derive(Debug, Args)]
pub(super) struct PairsArgs {
    #[command(flatten)]
    source: Source,
    /// By how much openings favour one colour, root mean square in Elo; with --draw-ratio
    #[arg(long, value_name = "ELO", default_value_t = 0.0, requires = "draw_ratio")]
    rms_bias: f64,
}

impl PairsArgs {
    /// The distribution of equal engines, which is tilted to other strengths.
    pub(super) fn base(&self) -> Result<PairDistribution, Failure> {
        let Source {
            distribution,
            pentanomial,
            draw_ratio,
            run,
        } = &self.source;
        if let Some(distribution) = distribution {
            return Ok(*distribution);
        }
        if let Some(pairs) = pentanomial {
            return Ok(measured(&pairs.counts)?);
        }
        if let Some(draw_ratio) = draw_ratio {
            return Ok(PairDistribution::of_equals(*draw_ratio, self.rms_bias)?);
        }
        let Some(folder) = run else {
            return Ok(PairDistribution::new(TYPICAL)?);
        };
        Ok(measured(
            &RunFolder::read(&find_run(folder)?)?.pentanomial()?,
        )?)
    }

    /// A note about the assumed distribution, if none is given.
    pub(super) fn assumption(&self) -> Option<String> {
        let Source {
            distribution,
            pentanomial,
            draw_ratio,
            run,
        } = &self.source;
        let is_given = distribution.is_some()
            || pentanomial.is_some()
            || draw_ratio.is_some()
            || run.is_some();
        (!is_given).then(|| {
            let shares = TYPICAL.map(|share| format!("{:.1}", 100.0 * share));
            format!(
                "Assumed results of pairs (typical of fishtest with unbalanced openings): LL, LD, DD+WL, WD, WW = {} %.\nTo use your own, give --run, --pentanomial or --draw-ratio.",
                shares.join(", ")
            )
        })
    }

    /// The folder of the run, if that was given.
    pub(super) fn run_folder(&self) -> anyhow::Result<Option<PathBuf>> {
        self.source.run.as_deref().map(find_run).transpose()
    }
}

fn measured(counts: &Pentanomial) -> Result<PairDistribution, anyhow::Error> {
    anyhow::ensure!(
        counts.pairs() > 0,
        "the run has no pairs to measure a distribution from"
    );
    anyhow::ensure!(
        counts.0.iter().filter(|count| **count > 0).count() > 1,
        Diagnostic::new(
            "all pairs have the same result: no distribution can be measured from them"
        )
        .help("use a longer run, or give --draw-ratio instead")
    );
    Ok(PairDistribution::measured(counts))
}

/// A share of 1, or a percentage.
fn parse_share(text: &str) -> Result<f64, String> {
    let share = match text.trim().strip_suffix('%') {
        Some(percent) => percent.trim().parse().map(|percent: f64| percent / 100.0),
        None => text.trim().parse(),
    };
    match share {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err(format!(
            "`{text}` is not a share: write 0 to 1, or 0% to 100%"
        )),
    }
}

fn parse_probabilities(text: &str) -> Result<PairDistribution, String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|p| p.trim().parse()).collect();
    let numbers =
        numbers.map_err(|_| format!("`{text}` is not five numbers separated by commas"))?;
    let numbers = <[f64; 5]>::try_from(numbers)
        .map_err(|numbers| format!("expected 5 probabilities, got {}", numbers.len()))?;
    PairDistribution::new(numbers).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_that_all_end_alike_are_no_distribution() {
        assert!(measured(&Pentanomial([0, 0, 5, 0, 0])).is_err());
        assert!(measured(&Pentanomial([0, 1, 5, 0, 0])).is_ok());
    }

    #[test]
    fn shares_may_be_percentages() {
        assert_eq!(parse_share("50%"), Ok(0.5));
        assert_eq!(parse_share("0.5"), Ok(0.5));
        assert_eq!(parse_share("62.5 %"), Ok(0.625));
        for text in ["50", "-1%", "101%", "x", "%"] {
            assert!(parse_share(text).is_err(), "{text}");
        }
    }
}
