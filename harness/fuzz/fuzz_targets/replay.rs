//! `replay.toml` of a failure: `cargo +nightly fuzz run replay` in `harness/`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    harness::fuzzing::replay(data);
});
