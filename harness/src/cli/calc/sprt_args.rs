//! The sequential test on the command line.

use clap::Args;

use hone_stats::{Model, SprtConfig, SprtError};

/// A sequential test.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct SprtArgs {
    /// Strength of H0 in Elo, on the model's scale
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    pub(super) elo0: f64,
    /// Strength of H1 in Elo, on the model's scale
    #[arg(long, default_value_t = 5.0, allow_negative_numbers = true)]
    pub(super) elo1: f64,
    /// Probability of accepting H1 at elo0
    #[arg(long, default_value_t = 0.05, allow_negative_numbers = true)]
    alpha: f64,
    /// Probability of accepting H0 at elo1
    #[arg(long, default_value_t = 0.05, allow_negative_numbers = true)]
    beta: f64,
    /// normalized, logistic, bayesian or betting [default: normalized]
    #[arg(long)]
    model: Option<Model>,
    /// Correct the bounds for overshoot
    #[arg(long)]
    overshoot: bool,
}

impl SprtArgs {
    /// The test, if its values are valid.
    pub(super) fn config(&self) -> Result<SprtConfig, SprtError> {
        let config = SprtConfig {
            model: self.model.unwrap_or_default(),
            elo0: self.elo0,
            elo1: self.elo1,
            alpha: self.alpha,
            beta: self.beta,
            overshoot: self.overshoot,
        };
        config.validate()?;
        Ok(config)
    }
}
