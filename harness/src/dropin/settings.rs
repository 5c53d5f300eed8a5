//! A command line of fastchess or cutechess-cli, read.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use toml_edit::Value;

use super::engine::Engine;
use super::engines_json::KnownEngines;
use super::table::Support;
use super::words::{Given, Pair, split};
use super::{OutputFormat, Program};

/// What a command line asks for.
#[derive(Debug)]
pub(crate) enum Request {
    Play(Box<Settings>),
    Version,
    Help,
    /// Check the engine of these words.
    Compliance(Vec<String>),
    /// List the engines of `engines.json`.
    Engines,
}

/// A file that is written beside the run's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutFile {
    /// `None`: fastchess makes up a name from the time.
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

/// `-config`: how fastchess resumes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ConfigFile {
    pub file: Option<PathBuf>,
    pub outname: Option<PathBuf>,
    pub discard: bool,
    pub anew: bool,
}

/// How often something is printed; 0 is never.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Intervals {
    pub rating: u64,
    pub score: u64,
    pub outcome: u64,
}

/// A value of the configuration and how it was said.
#[derive(Debug, Clone)]
pub(super) struct Said {
    pub value: Value,
    pub source: String,
}

/// A command line that asks for games.
#[derive(Debug)]
pub(crate) struct Settings {
    pub program: Program,
    pub format: OutputFormat,
    pub intervals: Intervals,
    /// Whether pentanomial counts are printed.
    pub penta: bool,
    pub pgn: Option<OutFile>,
    pub epd: Option<OutFile>,
    pub log: Option<OutFile>,
    pub config: ConfigFile,
    /// One line each, about what has no effect.
    pub warnings: Vec<String>,
    pub(super) engines: Vec<Engine>,
    pub(super) is_sprt: bool,
    pub(super) rounds: Option<u64>,
    pub(super) games: Option<u64>,
    pub(super) seed: Option<u64>,
    /// Keys of the configuration, except engines and the number of pairs.
    pub(super) keys: BTreeMap<&'static str, Said>,
    /// Words of `-each` that come last, as for both programs.
    each: Vec<Given>,
}

