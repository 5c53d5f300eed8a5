//! Signs that an engine did not play under the conditions of the others: limits, processor
//! time, pauses of `hone`, replays and resignations.

use hone_run::config::EngineConfig;
use hone_run::{EngineTally, Manifest, SHORT_GAME, Tally};
use hone_stats::detect::{Finding, Rank, Test, of_engine, one_sided, resigned_games, short_games};
use hone_uci::rules::{Departure, Limit, Spending, compared};

/// Fewest moves of an engine for a check of its limit.
const FEWEST_MOVES: u64 = 100;
/// Fewest microseconds over which processor time or speed is judged.
const FEWEST_US: u64 = 2_000_000;
/// Processor time that an engine may use for each thread and second.
const TOLERATED_USE: f64 = 1.5;
/// Share of the opponent's time in which an engine without `ponder` may compute.
const TOLERATED_IDLE: f64 = 0.2;
/// Factor by which the same program may differ in nodes a second.
const TOLERATED_SPEED: f64 = 1.5;
/// Share of its clock that an engine may use; the last increments are not usable.
const TOLERATED_CLOCK: f64 = 1.0;
/// Milliseconds after its margin by which a late answer ends at the latest.
const LATEST_MS: u64 = 1000;

/// An engine of the run.
struct Engine<'a> {
    config: &'a EngineConfig,
    tally: &'a EngineTally,
    limit: &'a Limit,
    /// The program, empty if unknown.
    sha256: &'a str,
    threads: f64,
}

/// The findings about the engines of a run.
pub(super) fn engine_findings(manifest: &Manifest, tally: &Tally) -> Vec<Finding> {
    let engines = engines(manifest, tally);
    let mut findings = Vec::new();
    let fleet = manifest.config.fleet.as_ref();
    // With scaled clocks, each machine has its own limit.
    if fleet.is_none_or(|fleet| fleet.scale.is_none()) {
        findings.extend(departures(&engines));
        let margin = manifest.config.r#match.margin_ms;
        let over = engines.iter().filter_map(|one| clock_use(one, margin));
        findings.extend(over);
    }
    findings.extend(engines.iter().filter_map(too_many_threads));
    findings.extend(idle_use(&engines));
    findings.extend(speed(&engines));
    findings.extend(short_games(tally.short_games, tally.games(), SHORT_GAME));
    findings.extend(sides(manifest, &engines));
    findings
}

fn engines<'a>(manifest: &'a Manifest, tally: &'a Tally) -> Vec<Engine<'a>> {
    let engines = manifest
        .config
        .engine
        .iter()
        .zip(&tally.engines)
        .enumerate();
    let known = engines.map(|(number, (config, tally))| {
        let identity = manifest.engines.get(number);
        let default = identity.and_then(|identity| identity.defaults.get("Threads"));
        let threads = config
            .options
            .get("Threads")
            .or(default.map(String::as_str));
        Engine {
            config,
            tally,
            limit: manifest.config.limit_of(config),
            sha256: identity.map_or("", |identity| &identity.sha256),
            threads: threads
                .and_then(|threads| threads.parse().ok())
                .unwrap_or(1.0),
        }
    });
    known.collect()
}

fn spending(engine: &EngineTally) -> Spending {
    Spending {
        games: engine.games,
        moves: engine.moves,
        nodes: engine.nodes,
        depth: engine.depth,
        ms: engine.ms,
    }
}

