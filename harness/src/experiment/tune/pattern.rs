//! Names by pattern: `*` stands for any characters, `?` for one.

/// Whether `name` fits `pattern`, letter case aside.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.to_lowercase().chars().collect();
    let name: Vec<char> = name.to_lowercase().chars().collect();
    // Where the last star was, and how much of the name it has taken.
    let mut star: Option<(usize, usize)> = None;
    let (mut p, mut n) = (0, 0);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    p = at + 1;
                    n = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
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
