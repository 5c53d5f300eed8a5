//! A file of test positions, plain or packed: `cargo +nightly fuzz run suite` in `harness/`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    harness::fuzzing::suite(data);
});