/// A finding for each engine that does not search to its limit as the others do.
fn departures<'a>(engines: &'a [Engine<'a>]) -> impl Iterator<Item = Finding> + 'a {
    let judged = || engines.iter().enumerate();
    judged().filter_map(move |(number, engine)| {
        if engine.tally.moves < FEWEST_MOVES {
            return None;
        }
        let others = judged().filter(|(other, it)| *other != number && it.limit == engine.limit);
        let others: Vec<Spending> = others.map(|(_, other)| spending(other.tally)).collect();
        let departure = compared(engine.limit, &spending(engine.tally), &others)?;
        let (rank, text) = match departure {
            Departure::Excess(text) => (Rank::Invalid, text),
            Departure::Advantage(text) => (Rank::Doubtful, text),
            Departure::Shortfall(text) => (Rank::Note, text),
        };
        Some(of_engine(
            Test::IgnoredLimit,
            rank,
            &engine.config.name,
            &text,
        ))
    })
}

/// The time of its moves without what `hone` itself took, as while it was paused.
fn charged_ms(tally: &EngineTally) -> u64 {
    tally.ms.saturating_sub(tally.latency_us / 1000)
}

/// More time than the clock gives, which a margin allows. Stages of a number of moves give
/// an amount of time that the totals do not tell. The overrun of a time forfeit is no
/// advantage: an overloaded machine causes many.
fn clock_use(engine: &Engine<'_>, margin_ms: u64) -> Option<Finding> {
    let [stage] = engine.limit.stages() else {
        return None;
    };
    let tally = engine.tally;
    if stage.moves.is_some() || tally.moves < FEWEST_MOVES || margin_ms == 0 {
        return None;
    }
    let overrun = margin_ms.saturating_add(LATEST_MS);
    let given = tally
        .games
        .saturating_mul(stage.base)
        .saturating_add(tally.moves.saturating_mul(stage.increment))
        .saturating_add(tally.failures.time_forfeit.saturating_mul(overrun));
    let share = charged_ms(tally) as f64 / given.max(1) as f64;
    (share > TOLERATED_CLOCK).then(|| {
        let text = format!("used {:.0} % of its clock", 100.0 * share);
        of_engine(Test::ClockUse, Rank::Doubtful, &engine.config.name, &text)
    })
}

/// More processor time than its `Threads` can use.
fn too_many_threads(engine: &Engine<'_>) -> Option<Finding> {
    let (used, time) = (engine.tally.cpu_us, engine.tally.measured_us);
    if time < FEWEST_US {
        return None;
    }
    let share = used as f64 / time as f64;
    (share > TOLERATED_USE * engine.threads).then(|| {
        let text = format!(
            "used {share:.1} s of processor time for each second of its moves with Threads = {}",
            engine.threads
        );
        of_engine(
            Test::ProcessorTime,
            Rank::Doubtful,
            &engine.config.name,
            &text,
        )
    })
}

/// Processor time in the moves of the opponent, in a run of two engines.
fn idle_use<'a>(engines: &'a [Engine<'a>]) -> impl Iterator<Item = Finding> + 'a {
    let [first, second] = engines else {
        return Vec::new().into_iter();
    };
    let found = [(first, second), (second, first)].into_iter().filter_map(|(engine, other)| {
        let time = other.tally.measured_us;
        let share = engine.tally.idle_cpu_us as f64 / time.max(1) as f64;
        (time >= FEWEST_US && share > TOLERATED_IDLE && !engine.config.ponder).then(|| {
            let text = format!(
                "used {share:.1} s of processor time for each second of its opponent's moves, without `ponder`"
            );
            of_engine(Test::ProcessorTime, Rank::Doubtful, &engine.config.name, &text)
        })
    });
    found.collect::<Vec<_>>().into_iter()
}

/// The same program with the same options at different speeds.
fn speed(engines: &[Engine<'_>]) -> Option<Finding> {
    let [first, second] = engines else {
        return None;
    };
    let is_same = !first.sha256.is_empty()
        && first.sha256 == second.sha256
        && first.config.cmd == second.config.cmd
        && first.config.args == second.config.args
        && first.config.options == second.config.options;
    let is_enough = |engine: &Engine<'_>| {
        1000 * charged_ms(engine.tally) >= FEWEST_US && engine.tally.nodes > 0
    };
    if !is_same || !is_enough(first) || !is_enough(second) {
        return None;
    }
    let nps =
        |engine: &Engine<'_>| 1000.0 * engine.tally.nodes as f64 / charged_ms(engine.tally) as f64;
    let (own, other) = (nps(first), nps(second));
    (own.max(other) > TOLERATED_SPEED * own.min(other)).then(|| {
        let text = format!("{own:.0} nodes a second, {} {other:.0}", second.config.name);
        of_engine(Test::Speed, Rank::Doubtful, &first.config.name, &text)
    })
}

/// What happened to one of two engines alone.
fn sides(manifest: &Manifest, engines: &[Engine<'_>]) -> Vec<Finding> {
    let [first, second] = engines else {
        return Vec::new();
    };
    let both = |count: fn(&EngineTally) -> u64| [count(first.tally), count(second.tally)];
    let names = [first.config.name.as_str(), second.config.name.as_str()];
    let resign = manifest.config.adjudication.resign;
    let resigned = resign
        .filter(|rule| !rule.twosided)
        .and_then(|_| resigned_games(names, both(|it| it.resigned), both(|it| it.beaten)));
    let pauses = one_sided(
        Test::Pauses,
        "games in which hone was paused for more than 0.5 s while the engine had the move",
        names,
        both(|it| it.paused_games),
    );
    let replays = one_sided(
        Test::Replays,
        "failures that did not count because the game was played again",
        names,
        both(|it| it.replayed),
    );
    [resigned, pauses, replays].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The findings of a match of the same program, in which `dev` differs by `more` lines.
    fn found(more: &str, config: &str, tally: &Tally) -> Vec<(Test, Rank)> {
        let engines: String = [("dev", more), ("base", "")]
            .map(|(name, more)| {
                format!(
                    "[[engines]]\nname = \"{name}\"\nid = \"\"\nauthor = \"\"\nprogram = \"x\"\n\
                     sha256 = \"same\"\n[[config.engine]]\nname = \"{name}\"\ncmd = \"x\"\n{more}"
                )
            })
            .concat();
        let manifest: Manifest = toml::from_str(&format!(
            "hone = \"1\"\nkind = \"match\"\ncreated = \"2026-01-01T00:00:00Z\"\nbase = \"/\"\n\
             concurrency = 1\n[config.match]\nlimit = \"1+0.01\"\nmargin_ms = 400\n{engines}{config}"
        ))
        .expect("a manifest");
        let findings = engine_findings(&manifest, tally);
        let found = findings.iter().map(|finding| (finding.test, finding.rank));
        found.collect()
    }

    /// Ten games of 50 moves at 1+0.01: 80 % of the clock.
    fn honest() -> EngineTally {
        EngineTally {
            games: 10,
            moves: 500,
            ms: 12_000,
            nodes: 6_000_000,
            depth: 6000,
            measured_us: 12_000_000,
            cpu_us: 11_500_000,
            idle_cpu_us: 100_000,
            ..EngineTally::default()
        }
    }

    fn tally(change: fn(&mut EngineTally)) -> Tally {
        let mut dev = honest();
        change(&mut dev);
        Tally {
            pairs: 5,
            engines: vec![dev, honest()],
            ..Tally::default()
        }
    }

    #[test]
    fn each_advantage_is_found() {
        let of = |change| found("", "", &tally(change));
        assert_eq!(of(|_| ()), []);
        for (change, test) in [
            (
                (|dev| dev.cpu_us = 24_000_000) as fn(&mut EngineTally),
                Test::ProcessorTime,
            ),
            (|dev| dev.idle_cpu_us = 6_000_000, Test::ProcessorTime),
            (|dev| dev.nodes *= 2, Test::Speed),
            (
                |dev| (dev.ms, dev.nodes) = (18_000, 9_000_000),
                Test::ClockUse,
            ),
            (|dev| dev.paused_games = 15, Test::Pauses),
            (|dev| dev.replayed = 15, Test::Replays),
        ] {
            assert_eq!(of(change), [(test, Rank::Doubtful)]);
        }
        // What hone itself took is not charged.
        let paused = of(|dev| (dev.ms, dev.nodes, dev.latency_us) = (18_000, 9_000_000, 6_000_000));
        assert_eq!(paused, []);
        let paused = of(|dev| (dev.ms, dev.latency_us) = (24_000, 12_000_000));
        assert_eq!(paused, []);
    }

    #[test]
    fn time_forfeits_are_no_use_of_the_margin() {
        let late = tally(|dev| {
            (dev.ms, dev.nodes) = (18_000, 9_000_000);
            dev.failures.time_forfeit = 8;
        });
        assert_eq!(found("", "", &late), []);
    }

    #[test]
    fn an_engine_may_use_what_its_options_allow() {
        let pondering = tally(|dev| dev.idle_cpu_us = 11_000_000);
        assert_eq!(found("", "", &pondering).len(), 1);
        assert_eq!(found("ponder = true\n", "", &pondering), []);
        let threads = tally(|dev| dev.cpu_us = 24_000_000);
        assert_eq!(found("options = { Threads = 2 }\n", "", &threads), []);
    }

    #[test]
    fn an_ignored_limit_is_found() {
        let nodes = "limit = \"nodes=1000\"\n";
        let far = tally(|dev| (dev.nodes, dev.ms) = (12_000_000, 24_000));
        let found = found(nodes, "", &far);
        assert_eq!(found, [(Test::IgnoredLimit, Rank::Invalid)]);
    }

    #[test]
    fn games_that_scores_end_are_found() {
        let rule = |twosided: bool| {
            let score = "count = 3, score = 600";
            format!("[config.adjudication]\nresign = {{ {score}, twosided = {twosided} }}\n")
        };
        let mut games = tally(|dev| dev.beaten = 250);
        games.engines[1].resigned = 320;
        let resigned = [(Test::ResignedGames, Rank::Doubtful)];
        assert_eq!(found("", &rule(false), &games), resigned);
        assert_eq!(found("", &rule(true), &games), []);
        let mut games = tally(|_| ());
        (games.pairs, games.short_games) = (20, 20);
        let short = [(Test::ShortGames, Rank::Doubtful)];
        assert_eq!(found("", "", &games), short);
    }
}
