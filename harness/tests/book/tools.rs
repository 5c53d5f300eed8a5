//! `hone book info` and `hone book convert`.

use std::{fs, path::Path};

use crate::common::{Finished, hone_book, hone_in};
use hone_base::diagnostic::shown;
use hone_uci::openings::{Book, BookOptions, Variant};
use serde_json::Value;

fn json(finished: &Finished) -> Value {
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    finished.json()
}

fn opened(path: &Path, options: BookOptions) -> Book {
    Book::open(path, options).unwrap()
}

const GAMES: &str = "[Event \"?\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n\n\
    [Event \"?\"]\n\n1. Nf3 Nc6 2. e4 e5 3. Bb5 a6 *\n\n\
    [Event \"?\"]\n\n1. d4 d5 2. c4 *\n\n";

#[test]
fn info_counts_what_is_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let text = "# mine\n4k3/8/8/8/8/8/4P3/4K3 w - - ce 90;\nx\n4k3/8/8/8/8/8/4P3/4K3 w - - 3 9\n\
        8/8/8/8/8/8/8/8 w - -\n4k3/4p3/8/8/8/8/8/4K3 b - - ce 100;\n";
    fs::write(folder.path().join("a.epd"), text).unwrap();
    let info = json(&hone_book(folder.path(), &["info", "a.epd", "--json"]));
    assert_eq!(info["count"], 3);
    assert_eq!(info["duplicates"], 1);
    assert_eq!(info["illegal"], 2);
    assert_eq!(info["illegal_lines"][0]["line"], 3);
    assert_eq!(info["illegal_lines"][1]["line"], 5);
    assert_eq!(info["side_to_move"]["black"], 1);
    assert_eq!(info["balance"]["1"], 2);

    fs::write(folder.path().join("none.epd"), "\x7fELF\0\nx\n").unwrap();
    let none = hone_book(folder.path(), &["info", "none.epd"]);
    assert_eq!(none.code, Some(2), "{}", none.stdout);
    let message =
        "none.epd contains no openings, only 2 illegal lines: only 1 of the four position";
    assert!(none.stderr.contains(message), "{}", none.stderr);

    let output = hone_book(folder.path(), &["info", "a.epd"]);
    let text = &output.stdout;
    assert!(
        text.contains("line 5: illegal position: empty board"),
        "{text}"
    );
}

#[test]
fn convert_keeps_moves_through_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.pgn"), GAMES).unwrap();
    json(&hone_book(
        folder,
        &[
            "convert", "a.pgn", "--out", "b.epd.gz", "--plies", "4", "--json",
        ],
    ));
    json(&hone_book(
        folder,
        &["convert", "b.epd.gz", "--out", "c.pgn.zip", "--json"],
    ));
    let options = BookOptions {
        plies: Some(4),
        ..BookOptions::default()
    };
    let before = opened(&folder.join("a.pgn"), options);
    let after = opened(&folder.join("c.pgn.zip"), BookOptions::default());
    assert_eq!(before.iter().count(), 3);
    assert!(before.iter().eq(after.iter()));
    let positions = opened(&folder.join("b.epd.gz"), BookOptions::default());
    for (game, position) in before.iter().zip(positions.iter()) {
        let end = game.position(Variant::Standard).unwrap();
        assert_eq!(end, position.position(Variant::Standard).unwrap());
    }
}