impl Request {
    /// Reads a command line without the program's name.
    ///
    /// # Errors
    /// What cannot be read or is not supported, by name.
    pub(crate) fn read(program: Program, arguments: &[String]) -> anyhow::Result<Self> {
        let places = KnownEngines::usual_places();
        let mut known = KnownEngines::in_first_of(&places);
        match arguments.first().map(String::as_str) {
            None => return Ok(Self::Help),
            Some("--compliance" | "-compliance") => {
                return Ok(Self::Compliance(arguments[1..].to_vec()));
            }
            Some("-engines" | "--engines") => return Ok(Self::Engines),
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
                outcome: 0,
            },
            penta: is_fastchess,
            pgn: None,
            epd: None,
            log: None,
            config: ConfigFile::default(),
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

    /// Whether a sequential test was asked for.
    pub(crate) fn is_sprt(&self) -> bool {
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
            "-outcomeinterval" => self.intervals.outcome = flag.number()?,
            "-report" | "-output" | "-config" | "-log" => self.reporting(flag)?,
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

    /// Whether a key has an effect; if it is only accepted, a warning is kept.
    fn is_effective(&mut self, flag: &Given, pair: Pair<'_>) -> anyhow::Result<bool> {
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

    fn tournament(&mut self, flag: &Given) -> anyhow::Result<()> {
        match flag.entry.name {
            "-rounds" => self.rounds = Some(flag.number()?),
            "-games" => self.games = Some(flag.number()?),
            "-repeat" => match (self.program, &flag.values[..]) {
                (Program::Fastchess, []) => self.games = Some(2),
                (Program::Fastchess, _) => self.games = Some(flag.number()?),
                (Program::Cutechess, []) => {}
                (Program::Cutechess, _) => {
                    flag.number::<u64>()?;
                }
            },
            "-seeds" => {
                let seeds: u64 = flag.number()?;
                ensure!(
                    seeds <= 1,
                    "only one engine can play all others of a gauntlet"
                );
            }
            "-tournament" => {
                let kind = match flag.single()? {
                    "roundrobin" | "round-robin" => "round-robin",
                    "gauntlet" => "gauntlet",
                    other @ ("knockout" | "pyramid") => bail!(
                        "`{other}` is not supported: it uses its games to rank the best engines, and a test of a change needs all games"
                    ),
                    other => {
                        bail!("`{other}` is not a tournament: roundrobin or gauntlet is allowed")
                    }
                };
                self.set("match.tournament", kind, flag.text());
            }
            _ => self.sprt(flag)?,
        }
        Ok(())
    }

    fn sprt(&mut self, flag: &Given) -> anyhow::Result<()> {
        self.is_sprt = true;
        // cutechess-cli judges single games by BayesElo at bounds in logistic
        // Elo; fastchess's defaults of the bounds are 0.
        let model = match self.program {
            Program::Fastchess => "normalized",
            Program::Cutechess => "logistic",
        };
        self.set("sprt.model", model, "-sprt");
        self.set("sprt.elo0", 0.0, "-sprt");
        for pair in flag.pairs() {
            let source = format!("-sprt {}", pair.text());
            let name = pair.entry("-sprt")?.key;
            match pair.key {
                "model" => {
                    let model = pair.value("-sprt")?;
                    ensure!(
                        ["normalized", "logistic", "bayesian"].contains(&model),
                        "`{model}` is not a model: normalized, logistic or bayesian is allowed"
                    );
                    self.set(name, model, source);
                }
                _ => {
                    let number: f64 = pair.number("-sprt")?;
                    self.set(name, number, source);
                }
            }
        }
        Ok(())
    }

    fn openings(&mut self, flag: &Given) -> anyhow::Result<()> {
        for pair in flag.pairs() {
            let key = pair.entry("-openings")?.key;
            let source = format!("-openings {}", pair.text());
            match pair.key {
                "file" => self.set(key, book_name(pair.value("-openings")?), source),
                "format" => one_of(pair, "-openings", &["epd", "pgn"])?,
                "order" => {
                    one_of(pair, "-openings", &["random", "sequential"])?;
                    self.set(key, pair.value("-openings")?, source);
                }
                "policy" => one_of(pair, "-openings", &["default", "encounter", "round"])?,
                _ => {
                    let number: i64 = pair.number("-openings")?;
                    ensure!(number > 0, "`{}`: a number above 0 is needed", pair.text());
                    self.set(key, number, source);
                }
            }
        }
        Ok(())
    }

    fn adjudication(&mut self, flag: &Given) -> anyhow::Result<()> {
        let name = flag.entry.name;
        match name {
            "-draw" => {
                self.set("adjudication.draw.move", 0, "-draw");
                self.set("adjudication.draw.count", 1, "-draw");
                self.set("adjudication.draw.score", 0, "-draw");
            }
            "-resign" => {
                self.set("adjudication.resign.count", 1, "-resign");
                self.set("adjudication.resign.score", 0, "-resign");
            }
            "-maxmoves" => {
                let moves: u32 = flag.number()?;
                match moves {
                    0 => drop(self.keys.remove(flag.entry.key)),
                    _ => self.set(flag.entry.key, i64::from(moves), flag.text()),
                }
                return Ok(());
            }
            "-tb" => {
                let path = paths(flag.single()?);
                self.set(flag.entry.key, path, flag.text());
                return Ok(());
            }
            "-tbpieces" => {
                let pieces: u32 = flag.number()?;
                self.set(flag.entry.key, i64::from(pieces), flag.text());
                return Ok(());
            }
            "-tbignore50" => {
                self.set(flag.entry.key, true, name);
                return Ok(());
            }
            _ => {
                let results = match flag.single()? {
                    "BOTH" => "all",
                    "WIN_LOSS" => "wins",
                    "DRAW" => "draws",
                    other => bail!("`{other}`: BOTH, WIN_LOSS or DRAW is allowed"),
                };
                self.set(flag.entry.key, results, flag.text());
                return Ok(());
            }
        }
        for pair in flag.pairs() {
            let key = pair.entry(name)?.key;
            let source = format!("{name} {}", pair.text());
            if pair.key == "twosided" {
                self.set(key, pair.flag(name)?, source);
            } else {
                let number: u32 = pair.number(name)?;
                self.set(key, i64::from(number), source);
            }
        }
        Ok(())
    }

    fn pgn_out(&mut self, flag: &Given) -> anyhow::Result<()> {
        let mut file = OutFile::default();
        for (number, pair) in flag.pairs().enumerate() {
            // cutechess-cli's form: the name first, without a key.
            if number == 0 && pair.value.is_none() && pair.key != "min" && pair.key != "fi" {
                file.path = Some(pair.key.into());
                continue;
            }
            if !self.is_effective(flag, pair)? {
                continue;
            }
            let key = pair.entry("-pgnout")?.key;
            let source = format!("-pgnout {}", pair.text());
            match pair.key {
                "file" => file.path = Some(pair.value("-pgnout")?.into()),
                "append" => file.append = pair.flag("-pgnout")?,
                "fi" => {}
                "notation" => {
                    one_of(pair, "-pgnout", &["san", "lan", "uci"])?;
                    self.set(key, pair.value("-pgnout")?, source);
                }
                _ => self.set(key, pair.flag("-pgnout")?, source),
            }
        }
        self.pgn = Some(file);
        Ok(())
    }

    fn epd_out(&mut self, flag: &Given) -> anyhow::Result<()> {
        let mut file = OutFile::default();
        for (number, pair) in flag.pairs().enumerate() {
            match (number, pair.key, pair.value) {
                (0, name, None) => file.path = Some(name.into()),
                _ => match pair.entry("-epdout")?.name {
                    "file" => file.path = Some(pair.value("-epdout")?.into()),
                    _ => file.append = pair.flag("-epdout")?,
                },
            }
        }
        self.epd = Some(file);
        self.set("pgn.epd", true, flag.text());
        Ok(())
    }

    fn reporting(&mut self, flag: &Given) -> anyhow::Result<()> {
        let name = flag.entry.name;
        for pair in flag.pairs() {
            if !self.is_effective(flag, pair)? {
                continue;
            }
            let is_log = name == "-log";
            match pair.key {
                "penta" => self.penta = pair.flag(name)?,
                "format" => {
                    one_of(pair, name, &["fastchess", "cutechess"])?;
                    self.format = match pair.value {
                        Some("cutechess") => OutputFormat::FastchessAsCutechess,
                        _ => OutputFormat::Fastchess,
                    };
                }
                "file" if is_log => {
                    let log = self.log.get_or_insert_default();
                    log.path = Some(pair.value(name)?.into());
                }
                "append" => self.log.get_or_insert_default().append = pair.flag(name)?,
                "file" => self.config.file = Some(pair.value(name)?.into()),
                "outname" => self.config.outname = Some(pair.value(name)?.into()),
                "discard" => self.config.discard = pair.flag(name)?,
                _ => self.config.anew = !pair.flag(name)?,
            }
        }
        Ok(())
    }

    /// Flags with one value that is one key of the configuration.
    fn conditions(&mut self, flag: &Given) -> anyhow::Result<()> {
        let key = flag.entry.key;
        let text = flag.text();
        match flag.entry.name {
            "-concurrency" => {
                let number: i64 = flag.number()?;
                self.set(key, concurrency(number)?, text);
            }
            "-srand" => self.seed = Some(flag.number()?),
            "-variant" => {
                let variant = match flag.single()? {
                    "standard" => "standard",
                    "fischerandom" => "chess960",
                    other => bail!(
                        "`{other}` is not supported: standard and fischerandom are the variants of hone"
                    ),
                };
                self.set(key, variant, text);
            }
            "-recover" => {}
            "-strict" => self.set(key, "stop", text),
            "-startup-ms" | "-ping-ms" => {
                let number: u32 = flag.number()?;
                self.set(key, i64::from(number), text);
            }
            "-use-affinity" => {
                if let [list] = &flag.values[..] {
                    self.warn(format!(
                        "the list `{list}` of `-use-affinity` has no effect: hone chooses whole cores"
                    ));
                }
                self.set(key, true, text);
            }
            "-event" | "-site" => self.set(key, flag.values.join(" "), text),
            other => bail!("`{other}` cannot be read"),
        }
        Ok(())
    }

    fn quick(&mut self, flag: &Given) -> anyhow::Result<()> {
        let first = self.engines.len();
        for pair in flag.pairs() {
            let value = pair.value("-quick")?;
            match pair.entry("-quick")?.name {
                "cmd" => self.engines.push(Engine {
                    cmd: value.to_string(),
                    clock: Some(Some("10+0.1".to_string())),
                    ..Engine::default()
                }),
                _ => self.set("match.openings.file", book_name(value), flag.text()),
            }
        }
        ensure!(
            self.engines.len() == first + 2 && self.keys.contains_key("match.openings.file"),
            "two engines and a book are needed: -quick cmd=ENGINE1 cmd=ENGINE2 book=BOOK"
        );
        self.set("match.openings.order", "random", "-quick");
        // All processors but two, and at least one.
        let processors = concurrency(-2).unwrap_or(1);
        self.set("match.concurrency", processors, "-quick");
        self.set("adjudication.draw.move", 30, "-quick");
        self.set("adjudication.draw.count", 8, "-quick");
        self.set("adjudication.draw.score", 8, "-quick");
        self.games = Some(2);
        self.rounds = Some(25_000);
        self.format = OutputFormat::FastchessAsCutechess;
        Ok(())
    }

    /// What applies to everything that was read.
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
            "{} engines are given: two are needed, each after `-engine`",
            self.engines.len()
        );
        self.name_engines()?;
        for engine in &self.engines {
            engine.limit()?;
        }
        self.check_margins();
        if self.format != OutputFormat::Fastchess {
            self.penta = false;
        }
        if self.keys.contains_key("adjudication.syzygy.path") {
            return Ok(());
        }
        for key in ["pieces", "ignore_fifty", "results"] {
            self.keys
                .retain(|name, _| *name != format!("adjudication.syzygy.{key}"));
        }
        Ok(())
    }

    fn name_engines(&mut self) -> anyhow::Result<()> {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for (number, engine) in self.engines.iter_mut().enumerate() {
            ensure!(
                !engine.cmd.is_empty(),
                "engine {} has no program: write `-engine cmd=FILE`",
                number + 1
            );
            let name = engine.display_name();
            let count = seen.entry(name.clone()).or_default();
            *count += 1;
            engine.name = Some(match *count {
                1 => name,
                count => format!("{name}_{count}"),
            });
        }
        Ok(())
    }

    /// hone has one margin.
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

/// A book of one of the names that `hone` reserves is written with its folder.
fn book_name(file: &str) -> String {
    match file {
        "default" | "none" => format!("./{file}"),
        file => file.to_string(),
    }
}

/// Both programs also separate folders by semicolons on every system.
fn paths(text: &str) -> String {
    match cfg!(windows) {
        true => text.to_string(),
        false => text.replace(';', ":"),
    }
}

/// At most zero: minus the number of processors that are left free.
fn concurrency(number: i64) -> anyhow::Result<i64> {
    if number > 0 {
        return Ok(number);
    }
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let number = i64::try_from(processors)?.saturating_add(number);
    ensure!(
        number > 0,
        "no processor is left of the {processors} that there are"
    );
    Ok(number)
}

fn one_of(pair: Pair<'_>, flag: &str, allowed: &[&str]) -> anyhow::Result<()> {
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
    /// Reads a command line of a test.
    pub(super) fn of(program: Program, line: &str) -> anyhow::Result<Self> {
        let words = shlex::split(line).expect("quotes match");
        match Request::read(program, &words)? {
            Request::Play(settings) => Ok(*settings),
            other => bail!("not a match: {other:?}"),
        }
    }
}
