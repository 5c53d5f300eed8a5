//! Flags about the games: tournament, openings, limits, adjudication, test.

use std::path::Path;

use anyhow::{bail, ensure};

use super::{Program, Settings, one_of};
use crate::{OutputFormat, engine::Engine, words::Given};
use hone_base::diagnostic::Diagnostic;
use hone_uci::rules::tablebase::most_pieces;

/// Keys of the rule with tables.
const TABLES: &str = "adjudication.syzygy.";
const TABLES_PATH: &str = "adjudication.syzygy.path";
const TABLES_PIECES: &str = "adjudication.syzygy.pieces";

impl Settings {
    pub(super) fn tournament(&mut self, flag: &Given) -> anyhow::Result<()> {
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
                let seeds: i64 = flag.number()?;
                // Both programs interpret 0 as 1.
                self.set(flag.entry.key, seeds.max(1), flag.text());
            }
            "-tournament" => {
                let kind = match flag.single()? {
                    // A pyramid has the pairings of a round robin in another order.
                    "roundrobin" | "round-robin" | "pyramid" => "round-robin",
                    "gauntlet" => "gauntlet",
                    other => bail!(
                        "`{other}` is not supported: roundrobin, pyramid or gauntlet is allowed"
                    ),
                };
                self.set("match.tournament", kind, flag.text());
            }
            _ => self.sprt(flag)?,
        }
        Ok(())
    }

    /// Seeds of the tournament if it is a gauntlet.
    pub(crate) fn gauntlet_seeds(&self) -> Option<i64> {
        let kind = self.keys.get("match.tournament")?;
        let seeds = self.keys.get("match.seeds");
        let seeds = seeds.and_then(|said| said.value.as_integer());
        (kind.value.as_str() == Some("gauntlet")).then(|| seeds.unwrap_or(1))
    }

    /// Refuses several seeds in a gauntlet of cutechess-cli: seeds play each other in hone and
    /// fastchess, but not in cutechess-cli, where there are always fewer seeds than engines.
    pub(super) fn check_seeds(&self) -> anyhow::Result<()> {
        let seeds = self.gauntlet_seeds().unwrap_or(1);
        ensure!(
            self.program != Program::Cutechess || seeds == 1 || self.engines.len() == 2,
            "`-seeds {seeds}` is not supported in a gauntlet: the seeds of cutechess-cli do not \
             play each other, those of hone do; play a gauntlet for each seed"
        );
        Ok(())
    }

    /// Refuses Chess960 without a book, as fastchess does; cutechess-cli draws a start position
    /// for each pair.
    pub(super) fn check_variant(&self) -> anyhow::Result<()> {
        let variant = self.keys.get("match.variant");
        let is_chess960 = variant.is_some_and(|said| said.value.as_str() == Some("chess960"));
        ensure!(
            !is_chess960 || self.keys.contains_key("match.openings.file"),
            Diagnostic::new("`-variant fischerandom` needs a book, because hone draws no start positions: add `-openings file=chess960.epd order=random`")
                .help("`chess960.epd` is in the folder `books/` of hone (`hone help install`); to make one: `hone book make --chess960 --plies 4 --engine ENGINE --out chess960.epd`")
        );
        Ok(())
    }

    fn sprt(&mut self, flag: &Given) -> anyhow::Result<()> {
        self.is_sprt = true;
        self.require(flag, &["elo0", "elo1", "alpha", "beta"])?;
        // cutechess-cli evaluates single games by BayesElo with bounds in logistic Elo; the
        // default bounds of fastchess are 0.
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

    pub(super) fn openings(&mut self, flag: &Given) -> anyhow::Result<()> {
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

    pub(super) fn adjudication(&mut self, flag: &Given) -> anyhow::Result<()> {
        let (key, text) = (flag.entry.key, flag.text());
        match flag.entry.name {
            "-draw" | "-resign" => self.agreement(flag)?,
            "-maxmoves" => {
                let moves: u32 = flag.number()?;
                match moves {
                    0 => drop(self.keys.remove(key)),
                    _ => self.set(key, i64::from(moves), text),
                }
            }
            "-tb" => self.set(key, paths(flag.single()?), text),
            "-tbpieces" => {
                let pieces: u32 = flag.number()?;
                match pieces {
                    0 => drop(self.keys.remove(key)),
                    _ => self.set(key, i64::from(pieces), text),
                }
            }
            "-tbignore50" => self.set(key, true, text),
            _ => {
                let results = match flag.single()? {
                    "BOTH" => "all",
                    "WIN_LOSS" => "wins",
                    "DRAW" => "draws",
                    other => bail!("`{other}`: BOTH, WIN_LOSS or DRAW is allowed"),
                };
                self.set(key, results, text);
            }
        }
        Ok(())
    }

    /// Lowers `-tbpieces`, an upper limit in both programs, to the largest tables. Without
    /// `-tb` nothing about tables has an effect. Tables that cannot be read are an error when
    /// the run starts.
    pub(super) fn limit_tables(&mut self) {
        let Some(path) = self.keys.get(TABLES_PATH) else {
            self.keys.retain(|key, _| !key.starts_with(TABLES));
            return;
        };
        let path = path.value.as_str().unwrap_or_default().to_string();
        let pieces = self.keys.get_mut(TABLES_PIECES);
        let asked = pieces.as_ref().and_then(|said| said.value.as_integer());
        let (Some(said), Some(asked)) = (pieces, asked) else {
            return;
        };
        let largest = most_pieces(Path::new(&path)).map(i64::try_from);
        if let Ok(Ok(largest)) = largest
            && asked > largest
        {
            said.value = largest.into();
            self.warn(format!(
                "`-tbpieces {asked}`: the tables in {path} have at most {largest} pieces"
            ));
        }
    }

    /// Adjudication by the engines' scores.
    fn agreement(&mut self, flag: &Given) -> anyhow::Result<()> {
        let name = flag.entry.name;
        // In cutechess-cli, 0 for this key switches the rule off.
        let switch = if name == "-draw" {
            self.require(flag, &["movenumber", "movecount", "score"])?;
            self.set("adjudication.draw.move", 0, name);
            self.set("adjudication.draw.count", 1, name);
            self.set("adjudication.draw.score", 0, name);
            "movenumber"
        } else {
            self.require(flag, &["movecount", "score"])?;
            self.set("adjudication.resign.count", 1, name);
            self.set("adjudication.resign.score", 0, name);
            self.set("adjudication.resign.twosided", false, name);
            "movecount"
        };
        let mut is_off = false;
        for pair in flag.pairs() {
            let key = pair.entry(name)?.key;
            let source = format!("{name} {}", pair.text());
            if pair.key == "twosided" {
                self.set(key, pair.flag(name)?, source);
            } else {
                let number: u32 = pair.number(name)?;
                self.set(key, i64::from(number), source);
                if pair.key == switch {
                    is_off = number == 0 && self.program == Program::Cutechess;
                }
            }
        }
        if is_off {
            self.keys.retain(|key, _| !key.starts_with(flag.entry.key));
        }
        Ok(())
    }

    /// Only fastchess has defaults for these keys.
    fn require(&self, flag: &Given, keys: &[&str]) -> anyhow::Result<()> {
        let is_missing = |key: &&&str| flag.pairs().all(|pair| pair.key != **key);
        match keys.iter().find(is_missing) {
            Some(key) if self.program == Program::Cutechess => {
                bail!("`{key}=` is missing: cutechess-cli has no default for it")
            }
            _ => Ok(()),
        }
    }

    /// Flags whose value is one key of the configuration.
    pub(super) fn conditions(&mut self, flag: &Given) -> anyhow::Result<()> {
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
            "-recover" => self.recover = true,
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

    pub(super) fn quick(&mut self, flag: &Given) -> anyhow::Result<()> {
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
            self.engines.len().checked_sub(first) == Some(2)
                && self.keys.contains_key("match.openings.file"),
            "two engines and a book are needed: -quick cmd=ENGINE1 cmd=ENGINE2 book=BOOK"
        );
        self.set("match.openings.order", "random", "-quick");
        // All processors except two, but at least one.
        let processors = concurrency(-2).unwrap_or(1);
        self.set("match.concurrency", processors, "-quick");
        self.set("adjudication.draw.move", 30, "-quick");
        self.set("adjudication.draw.count", 8, "-quick");
        self.set("adjudication.draw.score", 8, "-quick");
        self.games = Some(2);
        self.rounds = Some(25_000);
        self.recover = true;
        self.format = OutputFormat::FastchessAsCutechess;
        Ok(())
    }
}

/// The file of a book, with its folder if `hone` reserves its name.
fn book_name(file: &str) -> String {
    match file {
        "default" | "none" => format!("./{file}"),
        file => file.to_string(),
    }
}

/// Both programs also separate folders by semicolons on every system.
fn paths(text: &str) -> String {
    if cfg!(windows) {
        text.to_string()
    } else {
        text.replace(';', ":")
    }
}

/// The concurrency for a number of at most 0, which is minus the number of free processors.
fn concurrency(asked: i64) -> anyhow::Result<i64> {
    if asked > 0 {
        return Ok(asked);
    }
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let number = i64::try_from(processors)?.saturating_add(asked);
    ensure!(
        number > 0,
        "`-concurrency {asked}` leaves no processor: this machine has {processors}"
    );
    Ok(number)
}
