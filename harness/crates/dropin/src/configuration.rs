//! Converts a command line to a configuration of `hone`.

use anyhow::{Context, ensure};

use super::Program;
use super::engine::Engine;
use super::settings::Settings;
use hone_builds::Spec;
use hone_run::config::{Config, Draft, Level};

/// Default of `-rounds` in a test by fastchess.
const SPRT_ROUNDS: u64 = 500_000;

impl Settings {
    /// The configuration. If the command line has no seed, it is `seed`, because both programs
    /// shuffle the openings differently in each run by default.
    ///
    /// # Errors
    /// An invalid value, with the words that set it.
    pub fn config(&self, seed: u64) -> anyhow::Result<Config> {
        let mut draft = self.draft()?;
        let seed = self.seed.unwrap_or(seed);
        // Numbers of the configuration are signed.
        let seed = i64::try_from(seed & (u64::MAX >> 1))?;
        draft.set(Level::Key, &["match", "seed"], seed, "-srand");
        Ok(draft.finish()?)
    }

    /// The equivalent configuration file.
    ///
    /// # Errors
    /// As [`Settings::config`].
    pub fn explanation(&self) -> anyhow::Result<String> {
        // Checked first, because its errors name the words of the command line.
        self.config(1)?;
        let command = if self.is_sprt { "sprt" } else { "match" };
        let mut text = format!("# hone {command} FILE\n");
        let mut draft = self.draft()?;
        match self.seed {
            Some(seed) => {
                let seed = i64::try_from(seed & (u64::MAX >> 1))?;
                draft.set(Level::Key, &["match", "seed"], seed, "-srand");
            }
            None => text.push_str(
                "# match.seed: without -srand a new one for each run; a configuration has 1\n",
            ),
        }
        text.push_str(&draft.text()?);
        Ok(text)
    }

    fn draft(&self) -> anyhow::Result<Draft> {
        let mut draft = Draft::read(None)?;
        for (index, engine) in self.engines.iter().enumerate() {
            take_engine(&mut draft, index, engine, self.program)?;
        }
        self.set_limits(&mut draft)?;
        let mut set = |path: &str, value: toml_edit::Value, source: &str| {
            let path: Vec<&str> = path.split('.').collect();
            draft.set(Level::Key, &path, value, source);
        };
        for (key, said) in &self.keys {
            set(key, said.value.clone(), &said.source);
        }
        if !self.keys.contains_key("match.openings.file") {
            set("match.openings.file", "none".into(), "no -openings");
        } else if !self.keys.contains_key("match.openings.order") {
            set("match.openings.order", "sequential".into(), "-openings");
        }
        if !self.keys.contains_key("match.concurrency") {
            set("match.concurrency", 1.into(), "no -concurrency");
        }
        // Both programs continue regardless of the number of failures.
        set("match.max_failures", 1.0.into(), self.program.name());
        let pairs = i64::try_from(self.pairs()?)?;
        let key = if self.is_sprt {
            "sprt.max_pairs"
        } else {
            "match.pairs"
        };
        set(key, pairs.into(), "-rounds, -games");
        Ok(draft)
    }

    /// Sets a limit that all engines share in `[match]`, other limits in the engines.
    fn set_limits(&self, draft: &mut Draft) -> anyhow::Result<()> {
        let limits: Vec<String> = self
            .engines
            .iter()
            .map(Engine::limit)
            .collect::<anyhow::Result<_>>()?;
        let Some(first) = limits.first() else {
            return Ok(());
        };
        draft.set(Level::Key, &["match", "limit"], first.as_str(), "tc=");
        for (index, limit) in limits.iter().enumerate() {
            if limit != first {
                draft.set_engine(Level::Key, index, &["limit"], limit.as_str(), "tc=");
            }
        }
        Ok(())
    }

    /// Pairs of each pairing.
    ///
    /// # Errors
    /// If the number would be 0.
    pub fn pairs(&self) -> anyhow::Result<u64> {
        let (rounds, games) = self.rounds_and_games();
        let total = rounds.checked_mul(games).context("too many games")?;
        ensure!(
            total > 0,
            "no games to play: `-rounds` and `-games` must be above 0"
        );
        Ok(total.div_ceil(2))
    }

    /// Whether fastchess would play one game of each opening; then it prints no counts of pairs.
    pub(super) fn has_single_games(&self) -> bool {
        let (_, games) = self.rounds_and_games();
        self.program == Program::Fastchess && games == 1
    }

    /// `-rounds` and `-games` as the program interprets them.
    fn rounds_and_games(&self) -> (u64, u64) {
        if self.program == Program::Cutechess {
            return (self.rounds.unwrap_or(1), self.games.unwrap_or(1));
        }
        match self.games.unwrap_or(2) {
            // fastchess exchanges `-games N` above 2 with `-rounds`, whose default is then 2
            // in a test too.
            games @ 3.. => (games, self.rounds.unwrap_or(2)),
            games => {
                let rounds = if self.is_sprt { SPRT_ROUNDS } else { 2 };
                (self.rounds.unwrap_or(rounds), games)
            }
        }
    }

    /// Games of the whole tournament.
    ///
    /// # Errors
    /// As [`Settings::pairs`].
    pub(crate) fn total_games(&self) -> anyhow::Result<u64> {
        let engines = self.engines.len() as u64;
        let seeds = match self.gauntlet_seeds() {
            Some(seeds) => engines.min(u64::try_from(seeds)?),
            None => engines,
        };
        let pairings: u64 = (0..seeds).map(|seed| engines - seed - 1).sum();
        Ok(self.pairs()?.saturating_mul(2).saturating_mul(pairings))
    }
}

fn take_engine(
    draft: &mut Draft,
    index: usize,
    engine: &Engine,
    program: Program,
) -> anyhow::Result<()> {
    let name = engine.display_name();
    let source = format!("-engine name={name}");
    draft.take_engine(index, &Spec::Program(engine.program(program)), &source);
    let mut set = |keys: &[&str], value: toml_edit::Value| {
        draft.set_engine(Level::Key, index, keys, value, &source);
    };
    set(&["name"], name.as_str().into());
    if !engine.args.is_empty() {
        let args: toml_edit::Array = engine.args.iter().collect();
        set(&["args"], args.into());
    }
    if let Some(dir) = &engine.dir {
        set(&["dir"], dir.as_str().into());
    }
    if engine.restart {
        set(&["restart"], true.into());
    }
    if engine.ponder {
        set(&["ponder"], true.into());
    }
    for (name, value) in &engine.options {
        set(&["options", name], option_value(value));
    }
    Ok(())
}

/// The value of an option; numbers and booleans without quotes if their text stays the same.
fn option_value(text: &str) -> toml_edit::Value {
    match (text.parse::<i64>(), text) {
        (Ok(number), _) if number.to_string() == text => number.into(),
        (_, "true") => true.into(),
        (_, "false") => false.into(),
        _ => text.into(),
    }
}
