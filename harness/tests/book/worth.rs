//! `hone book worth` on a run's folder that the tests write.

use std::{fs, path::Path};

use crate::common::hone_book;
use serde_json::json;

const MANIFEST: &str = r#"
hone = "0.1.0"
kind = "match"
created = "2026-01-01T00:00:00Z"
base = "BASE"
concurrency = 1
[[engines]]
name = "a"
id = "A"
author = ""
program = "/bin/a"
sha256 = "00"
[[engines]]
name = "b"
id = "B"
author = ""
program = "/bin/b"
sha256 = "01"
[book]
file = "BOOK"
sha256 = "SHA"
openings = 4
[[config.engine]]
name = "a"
cmd = "a"
[[config.engine]]
name = "b"
cmd = "b"
[config.match]
limit = "nodes=10"
pairs = 5
[config.match.openings]
file = "OPENINGS"
"#;

const BOOK: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 0; fmvn 1;\n\
    4k3/8/8/8/8/8/3P4/4K3 w - - hmvc 0; fmvn 1;\n\
    4k3/8/8/8/8/8/2P5/4K3 w - - hmvc 0; fmvn 1; id \"c\";\n\
    4k3/8/8/8/8/8/1P6/4K3 w - - hmvc 0; fmvn 1;\n";

/// Opening and results of each pair; the sixth is beyond the verdict.
const PAIRS: [(u64, [&str; 2]); 6] = [
    (1, ["1-0", "1-0"]),
    (2, ["1-0", "1/2-1/2"]),
    (3, ["1/2-1/2", "1/2-1/2"]),
    (1, ["1/2-1/2", "1/2-1/2"]),
    (2, ["0-1", "0-1"]),
    (3, ["1-0", "0-1"]),
];

fn run(folder: &Path) {
    let book = folder.join("book.epd");
    fs::write(&book, BOOK).unwrap();
    played(folder, "book.epd", &book, &PAIRS);
}

/// A run that played these pairs with a book, which its configuration calls
/// `openings`. Returns the book's sha256.
fn played(folder: &Path, openings: &str, book: &Path, pairs: &[(u64, [&str; 2])]) -> String {
    let info = hone_book(folder, &["info", book.to_str().unwrap(), "--json"]);
    let info = info.json();
    let sha256 = info["sha256"].as_str().unwrap();
    let name = book.file_name().unwrap();
    let manifest = MANIFEST
        .replace("BASE", folder.to_str().unwrap())
        .replace("SHA", sha256)
        .replace("BOOK", name.to_str().unwrap())
        .replace("OPENINGS", openings);
    fs::create_dir(folder.join("run")).unwrap();
    fs::write(folder.join("run/run.toml"), manifest).unwrap();
    let mut games = "pair,game,white,black,opening,result,termination,plies,white_ms,black_ms,\
        white_nodes,black_nodes,pgn_offset,digest,pgn_bytes,white_moves,black_moves,white_depth,\
        black_depth,white_seldepth,black_seldepth,white_latency_us,black_latency_us,worker,\
        finished_ms\n"
        .to_owned();
    for (index, (opening, results)) in pairs.iter().enumerate() {
        for (game, result) in results.iter().enumerate() {
            let (white, black) = if game == 0 { ("a", "b") } else { ("b", "a") };
            games.push_str(&format!(
                "{},{},{white},{black},{opening},{result},checkmate,9,0,0,0,0,0,\
                 0000000000000000,0,5,4,0,0,0,0,0,0,0,0\n",
                index + 1,
                game + 1
            ));
        }
    }
    fs::write(folder.join("run/games.csv"), games).unwrap();
    sha256.to_owned()
}

#[test]
fn rates_and_undecided_openings_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path());
    let output = hone_book(folder.path(), &["worth", "run", "--json"]);
    let errors = &output.stderr;
    assert_eq!(output.code, Some(0), "{errors}");
    let report = output.json();
    let book = &report["books"][0];
    assert_eq!((&book["played"], &book["openings"]), (&json!(3), &json!(4)));
    assert_eq!(book["undecided"], json!([1, 3]));
    let row = &book["runs"][0];
    assert_eq!((&row["pairs"], &row["games"]), (&json!(5), &json!(10)));
    assert_eq!(
        (&row["draw_rate"], &row["split_rate"]),
        (&json!(0.5), &json!(0.4))
    );
    assert_eq!(row["decided_rate"], json!(0.2));
    assert!(row["sensitivity"].is_null(), "five pairs: {row}");
    assert_eq!(row["outlook"]["best_relative_sensitivity"], json!(1.0));
    let text = hone_book(folder.path(), &["worth", "run"]).stdout;
    for part in [
        "too few different pairs",
        "no advantage for White gives more",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }

    let args = ["worth", "run", "--min-pairs", "2", "--json"];
    let report = hone_book(folder.path(), &args).json();
    assert_eq!(report["books"][0]["undecided"], json!([1]));
}

