//! Where the tags of the next game begin, if the file has no movetext between.

/// Tags of which a game has at most one each.
const TAGS: [&[u8]; 8] = [
    b"Event", b"Site", b"Date", b"Round", b"White", b"Black", b"Result", b"FEN",
];

/// Which tags a game has had so far. A reader of PGN takes all tags up to the
/// next movetext for those of one game.
#[derive(Debug, Default)]
pub(crate) struct RepeatedTags {
    seen: [bool; TAGS.len()],
}

impl RepeatedTags {
    /// Whether this tag is the first of another game. Source: PGN standard,
    /// section 8.1: a name appears at most once among the tags of a game.
    pub(crate) fn begins_game(&mut self, name: &[u8]) -> bool {
        let index = TAGS.iter().position(|tag| tag.eq_ignore_ascii_case(name));
        let Some(seen) = index.and_then(|index| self.seen.get_mut(index)) else {
            return false;
        };
        let is_repeated = std::mem::replace(seen, true);
        if is_repeated {
            self.seen = TAGS.map(|tag| tag.eq_ignore_ascii_case(name));
        }
        is_repeated
    }
}

#[cfg(test)]
mod tests {
    use super::RepeatedTags;

    #[test]
    fn a_tag_that_a_game_has_already_begins_the_next() {
        let mut tags = RepeatedTags::default();
        let begins = ["Event", "White", "Note", "Note", "white", "Event", "Event"]
            .map(|name| tags.begins_game(name.as_bytes()));
        assert_eq!(begins, [false, false, false, false, true, false, true]);
    }
}
