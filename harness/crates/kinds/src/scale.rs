//! `scale` in `[fleet]`: time controls relative to the speed of an engine.

use anyhow::{Context, ensure};

use hone_base::diagnostic::Diagnostic;
use hone_base::output::Announce;
use hone_builds::speed;
use hone_run::Kind;
use hone_run::config::Config;
use hone_run::executor::Player;

/// Index of the engine whose speed is measured: the baseline of a test.
const BASE: usize = 1;

/// Refuses scaling where it is not supported.
///
/// # Errors
/// What is refused.
pub(super) fn check(kind: Kind, config: &Config) -> anyhow::Result<()> {
    if config
        .fleet
        .as_ref()
        .is_none_or(|fleet| fleet.scale.is_none())
    {
        return Ok(());
    }
    let refused = |what: &str, help: &str| {
        let fault = Diagnostic::new(format!("`scale` in [fleet] {what}"));
        fault.help(help).key(&["fleet", "scale"])
    };
    ensure!(
        config.is_timed(),
        refused(
            &format!(
                "needs a time control, and the limit is \"{}\"",
                config.r#match.limit
            ),
            "remove `scale`: with a limit of nodes or depth, the speed of a machine does not matter"
        )
    );
    ensure!(
        kind.has_fixed_players() && config.engine.len() == 2,
        refused(
            "is only supported for a match or a test of two engines",
            "remove `scale`, or use machines of the same speed"
        )
    );
    Ok(())
}

/// Measures the base engine on this machine if the configuration has no `reference`.
///
/// # Errors
/// If the engine has no bench.
pub(super) fn measure_reference(
    config: &mut Config,
    players: &[Player],
    concurrency: usize,
    announce: Announce<'_>,
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
        "time controls are for {measured} nodes per second of {} (`reference` in [fleet])",
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
            let message = hone_base::diagnostic::shown(error.as_ref());
            assert!(message.contains(words), "{message}");
        }
    }
}
