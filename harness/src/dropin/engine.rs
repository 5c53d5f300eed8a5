//! `-engine` and `-each`: one engine.

#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::string_slice,
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation
    )
)]

use std::path::Path;

use anyhow::{bail, ensure};

use super::clock::{clock, milliseconds};
use super::program::Program;
use super::words::{Pair, split_arguments};
use crate::run::find_program;

/// What was said of an engine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Engine {
    pub name: Option<String>,
    pub cmd: String,
    pub args: Vec<String>,
    pub dir: Option<String>,
    /// A clock was given; `None` inside if it is infinite.
    pub clock: Option<Option<String>>,
    pub movetime: Option<u64>,
    pub nodes: Option<u64>,
    pub depth: Option<u32>,
    pub margin_ms: Option<u64>,
    pub restart: bool,
    pub ponder: bool,
    pub options: Vec<(String, String)>,
}

impl Engine {
    /// Takes one word of `flag`. The key is known and supported; `known` finds
    /// the engine of `conf=NAME`.
    ///
    /// # Errors
    /// If the value is not allowed.
    pub(super) fn take(
        &mut self,
        flag: &str,
        pair: Pair<'_>,
        known: &mut dyn FnMut(&str) -> anyhow::Result<Self>,
    ) -> anyhow::Result<()> {
        if let Some(name) = pair.key.strip_prefix("option.") {
            self.set_option(name, pair.value(flag)?);
            return Ok(());
        }
        match pair.key {
            "cmd" => self.cmd = pair.value(flag)?.to_string(),
            "name" => self.name = Some(pair.value(flag)?.to_string()),
            "arg" => self.args.push(pair.value(flag)?.to_string()),
            "args" => self.args = split_arguments(pair.value(flag)?),
            "dir" => self.dir = Some(pair.value(flag)?.to_string()),
            "conf" => *self = known(pair.value(flag)?)?,
            "proto" => match pair.value(flag)? {
                "uci" => {}
                other => bail!("`{flag} proto={other}` is not supported: only uci is"),
            },
            "tc" => self.clock = Some(clock(pair.value(flag)?)?),
            "st" => self.movetime = Some(milliseconds(pair.value(flag)?)?),
            "nodes" => self.nodes = positive(pair.number(flag)?),
            "depth" | "plies" => self.depth = positive(pair.number(flag)?),
            "timemargin" => self.margin_ms = Some(pair.number(flag)?),
            "restart" => match pair.value(flag)? {
                "on" => self.restart = true,
                "off" | "auto" => self.restart = false,
                other => bail!("`{flag} restart={other}`: on, off or auto is allowed"),
            },
            "ponder" => self.ponder = pair.flag(flag)?,
            other => bail!("`{flag} {other}` cannot be read"),
        }
        Ok(())
    }

    /// The last value of an option counts.
    pub(super) fn set_option(&mut self, name: &str, value: &str) {
        let known = self
            .options
            .iter_mut()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        match known {
            Some((_, known)) => *known = value.to_string(),
            None => self.options.push((name.to_string(), value.to_string())),
        }
    }

    /// Its limit as `hone` writes it.
    ///
    /// # Errors
    /// If it has none, or a clock and a fixed time.
    pub(super) fn limit(&self) -> anyhow::Result<String> {
        let mut parts: Vec<String> = self.clock.clone().flatten().into_iter().collect();
        ensure!(
            parts.is_empty() || self.movetime.is_none(),
            "engine `{}` has both `tc` and `st`: give one",
            self.display_name()
        );
        parts.extend(self.movetime.map(|ms| format!("movetime={ms}")));
        parts.extend(self.nodes.map(|nodes| format!("nodes={nodes}")));
        parts.extend(self.depth.map(|depth| format!("depth={depth}")));
        ensure!(
            !parts.is_empty(),
            "engine `{}` has no limit\nhelp: give tc=, st=, nodes= or depth= after `-engine` or `-each`",
            self.display_name()
        );
        Ok(parts.join(" "))
    }

    /// Its name, or that of its program.
    pub(super) fn display_name(&self) -> String {
        let stem = || {
            let stem = Path::new(&self.cmd).file_stem().unwrap_or_default();
            stem.to_string_lossy().into_owned()
        };
        self.name.clone().unwrap_or_else(stem)
    }

    /// Its program. In a folder of its own, a bare name is a file there. Otherwise
    /// it may be a file here: cutechess-cli looks here first, fastchess on the
    /// `PATH` first.
    pub(super) fn program(&self, program: Program) -> String {
        let is_bare = Path::new(&self.cmd).components().count() == 1;
        let is_here = match &self.dir {
            _ if !is_bare || self.cmd.starts_with('.') => false,
            Some(_) => true,
            None => {
                let here = Path::new(".").join(&self.cmd);
                find_program(&here.to_string_lossy(), Path::new("")).is_some()
                    && (program == Program::Cutechess
                        || find_program(&self.cmd, Path::new("")).is_none())
            }
        };
        match is_here {
            true => format!("./{}", self.cmd),
            false => self.cmd.clone(),
        }
    }
}

/// `None` for zero, which means no limit in both programs.
fn positive<T: PartialEq + From<u8>>(number: T) -> Option<T> {
    (number != T::from(0)).then_some(number)
}
