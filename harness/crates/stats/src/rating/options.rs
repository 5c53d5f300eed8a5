//! Options of ratings, and why ratings cannot be computed.

/// What fixes the scale of the ratings and the always-valid intervals.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingOptions {
    /// Players whose rating is given.
    pub anchors: Vec<(String, f64)>,
    /// The mean rating of a pool without anchors.
    pub average: f64,
    /// White's advantage in Elo; `None` to estimate it.
    pub white_advantage: Option<f64>,
    /// Elo at which the stronger player takes ten of eleven points: 400.
    /// (Ordo's scale is 202 at 76 %: 403.5.)
    pub scale: f64,
    /// Planned pairs, if all games are those of one match of two players; see
    /// [`Summary::of_planned`](crate::Summary::of_planned).
    pub planned: Option<u64>,
}

impl Default for RatingOptions {
    fn default() -> Self {
        Self {
            anchors: Vec::new(),
            average: 0.0,
            white_advantage: None,
            scale: 400.0,
            planned: None,
        }
    }
}

/// Why ratings cannot be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RatingError {
    #[error("no games to rate")]
    NoGames,
    #[error("the anchor `{name}` has no games; the players are {players}")]
    UnknownAnchor { name: String, players: String },
    #[error("the anchor `{name}` is given more than once")]
    RepeatedAnchor { name: String },
    #[error(
        "the ratings did not converge: are the ratings of the anchors and White's advantage, if \
         they are given, compatible with the results?"
    )]
    NoConvergence,
}
