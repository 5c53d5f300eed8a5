//! Engines built from commits, in a cache outside the checkout.
//!
//! Uses: `base`, and `uci` to start what was built.
//!
//! ```text
//! CACHE/builds/<commit>-<address>/   a build: the engine, build.toml, build.log
//! CACHE/failed/<commit>-<address>.log   the output of a failed build
//! CACHE/trees/<name>-<repository>/   the repository's work tree, with its lock
//! CACHE/sources/<commit>.pack, .git   a commit for other machines, or from one
//! ```
//!
//! `CACHE` is the folder of [`Cache::of_user`].
//! A build's address is a hash of the commit and of its recipe, so each is built only
//! once. A repository has one work tree, which borrows the objects of the user's repository
//! and does not write to it; the process that holds its lock builds.

// `println!` panics on a closed pipe: `hone_base::output` prints in its place.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::string_slice))]

mod advice;
mod bench;
mod build_command;
mod builder;
mod cache;
mod convention;
mod error;
mod forge;
mod git;
mod hold;
mod limits;
mod makefile;
mod names;
mod prune;
mod recipe;
mod record;
mod source;
mod speed;
mod submodules;
mod tree;

pub use bench::BenchCheck;
pub use bench::run as run_bench;
pub use builder::Builder;
pub use cache::Cache;
pub use cache::Listed;
pub use convention::{Convention, NoConvention};
pub use error::BuildError;
pub use forge::Forge;
pub use git::Repository;
pub use git::{Commit, parse_commits, short_id};
pub use hold::BuildHold;
pub use limits::BuildLimits;
pub use names::names;
pub use recipe::Spec;
pub use recipe::{Recipe, Revision};
pub use record::BuildRecord;
pub use record::Built;
pub use source::{MAX_PACK, Pack, is_commit_id, record_of};
pub use speed::speed;
