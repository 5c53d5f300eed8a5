//! Random numbers that depend only on a seed, and never change between versions or platforms.

use rand_chacha::{ChaCha8Rng, rand_core::Rng, rand_core::SeedableRng};

/// The random words of `stream` for `seed`, from ChaCha8 (RFC 8439 with eight rounds and a
/// 64-bit block counter). The key is `seed` in eight little-endian bytes, the bytes of
/// `purpose`, the byte `part` and seven zero bytes. `purpose` and `part` separate different
/// uses: no two share numbers.
pub fn words(purpose: &[u8; 16], part: u8, seed: u64, stream: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..24].copy_from_slice(purpose);
    key[24] = part;
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(stream);
    rng
}

/// A uniform number below `bound`: Lemire's multiplication of a 32-bit word
/// with rejection ("Fast random integer generation in an interval", 2019).
pub fn uniform(rng: &mut ChaCha8Rng, bound: u32) -> u32 {
    let unfair = bound.wrapping_neg() % bound;
    loop {
        let product = u64::from(rng.next_u32()) * u64::from(bound);
        if product as u32 >= unfair {
            return (product >> 32) as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_chacha8() {
        // An independent ChaCha8 written from RFC 8439 gives these words for
        // the keys described above.
        let take = |seed, stream| {
            let mut rng = words(b"hone openings v1", 0, seed, stream);
            std::array::from_fn::<u32, 4, _>(|_| rng.next_u32())
        };
        assert_eq!(
            take(1, 0),
            [267_237_109, 1_336_738_284, 3_564_806_045, 3_792_730_605]
        );
        assert_eq!(
            take(u64::MAX, 3),
            [145_042_810, 1_504_556_991, 1_395_621_714, 2_234_556_093]
        );
    }
}
