//! Syzygy tablebases for adjudication.

use std::cell::OnceCell;
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use shakmaty::{Chess, Position};
use shakmaty_syzygy::{Syzygy, SyzygyError, Tablebase};

use crate::rules::{Ending, TablebaseRule};
use hone_base::diagnostic::{Diagnostic, Setting};

const TABLES: Setting = Setting {
    key: "adjudication.syzygy",
    words: "`syzygy` in [adjudication]",
};
const PIECES: Setting = Setting {
    key: "adjudication.syzygy.pieces",
    words: "`pieces`",
};

/// Why tables cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TablebaseError {
    #[error("{TABLES}: cannot read the folder {}: {source}", folder.display())]
    Folder { folder: PathBuf, source: io::Error },
    #[error("{0}")]
    File(#[source] Diagnostic),
    #[error("{TABLES}: {} contains no tables (*.rtbw)", path.display())]
    Empty { path: PathBuf },
    #[error(
        "{TABLES}: {PIECES} is {requested}, but the tables in {} have at most {available} pieces",
        path.display()
    )]
    Pieces {
        path: PathBuf,
        requested: usize,
        available: usize,
    },
}

/// Open tables and their rule.
pub struct Tables {
    tables: Tablebase<Chess>,
    rule: TablebaseRule,
    /// Largest number of pieces, kings included, with which the tables are used.
    pieces: usize,
    /// The first fault that was found in a table.
    damage: OnceCell<String>,
}

/// Number of pieces of the largest tables in some folders.
///
/// # Errors
/// [`TablebaseError`].
pub fn most_pieces(path: &Path) -> Result<usize, TablebaseError> {
    let rule = TablebaseRule {
        path: path.to_path_buf(),
        pieces: None,
        ignore_fifty: false,
        results: Default::default(),
    };
    Ok(Tables::open(&rule)?.pieces)
}

impl Tables {
    /// Opens the tables of a rule. Their contents are read on first use.
    ///
    /// # Errors
    /// [`TablebaseError`].
    pub fn open(rule: &TablebaseRule) -> Result<Self, TablebaseError> {
        let mut tables = Tablebase::new();
        for folder in env::split_paths(&rule.path) {
            add_wdl_tables(&mut tables, &folder)?;
        }
        let available = tables.max_pieces();
        if available == 0 {
            return Err(TablebaseError::Empty {
                path: rule.path.clone(),
            });
        }
        let pieces = rule.pieces.unwrap_or(available);
        if pieces > available {
            return Err(TablebaseError::Pieces {
                path: rule.path.clone(),
                requested: pieces,
                available,
            });
        }
        Ok(Self {
            tables,
            rule: rule.clone(),
            pieces,
            damage: OnceCell::new(),
        })
    }

    /// A warning about the first fault that was found in a table.
    pub fn damage(&self) -> Option<&str> {
        self.damage.get().map(String::as_str)
    }

    /// The end of a game that has reached `position`, if the tables have the position and
    /// the rule applies. `None` with castling rights, without a table, or if it is damaged.
    pub fn judge(&self, position: &Chess) -> Option<Ending> {
        if position.board().occupied().count() > self.pieces {
            return None;
        }
        let wdl = match self.tables.probe_wdl_after_zeroing(position) {
            Ok(wdl) => wdl,
            Err(SyzygyError::ProbeFailed {
                material, error, ..
            }) => {
                self.damage.get_or_init(|| {
                    format!(
                        "`syzygy` in [adjudication]: the table {material}.{} in {} cannot be read ({error}): games continue in its positions",
                        Chess::TBW.ext,
                        self.rule.path.display()
                    )
                });
                return None;
            }
            Err(_) => return None,
        };
        self.rule.decide(position.turn(), wdl, position.halfmoves())
    }
}

