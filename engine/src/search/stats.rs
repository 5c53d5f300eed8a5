//! Counters of search events, and the speed of a search.

use std::ops::AddAssign;
use std::time::Duration;

macro_rules! counters {
    ($($name:ident = $text:literal,)*) => {
        /// A search event that is counted.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Counter { $($name,)* }

        /// The description of each event.
        const TEXTS: &[&str] = &[$($text,)*];
    };
}

counters! {
    MainNodes = "nodes of the main search",
    QsNodes = "nodes of quiescence",
    TableHits = "table hits",
    TableCutoffs = "table cutoffs",
    QsTableHits = "table hits in quiescence",
    QsTableCutoffs = "table cutoffs in quiescence",
    BetaCutoffs = "beta cutoffs",
    FirstMoveCutoffs = "beta cutoffs by the first move",
    QsBetaCutoffs = "beta cutoffs in quiescence",
    StandPatCutoffs = "stand-pat cutoffs",
    QsEvasionNodes = "quiescence nodes that searched evasions",
    QsQuietGates = "quiescence nodes evaluated as quiet (QsQuietGate)",
    QsAllMoves = "quiescence nodes that searched all moves",
    QsNodeDeltaPrunes = "quiescence nodes ended by delta pruning",
    QsDeltaPrunes = "captures skipped by delta pruning",
    QsFutilityPrunes = "captures skipped by futility in quiescence",
    QsAttackerPrunes = "captures skipped by the value of the attacker",
    QsSeePrunes = "captures skipped by exchange value in quiescence",
    QsEvasionPrunes = "evasions skipped by exchange value",
    QsChecks = "quiet checks searched in quiescence",
    QsRecaptureNodes = "quiescence nodes that searched recaptures only",
    QsKnightPromotions = "quiet promotions searched in quiescence",
    QsPlyLimits = "quiescence lines ended by the ply limit",
    QsRootPlyLimits = "quiescence lines ended by the ply limit from the root",
    QsMoveLimits = "quiescence nodes ended by the move limit",
    AspirationFails = "aspiration windows searched again",
    MateDistanceCutoffs = "mate distance cutoffs",
    ReverseFutilityCutoffs = "reverse futility cutoffs",
    RazoringTries = "razoring tries",
    RazoringCutoffs = "razoring cutoffs",
    NullMoveTries = "null moves tried",
    NullMoveCutoffs = "null move cutoffs",
    ProbCutTries = "ProbCut captures tried",
    ProbCutCutoffs = "ProbCut cutoffs",
    IterativeReductions = "internal iterative reductions",
    LateMovePrunes = "nodes where late quiet moves were skipped",
    FutilityPrunes = "quiet moves skipped by futility",
    HistoryPrunes = "quiet moves skipped by history",
    SeePrunes = "moves skipped by exchange value",
    SingularTests = "singular extension tests",
    SingularExtensions = "singular extensions",
    DoubleExtensions = "singular extensions by two plies",
    NegativeExtensions = "negative extensions",
    MultiCuts = "multi-cuts",
    CheckExtensions = "check extensions",
    HorizonExtensions = "extensions at the horizon",
    Reductions = "late moves reduced",
    ReductionResearches = "reduced moves searched again",
    KillerMoves = "killers tried",
    CounterMoves = "countermoves tried",
    BadCaptures = "captures put last by exchange value",
    EvalCorrections = "evaluations corrected by history",
}

/// Counts of one or more searches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stats {
    counts: [u64; TEXTS.len()],
    /// Maximum depth of quiescence, in plies from the horizon.
    pub qs_depth: usize,
}

impl Stats {
    pub const NEW: Stats = Stats {
        counts: [0; TEXTS.len()],
        qs_depth: 0,
    };

    pub(super) fn count(&mut self, counter: Counter) {
        self.counts[counter as usize] += 1;
    }

    pub(super) fn count_if(&mut self, happened: bool, counter: Counter) {
        self.counts[counter as usize] += u64::from(happened);
    }

    pub fn get(&self, counter: Counter) -> u64 {
        self.counts[counter as usize]
    }

    pub fn nodes(&self) -> u64 {
        self.get(Counter::MainNodes) + self.get(Counter::QsNodes)
    }

    /// A line for each event that occurred, then the shares.
    pub fn lines(&self) -> Vec<String> {
        let share = |part, whole: u64| 100.0 * self.get(part) as f64 / whole.max(1) as f64;
        let quiescence = share(Counter::QsNodes, self.nodes());
        let first = share(Counter::FirstMoveCutoffs, self.get(Counter::BetaCutoffs));
        let counts = TEXTS.iter().zip(self.counts);
        let happened = counts.filter(|&(_, count)| count > 0);
        let mut lines: Vec<String> = happened.map(|(text, n)| format!("{text}: {n}")).collect();
        lines.push(format!("share of quiescence: {quiescence:.1} %"));
        lines.push(format!("plies of quiescence reached: {}", self.qs_depth));
        lines.push(format!("cutoffs by the first move: {first:.1} %"));
        lines
    }
}

impl AddAssign<&Stats> for Stats {
    fn add_assign(&mut self, other: &Stats) {
        for (sum, count) in self.counts.iter_mut().zip(other.counts) {
            *sum += count;
        }
        self.qs_depth = self.qs_depth.max(other.qs_depth);
    }
}

/// Nodes a second.
pub fn nps(nodes: u64, elapsed: Duration) -> u64 {
    (nodes as f64 / elapsed.as_secs_f64().max(1e-6)) as u64
}

/// The last line of a command that counts nodes.
pub fn speed(nodes: u64, elapsed: Duration) -> String {
    format!("{nodes} nodes {} nps", nps(nodes, elapsed))
}
