//! `elo.csv`: one row for each night.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Role;
use hone_base::diagnostic::Diagnostic;
use hone_base::platform::write_whole;
use hone_builds::short_id;
use hone_report::{guarded, unguarded};
use hone_stats::{Estimate, Pentanomial};

/// One build and its results.
#[derive(Debug, Clone, PartialEq)]
pub struct Night {
    /// Name of its run.
    pub run: String,
    /// When it was played.
    pub date: Timestamp,
    pub commit: String,
    /// Committer date.
    pub committed: Timestamp,
    pub subject: String,
    /// Its release tag, if it has one.
    pub tag: Option<String>,
    pub bench: Option<u64>,
    /// The limit, as in the configuration.
    pub limit: String,
    pub matches: Vec<NightMatch>,
    /// Elo relative to the anchor, as estimated that night.
    pub elo: Option<Estimate>,
    /// Its nodes per second in the games.
    pub nps: Option<f64>,
    /// Games that it lost by a failure.
    pub failures: u64,
    /// The findings that withhold a regression which these games show; empty if there are none,
    /// or they are only reported.
    pub findings: String,
}

/// The night's pairs against one opponent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NightMatch {
    pub role: Role,
    pub commit: String,
    /// From the new build's side.
    pub pentanomial: Pentanomial,
}

impl Night {
    /// The first digits of its commit.
    pub fn short(&self) -> &str {
        short_id(&self.commit)
    }

    /// The commit of its previous nightly, if it played that.
    pub(super) fn previous(&self) -> Option<&str> {
        let mut matches = self.matches.iter();
        let played = matches.find(|played| played.role == Role::Previous)?;
        Some(&played.commit)
    }

    fn games(&self) -> u64 {
        self.matches
            .iter()
            .map(|played| played.pentanomial.games())
            .sum()
    }
}

/// Errors of the table of nights.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: {source}", path.display())]
    Csv { path: PathBuf, source: csv::Error },
    #[error("{0}")]
    Column(#[source] Diagnostic),
    #[error("{}, the row of {run}: {reason}", path.display())]
    Row {
        path: PathBuf,
        run: String,
        reason: String,
    },
}

/// A row: lists are separated by spaces, the counts of a pentanomial by
/// slashes.
#[derive(Debug, Serialize, Deserialize)]
struct Row {
    run: String,
    date: Timestamp,
    commit: String,
    committed: Timestamp,
    subject: String,
    tag: Option<String>,
    bench: Option<u64>,
    limit: String,
    roles: String,
    opponents: String,
    games: u64,
    pentanomials: String,
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    nps: Option<f64>,
    failures: u64,
    #[serde(default)]
    findings: String,
}

/// The fields of a row, in order.
const COLUMNS: [&str; 18] = [
    "run",
    "date",
    "commit",
    "committed",
    "subject",
    "tag",
    "bench",
    "limit",
    "roles",
    "opponents",
    "games",
    "pentanomials",
    "elo",
    "elo_low",
    "elo_high",
    "nps",
    "failures",
    "findings",
];

/// The nights of a table, in the order in which they were written; empty before
/// the first night.
///
/// # Errors
/// [`HistoryError`].
pub fn read(path: &Path) -> Result<Vec<Night>, HistoryError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => {
            let path = path.to_path_buf();
            return Err(HistoryError::Io { path, source });
        }
    };
    let malformed = |source| HistoryError::Csv {
        path: path.to_path_buf(),
        source,
    };
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let mut columns = reader.headers().map_err(malformed)?.iter();
    if let Some(column) = columns.find(|column| !COLUMNS.contains(column)) {
        let unknown = Diagnostic::new(format!(
            "{}: unknown column `{column}`, which would be lost with the next row",
            path.display()
        ));
        let help = "remove the column, or keep it in another file";
        return Err(HistoryError::Column(unknown.help(help)));
    }
    let mut runs = HashSet::new();
    let rows = reader.deserialize::<Row>().map(|row| {
        let row = row.map_err(malformed)?;
        let run = row.run.clone();
        let night = if runs.insert(run.clone()) { row.try_into() } else { Err("the table has it twice, and its games would count twice: remove one of the two rows".to_string()) };
        night.map_err(|reason| HistoryError::Row {
            path: path.to_path_buf(),
            run,
            reason,
        })
    });
    rows.collect()
}

