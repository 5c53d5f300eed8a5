//! Text: names and messages.

use std::borrow::Cow;

pub use crate::diagnostic::with_causes;

/// The first of `stem`, `stem-2`, `stem-3` and so on that is free.
pub fn numbered(stem: &str, is_free: impl FnMut(&String) -> bool) -> String {
    (1_u64..)
        .map(|number| match number {
            1 => stem.to_string(),
            number => format!("{stem}-{number}"),
        })
        .find(is_free)
        .expect("numbers do not end")
}

/// Jaro-Winkler similarity, from 0 to 1, above which a name is suggested.
const SIMILARITY: f64 = 0.8;

/// The candidate most similar to `name`, regardless of case, if one is similar enough for
/// "did you mean".
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    candidates
        .map(|candidate| {
            let similarity = strsim::jaro_winkler(&name, &candidate.to_lowercase());
            (similarity, candidate)
        })
        .filter(|(similarity, _)| *similarity > SIMILARITY)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// The text of a number without its sign if that is a zero, perhaps after rounding.
pub fn unsigned_zero(text: String) -> String {
    match text.strip_prefix(['+', '-']) {
        Some(digits) if digits.parse() == Ok(0.0) => digits.to_string(),
        _ => text,
    }
}

/// Whether a character changes the direction of the text around it.
fn is_directional(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with U+FFFD in place of characters that change the direction of text.
pub fn without_direction(text: &str) -> Cow<'_, str> {
    if text.contains(is_directional) {
        Cow::Owned(text.replace(is_directional, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The text with U+FFFD in place of characters that affect a terminal: control characters
/// except line ends and tabs, and those that change the direction of text.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_unsafe = |c: char| is_directional(c) || (c.is_control() && !matches!(c, '\n' | '\t'));
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n");
    Cow::Owned(text.replace(is_unsafe, "\u{fffd}"))
}

/// Number of characters of a line or word of a file that a message shows.
const SHOWN: usize = 200;

/// The text, or if it is longer, about 200 characters of it around byte `at`, with `…` where it
/// is cut.
pub fn excerpt(text: &str, at: usize) -> Cow<'_, str> {
    if text.chars().nth(SHOWN).is_none() {
        return Cow::Borrowed(text);
    }
    let (before, _) = text.split_at(text.floor_char_boundary(at));
    let start = before.char_indices().rev().nth(SHOWN / 2);
    let start = start.map_or(0, |(start, _)| start);
    let (_, rest) = text.split_at(start);
    let end = rest.char_indices().nth(SHOWN).map(|(end, _)| end);
    let (shown, _) = rest.split_at(end.unwrap_or(rest.len()));
    let mark = |is_cut: bool| if is_cut { "…" } else { "" };
    let (left, right) = (mark(start > 0), mark(end.is_some()));
    Cow::Owned(format!("{left}{shown}{right}"))
}

/// The first 200 characters of a word of a file, with `…` if it is longer.
pub fn shown_word(word: &[u8]) -> String {
    // A character has at most four bytes.
    let start = word.get(..SHOWN * 4 + 4).unwrap_or(word);
    excerpt(&String::from_utf8_lossy(start), 0).into_owned()
}

/// Whether a text begins as UTF-16: with a byte order mark, or with ASCII characters of two
/// bytes each.
pub fn is_utf16(text: &[u8]) -> bool {
    let is_wide = |start: &[u8], zero: usize| {
        let mut pairs = start.chunks_exact(2);
        pairs.all(|pair| pair[zero] == 0 && (1..0x80).contains(&pair[1 - zero]))
    };
    text.starts_with(b"\xff\xfe")
        || text.starts_with(b"\xfe\xff")
        || text
            .get(..8)
            .is_some_and(|start| is_wide(start, 0) || is_wide(start, 1))
}

/// The text of a program's output: [`printable`], and without the escape sequences that colour
/// it or make links of it.
pub fn without_escapes(text: &str) -> String {
    let mut parts = text.split('\x1b');
    let mut plain = parts.next().unwrap_or_default().to_string();
    for part in parts {
        if let Some(part) = part.strip_prefix('[') {
            // Parameters, then a letter.
            let end = part.find(|c: char| ('@'..='~').contains(&c));
            plain += end
                .map_or("", |end| part.split_at(end).1)
                .get(1..)
                .unwrap_or("");
        } else if part.starts_with("]8;") {
            // The address of a link, ended by `\x07` or by `\x1b\`.
            plain += part.split_once('\x07').map_or("", |(_, shown)| shown);
        } else if let Some(shown) = part.strip_prefix('\\').or_else(|| part.strip_prefix("(B")) {
            // The end of an address, or the usual character set.
            plain += shown;
        } else {
            plain.push('\x1b');
            plain += part;
        }
    }
    printable(&plain).into_owned()
}

/// What marks a line in the output of compilers, linkers, shells and interpreters as an error,
/// in lower case.
const ERROR_MARKS: [&str; 14] = [
    "error:",
    "error[",
    "error c",
    "cmake error",
    "fatal:",
    "panicked at",
    "undefined reference",
    "undefined:",
    "no rule to make",
    "terminate called",
    "cannot find",
    "assertion",
    "sanitizer:",
    "exception",
];

/// What marks an error unless another line does: configuration scripts print it too.
const WEAK_MARKS: [&str; 2] = ["not found", "no such file"];

fn has_mark(line: &str, marks: &[&str]) -> bool {
    let line = line.to_ascii_lowercase();
    marks.iter().any(|mark| line.contains(mark))
}

/// The first of the lines that reports an error.
pub fn first_error<T: AsRef<str>>(lines: &[T]) -> Option<usize> {
    let first = |marks| lines.iter().position(|line| has_mark(line.as_ref(), marks));
    first(&ERROR_MARKS).or_else(|| first(&WEAK_MARKS))
}

/// Number of lines from the first error on that an excerpt shows.
const FIRST_LINES: usize = 5;

/// At most `most` lines of a failed program's output, without blank and repeated ones: from the
/// first error on and, after `…`, the last ones.
pub fn error_lines(output: &str, most: usize) -> Vec<&str> {
    let mut lines: Vec<&str> = output.lines().collect();
    lines.retain(|line| !line.trim().is_empty());
    lines.dedup();
    let all_last = lines.len().saturating_sub(most);
    match first_error(&lines).filter(|first| *first < all_last) {
        None => lines.split_off(all_last),
        Some(first) => {
            let last = lines.len() - most.saturating_sub(FIRST_LINES + 1);
            let last = lines.split_off(last);
            let mut shown: Vec<&str> = lines.into_iter().skip(first).take(FIRST_LINES).collect();
            shown.push("…");
            shown.extend(last);
            shown
        }
    }
}

/// `1 pair`, `2 pairs`.
pub fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_a_program_is_shown_without_escape_sequences() {
        for (output, shown) in [
            (
                "\x1b[0m\x1b[1;38;5;9merror\x1b[0m: é\x1b[K\r\n\x07 \x1b]0;title\x1b[",
                "error: é\n\u{fffd} \u{fffd}]0;title",
            ),
            // Links of GCC and of Cargo, and tput's end of colours.
            ("[\x1b]8;;http://a/b\x07-Wall\x1b]8;;\x07]", "[-Wall]"),
            ("\x1b]8;;file:///a\x1b\\a.c\x1b]8;;\x1b\\:3", "a.c:3"),
            ("error\x1b(B\x1b[m: b", "error: b"),
        ] {
            assert_eq!(without_escapes(output), shown);
        }
    }

    #[test]
    fn an_excerpt_has_the_first_error_and_the_end() {
        let many = |count: usize| {
            (0..count)
                .map(|n| format!("cc -c {n}.c\n"))
                .collect::<String>()
        };
        let excerpt = |text: &str| error_lines(text, 15).join("\n");
        assert_eq!(excerpt(""), "");
        assert_eq!(excerpt("a\n\n b\n"), "a\n b");
        assert!(excerpt(&many(40)).starts_with("cc -c 25.c\n"));
        let repeated = "sh: clang: not found\n".repeat(30);
        assert_eq!(excerpt(&repeated), "sh: clang: not found");
        // It is among the last lines.
        let late = format!("{}a.c:1:2: error: b\nmake: *** [a] Error 1\n", many(40));
        assert!(!excerpt(&late).contains('…'));
        // A configuration script also prints some words of errors when nothing is wrong.
        const PROBE: &str = "-- Looking for pthread_create in pthreads - not found\n";
        for (before, error) in [
            (PROBE, "a.c:1:2: error: unknown type name 'b'"),
            (PROBE, "error[E0425]: cannot find value `b` in this scope"),
            (
                PROBE,
                "a.c:1:10: fatal error: b.h: No such file or directory",
            ),
            (PROBE, "/usr/bin/ld: a.o: undefined reference to `b'"),
            ("", "sh: 1: clang++: not found"),
            (PROBE, "ModuleNotFoundError: No module named 'b'"),
            (PROBE, "a.cpp(3): error C2065: 'b': undeclared identifier"),
            (PROBE, "CMake Error at CMakeLists.txt:3 (add_subdirectory):"),
            (PROBE, "./main.go:7:2: undefined: b"),
            (
                PROBE,
                "make: *** No rule to make target 'b.h', needed by 'a.o'.  Stop.",
            ),
            (
                PROBE,
                "terminate called after throwing an instance of 'std::bad_alloc'",
            ),
        ] {
            let text = format!(
                "{before}{}{error}\n{}make: *** [a] Error 1\n",
                many(30),
                many(30)
            );
            let shown = excerpt(&text);
            let lines: Vec<&str> = shown.lines().collect();
            assert_eq!(lines[0], error);
            assert_eq!((lines.len(), lines[5]), (15, "…"), "{shown}");
            assert_eq!(lines[14], "make: *** [a] Error 1");
        }
    }

    #[test]
    fn only_a_similar_name_is_suggested() {
        let names = ["QsFutilityMargin", "Hash", "tc", "-engine"];
        for (written, suggested) in [
            ("qsfut", Some("QsFutilityMargin")),
            ("Hasch", Some("Hash")),
            ("-engne", Some("-engine")),
            ("xy", None),
            ("Threads", None),
        ] {
            assert_eq!(nearest(written, names.into_iter()), suggested, "{written}");
        }
    }

    #[test]
    fn a_long_text_is_cut_around_a_place() {
        assert_eq!(excerpt("short é", 3), "short é");
        let long = format!("{}x{}", "é".repeat(1000), "z".repeat(1000));
        let shown = excerpt(&long, 2000);
        assert!(
            shown.contains("éxz") && shown.chars().count() == 202,
            "{shown}"
        );
        assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        let (start, end) = (excerpt(&long, 0), excerpt(&long, long.len()));
        assert!(start.starts_with("éé") && start.ends_with("é…"), "{start}");
        assert!(end.starts_with("…z") && end.ends_with("zz"), "{end}");
        for word in ["\u{1f980}".repeat(300), "a".repeat(1 << 20)] {
            let shown = shown_word(word.as_bytes());
            assert_eq!(shown.chars().count(), 201);
            assert!(
                shown.ends_with('…') && !shown.contains('\u{fffd}'),
                "{shown}"
            );
        }
    }

    #[test]
    fn utf_16_is_recognised_with_and_without_a_mark() {
        for text in [
            &b"\xff\xfe[\0"[..],
            b"\xfe\xff\0[",
            b"[\0E\0v\0e\0",
            b"\0[\0E\0v\0e",
        ] {
            assert!(is_utf16(text), "{text:?}");
        }
        for text in [
            &b""[..],
            b"[Event",
            b"\0\0\0\0\0\0\0\0",
            b"\xef\xbb\xbf[Event",
        ] {
            assert!(!is_utf16(text), "{text:?}");
        }
    }

    #[test]
    fn no_control_character_is_printed() {
        assert_eq!(printable("a\tb\nc é ♞"), "a\tb\nc é ♞");
        assert_eq!(printable("a\r\nb\r\n"), "a\nb\n");
        let hostile = "\x1b]0;title\x07 \x1b[2Jx\r \u{9b}1m \u{202e}txt";
        let shown = printable(hostile);
        assert!(!shown.contains(|c: char| c.is_control() || c == '\u{202e}'));
        assert!(shown.contains("]0;title"), "{shown}");
    }

    #[test]
    fn the_direction_of_text_stays() {
        assert_eq!(without_direction("\u{5d0}\x1b"), "\u{5d0}\x1b");
        assert_eq!(
            without_direction("a\u{202e}b\u{2066}c"),
            "a\u{fffd}b\u{fffd}c"
        );
    }
}
