//! `-engine` and `-each`: one engine.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::path::Path;

use anyhow::{bail, ensure};

use super::clock::{clock, milliseconds};
use super::program::Program;
use super::words::{KeyValue, split_arguments};
use hone_base::diagnostic::Diagnostic;
use hone_run::find_program;

/// The settings of one engine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Engine {
    pub name: Option<String>,
    pub cmd: String,
    pub args: Vec<String>,
    pub dir: Option<String>,
    /// The time control, if given; the inner `None` is an infinite one.
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
    /// Applies one word of `flag`, whose key is known and supported. `known` has the engines
    /// for `conf=NAME`.
    ///
    /// # Errors
    /// If the value is invalid.
    pub(super) fn take(
        &mut self,
        flag: &str,
        pair: KeyValue<'_>,
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
            "conf" => *self = self.replaced_by(known(pair.value(flag)?)?),
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

    /// The engine of a `conf=` in place of this one. Limits are not part of such an engine, so
    /// those of this one are kept.
    fn replaced_by(&self, known: Self) -> Self {
        Self {
            clock: self.clock.clone(),
            movetime: self.movetime,
            nodes: self.nodes,
            depth: self.depth,
            margin_ms: self.margin_ms,
            ..known
        }
    }

    /// Sets an option; the last value counts.
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

    /// Its limit in the notation of `hone`.
    ///
    /// # Errors
    /// If it has no limit, or both a time control and a fixed time.
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
            Diagnostic::new(format!("engine `{}` has no limit", self.display_name()))
                .help("give tc=, st=, nodes= or depth= after `-engine` or `-each`")
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

    /// Its program. With `dir`, a bare name is a file in that folder for fastchess;
    /// cutechess-cli searches the `PATH` first. Without `dir`, it may be a file in the working
    /// directory, which cutechess-cli searches before the `PATH` and fastchess after it.
    pub(super) fn program(&self, program: Program) -> String {
        let is_bare = Path::new(&self.cmd).components().count() == 1;
        let is_cutechess = program == Program::Cutechess;
        let is_on_path = || find_program(&self.cmd, Path::new("")).is_some();
        let is_here = match &self.dir {
            _ if !is_bare || self.cmd.starts_with('.') => false,
            Some(_) => !is_cutechess || !is_on_path(),
            None => {
                let here = Path::new(".").join(&self.cmd);
                find_program(&here.to_string_lossy(), Path::new("")).is_some()
                    && (is_cutechess || !is_on_path())
            }
        };
        if is_here {
            format!("./{}", self.cmd)
        } else {
            self.cmd.clone()
        }
    }
}

/// `None` for zero, which means "no limit" in both programs.
fn positive<T: PartialEq + From<u8>>(number: T) -> Option<T> {
    (number != T::from(0)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_folder_only_cutechess_looks_on_the_path() {
        let of = |cmd: &str, program| {
            let engine = Engine {
                cmd: cmd.to_string(),
                dir: Some("/tmp".to_string()),
                ..Engine::default()
            };
            engine.program(program)
        };
        let shell = if cfg!(windows) { "cmd" } else { "sh" };
        assert_eq!(of(shell, Program::Cutechess), shell);
        assert_eq!(of(shell, Program::Fastchess), format!("./{shell}"));
        for program in [Program::Cutechess, Program::Fastchess] {
            assert_eq!(of("not-on-the-path", program), "./not-on-the-path");
            assert_eq!(of("./a", program), "./a");
        }
    }

    #[test]
    fn an_engine_of_the_file_keeps_the_limits_before_it() {
        let mut engine = Engine::default();
        let mut known = |_: &str| {
            Ok(Engine {
                cmd: "./sf".to_string(),
                ..Engine::default()
            })
        };
        let words = [
            ("name", "X"),
            ("tc", "inf"),
            ("nodes", "300"),
            ("depth", "8"),
            ("st", "1"),
            ("timemargin", "50"),
            ("conf", "sf"),
        ];
        for (key, value) in words {
            let pair = KeyValue {
                key,
                value: Some(value),
            };
            engine.take("-engine", pair, &mut known).expect(key);
        }
        let expected = Engine {
            cmd: "./sf".to_string(),
            clock: Some(None),
            movetime: Some(1000),
            nodes: Some(300),
            depth: Some(8),
            margin_ms: Some(50),
            ..Engine::default()
        };
        assert_eq!(engine, expected);
    }
}
