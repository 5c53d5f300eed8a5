//! Elo, nElo, LOS and LLR as other programs define them.
//!
//! Where a program prints an infinity or NaN the value is `None`.

use std::fmt;
use std::str::FromStr;

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::bisection::bisect;
use super::counts::{Counts, Pentanomial, Wdl};
use super::elo::score_of_elo;
use super::elo::{self, Estimate, NELO_PER_SIGMA, clamped_elo_of_score, elo_of_score};
use super::llr::{self, BayesElo};
use super::model::Model;
use super::normal::{self, Z95};
use super::sample::Sample;
use super::sprt::{Betting, SprtConfig};
use super::summary::{Interval, Summary};

/// Whose definitions are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Definition {
    /// fishtest's, but with the score of the counts as they are, and `None` without games.
    /// With fewer than 60 pairs (or single games), or fewer than 5 that differ from the most
    /// frequent result, Elo has the always-valid interval, and nElo and LOS are `None`.
    #[default]
    Hone,
    Fishtest,
    Fastchess,
    OpenBench,
    Cutechess,
    CChessCli,
}

/// Why a program does not define a number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionError {
    #[error(
        "unknown definition `{0}`: use hone, fishtest, fastchess, openbench, cutechess or c-chess-cli"
    )]
    Unknown(String),
    #[error("{0} counts single games: give wins, draws and losses instead of pairs")]
    SingleGames(Definition),
    #[error(
        "{definition} has no {model} test of {}\nhelp: use {}",
        units(counts),
        options(definition.models(*counts))
    )]
    Model {
        definition: Definition,
        model: Model,
        counts: Counts,
    },
}

fn units(counts: &Counts) -> &'static str {
    match counts {
        Counts::Pentanomial(_) => "pairs",
        Counts::Wdl(_) => "single games",
    }
}

/// The models as options, as in `--model normalized` or `--model logistic`.
fn options(models: &[Model]) -> String {
    let options = models.iter().map(|model| format!("`--model {model}`"));
    options.collect::<Vec<_>>().join(" or ")
}

impl Definition {
    /// All definitions.
    pub const ALL: [Definition; 6] = [
        Definition::Hone,
        Definition::Fishtest,
        Definition::Fastchess,
        Definition::OpenBench,
        Definition::Cutechess,
        Definition::CChessCli,
    ];

