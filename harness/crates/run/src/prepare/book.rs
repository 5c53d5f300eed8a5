//! The opening book of a run.

use std::path::Path;

use crate::config::Config;
use crate::files::manifest::BookIdentity;
use crate::play::jobs::schedule;
use hone_experiment::settings::BookSource;
use hone_uci::openings::{Book, BookError, BookOptions, Opening};

/// The book, with those openings checked that a run of `rounds` openings can use; all of them
/// if `rounds` is `None`.
pub fn open_book(
    config: &Config,
    rounds: Option<u64>,
    base: &Path,
) -> Result<Option<Book>, BookError> {
    let play = &config.r#match;
    let file = match &play.openings.file {
        None | Some(BookSource::StartPosition) => return Ok(None),
        Some(BookSource::BuiltIn) => return Book::built_in(play.variant).map(Some),
        Some(BookSource::File(file)) => file,
    };
    let options = BookOptions {
        format: None,
        plies: play.openings.plies,
        variant: play.variant,
    };
    let path = base.join(file);
    let Some(rounds) = rounds else {
        return Ok(Some(Book::open(&path, options)?));
    };
    let book = Book::open_part(&path, options, |count| {
        let schedule = schedule(play, count);
        (0..rounds.min(count as u64))
            .map(|round| schedule.index(round))
            .collect()
    })?;
    Ok(Some(book))
}

/// The opening of the first pair.
pub fn first_opening(config: &Config, book: Option<&Book>) -> Opening {
    book.map_or_else(Opening::default, |book| {
        book.opening(schedule(&config.r#match, book.len()).index(0))
    })
}

/// The identity of an open book.
pub fn book_identity(config: &Config, book: Option<&Book>) -> Option<BookIdentity> {
    let play = &config.r#match;
    let file = match play.openings.file.as_ref()? {
        BookSource::BuiltIn => Book::built_in_name(play.variant).into(),
        BookSource::StartPosition => return None,
        BookSource::File(file) => file.clone(),
    };
    book.map(|book| BookIdentity {
        file,
        sha256: book.sha256().to_string(),
        openings: book.len(),
        distinct: Some(book.distinct()),
    })
}