/// Adds a night to the table atomically.
///
/// # Errors
/// [`HistoryError`].
pub(super) fn append(
    path: &Path,
    nights: &mut Vec<Night>,
    night: Night,
) -> Result<(), HistoryError> {
    nights.push(night);
    let mut writer = csv::Writer::from_writer(Vec::new());
    let written = nights
        .iter()
        .try_for_each(|night| writer.serialize(Row::from(night)));
    written.map_err(|source| HistoryError::Csv {
        path: path.to_path_buf(),
        source,
    })?;
    let write = || {
        let bytes = writer.into_inner().map_err(|error| error.into_error())?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        write_whole(path, |file| file.write_all(&bytes))
    };
    write().map_err(|source| HistoryError::Io {
        path: path.to_path_buf(),
        source,
    })
}

impl From<&Night> for Row {
    fn from(night: &Night) -> Self {
        let list = |item: fn(&NightMatch) -> String| -> String {
            let items: Vec<String> = night.matches.iter().map(item).collect();
            items.join(" ")
        };
        let hundredths = |elo: f64| (elo * 100.0).round() / 100.0;
        Self {
            run: night.run.clone(),
            date: night.date,
            commit: night.commit.clone(),
            committed: night.committed,
            subject: guarded(&night.subject),
            tag: night.tag.as_deref().map(guarded),
            bench: night.bench,
            limit: night.limit.clone(),
            roles: list(|played| played.role.name().to_string()),
            opponents: list(|played| played.commit.clone()),
            games: night.games(),
            pentanomials: list(|played| played.pentanomial.0.map(|n| n.to_string()).join("/")),
            elo: night.elo.map(|elo| hundredths(elo.estimate)),
            elo_low: night.elo.map(|elo| hundredths(elo.low)),
            elo_high: night.elo.map(|elo| hundredths(elo.high)),
            nps: night.nps.map(f64::round),
            failures: night.failures,
            findings: guarded(&night.findings),
        }
    }
}

impl TryFrom<Row> for Night {
    type Error = String;

    fn try_from(row: Row) -> Result<Self, String> {
        let roles: Vec<&str> = row.roles.split_whitespace().collect();
        let opponents: Vec<&str> = row.opponents.split_whitespace().collect();
        let counts: Vec<&str> = row.pentanomials.split_whitespace().collect();
        if roles.len() != opponents.len() || roles.len() != counts.len() {
            return Err(format!(
                "`roles`, `opponents` and `pentanomials` have {}, {} and {} entries: they must \
                 have the same number",
                roles.len(),
                opponents.len(),
                counts.len()
            ));
        }
        let matches = roles.iter().zip(opponents).zip(counts);
        let matches = matches.map(|((role, opponent), counts)| {
            Ok(NightMatch {
                role: Role::named(role).ok_or_else(|| format!("`{role}` is not a role"))?,
                commit: opponent.to_string(),
                pentanomial: pentanomial(counts)?,
            })
        });
        let elo = match (row.elo, row.elo_low, row.elo_high) {
            (Some(estimate), Some(low), Some(high)) => Some(Estimate {
                estimate,
                low,
                high,
            }),
            _ => None,
        };
        let matches: Vec<NightMatch> = matches.collect::<Result<_, String>>()?;
        let games: u64 = matches.iter().map(|m| m.pentanomial.games()).sum();
        if games != row.games {
            return Err(format!(
                "`games` is {}, and the pentanomials have {games}",
                row.games
            ));
        }
        Ok(Self {
            matches,
            run: row.run,
            date: row.date,
            commit: row.commit,
            committed: row.committed,
            subject: unguarded(&row.subject),
            tag: row.tag.as_deref().map(unguarded),
            bench: row.bench,
            limit: row.limit,
            elo,
            nps: row.nps,
            failures: row.failures,
            findings: unguarded(&row.findings),
        })
    }
}

/// Maximum count of a pentanomial in a row, so that the sums of all nights fit 64 bits.
const MAX_COUNT: u64 = 1_000_000_000_000;

