//! Finds the magic multipliers of the sliding pieces and writes the attack table, which is
//! compiled into the engine.
//!
//! For every square the relevant occupancies (edges left out) are mapped to a
//! dense index by `(occupied & mask) * magic >> shift`; a multiplier is magic
//! if occupancies that share an index also share their attacks. The search is
//! seeded, so every build has the same table.

use std::{env, fs, path::Path};

const ROOK: [(i8, i8); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const BISHOP: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];

struct Random(u64);

impl Random {
    /// xorshift64*
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

/// The squares that a slider attacks; with `relevant`, without the last square of each ray,
/// whose occupancy does not matter.
fn ray_attacks(square: u8, directions: &[(i8, i8)], occupied: u64, relevant: bool) -> u64 {
    let on_board = |file: i8, rank: i8| (0..8).contains(&file) && (0..8).contains(&rank);
    let mut attacks = 0;
    for &(df, dr) in directions {
        let (mut file, mut rank) = ((square % 8) as i8 + df, (square / 8) as i8 + dr);
        while on_board(file, rank) {
            if relevant && !on_board(file + df, rank + dr) {
                break;
            }
            let bit = 1u64 << (rank * 8 + file);
            attacks |= bit;
            if occupied & bit != 0 {
                break;
            }
            (file, rank) = (file + df, rank + dr);
        }
    }
    attacks
}

struct Entry {
    mask: u64,
    magic: u64,
    shift: u32,
    offset: usize,
}

fn find(square: u8, directions: &[(i8, i8)], random: &mut Random, table: &mut Vec<u64>) -> Entry {
    let mask = ray_attacks(square, directions, 0, true);
    let bits = mask.count_ones();
    let size = 1usize << bits;
    let mut cases = Vec::with_capacity(size);
    let mut subset = 0u64;
    loop {
        cases.push((subset, ray_attacks(square, directions, subset, false)));
        subset = subset.wrapping_sub(mask) & mask;
        if subset == 0 {
            break;
        }
    }
    let mut slots = vec![0u64; size];
    let mut used = vec![0u32; size];
    let mut attempt = 0;
    let magic = loop {
        let magic = random.next() & random.next() & random.next();
        if (mask.wrapping_mul(magic) >> 56).count_ones() < 6 {
            continue;
        }
        attempt += 1;
        let fits = cases.iter().all(|&(occupied, attacks)| {
            let index = (occupied.wrapping_mul(magic) >> (64 - bits)) as usize;
            if used[index] != attempt {
                used[index] = attempt;
                slots[index] = attacks;
            }
            slots[index] == attacks
        });
        if fits {
            break magic;
        }
    };
    let offset = table.len();
    for (slot, used) in slots.iter().zip(used) {
        table.push(if used == attempt { *slot } else { 0 });
    }
    Entry {
        mask,
        magic,
        shift: 64 - bits,
        offset,
    }
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let mut random = Random(0x0005_711c_a7e2_0001);
    let mut table = Vec::new();
    let mut source = String::new();
    for (name, directions) in [("BISHOP", &BISHOP), ("ROOK", &ROOK)] {
        source += &format!("static {name}_MAGICS: [Magic; 64] = [\n");
        for square in 0..64 {
            let entry = find(square, directions, &mut random, &mut table);
            source += &format!(
                "    Magic {{ mask: {:#x}, magic: {:#x}, shift: {}, offset: {} }},\n",
                entry.mask, entry.magic, entry.shift, entry.offset
            );
        }
        source += "];\n";
    }
    source += &format!("const TABLE_LEN: usize = {};\n", table.len());
    let bytes: Vec<u8> = table.iter().flat_map(|word| word.to_le_bytes()).collect();
    let out = Path::new(&out);
    fs::write(out.join("magics.rs"), source).expect("OUT_DIR is writable");
    fs::write(out.join("attacks.bin"), bytes).expect("OUT_DIR is writable");
}
