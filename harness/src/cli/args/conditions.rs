//! Arguments of every command that starts a run: how engines are built and how they play. They
//! override the configuration, if there is one.

use std::path::Path;

use anyhow::bail;
use clap::Args;
use toml_edit::Value;

use super::adjudication::AdjudicationArgs;
use super::ranges::from_one;
use super::sandbox::SandboxArgs;
use crate::cli::results::progress::announce;
use hone_builds::{Convention, Revision};
use hone_experiment::settings::BookSource;
use hone_run::config::{Draft, Level};
use hone_uci::engine::uci::{MemorySize, parse_option};
use hone_uci::rules::Limit;

/// Conditions in place of those of a configuration, or without one.
#[derive(Debug, Args)]
#[command(next_help_heading = "Engines and games")]
pub(in crate::cli) struct ConditionArgs {
    /// The shell command that builds a commit. {out} is the path where the program
    /// must be, as in `make EXE={out}`. By default guessed from the repository's
    /// Makefile or Cargo.toml.
    #[arg(long, value_name = "LINE")]
    build: Option<String>,
    /// The path of the program in the work tree after the build, if it is not {out}.
    /// Without --build, target/release/NAME is built by Cargo.
    #[arg(long, value_name = "PATH")]
    cmd: Option<String>,
    /// A UCI option of all engines.
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option)]
    options: Vec<(String, String)>,
    /// The UCI option Hash of all engines.
    #[arg(long, value_name = "MB")]
    hash: Option<u64>,
    /// The UCI option Threads of all engines.
    #[arg(long, value_name = "N")]
    threads: Option<u64>,
    /// Time control or other limit, as in 40/60, nodes=5000 or
    /// movetime=100; by default 8+0.08.
    #[arg(long, visible_alias = "tc", value_name = "LIMIT")]
    limit: Option<Limit>,
    /// A book of openings: a file (EPD, FEN or PGN), `default` (the built-in book,
    /// which is also used without this option) or `none` (the start position).
    #[arg(long, value_name = "FILE")]
    book: Option<BookSource>,
    /// Pairs played at the same time; by default one for each physical core.
    #[arg(long, value_name = "N", value_parser = from_one::<std::num::NonZeroU32>)]
    concurrency: Option<std::num::NonZeroU32>,
    /// The most memory that the process of each engine may have, as in 2G.
    #[arg(long, value_name = "SIZE")]
    max_memory: Option<MemorySize>,
    #[command(flatten)]
    adjudication: AdjudicationArgs,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

impl ConditionArgs {
    /// Applies them, and then `--set`, to a draft whose engines are known.
    pub(in crate::cli) fn apply(&self, draft: &mut Draft, set: &[String]) -> anyhow::Result<()> {
        for index in 0..draft.engine_count() {
            self.apply_to_engine(draft, index);
        }
        if let Some(limit) = &self.limit {
            let limit = limit.to_string();
            draft.set_limit(Level::Key, &limit, &format!("--limit {limit}"));
        }
        let book = self.book.as_ref().map(ToString::to_string);
        draft.flag("--book", book, &["match", "openings", "file"]);
        let concurrency = self.concurrency.map(|pairs| i64::from(pairs.get()));
        draft.flag("--concurrency", concurrency, &["match", "concurrency"]);
        self.adjudication.apply(draft);
        self.sandbox.apply(draft);
        for text in set {
            draft.set_text(text)?;
        }
        for index in 0..draft.engine_count() {
            guess_build(draft, index)?;
        }
        Ok(())
    }

    pub(in crate::cli) fn has_limit(&self) -> bool {
        self.limit.is_some()
    }

    pub(in crate::cli) fn has_book(&self) -> bool {
        self.book.is_some()
    }

    fn apply_to_engine(&self, draft: &mut Draft, index: usize) {
        if revision(draft, index).is_some() {
            if let Some(line) = &self.build {
                // The `cmd` of another build command does not fit this one.
                draft.forget(index, "cmd");
                let source = format!("--build {line}");
                draft.set_engine(Level::AllEngines, index, &["build"], line, &source);
            }
            if let Some(cmd) = &self.cmd {
                let source = format!("--cmd {cmd}");
                draft.set_engine(Level::AllEngines, index, &["cmd"], cmd, &source);
            }
        }
        if let Some(size) = self.max_memory {
            let source = format!("--max-memory {size}");
            let size = size.to_string();
            draft.set_engine(Level::AllEngines, index, &["max_memory"], size, &source);
        }
        let mut set = |name: &str, value: &str, source: String| {
            let keys = ["options", name];
            draft.set_engine(Level::AllEngines, index, &keys, Value::from(value), &source);
        };
        for (name, value) in &self.options {
            set(name, value, format!("--option {name}={value}"));
        }
        if let Some(hash) = self.hash {
            set("Hash", &hash.to_string(), format!("--hash {hash}"));
        }
        if let Some(threads) = self.threads {
            set(
                "Threads",
                &threads.to_string(),
                format!("--threads {threads}"),
            );
        }
    }
}

/// The repository and revision that an engine is built from.
fn revision(draft: &Draft, index: usize) -> Option<(String, Revision)> {
    if let Some(git) = draft.engine_text(index, "git") {
        let rev = draft.engine_text(index, "rev");
        let rev = rev.unwrap_or_else(|| "HEAD".to_string());
        return Some((git, Revision::Commit(rev)));
    }
    let worktree = draft.engine_text(index, "worktree")?;
    Some((worktree, Revision::WorkTree { tree: None }))
}

/// Sets the build command and program that an engine's repository suggests, if none is given.
fn guess_build(draft: &mut Draft, index: usize) -> anyhow::Result<()> {
    if draft.engine_text(index, "build").is_some() {
        return Ok(());
    }
    let Some((repository, revision)) = revision(draft, index) else {
        return Ok(());
    };
    let given = draft.engine_text(index, "cmd");
    let found = Convention::of(Path::new(&repository), &revision, given.as_deref())?;
    let name = draft.engine_text(index, "name").unwrap_or(match revision {
        Revision::Commit(rev) => rev,
        Revision::WorkTree { .. } => format!("worktree:{repository}"),
    });
    let Convention { build, cmd, file } = match found {
        Ok(found) => found,
        // The file `cmd` of the commit is the program.
        Err(_) if given.is_some() => return Ok(()),
        Err(missing) => {
            bail!("engine `{name}`: the path of the built program is missing: {missing}")
        }
    };
    announce(&format!(
        "engine `{name}` is built with `{build}`, as {file} suggests; --build sets another command"
    ));
    let source = format!("the build that {file} suggests");
    draft.set_engine(Level::Guess, index, &["build"], build, &source);
    if given.is_none() {
        draft.set_engine(Level::Guess, index, &["cmd"], cmd, &source);
    }
    Ok(())
}
