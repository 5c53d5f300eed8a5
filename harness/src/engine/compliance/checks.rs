//! The rules of the protocol.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use super::dialogue::{Dialogue, referee_of};
use crate::engine::uci::{OptionKind, principal_variation};
use crate::rules::{Info, Score, Spending, departure};

/// `Ok` with a remark or none, `Err` with the fault.
type Verdict = Result<Option<String>, String>;
type Rule = for<'a> fn(&'a mut Dialogue) -> Pin<Box<dyn Future<Output = Verdict> + 'a>>;

/// All rules, in the order in which they are checked.
pub(super) const ALL: [(&str, Rule); 20] = [
    ("answers uci with its name and uciok", |d| {
        Box::pin(names(d))
    }),
    ("declares well-formed options", |d| Box::pin(options(d))),
    ("accepts its own default values", |d| Box::pin(defaults(d))),
    ("answers isready with readyok", |d| Box::pin(ready(d))),
    ("is ready again after ucinewgame", |d| Box::pin(new_game(d))),
    ("ignores unknown commands", |d| Box::pin(unknown(d))),
    ("ignores unknown options", |d| Box::pin(unknown_option(d))),
    ("go depth: a legal move", |d| Box::pin(depth(d))),
    ("go nodes: a legal move", |d| Box::pin(nodes(d))),
    ("go movetime: in time", |d| Box::pin(movetime(d))),
    ("go with clocks: in time", |d| Box::pin(clocks(d))),
    ("go infinite: no move before stop", |d| {
        Box::pin(infinite(d))
    }),
    ("answers isready while it thinks", |d| {
        Box::pin(ready_while_thinking(d))
    }),
    ("castling, en passant, promotion", |d| {
        Box::pin(special_moves(d))
    }),
    ("announces mates as mates", |d| Box::pin(mates(d))),
    ("principal variations are legal", |d| {
        Box::pin(variations(d))
    }),
    ("survives a position without moves", |d| {
        Box::pin(no_moves(d))
    }),
    ("castles in Chess960", |d| Box::pin(chess960(d))),
    ("ends on quit", |d| Box::pin(quit(d))),
    ("ends when its input ends", |d| Box::pin(end_of_input(d))),
];

/// What is added to a time limit for the way there and back.
const SLACK: Duration = Duration::from_millis(200);

/// Searches in a row that must be late before it is a fault: a busy machine delays an
/// answer now and then.
const LATE_SEARCHES: usize = 3;

/// Enough for a search of one ply to be far below it.
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
    if unreadable > 0 {
        return Err(format!(
            "{unreadable} of {} `option` lines cannot be read",
            options.len() + unreadable
        ));
    }
    for option in &options {
        let fault = match &option.kind {
            _ if let Some(fault) = &option.fault => fault.clone(),
            OptionKind::Spin { default, min, max } if !(min..=max).contains(&default) => {
                format!("the default {default} is outside {min} to {max}")
            }
            OptionKind::Combo { default, values } if !values.contains(default) => {
                format!("the default `{default}` is none of its values")
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
            "{} missing: OpenBench and others ask for it",
            missing.join(" and ")
        )
    }))
}

async fn defaults(d: &mut Dialogue) -> Verdict {
    // Of a faulty declaration the default may be a guess.
    for option in d.options().iter().filter(|option| option.fault.is_none()) {
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
        return Err("it gave no score with its move".to_string());
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
        0 => Some("it reports no nodes: whether it keeps to the limit is not known".to_string()),
        nodes if nodes > 2 * u64::from(NODES) => {
            Some(format!("it searched {nodes} nodes of {NODES}"))
        }
        _ => None,
    })
}

/// The fault of a search that was far from its limit.
fn keeps_to(limit: &str, used: Duration, info: &Info) -> Result<(), String> {
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
    for (go, allowed) in [
        ("go wtime 300 btime 300 winc 10 binc 10", 300),
        ("go wtime 300 btime 300 movestogo 2", 300),
        ("go wtime 50 btime 50", 50),
    ] {
        let found = in_time(d, go, allowed).await?;
        remark = remark.or(found);
    }
    Ok(remark)
}

/// Whether a search keeps to `allowed` milliseconds. It is repeated while it takes longer
/// than that and [`SLACK`], up to [`LATE_SEARCHES`] times.
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
    match is_in_time {
        true => Ok((!late.is_empty()).then_some(took)),
        false => Err(took),
    }
}

async fn infinite(d: &mut Dialogue) -> Verdict {
    d.send("position startpos\ngo infinite\n").await?;
    if d.bestmove_within(Duration::from_millis(300)).await? {
        return Err("it moved before `stop`".to_string());
    }
    d.send("stop\n").await?;
    if !d.bestmove_within(d.patience()).await? {
        return Err("it did not move after `stop`".to_string());
    }
    d.ready().await.map(|()| None)
}

async fn ready_while_thinking(d: &mut Dialogue) -> Verdict {
    d.send("position startpos\ngo infinite\nisready\n").await?;
    d.expect_ready().await?;
    d.send("stop\n").await?;
    match d.bestmove_within(d.patience()).await? {
        true => Ok(None),
        false => Err("it did not move after `stop`".to_string()),
    }
}

async fn special_moves(d: &mut Dialogue) -> Verdict {
    for position in [
        "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 moves e1g1 e8c8",
        "fen 8/8/8/k1pP3R/8/8/8/K7 w - c6 0 1",
        "fen 8/P6k/8/8/8/8/7K/8 w - - 0 1 moves a7a8n",
        "fen 8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 99 50",
        "fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
    ] {
        d.think(position, "go depth 2").await?;
    }
    Ok(None)
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
        // `b1c1` is legal, and an engine may miss the mate: only one that
        // announces it means to castle.
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

/// Positions in which castling is the only mate in one: the move in the form
/// of Chess960, and as an engine writes it that names the king's new square.
const CASTLING_MATES: [(&str, &str, &str); 2] = [
    ("fen 4R1R1/8/8/5k2/8/8/8/6KR w H - 0 1", "g1h1", "g1g1"),
    ("fen 2R1R3/8/8/3k4/8/8/8/RK6 w A - 0 1", "b1a1", "b1c1"),
];

async fn quit(d: &mut Dialogue) -> Verdict {
    match d.quits().await {
        true => Ok(None),
        false => Err("it does not end after `quit`".to_string()),
    }
}

async fn end_of_input(d: &mut Dialogue) -> Verdict {
    match d.hang_up().await {
        true => Ok(None),
        false => {
            Err("it does not end when its input is closed: it would outlive a killed match".into())
        }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Position;

    use super::*;

    #[test]
    fn castling_is_the_only_mate() {
        for (position, right, _) in CASTLING_MATES {
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
