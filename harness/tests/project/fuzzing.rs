//! The readers of outside data on the seeds of the fuzzer and on some thousand mutated inputs:
//! a short version of the libFuzzer campaign that needs no special compiler.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Instant;

use crate::readers::READERS;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Mutated inputs of each seed, unless `HONE_MUTANTS` gives another number.
const MUTANTS: usize = 200;

/// Text that readers treat specially: numbers at their limits and separators of fields.
const WORDS: [&[u8]; 20] = [
    b"0",
    b"-1",
    b"9223372036854775807",
    b"18446744073709551615",
    b"1e999",
    b"nan",
    b"\"",
    b"'",
    b"\\",
    b"\n",
    b"\r\n",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b" ",
    b"=",
    b",",
    b"[",
    b"]]",
    b"{",
];

fn seeds(reader: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds");
    let folder = folder.join(reader);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut seeds: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            let name = path.file_name().expect("a file").to_string_lossy();
            (name.into_owned(), fs::read(&path).expect("readable"))
        })
        .collect();
    seeds.sort();
    seeds
}

/// A mutated input: `seed` with one to four changes, some of which insert a part of `other`.
fn mutant(seed: &[u8], other: &[u8], random: &mut impl Rng) -> Vec<u8> {
    let mut text = seed.to_vec();
    for _ in 0..random.random_range(1..=4) {
        let at = random.random_range(0..=text.len());
        let end = (at + random.random_range(0..=12)).min(text.len());
        match random.random_range(0..6) {
            0 => text.truncate(at),
            1 => drop(text.drain(at..end)),
            2 if at < text.len() => text[at] ^= 1 << random.random_range(0..8),
            3 => {
                let again = text[at..end].to_vec();
                drop(text.splice(at..at, again));
            }
            4 => {
                let from = random.random_range(0..=other.len());
                let to = (from + random.random_range(0..=60)).min(other.len());
                drop(text.splice(at..end, other[from..to].to_vec()));
            }
            _ => {
                let word = WORDS[random.random_range(0..WORDS.len())];
                drop(text.splice(at..end, word.to_vec()));
            }
        }
    }
    text
}

fn mutants() -> usize {
    std::env::var("HONE_MUTANTS").map_or(MUTANTS, |text| {
        text.parse().expect("HONE_MUTANTS is a number")
    })
}

/// Seeds that are there because they are refused.
const REFUSED: [&str; 5] = [
    "book/zeros.gz",
    "git/host",
    "git/id-not-ascii",
    "git/id-short",
    "replay/two-commands.toml",
];

/// The fuzzer finds little behind a check that no seed passes, such as a version.
#[test]
fn every_seed_is_accepted() {
    let mut refused = Vec::new();
    for (name, read) in READERS {
        let seeds = seeds(name).into_iter();
        let faulty = seeds.filter(|(_, content)| !read(content));
        refused.extend(faulty.map(|(seed, _)| format!("{name}/{seed}")));
    }
    assert_eq!(refused, REFUSED);
}

#[test]
fn no_reader_panics() {
    for (name, read) in READERS {
        let started = Instant::now();
        let mut count = 0_u64;
        let mut random = ChaCha8Rng::seed_from_u64(19);
        let seeds = seeds(name);
        assert!(!seeds.is_empty(), "{name} has no seeds");
        let check = |from: &str, input: &[u8]| {
            let result = catch_unwind(AssertUnwindSafe(|| read(input)));
            let text = input.escape_ascii();
            assert!(result.is_ok(), "{name}, from {from}: {text}");
        };
        check("nothing", b"");
        for (from, seed) in &seeds {
            check(from, seed);
            for _ in 0..mutants() {
                let other = &seeds[random.random_range(0..seeds.len())].1;
                check(from, &mutant(seed, other, &mut random));
                count += 1;
            }
        }
        println!("{name}: {count} inputs in {:.1?}", started.elapsed());
    }
}
