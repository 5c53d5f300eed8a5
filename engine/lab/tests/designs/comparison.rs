//! The engine with a design's options against the design's listing.

use crate::documents::{self, d000, d002, d003, d004, seajay};
use crate::engines::{PLAIN, engine, folder, names, search};
use crate::plain::Plain;
use crate::positions;
use crate::tree::{Node, Quiescence, Tree};
use stillwater::board::Position;
use stillwater::board::see::Values;
use stillwater::engine::Engine;
use stillwater::search::Game;
use stillwater::search::limits::StopSignal;
use stillwater::search::score::INFINITE;

/// Exchange values of all listings except section 8 of document 002, which has its own in
/// A.2.
const VALUES: Values = [100, 320, 330, 500, 950, 0];
const SEAJAY_VALUES: Values = [100, 320, 330, 500, 900, 0];

/// Half the width of the narrow window around the evaluation.
const NARROW: i32 = 60;
/// Distance of the null window from the evaluation.
const AWAY: i32 = 90;

fn tree(file: &str) -> Tree {
    Tree::new(if file.starts_with("seajay") {
        SEAJAY_VALUES
    } else {
        VALUES
    })
}

/// Positions and windows where quiescence differs, as lines of text; up to
/// `most` of them.
fn differences(
    engine: &mut Engine,
    tree: impl Fn() -> Tree,
    listing: Quiescence,
    most: usize,
) -> Vec<String> {
    let mut differences = Vec::new();
    for position in positions::ALL.iter() {
        engine.new_game();
        let mut tree = tree();
        let game = Game::new(position.clone());
        // The windows follow each other with the same table.
        for (alpha, beta) in windows(&mut tree, position) {
            let outcome = engine.quiescence(&game, (alpha, beta), (&StopSignal::default(), 1));
            let found = (outcome.score, outcome.stats.nodes());
            tree.start(position);
            let root = Node {
                alpha,
                beta,
                ply: 0,
                depth: 0,
            };
            let score = listing(&mut tree, position, root);
            let listed = (score, tree.nodes);
            if found != listed {
                let fen = position.fen(false);
                differences.push(format!(
                    "{fen} ({alpha}, {beta}): engine {found:?}, listing {listed:?}"
                ));
            }
        }
        if differences.len() >= most {
            break;
        }
    }
    differences
}

/// A null window above or below the evaluation, a narrow one around it, an open
/// one.
fn windows(tree: &mut Tree, position: &Position) -> [(i32, i32); 3] {
    let eval = tree.evaluate(position);
    let null = match position.key % 4 {
        0 => eval - AWAY,
        _ => eval + AWAY,
    };
    [
        (null, null + 1),
        (eval - NARROW, eval + NARROW),
        (-INFINITE, INFINITE),
    ]
}

/// Whole searches that differ, as lines of text.
fn search_differences(
    engine: &mut Engine,
    tree: impl Fn() -> Tree,
    plain: Plain,
    searches: Searches,
) -> Vec<String> {
    let mut differences = Vec::new();
    for position in positions::playable(searches.men).step_by(searches.step) {
        for depth in 1..=searches.depth {
            let depth = (depth + plain.step - 1) / plain.step * plain.step;
            let outcome = search(engine, position, depth);
            let found = (outcome.best, outcome.score, outcome.stats.nodes());
            let listed = plain.search(&mut tree(), position, depth);
            if found != listed {
                let fen = position.fen(false);
                differences.push(format!(
                    "{fen} depth {depth}: engine {found:?}, listing {listed:?}"
                ));
            }
        }
    }
    differences
}

/// Compares a design with its listing: quiescence alone on all positions, and
/// whole plain searches on some.
fn agrees(file: &str, plain: Plain, searches: Searches) {
    let mut engine = engine(&[PLAIN, file], &[]);
    let tree = || tree(file);
    let mut found = differences(&mut engine, tree, plain.quiescence, 10);
    if found.is_empty() {
        found = search_differences(&mut engine, tree, plain, searches);
    }
    assert!(
        found.is_empty(),
        "{file} is not its document's algorithm:\n{}",
        found.join("\n")
    );
}

/// Checks that the comparison of quiescence fails if `option` differs from the design.
fn notices(file: &str, plain: Plain, option: &str) {
    let mut engine = engine(&[PLAIN, file], &[option]);
    let found = differences(&mut engine, || tree(file), plain.quiescence, 1);
    assert!(!found.is_empty(), "{file} with {option} is the same");
}

/// Checks that the comparison of whole searches fails if `option` differs from the design.
fn search_notices(file: &str, plain: Plain, searches: Searches, option: &str) {
    let mut engine = engine(&[PLAIN, file], &[option]);
    let found = search_differences(&mut engine, || tree(file), plain, searches);
    assert!(!found.is_empty(), "{file} with {option} is the same");
}

/// Which whole searches are compared.
#[derive(Clone, Copy)]
struct Searches {
    /// The last of the depths, from 1 on.
    depth: i32,
    /// Most pieces on the board.
    men: usize,
    /// One position in this many is searched.
    step: usize,
}

