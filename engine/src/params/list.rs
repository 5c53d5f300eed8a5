//! The tables. This file is the only place where a setting is declared.

use super::table::{choices, settings};

choices! {
    /// Which moves quiescence looks at besides check evasions.
    pub enum QsMoves {
        None = "none",
        Captures = "captures",
        Promotions = "captures+promotions",
        Checks = "captures+promotions+checks",
    }
}

settings! {
    /// Constants and switches of the search. A plain struct: searchers with
    /// different values can run in one process.
    pub struct Params, PARAMETERS;

    "Quiescence" {
        /// Search on from the horizon until the position is quiet; off, the horizon is evaluated as it stands.
        quiescence: bool = "Quiescence", true;
        /// Kinds of moves searched in quiescence; each kind includes those before it.
        qs_moves: QsMoves = "QsMoves", QsMoves::Promotions;
        /// Search all evasions when in check.
        qs_evasions: bool = "QsEvasions", true;
        /// Allow standing pat while in check.
        qs_stand_pat_in_check: bool = "QsStandPatInCheck", false;
        /// Skip captures whose victim plus a margin cannot lift the evaluation to alpha.
        qs_delta_pruning: bool = "QsDeltaPruning", true;
        /// Margin of delta pruning in centipawns.
        qs_delta_margin: i32 = "QsDeltaMargin", 200, 0..=4000, 20;
        /// Skip captures that lose material by static exchange evaluation.
        qs_see: bool = "QsSee", true;
        /// Exchange value in centipawns that a capture must reach.
        qs_see_threshold: i32 = "QsSeeThreshold", 0, -1000..=1000, 20;
        /// Plies of quiescence after which the evaluation is returned; 0 for no limit.
        qs_max_ply: i32 = "QsMaxPly", 0, 0..=64, 2;
        /// Probe and store the transposition table in quiescence.
        qs_tt: bool = "QsTt", true;
        /// What a stand-pat cutoff returns: 0 the evaluation (fail-soft), 100 beta (fail-hard), between them a blend.
        qs_fail_hard: i32 = "QsFailHard", 0, 0..=100, 10;
    }

    "Search" {
        /// Skip the move to see whether the position is still good enough.
        null_move: bool = "NullMove", true;
        /// Least depth of a null move.
        null_move_depth: i32 = "NullMoveDepth", 3, 1..=16, 1;
        /// Plies by which a null move search is shallower.
        null_move_base: i32 = "NullMoveBase", 3, 1..=8, 1;
        /// Depth per further ply of null move reduction.
        null_move_depth_div: i32 = "NullMoveDepthDiv", 4, 1..=16, 1;
        /// Return early if the evaluation is far above beta.
        reverse_futility: bool = "ReverseFutility", true;
        /// Greatest depth of reverse futility pruning.
        reverse_futility_depth: i32 = "ReverseFutilityDepth", 7, 0..=32, 1;
        /// Centipawns above beta asked for per ply of depth.
        reverse_futility_margin: i32 = "ReverseFutilityMargin", 80, 0..=500, 10;
        /// Search late moves to less depth first.
        late_move_reductions: bool = "LateMoveReductions", true;
        /// Least depth of late move reductions.
        lmr_depth: i32 = "LmrDepth", 3, 1..=16, 1;
        /// Constant part of the reduction, in hundredths of a ply.
        lmr_base: i32 = "LmrBase", 60, -200..=300, 15;
        /// Divisor of ln(depth) * ln(move number), in hundredths.
        lmr_div: i32 = "LmrDiv", 220, 50..=1000, 15;
    }

    "History" {
        /// Divisor of the decay of a history value when it is updated.
        history_decay: i32 = "HistoryDecay", 324, 32..=1000, 24;
        /// Factor of the bonus in a history update.
        history_gain: i32 = "HistoryGain", 32, 1..=64, 3;
    }

    "Exchange values" {
        /// Value of a pawn in exchanges, in centipawns.
        see_pawn: i32 = "SeePawn", 100, 0..=1000, 10;
        /// Value of a knight in exchanges, in centipawns.
        see_knight: i32 = "SeeKnight", 320, 0..=2000, 20;
        /// Value of a bishop in exchanges, in centipawns.
        see_bishop: i32 = "SeeBishop", 330, 0..=2000, 20;
        /// Value of a rook in exchanges, in centipawns.
        see_rook: i32 = "SeeRook", 500, 0..=2000, 25;
        /// Value of a queen in exchanges, in centipawns.
        see_queen: i32 = "SeeQueen", 950, 0..=4000, 50;
    }
}

settings! {
    /// What a user sets once for a session.
    pub struct Settings, SETTINGS;

    "Engine" {
        /// Size of the transposition table in MiB.
        hash: i32 = "Hash", 16, 1..=65536, 1;
        /// Number of threads that search.
        threads: i32 = "Threads", 1, 1..=256, 1;
        /// Milliseconds of each move kept back for the way to the user interface.
        move_overhead: i32 = "Move Overhead", 10, 0..=5000, 1;
        /// Write castling as king takes rook.
        chess960: bool = "UCI_Chess960", false;
    }
}
