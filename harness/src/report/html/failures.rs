//! Games that an engine lost by failing, with what is kept of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use maud::{Markup, html};

use super::markup::{paragraph, preformatted, prose};
use super::numbers::counted;
use super::{PageLocation, Source};
use crate::ledger::{FAILURES, LedgerError, Pairs};
use crate::platform::full_path;
use crate::report::escape::percent_encoded;
use crate::run::Repeats;

/// Bundles whose summary is on the page; the others are linked.
const SHOWN: usize = 50;

/// A game by the number of its pair and its own in the pair, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct GameNumber {
    pair: u64,
    game: u64,
}

/// The evidence of one failure.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Bundle {
    number: GameNumber,
    /// From 1: games can be played again.
    attempt: u64,
    path: PathBuf,
}

/// What became of the game of a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It is the game in the ledger.
    Counted,
    /// So it is, but its pair repeats earlier games.
    LeftOut,
    /// Another game took its place.
    PlayedAgain,
    /// Its pair is not among those up to the verdict.
    NotJudged,
}

/// The bundles of a run; those whose games count among the first `pairs` pairs
/// link to the board.
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
    let fates = fates(&bundles, &failed, pairs);
    Ok(html! {
        (paragraph(&sentence(&fates)))
        @for (index, (bundle, fate)) in bundles.iter().zip(fates).enumerate() {
            (entry(source, bundle, fate, index < SHOWN))
        }
    })
}

/// A bundle on the page, with its summary or only linked.
fn entry(source: &Source<'_>, bundle: &Bundle, fate: Fate, is_shown: bool) -> Markup {
    let name = bundle.path.file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    let GameNumber { pair, game } = bundle.number;
    let link = html! {
        a href=(address(source, &bundle.path, &name)) { (FAILURES) "/" (name) }
        " · "
        @match fate {
            Fate::Counted => a href={ "#game-" (pair) "-" (game) } { "Show the end on the board" },
            Fate::LeftOut => "The pair repeats earlier games",
            Fate::PlayedAgain => "The game was played again",
            Fate::NotJudged => "The pair is not judged",
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

/// How many failures there are of each fate.
fn sentence(fates: &[Fate]) -> String {
    let words = [
        (
            Fate::Counted,
            "in a game that counts",
            "in games that count",
        ),
        (
            Fate::LeftOut,
            "in a pair that repeats earlier games and is left out",
            "in pairs that repeat earlier games and are left out",
        ),
        (
            Fate::PlayedAgain,
            "in a game that was played again",
            "in games that were played again",
        ),
        (
            Fate::NotJudged,
            "in a pair that is not judged (after the verdict, or not yet complete)",
            "in pairs that are not judged (after the verdict, or not yet complete)",
        ),
    ];
    let parts = words.map(|(fate, one, several)| {
        match fates.iter().filter(|other| **other == fate).count() {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {several}")),
        }
    });
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!(
        "Evidence of {} is kept: {}. `hone replay` repeats the situation.",
        counted(fates.len() as u64, "failure"),
        parts.join(", ")
    )
}

/// The games among the first `pairs` pairs that a failure ended, and whether
/// they count or are left out.
fn failed_games(
    source: &Source<'_>,
    pairs: u64,
) -> Result<BTreeMap<GameNumber, Fate>, LedgerError> {
    let mut failed = BTreeMap::new();
    let mut repeats = Repeats::new(source.manifest.repeats);
    // A live page opened its ledger before the newest pairs came.
    let ledger = Pairs::open(source.dir, &source.manifest.names())?;
    for entry in ledger.in_order(pairs)? {
        let result = entry?.result;
        let fate = match repeats.take(&result).is_dropped {
            true => Fate::LeftOut,
            false => Fate::Counted,
        };
        let pair = result.pair + 1;
        for (game, played) in (1..).zip(&result.games) {
            if played.termination.is_failure() {
                failed.insert(GameNumber { pair, game }, fate);
            }
        }
    }
    Ok(failed)
}

/// Of each of the bundles, which are in order: only the last of a game can be
/// that of the game in the ledger.
fn fates(bundles: &[Bundle], failed: &BTreeMap<GameNumber, Fate>, pairs: u64) -> Vec<Fate> {
    let next = bundles.iter().skip(1).map(|bundle| Some(bundle.number));
    let next = next.chain([None]);
    let fates = bundles.iter().zip(next).map(|(bundle, next)| {
        let number = bundle.number;
        match failed.get(&number) {
            _ if number.pair > pairs => Fate::NotJudged,
            Some(fate) if next != Some(number) => *fate,
            _ => Fate::PlayedAgain,
        }
    });
    fates.collect()
}

/// By pair, game and attempt.
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
    /// None if the folder does not have the name of a bundle, as a copy that
    /// was interrupted.
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

fn address(source: &Source<'_>, bundle: &Path, name: &str) -> String {
    let inside = format!("{FAILURES}/{}/", percent_encoded(name));
    match source.place {
        PageLocation::Inside => inside,
        PageLocation::Served(address) => format!("{address}/{inside}"),
        PageLocation::Elsewhere => {
            let path = full_path(bundle).unwrap_or_else(|_| bundle.to_path_buf());
            let path = path.display().to_string();
            let path = match cfg!(windows) {
                true => format!("/{}", path.replace('\\', "/")),
                false => path,
            };
            format!("file://{}/", encoded_path(&path))
        }
    }
}

/// A path in an address.
fn encoded_path(path: &str) -> String {
    let segments: Vec<String> = path.split('/').map(percent_encoded).collect();
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_hold_any_path() {
        assert_eq!(encoded_path("/a b/ü\"<"), "/a%20b/%C3%BC%22%3C");
    }

    #[test]
    fn only_the_last_bundle_of_a_failed_game_up_to_the_verdict_counts() {
        use Fate::{Counted, LeftOut, NotJudged, PlayedAgain};
        let dir = tempfile::tempdir().expect("a folder");
        // Game 1 of pair 2 failed twice and then did not; that of pair 10 failed to the end.
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
        let fates = fates(&bundles, &failed, 10);
        let found: Vec<(&str, Fate)> = bundles
            .iter()
            .map(|bundle| {
                bundle
                    .path
                    .file_name()
                    .expect("a name")
                    .to_str()
                    .expect("text")
            })
            .zip(fates)
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
    fn the_sentence_has_the_number_of_each() {
        let said = |fates: &[Fate]| {
            let text = sentence(fates);
            let (kept, _) = text.split_once(". ").expect("two sentences");
            kept.to_string()
        };
        assert_eq!(
            said(&[Fate::Counted]),
            "Evidence of 1 failure is kept: 1 in a game that counts"
        );
        assert_eq!(
            said(&[
                Fate::PlayedAgain,
                Fate::Counted,
                Fate::NotJudged,
                Fate::Counted
            ]),
            "Evidence of 4 failures is kept: 2 in games that count, \
             1 in a game that was played again, \
             1 in a pair that is not judged (after the verdict, or not yet complete)"
        );
    }
}
