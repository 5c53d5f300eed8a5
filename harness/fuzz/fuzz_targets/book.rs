//! A file of openings, plain or in gzip or zip: `cargo +nightly fuzz run book` in `harness/`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    harness::fuzzing::book(data);
});
