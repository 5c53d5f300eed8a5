//! Where the tags of the next game begin, if the file has no movetext between.

/// The tags of a finished game, which has at most one each.
const TAGS: [&[u8]; 8] = [
    b"White", b"Black", b"Result", b"FEN", b"Event", b"Site", b"Date", b"Round",
];
/// The first of [`TAGS`] are those without which a game has no result.
const NEEDED: usize = 3;

/// Which tags a game has had so far. A reader of PGN takes all tags up to the
/// next movetext for those of one game.
#[derive(Debug, Default)]
pub(crate) struct RepeatedTags {
    seen: [bool; TAGS.len()],
}

impl RepeatedTags {
    /// Whether this tag is the first of another game. Source: PGN standard,
    /// section 8.1: a name appears at most once among the tags of a game. Some
    /// programs repeat one all the same, but not the position, and not after
    /// players and result.
    pub(crate) fn begins_game(&mut self, name: &[u8]) -> bool {
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
    fn a_tag_that_a_whole_game_has_already_begins_the_next() {
        let names = ["White", "Black", "Note", "Result", "Note", "white", "Black"];
        assert_eq!(
            begins(names),
            [false, false, false, false, false, true, false]
        );
        assert_eq!(begins(["FEN", "SetUp", "FEN"]), [false, false, true]);
    }

    #[test]
    fn a_tag_that_is_repeated_within_a_game_does_not() {
        let names = ["Event", "White", "Date", "Black", "Date", "Result"];
        assert_eq!(begins(names), [false; 6]);
    }
}
