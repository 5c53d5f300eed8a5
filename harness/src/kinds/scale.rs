//! `scale` in `[fleet]`: the speed that time controls are relative to.

use anyhow::{Context, ensure};

use crate::builds::speed;
use crate::config::Config;
use crate::executor::Player;
use crate::run::Kind;

/// The engine whose speed counts: the one that the other is compared with.
const BASE: usize = 1;

/// Refuses scaling where it has no meaning.
///
/// # Errors
/// What is refused.
pub(super) fn check(kind: Kind, config: &Config) -> anyhow::Result<()> {
    let Some(fleet) = config.fleet.as_ref().filter(|fleet| fleet.scale.is_some()) else {
        return Ok(());
    };
    ensure!(
        config.is_timed(),
        "`scale` in [fleet] needs a time control, and the limit is \"{}\"\nhelp: remove `scale`: with a limit of nodes or depth, the speed of a machine does not matter",
        config.r#match.limit
    );
    ensure!(
        matches!(kind, Kind::Match | Kind::Sprt) && config.engine.len() == 2,
        "`scale` in [fleet] is only supported for a match or a test of two engines\nhelp: remove `scale`, or use machines of the same speed"
    );
    ensure!(
        fleet.reference != Some(0),
        "`reference` in [fleet] must be a number of nodes a second above 0"
    );
    Ok(())
}

/// Measures the base engine here if the configuration has no reference.
///
/// # Errors
/// If the engine has no bench.
pub(super) fn settle(
    config: &mut Config,
    players: &[Player],
    concurrency: usize,
    announce: &mut dyn FnMut(&str),
) -> anyhow::Result<()> {
    let fleet = config.fleet.as_mut().filter(|fleet| fleet.scale.is_some());
    let (Some(fleet), Some(base)) = (fleet, players.get(BASE)) else {
        return Ok(());
    };
    if fleet.reference.is_some() {
        return Ok(());
    }
    announce(&format!("measuring the speed of {}", base.name));
    let folder = tempfile::tempdir().context("no folder for temporary files")?;
    let measured = speed(
        &base.launch.program,
        &base.launch.args,
        base.launch.sandbox,
        folder.path(),
        concurrency,
    );
    let measured = measured.with_context(|| {
        format!(
            "`scale` in [fleet]: the speed of engine `{}` cannot be measured",
            base.name
        )
    })?;
    announce(&format!(
        "time controls are for {measured} nodes a second of {} (`reference` in [fleet])",
        base.name
    ));
    fleet.reference = Some(measured);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(limit: &str, engines: usize) -> Config {
        let engine = "[[engine]]\nname = \"a\"\ncmd = \"a\"\n";
        let text = format!(
            "{}[match]\nlimit = \"{limit}\"\n[fleet]\nscale = \"bench\"\n",
            engine.repeat(engines)
        );
        toml::from_str(&text).expect("a configuration")
    }

    #[test]
    fn scaling_needs_a_clock_and_two_engines() {
        check(Kind::Sprt, &config("8+0.08", 2)).expect("a clock");
        check(Kind::Match, &config("movetime=100", 2)).expect("a time");
        for (kind, limit, engines, words) in [
            (Kind::Sprt, "nodes=5000", 2, "does not matter"),
            (Kind::Match, "8+0.08", 3, "two engines"),
            (Kind::Bisect, "8+0.08", 2, "two engines"),
        ] {
            let error = check(kind, &config(limit, engines)).expect_err(words);
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}