fn pentanomial(text: &str) -> Result<Pentanomial, String> {
    let count = |count: &str| count.parse().ok().filter(|count| *count <= MAX_COUNT);
    let counts: Option<Vec<u64>> = text.split('/').map(count).collect();
    counts
        .and_then(|counts| <[u64; 5]>::try_from(counts).ok())
        .map(Pentanomial)
        .ok_or_else(|| format!("`{text}` is not a pentanomial"))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A night with these matches: role, opponent, counts.
    pub(crate) fn night(number: i64, commit: &str, matches: &[(Role, &str, [u64; 5])]) -> Night {
        let time = Timestamp::from_second(86_400 * number).expect("in range");
        Night {
            run: commit.to_string(),
            date: time,
            commit: commit.to_string(),
            committed: time,
            subject: format!("Change, \"number\" {number}"),
            tag: (number == 2).then(|| "v1".to_string()),
            bench: Some(5),
            limit: "nodes=5".to_string(),
            matches: matches
                .iter()
                .map(|(role, commit, counts)| NightMatch {
                    role: *role,
                    commit: (*commit).to_string(),
                    pentanomial: Pentanomial(*counts),
                })
                .collect(),
            elo: None,
            nps: None,
            failures: 0,
            findings: String::new(),
        }
    }

    #[test]
    fn nights_come_back_as_they_were_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep").join("elo.csv");
        let mut nights = read(&path).expect("there is none yet");
        assert!(nights.is_empty());
        let mut first = night(2, "b", &[(Role::Anchor, "a", [1, 2, 3, 4, 5])]);
        first.elo = Some(Estimate {
            estimate: 1.5,
            low: -2.0,
            high: 5.0,
        });
        first.nps = Some(1000.0);
        first.findings = "Doubtful (few openings): 24 pairs, \"2\" openings".to_string();
        append(&path, &mut nights, first).expect("written");
        append(&path, &mut nights, night(1, "a", &[])).expect("written");
        assert_eq!(read(&path).expect("reads"), nights);
    }

    #[test]
    fn a_subject_is_not_a_formula() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("elo.csv");
        let subjects = [
            "=HYPERLINK(\"x\")",
            "+1",
            "-1",
            "@x",
            "'=1",
            "'quoted'",
            "x=1",
        ];
        let mut nights = Vec::new();
        for (number, subject) in subjects.into_iter().enumerate() {
            let mut hostile = night(2, "b", &[]);
            hostile.run = number.to_string();
            hostile.subject = subject.to_string();
            append(&path, &mut nights, hostile).expect("written");
        }
        let mut reader = csv::Reader::from_path(&path).expect("opens");
        for row in reader.records().map(|row| row.expect("a row")) {
            assert!(!row[4].starts_with(['=', '+', '-', '@']), "{row:?}");
        }
        assert_eq!(read(&path).expect("reads"), nights);
    }

    #[test]
    fn a_row_counts_once_and_its_games_are_those_of_its_pairs() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("elo.csv");
        let played = night(2, "b", &[(Role::Anchor, "a", [1, 2, 3, 4, 5])]);
        append(&path, &mut Vec::new(), played).expect("written");
        let text = std::fs::read_to_string(&path).expect("there");
        let row = text.lines().nth(1).expect("a row");
        for (damaged, wrong) in [
            (
                format!("{text}{row}\n"),
                "the row of b: the table has it twice",
            ),
            (
                text.replace(",30,", ",28,"),
                "`games` is 28, and the pentanomials have 30",
            ),
        ] {
            std::fs::write(&path, damaged).expect("written");
            let error = read(&path).expect_err("refused").to_string();
            assert!(error.contains(wrong), "{error}");
        }
    }

    #[test]
    fn a_column_of_the_user_is_refused_and_not_lost() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("elo.csv");
        append(&path, &mut Vec::new(), night(2, "b", &[])).expect("written");
        let text = fs::read_to_string(&path).expect("there");
        let (head, row) = text.split_once('\n').expect("two lines");
        assert_eq!(head, COLUMNS.join(","));
        fs::write(&path, format!("{head},note\n{},mine\n", row.trim_end())).expect("written");
        let error = read(&path).expect_err("refused").to_string();
        assert!(error.contains("unknown column `note`"), "{error}");
    }

    #[test]
    fn a_table_from_before_the_last_column_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("elo.csv");
        let mut nights = Vec::new();
        append(&path, &mut nights, night(2, "b", &[])).expect("written");
        let text = fs::read_to_string(&path).expect("there");
        let older = text.replace(",findings\n", "\n").replace(",0,\n", ",0\n");
        assert_eq!(older.len() + ",findings,".len(), text.len());
        fs::write(&path, older).expect("written");
        assert_eq!(read(&path).expect("reads"), nights);
    }

    #[test]
    fn a_damaged_table_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("elo.csv");
        append(
            &path,
            &mut Vec::new(),
            night(2, "b", &[(Role::Anchor, "a", [1, 2, 3, 4, 5])]),
        )
        .expect("written");
        let text = fs::read_to_string(&path).expect("there");
        for (from, to, says) in [
            ("1/2/3/4/5", "1/2/3/4", "not a pentanomial"),
            (
                "1/2/3/4/5",
                "1/2/3/4/18446744073709551615",
                "not a pentanomial",
            ),
            ("anchor", "friend", "not a role"),
            ("anchor", "anchor anchor", "2, 1 and 1 entries"),
        ] {
            fs::write(&path, text.replace(from, to)).expect("written");
            let error = read(&path).expect_err(says).to_string();
            assert!(error.contains(says) && error.contains("elo.csv"), "{error}");
        }
    }
}
