//! The tables. This file is the only place where a setting is declared.
//!
//! Names follow a rule: `…Depth` is a minimum or maximum depth in plies, `…Base` a constant
//! part, `…Margin` a margin in centipawns (per ply of depth where stated), `…Div` a divisor
//! (a larger value has a smaller effect), `…Limit` a maximum.

use super::table::{Kind, Parameter, Setting, choices, settings};

choices! {
    /// The kinds of moves searched in quiescence besides check evasions.
    pub enum QsMoves {
        None = "none",
        Captures = "captures",
        Promotions = "captures+promotions",
        Checks = "captures+promotions+checks",
        All = "all",
    }
}

choices! {
    /// The positions that quiescence evaluates without searching moves.
    pub enum QuietGate {
        Off = "off",
        NoCaptures = "no-captures",
        NoGain = "no-gain",
    }
}

choices! {
    /// The order of the captures of a node.
    pub enum CaptureOrder {
        History = "mvv-history",
        Attacker = "mvv-lva",
        Gain = "gain",
        Generated = "generated",
    }
}

choices! {
    /// Delta pruning of a whole quiescence node.
    pub enum NodeDelta {
        Off = "off",
        Margin = "margin",
        BestCapture = "best-capture",
    }
}

choices! {
    /// The side that makes the last move before the horizon.
    pub enum LastMove {
        Any = "any",
        Own = "own",
        Opponent = "opponent",
    }
}

choices! {
    /// When a side in check is searched a ply deeper.
    pub enum CheckExtension {
        Off = "off",
        Once = "once",
        Always = "always",
    }
}

