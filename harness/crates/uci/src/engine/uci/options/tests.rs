use super::*;

fn option(line: &str) -> EngineOption {
    EngineOption::parse(line).expect(line)
}

#[test]
fn reads_every_kind() {
    assert_eq!(
        option("option name Hash type spin default 16 min 1 max 1024").kind,
        OptionKind::Spin {
            default: 16,
            min: 1,
            max: 1024
        }
    );
    assert_eq!(
        option("option name Style type combo default Solid var Solid var Very Risky").kind,
        OptionKind::Combo {
            default: "Solid".into(),
            values: vec!["Solid".into(), "Very Risky".into()]
        }
    );
    assert_eq!(
        option("option name Clear Hash type button"),
        EngineOption {
            name: "Clear Hash".into(),
            kind: OptionKind::Button,
            faults: Vec::new()
        }
    );
    assert_eq!(
        option("option name Debug Log File type string default <empty>").kind,
        OptionKind::Text {
            default: String::new()
        }
    );
    assert_eq!(
        option("option name max min default type check default true").name,
        "max min default"
    );
    assert_eq!(
        option("option name Speed type combo default max var min var max").kind,
        OptionKind::Combo {
            default: "max".into(),
            values: vec!["min".into(), "max".into()]
        }
    );
    assert_eq!(
        option("option name Book type string default my default type").kind,
        OptionKind::Text {
            default: "my default type".into()
        }
    );
    assert_eq!(EngineOption::parse("option"), None);
    assert_eq!(EngineOption::parse("option name x type"), None);
    assert_eq!(EngineOption::parse("id name x"), None);
}

#[test]
fn a_field_that_cannot_be_read_is_a_fault_and_gets_a_default() {
    let spin = |default, min, max| OptionKind::Spin { default, min, max };
    let check = |default| OptionKind::Check { default };
    for (line, kind, fault) in [
        ("spin default 1 min 0 max 10", spin(1, 0, 10), None),
        (
            "spin default abc min 0 max 10",
            spin(0, 0, 10),
            Some("`default abc` is not a whole number (signed, 64 bits)"),
        ),
        (
            "spin default 1 min -5.5 max 1",
            spin(1, i64::MIN, 1),
            Some("`min -5.5` is not a whole number (signed, 64 bits)"),
        ),
        (
            "spin default 10",
            spin(10, i64::MIN, i64::MAX),
            Some("it declares no `min`"),
        ),
        (
            "check default maybe",
            check(false),
            Some("`default maybe` is not true or false"),
        ),
        ("check", check(false), Some("it declares no `default`")),
        ("check default true", check(true), None),
        (
            "combo default Solid",
            OptionKind::Combo {
                default: "Solid".into(),
                values: Vec::new(),
            },
            Some("it declares no `var`"),
        ),
    ] {
        let option = option(&format!("option name x type {line}"));
        assert_eq!(option.kind, kind, "{line}");
        let first = option.faults.first().map(ToString::to_string);
        assert_eq!(first.as_deref(), fault, "{line}");
    }
    let all = option("option name x type spin default abc max 1").faults;
    let keys: Vec<_> = all.iter().map(OptionFault::key).collect();
    assert_eq!(keys, ["default", "min"]);
}

#[test]
fn names_the_nearest_option_and_the_range() {
    let declared = [
        option("option name QsDeltaMargin type spin default 200 min 0 max 1000"),
        option("option name Ponder type check default false"),
    ];
    let error = check_options(&declared, [("QsDeltaMargn", "1")]).unwrap_err();
    assert!(
        error.to_string().contains("did you mean `QsDeltaMargin`"),
        "{error}"
    );
    let mut lines = UnreadableOptions::default();
    for line in ["option name Hash type int default 16", "option name x type"] {
        lines.add(line);
    }
    let error = error.with_unreadable(&lines).to_string();
    let words = "the engine has no option `QsDeltaMargn` (2 of its `option` lines cannot be \
        read; the first is `option name Hash type int default 16`); did you mean";
    assert!(error.starts_with(words), "{error}");
    let error = check_options(&declared, [("QsDeltaMargin", "1001")]).unwrap_err();
    assert!(error.to_string().contains("from 0 to 1000"), "{error}");
    let error = check_options(&declared, [("Ponder", "yes")]).unwrap_err();
    assert!(error.to_string().contains("true or false"), "{error}");
    // As of `--option QsDeltaMargin`.
    let error = check_options(&declared, [("QsDeltaMargin", "")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "option `QsDeltaMargin` needs a value, as in `QsDeltaMargin=VALUE`; allowed: whole \
         numbers from 0 to 1000"
    );
    check_options(&declared, [("qsdeltamargin", "1000"), ("Ponder", "true")]).expect("fits");
}

#[test]
fn a_button_takes_true_false_or_no_value() {
    let declared = [option("option name Clear Hash type button")];
    for value in ["", "true", "false"] {
        check_options(&declared, [("clear hash", value)]).expect(value);
    }
    let error = check_options(&declared, [("Clear Hash", "1")]).unwrap_err();
    let allowed = "allowed: true, false or no value (it is a button)";
    assert!(error.to_string().ends_with(allowed), "{error}");
}

#[test]
fn options_for_variant_and_pondering_come_before_the_engines_own() {
    let own = [("Hash".to_string(), "8".to_string())];
    let names = |variant, ponder| {
        let options = options_for(variant, ponder, &own);
        let texts = options
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        texts.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(Variant::Standard, false), "Hash=8");
    assert_eq!(names(Variant::Standard, true), "Ponder=true Hash=8");
    assert_eq!(
        names(Variant::Chess960, true),
        "UCI_Chess960=true Ponder=true Hash=8"
    );
}
