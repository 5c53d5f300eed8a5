//! Games that an engine lost by a failure, with the evidence that is kept.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use maud::{Markup, html};

use super::markup::{paragraph, preformatted, prose};
use super::numbers::counted;
use super::{PageLocation, Source};
use crate::escape::percent_encoded;
use hone_base::platform::full_path;
use hone_run::Repeats;
use hone_run::ledger::{FAILURES, LedgerError, Pairs};

/// Most bundles whose summaries are on the page; the others are only linked.
const SHOWN: usize = 50;

/// Number of a pair, and of a game in it, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct GameNumber {
    pair: u64,
    game: u64,
}

/// A folder with the evidence of one failure.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Bundle {
    number: GameNumber,
    /// From 1; a game that is played again has several.
    attempt: u64,
    path: PathBuf,
}

/// Whether the game of a bundle counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GameStatus {
    /// It is in the ledger and counts.
    Counted,
    /// It is in the ledger, but its pair repeats earlier games.
    LeftOut,
    /// It was played again: another game is in the ledger.
    PlayedAgain,
    /// Its pair is not complete yet, or comes after the verdict.
    NotJudged,
}

/// The bundles of a run. Those whose games count, among the first `pairs` pairs, link to
/// the board.
///
/// # Errors
/// If the ledger cannot be read.
pub(crate) fn failures_section(source: &Source<'_>, pairs: u64) -> Result<Markup, LedgerError> {
    let bundles = bundles(&source.dir.join(FAILURES));
    if bundles.is_empty() {
        return Ok(paragraph(
            "None: no crash, no stall, no illegal move, no game lost on time.",
        ));
    }
    let last = bundles.last().map_or(0, |bundle| bundle.number.pair);
    let failed = failed_games(source, pairs.min(last))?;
    let statuses = statuses(&bundles, &failed, pairs);
    Ok(html! {
        (paragraph(&sentence(&statuses)))
        @for (index, (bundle, status)) in bundles.iter().zip(statuses).enumerate() {
            (bundle_html(source, bundle, status, index < SHOWN))
        }
    })
}

/// A bundle, with its summary or only linked.
fn bundle_html(source: &Source<'_>, bundle: &Bundle, status: GameStatus, is_shown: bool) -> Markup {
    let name = bundle.path.file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    let GameNumber { pair, game } = bundle.number;
    let link = html! {
        a href=(address(source, &bundle.path, &name)) { (FAILURES) "/" (name) }
        " · "
        @match status {
            GameStatus::Counted => a href={ "#game-" (pair) "-" (game) } { "Show the end on the board" },
            GameStatus::LeftOut => "The pair repeats earlier games",
            GameStatus::PlayedAgain => "The game was played again",
            GameStatus::NotJudged => "The pair is not judged",
        }
    };
    if !is_shown {
        return html! { p { "Pair and game " (name) ": " (link) } };
    }
    let summary = fs::read_to_string(bundle.path.join("summary.txt")).unwrap_or_default();
    html! {
        details {
            summary { "Pair and game " (name) ": " (prose(summary.lines().next().unwrap_or("no summary"))) }
            p { (link) }
            (preformatted(&summary))
        }
    }
}

/// The number of failures by status.
fn sentence(statuses: &[GameStatus]) -> String {
    let words = [
        (
            GameStatus::Counted,
            "in a game that counts",
            "in games that count",
        ),
        (
            GameStatus::LeftOut,
            "in a pair that repeats earlier games and is left out",
            "in pairs that repeat earlier games and are left out",
        ),
        (
            GameStatus::PlayedAgain,
            "in a game that was played again",
            "in games that were played again",
        ),
        (
            GameStatus::NotJudged,
            "in a pair that is not judged (after the verdict, or not yet complete)",
            "in pairs that are not judged (after the verdict, or not yet complete)",
        ),
    ];
    let parts = words.map(|(status, one, several)| {
        match statuses.iter().filter(|other| **other == status).count() {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {several}")),
        }
    });
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!(
        "Evidence of {} is kept: {}. `hone replay` repeats the situation.",
        counted(statuses.len() as u64, "failure"),
        parts.join(", ")
    )
}

/// The games among the first `pairs` pairs that a failure ended, and whether
/// they count or are left out.
fn failed_games(
    source: &Source<'_>,
    pairs: u64,
) -> Result<BTreeMap<GameNumber, GameStatus>, LedgerError> {
    let mut failed = BTreeMap::new();
    let mut repeats = Repeats::new(source.manifest.repeats);
    // The ledger of a live page was opened before the newest pairs were written.
    let ledger = Pairs::open(source.dir, &source.manifest.names())?;
    let shard = source.manifest.config.r#match.shard;
    for entry in ledger.in_order(shard, pairs)? {
        let result = entry?.result;
        let status = if repeats.take(&result).is_dropped {
            GameStatus::LeftOut
        } else {
            GameStatus::Counted
        };
        let pair = result.pair + 1;
        for (game, played) in (1..).zip(&result.games) {
            if played.termination.is_failure() {
                failed.insert(GameNumber { pair, game }, status);
            }
        }
    }
    Ok(failed)
}

