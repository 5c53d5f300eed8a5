//! What `hone sprt` can be told without a configuration: two engines, the
//! question, and how much time there is.

use std::path::Path;

use anyhow::{Context, bail};
use clap::Args;

use crate::builds::{BenchCheck, Spec};
use crate::config::{self, Config, EngineConfig, EngineOptions, Profile};
use crate::engine::uci::parse_option;
use crate::rules::Limit;
use crate::settings::BookSource;

/// Engines and conditions of a test, in place of those of a configuration or
/// without one.
#[derive(Debug, Args)]
#[command(next_help_heading = "The test, with or without a configuration")]
pub(super) struct GateArgs {
    /// The engine under test: git:REV, git:REPOSITORY@REV, worktree: (the
    /// uncommitted changes), path:FILE or FILE.
    #[arg(long, value_name = "ENGINE")]
    dev: Option<Spec>,
    /// The engine it is tested against.
    #[arg(long, value_name = "ENGINE")]
    base: Option<Spec>,
    /// How a commit is built: a shell command, {out} standing for where the
    /// program goes, as in `make EXE={out}`.
    #[arg(long, value_name = "LINE")]
    build: Option<String>,
    /// Where the program of a commit is after that, if not at {out}: a path in
    /// the work tree.
    #[arg(long, value_name = "PATH")]
    cmd: Option<String>,
    /// The bench that the engine under test must have: `check` (that of the
    /// commit's message), `record` (any) or a node count.
    #[arg(long, value_name = "BENCH")]
    bench: Option<BenchCheck>,
    /// A UCI option of both engines.
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option)]
    options: Vec<(String, String)>,
    /// A UCI option of the engine under test.
    #[arg(long = "dev-option", value_name = "NAME=VALUE", value_parser = parse_option)]
    dev_options: Vec<(String, String)>,
    /// A UCI option of the other engine.
    #[arg(long = "base-option", value_name = "NAME=VALUE", value_parser = parse_option)]
    base_options: Vec<(String, String)>,
    /// Time control or other limit, as in 8+0.08, nodes=5000 or movetime=100.
    #[arg(long, visible_alias = "tc", value_name = "LIMIT")]
    limit: Option<Limit>,
    /// A book of openings (EPD, FEN or PGN), `default` (the built-in book) or
    /// `none` (the start position).
    #[arg(long, value_name = "FILE")]
    book: Option<BookSource>,
    /// Pairs played at the same time.
    #[arg(long, value_name = "N")]
    concurrency: Option<std::num::NonZeroUsize>,
    /// The question.
    #[arg(long, value_enum)]
    profile: Option<Profile>,
}

impl GateArgs {
    /// The configuration of a test, complete: that of the file, if there is
    /// one, with `set` and these arguments over it.
    pub(super) fn config(&self, file: Option<&Path>, set: &[String]) -> anyhow::Result<Config> {
        let mut config = match file {
            Some(file) => config::load(file, set)?,
            None => config::without_file(set)?,
        };
        if file.is_none() && (self.dev.is_none() || self.base.is_none()) {
            bail!(
                "give a configuration, or the two engines, as in `hone sprt --dev worktree: --base git:main --build 'make EXE={{out}}'`"
            );
        }
        self.engines(&mut config)?;
        self.conditions(&mut config);
        config::check_engines(&mut config)
            .map_err(anyhow::Error::msg)
            .context("on the command line")?;
        Ok(config)
    }

    fn engines(&self, config: &mut Config) -> anyhow::Result<()> {
        let sides = [
            ("dev", &self.dev, &self.dev_options),
            ("base", &self.base, &self.base_options),
        ];
        for (index, (name, spec, options)) in sides.into_iter().enumerate() {
            if config.engine.len() == index {
                let Some(spec) = spec else {
                    bail!("only {index} engines are configured: name the other by --{name}");
                };
                let mut engine = EngineConfig {
                    name: name.to_string(),
                    ..EngineConfig::default()
                };
                engine.take_source(spec);
                config.engine.push(engine);
            } else if let Some(spec) = spec {
                config.engine[index].take_source(spec);
            }
            let engine = &mut config.engine[index];
            if engine.git.is_some() || engine.worktree.is_some() {
                if let Some(line) = &self.build {
                    engine.build = Some(line.clone());
                    // That of another build line is not where this one puts it.
                    engine.cmd.clear();
                }
                if let Some(cmd) = &self.cmd {
                    engine.cmd.clone_from(cmd);
                }
            }
            set_options(&mut engine.options, &self.options);
            set_options(&mut engine.options, options);
        }
        if let Some(bench) = self.bench {
            config.engine[0].bench = bench;
        }
        Ok(())
    }

