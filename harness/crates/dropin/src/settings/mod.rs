//! A parsed command line of fastchess or cutechess-cli.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

mod games;
mod output;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use toml_edit::Value;

use super::engine::Engine;
use super::engines_json::KnownEngines;
use super::table::Support;
use super::words::{Given, KeyValue, split, split_arguments};
use super::{OutputFormat, Program};

/// The request of a command line.
#[derive(Debug)]
pub enum Request {
    Play(Box<Settings>),
    Version,
    Help,
    /// Check an engine, given as a command.
    Compliance(Vec<String>),
    /// List the engines of `engines.json`.
    Engines,
}

/// An output file in addition to the run's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutFile {
    /// `None`: a name from the time, as in fastchess.
    pub path: Option<PathBuf>,
    pub append: bool,
}

impl Default for OutFile {
    fn default() -> Self {
        Self {
            path: None,
            append: true,
        }
    }
}

/// `-log`: the log file of fastchess.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFile {
    pub path: Option<PathBuf>,
    pub append: bool,
    /// The level in the words of fastchess.
    pub level: String,
    /// Whether it has the dialogue with every engine.
    pub dialogue: bool,
}

impl Default for LogFile {
    fn default() -> Self {
        Self {
            path: None,
            append: true,
            level: "warn".to_string(),
            dialogue: false,
        }
    }
}

/// `-config`: how fastchess resumes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigFile {
    pub file: Option<PathBuf>,
    pub outname: Option<PathBuf>,
    pub discard: bool,
    pub anew: bool,
}

/// Interval of output in games; 0 is never.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Intervals {
    pub rating: u64,
    pub score: u64,
}

/// A value of the configuration, with the words that set it.
#[derive(Debug, Clone)]
pub(super) struct Said {
    pub value: Value,
    pub source: String,
}

/// A command line that starts games.
#[derive(Debug)]
pub struct Settings {
    pub program: Program,
    pub format: OutputFormat,
    pub intervals: Intervals,
    /// Whether pentanomial counts are printed.
    pub penta: bool,
    pub pgn: Option<OutFile>,
    pub epd: Option<OutFile>,
    pub log: Option<LogFile>,
    /// Whether the dialogue with every engine is printed.
    pub dialogue: bool,
    /// Whether the checksum of the games is printed.
    pub crc: bool,
    pub config: ConfigFile,
    /// Whether the match continues after a crash or a stall.
    pub recover: bool,
    /// Warnings about flags without effect, one line each.
    pub warnings: Vec<String>,
    pub(super) engines: Vec<Engine>,
    pub(super) is_sprt: bool,
    pub(super) rounds: Option<u64>,
    pub(super) games: Option<u64>,
    pub(super) seed: Option<u64>,
    /// Keys of the configuration, except engines and the number of pairs.
    pub(super) keys: BTreeMap<&'static str, Said>,
    /// Words of `-each`, applied last, as in both programs.
    each: Vec<Given>,
}

impl Request {
    /// Parses a command line without the program's name.
    ///
    /// # Errors
    /// An invalid or unsupported flag, by name.
    pub fn read(program: Program, arguments: &[String]) -> anyhow::Result<Self> {
        let places = KnownEngines::usual_places();
        let mut known = KnownEngines::in_first_of(&places);
        let first = arguments.split_first();
        match first.map(|(first, rest)| (first.as_str(), rest)) {
            None => return Ok(Self::Help),
            Some(("--compliance" | "-compliance", rest)) => {
                let Some((engine, arguments)) = rest.split_first() else {
                    bail!("`--compliance` needs an engine, as in `--compliance ./engine`");
                };
                // The arguments are one word, as `args=`.
                let arguments = arguments.iter().flat_map(|text| split_arguments(text));
                let words = std::iter::once(engine.clone()).chain(arguments);
                return Ok(Self::Compliance(words.collect()));
            }
            Some(("-engines" | "--engines", _)) => return Ok(Self::Engines),
            Some(_) => {}
        }
        let given = split(arguments)?;
        let asks = |names: &[&str]| given.iter().any(|flag| names.contains(&flag.entry.name));
        if asks(&["-version", "-v"]) {
            return Ok(Self::Version);
        }
        if asks(&["-help"]) {
            return Ok(Self::Help);
        }
        let mut settings = Settings::new(program);
        for flag in &given {
            settings
                .take(flag, &mut known)
                .with_context(|| format!("`{}`", flag.text()))?;
        }
        settings.finish(&mut known)?;
        Ok(Self::Play(Box::new(settings)))
    }
}

impl Settings {
    fn new(program: Program) -> Self {
        let is_fastchess = program == Program::Fastchess;
        Self {
            program,
            format: program.format(),
            intervals: Intervals {
                rating: if is_fastchess { 10 } else { 0 },
                score: 1,
            },
            penta: is_fastchess,
            pgn: None,
            epd: None,
            log: None,
            dialogue: false,
            crc: false,
            config: ConfigFile::default(),
            recover: false,
            warnings: Vec::new(),
            engines: Vec::new(),
            is_sprt: false,
            rounds: None,
            games: None,
            seed: None,
            keys: BTreeMap::new(),
            each: Vec::new(),
        }
    }

    /// Whether a sequential test is requested.
    pub fn is_sprt(&self) -> bool {
        self.is_sprt
    }

    fn warn(&mut self, text: String) {
        if !self.warnings.contains(&text) {
            self.warnings.push(text);
        }
    }

