//! `elo.csv`: `cargo +nightly fuzz run nights` in `harness/`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    harness::fuzzing::nights(data);
});
