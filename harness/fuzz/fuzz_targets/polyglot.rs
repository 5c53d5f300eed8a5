//! Polyglot tables: `cargo +nightly fuzz run polyglot` in `harness/`.
#![no_main]

use harness::book::polyglot::Polyglot;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(book) = Polyglot::parse(data) {
        for entry in book.lines(8).entries {
            assert!(entry.moves.len() <= 8);
        }
    }
});
