//! `openings` of a configuration.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::values::positive;
use crate::rules::openings::Order;

/// Which openings are played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OpeningsConfig {
    /// EPD, FEN or PGN, plain, gzip or zip. Without it every game starts from
    /// the usual position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    pub order: Order,
    /// Number of the opening to begin with, from 1.
    #[serde(deserialize_with = "positive")]
    pub start: usize,
    /// Half-moves taken from each game of a PGN book; all if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<usize>,
}

impl Default for OpeningsConfig {
    fn default() -> Self {
        Self {
            file: None,
            order: Order::Random,
            start: 1,
            plies: None,
        }
    }
}
