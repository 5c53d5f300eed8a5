//! What an engine prints: `cargo +nightly fuzz run uci` in `harness/`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    harness::fuzzing::uci(data);
});