const SHALLOW: Searches = Searches {
    depth: 2,
    men: 32,
    step: 10,
};
const DEEP: Searches = Searches {
    depth: 3,
    men: 32,
    step: 12,
};
/// Deep enough for positions that are met twice at different depths.
const ENDGAMES: Searches = Searches {
    depth: 5,
    men: 9,
    step: 5,
};

/// A module for each design: it agrees with its listing, and with any one of the given options
/// it does not. Options `in_search` show only in whole searches.
macro_rules! designs {
    ($(
        $name:ident: $file:literal, $plain:expr, $searches:expr,
        broken: [$($option:literal),*], in_search: [$($search_option:literal),*];
    )*) => {
        const FILES: &[&str] = &[$($file),*];

        $(
            mod $name {
                use super::*;

                #[test]
                fn is_its_listing() {
                    agrees($file, $plain, $searches);
                }

                #[test]
                fn is_noticed_when_broken() {
                    $(notices($file, $plain, $option);)*
                    $(search_notices($file, $plain, $searches, $search_option);)*
                }
            }
        )*
    };
}

designs! {
    general: "general", Plain::new(d000::general), SHALLOW,
        broken: ["QsMaxPly=1", "QsQuietGate=no-captures"], in_search: [];
    go: "go", Plain::new(d000::go), SHALLOW,
        broken: ["QsFailHardLow=0", "QsFailHard=0", "QsOrder=mvv-lva"], in_search: [];
    java: "java", Plain::new(d000::java), SHALLOW,
        broken: ["QsMaxPly=5"], in_search: [];
    captures: "captures", Plain::new(d003::captures), DEEP,
        broken: ["QsFailHardLow=0", "QsOrder=mvv-lva", "QsEvasions=true"], in_search: [];
    captures_extended: "captures-extended", EXTENDED, DEEP,
        broken: [], in_search: ["HorizonChecks=false", "HorizonCaptures=0", "HorizonCaptures=300"];
    last_move_opponent: "last-move-opponent", OPPONENT, DEEP,
        broken: [], in_search: ["LastMove=own", "LastMove=any"];
    no_quiescence: "no-quiescence", Plain::new(d003::none), DEEP,
        broken: ["Quiescence=true"], in_search: [];
    no_quiescence_table: "no-quiescence-table", Plain::new(d002::none_with_table), ENDGAMES,
        broken: [], in_search: ["QsTt=false"];
    stockfish_simplified: "stockfish-simplified", Plain::new(d002::stockfish_simplified), SHALLOW,
        broken: ["QsNodeDelta=off", "QsSeePromotions=true", "QsMoves=captures+promotions"], in_search: [];
    leela: "leela", Plain::new(d002::leela), DEEP,
        broken: ["QsEvasions=false"], in_search: [];
    ethereal: "ethereal", Plain::new(documents::ethereal::listed), SHALLOW,
        broken: ["QsDeltaMargin=151", "QsMoves=captures+promotions"], in_search: [];
    ethereal_12: "ethereal-12", Plain::new(documents::ethereal::real), SHALLOW,
        broken: ["QsNodeDeltaMargin=700", "QsSeeToAlpha=false"], in_search: ["QsTtStore=true"];
    seajay_1: "seajay-1", Plain::new(seajay::minimal), SHALLOW,
        broken: ["QsFailHardLow=0", "QsMaxPlyFromRoot=2"], in_search: [];
    seajay_2: "seajay-2", Plain::new(seajay::phase_2), SHALLOW,
        broken: ["QsEvasions=false"], in_search: [];
    seajay_3: "seajay-3", Plain::new(seajay::phase_3), SHALLOW,
        broken: ["QsDeltaMargin=200", "QsPrunedScore=true"], in_search: [];
    seajay_4: "seajay-4", Plain::new(seajay::phase_4), SHALLOW,
        broken: ["QsTt=false"], in_search: [];
    seajay_5: "seajay-5", Plain::new(seajay::phase_5), SHALLOW,
        broken: ["QsKnightPromotions=false"], in_search: [];
    seajay_limited: "seajay-limited", Plain::new(seajay::limited), SHALLOW,
        broken: ["QsMaxPly=6", "QsMoveLimit=7", "QsAttackerMargin=250"], in_search: [];
    stockfish_8: "stockfish-8", Plain::new(d004::stockfish_8), SHALLOW,
        broken: ["QsChecksDepth=-1", "QsRecaptureDepth=-4", "QsFutilityBase=100"], in_search: [];
}

const EXTENDED: Plain = Plain {
    quiescence: d003::captures,
    extends: true,
    step: 1,
};

const OPPONENT: Plain = Plain {
    quiescence: d003::none,
    extends: false,
    step: 2,
};

/// Designs that no document lists.
const OWN: [&str; 2] = ["default", "last-move-own"];

#[test]
fn every_design_is_compared() {
    for name in names(&folder()) {
        let known = FILES.contains(&name.as_str()) || OWN.contains(&name.as_str());
        assert!(known, "{name} has no listing");
    }
}
