//! The `go` command.

use shakmaty::{ByColor, Color};

use crate::rules::Clock;

/// Adds the `go` for the engine of a side, with its line end. An engine without a clock is
/// not sent its opponent's: Stockfish would assume 0 ms for itself and move at once.
pub fn push_go(command: &mut Vec<u8>, clocks: &ByColor<Clock>, side: Color, ponder: bool) {
    command.extend_from_slice(b"go");
    if ponder {
        command.extend_from_slice(b" ponder");
    }
    let names = [[&b" wtime "[..], b" winc "], [b" btime ", b" binc "]];
    if let Some(own) = clocks[side].shown() {
        for (clock, [time, increment]) in clocks.iter().zip(names) {
            if let Some(shown) = clock.shown() {
                push_number(command, time, shown.left_ms);
                push_number(command, increment, shown.increment_ms);
            }
        }
        if let Some(moves) = own.moves_to_go {
            push_number(command, b" movestogo ", u64::from(moves));
        }
    }
    let limit = clocks[side].limit();
    for (name, value) in [
        (&b" movetime "[..], limit.movetime),
        (b" nodes ", limit.nodes),
        (b" depth ", limit.depth.map(u64::from)),
    ] {
        if let Some(value) = value {
            push_number(command, name, value);
        }
    }
    command.push(b'\n');
}

/// Adds a number. Called for every move, so `itoa` rather than the slower `format!`.
fn push_number(command: &mut Vec<u8>, name: &[u8], value: u64) {
    command.extend_from_slice(name);
    command.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::Duration;

    fn go(white: &str, black: &str, side: Color) -> String {
        let clocks = ByColor { white, black }
            .map(|limit| Clock::new(Arc::new(limit.parse().expect(limit)), Duration::ZERO));
        let mut command = Vec::new();
        push_go(&mut command, &clocks, side, false);
        String::from_utf8(command).expect("ASCII")
    }

    #[test]
    fn sends_both_clocks_and_the_limits_of_the_side_to_move() {
        assert_eq!(
            go("8+0.08", "4+0.04", Color::White),
            "go wtime 8080 winc 80 btime 4040 binc 40\n"
        );
        assert_eq!(
            go("nodes=5000", "40/60", Color::Black),
            "go btime 60000 binc 0 movestogo 40\n"
        );
        assert_eq!(go("nodes=5000", "40/60", Color::White), "go nodes 5000\n");
        assert_eq!(
            go("movetime=50 depth=9", "depth=1", Color::White),
            "go movetime 50 depth 9\n"
        );
    }

    #[test]
    fn ponder_comes_first() {
        let limit = Arc::new("1+0".parse().expect("a limit"));
        let clocks = ByColor::new_with(|_| Clock::new(Arc::clone(&limit), Duration::ZERO));
        let mut command = Vec::new();
        push_go(&mut command, &clocks, Color::Black, true);
        assert!(command.starts_with(b"go ponder wtime 1000 winc 0 btime 1000"));
    }
}