    /// The name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Definition::Hone => "hone",
            Definition::Fishtest => "fishtest",
            Definition::Fastchess => "fastchess",
            Definition::OpenBench => "openbench",
            Definition::Cutechess => "cutechess",
            Definition::CChessCli => "c-chess-cli",
        }
    }

    /// The models of this program's tests of such counts, its default first; empty for pairs
    /// if it counts single games only.
    ///
    /// cutechess computes with BayesElo, but its bounds are logistic Elo: it divides them by
    /// the slope of BayesElo over logistic Elo. Sources: cutechess `sprt.cpp`, OpenBench
    /// `stats.py`, c-chess-cli `sprt.c`.
    pub fn models(self, counts: Counts) -> &'static [Model] {
        const GENERAL: &[Model] = &[Model::Normalized, Model::Logistic, Model::Bayesian];
        match (self, counts) {
            (Definition::Hone, Counts::Pentanomial(_)) => &Model::ALL,
            (Definition::Fastchess, Counts::Pentanomial(_)) => {
                &[Model::Normalized, Model::Logistic]
            }
            // The betting test assumes the variance of a pair before there are results.
            (Definition::Hone | Definition::Fishtest | Definition::Fastchess, _) => GENERAL,
            (Definition::OpenBench, Counts::Pentanomial(_)) => &[Model::Normalized],
            (Definition::OpenBench, Counts::Wdl(_)) => &[Model::Bayesian],
            (Definition::Cutechess | Definition::CChessCli, Counts::Pentanomial(_)) => &[],
            (Definition::Cutechess | Definition::CChessCli, Counts::Wdl(_)) => &[Model::Logistic],
        }
    }

    /// The match as this program summarises it.
    ///
    /// # Errors
    /// If pairs are given and the program counts single games only.
    pub fn summary(self, counts: Counts) -> Result<Summary, DefinitionError> {
        match (self, counts) {
            (Definition::Hone, counts) => Ok(Summary::new(counts)),
            (Definition::Fishtest, Counts::Pentanomial(pairs)) => {
                Ok(fishtest(&Sample::pairs(&pairs), counts))
            }
            (Definition::Fishtest, Counts::Wdl(games)) => {
                Ok(fishtest(&Sample::games(&games), counts))
            }
            (Definition::Fastchess, Counts::Pentanomial(pairs)) => {
                Ok(fastchess(Sample::raw(pairs.0), counts))
            }
            (Definition::Fastchess, Counts::Wdl(games)) => {
                Ok(fastchess(Sample::raw(games.by_score()), counts))
            }
            (Definition::OpenBench, Counts::Pentanomial(pairs)) => {
                Ok(openbench(Sample::raw(pairs.0), counts))
            }
            (Definition::OpenBench, Counts::Wdl(games)) => {
                Ok(openbench(Sample::raw(games.by_score()), counts))
            }
            (Definition::Cutechess, Counts::Wdl(games)) => Ok(cutechess(&games)),
            // It prints the score and the LLR only.
            (Definition::CChessCli, Counts::Wdl(_)) => Ok(facts(counts)),
            (Definition::Cutechess | Definition::CChessCli, Counts::Pentanomial(_)) => {
                Err(DefinitionError::SingleGames(self))
            }
        }
    }

    /// The log-likelihood ratio as this program computes it. For fastchess, which
    /// stops its root search after about three digits, it is the exact value. For
    /// the betting model, whose statistic depends on the order of the pairs, it is
    /// the average over all orders. `None` where the program's formula is not
    /// finite.
    ///
    /// # Errors
    /// If the program has no such test.
    pub fn llr(self, config: &SprtConfig, counts: Counts) -> Result<Option<f64>, DefinitionError> {
        let SprtConfig {
            model, elo0, elo1, ..
        } = *config;
        self.check(model, counts)?;
        let value = match (self, model, counts) {
            (_, Model::Betting, Counts::Pentanomial(pairs)) => average_of_betting(config, &pairs),
            (Definition::Fastchess, Model::Bayesian, Counts::Wdl(games))
                if games.wins == 0 || games.losses == 0 =>
            {
                0.0
            }
            (Definition::OpenBench, _, Counts::Wdl(games)) => openbench_llr(&games, elo0, elo1),
            (Definition::Cutechess, _, Counts::Wdl(games)) => cutechess_llr(&games, elo0, elo1),
            (Definition::CChessCli, _, Counts::Wdl(games)) => approximate_llr(&games, elo0, elo1),
            (_, model, counts) => llr::llr(model, counts, elo0, elo1),
        };
        Ok(finite(value))
    }

    /// Refuses a test that this program does not have.
    fn check(self, model: Model, counts: Counts) -> Result<(), DefinitionError> {
        let models = self.models(counts);
        if models.is_empty() {
            return Err(DefinitionError::SingleGames(self));
        }
        let error = DefinitionError::Model {
            definition: self,
            model,
            counts,
        };
        models.contains(&model).then_some(()).ok_or(error)
    }
}

/// The statistic of the betting test `config` after these pairs, on average over
/// their order; 0 without pairs.
fn average_of_betting(config: &SprtConfig, pairs: &Pentanomial) -> f64 {
    let bounds = [config.elo0, config.elo1].map(score_of_elo);
    Sample::raw(pairs.0).map_or(0.0, |sample| {
        Betting::expected(bounds, &sample).statistic(config.bounds())
    })
}

impl fmt::Display for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Definition {
    type Err = DefinitionError;

    fn from_str(name: &str) -> Result<Self, DefinitionError> {
        Definition::ALL
            .into_iter()
            .find(|definition| definition.name() == name)
            .ok_or_else(|| DefinitionError::Unknown(name.to_owned()))
    }
}

fn games_array(games: &Wdl) -> [f64; 3] {
    games.by_score().map(|n| n as f64)
}

/// Score and ratios, which are the same for every program.
fn facts(counts: Counts) -> Summary {
    Summary {
        score: counts.score(),
        elo: None,
        nelo: None,
        los: None,
        draw_ratio: counts.draw_ratio(),
        pair_ratio: counts.pair_ratio(),
        interval: Interval::FixedLength,
    }
}

/// fishtest computes everything, the score too, from the regularised counts.
fn fishtest<const K: usize>(sample: &Sample<K>, counts: Counts) -> Summary {
    Summary {
        score: Some(sample.mean_and_variance().0),
        elo: Some(elo::elo_of_sample(sample)),
        nelo: Some(elo::nelo_of_sample(sample)),
        los: Some(elo::los_of_sample(sample)),
        ..facts(counts)
    }
}

