//! Checks before a run starts, besides its engines: book, endgame tables,
//! processors.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::prepared::PreparedEngines;
use crate::config::{Config, EngineConfig, Tournament};
use crate::engine::uci::split_command;
use crate::executor::{Player, placement};
use crate::openings::{Book, BookError, BookOptions, Opening};
use crate::output::Announce;
use crate::platform::{CAN_MEASURE_STARVATION, load, processors, usable_processors};
use crate::rules::tablebase::Tables;
use crate::run::error::SessionError;
use crate::run::files::manifest::{BookIdentity, EngineIdentity, Kind, Manifest, option_value};
use crate::run::play::driver::schedule;
use crate::run::play::repeats::RepeatRule;
use crate::settings::{BookSource, OnMachineFault};

/// The processors for the games, with a warning if other programs use them.
pub(crate) fn placement(
    config: &Config,
    engines: &[EngineIdentity],
    concurrency: usize,
    announce: Announce<'_>,
) -> anyhow::Result<Vec<Vec<usize>>> {
    let processors = processors();
    let usable = usable_processors().unwrap_or(usize::MAX);
    let each = processors_a_game(config, engines);
    let wanted = concurrency * each;
    let games = match each {
        1 => format!("{concurrency} games at a time"),
        _ => format!("{concurrency} games at a time with {each} threads each"),
    };
    if wanted > usable {
        announce(&format!(
            "warning: {games} need {wanted} processors, but {usable} can be used: expect time forfeits and noise"
        ));
    }
    if config.r#match.on_machine_fault == OnMachineFault::Replay {
        // If engines wait for each other's processors, that is not a fault of the machine.
        ensure!(
            wanted <= usable,
            "`on_machine_fault = \"replay\"`: {games} need {wanted} processors, but {usable} can be used\nhelp: lower `concurrency` or `Threads`"
        );
        if !CAN_MEASURE_STARVATION {
            announce(
                "warning: `on_machine_fault` has no effect on this system, which does not report how long an engine waited for a processor",
            );
        }
    }
    if config.is_timed()
        && !processors.is_empty()
        && let Some(load) = load()
        && load > 0.5
        && load + wanted as f64 > processors.len() as f64 + 0.5
    {
        announce(&format!(
            "warning: other programs use {load:.1} processors: timed games will be noisy"
        ));
    }
    if !config.r#match.affinity {
        return Ok(Vec::new());
    }
    ensure!(
        !processors.is_empty(),
        "`affinity` is not supported on this system, which does not list its processors\nhelp: leave it out"
    );
    placement::place(&processors, concurrency, each).with_context(|| {
        format!(
            "`affinity`: {games} need {wanted} processors of their own, but the machine has {}",
            processors.len()
        )
    })
}

/// Threads that search at the same time in one game.
pub(crate) fn processors_a_game(config: &Config, engines: &[EngineIdentity]) -> usize {
    let threads = |engine: &EngineConfig| -> usize {
        let threads = option_value(engine, engines, "Threads");
        threads.and_then(|text| text.parse().ok()).unwrap_or(1)
    };
    let of_one = config.engine.iter().map(threads).max().unwrap_or(1);
    // A pondering engine searches while its opponent does.
    if config.engine.iter().any(|engine| engine.ponder) {
        2 * of_one
    } else {
        of_one
    }
}

/// The book, with those openings checked that a run of `rounds` openings can use; all of them
/// if `rounds` is `None`.
pub(crate) fn open_book(
    config: &Config,
    rounds: Option<u64>,
    base: &Path,
) -> Result<Option<Book>, BookError> {
    let play = &config.r#match;
    let file = match &play.openings.file {
        None | Some(BookSource::StartPosition) => return Ok(None),
        Some(BookSource::BuiltIn) => return Book::built_in(play.variant).map(Some),
        Some(BookSource::File(file)) => file,
    };
    let options = BookOptions {
        format: None,
        plies: play.openings.plies,
        variant: play.variant,
    };
    let path = base.join(file);
    let Some(rounds) = rounds else {
        return Ok(Some(Book::open(&path, options)?));
    };
    let book = Book::open_part(&path, options, |count| {
        let schedule = schedule(play, count);
        (0..rounds.min(count as u64))
            .map(|round| schedule.index(round))
            .collect()
    })?;
    Ok(Some(book))
}

