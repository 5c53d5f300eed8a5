//! The lines of a book of positions.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::{panic::resume_unwind, path::Path, thread};

use super::{
    BookError, Variant,
    epd::{LineError, PositionLine, is_blank},
    source::BYTE_ORDER_MARK,
};

/// Number of lines that an error names.
const NAMED: usize = 3;

/// Start of each line that has a position.
pub(super) fn line_starts(text: &[u8]) -> Vec<u32> {
    let ends = memchr::memchr_iter(b'\n', text).count();
    let mut starts = Vec::with_capacity(ends.saturating_add(1));
    let mut at = text
        .strip_prefix(BYTE_ORDER_MARK)
        .map_or(0, |_| BYTE_ORDER_MARK.len());
    while at < text.len()
        && let Ok(start) = u32::try_from(at)
    {
        let line = line_at(text, start);
        if !is_blank(line) {
            starts.push(start);
        }
        at = at.saturating_add(line.len()).saturating_add(1);
    }
    starts.shrink_to_fit();
    starts
}

/// The line with this start.
pub(super) fn line_at(text: &[u8], start: u32) -> &[u8] {
    let rest = text.get(start as usize..).unwrap_or_default();
    let end = memchr::memchr(b'\n', rest);
    end.and_then(|end| rest.get(..end)).unwrap_or(rest)
}

/// Checks the positions of the lines with these starts.
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
        let start = starts.get(*index).map_or(0, |start| *start as usize);
        let before = text.get(..start).unwrap_or_default();
        memchr::memchr_iter(b'\n', before).count().saturating_add(1)
    };
    let lines: Vec<usize> = first.iter().map(number).collect();
    let others = faults.count.saturating_sub(1);
    Err(BookError::of_lines(path, &error, &lines, others))
}

/// Faulty lines.
#[derive(Default)]
struct Faults {
    count: usize,
    /// The error of the first one, and the numbers of the first few.
    first: Option<(LineError, Vec<usize>)>,
}

/// The faulty lines among those with these starts, checked in parallel.
fn faults(text: &[u8], starts: &[u32], variant: Variant) -> Faults {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = starts.len().div_ceil(threads).max(1024);
    let check = |number: usize, chunk: &[u32]| {
        let mut faults = chunk.iter().enumerate().filter_map(|(index, &start)| {
            let line = PositionLine::parse(line_at(text, start));
            let error = line.and_then(|line| line.position(variant)).err()?;
            Some((number.saturating_mul(share).saturating_add(index), error))
        });
        let (index, error) = faults.next()?;
        let mut indices = vec![index];
        indices.extend(faults.by_ref().take(NAMED - 1).map(|(index, _)| index));
        Some((indices.len().saturating_add(faults.count()), error, indices))
    };
    let found: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = starts
            .chunks(share)
            .enumerate()
            .map(|(number, chunk)| scope.spawn(move || check(number, chunk)))
            .collect();
        workers
            .into_iter()
            .filter_map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    });
    let mut all = Faults::default();
    for (count, error, indices) in found {
        all.count = all.count.saturating_add(count);
        let (_, named) = all.first.get_or_insert((error, Vec::new()));
        let missing = NAMED.saturating_sub(named.len());
        named.extend(indices.into_iter().take(missing));
    }
    all
}
