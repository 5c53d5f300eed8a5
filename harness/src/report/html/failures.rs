//! Games that an engine lost by failing, with what is kept of them.

use std::fs;
use std::path::{Path, PathBuf};

use super::escape;
use super::markup::{paragraph, preformatted, prose};
use super::{Place, Source};
use crate::ledger::FAILURES;
use crate::platform::full_path;

/// Bundles whose summary is on the page; the others are linked.
const SHOWN: usize = 50;

/// The bundles of a run, with links to those games on the board that are among
/// the first `pairs` pairs.
pub(crate) fn failures_section(source: &Source<'_>, pairs: u64) -> String {
    let mut bundles = bundles(&source.dir.join(FAILURES));
    if bundles.is_empty() {
        return paragraph("None: no crash, no stall, no illegal move, no game lost on time.");
    }
    bundles.sort_by_key(|path| order(path));
    let mut html = paragraph(&format!(
        "{} games with a failure are kept. `hone replay` puts the engine into the situation again.",
        bundles.len()
    ));
    for (index, bundle) in bundles.iter().enumerate() {
        let name = bundle
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let mut link = link(source, bundle, &name);
        if let Some(game) = address(&name, pairs) {
            link += &format!(" · <a href=\"#{game}\">Show the end on the board</a>");
        }
        let summary = fs::read_to_string(bundle.join("summary.txt")).unwrap_or_default();
        if index < SHOWN {
            html += &format!(
                "<details><summary>Pair and game {}: {}</summary>\n<p>{link}</p>\n{}</details>\n",
                escape(&name),
                prose(summary.lines().next().unwrap_or("no summary")),
                preformatted(&summary)
            );
        } else {
            html += &format!("<p>Pair and game {}: {link}</p>\n", escape(&name));
        }
    }
    html
}

/// Where the page shows the game of a bundle; none if it was played again.
fn address(name: &str, pairs: u64) -> Option<String> {
    let (pair, game) = name.split_once('-')?;
    let (pair, game): (u64, u64) = (pair.parse().ok()?, game.parse().ok()?);
    ((1..=pairs).contains(&pair) && (1..=2).contains(&game)).then(|| format!("game-{pair}-{game}"))
}

fn bundles(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect()
}

/// By pair and game, as numbers.
fn order(path: &Path) -> Vec<u64> {
    let name = path.file_name().map(|name| name.to_string_lossy());
    let name = name.unwrap_or_default();
    name.split('-')
        .map(|part| part.parse().unwrap_or(0))
        .collect()
}

fn link(source: &Source<'_>, bundle: &Path, name: &str) -> String {
    let href = match source.place {
        // The live pages put the address of the run before it.
        Place::Inside | Place::Served => format!("{FAILURES}/{}/", percent_encoded(name)),
        Place::Elsewhere => {
            let path = full_path(bundle).unwrap_or_else(|_| bundle.to_path_buf());
            let path = path.display().to_string();
            let path = match cfg!(windows) {
                true => format!("/{}", path.replace('\\', "/")),
                false => path,
            };
            format!("file://{}/", percent_encoded(&path))
        }
    };
    format!(
        "<a href=\"{}\">{FAILURES}/{}</a>",
        escape(&href),
        escape(name)
    )
}

/// A path as part of an address.
fn percent_encoded(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out += &format!("%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_hold_any_path() {
        assert_eq!(percent_encoded("/a b/ü\"<"), "/a%20b/%C3%BC%22%3C");
    }

    #[test]
    fn games_that_count_have_an_address() {
        assert_eq!(address("12-2", 12).as_deref(), Some("game-12-2"));
        for name in ["13-1", "12-2-2", "12", "a-b", "0-1"] {
            assert_eq!(address(name, 12), None, "{name}");
        }
    }

    #[test]
    fn bundles_are_in_the_order_of_pairs() {
        let mut paths = ["10-1", "2-2-2", "2-2", "2-1"].map(PathBuf::from);
        paths.sort_by_key(|path| order(path));
        assert_eq!(paths, ["2-1", "2-2", "2-2-2", "10-1"].map(PathBuf::from));
    }
}