#[test]
fn convert_shuffles_splits_and_drops() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.pgn"), GAMES.repeat(3)).unwrap();
    let convert = |more: &[&str]| {
        let args = [&["convert", "a.pgn", "--json", "--out"], more].concat();
        json(&hone_book(folder, &args))
    };
    let report = convert(&["u.epd", "--unique"]);
    assert_eq!(
        (&report["count"], &report["duplicates"]),
        (&2.into(), &7.into())
    );

    for out in ["s1.epd", "s2.epd"] {
        convert(&[out, "--shuffle", "7"]);
    }
    convert(&["s3.epd", "--shuffle", "8"]);
    let lines = |name: &str| -> Vec<String> {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        text.lines().map(str::to_owned).collect()
    };
    assert_eq!(lines("s1.epd"), lines("s2.epd"));
    assert_ne!(lines("s1.epd"), lines("s3.epd"));
    let sorted = |mut lines: Vec<String>| {
        lines.sort();
        lines
    };
    assert_eq!(sorted(lines("s1.epd")), sorted(lines("s3.epd")));

    let report = convert(&["p.epd", "--shuffle", "7", "--split", "2"]);
    assert_eq!(report["books"], serde_json::json!(["p-1.epd", "p-2.epd"]));
    assert_eq!(
        [lines("p-1.epd"), lines("p-2.epd")].concat(),
        lines("s1.epd")
    );
    assert_eq!(lines("p-1.epd").len(), 4);
}

#[test]
fn illegal_openings_are_refused_or_left_out_on_demand() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.epd"), "4k3/8/8/8/8/8/4P3/4K3 w - -\nx\n").unwrap();
    let refused = hone_book(folder, &["convert", "a.epd", "--out", "b.epd"]);
    assert_eq!(refused.code, Some(2));
    let errors = &refused.stderr;
    assert!(errors.contains("\n  --> a.epd:2\n"), "{errors}");
    assert!(!folder.join("b.epd").exists());
    let report = json(&hone_book(
        folder,
        &[
            "convert",
            "a.epd",
            "--out",
            "b.epd",
            "--skip-illegal",
            "--json",
        ],
    ));
    assert_eq!(
        (&report["count"], &report["illegal"]),
        (&1.into(), &1.into())
    );
}

#[test]
fn faults_of_movetext_have_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (text, line, words) in [
        (
            "1. e4 c5 *\n1. d4 d5 *\n",
            2,
            "put an empty line without spaces between games",
        ),
        ("1. e4 c5 *\r1. d4 d5 *\r", 2, "moves after the result"),
        (
            "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5\n4. O–O d6 *\n",
            2,
            "write castling as O-O",
        ),
        ("1. e4 *\n\n1. d4 {a\n\n1. c4 *\n", 3, "is not closed"),
    ] {
        // A file without any opening is refused.
        let text = match (words, text.contains('\r')) {
            ("is not closed", _) => text.to_string(),
            (_, true) => format!("{text}\r1. c4 *\r"),
            (_, false) => format!("{text}\n1. c4 *\n"),
        };
        fs::write(folder.join("a.pgn"), &text).unwrap();
        let info = json(&hone_book(folder, &["info", "a.pgn", "--json"]));
        let fault = &info["illegal_lines"][0];
        assert_eq!(fault["line"], line, "{text}");
        if words == "is not closed" {
            assert_eq!(info["illegal_lines"].as_array().unwrap().len(), 1, "{text}");
        }
        let error = fault["error"].as_str().unwrap();
        assert!(error.contains(words), "{error}");
        let refused = Book::open(&folder.join("a.pgn"), BookOptions::default());
        let error = shown(&refused.unwrap_err());
        assert!(error.contains(words), "{error}");
        assert!(error.ends_with(&format!("a.pgn:{line}")), "{error}");
    }
}

#[test]
fn a_polyglot_book_becomes_a_list_of_openings() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // 1. e4 and 1. d4 from the start position; 1... d5 after 1. e4. The keys
    // are those printed in the description of the format.
    let mut book = Vec::new();
    for (key, packed, weight) in [
        (0x463b_9618_1691_fc9c_u64, 0o14_34_u16, 2_u16),
        (0x463b_9618_1691_fc9c, 0o13_33, 1),
        (0x823c_9b50_fd11_4196, 0o63_43, 1),
    ] {
        book.extend(key.to_be_bytes());
        book.extend(packed.to_be_bytes());
        book.extend(weight.to_be_bytes());
        book.extend([0; 4]);
    }
    fs::write(folder.join("a.bin"), book).unwrap();
    json(&hone_book(
        folder,
        &["convert", "a.bin", "--out", "b.pgn", "--json"],
    ));
    let openings: Vec<String> = opened(&folder.join("b.pgn"), BookOptions::default())
        .iter()
        .map(|opening| opening.moves.to_string())
        .collect();
    assert_eq!(openings, ["e2e4 d7d5", "d2d4"]);
    let info = json(&hone_book(folder, &["info", "a.bin", "--json"]));
    assert_eq!(
        (&info["count"], &info["format"]),
        (&2.into(), &"polyglot".into())
    );
}

