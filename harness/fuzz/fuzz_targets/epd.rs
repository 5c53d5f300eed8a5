//! A line of EPD or FEN, as an opening and as a test position: `cargo +nightly fuzz run epd` in `harness/`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    harness::fuzzing::epd(data);
});
