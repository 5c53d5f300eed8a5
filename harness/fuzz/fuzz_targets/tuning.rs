//! Parameters of other tuners, and the model of a simulated tuning: `cargo +nightly fuzz run tuning` in `harness/`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    harness::fuzzing::tuning(data);
});