/// fastchess: no regularisation; the interval of normalized Elo treats the
/// deviation as known.
fn fastchess<const K: usize>(sample: Option<Sample<K>>, counts: Counts) -> Summary {
    let Some(sample) = sample else {
        return facts(counts);
    };
    let (mean, variance) = sample.mean_and_variance();
    let error = (variance / sample.size).sqrt();
    let per_unit = NELO_PER_SIGMA / Sample::<K>::GAMES.sqrt();
    let margin = per_unit * Z95 / sample.size.sqrt();
    let nelo = per_unit * (mean - 0.5) / variance.sqrt();
    Summary {
        elo: elo_interval(elo_of_score, mean, Z95 * error),
        nelo: interval(nelo, nelo - margin, nelo + margin),
        los: finite(normal::cdf((mean - 0.5) / error)),
        ..facts(counts)
    }
}

/// OpenBench: clamped scores, and an interval by Student's t-distribution.
fn openbench<const K: usize>(sample: Option<Sample<K>>, counts: Counts) -> Summary {
    let Some(sample) = sample.filter(|sample| sample.size > 1.0) else {
        return facts(counts);
    };
    let (mean, variance) = sample.mean_and_variance();
    let error = (variance / sample.size).sqrt();
    let margin = student_quantile(sample.size - 1.0) * error;
    Summary {
        elo: elo_interval(clamped_elo_of_score, mean, margin),
        ..facts(counts)
    }
}

