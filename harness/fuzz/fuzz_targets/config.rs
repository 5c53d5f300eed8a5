//! A configuration: `cargo +nightly fuzz run config` in `harness/`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    harness::fuzzing::config(data);
});
