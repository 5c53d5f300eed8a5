//! Finds the commit that changed an engine's strength, by probabilistic
//! bisection: every match between two commits updates the probability of each
//! commit being the culprit, and the next match is the one with the largest
//! expected information. `docs/bisect.md` lists the assumptions.
//!
//! Commits are numbered along the first-parent history: 0 is the good one, the
//! last is the bad one. If commit k is the culprit, all from k on differ from
//! all before it by the same unknown Elo.

mod choice;
mod experiment;
mod failing;
mod known;
mod posterior;
mod posterior_timeline;
mod section;
#[cfg(test)]
mod tests;

pub use experiment::BisectExperiment;
pub use failing::FailureCounts;
pub use known::{BuildOutcome, Fingerprint, KnownBuild};
pub use posterior_timeline::TimelinePoint;
pub use section::BisectSection;