/// The 97.5 % quantile of Student's t-distribution with `freedom` (at least 1)
/// degrees of freedom. The inverse in `statrs` does not terminate for some large
/// values of it.
fn student_quantile(freedom: f64) -> f64 {
    const LARGE: f64 = 1_000.0;
    if freedom >= LARGE {
        // The Cornish-Fisher expansion; the next term is below 1e-11.
        let z = Z95;
        let terms = [
            (z.powi(3) + z) / 4.0,
            (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
            (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
        ];
        return z + terms[0] / freedom + terms[1] / freedom.powi(2) + terms[2] / freedom.powi(3);
    }
    let student = StudentsT::new(0.0, 1.0, freedom).expect("a positive freedom");
    // With one degree of freedom it is 12.7.
    let (low, high) = bisect((1.0, 13.0), 60, |quantile| student.cdf(quantile) < 0.975);
    0.5 * (low + high)
}

/// cutechess: an approximate normal quantile, and a LOS that ignores draws.
fn cutechess(games: &Wdl) -> Summary {
    /// Winitzki's approximation of the 97.5 % quantile, in its last digits.
    fn quantile() -> f64 {
        const A: f64 = 8.0 * (std::f64::consts::PI - 3.0)
            / (3.0 * std::f64::consts::PI * (4.0 - std::f64::consts::PI));
        let x: f64 = 0.95;
        let y = (1.0 - x * x).ln();
        let z = 2.0 / (std::f64::consts::PI * A) + y / 2.0;
        2f64.sqrt() * ((z * z - y / A).sqrt() - z).sqrt()
    }
    let counts = Counts::from(*games);
    let Some(sample) = Sample::raw(games.by_score()) else {
        return facts(counts);
    };
    let (mean, variance) = sample.mean_and_variance();
    let margin = quantile() * (variance / sample.size).sqrt();
    let (wins, losses) = (games.wins as f64, games.losses as f64);
    Summary {
        elo: elo_interval(elo_of_score, mean, margin),
        los: finite(normal::cdf((wins - losses) / (wins + losses).sqrt())),
        ..facts(counts)
    }
}

/// The LLR of two BayesElo strengths, both with the draw Elo of the counts: it is
/// not maximised under each hypothesis.
fn plug_in_llr(counts: [f64; 3], elo0: f64, elo1: f64) -> f64 {
    let sample = Sample::from_weights(counts);
    let BayesElo { draw_elo, .. } = BayesElo::of_probabilities(sample.probabilities);
    let [zero, one] = [elo0, elo1].map(|strength| BayesElo { strength, draw_elo }.probabilities());
    (0..3).map(|i| counts[i] * (one[i] / zero[i]).ln()).sum()
}

/// OpenBench: BayesElo bounds; 0 while wins, draws or losses are missing.
fn openbench_llr(games: &Wdl, elo0: f64, elo1: f64) -> f64 {
    let counts = games_array(games);
    if counts.contains(&0.0) {
        0.0
    } else {
        plug_in_llr(counts, elo0, elo1)
    }
}

/// cutechess: half a game is added to each count; the logistic bounds are
/// converted to BayesElo by the slope at 0.
fn cutechess_llr(games: &Wdl, elo0: f64, elo1: f64) -> f64 {
    if games.games() == 0 {
        return 0.0;
    }
    let counts = games_array(games).map(|n| n + 0.5);
    let estimate = BayesElo::of_probabilities(Sample::from_weights(counts).probabilities);
    plug_in_llr(counts, elo0 / estimate.scale(), elo1 / estimate.scale())
}

/// c-chess-cli: the normal approximation with the observed variance, which is
/// wrong where the variance is small; 0 with fewer than two kinds of results.
fn approximate_llr(games: &Wdl, elo0: f64, elo1: f64) -> f64 {
    let classes = games_array(games).iter().filter(|&&n| n > 0.0).count();
    let Some(sample) = Sample::raw(games.by_score()).filter(|_| classes >= 2) else {
        return 0.0;
    };
    let (mean, variance) = sample.mean_and_variance();
    let (zero, one) = (score_of_elo(elo0), score_of_elo(elo1));
    sample.size * (one - zero) * (2.0 * mean - zero - one) / (2.0 * variance)
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Elo of a mean score, with the interval of `margin` to each side of the score.
fn elo_interval(elo: fn(f64) -> f64, mean: f64, margin: f64) -> Option<Estimate> {
    interval(elo(mean), elo(mean - margin), elo(mean + margin))
}

/// `None` unless all three are finite.
fn interval(estimate: f64, low: f64, high: f64) -> Option<Estimate> {
    [estimate, low, high]
        .iter()
        .all(|value| value.is_finite())
        .then_some(Estimate {
            estimate,
            low,
            high,
        })
}

#[cfg(test)]
mod tests {
    use super::super::sprt::Sprt;
    use super::*;

    #[test]
    fn quantiles_of_student() {
        // Tables: 12.7062 with 1 degree of freedom, 2.2281 with 10.
        assert!((student_quantile(1.0) - 12.706_205).abs() < 1e-6);
        assert!((student_quantile(10.0) - 2.228_139).abs() < 1e-6);
        assert!((student_quantile(999.9) - student_quantile(1_000.1)).abs() < 1e-6);
        assert!((student_quantile(5e9) - Z95).abs() < 1e-9);
    }

    #[test]
    fn names_round_trip() {
        for definition in Definition::ALL {
            assert_eq!(definition.to_string().parse(), Ok(definition));
        }
    }

    /// Equal results have one order only.
    #[test]
    fn the_average_of_betting_on_equal_results_is_the_statistic_of_the_live_test() {
        let config = SprtConfig {
            model: Model::Betting,
            ..SprtConfig::default()
        };
        for result in 0..5 {
            let mut live = Sprt::new(config).unwrap();
            while live.decision().is_none() {
                live.absorb(result);
                let average = average_of_betting(&config, &live.counts());
                assert!((average - live.llr()).abs() < 0.1, "{result}: {average}");
            }
        }
        assert_eq!(average_of_betting(&config, &Pentanomial::default()), 0.0);
    }

    #[test]
    fn a_program_has_its_own_tests_only() {
        let games = Counts::from(Wdl::from([6699, 12677, 6440]));
        let llr = |definition: Definition, model| {
            let config = SprtConfig {
                model,
                ..SprtConfig::default()
            };
            definition.llr(&config, games)
        };
        let error = llr(Definition::Cutechess, Model::Bayesian).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cutechess has no bayesian test of single games\nhelp: use `--model logistic`"
        );
        // Near zero, cutechess's bounds are those of a logistic test.
        let of_cutechess = llr(Definition::Cutechess, Model::Logistic)
            .unwrap()
            .unwrap();
        let exact = llr(Definition::Hone, Model::Logistic).unwrap().unwrap();
        assert!((of_cutechess - exact).abs() < 0.01, "{of_cutechess}");
        for definition in Definition::ALL {
            for model in Model::ALL {
                let is_listed = definition.models(games).contains(&model);
                assert_eq!(llr(definition, model).is_ok(), is_listed, "{definition}");
            }
        }
    }

    #[test]
    fn programs_disagree_where_results_are_one_sided() {
        let wins = Counts::from(Pentanomial([0, 0, 0, 0, 10]));
        assert!(Definition::Fishtest.summary(wins).unwrap().elo.is_some());
        assert!(Definition::Fastchess.summary(wins).unwrap().elo.is_none());
        assert!(Definition::Cutechess.summary(wins).is_err());
    }
}
