//! The evidence of an engine's failure: for diagnosis, and for `hone replay`.

use std::fmt::Write;
use std::time::Duration;

use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode};

use crate::executor::{Evidence, PairJob, PonderEnd, Pondered, Situation};
use hone_base::platform::MachineMemory;
use hone_base::text::printable;
use hone_uci::engine::uci::{Client, MemorySize};
use hone_uci::openings::Variant;
use hone_uci::rules::{ClockState, millis};

/// An engine's failure.
pub(super) struct Failure<'a> {
    pub(super) job: &'a PairJob,
    /// Number of the game in the pair, 0 or 1; in game 1 the second player has White.
    pub(super) game: usize,
    /// Index of the player that failed.
    pub(super) player: usize,
    pub(super) reason: String,
    /// How its process ended, in words; `still running` if it has not.
    pub(super) status: String,
    pub(super) position: &'a Chess,
    /// The last `position` and `go`; `go` is empty before the engine's first move.
    pub(super) command: (&'a [u8], &'a [u8]),
    /// How that search was to end, if it was a ponder search.
    pub(super) pondered: Option<Pondered>,
    /// Clocks of White and Black.
    pub(super) clocks: [Option<ClockState>; 2],
    /// The engine's [`Clock::allowance`](hone_uci::rules::Clock::allowance).
    pub(super) allowance: Option<Duration>,
    /// Engines of the first and second player; `None` if it could not be started.
    pub(super) clients: [Option<&'a Client>; 2],
}

/// Collects the evidence of a failure, and logs it.
pub(super) fn collect(failure: &Failure<'_>) -> Evidence {
    let job = failure.job;
    let [first, second] = failure.clients;
    let situation = situation(failure);
    log(failure, &situation);
    Evidence {
        pair: job.pair,
        game: failure.game,
        files: vec![
            ("summary.txt", summary(failure, &situation)),
            (
                "replay.toml",
                toml::to_string(&situation).expect("a situation can be put into TOML"),
            ),
            ("dialogue-first.txt", dialogue(first)),
            ("dialogue-second.txt", dialogue(second)),
            ("stderr-first.txt", stderr(first)),
            ("stderr-second.txt", stderr(second)),
        ],
    }
}

fn dialogue(client: Option<&Client>) -> String {
    client.map_or_else(String::new, |client| client.transcript().render())
}

fn stderr(client: Option<&Client>) -> String {
    client.map_or_else(String::new, Client::stderr)
}

/// Last lines of standard error that are logged.
const LOGGED_LINES: usize = 20;

/// Logs the failure with the end of the engine's standard error, which may hold the cause,
/// such as a failed assertion.
fn log(failure: &Failure<'_>, situation: &Situation) {
    let (name, reason) = (&situation.name, &failure.reason);
    tracing::warn!("{name}: {reason} (pair {})", failure.job.pair + 1);
    let text = stderr(failure.clients[failure.player]);
    let lines: Vec<&str> = text.lines().collect();
    for line in &lines[lines.len().saturating_sub(LOGGED_LINES)..] {
        tracing::warn!("{name} wrote: {line}");
    }
}

fn situation(failure: &Failure<'_>) -> Situation {
    let job = failure.job;
    let rules = &job.rules;
    let player = &job.players[failure.player];
    let (position, go) = failure.command;
    let go = String::from_utf8_lossy(go.trim_ascii());
    // No clock runs while a search is being stopped.
    let is_stopped = failure.pondered.is_some_and(|it| it.end == PonderEnd::Stop);
    let allowed = failure
        .allowance
        .filter(|_| !is_stopped)
        .unwrap_or(Duration::from_millis(rules.stall_ms));
    let searches = failure.clients[failure.player].map_or(0, Client::searches);
    let earlier_searches = searches.saturating_sub(u64::from(!go.is_empty()));
    Situation {
        name: player.name.to_string(),
        failure: failure.reason.clone(),
        chess960: rules.variant == Variant::Chess960,
        position: if go.is_empty() {
            String::new()
        } else {
            String::from_utf8_lossy(position).into_owned()
        },
        go: go.into_owned(),
        pondered: failure.pondered,
        earlier_searches,
        allowed_ms: millis(allowed),
        startup_ms: rules.startup_ms,
        stall_ms: rules.stall_ms,
        options: player.all_options(rules),
        launch: (*player.launch).clone(),
    }
}

/// The engine's peak memory, its limit, and the machine's available memory.
fn memory(client: &Client) -> String {
    let mut text = match client.peak_memory().map(MemorySize::of_bytes) {
        Some(peak) => format!("at most {peak} resident"),
        None => "not known".to_string(),
    };
    match client.max_memory() {
        Some(limit) => text += &format!(", limited to {limit} (max_memory)"),
        None => text += ", not limited",
    }
    if let Some(machine) = MachineMemory::now() {
        let [available, total] = [machine.available, machine.total].map(MemorySize::of_bytes);
        text += &format!("; {available} of {total} available afterwards");
    }
    text
}

fn summary(failure: &Failure<'_>, situation: &Situation) -> String {
    let mut text = String::new();
    write_summary(&mut text, failure, situation).expect("writing to a string cannot fail");
    // An engine's answer may contain control characters.
    printable(&text).into_owned()
}

fn write_summary(
    out: &mut String,
    failure: &Failure<'_>,
    situation: &Situation,
) -> std::fmt::Result {
    let job = failure.job;
    let [first, second] = [0, 1].map(|index| &job.players[index].name);
    writeln!(
        out,
        "{}: {} (pair {}, game {})",
        situation.name,
        failure.reason,
        job.pair + 1,
        failure.game + 1
    )?;
    writeln!(out, "process:   {}", failure.status)?;
    let player = failure.clients[failure.player];
    if let Some(client) = player {
        writeln!(out, "memory:    {}", memory(client))?;
        if let Some(line) = client.last_error() {
            let player = ["first", "second"][failure.player];
            writeln!(out, "stderr:    {line} (stderr-{player}.txt)")?;
        }
    }
    writeln!(out, "command:   {}", situation.launch.command_line())?;
    writeln!(out, "first:     {first} (dialogue-first.txt)")?;
    writeln!(out, "second:    {second} (dialogue-second.txt)")?;
    let fen = Fen::from_position(failure.position, EnPassantMode::Legal);
    writeln!(out, "position:  {fen}")?;
    for (color, clock) in ["White", "Black"].iter().zip(failure.clocks) {
        let Some(clock) = clock else { continue };
        let (left, increment) = (clock.left_ms, clock.increment_ms);
        write!(out, "{color}:     {left} ms left, {increment} ms per move")?;
        match clock.moves_to_go {
            Some(moves) => writeln!(out, ", {moves} moves to go")?,
            None => writeln!(out)?,
        }
    }
    // Without a `go`, the engine failed while it started or got ready.
    let sent = match (player, situation.go.is_empty()) {
        (None, _) => ["uci", ""],
        (_, true) => ["ucinewgame", "isready"],
        (_, false) => [situation.position.as_str(), situation.go.as_str()],
    };
    writeln!(out, "sent:      {}", sent[0])?;
    writeln!(out, "           {}", sent[1])?;
    if let Some(Pondered { end, after_ms }) = situation.pondered {
        writeln!(out, "           {} after {after_ms} ms", end.command())?;
    }
    let best = player.map_or(&[][..], Client::best_move);
    if !best.is_empty() {
        writeln!(out, "answered:  {}", String::from_utf8_lossy(best))?;
    }
    writeln!(
        out,
        "\nTo repeat the situation: `hone replay FOLDER`, where FOLDER is the folder of this file"
    )
}