    fn conditions(&self, config: &mut Config) {
        let play = &mut config.r#match;
        if let Some(book) = &self.book {
            play.openings.file = Some(book.clone());
        }
        if let Some(concurrency) = self.concurrency {
            play.concurrency = Some(concurrency.get());
        }
        config.sprt.get_or_insert_default();
        if let Some(profile) = self.profile {
            profile.apply(config);
        }
        if let Some(limit) = &self.limit {
            config.set_limit(limit.clone());
        }
    }
}

fn set_options(all: &mut EngineOptions, options: &[(String, String)]) {
    for (name, value) in options {
        all.set(name, value);
    }
}

/// A command line that repeats this one: what branches and `HEAD` name is
/// replaced by the commits that were built.
pub(super) fn repeating(arguments: &[String], commits: &[Option<String>]) -> String {
    let mut words = vec!["hone".to_string()];
    let mut arguments = arguments.iter().peekable();
    while let Some(argument) = arguments.next() {
        let (flag, joined) = match argument.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_string())),
            None => (argument.as_str(), None),
        };
        let side = match flag {
            "--dev" => 0,
            "--base" => 1,
            _ => {
                words.push(argument.clone());
                continue;
            }
        };
        let Some(value) = joined.or_else(|| arguments.next().cloned()) else {
            continue;
        };
        words.push(flag.to_string());
        words.push(match (value.parse(), commits.get(side)) {
            (Ok(Spec::Commit { repository, .. }), Some(Some(commit))) => {
                format!("git:{}@{commit}", repository.display())
            }
            _ => value,
        });
    }
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        gate: GateArgs,
    }

    fn config(line: &[&str]) -> anyhow::Result<Config> {
        let words = ["hone"].iter().chain(line);
        Line::parse_from(words).gate.config(None, &[])
    }

    #[test]
    fn a_command_line_makes_a_whole_configuration() {
        let config = config(&[
            "--dev",
            "git:HEAD",
            "--base",
            "git:/r@main",
            "--build",
            "make EXE={out}",
            "--tc",
            "8+0.08",
            "--book",
            "b.epd",
            "--option",
            "Hash=8",
            "--dev-option",
            "X=1",
            "--dev-option",
            "hash=16",
            "--concurrency",
            "3",
            "--profile",
            "non-regression",
        ])
        .expect("complete");
        let [dev, base] = &config.engine[..] else {
            panic!("{config:?}");
        };
        assert_eq!((dev.name.as_str(), base.name.as_str()), ("dev", "base"));
        assert_eq!(dev.rev.as_deref(), Some("HEAD"));
        assert_eq!(base.git.as_deref(), Some(Path::new("/r")));
        assert_eq!(dev.options.get("Hash"), Some("16"));
        assert_eq!(base.options.get("Hash"), Some("8"));
        assert_eq!(base.options.get("X"), None);
        assert_eq!(config.r#match.limit.to_string(), "8+0.08");
        assert_eq!(config.r#match.concurrency, Some(3));
        let sprt = config.sprt.expect("there is a test");
        assert_eq!((sprt.elo0, sprt.elo1), (-5.0, 0.0));
    }

    #[test]
    fn the_quick_profile_fixes_the_nodes() {
        let quick = ["--dev", "a", "--base", "b", "--profile", "quick"];
        let fixed = config(&quick).expect("complete");
        assert_eq!(fixed.r#match.limit.to_string(), "nodes=10000");
        let asked = config(&[&quick[..], &["--limit", "nodes=500"]].concat()).expect("complete");
        assert_eq!(asked.r#match.limit.to_string(), "nodes=500");
    }

    #[test]
    fn what_is_missing_is_named() {
        for (line, says) in [
            (&[][..], "the two engines"),
            (&["--dev", "a"], "the two engines"),
            (
                &["--dev", "git:HEAD", "--base", "b"],
                "where is the program?",
            ),
        ] {
            let error = config(line).expect_err(says);
            assert!(format!("{error:#}").contains(says), "{error:#}");
        }
    }

    #[test]
    fn the_command_to_repeat_names_commits() {
        let arguments = [
            "sprt",
            "--dev",
            "git:HEAD",
            "--base=git:../r@main",
            "--build",
            "make EXE={out}",
        ];
        let arguments = arguments.map(str::to_string);
        let commits = [Some("c1".to_string()), Some("c2".to_string())];
        assert_eq!(
            repeating(&arguments, &commits),
            "hone sprt --dev git:.@c1 --base git:../r@c2 --build 'make EXE={out}'"
        );
        let unknown = repeating(&arguments[..3], &[None]);
        assert_eq!(unknown, "hone sprt --dev git:HEAD");
    }
}