/// The status of each bundle. `bundles` are sorted: only the last one of a game can belong
/// to the game in the ledger.
fn statuses(
    bundles: &[Bundle],
    failed: &BTreeMap<GameNumber, GameStatus>,
    pairs: u64,
) -> Vec<GameStatus> {
    let next = bundles.iter().skip(1).map(|bundle| Some(bundle.number));
    let next = next.chain([None]);
    let statuses = bundles.iter().zip(next).map(|(bundle, next)| {
        let number = bundle.number;
        match failed.get(&number) {
            _ if number.pair > pairs => GameStatus::NotJudged,
            Some(status) if next != Some(number) => *status,
            _ => GameStatus::PlayedAgain,
        }
    });
    statuses.collect()
}

/// The bundles in a folder, sorted by pair, game and attempt.
fn bundles(dir: &Path) -> Vec<Bundle> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut bundles: Vec<Bundle> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .filter_map(Bundle::of)
        .collect();
    bundles.sort_by_key(|bundle| (bundle.number, bundle.attempt));
    bundles
}

impl Bundle {
    /// `None` if the folder does not have the name of a bundle, for example an interrupted
    /// copy.
    fn of(path: PathBuf) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let numbers: Result<Vec<u64>, _> = name.split('-').map(str::parse).collect();
        let (pair, game, attempt) = match *numbers.ok()? {
            [pair, game] => (pair, game, 1),
            [pair, game, attempt] => (pair, game, attempt),
            _ => return None,
        };
        (pair > 0 && (1..=2).contains(&game)).then_some(Self {
            number: GameNumber { pair, game },
            attempt,
            path,
        })
    }
}

/// The address of a bundle's folder.
fn address(source: &Source<'_>, bundle: &Path, name: &str) -> String {
    let inside = format!("{FAILURES}/{}/", percent_encoded(name));
    match source.place {
        PageLocation::Inside => inside,
        PageLocation::Served(address) => format!("{address}/{inside}"),
        PageLocation::Elsewhere => {
            let path = full_path(bundle).unwrap_or_else(|_| bundle.to_path_buf());
            let path = path.display().to_string();
            let path = if cfg!(windows) {
                format!("/{}", path.replace('\\', "/"))
            } else {
                path
            };
            format!("file://{}/", encoded_path(&path))
        }
    }
}

/// A path with encoded segments.
fn encoded_path(path: &str) -> String {
    let segments: Vec<String> = path.split('/').map(percent_encoded).collect();
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_percent_encoded() {
        assert_eq!(encoded_path("/a b/ü\"<"), "/a%20b/%C3%BC%22%3C");
    }

    #[test]
    fn only_the_last_bundle_of_a_failed_game_up_to_the_verdict_counts() {
        use GameStatus::{Counted, LeftOut, NotJudged, PlayedAgain};
        let dir = tempfile::tempdir().expect("a folder");
        // Game 1 of pair 2 failed twice and then succeeded; that of pair 10 failed three times.
        let names = [
            "10-1", "10-1-2", "10-1-10", "2-1-2", "2-1", "2-2", "3-1", "11-1",
        ];
        for name in names
            .into_iter()
            .chain(["12-1.partial", "0-1", "12-3", "a-b"])
        {
            fs::create_dir(dir.path().join(name)).expect("made");
        }
        let bundles = bundles(dir.path());
        let number = |pair, game| GameNumber { pair, game };
        let failed = BTreeMap::from([
            (number(2, 2), Counted),
            (number(3, 1), LeftOut),
            (number(10, 1), Counted),
            (number(11, 1), Counted),
        ]);
        let statuses = statuses(&bundles, &failed, 10);
        let found: Vec<(&str, GameStatus)> = bundles
            .iter()
            .map(|bundle| {
                bundle
                    .path
                    .file_name()
                    .expect("a name")
                    .to_str()
                    .expect("text")
            })
            .zip(statuses)
            .collect();
        let expected = [
            ("2-1", PlayedAgain),
            ("2-1-2", PlayedAgain),
            ("2-2", Counted),
            ("3-1", LeftOut),
            ("10-1", PlayedAgain),
            ("10-1-2", PlayedAgain),
            ("10-1-10", Counted),
            ("11-1", NotJudged),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_sentence_counts_failures_by_status() {
        let kept_text = |statuses: &[GameStatus]| {
            let text = sentence(statuses);
            let (kept, _) = text.split_once(". ").expect("two sentences");
            kept.to_string()
        };
        assert_eq!(
            kept_text(&[GameStatus::Counted]),
            "Evidence of 1 failure is kept: 1 in a game that counts"
        );
        assert_eq!(
            kept_text(&[
                GameStatus::PlayedAgain,
                GameStatus::Counted,
                GameStatus::NotJudged,
                GameStatus::Counted
            ]),
            "Evidence of 4 failures is kept: 2 in games that count, \
             1 in a game that was played again, \
             1 in a pair that is not judged (after the verdict, or not yet complete)"
        );
    }
}
