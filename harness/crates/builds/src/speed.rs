//! Speed of an engine on this machine: nodes per second of its `bench`, with as many processes
//! at once as games will be played.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::bench::{self, BenchError};
use hone_base::platform::process_mark;

/// Minimum time of the measurement: short benches are repeated.
const MEASURED: Duration = Duration::from_secs(3);

/// Median of the nodes per second of `PROGRAM ARGS bench` while `processes` of them run. The
/// first bench of each is not counted. Their output goes to files in `folder`.
///
/// # Errors
/// [`BenchError`].
pub fn speed(
    program: &Path,
    args: &[String],
    sandbox: bool,
    folder: &Path,
    processes: usize,
) -> Result<u64, BenchError> {
    let log = |number: usize| {
        let own = process_mark();
        folder.join(format!("speed-{own}-{number}.log"))
    };
    let run = |number: usize| {
        let nodes = bench::run(program, args, &log(number), sandbox);
        // If removing fails, the next bench overwrites the log.
        let _ = std::fs::remove_file(log(number));
        nodes.and_then(|nodes| match nodes {
            0 => Err(BenchError::NoCount),
            nodes => Ok(nodes),
        })
    };
    run(0)?;
    let speeds: Vec<_> = thread::scope(|scope| {
        let started: Vec<_> = (0..processes.max(1))
            .map(|number| scope.spawn(move || repeated(|| run(number))))
            .collect();
        let joined = started.into_iter().map(thread::ScopedJoinHandle::join);
        joined
            .map(|speed| speed.unwrap_or(Err(BenchError::NoCount)))
            .collect::<Result<_, _>>()
    })?;
    Ok(median(speeds).max(1))
}

fn repeated(run: impl Fn() -> Result<u64, BenchError>) -> Result<u64, BenchError> {
    let (begun, mut nodes) = (Instant::now(), 0u64);
    while begun.elapsed() < MEASURED {
        nodes = nodes.saturating_add(run()?);
    }
    Ok((nodes as f64 / begun.elapsed().as_secs_f64()) as u64)
}

fn median(mut speeds: Vec<u64>) -> u64 {
    speeds.sort_unstable();
    speeds.get(speeds.len() / 2).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    fn engine(folder: &Path, script: &str) -> std::path::PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = folder.join("engine");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("written");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, mode).expect("executable");
        path
    }

    #[cfg(unix)]
    #[test]
    fn speed_is_nodes_by_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = engine(folder.path(), "sleep 1; echo 5000 nodes 1 nps");
        let found = speed(&program, &[], false, folder.path(), 2).expect("a speed");
        // A busy machine is slower, never faster.
        assert!((1..=5000).contains(&found), "{found}");
        assert_eq!(folder.path().read_dir().expect("read").count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn an_engine_without_a_bench_has_no_speed() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = engine(folder.path(), "echo hello");
        let found = speed(&program, &[], false, folder.path(), 2);
        assert!(matches!(found, Err(BenchError::NoCount)));
    }

    #[test]
    fn the_median_is_one_of_them() {
        assert_eq!(median(vec![9, 1, 5]), 5);
        assert_eq!(median(Vec::new()), 0);
    }
}
