//! Lines of EPD and FEN, as openings and as test positions:
//! `cargo +nightly fuzz run epd` in `harness/`.
#![no_main]

use harness::rules::openings::epd::PositionLine;
use harness::rules::openings::{Opening, Variant};
use harness::suite::problem::Problem;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for variant in [Variant::Standard, Variant::Chess960] {
        if let Ok(line) = PositionLine::parse(data)
            && let Ok(position) = line.position(variant)
        {
            // What has been accepted is written so that it is read back.
            let again = Opening::from_position(&position).position(variant);
            assert_eq!(again.expect("a position of our own writing"), position);
        }
        if let Ok((problem, _)) = Problem::parse(data, variant) {
            assert!(!problem.wanted().is_empty());
        }
    }
});
