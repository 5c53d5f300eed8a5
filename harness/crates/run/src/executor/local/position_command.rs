//! The `position` command of a game, and the `go` after it.

use shakmaty::uci::UciMove;
use shakmaty::{ByColor, Color};

use hone_uci::engine::uci::{push_go, push_position};
use hone_uci::rules::Clock;

/// The `position` command of a game, which grows move by move, and a `go`. The buffer is
/// reused in the next game.
#[derive(Debug, Default)]
pub(super) struct PositionCommand {
    bytes: Vec<u8>,
    /// Length of the `position` command, without a line end.
    end: usize,
    /// Start of the moves that [`Self::take_new_moves`] has not returned.
    taken: usize,
    has_moves: bool,
}

impl PositionCommand {
    /// Begins a game from a position in FEN; `None` is the standard start position.
    pub(super) fn begin(&mut self, fen: Option<&str>) {
        self.bytes.clear();
        push_position(&mut self.bytes, fen, "");
        self.end = self.bytes.len();
        self.taken = self.end;
        self.has_moves = false;
    }

    /// Removes the `go` and adds a move.
    pub(super) fn push(&mut self, uci: UciMove) {
        self.drop_go();
        if !self.has_moves {
            self.bytes.extend_from_slice(b" moves");
            self.taken = self.bytes.len();
            self.has_moves = true;
        }
        self.bytes.push(b' ');
        uci.append_ascii_to(&mut self.bytes);
        self.end = self.bytes.len();
    }

    /// Replaces the `go` by that for a side. Returns both commands as they are sent.
    pub(super) fn with_go(&mut self, clocks: &ByColor<Clock>, side: Color, ponder: bool) -> &[u8] {
        self.drop_go();
        self.bytes.push(b'\n');
        push_go(&mut self.bytes, clocks, side, ponder);
        &self.bytes
    }

    /// Removes the `go`, if there is one.
    pub(super) fn drop_go(&mut self) {
        self.bytes.truncate(self.end);
    }

    /// The command for the position after one more move.
    pub(super) fn after(&self, uci: UciMove) -> Self {
        let (position, _) = self.split();
        let bytes = position.to_vec();
        let mut after = Self { bytes, ..*self };
        after.push(uci);
        after
    }

    /// The moves since the last call, each with a space before it.
    pub(super) fn take_new_moves(&mut self) -> &[u8] {
        let from = std::mem::replace(&mut self.taken, self.end);
        &self.bytes[from..self.end]
    }

    /// The `position` command without its line end.
    pub(super) fn line(&self) -> String {
        let (position, _) = self.split();
        String::from_utf8_lossy(position).into_owned()
    }

    /// The `position` command without its line end, and the rest: empty, or the line end
    /// and the `go`.
    pub(super) fn split(&self) -> (&[u8], &[u8]) {
        self.bytes.split_at(self.end)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;

    fn uci(text: &str) -> UciMove {
        text.parse().expect(text)
    }

    fn clocks() -> ByColor<Clock> {
        let limit = Arc::new("nodes=5".parse().expect("a limit"));
        ByColor::new_with(|_| Clock::new(Arc::clone(&limit), Duration::ZERO))
    }

    #[test]
    fn it_grows_by_moves_and_its_go_is_replaced() {
        let mut command = PositionCommand::default();
        command.begin(None);
        let go = |command: &mut PositionCommand| {
            let bytes = command.with_go(&clocks(), Color::White, false);
            String::from_utf8(bytes.to_vec()).expect("text")
        };
        assert_eq!(go(&mut command), "position startpos\ngo nodes 5\n");
        command.push(uci("e2e4"));
        assert_eq!(
            command.split(),
            (&b"position startpos moves e2e4"[..], &b""[..])
        );
        command.push(uci("e7e8q"));
        let both = "position startpos moves e2e4 e7e8q\ngo nodes 5\n";
        assert_eq!(go(&mut command), both);
        assert_eq!(go(&mut command), both);
        // The next game must not contain anything of this one.
        command.begin(Some("8/8/8/8/8/8/8/K1k5 w - - 0 1"));
        assert_eq!(
            go(&mut command),
            "position fen 8/8/8/8/8/8/8/K1k5 w - - 0 1\ngo nodes 5\n"
        );
    }

    #[test]
    fn new_moves_are_taken_once() {
        let mut command = PositionCommand::default();
        command.begin(None);
        assert_eq!(command.take_new_moves(), b"");
        command.push(uci("e2e4"));
        command.push(uci("e7e5"));
        assert_eq!(command.take_new_moves(), b" e2e4 e7e5");
        command.with_go(&clocks(), Color::White, false);
        assert_eq!(command.take_new_moves(), b"");
        command.push(uci("g1f3"));
        assert_eq!(command.take_new_moves(), b" g1f3");
    }

    #[test]
    fn pondering_leaves_the_command_of_the_opponent_as_it_was_sent() {
        let mut command = PositionCommand::default();
        command.begin(None);
        let sent = command.with_go(&clocks(), Color::White, false).to_vec();
        let mut after = command.after(uci("e2e4"));
        assert_eq!(
            after.with_go(&clocks(), Color::Black, true),
            b"position startpos moves e2e4\ngo ponder nodes 5\n"
        );
        let (position, go) = command.split();
        assert_eq!([position, go].concat(), sent);
    }
}
