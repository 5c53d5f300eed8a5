//! The examples in `docs/statistics.md` show what the program prints.

use std::process::Command;

#[test]
fn examples_are_real() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/statistics.md");
    let page = std::fs::read_to_string(path).expect("the page is part of the project");
    let mut checked = 0;
    for block in page.split("```console\n").skip(1) {
        let block = block.split("```").next().expect("a block ends");
        for example in block.split("$ hone ").skip(1) {
            let (arguments, expected) = example.split_once('\n').expect("an output");
            let output = Command::new(env!("CARGO_BIN_EXE_hone"))
                .args(arguments.split_whitespace())
                .output()
                .expect("hone starts");
            let actual = String::from_utf8(output.stdout).expect("text");
            assert_eq!(actual.trim_end(), expected.trim_end(), "hone {arguments}");
            checked += 1;
        }
    }
    assert!(checked >= 4, "only {checked} examples");
}
