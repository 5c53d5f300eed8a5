//! Finds the start of the next game in PGN tags that no movetext separates.

/// Tags that a game has at most once.
const TAGS: [&[u8]; 8] = [
    b"White", b"Black", b"Result", b"FEN", b"Event", b"Site", b"Date", b"Round",
];
/// Number of the first [`TAGS`] that every game has.
const NEEDED: usize = 3;

/// The tags of the current game so far. The PGN reader assigns all tags before a movetext
/// to one game.
#[derive(Debug, Default)]
pub struct RepeatedTags {
    seen: [bool; TAGS.len()],
}

impl RepeatedTags {
    /// Whether this tag is the first of another game. By the PGN standard (section 8.1) a
    /// game has each tag at most once. Some programs repeat tags, but neither `FEN` nor
    /// tags after players and result.
    pub fn begins_game(&mut self, name: &[u8]) -> bool {
        let index = TAGS.iter().position(|tag| tag.eq_ignore_ascii_case(name));
        let Some(seen) = index.and_then(|index| self.seen.get_mut(index)) else {
            return false;
        };
        let is_repeated = std::mem::replace(seen, true);
        let is_whole = self.seen.iter().take(NEEDED).all(|seen| *seen);
        let begins = is_repeated && (is_whole || name.eq_ignore_ascii_case(b"FEN"));
        if begins {
            self.seen = TAGS.map(|tag| tag.eq_ignore_ascii_case(name));
        }
        begins
    }
}

#[cfg(test)]
mod tests {
    use super::RepeatedTags;

    fn begins<const N: usize>(names: [&str; N]) -> [bool; N] {
        let mut tags = RepeatedTags::default();
        names.map(|name| tags.begins_game(name.as_bytes()))
    }

    #[test]
    fn a_repeated_tag_after_players_and_result_begins_the_next_game() {
        let names = ["White", "Black", "Note", "Result", "Note", "white", "Black"];
        assert_eq!(
            begins(names),
            [false, false, false, false, false, true, false]
        );
        assert_eq!(begins(["FEN", "SetUp", "FEN"]), [false, false, true]);
    }

    #[test]
    fn a_repeated_tag_before_the_result_does_not() {
        let names = ["Event", "White", "Date", "Black", "Date", "Result"];
        assert_eq!(begins(names), [false; 6]);
    }
}
