//! The checks, one function for each rule of the protocol.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use shakmaty::{ByColor, Color};

use super::dialogue::{Dialogue, referee_of};
use crate::engine::uci::{OptionKind, principal_variation, push_go};
use crate::rules::{Clock, Score, SearchInfo, Spending, departure};

/// `Ok` with an optional remark, or `Err` with the fault.
type Verdict = Result<Option<String>, String>;
pub(super) type Check = for<'a> fn(&'a mut Dialogue) -> Pin<Box<dyn Future<Output = Verdict> + 'a>>;

/// What a check needs of an engine that starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    Commands,
    /// That a search ends with `bestmove`.
    Search,
    /// The same, and it tests whether `go infinite` waits for `stop`.
    Infinite,
    /// The same, and that `go infinite` waits for `stop`.
    Thinking,
}

/// All checks with their names, in order.
pub(super) const ALL: [(&str, Needs, Check); 20] = [
    (
        "answers uci with its name and uciok",
        Needs::Commands,
        |d| Box::pin(names(d)),
    ),
    ("declares well-formed options", Needs::Commands, |d| {
        Box::pin(options(d))
    }),
    ("accepts its own default values", Needs::Commands, |d| {
        Box::pin(defaults(d))
    }),
    ("answers isready with readyok", Needs::Commands, |d| {
        Box::pin(ready(d))
    }),
    ("is ready again after ucinewgame", Needs::Search, |d| {
        Box::pin(new_game(d))
    }),
    ("ignores unknown commands", Needs::Commands, |d| {
        Box::pin(unknown(d))
    }),
    ("ignores unknown options", Needs::Commands, |d| {
        Box::pin(unknown_option(d))
    }),
    ("go depth: a legal move", Needs::Search, |d| {
        Box::pin(depth(d))
    }),
    ("go nodes: a legal move", Needs::Search, |d| {
        Box::pin(nodes(d))
    }),
    ("go movetime: in time", Needs::Search, |d| {
        Box::pin(movetime(d))
    }),
    ("go with clocks: in time", Needs::Search, |d| {
        Box::pin(clocks(d))
    }),
    ("go infinite: no move before stop", Needs::Infinite, |d| {
        Box::pin(infinite(d))
    }),
    ("answers isready while it thinks", Needs::Thinking, |d| {
        Box::pin(ready_while_thinking(d))
    }),
    ("castling, en passant, promotion", Needs::Search, |d| {
        Box::pin(special_moves(d))
    }),
    ("announces mates as mates", Needs::Search, |d| {
        Box::pin(mates(d))
    }),
    ("principal variations are legal", Needs::Search, |d| {
        Box::pin(variations(d))
    }),
    ("survives a position without moves", Needs::Search, |d| {
        Box::pin(no_moves(d))
    }),
    ("castles in Chess960", Needs::Search, |d| {
        Box::pin(chess960(d))
    }),
    ("ends on quit", Needs::Commands, |d| Box::pin(quit(d))),
    ("ends when its input ends", Needs::Commands, |d| {
        Box::pin(end_of_input(d))
    }),
];

/// Tolerance of time limits, for communication.
const SLACK: Duration = Duration::from_millis(200);

/// Consecutive late searches that are a fault: a busy machine delays a single answer now
/// and then.
const LATE_SEARCHES: usize = 3;

/// A limit far above the nodes of a one-ply search.
const NODES: u32 = 20_000;

async fn names(d: &mut Dialogue) -> Verdict {
    let (name, author) = d.id();
    match (name.is_empty(), author.is_empty()) {
        (true, _) => Err("it gives no `id name`".to_string()),
        (false, true) => Ok(Some(format!("{name}; it gives no `id author`"))),
        (false, false) => Ok(Some(format!("{name} by {author}"))),
    }
}

