//! Flags about output: files, log, intervals.

use super::{Settings, one_of};
use crate::{OutputFormat, words::Given};

impl Settings {
    pub(super) fn pgn_out(&mut self, flag: &Given) -> anyhow::Result<()> {
        // A repeated flag adds to the earlier one.
        let mut file = self.pgn.take().unwrap_or_default();
        let lines = self.keys.get("pgn.match_line");
        let lines = lines.and_then(|said| said.value.as_array());
        let mut lines = lines.cloned().unwrap_or_default();
        for (number, pair) in flag.pairs().enumerate() {
            // The form of cutechess-cli: first the name, without a key.
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
                "match_line" => {
                    let pattern = pair.value("-pgnout")?;
                    lines.push(pattern);
                    self.set(key, lines.clone(), source);
                }
                _ => self.set(key, pair.flag("-pgnout")?, source),
            }
        }
        self.pgn = Some(file);
        Ok(())
    }

    pub(super) fn epd_out(&mut self, flag: &Given) -> anyhow::Result<()> {
        let mut file = self.epd.take().unwrap_or_default();
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

    pub(super) fn log(&mut self, flag: &Given) -> anyhow::Result<()> {
        let mut log = self.log.take().unwrap_or_default();
        for pair in flag.pairs() {
            if !self.is_effective(flag, pair)? {
                continue;
            }
            match pair.key {
                "file" => log.path = Some(pair.value("-log")?.into()),
                "append" => log.append = pair.flag("-log")?,
                "engine" => log.dialogue = pair.flag("-log")?,
                _ => {
                    let levels = ["trace", "info", "warn", "err", "fatal"];
                    one_of(pair, "-log", &levels)?;
                    log.level = pair.value("-log")?.to_string();
                }
            }
        }
        self.log = Some(log);
        Ok(())
    }

    pub(super) fn reporting(&mut self, flag: &Given) -> anyhow::Result<()> {
        let name = flag.entry.name;
        for pair in flag.pairs() {
            if !self.is_effective(flag, pair)? {
                continue;
            }
            match pair.key {
                "penta" => self.penta = pair.flag(name)?,
                "format" => {
                    one_of(pair, name, &["fastchess", "cutechess"])?;
                    self.format = match pair.value {
                        Some("cutechess") => OutputFormat::FastchessAsCutechess,
                        _ => OutputFormat::Fastchess,
                    };
                }
                "pgn" => self.crc = pair.flag(name)?,
                "file" => self.config.file = Some(pair.value(name)?.into()),
                "outname" => self.config.outname = Some(pair.value(name)?.into()),
                "discard" => self.config.discard = pair.flag(name)?,
                _ => self.config.anew = !pair.flag(name)?,
            }
        }
        Ok(())
    }
}
