//! `run.toml`: `cargo +nightly fuzz run manifest` in `harness/`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    harness::fuzzing::manifest(data);
});
