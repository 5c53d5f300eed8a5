//! A Polyglot table: `cargo +nightly fuzz run polyglot` in `harness/`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    harness::fuzzing::polyglot(data);
});
