//! The programs `hone` and `stillwater`, and how they are run.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result, anyhow, bail, ensure};

use crate::designs::plan::Design;

/// The user interrupted a program.
#[derive(Debug)]
pub(crate) struct Interrupted;

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Interrupted {}

pub(crate) struct Programs {
    pub(crate) hone: PathBuf,
    /// The copy in the folder of the run.
    pub(crate) engine: PathBuf,
    runtime: tokio::runtime::Runtime,
}

impl Programs {
    /// Builds the programs that are not given, and keeps a copy of the engine.
    pub(crate) fn prepare(hone: Option<&Path>, engine: Option<&Path>, out: &Path) -> Result<Self> {
        if hone.is_none() || engine.is_none() {
            build()?;
        }
        let hone = hone.map_or_else(|| built("hone"), |path| Ok(path.to_owned()))?;
        let engine = engine.map_or_else(|| built("stillwater"), |path| Ok(path.to_owned()))?;
        let kept = out.join(format!("stillwater{}", std::env::consts::EXE_SUFFIX));
        keep(&engine, &kept, || {
            format!(
                "help: `--engine {}` continues with that engine; another --out starts anew",
                kept.display()
            )
        })?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("cannot start")?;
        Ok(Self {
            hone,
            engine: kept,
            runtime,
        })
    }

    /// The engine's name and the nodes of its `bench`.
    pub(crate) fn describe_engine(&self) -> Result<String> {
        let version = output(Command::new(&self.engine).arg("--version"))?;
        let bench = output(Command::new(&self.engine).arg("bench"))?;
        let nodes = bench.lines().last().and_then(|line| line.split(' ').next());
        let nodes: u64 = nodes
            .and_then(|nodes| nodes.parse().ok())
            .with_context(|| format!("cannot read `stillwater bench`: found `{}`", bench.trim()))?;
        Ok(format!("{}, `bench` {nodes}", version.trim()))
    }

    /// `stillwater` with the options of a design.
    pub(crate) fn engine(&self, design: &Design) -> Command {
        let mut command = Command::new(&self.engine);
        command.args(&design.arguments);
        command
    }

    /// Runs `hone` and returns its standard output; its messages are shown. An interrupt is
    /// handled by `hone`, which keeps its games. Exit codes in `verdicts` are not errors.
    pub(crate) fn hone<S: AsRef<OsStr>>(
        &self,
        arguments: &[S],
        verdicts: &[i32],
    ) -> Result<String> {
        self.runtime.block_on(async {
            let child = tokio::process::Command::new(&self.hone)
                .args(arguments)
                .stdout(Stdio::piped())
                .spawn()
                .with_context(|| format!("cannot start `{}`", self.hone.display()))?;
            let mut output = Box::pin(child.wait_with_output());
            let output = loop {
                tokio::select! {
                    output = &mut output => break output,
                    _ = tokio::signal::ctrl_c() => {}
                }
            };
            let output = output.with_context(|| format!("cannot run `{}`", self.hone.display()))?;
            let is_verdict = output
                .status
                .code()
                .is_some_and(|code| verdicts.contains(&code));
            if !is_verdict {
                check(&self.hone.display().to_string(), output.status, "")?;
            }
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        })
    }
}

/// Standard output of a program, which must succeed.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start `{name}`"))?;
    check(
        &name,
        output.status,
        &String::from_utf8_lossy(&output.stderr),
    )?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// An error unless a program succeeded.
pub(crate) fn check(name: &str, status: ExitStatus, complaint: &str) -> Result<()> {
    if status.success() {
        return Ok(());
    }
    if status.code() == Some(130) || signal(status) == Some(2) {
        bail!(Interrupted);
    }
    let complaint = complaint.trim();
    if complaint.is_empty() {
        bail!("cannot run `{name}`: {status}");
    }
    bail!("cannot run `{name}`: {complaint}");
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

/// Copies a file into the folder of a run, or checks that it is still the one
/// that the run was started with.
pub(crate) fn keep(file: &Path, kept: &Path, help: impl FnOnce() -> String) -> Result<()> {
    let content = fs::read(file).with_context(|| format!("cannot read `{}`", file.display()))?;
    match fs::read(kept) {
        Ok(before) => ensure!(
            before == content,
            "cannot continue: `{}` differs from `{}`, with which the run was started\n{}",
            file.display(),
            kept.display(),
            help()
        ),
        Err(_) => {
            if let Some(folder) = kept.parent() {
                fs::create_dir_all(folder)
                    .with_context(|| format!("cannot create `{}`", folder.display()))?;
            }
            // Renamed when it is complete, so that a copy that was cut off is not used.
            let partial = kept.with_extension("part");
            fs::copy(file, &partial)
                .and_then(|_| fs::rename(&partial, kept))
                .with_context(|| format!("cannot write `{}`", kept.display()))?;
        }
    }
    Ok(())
}

fn build() -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--release", "--quiet", "--bins"])
        .args(["-p", "engine", "-p", "harness", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml"))
        .status()
        .map_err(|error| anyhow!("cannot start cargo: {error}\nhelp: give --hone and --engine"))?;
    check("cargo build", status, "")
}

/// A program that `build` has built.
fn built(name: &str) -> Result<PathBuf> {
    let lab = std::env::current_exe().context("cannot find the programs")?;
    // This program is `target/PROFILE/lab`; the others are release builds.
    let target = lab.ancestors().nth(2);
    let target = target.context("cannot find the programs: `lab` has been moved")?;
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let program = target.join("release").join(file);
    ensure!(
        program.exists(),
        "cannot find `{}`\nhelp: give --hone and --engine",
        program.display()
    );
    Ok(program)
}