#[test]
fn a_pruned_book_keeps_the_rest_and_warns() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path());
    let output = hone_book(folder.path(), &["worth", "run", "--prune", "less.epd"]);
    let errors = &output.stderr;
    assert_eq!(output.code, Some(0), "{errors}");
    assert!(
        errors.contains("play new games before you judge a test with this book"),
        "{errors}"
    );
    let lines: Vec<&str> = BOOK.lines().collect();
    let kept = format!("{}\n{}\n", lines[1], lines[3]);
    assert_eq!(
        fs::read_to_string(folder.path().join("less.epd")).unwrap(),
        kept
    );
}

#[test]
fn faulty_lines_of_the_book_count_in_the_numbers_of_openings() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let lines: Vec<&str> = BOOK.lines().collect();
    let book = folder.join("book.epd");
    let text = format!(
        "# three\n8/8/8/8/8/8/8/8 w - -\n{}\n",
        lines[..3].join("\n")
    );
    fs::write(&book, text).unwrap();
    // A run checks only the openings that it can use, here the second.
    let pair = (2, ["1/2-1/2", "1/2-1/2"]);
    played(folder, "book.epd", &book, &[pair]);
    let output = hone_book(folder, &["worth", "run", "--prune", "less.epd", "--json"]);
    let errors = &output.stderr;
    assert_eq!(output.code, Some(0), "{errors}");
    assert!(
        errors.contains("book.epd: 1 illegal openings skipped; the first: line 2"),
        "{errors}"
    );
    let report = output.json();
    assert_eq!(report["books"][0]["undecided"], json!([2]));
    let kept = format!("{}\n{}\n", lines[1], lines[2]);
    assert_eq!(fs::read_to_string(folder.join("less.epd")).unwrap(), kept);
}

#[test]
fn the_built_in_book_is_pruned_too() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let books = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../books"));
    let book = books.join("default.epd.gz");
    let sha256 = played(folder, "default", &book, &PAIRS);
    let output = hone_book(folder, &["worth", "run", "--prune", "less.epd"]);
    let errors = &output.stderr;
    assert_eq!(output.code, Some(0), "{errors}");
    let all = folder.join("all.epd");
    let arguments = ["convert", book.to_str().unwrap(), "--out", "all.epd"];
    assert_eq!(hone_book(folder, &arguments).code, Some(0));
    let kept = fs::read_to_string(all).unwrap();
    let kept: Vec<&str> = kept.lines().collect();
    let pruned = fs::read_to_string(folder.join("less.epd")).unwrap();
    let pruned: Vec<&str> = pruned.lines().collect();
    assert_eq!(pruned[0], kept[1]);
    assert_eq!(pruned[1..], kept[3..]);

    let manifest = folder.join("run/run.toml");
    let other = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, other.replace(&sha256, "00")).unwrap();
    let output = hone_book(folder, &["worth", "run", "--prune", "less.epd"]);
    let errors = &output.stderr;
    assert_eq!(output.code, Some(2), "{errors}");
    let part = "the built-in book of this hone is not the book of these runs";
    assert!(errors.contains(part), "{errors}");
}

#[test]
fn another_book_or_no_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path());
    fs::write(folder.path().join("book.epd"), BOOK.replace("id", "c1")).unwrap();
    for (args, part) in [
        (
            &["worth", "run", "--prune", "less.epd"][..],
            "is not the book of these runs",
        ),
        (
            &["worth", "missing"],
            "no run `missing`: results has 0 runs",
        ),
        (&["worth"], "required"),
    ] {
        let output = hone_book(folder.path(), args);
        let errors = &output.stderr;
        assert_eq!(output.code, Some(2), "{args:?}: {errors}");
        assert!(errors.contains(part), "{args:?}: {errors}");
        assert!(!folder.path().join("less.epd").exists());
    }
}