async fn options(d: &mut Dialogue) -> Verdict {
    let options = d.options();
    let unreadable = d.unreadable_options();
    if unreadable.count > 0 {
        return Err(format!(
            "{} of {} `option` lines cannot be read; the first is `{}`",
            unreadable.count,
            options.len() + unreadable.count,
            unreadable.first
        ));
    }
    for option in &options {
        let fault = match &option.kind {
            _ if let Some(fault) = option.faults.first() => fault.to_string(),
            OptionKind::Spin { default, min, max } if !(min..=max).contains(&default) => {
                format!("the default {default} is outside {min} to {max}")
            }
            OptionKind::Combo { default, values } if !values.contains(default) => {
                format!("the default `{default}` is not one of its values")
            }
            _ => continue,
        };
        return Err(format!("option `{}`: {fault}", option.name));
    }
    let missing: Vec<&str> = ["Hash", "Threads"]
        .into_iter()
        .filter(|name| !options.iter().any(|option| option.name == *name))
        .collect();
    Ok((!missing.is_empty()).then(|| {
        format!(
            "missing: {}, which OpenBench and other tools set",
            missing.join(" and ")
        )
    }))
}

async fn defaults(d: &mut Dialogue) -> Verdict {
    // The default of a faulty declaration may be a guess.
    for option in d.options().iter().filter(|option| option.faults.is_empty()) {
        if let Some(default) = option.default_value() {
            d.send(&format!("setoption name {} value {default}\n", option.name))
                .await?;
        }
    }
    d.ready().await.map(|()| None)
}

async fn ready(d: &mut Dialogue) -> Verdict {
    d.ready().await?;
    d.ready().await.map(|()| None)
}

async fn new_game(d: &mut Dialogue) -> Verdict {
    for _ in 0..3 {
        d.send("ucinewgame\n").await?;
        d.ready().await?;
        d.think("startpos", "go depth 1").await?;
    }
    Ok(None)
}

async fn unknown(d: &mut Dialogue) -> Verdict {
    d.send("\n   \nnonsense 1 2 3\nposition\n").await?;
    d.ready().await.map(|()| None)
}

async fn unknown_option(d: &mut Dialogue) -> Verdict {
    d.send("setoption name No Such Option value 5\n").await?;
    d.ready().await.map(|()| None)
}

async fn depth(d: &mut Dialogue) -> Verdict {
    let (used, info) = d.think("startpos", "go depth 3").await?;
    if info.score.is_none() {
        return Err(match d.line_with_score() {
            Some(line) => format!("the score in `{line}` cannot be read"),
            None => "it gave no score with its move".to_string(),
        });
    }
    keeps_to("depth=3", used, &info)?;
    Ok((info.depth == 0).then(|| "it reports no depth".to_string()))
}

async fn nodes(d: &mut Dialogue) -> Verdict {
    let position = "startpos moves e2e4 c7c5 g1f3";
    let go = format!("go nodes {NODES}");
    let (used, info) = d.think(position, &go).await?;
    keeps_to(&format!("nodes={NODES}"), used, &info)?;
    Ok(match info.nodes {
        0 => Some("it reports no nodes, so the limit cannot be checked".to_string()),
        nodes if nodes > 2 * u64::from(NODES) => {
            Some(format!("it searched {nodes} nodes of {NODES}"))
        }
        _ => None,
    })
}

/// Fails if a search was far from its limit.
fn keeps_to(limit: &str, used: Duration, info: &SearchInfo) -> Result<(), String> {
    let spent = Spending::of_search(info, used);
    let limit = limit.parse().expect("a limit");
    match departure(&limit, &spent) {
        Some(departure) => Err(format!("it does not keep to the limit: {departure}")),
        None => Ok(()),
    }
}

async fn movetime(d: &mut Dialogue) -> Verdict {
    let remark = in_time(d, "go movetime 100", 100).await?;
    let position = "startpos moves d2d4 d7d5 c2c4";
    let (used, info) = d.think(position, "go movetime 100").await?;
    keeps_to("movetime=100", used, &info)?;
    Ok(remark)
}

async fn clocks(d: &mut Dialogue) -> Verdict {
    let mut remark = None;
    for (limit, allowed) in [("0.29+0.01", 300), ("2/0.3", 300), ("0.05+0", 50)] {
        let found = in_time(d, &with_clocks(limit), allowed).await?;
        remark = remark.or(found);
    }
    Ok(remark)
}

/// The `go` of a game's first move with this limit.
fn with_clocks(limit: &str) -> String {
    let limit = Arc::new(limit.parse().expect("a limit"));
    let clocks = ByColor::new_with(|_| Clock::new(Arc::clone(&limit), Duration::ZERO));
    let mut go = Vec::new();
    push_go(&mut go, &clocks, Color::White, false);
    String::from_utf8_lossy(&go).trim_end().to_string()
}

