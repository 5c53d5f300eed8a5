//! The parameter table and everything derived from it.

use std::collections::HashSet;
use std::path::Path;
use stillwater::params::{Kind, PARAMETERS, Params, SETTINGS, Settings, format, set};

#[test]
fn the_documentation_is_not_stale() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("parameters.md");
    let page = std::fs::read_to_string(&path).expect("engine/parameters.md");
    let fresh = format::render("markdown").unwrap();
    assert!(
        page == fresh,
        "write it anew: stillwater params --format markdown > engine/parameters.md"
    );
}

#[test]
fn names_are_unique_and_descriptions_are_sentences() {
    let mut names = HashSet::new();
    let rows = PARAMETERS.iter().map(|row| (row.name, row.about));
    for (name, about) in rows.chain(SETTINGS.iter().map(|row| (row.name, row.about))) {
        assert!(names.insert(name.to_ascii_lowercase()), "{name} twice");
        assert!(about.ends_with('.') && about.len() > 10, "{name}: {about}");
        assert!(!about.contains('|'), "{name} would break the table");
    }
}

/// `QsTtExact` as `qs_tt_exact`, `ContinuationWeight1` as
/// `continuation_weight_1`, `MultiPV` as `multi_pv`.
fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().filter(|letter| *letter != ' ').collect();
    let mut out = String::new();
    for (i, &letter) in letters.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| letters[i]);
        let after = letters.get(i + 1);
        let begins = match before {
            None | Some('_') => false,
            Some(before) if letter.is_ascii_digit() => {
                before.is_ascii_lowercase() && after.is_none()
            }
            Some(before) => {
                letter.is_uppercase()
                    && (!before.is_uppercase() || after.is_some_and(|after| after.is_lowercase()))
            }
        };
        if begins {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

#[test]
fn fields_are_named_as_their_options() {
    let rows = PARAMETERS.iter().map(|row| (row.name, row.field));
    for (name, field) in rows.chain(SETTINGS.iter().map(|row| (row.name, row.field))) {
        assert_eq!(snake_case(name), field);
    }
}

#[test]
fn every_value_can_be_set_and_is_read_back() {
    let (mut params, mut settings) = (Params::DEFAULT, Settings::DEFAULT);
    for row in PARAMETERS {
        let values: Vec<String> = match row.kind {
            Kind::Spin { min, max, .. } => vec![min.to_string(), max.to_string()],
            Kind::Combo(choices) => choices.iter().map(|&choice| choice.into()).collect(),
        };
        for value in values {
            let taken = set(&mut params, &mut settings, row.name, &value).unwrap();
            assert_eq!(taken, (row.name, value.clone()));
            assert_eq!(row.value(&params), value);
        }
        if let Kind::Spin { min, max, .. } = row.kind {
            for outside in [i64::from(min) - 1, i64::from(max) + 1] {
                let refused = set(&mut params, &mut settings, row.name, &outside.to_string());
                assert!(refused.is_err(), "{} {outside}", row.name);
            }
        }
    }
    assert_ne!(params, Params::DEFAULT);
}

#[test]
fn options_are_announced_by_their_kind() {
    let announced = |name| {
        let of = |row: &str| row.eq_ignore_ascii_case(name);
        let setting = SETTINGS.iter().find(|row| of(row.name));
        let parameter = PARAMETERS.iter().find(|row| of(row.name));
        setting
            .map(|row| row.announce(&Settings::DEFAULT))
            .or(parameter.map(|row| row.announce(&Params::DEFAULT)))
            .unwrap()
    };
    for (name, expected) in [
        ("UCI_Chess960", "type check default false"),
        ("NullMove", "type check default true"),
        ("Hash", "type spin default 16 min 1 max 65536"),
        (
            "CheckExtension",
            "type combo default always var off var once var always",
        ),
    ] {
        assert_eq!(announced(name), format!("option name {name} {expected}"));
    }
    let json = format::render("json").unwrap();
    assert!(
        json.contains(r#""name":"NullMove","group":"Node pruning","type":"check","default":true"#)
    );
}

#[test]
fn every_format_names_every_number() {
    for (form, _) in format::FORMATS {
        let text = format::render(form).unwrap();
        for row in PARAMETERS {
            let spin = matches!(row.kind, Kind::Spin { .. });
            assert!(!spin || text.contains(row.name), "{} in {form}", row.name);
        }
    }
    let openbench = format::render("openbench").unwrap();
    let row = openbench
        .lines()
        .find(|line| line.starts_with("QsDeltaMargin,"));
    assert_eq!(
        row,
        Some("QsDeltaMargin, int, 200.0, 0.0, 4000.0, 20.0, 0.002")
    );
    assert!(format::render("nonsense").is_err());
}
