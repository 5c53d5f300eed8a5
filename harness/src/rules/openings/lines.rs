//! Positions of a book, a line each.

use std::{path::Path, thread};

use super::{
    BookError, Variant,
    epd::{LineError, PositionLine, is_blank},
    source::BYTE_ORDER_MARK,
};

/// How many lines an error names.
const NAMED: usize = 3;

/// The first four fields of a position: all but the move counters.
pub(crate) fn without_counters(position: &[u8]) -> &[u8] {
    let position = position.trim_ascii_start();
    let is_end = |at: &usize| {
        position[*at].is_ascii_whitespace()
            && position
                .get(at + 1)
                .is_some_and(|next| !next.is_ascii_whitespace())
    };
    let end = (0..position.len()).filter(is_end).nth(3);
    position[..end.unwrap_or(position.len())].trim_ascii_end()
}

/// Where each line that holds a position starts.
pub(super) fn line_starts(text: &[u8]) -> Vec<u32> {
    let mut starts = Vec::with_capacity(memchr::memchr_iter(b'\n', text).count() + 1);
    let mut at = text
        .strip_prefix(BYTE_ORDER_MARK)
        .map_or(0, |_| BYTE_ORDER_MARK.len());
    while at < text.len() {
        let line = line_at(text, at as u32);
        if !is_blank(line) {
            starts.push(at as u32);
        }
        at += line.len() + 1;
    }
    starts.shrink_to_fit();
    starts
}

/// The line that starts at this place.
pub(super) fn line_at(text: &[u8], start: u32) -> &[u8] {
    let rest = &text[start as usize..];
    &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())]
}

/// Checks the positions that start at these places.
pub(super) fn check_lines(
    path: &Path,
    text: &[u8],
    starts: &[u32],
    variant: Variant,
) -> Result<(), BookError> {
    let faults = faults(text, starts, variant);
    let Some((error, first)) = faults.first else {
        return Ok(());
    };
    let number = |index: &usize| {
        let before = &text[..starts[*index] as usize];
        memchr::memchr_iter(b'\n', before).count() + 1
    };
    Err(BookError::Position {
        path: path.to_owned(),
        lines: first.iter().map(number).collect(),
        error,
        others: faults.count - 1,
    })
}

/// Faulty lines.
#[derive(Default)]
struct Faults {
    count: usize,
    /// What is wrong with the first, and the numbers of the first few.
    first: Option<(LineError, Vec<usize>)>,
}

/// The faulty lines among those that start at these places. All processors
/// help.
fn faults(text: &[u8], starts: &[u32], variant: Variant) -> Faults {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = starts.len().div_ceil(threads).max(1024);
    let check = |number: usize, chunk: &[u32]| {
        let mut faults = chunk.iter().enumerate().filter_map(|(index, &start)| {
            let line = PositionLine::parse(line_at(text, start));
            let error = line.and_then(|line| line.position(variant)).err()?;
            Some((number * share + index, error))
        });
        let (index, error) = faults.next()?;
        let mut indices = vec![index];
        indices.extend(faults.by_ref().take(NAMED - 1).map(|(index, _)| index));
        Some((indices.len() + faults.count(), error, indices))
    };
    let found: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = starts
            .chunks(share)
            .enumerate()
            .map(|(number, chunk)| scope.spawn(move || check(number, chunk)))
            .collect();
        workers
            .into_iter()
            .filter_map(|worker| worker.join().expect("checking a line does not panic"))
            .collect()
    });
    let mut all = Faults::default();
    for (count, error, indices) in found {
        all.count += count;
        let (_, named) = all.first.get_or_insert((error, Vec::new()));
        let missing = NAMED - named.len();
        named.extend(indices.into_iter().take(missing));
    }
    all
}