/// Checks that a search takes at most `allowed` milliseconds and [`SLACK`]; it may be late
/// in [`LATE_SEARCHES`] - 1 tries. The remark lists the times above `allowed`.
async fn in_time(d: &mut Dialogue, go: &str, allowed: u64) -> Verdict {
    let allowed = Duration::from_millis(allowed);
    let mut late = Vec::new();
    let mut is_in_time = false;
    while !is_in_time && late.len() < LATE_SEARCHES {
        let (used, _) = d.think("startpos moves d2d4 d7d5", go).await?;
        is_in_time = used <= allowed + SLACK;
        if used > allowed {
            late.push(used.as_millis().to_string());
        }
    }
    let took = format!("`{go}` took {} ms", late.join(", "));
    if is_in_time {
        Ok((!late.is_empty()).then_some(took))
    } else {
        Err(took)
    }
}

async fn infinite(d: &mut Dialogue) -> Verdict {
    d.send("position startpos\ngo infinite\n").await?;
    if d.bestmove_within(Duration::from_millis(300)).await? {
        return Err("it moved before `stop`".to_string());
    }
    moves_after_stop(d).await?;
    d.ready().await.map(|()| None)
}

async fn moves_after_stop(d: &mut Dialogue) -> Verdict {
    d.send("stop\n").await?;
    if d.bestmove_within(d.patience()).await? {
        Ok(None)
    } else {
        Err("it did not move after `stop`".to_string())
    }
}

async fn ready_while_thinking(d: &mut Dialogue) -> Verdict {
    d.send("position startpos\ngo infinite\nisready\n").await?;
    d.expect_ready().await?;
    if d.has_moved() {
        return Err("its move came before `readyok`".to_string());
    }
    moves_after_stop(d).await
}

async fn special_moves(d: &mut Dialogue) -> Verdict {
    let mut remark = None;
    for position in [
        "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 moves e1g1 e8c8",
        "fen 8/8/8/k1pP3R/8/8/8/K7 w - c6 0 1",
        "fen 8/P6k/8/8/8/8/7K/8 w - - 0 1 moves a7a8n",
        "fen 8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 99 50",
        PROMOTIONS,
    ] {
        d.think(position, "go depth 2").await?;
        remark = remark.or(capitals(d.best_move()));
    }
    let (position, right, of_chess960) = CASTLING_MATE;
    d.think(position, "go depth 4").await?;
    let is_of_chess960 = d.best_move().eq_ignore_ascii_case(of_chess960.as_bytes());
    let remark = remark.or(is_of_chess960.then(|| {
        format!(
            "it castles with `{of_chess960}`: without UCI_Chess960, UCI writes `{right}`; `hone` accepts both"
        )
    }));
    // The last one, because the engine may end.
    let read = d.think(WITHOUT_COUNTERS, "go depth 2").await;
    Ok(remark.or(read.err().map(|fault| {
        format!("it cannot read a FEN without move counters, which `hone` does not send: {fault}")
    })))
}

/// A position without the halfmove clock and the move number. UCI does not require engines to
/// read it. No move of the start position is legal in it.
const WITHOUT_COUNTERS: &str = "fen 4k3/8/8/8/3K4/8/8/R7 w - -";

/// A position in which every legal move is a promotion.
const PROMOTIONS: &str = "fen 7k/4P3/8/8/8/6q1/8/7K w - - 0 1";

/// A position in which castling is the only mate in one, with the castling move in the
/// notation of standard chess and in that of Chess960.
const CASTLING_MATE: (&str, &str, &str) =
    ("fen 4R3/8/3B4/8/8/5k1P/8/4K2R w K - 0 1", "e1g1", "e1h1");

/// The remark on a move in capitals.
fn capitals(best: &[u8]) -> Option<String> {
    best.iter().any(u8::is_ascii_uppercase).then(|| {
        format!(
            "it writes `{}`: UCI writes moves in lower case; `hone` accepts both",
            String::from_utf8_lossy(best)
        )
    })
}

async fn mates(d: &mut Dialogue) -> Verdict {
    let position = "fen 6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1";
    let (_, info) = d.think(position, "go depth 4").await?;
    match info.score {
        Some(Score::Mate(1)) => Ok(None),
        Some(Score::Mate(moves)) => Err(format!("a mate in 1 was announced as `mate {moves}`")),
        _ => Err("a mate in 1 was not announced as `score mate 1`".to_string()),
    }
}

