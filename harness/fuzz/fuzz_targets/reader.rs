//! The reader that `HONE_READER` names, as `harness/fuzz/run` sets it.
#![no_main]

#[path = "../../tests/project/readers.rs"]
mod readers;

use std::sync::LazyLock;

use readers::{READERS, Reader};

static READER: LazyLock<Reader> = LazyLock::new(|| {
    let name = std::env::var("HONE_READER").expect("HONE_READER names a reader");
    let named = READERS.iter().find(|(reader, _)| *reader == name);
    named.expect("a reader of this name").1
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    READER(data);
});
