//! The rows of `games.csv`: `cargo +nightly fuzz run ledger` in `harness/`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    harness::fuzzing::ledger(data);
});
