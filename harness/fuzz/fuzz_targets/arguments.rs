//! Arguments: options, commands, limits, times, engines: `cargo +nightly fuzz run arguments` in `harness/`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    harness::fuzzing::arguments(data);
});
