//! What pairs are like, on the command line.

use std::path::PathBuf;

use clap::Args;

use super::run_folder::RunFolder;
use crate::cli::Failure;
use crate::stats::Pentanomial;
use crate::stats::distribution::PairDistribution;

/// How pairs of equal engines end.
#[derive(Debug, Args)]
#[group(required = true, multiple = false, id = "pairs_of_equals")]
struct Source {
    /// Probabilities of pairs: LL,LD,DD+WL,WD,WW
    #[arg(long, value_name = "P,P,P,P,P", value_parser = parse_probabilities)]
    distribution: Option<PairDistribution>,
    /// Counts of pairs that were played: LL,LD,DD+WL,WD,WW
    #[arg(long, value_name = "COUNTS", value_parser = super::counts::parse_pairs)]
    pentanomial: Option<super::counts::Pairs>,
    /// Share of drawn games; the games of a pair are then independent given the opening
    #[arg(long, value_name = "SHARE")]
    draw_ratio: Option<f64>,
    /// Folder of a run that was played
    #[arg(long, value_name = "FOLDER")]
    run: Option<PathBuf>,
}

/// What pairs are like.
#[derive(Debug, Args)]
pub(super) struct PairsArgs {
    #[command(flatten)]
    source: Source,
    /// By how much openings favour one colour, root mean square in Elo; with --draw-ratio
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 0.0,
        requires = "draw_ratio"
    )]
    rms_bias: f64,
}

impl PairsArgs {
    /// The distribution that is to be tilted.
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
        let folder = run.as_ref().expect("the group of arguments is required");
        Ok(measured(&RunFolder::read(folder)?.pentanomial())?)
    }

    /// The folder of the run, if that was given.
    pub(super) fn run_folder(&self) -> Option<&PathBuf> {
        self.source.run.as_ref()
    }
}

fn measured(counts: &Pentanomial) -> Result<PairDistribution, anyhow::Error> {
    anyhow::ensure!(
        counts.pairs() > 0,
        "the run has no pairs to measure a distribution from"
    );
    Ok(PairDistribution::measured(counts))
}

fn parse_probabilities(text: &str) -> Result<PairDistribution, String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|p| p.trim().parse()).collect();
    let numbers =
        numbers.map_err(|_| format!("`{text}` is not five numbers separated by commas"))?;
    let numbers = <[f64; 5]>::try_from(numbers)
        .map_err(|numbers| format!("expected 5 probabilities, got {}", numbers.len()))?;
    PairDistribution::new(numbers).map_err(|error| error.to_string())
}
