//! What git prints: commits, the address of a remote: `cargo +nightly fuzz run git` in `harness/`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    harness::fuzzing::git(data);
});
