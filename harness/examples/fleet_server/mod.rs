//! Shared by the programs that test a fleet: the folder of `hone`, and the credentials that
//! its server prints.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Child;

use anyhow::Context;

/// The folder of `hone`: `named`, or the parent of this program's folder.
pub(crate) fn programs(named: Option<&PathBuf>) -> anyhow::Result<PathBuf> {
    if let Some(dir) = named {
        return Ok(dir.clone());
    }
    let own = std::env::current_exe()?;
    let examples = own.parent().context("a program is in a folder")?;
    Ok(examples.parent().context("beside `hone`")?.to_path_buf())
}

/// The credentials that `hone fleet up` prints, for workers and for runs. Its standard
/// output must be piped.
pub(crate) fn credentials(up: &mut Child) -> anyhow::Result<(String, String)> {
    let output = up.stdout.take().context("its output")?;
    let mut lines = BufReader::new(output).lines();
    let mut credential = || {
        let line = lines.next().context("the server did not start")??;
        let at = line.find("hone1.").context("a line without a credential")?;
        anyhow::Ok(line[at..].trim().to_string())
    };
    Ok((credential()?, credential()?))
}
