//! What the tests find.

use serde::{Deserialize, Serialize};

/// What a test looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    Workers,
    TimeBlocks,
    RunsInTime,
    OddOpening,
    RepeatedGames,
    FewOpenings,
    AlikeEngines,
    IgnoredLimit,
    ResignedGames,
    ShortGames,
    Pauses,
    Replays,
    Speed,
    ProcessorTime,
    ClockUse,
    StateOverGames,
    Unrepeatable,
    Contradiction,
}

impl Test {
    /// The name in reports.
    pub fn words(self) -> &'static str {
        match self {
            Self::Workers => "differences between workers",
            Self::TimeBlocks => "differences over time",
            Self::RunsInTime => "results in clusters",
            Self::OddOpening => "an odd opening",
            Self::RepeatedGames => "repeated games",
            Self::FewOpenings => "few openings",
            Self::AlikeEngines => "engines that play alike",
            Self::IgnoredLimit => "a limit that is not kept",
            Self::ResignedGames => "games that one side resigns",
            Self::ShortGames => "games that end early by scores",
            Self::Pauses => "pauses of hone",
            Self::Replays => "replays of one side",
            Self::Speed => "different speed of the same program",
            Self::ProcessorTime => "processor time",
            Self::ClockUse => "time beyond the clock",
            Self::StateOverGames => "state kept over games",
            Self::Unrepeatable => "games that do not repeat",
            Self::Contradiction => "results that contradict each other",
        }
    }
}

/// What a finding says about a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rank {
    /// Worth knowing; the verdict stands.
    Note,
    /// The verdict may not mean what it seems to mean.
    Doubtful,
    /// The verdict means nothing.
    Invalid,
}

impl Rank {
    /// The first word of the finding's sentence.
    fn word(self) -> &'static str {
        match self {
            Self::Note => "Note",
            Self::Doubtful => "Doubtful",
            Self::Invalid => "Invalid",
        }
    }
}

/// The result of one test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    pub test: Test,
    pub rank: Rank,
    /// What stands out, as text.
    pub detail: String,
    /// Probability that good data look at least as bad, 0 to 1; absent for counts,
    /// which are not a matter of chance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_value: Option<f64>,
}

/// Below this a finding is worth reporting. With four tests, one good match in
/// 250 shows one by chance.
const NOTEWORTHY: f64 = 1e-3;
/// Below this a finding is doubtful: one good match in 250,000 has one by chance.
const DOUBTFUL: f64 = 1e-6;

/// Whether a p-value is worth reporting.
pub fn is_noteworthy(p_value: f64) -> bool {
    p_value < NOTEWORTHY
}

impl Finding {
    /// A finding without a p-value.
    pub(super) fn of_counts(test: Test, rank: Rank, detail: String) -> Self {
        Self {
            test,
            rank,
            detail,
            p_value: None,
        }
    }

    /// A finding with a p-value. An odd opening is a note: the book holds it for both
    /// engines.
    pub(super) fn of_chance(test: Test, p_value: f64, detail: String) -> Self {
        let is_doubtful = p_value < DOUBTFUL && test != Test::OddOpening;
        Self {
            test,
            rank: if is_doubtful {
                Rank::Doubtful
            } else {
                Rank::Note
            },
            detail,
            p_value: Some(p_value),
        }
    }

    /// Whether it speaks against a verdict.
    pub fn is_against_verdict(&self) -> bool {
        self.rank >= Rank::Doubtful
    }

    /// Whether it should be reported.
    pub fn is_noteworthy(&self) -> bool {
        self.p_value.is_none_or(is_noteworthy)
    }

    /// The sentence in reports.
    pub fn sentence(&self) -> String {
        let chance = self
            .p_value
            .map_or(String::new(), |p_value| format!(", p = {p_value:.1e}"));
        format!(
            "{} ({}{chance}): {}",
            self.rank.word(),
            self.test.words(),
            self.detail
        )
    }
}
