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
    if let Some(own) = clocks[side].shown() {
        let shown = clocks.as_ref().map(Clock::shown);
        // Some engines read these numbers by position, in the order of other match programs.
        for (clock, name) in shown.iter().zip([b" wtime ", b" btime "]) {
            if let Some(clock) = clock {
                push_number(command, name, clock.left_ms);
            }
        }
        for (clock, name) in shown.iter().zip([b" winc ", b" binc "]) {
            if let Some(clock) = clock {
                push_number(command, name, clock.increment_ms);
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

    /// The order of fastchess and cutechess: simbelmyne refuses another one, and sunfish and
    /// 4ku read the numbers by position.
    #[test]
    fn sends_both_clocks_and_the_limits_of_the_side_to_move() {
        for (white, black, side, line) in [
            (
                "8+0.08",
                "4+0.04",
                Color::White,
                "go wtime 8080 btime 4040 winc 80 binc 40",
            ),
            (
                "8+0.08",
                "4+0.04",
                Color::Black,
                "go wtime 8080 btime 4040 winc 80 binc 40",
            ),
            (
                "40/60+0.5",
                "20/30",
                Color::White,
                "go wtime 60500 btime 30000 winc 500 binc 0 movestogo 40",
            ),
            (
                "40/60+0.5",
                "20/30",
                Color::Black,
                "go wtime 60500 btime 30000 winc 500 binc 0 movestogo 20",
            ),
            (
                "10+0.1 nodes=5000 depth=9",
                "10+0.1",
                Color::White,
                "go wtime 10100 btime 10100 winc 100 binc 100 nodes 5000 depth 9",
            ),
            (
                "nodes=5000",
                "40/60",
                Color::Black,
                "go btime 60000 binc 0 movestogo 40",
            ),
            ("nodes=5000", "40/60", Color::White, "go nodes 5000"),
            (
                "movetime=50 depth=9",
                "depth=1",
                Color::White,
                "go movetime 50 depth 9",
            ),
        ] {
            assert_eq!(go(white, black, side), format!("{line}\n"));
        }
    }

    #[test]
    fn ponder_comes_first() {
        let limit = Arc::new("1+0".parse().expect("a limit"));
        let clocks = ByColor::new_with(|_| Clock::new(Arc::clone(&limit), Duration::ZERO));
        let mut command = Vec::new();
        push_go(&mut command, &clocks, Color::Black, true);
        assert!(command.starts_with(b"go ponder wtime 1000 btime 1000 winc 0 binc 0"));
    }
}