/// Adds the WDL tables (`*.rtbw`) in a folder; DTZ tables are not used.
fn add_wdl_tables(tables: &mut Tablebase<Chess>, folder: &Path) -> Result<(), TablebaseError> {
    let unreadable = |source| TablebaseError::Folder {
        folder: folder.to_path_buf(),
        source,
    };
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if file.extension() != Some(Chess::TBW.ext.as_ref()) {
            continue;
        }
        match tables.add_file(&file) {
            // The name is not that of a table.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
            added => added.map_err(|error| {
                let what = format!("{TABLES}: cannot use the table {}", file.display());
                let fault = Diagnostic::new(what).because(error);
                TablebaseError::File(fault.help("replace it by an undamaged copy, or remove it"))
            })?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Outcome;
    use crate::rules::adjudication::TablebaseResults;
    use hone_base::diagnostic::shown;
    use shakmaty::CastlingMode;
    use shakmaty::fen::Fen;

    fn rule(path: &Path, pieces: Option<usize>) -> TablebaseRule {
        TablebaseRule {
            path: path.to_path_buf(),
            pieces,
            ignore_fifty: false,
            results: TablebaseResults::All,
        }
    }

    fn position(fen: &str) -> Chess {
        let fen: Fen = fen.parse().expect(fen);
        fen.into_position(CastlingMode::Standard).expect("legal")
    }

    #[test]
    fn a_folder_without_tables_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let refused = Tables::open(&rule(folder.path(), None));
        let text = refused.err().expect("refused").to_string();
        assert!(text.contains("no tables"), "{text}");
        let refused = Tables::open(&rule(&folder.path().join("not-there"), None));
        let text = refused.err().expect("refused").to_string();
        assert!(text.contains("not-there"), "{text}");
    }

    /// A file of a size that a table can have.
    fn table(folder: &Path, name: &str) {
        fs::write(folder.join(name), [0; 16]).expect("written");
    }

    #[test]
    fn dtz_tables_do_not_count() {
        let folder = tempfile::tempdir().expect("a folder");
        table(folder.path(), "KQvK.rtbz");
        table(folder.path(), "notes.rtbw");
        let refused = Tables::open(&rule(folder.path(), None)).err();
        assert!(
            matches!(refused, Some(TablebaseError::Empty { .. })),
            "{refused:?}"
        );

        table(folder.path(), "KRvK.rtbw");
        table(folder.path(), "KRvKP.rtbz");
        let tables = Tables::open(&rule(folder.path(), None)).expect("one table");
        assert_eq!(tables.pieces, 3);
        let refused = Tables::open(&rule(folder.path(), Some(4))).err();
        let Some(TablebaseError::Pieces {
            requested,
            available,
            ..
        }) = refused
        else {
            panic!("four pieces are refused: {refused:?}");
        };
        assert_eq!((requested, available), (4, 3));
    }

    #[test]
    fn a_table_of_a_wrong_length_is_refused_by_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        table(folder.path(), "KQvK.rtbw");
        fs::write(folder.path().join("KRvK.rtbw"), [0; 17]).expect("written");
        let refused = Tables::open(&rule(folder.path(), None)).err();
        let text = shown(&refused.expect("refused"));
        assert!(text.contains("KRvK.rtbw: unexpected file size"), "{text}");
    }

    #[test]
    fn a_damaged_table_is_named_and_a_missing_one_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        table(folder.path(), "KRvK.rtbw");
        let tables = Tables::open(&rule(folder.path(), None)).expect("one table");
        let queen = position("8/8/8/8/8/2k5/8/KQ6 w - - 0 1");
        assert_eq!(tables.judge(&queen), None);
        assert_eq!(tables.damage(), None);
        let rook = position("8/8/8/8/8/2k5/8/KR6 w - - 0 1");
        assert_eq!(tables.judge(&rook), None);
        let damage = tables.damage().expect("of zeros");
        assert!(damage.contains("the table KRvK.rtbw in "), "{damage}");
    }

    /// Known results, with the tables that `.ci/run` puts into the folder
    /// named by `HONE_TEST_SYZYGY`.
    #[test]
    fn real_tables_give_known_results() {
        let Some(path) = env::var_os("HONE_TEST_SYZYGY") else {
            hone_testing::skipped("HONE_TEST_SYZYGY names no folder with Syzygy tables");
            return;
        };
        let path = PathBuf::from(path);
        let tables = Tables::open(&rule(&path, None)).expect("tables");
        let outcome = |fen: &str| tables.judge(&position(fen)).map(|ending| ending.outcome);
        assert_eq!(
            outcome("8/8/8/8/8/2k5/8/KQ6 w - - 0 1"),
            Some(Outcome::White)
        );
        assert_eq!(outcome("8/8/8/8/8/2k5/8/KQ6 w - - 1 1"), None);
        assert_eq!(
            outcome("8/8/8/8/8/2k5/8/K6N w - - 9 1"),
            Some(Outcome::Draw)
        );
        assert_eq!(
            outcome("8/8/8/8/8/2k4q/8/K7 b - - 0 1"),
            Some(Outcome::Black)
        );
        // A rook's pawn and the defending king in its corner.
        assert_eq!(outcome("k7/8/K7/P7/8/8/8/8 w - - 3 1"), Some(Outcome::Draw));
        assert_eq!(outcome("4k2r/8/8/8/8/8/8/4K3 w k - 0 1"), None, "castling");
        let refused = Tables::open(&rule(&path, Some(7)));
        assert!(matches!(refused.err(), Some(TablebaseError::Pieces { .. })));
    }
}