#[test]
fn shipped_books_match_their_description() {
    let books = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../books"));
    let folder = tempfile::tempdir().unwrap();
    let mut size = 0;
    for (name, variant, least, window) in [
        ("quick.epd", "", 500, -25..=25),
        ("default.epd.gz", "", 12000, -30..=30),
        ("balanced.epd", "", 5000, -30..=30),
        ("unbalanced.epd", "", 5000, 80..=120),
        ("chess960.epd", "--chess960", 960, -30..=30),
    ] {
        let path = books.join(name);
        size += fs::metadata(&path).unwrap().len();
        let mut args = vec!["info", path.to_str().unwrap(), "--json"];
        if !variant.is_empty() {
            args.push(variant);
        }
        let info = json(&hone_book(books, &args));
        assert!(info["count"].as_u64().unwrap() >= least, "{name}");
        assert_eq!(
            (&info["illegal"], &info["duplicates"]),
            (&0.into(), &0.into()),
            "{name}"
        );
        let plain = folder.path().join("plain.epd");
        let mut args = vec!["convert", args[1], "--out", plain.to_str().unwrap()];
        if !variant.is_empty() {
            args.push(variant);
        }
        assert_eq!(hone_book(books, &args).code, Some(0), "{name}");
        for line in fs::read_to_string(plain).unwrap().lines() {
            let (_, score) = line.split_once(" ce ").expect(line);
            let score: i32 = score.split(';').next().unwrap().parse().expect(line);
            let of_white = if line.contains(" w ") { score } else { -score };
            assert!(window.contains(&of_white), "{name}: {line}");
        }
    }
    assert!(size < 2_500_000, "{size} bytes");
}

#[test]
fn a_book_of_chess960_is_recognised() {
    let books = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../books"));
    let output = hone_book(books, &["info", "chess960.epd", "--json"]);
    let errors = &output.stderr;
    assert_eq!(json(&output)["illegal"], 0);
    assert_eq!(errors, "chess960.epd is read as a Chess960 book\n");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("all.epd");
    let args = ["convert", "chess960.epd", "--out", out.to_str().unwrap()];
    assert_eq!(hone_book(books, &args).code, Some(0));
    let games = folder.path().join("all.pgn");
    let args = ["convert", "chess960.epd", "--out", games.to_str().unwrap()];
    assert_eq!(hone_book(books, &args).code, Some(0));
    let text = fs::read_to_string(&games).unwrap();
    assert_eq!(text.matches("[Variant \"Chess960\"]\n").count(), 1000);
    let output = hone_book(folder.path(), &["info", "all.pgn", "--json"]);
    let errors = &output.stderr;
    assert_eq!(errors, "all.pgn is read as a Chess960 book\n");
    let info = json(&output);
    assert_eq!(
        (&info["count"], &info["illegal"]),
        (&1000.into(), &0.into())
    );
    // A run by the standard rules: one message for all lines.
    let text = fs::read_to_string(&out).unwrap();
    let broken = text.lines().take(20).collect::<Vec<_>>().join("\n");
    fs::write(&out, broken).unwrap();
    let match_of = ["match", "./a", "./b", "--book", "all.epd"];
    let run = hone_in(folder.path(), &match_of);
    let errors = &run.stderr;
    assert_eq!(run.code, Some(2), "{errors}");
    assert_eq!(errors.matches("--> ").count(), 3, "{errors}");
    assert!(errors.contains("more invalid lines)"), "{errors}");
    for way in ["match.variant=chess960", "--chess960 with `hone book`"] {
        assert!(errors.contains(way), "{errors}");
    }
}