    fn set(&mut self, key: &'static str, value: impl Into<Value>, source: impl Into<String>) {
        let said = Said {
            value: value.into(),
            source: source.into(),
        };
        self.keys.insert(key, said);
    }

    fn take(&mut self, flag: &Given, known: &mut KnownEngines<'_>) -> anyhow::Result<()> {
        if flag.entry.support == Support::Ignored {
            let text = format!("`{}` has no effect: {}", flag.entry.name, flag.entry.note);
            self.warn(text);
            return Ok(());
        }
        match flag.entry.name {
            "-engine" => {
                let mut engine = Engine::default();
                self.engine_words(&mut engine, flag, known)?;
                self.engines.push(engine);
            }
            "-each" => self.each.push(flag.clone()),
            "-rounds" | "-games" | "-repeat" | "-seeds" | "-tournament" | "-sprt" => {
                self.tournament(flag)?;
            }
            "-openings" => self.openings(flag)?,
            "-draw" | "-resign" | "-maxmoves" | "-tb" | "-tbpieces" | "-tbignore50"
            | "-tbadjudicate" => self.adjudication(flag)?,
            "-pgnout" => self.pgn_out(flag)?,
            "-epdout" => self.epd_out(flag)?,
            "-ratinginterval" => self.intervals.rating = flag.number()?,
            "-scoreinterval" => self.intervals.score = flag.number()?,
            "-log" => self.log(flag)?,
            "-debug" => self.dialogue = true,
            "-report" | "-output" | "-config" | "-crc32" => self.reporting(flag)?,
            "-quick" => self.quick(flag)?,
            _ => self.conditions(flag)?,
        }
        Ok(())
    }

    fn engine_words(
        &mut self,
        engine: &mut Engine,
        flag: &Given,
        known: &mut KnownEngines<'_>,
    ) -> anyhow::Result<()> {
        for pair in flag.pairs() {
            if self.is_effective(flag, pair)? {
                engine.take(flag.entry.name, pair, &mut |name| known.get(name))?;
            }
        }
        Ok(())
    }

    /// Whether a key has an effect; if it is only accepted, adds a warning.
    fn is_effective(&mut self, flag: &Given, pair: KeyValue<'_>) -> anyhow::Result<bool> {
        let name = flag.entry.name;
        let entry = pair.entry(name)?;
        if entry.support == Support::Ignored {
            self.warn(format!(
                "`{name} {}` has no effect: {}",
                entry.name, entry.note
            ));
        }
        Ok(entry.support == Support::Yes)
    }

    /// Applies `-each` and checks the whole command line.
    fn finish(&mut self, known: &mut KnownEngines<'_>) -> anyhow::Result<()> {
        let each = std::mem::take(&mut self.each);
        let mut engines = std::mem::take(&mut self.engines);
        for flag in &each {
            for engine in &mut engines {
                self.engine_words(engine, flag, known)
                    .with_context(|| format!("`{}`", flag.text()))?;
            }
        }
        self.engines = engines;
        if self.config.file.is_some() && !self.config.discard {
            return Ok(());
        }
        ensure!(
            self.engines.len() >= 2,
            "{} engines are given: at least two are needed, each after `-engine`",
            self.engines.len()
        );
        self.check_seeds()?;
        self.check_variant()?;
        self.name_engines()?;
        for engine in &self.engines {
            engine.limit()?;
        }
        self.check_margins();
        if self.format != OutputFormat::Fastchess || self.has_single_games() {
            self.penta = false;
        }
        self.limit_tables();
        Ok(())
    }

    fn name_engines(&mut self) -> anyhow::Result<()> {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for (number, engine) in (1..).zip(&mut self.engines) {
            ensure!(
                !engine.cmd.is_empty(),
                "engine {number} has no program: write `-engine cmd=FILE`"
            );
            let name = engine.display_name();
            let count = seen.entry(name.clone()).or_default();
            *count = count.saturating_add(1);
            engine.name = Some(match *count {
                1 => name,
                count => format!("{name}_{count}"),
            });
        }
        Ok(())
    }

    /// Checks the margins: `hone` has one for all engines.
    fn check_margins(&mut self) {
        let margins: Vec<u64> = self
            .engines
            .iter()
            .map(|engine| engine.margin_ms.unwrap_or(0))
            .collect();
        let largest = margins.iter().copied().max().unwrap_or(0);
        if margins.iter().any(|margin| *margin != largest) {
            self.warn(format!(
                "`timemargin` is the same for all engines: {largest} ms"
            ));
        }
        if largest > 0 {
            let margin = i64::try_from(largest).unwrap_or(i64::MAX);
            self.set("match.margin_ms", margin, format!("timemargin={largest}"));
        }
    }
}

fn one_of(pair: KeyValue<'_>, flag: &str, allowed: &[&str]) -> anyhow::Result<()> {
    let value = pair.value(flag)?;
    ensure!(
        allowed.contains(&value),
        "`{}`: {} is allowed",
        pair.text(),
        allowed.join(" or ")
    );
    Ok(())
}

#[cfg(test)]
impl Settings {
    /// Parses a command line, for tests.
    pub(super) fn of(program: Program, line: &str) -> anyhow::Result<Self> {
        let words = shlex::split(line).expect("quotes match");
        match Request::read(program, &words)? {
            Request::Play(settings) => Ok(*settings),
            other => anyhow::bail!("not a match: {other:?}"),
        }
    }
}
