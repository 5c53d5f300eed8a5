//! A PGN text: `cargo +nightly fuzz run pgn` in `harness/`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    harness::fuzzing::pgn(data);
});