/// The opening of the first pair.
pub(crate) fn first_opening(config: &Config, book: Option<&Book>) -> Opening {
    book.map_or_else(Opening::default, |book| {
        book.opening(schedule(&config.r#match, book.len()).index(0))
    })
}

/// Warns of a run that plans more pairs of a pairing than its book has `distinct`
/// openings (`None`: no book), where repeated games do not count as evidence.
pub(crate) fn warn_of_repeats(
    planned: Option<u64>,
    distinct: Option<usize>,
    rule: RepeatRule,
    announce: Announce<'_>,
) {
    let all = distinct.unwrap_or(1) as u64;
    let Some(planned) = planned.filter(|planned| *planned > all && rule == RepeatRule::Drop) else {
        return;
    };
    let openings = match distinct {
        None => "every game begins at the start position".to_string(),
        Some(1) => "the book has 1 distinct opening".to_string(),
        Some(distinct) => format!("the book has {distinct} distinct openings"),
    };
    announce(&format!(
        "warning: up to {planned} pairs of two engines are planned, but {openings}: with a limit of \
         nodes or depth, later pairs repeat earlier games and do not count, and a run that only \
         repeats games ends early\n\
         help: use a larger book or a time control"
    ));
}

/// Warns of two engines that do not differ if games do not depend on speed. The sides of a
/// tuning differ in the tuned parameters.
pub(crate) fn warn_of_same_engines(
    kind: Kind,
    config: &Config,
    engines: &[EngineIdentity],
    announce: Announce<'_>,
) {
    if kind == Kind::Tune || config.is_timed() {
        return;
    }
    let all: Vec<_> = config.engine.iter().zip(engines).collect();
    // In a gauntlet only the first engines meet the others.
    let first = match config.r#match.tournament {
        Tournament::Gauntlet => config.r#match.seeds.min(all.len()),
        _ => all.len(),
    };
    let mut pairs = (0..first).flat_map(|at| all[at + 1..].iter().map(move |two| (at, two)));
    let same = pairs.find(|(at, (other, identity))| {
        let (one, known) = all[*at];
        // Commits that are not built yet have none.
        let is_same_program = known.sha256 == identity.sha256 && !known.sha256.is_empty();
        is_same_program && plays_like(one, other)
    });
    if let Some((at, (other, _))) = same {
        announce(&format!(
            "warning: `{}` and `{}` are the same program with the same options: with a limit of \
             nodes or depth a deterministic engine plays the same moves in both games of every pair\n\
             help: check that the change is saved, committed and built; if both are meant to be \
             the same program, stop the run, because its games show no difference",
            all[at].0.name, other.name
        ));
    }
}

/// Whether two engines with the same program play alike.
fn plays_like(one: &EngineConfig, other: &EngineConfig) -> bool {
    let arguments = |engine: &EngineConfig| {
        let words = split_command(&engine.cmd).unwrap_or_default();
        let words: Vec<String> = words.into_iter().skip(1).collect();
        [words, engine.args.clone()].concat()
    };
    arguments(one) == arguments(other)
        && one.options == other.options
        && one.limit == other.limit
        && one.ponder == other.ponder
        && one.dir == other.dir
        && one.env == other.env
}

/// Checks the endgame tables, if any are configured, and makes their paths absolute.
pub(crate) fn open_tables(config: &mut Config, base: &Path) -> Result<(), SessionError> {
    if let Some(rule) = &mut config.adjudication.syzygy {
        rule.path = absolute_paths(&rule.path, base)?;
        Tables::open(rule)?;
    }
    Ok(())
}

/// A list of folders as in `PATH`; relative ones start from `base`.
fn absolute_paths(list: &Path, base: &Path) -> anyhow::Result<PathBuf> {
    let folders = env::split_paths(list).map(|folder| base.join(folder));
    let joined = env::join_paths(folders).context("`syzygy` in [adjudication]")?;
    Ok(PathBuf::from(joined))
}

/// The identity of an open book.
pub(crate) fn book_identity(config: &Config, book: Option<&Book>) -> Option<BookIdentity> {
    let play = &config.r#match;
    let file = match play.openings.file.as_ref()? {
        BookSource::BuiltIn => Book::built_in_name(play.variant).into(),
        BookSource::StartPosition => return None,
        BookSource::File(file) => file.clone(),
    };
    book.map(|book| BookIdentity {
        file,
        sha256: book.sha256().to_string(),
        openings: book.len(),
        distinct: Some(book.distinct()),
    })
}

/// Prepares the engines of an existing run, and checks that their programs have not changed.
pub(crate) fn same_engines(
    manifest: &Manifest,
    opening: &Opening,
    announce: Announce<'_>,
) -> Result<Vec<Player>, SessionError> {
    let mut config = manifest.config.clone();
    remove_finished_builds(&mut config, &manifest.engines);
    let engines = PreparedEngines::prepare(&config, &manifest.base, Some(opening), announce)?;
    check_same_programs(&engines.identities, &manifest.engines)?;
    Ok(engines.players)
}

/// Removes the build lines of engines whose programs exist: another build could make another
/// program. Engines from commits keep them, because the cache of builds is keyed by them.
pub(crate) fn remove_finished_builds(config: &mut Config, engines: &[EngineIdentity]) {
    for (engine, identity) in config.engine.iter_mut().zip(engines) {
        if identity.commit.is_none() && identity.program.exists() {
            engine.build = None;
        }
    }
}

/// Checks that engines have the programs that a run was started with.
///
/// # Errors
/// The first engine with another program.
pub(crate) fn check_same_programs(
    now: &[EngineIdentity],
    then: &[EngineIdentity],
) -> anyhow::Result<()> {
    let mut both = now.iter().zip(then);
    both.try_for_each(|(now, then)| check_same_program(now, &then.sha256))
}

/// Checks that the program of an engine has the sha256 `then`.
///
/// # Errors
/// If it has another one.
pub(crate) fn check_same_program(now: &EngineIdentity, then: &str) -> anyhow::Result<()> {
    let short = |sha256: &str| sha256.chars().take(12).collect::<String>();
    ensure!(
        now.sha256 == then,
        "engine `{}` is not the one this run was started with: {} has changed (sha256 {} then, {} now). Start a new run for the new engine",
        now.name,
        now.program.display(),
        short(then),
        short(&now.sha256)
    );
    Ok(())
}

/// Opens the book of an existing run, and checks that it has not changed.
pub(crate) fn same_book(
    manifest: &Manifest,
    rounds: Option<u64>,
) -> Result<Option<Book>, SessionError> {
    let book = open_book(&manifest.config, rounds, &manifest.base)?;
    let (now, then) = (book.as_ref().map(Book::sha256), manifest.book.as_ref());
    let Some(then) = then.filter(|then| now != Some(then.sha256.as_str())) else {
        return Ok(book);
    };
    Err(SessionError::Input(other_book(
        &manifest.config,
        then,
        &manifest.hone,
    )))
}

/// Checks that the book of a follow-up run is the one that an earlier run had at the same
/// path. `hone` is the version that started them.
///
/// # Errors
/// If it has changed since.
pub(crate) fn check_same_book(
    config: &Config,
    now: Option<&BookIdentity>,
    before: &[BookIdentity],
    base: &Path,
    hone: &str,
) -> anyhow::Result<()> {
    let has_changed = |then: &&BookIdentity| {
        now.is_some_and(|now| {
            base.join(&now.file) == base.join(&then.file) && now.sha256 != then.sha256
        })
    };
    match before.iter().find(has_changed) {
        Some(then) => Err(other_book(config, then, hone)),
        None => Ok(()),
    }
}

/// The error about a book that is not the one of the run's start.
fn other_book(config: &Config, then: &BookIdentity, hone: &str) -> anyhow::Error {
    let file = then.file.display();
    match &config.r#match.openings.file {
        Some(BookSource::BuiltIn) => anyhow::anyhow!(
            "the run was started with another built-in book ({file}) than this hone has\nhelp: resume with the hone {hone} that started it"
        ),
        _ => anyhow::anyhow!("the book {file} is not the one this run was started with"),
    }
}
