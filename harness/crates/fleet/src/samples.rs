//! Names and a job for tests.

use std::sync::Arc;

use crate::ids::{Name, WorkerId};
use hone_experiment::settings::{OnFailure, OnMachineFault};
use hone_run::executor::{PairJob, Player, Rules};
use hone_uci::engine::uci::Launch;
use hone_uci::openings::{Opening, Variant};

pub(crate) fn name(text: &str) -> Name {
    Name::new(text).expect("a name")
}

/// A worker with the credential `all`.
pub(crate) fn worker(machine: &str) -> WorkerId {
    WorkerId {
        credential: name("all"),
        machine: name(machine),
    }
}

fn player(engine: usize, name: &str) -> Player {
    Player {
        engine,
        name: name.into(),
        launch: Arc::new(Launch {
            program: name.into(),
            ..Launch::default()
        }),
        program: Arc::default(),
        options: Arc::from([]),
        limit: Arc::new("nodes=100".parse().expect("a limit")),
        ponder: false,
        restart: false,
    }
}

pub(crate) fn pair_job(pair: u64) -> PairJob {
    PairJob {
        pair,
        players: [player(0, "new"), player(1, "old")],
        opening: Opening::default(),
        opening_number: 1,
        rules: Arc::new(Rules {
            variant: Variant::Standard,
            margin_ms: 0,
            stall_ms: 1000,
            startup_ms: 1000,
            adjudication: toml::from_str("").expect("none"),
            record: toml::from_str("").expect("the usual style"),
            on_failure: OnFailure::Count,
            on_machine_fault: OnMachineFault::Keep,
        }),
        seed: 1,
    }
}