async fn variations(d: &mut Dialogue) -> Verdict {
    let position = "startpos moves e2e4 e7e5 g1f3";
    d.think(position, "go depth 5").await?;
    d.send(&format!("position {position}\ngo depth 6\n"))
        .await?;
    if !d.bestmove_within(d.patience()).await? {
        return Err("no `bestmove` after `go depth 6`".to_string());
    }
    for line in d.infos() {
        let Some(pv) = principal_variation(line.as_bytes()) else {
            continue;
        };
        let mut referee = referee_of(position)?;
        for word in pv.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()) {
            let Some(legal) = referee.find(word) else {
                let word = String::from_utf8_lossy(word);
                return Err(format!("`{word}` is illegal in `{line}`"));
            };
            referee.play(legal);
        }
    }
    Ok(None)
}

async fn no_moves(d: &mut Dialogue) -> Verdict {
    let mated = "fen rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
    d.send(&format!("position {mated}\ngo depth 3\n")).await?;
    let answered = d.bestmove_within(Duration::from_millis(500)).await?;
    d.send("stop\n").await?;
    d.ready().await?;
    d.think("startpos", "go depth 1").await?;
    Ok((!answered).then(|| "it gave no `bestmove` (none) there".to_string()))
}

async fn chess960(d: &mut Dialogue) -> Verdict {
    if !d.has_option("UCI_Chess960") {
        return Ok(Some("it declares no UCI_Chess960".to_string()));
    }
    d.send("setoption name UCI_Chess960 value true\nucinewgame\n")
        .await?;
    d.ready().await?;
    for position in [
        "fen 1rkrbnnb/pppppppp/8/8/8/8/PPPPPPPP/1RKRBNNB w DBdb - 0 1",
        "fen 5k1r/8/8/8/8/8/8/5K1R w Hh - 0 1 moves f1h1",
    ] {
        d.think(position, "go depth 2").await?;
    }
    for (position, right, wrong) in CASTLING_MATES {
        let thought = d.think(position, "go depth 4").await;
        // The king's move `b1c1` is also legal: only an engine that announces the mate
        // means to castle.
        let is_meant = match &thought {
            Ok((_, info)) => info.score == Some(Score::Mate(1)),
            Err(_) => true,
        };
        if is_meant && d.best_move().eq_ignore_ascii_case(wrong.as_bytes()) {
            return Err(format!(
                "it castles with `bestmove {wrong}` in `{position}`: in Chess960 the king takes its own rook, `{right}`"
            ));
        }
        thought?;
    }
    Ok(None)
}

/// Positions in which castling is the only mate in one, with the castling move in the
/// notation of Chess960 (the king takes its own rook), and in the wrong notation with the
/// king's destination.
const CASTLING_MATES: [(&str, &str, &str); 2] = [
    ("fen 4R1R1/8/8/5k2/8/8/8/6KR w H - 0 1", "g1h1", "g1g1"),
    ("fen 2R1R3/8/8/3k4/8/8/8/RK6 w A - 0 1", "b1a1", "b1c1"),
];

async fn quit(d: &mut Dialogue) -> Verdict {
    if d.quits().await {
        Ok(None)
    } else {
        Err("it does not end after `quit`".to_string())
    }
}

async fn end_of_input(d: &mut Dialogue) -> Verdict {
    if d.hang_up().await {
        Ok(None)
    } else {
        Err("it does not end when its input is closed: it would outlive a killed match".into())
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Position;

    use super::*;

    #[test]
    fn every_legal_move_is_a_promotion() {
        let moves = referee_of(PROMOTIONS)
            .expect("legal")
            .position()
            .legal_moves();
        assert_eq!(moves.len(), 4);
        assert!(moves.iter().all(|legal| legal.is_promotion()));
    }

    #[test]
    fn castling_is_the_only_mate() {
        for (position, right, _) in CASTLING_MATES.into_iter().chain([CASTLING_MATE]) {
            let referee = referee_of(position).expect(position);
            let start = referee.position();
            let mut mates = start.legal_moves();
            mates.retain(|m| {
                let mut after = start.clone();
                after.play_unchecked(*m);
                after.is_checkmate()
            });
            assert_eq!(
                mates.as_slice(),
                [referee.find(right.as_bytes()).expect(right)]
            );
            assert!(mates[0].is_castle(), "{position}");
        }
    }
}
