//! PGN texts: `cargo +nightly fuzz run pgn` in `harness/`.
#![no_main]

use harness::rules::openings::Variant;
use harness::rules::openings::games::{Games, unreadable_move};
use libfuzzer_sys::fuzz_target;
use shakmaty::Position;

fuzz_target!(|data: &[u8]| {
    let _ = unreadable_move(data);
    for variant in [Variant::Standard, Variant::Chess960] {
        for plies in [None, Some(3)] {
            let mut lines = 1;
            for game in Games::new(data, plies, variant) {
                match game {
                    Ok(game) => assert!(!game.end.legal_moves().is_empty()),
                    Err(bad) => {
                        assert!(bad.line >= lines);
                        lines = bad.line;
                    }
                }
            }
        }
    }
});
