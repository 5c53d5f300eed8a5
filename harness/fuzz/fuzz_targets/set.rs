//! Values of `--set`, one a line, over a small configuration: `cargo +nightly fuzz run set` in `harness/`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    harness::fuzzing::set(data);
});