settings! {
    /// Constants and switches of the search. A plain struct, so that searches with different
    /// values can run in one process.
    pub struct Params, PARAMETERS;

    "Quiescence" {
        /// Search beyond the horizon until the position is quiet; off: return the evaluation at the horizon.
        quiescence: bool = "Quiescence", true;
        /// Return the evaluation of a quiescence node at once if the side to move is not in check and has no capture (no-captures), or no capture or promotion that gains by exchanges (no-gain).
        qs_quiet_gate: QuietGate = "QsQuietGate", QuietGate::Off;
        /// Kinds of moves searched in quiescence; each choice includes those before it. `all` disables stand pat: set QsMaxPly.
        qs_moves: QsMoves = "QsMoves", QsMoves::Promotions;
        /// Search all evasions when in check, and so find mates.
        qs_evasions: bool = "QsEvasions", true;
        /// Search promotions to a knight without a capture, like those to a queen.
        qs_knight_promotions: bool = "QsKnightPromotions", false;
        /// Order of captures in quiescence: by victim, rank and history, by victim and then attacker, by gain, or as they are generated.
        qs_order: CaptureOrder = "QsOrder", CaptureOrder::History;
        /// Allow standing pat while in check.
        qs_stand_pat_in_check: bool = "QsStandPatInCheck", false;
        /// Apply the correction of CorrectionHistory to evaluations in quiescence.
        qs_correction: bool = "QsCorrection", true;
        /// Return the evaluation if it does not reach alpha even with a margin (margin), or with the larger of that margin and the gain of the best possible capture or promotion (best-capture).
        qs_node_delta: NodeDelta = "QsNodeDelta", NodeDelta::Off;
        /// Margin of delta pruning of a whole node in centipawns; with best-capture, the minimum of the assumed gain.
        qs_node_delta_margin: i32 = "QsNodeDeltaMargin", 200, 0..=4000, 20;
        /// Skip captures whose gain plus a margin cannot lift the evaluation to alpha.
        qs_delta_pruning: bool = "QsDeltaPruning", true;
        /// Margin of delta pruning in centipawns.
        qs_delta_margin: i32 = "QsDeltaMargin", 200, 0..=4000, 20;
        /// Margin of delta pruning in centipawns when the opponent has at most one piece besides king and pawns.
        qs_delta_margin_endgame: i32 = "QsDeltaMarginEndgame", 300, 0..=4000, 30;
        /// A node's score is at least what the captures skipped by delta pruning or futility could have reached.
        qs_pruned_score: bool = "QsPrunedScore", true;
        /// Skip captures that win nothing by exchanges if the evaluation is far below alpha.
        qs_futility: bool = "QsFutility", true;
        /// Centipawns below alpha from which only winning captures are searched.
        qs_futility_base: i32 = "QsFutilityBase", 58, 0..=2000, 20;
        /// Skip captures that lose material by static exchange evaluation.
        qs_see: bool = "QsSee", true;
        /// Exchange value in centipawns that a capture must reach; a quiet check never needs more than 0.
        qs_see_threshold: i32 = "QsSeeThreshold", 16, -1000..=1000, 20;
        /// Apply exchange pruning to promotions.
        qs_see_promotions: bool = "QsSeePromotions", true;
        /// Search a capture only if its exchange value is at least alpha minus evaluation minus QsSeeToAlphaMargin; needs QsSee.
        qs_see_to_alpha: bool = "QsSeeToAlpha", false;
        /// Margin of QsSeeToAlpha in centipawns.
        qs_see_to_alpha_margin: i32 = "QsSeeToAlphaMargin", 110, 0..=2000, 20;
        /// Skip captures by a piece that is worth much more than its victim.
        qs_attacker_pruning: bool = "QsAttackerPruning", false;
        /// Centipawns by which the attacker must be worth more than its victim for QsAttackerPruning.
        qs_attacker_margin: i32 = "QsAttackerMargin", 200, 0..=2000, 20;
        /// Skip quiet evasions that lose material once an evasion is known that does not lead to mate.
        qs_evasion_pruning: bool = "QsEvasionPruning", true;
        /// Plies of quiescence after which the evaluation is returned; 0 for no limit.
        qs_max_ply: i32 = "QsMaxPly", 0, 0..=64, 2;
        /// Plies from the root after which quiescence returns the evaluation; 0 for no limit.
        qs_max_ply_from_root: i32 = "QsMaxPlyFromRoot", 0, 0..=128, 4;
        /// Number of moves searched in a quiescence node, unless all of them lead to mate; 0 for no limit.
        qs_move_limit: i32 = "QsMoveLimit", 0, 0..=256, 4;
        /// Quiet checks are searched at this depth of quiescence (0 is the horizon, then -1, -2 ...) and above, if QsMoves includes them.
        qs_checks_depth: i32 = "QsChecksDepth", 0, -64..=0, 1;
        /// Depth stored in the table entries of quiescence without checks.
        qs_no_checks_depth: i32 = "QsNoChecksDepth", -1, -64..=0, 1;
        /// At this depth of quiescence and below only recaptures on the square of the last move are searched, except in check and with QsMoves=all; the minimum means off.
        qs_recapture_depth: i32 = "QsRecaptureDepth", -5, -64..=-1, 1;
        /// Probe and store the transposition table in quiescence.
        qs_tt: bool = "QsTt", true;
        /// Stand pat with the table's score where that is a better bound than the evaluation.
        qs_tt_eval: bool = "QsTtEval", true;
        /// Store a stand-pat score inside a window wider than null as exact, not as an upper bound.
        qs_tt_exact: bool = "QsTtExact", false;
        /// Store the results of quiescence in the transposition table.
        qs_tt_store: bool = "QsTtStore", true;
        /// What a cutoff in quiescence returns: 0 the score (fail-soft), 100 beta (fail-hard), in between a blend.
        qs_fail_hard: i32 = "QsFailHard", 0, 0..=100, 10;
        /// What a quiescence node that does not reach alpha returns: 0 the score (fail-soft), 100 alpha (fail-hard), in between a blend.
        qs_fail_hard_low: i32 = "QsFailHardLow", 0, 0..=100, 10;
    }

    "History" {
        /// Order quiet moves by their history of piece and destination.
        piece_to_history: bool = "PieceToHistory", true;
        /// Divisor of the decay of a history value when it is updated.
        history_decay: i32 = "HistoryDecay", 324, 32..=1000, 24;
        /// Factor of the bonus in every history update.
        history_gain: i32 = "HistoryGain", 32, 1..=64, 3;
        /// Maximum bonus of an update.
        history_bonus_limit: i32 = "HistoryBonusLimit", 324, 1..=1000, 24;
        /// Ignore updates that reach the limit instead of clamping them.
        history_bonus_cliff: bool = "HistoryBonusCliff", false;
        /// Factor of depth squared in the bonus.
        history_bonus_square: i32 = "HistoryBonusSquare", 0, 0..=16, 1;
        /// Factor of depth in the bonus.
        history_bonus_linear: i32 = "HistoryBonusLinear", 14, -32..=128, 4;
        /// Constant part of the bonus.
        history_bonus_constant: i32 = "HistoryBonusConstant", -2, -200..=200, 10;
        /// Percentage of a quiet move's change of the evaluation that its history learns as soon as the move is made.
        eval_history: i32 = "EvalHistory", 100, 0..=1000, 20;
        /// Maximum bonus of EvalHistory.
        eval_history_limit: i32 = "EvalHistoryLimit", 40, 0..=324, 5;
        /// Order quiet moves by their history of side, origin and destination.
        from_to_history: bool = "FromToHistory", true;
        /// Divisor of the decay of the history of origin and destination.
        from_to_decay: i32 = "FromToDecay", 324, 32..=1000, 24;
        /// Order quiet moves by their history as replies and follow-ups to earlier moves.
        continuation_history: bool = "ContinuationHistory", true;
        /// Divisor of the decay of continuation histories.
        counter_history_decay: i32 = "CounterHistoryDecay", 936, 32..=1000, 48;
        /// Weight in percent of the history after the opponent's last move.
        continuation_weight_1: i32 = "ContinuationWeight1", 185, 0..=400, 10;
        /// Weight in percent of the history after the side's own last move.
        continuation_weight_2: i32 = "ContinuationWeight2", 100, 0..=400, 10;
        /// Weight in percent of the history after the side's own move before that.
        continuation_weight_4: i32 = "ContinuationWeight4", 50, 0..=400, 10;
        /// Order captures of the main search by victim, rank and history, by victim and then attacker, by gain, or as they are generated.
        capture_order: CaptureOrder = "CaptureOrder", CaptureOrder::History;
        /// Use the history of captures in their order and their reductions.
        capture_history: bool = "CaptureHistory", true;
        /// Divisor of the decay of the capture history.
        capture_history_decay: i32 = "CaptureHistoryDecay", 324, 32..=1000, 24;
        /// Divisor of the capture history against the value of what is captured (a pawn is 200).
        capture_history_div: i32 = "CaptureHistoryDiv", 16, 1..=256, 2;
        /// Subtracted from a capture's order for each rank that its destination is up the board (a pawn is 200).
        capture_rank_penalty: i32 = "CaptureRankPenalty", 200, 0..=1000, 20;
        /// Exchange value in centipawns below which a capture comes after the quiet moves.
        good_capture_see: i32 = "GoodCaptureSee", 0, -1000..=1000, 20;
        /// Try the two quiet moves that last refuted a sibling before other quiet moves.
        killers: bool = "Killers", true;
        /// Try the quiet move that last refuted the opponent's move before other quiet moves.
        counter_moves: bool = "CounterMoves", true;
        /// Order quiet evasions by continuation histories too.
        evasion_continuation: bool = "EvasionContinuation", true;
        /// Generate and score the moves of a node in stages; off: all at once after the table move.
        staged_picker: bool = "StagedPicker", true;
        /// Below this depth only quiet moves with good histories are sorted.
        quiet_sort_depth: i32 = "QuietSortDepth", 3, 0..=32, 1;
        /// Correct the evaluation by how far searches of similar positions were from it.
        correction_history: bool = "CorrectionHistory", true;
        /// Maximum correction by each table in centipawns.
        correction_limit: i32 = "CorrectionLimit", 96, 1..=127, 8;
        /// Maximum error that a correction learns from, in centipawns.
        correction_error_limit: i32 = "CorrectionErrorLimit", 256, 1..=1000, 24;
        /// Maximum weight of a new error in 256ths; below it the weight is depth plus 1.
        correction_weight_limit: i32 = "CorrectionWeightLimit", 16, 1..=256, 2;
        /// Weight in percent of the correction for the pawn structure.
        correction_pawns: i32 = "CorrectionPawns", 45, 0..=400, 5;
        /// Weight in percent of the correction for each side's pieces.
        correction_pieces: i32 = "CorrectionPieces", 30, 0..=400, 5;
    }

    "Iterations" {
        /// Search the root with a narrow window around the last score.
        aspiration: bool = "Aspiration", true;
        /// Minimum depth of aspiration windows.
        aspiration_depth: i32 = "AspirationDepth", 4, 1..=32, 1;
        /// Half of the first window in centipawns.
        aspiration_window: i32 = "AspirationWindow", 16, 1..=500, 3;
        /// Percentage by which a window grows after a fail.
        aspiration_growth: i32 = "AspirationGrowth", 60, 10..=400, 10;
        /// Window in centipawns beyond which the root is searched with a full window.
        aspiration_limit: i32 = "AspirationLimit", 800, 10..=4000, 80;
        /// Maximum reduction of the root's depth after fail highs, in plies.
        aspiration_reduction: i32 = "AspirationReduction", 3, 0..=8, 1;
        /// Search only to depths at which the opponent (even) or the side to move itself (odd) makes the last move before the horizon; exact where nothing is reduced or extended.
        last_move: LastMove = "LastMove", LastMove::Any;
        /// Search all moves but the first with a null window; off: alpha-beta with the full window.
        principal_variation_search: bool = "PrincipalVariationSearch", true;
    }

    "Extensions" {
        /// Search a ply deeper in check: never, once in a line, or always.
        check_extension: CheckExtension = "CheckExtension", CheckExtension::Always;
        /// Search one ply more at the horizon if in check; HorizonChecks and HorizonCaptures together once in a line.
        horizon_checks: bool = "HorizonChecks", false;
        /// Search one ply more at the horizon, once in a line, if the last move captured a piece worth at least this many centipawns; 0 for never.
        horizon_captures: i32 = "HorizonCaptures", 0, 0..=4000, 50;
        /// Maximum total of the extensions of one line in plies, apart from HorizonChecks and HorizonCaptures; 0 switches them off.
        extension_limit: i32 = "ExtensionLimit", 31, 0..=100, 2;
        /// Extend the table move if all other moves are much worse.
        singular_extensions: bool = "SingularExtensions", true;
        /// Minimum depth of the test for singularity.
        singular_depth: i32 = "SingularDepth", 7, 4..=32, 1;
        /// Plies by which the table entry may be shallower than the node.
        singular_table_depth: i32 = "SingularTableDepth", 3, 0..=8, 1;
        /// Hundredths of a centipawn per ply of depth by which other moves must be worse.
        singular_margin: i32 = "SingularMargin", 114, 0..=1000, 20;
        /// Extend by two plies if other moves are far worse.
        double_extensions: bool = "DoubleExtensions", true;
        /// Additional centipawns by which other moves must be worse for two plies.
        double_margin: i32 = "DoubleMargin", 18, 0..=500, 4;
        /// Return early if moves other than the table move reach beta too.
        multi_cut: bool = "MultiCut", true;
        /// Reduce the table move if other moves are as good.
        negative_extensions: bool = "NegativeExtensions", true;
    }

    "Node pruning" {
        /// Return scores of the transposition table that are deep enough.
        table_cutoffs: bool = "TableCutoffs", true;
        /// Cut off lines that cannot beat a mate found nearer the root.
        mate_distance_pruning: bool = "MateDistancePruning", true;
        /// Use whether the evaluation has improved over two plies in margins and reductions.
        improving: bool = "Improving", true;
        /// Return early if the evaluation is far above beta.
        reverse_futility: bool = "ReverseFutility", true;
        /// Maximum depth of reverse futility pruning.
        reverse_futility_depth: i32 = "ReverseFutilityDepth", 8, 1..=32, 1;
        /// Required centipawns above beta per ply of depth.
        reverse_futility_margin: i32 = "ReverseFutilityMargin", 79, 0..=500, 8;
        /// Centipawns by which less is required when improving.
        reverse_futility_improving: i32 = "ReverseFutilityImproving", 68, 0..=500, 8;
        /// Percentage of the way from beta to the evaluation that reverse futility returns.
        reverse_futility_blend: i32 = "ReverseFutilityBlend", 50, 0..=100, 10;
        /// Return a quiescence score early if the evaluation is far below alpha.
        razoring: bool = "Razoring", true;
        /// Maximum depth of razoring.
        razoring_depth: i32 = "RazoringDepth", 1, 1..=32, 1;
        /// Constant part of the margin of razoring in centipawns.
        razoring_base: i32 = "RazoringBase", 250, 0..=2000, 20;
        /// Margin of razoring in centipawns per ply of depth.
        razoring_margin: i32 = "RazoringMargin", 150, 0..=2000, 20;
        /// Pass the move to the opponent; cut off if a reduced search still reaches beta.
        null_move: bool = "NullMove", true;
        /// Centipawns by which the static evaluation may be below beta for a null move.
        null_move_eval_margin: i32 = "NullMoveEvalMargin", 30, 0..=500, 10;
        /// Minimum depth of a null move.
        null_move_depth: i32 = "NullMoveDepth", 3, 1..=16, 1;
        /// Plies by which the search after a null move is shallower.
        null_move_base: i32 = "NullMoveBase", 4, 1..=8, 1;
        /// Depth per further ply of reduction after a null move.
        null_move_depth_div: i32 = "NullMoveDepthDiv", 4, 1..=32, 1;
        /// Centipawns above beta per further ply of reduction after a null move.
        null_move_eval_div: i32 = "NullMoveEvalDiv", 255, 10..=1000, 20;
        /// Maximum reduction after a null move that comes from the evaluation, in plies.
        null_move_eval_limit: i32 = "NullMoveEvalLimit", 3, 0..=8, 1;
        /// Depth from which null move cutoffs are verified without null moves; the maximum means never.
        null_move_verify_depth: i32 = "NullMoveVerifyDepth", 12, 4..=128, 2;
        /// Return early if a capture is far above beta in a shallower search.
        prob_cut: bool = "ProbCut", true;
        /// Minimum depth of ProbCut.
        prob_cut_depth: i32 = "ProbCutDepth", 5, 2..=32, 1;
        /// Centipawns above beta that the shallower search must reach.
        prob_cut_margin: i32 = "ProbCutMargin", 175, 0..=1000, 15;
        /// Plies by which the search of ProbCut is shallower.
        prob_cut_reduction: i32 = "ProbCutReduction", 3, 1..=16, 1;
        /// Centipawns added to the exchange value that a capture needs in ProbCut, which is its bound minus the evaluation.
        prob_cut_see_margin: i32 = "ProbCutSeeMargin", 0, -500..=500, 10;
        /// Reduce the depth of nodes without a table move.
        internal_iterative_reduction: bool = "InternalIterativeReduction", true;
        /// Minimum depth of internal iterative reduction.
        iir_depth: i32 = "IirDepth", 4, 2..=32, 1;
    }

    "Move pruning" {
        /// Skip late quiet moves at low depth.
        late_move_pruning: bool = "LateMovePruning", true;
        /// Maximum depth of late move pruning.
        lmp_depth: i32 = "LmpDepth", 8, 1..=32, 1;
        /// Number of moves searched before late ones are skipped, plus one.
        lmp_base: i32 = "LmpBase", 5, 1..=64, 1;
        /// Percentage of depth squared added to LmpBase; half of it when not improving.
        lmp_square: i32 = "LmpSquare", 183, 0..=400, 10;
        /// Skip quiet moves where the evaluation is far below alpha.
        futility: bool = "Futility", true;
        /// Maximum reduced depth of futility pruning.
        futility_depth: i32 = "FutilityDepth", 8, 1..=32, 1;
        /// Constant part of the futility margin in centipawns.
        futility_base: i32 = "FutilityBase", 37, 0..=1000, 12;
        /// Futility margin in centipawns per ply of reduced depth.
        futility_margin: i32 = "FutilityMargin", 47, 0..=500, 10;
        /// Skip quiet moves with bad histories at low depth.
        history_pruning: bool = "HistoryPruning", true;
        /// Maximum reduced depth of history pruning.
        history_pruning_depth: i32 = "HistoryPruningDepth", 4, 1..=32, 1;
        /// A move is skipped if its history is below minus this value per ply of depth.
        history_pruning_margin: i32 = "HistoryPruningMargin", 4652, 0..=40000, 500;
        /// Skip moves that lose too much by static exchange evaluation.
        see_pruning: bool = "SeePruning", true;
        /// Maximum depth of pruning by exchange value.
        see_pruning_depth: i32 = "SeePruningDepth", 9, 1..=32, 1;
        /// Centipawns that a quiet move may lose per ply of reduced depth.
        see_quiet_margin: i32 = "SeeQuietMargin", 82, 0..=500, 6;
        /// Centipawns that a capture or a check may lose per ply of depth.
        see_capture_margin: i32 = "SeeCaptureMargin", 101, 0..=500, 10;
    }

    "Reductions" {
        /// Search late moves at reduced depth first.
        late_move_reductions: bool = "LateMoveReductions", true;
        /// Minimum depth of late move reductions.
        lmr_depth: i32 = "LmrDepth", 2, 1..=16, 1;
        /// Number of moves searched before reductions begin; one more on the principal variation.
        lmr_moves: i32 = "LmrMoves", 1, 1..=32, 1;
        /// Constant part of the reduction, in hundredths of a ply.
        lmr_base: i32 = "LmrBase", 102, -200..=300, 15;
        /// Divisor of ln(depth) ln(move number), in hundredths.
        lmr_div: i32 = "LmrDiv", 165, 50..=1000, 15;
        /// Hundredths of a ply by which captures are reduced less.
        lmr_noisy: i32 = "LmrNoisy", 250, 0..=400, 15;
        /// Hundredths of a ply less on the principal variation.
        lmr_pv: i32 = "LmrPv", 133, 0..=400, 15;
        /// Hundredths of a ply more where a cutoff is expected.
        lmr_cut_node: i32 = "LmrCutNode", 27, 0..=400, 15;
        /// Hundredths of a ply more when not improving.
        lmr_not_improving: i32 = "LmrNotImproving", 103, 0..=400, 15;
        /// Hundredths of a ply less for checks.
        lmr_check: i32 = "LmrCheck", 80, 0..=400, 15;
        /// Hundredths of a ply less for killers and countermoves.
        lmr_killer: i32 = "LmrKiller", 80, 0..=400, 15;
        /// Amount of history that takes one ply off the reduction of a quiet move.
        lmr_history_div: i32 = "LmrHistoryDiv", 18671, 1000..=100000, 1000;
        /// Amount of capture history that takes one ply off the reduction of a capture.
        lmr_capture_div: i32 = "LmrCaptureDiv", 8000, 1000..=100000, 1000;
    }

    "Time" {
        /// Number of moves over which the remaining time is spread.
        time_moves: i32 = "TimeMoves", 22, 2..=100, 2;
        /// Percentage of the increment added to a move's share.
        time_increment: i32 = "TimeIncrement", 75, 0..=100, 5;
        /// Maximum share of a move in percent of the clock.
        time_soft_limit: i32 = "TimeSoftLimit", 60, 1..=95, 5;
        /// Maximum time of a move in percent of the clock.
        time_hard_limit: i32 = "TimeHardLimit", 75, 1..=95, 5;
        /// Number of move overheads kept in reserve, at most half of the clock.
        time_reserve: i32 = "TimeReserve", 10, 0..=100, 2;
        /// Maximum time of a move in percent of its share.
        time_hard: i32 = "TimeHard", 350, 100..=1000, 25;
        /// Maximum percentage of time saved by a stable best move.
        time_stability: i32 = "TimeStability", 45, 0..=90, 5;
        /// Number of iterations with the same best move after which no more time is saved.
        time_stability_limit: i32 = "TimeStabilityLimit", 8, 1..=32, 1;
        /// Maximum drop of the score that adds time, in centipawns.
        time_drop_limit: i32 = "TimeDropLimit", 150, 0..=1000, 20;
        /// Percentage of time added for each 100 centipawns that the score has dropped.
        time_drop: i32 = "TimeDrop", 100, 0..=500, 20;
        /// Percentage of time used if a tenth of the nodes goes to moves other than the best; the percentage for any share of nodes is kept between 40 and 200.
        time_nodes_base: i32 = "TimeNodesBase", 70, 10..=200, 5;
        /// Percentage of time added for each 100 % of nodes that go to moves other than the best.
        time_nodes: i32 = "TimeNodes", 100, 0..=300, 20;
    }

    "Evaluation" {
        /// Correct the sum of the evaluation terms by the neural network.
        network: bool = "Network", true;
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
    /// Settings that a user makes once for a session.
    pub struct Settings, SETTINGS;

    "Engine" {
        /// Size of the transposition table in MiB.
        hash: i32 = "Hash", 16, 1..=65536, 1;
        /// Number of threads that search.
        threads: i32 = "Threads", 1, 1..=256, 1;
        /// Number of best moves to report with their lines.
        multi_pv: i32 = "MultiPV", 1, 1..=256, 1;
        /// Milliseconds of each move reserved for communication with the user interface.
        move_overhead: i32 = "Move Overhead", 10, 0..=5000, 1;
        /// Write castling as king takes rook.
        uci_chess960: bool = "UCI_Chess960", false;
        /// Add the chances of win, draw and loss to the score.
        uci_show_wdl: bool = "UCI_ShowWDL", false;
        /// Report what happened in each search.
        statistics: bool = "Statistics", false;
    }
}
