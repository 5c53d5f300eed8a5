//! Messages of a fleet: `cargo +nightly fuzz run message` in `harness/`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    harness::fuzzing::message(data);
});
