//! Makes the configuration of a tuning complete, so that the manifest alone
//! says what is played.

use std::env;

use anyhow::{Context, ensure};

use super::budget;
use crate::config::Config;
use crate::engine::uci::EngineOption;
use crate::experiment::tune::resolve::resolve;
use crate::experiment::tune::section::ParamSection;
use crate::run::{PreparedEngines, SessionError};

/// Ends the name of the engine whose parameters are moved one way.
pub(super) const PLUS: &str = " plus";

/// What [`prepare`] has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prepared {
    Ready,
    /// The user did not want to wait for it.
    Interrupted,
}

/// Refuses a configuration of other than one engine.
///
/// # Errors
/// The number of engines.
pub(crate) fn check_one_engine(config: &Config) -> anyhow::Result<()> {
    ensure!(
        config.engine.len() == 1,
        "one engine is tuned, in one [[engine]] table; {} are configured",
        config.engine.len()
    );
    Ok(())
}

/// Puts the engine twice into the configuration, and every parameter with all
/// it needs; measures the budget if only its time is given.
///
/// # Errors
/// [`SessionError`].
pub(crate) fn prepare(
    config: &mut Config,
    announce: &mut dyn FnMut(&str),
) -> Result<Prepared, SessionError> {
    complete(config, announce)?;
    let mut section = config.tune.clone().unwrap_or_default();
    if let (None, Some(time)) = (section.pairs, section.max_time) {
        section.pairs = budget::measured(config, time, announce)?;
        if section.pairs.is_none() {
            return Ok(Prepared::Interrupted);
        }
    }
    section.pairs = Some(section.pairs());
    config.tune = Some(section);
    Ok(Prepared::Ready)
}

fn complete(config: &mut Config, announce: &mut dyn FnMut(&str)) -> Result<(), SessionError> {
    check_one_engine(config)?;
    let base = env::current_dir().context("the working directory is gone")?;
    let engines = PreparedEngines::prepare(config, &base, None, announce)?;
    let [options] = &engines.options[..] else {
        unreachable!("one engine was prepared");
    };
    let section = config.tune.get_or_insert_default();
    let space = resolve(section, options, &config.engine[0].options.0)
        .map_err(|error| SessionError::Input(error.into()))?;
    for param in space.params() {
        check_known(options, &param.name)?;
    }
    section.params = space
        .params()
        .iter()
        .map(|param| (param.name.clone(), ParamSection::of(param)))
        .collect();
    section.import = None;
    section.group = vec![];
    section.exclude = vec![];
    let mut minus = config.engine[0].clone();
    minus.name = format!("{} minus", minus.name);
    config.engine[0].name += PLUS;
    config.engine.push(minus);
    Ok(())
}

fn check_known(options: &[EngineOption], name: &str) -> anyhow::Result<()> {
    let is_known = options
        .iter()
        .any(|option| option.name.eq_ignore_ascii_case(name));
    ensure!(
        is_known,
        "the engine has no option `{name}`: it cannot be tuned"
    );
    Ok(())
}
