//! Names by pattern: `*` stands for any characters, `?` for one.

use regex_lite::{Regex, escape};

/// Whether `name` matches `pattern`; upper and lower case are equal.
pub fn matches(pattern: &str, name: &str) -> bool {
    let literal = escape(&pattern.to_lowercase());
    let body = literal.replace(r"\*", ".*").replace(r"\?", ".");
    Regex::new(&format!("(?s)^{body}$")).is_ok_and(|regex| regex.is_match(&name.to_lowercase()))
}

/// Whether `name` is selected: in any group (or no group is given) and not
/// excluded.
pub(crate) fn selects(group: &[String], exclude: &[String], name: &str) -> bool {
    let any = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, name));
    (group.is_empty() || any(group)) && !any(exclude)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, name, fits) in [
            ("Qs*", "QsDeltaMargin", true),
            ("qs*margin", "QsDeltaMargin", true),
            ("*Delta*", "QsDeltaMargin", true),
            ("*a*a*a*n", "QsDeltaMargin", false),
            ("Qs", "QsDeltaMargin", false),
            ("L?rBase", "LmrBase", true),
            ("?", "", false),
            ("*", "", true),
            ("a.b (c)*", "A.B (c) [d]", true),
            ("a.b", "axb", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn groups_and_exclusions() {
        let list = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert!(selects(&[], &[], "Hash"));
        assert!(selects(&list(&["Qs*", "Lmr*"]), &[], "LmrBase"));
        assert!(!selects(
            &list(&["Qs*"]),
            &list(&["*Margin"]),
            "QsDeltaMargin"
        ));
        assert!(!selects(&[], &list(&["Hash"]), "hash"));
    }
}
