//! The processors that the games of a run need, and whether they are free.

use anyhow::{Context, ensure};

use crate::config::{Config, EngineConfig};
use crate::executor::placement;
use crate::files::manifest::{EngineIdentity, option_value};
use hone_base::diagnostic::{Diagnostic, Setting};
use hone_base::output::Announce;
use hone_base::platform::{CAN_MEASURE_STARVATION, load, processors, usable_processors};
use hone_base::text::counted;
use hone_experiment::settings::OnMachineFault;

const AFFINITY: Setting = Setting {
    key: "match.affinity",
    words: "`affinity`",
};

/// The processors for the games, with a warning if other programs use them.
pub fn placement(
    config: &Config,
    engines: &[EngineIdentity],
    concurrency: usize,
    announce: Announce<'_>,
) -> anyhow::Result<Vec<Vec<usize>>> {
    let processors = processors();
    let usable = usable_processors().unwrap_or(usize::MAX);
    let each = processors_a_game(config, engines);
    let wanted = concurrency * each;
    let games = match each {
        1 => format!("{concurrency} games at a time"),
        _ => format!("{concurrency} games at a time with {each} threads each"),
    };
    if wanted > usable {
        announce(&format!(
            "warning: {games} need {wanted} processors, but {usable} can be used: expect time forfeits and noise"
        ));
    }
    if config.r#match.on_machine_fault == OnMachineFault::Replay {
        // If engines wait for each other's processors, that is not a fault of the machine.
        ensure!(
            wanted <= usable,
            Diagnostic::new(format!("`on_machine_fault = \"replay\"`: {games} need {wanted} processors, but {usable} can be used"))
                .help("lower `concurrency` or `Threads`")
        );
        if !CAN_MEASURE_STARVATION {
            announce(
                "warning: `on_machine_fault` has no effect on this system, which does not report how long an engine waited for a processor",
            );
        }
    }
    if config.is_timed()
        && !processors.is_empty()
        && let Some(load) = load()
        && load > 0.5
        && load + wanted as f64 > processors.len() as f64 + 0.5
    {
        announce(&format!(
            "warning: the machine is busy (load average {load:.1} on {}): timed games will be noisy",
            counted(processors.len() as u64, "processor")
        ));
    }
    if !config.r#match.affinity {
        return Ok(Vec::new());
    }
    ensure!(
        !processors.is_empty(),
        Diagnostic::new(format!(
            "{AFFINITY} is not supported on this system, which does not list its processors"
        ))
        .help("leave it out")
    );
    placement::place(&processors, concurrency, each).with_context(|| {
        format!(
            "{AFFINITY}: {games} need {wanted} processors of their own, but the machine has {}",
            processors.len()
        )
    })
}

/// Threads that search at the same time in one game.
pub fn processors_a_game(config: &Config, engines: &[EngineIdentity]) -> usize {
    let threads = |engine: &EngineConfig| -> usize {
        let threads = option_value(engine, engines, "Threads");
        threads.and_then(|text| text.parse().ok()).unwrap_or(1)
    };
    let of_one = config.engine.iter().map(threads).max().unwrap_or(1);
    // A pondering engine searches while its opponent does.
    if config.engine.iter().any(|engine| engine.ponder) {
        2 * of_one
    } else {
        of_one
    }
}
