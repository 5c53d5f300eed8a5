use super::super::import;
use super::*;

fn engine() -> Vec<EngineOption> {
    [
        "option name Hash type spin default 16 min 1 max 4096",
        "option name SyzygyProbeDepth type spin default 1 min 1 max 100",
        "option name UCI_Elo type spin default 2000 min 1000 max 3000",
        "option name Fixed type spin default 7 min 7 max 7",
        "option name QsDeltaMargin type spin default 150 min 0 max 600",
        "option name QsChecks type check default true",
        "option name LmrBase type string default 0.75",
        "option name Style type combo default Solid var Solid var Wild var Mad",
    ]
    .iter()
    .map(|line| EngineOption::parse(line).unwrap())
    .collect()
}

fn section(text: &str) -> TuneSection {
    toml::from_str(text).unwrap()
}

/// The parameters of a section with the engine above.
fn tuned(text: &str) -> Result<Space, ResolveError> {
    resolve(&section(text), vec![], &engine(), &[])
}

#[test]
fn constants_that_overflow_are_refused() {
    let resolved = |method: &str, entry: &str, constants: &str| {
        let text = format!(
            "method = \"{method}\"\npairs = 200\n[classic]\n{constants}\n\
             [params]\nQsDeltaMargin = {entry}\n"
        );
        tuned(&text).map(|_| ())
    };
    let refused = |method, entry, constants| {
        let error = resolved(method, entry, constants).unwrap_err();
        assert!(
            error.to_string().contains("`QsDeltaMargin`: its steps"),
            "{error}"
        );
    };
    for method in ["openbench", "fishtest", "weather-factory"] {
        for constants in ["", "stability = 0\ngain = 0", "alpha = 10\ngamma = 10"] {
            let resolved = resolved(method, "{}", constants);
            assert!(resolved.is_ok(), "{method}, {constants}: {resolved:?}");
        }
        refused(method, "{}", "width = 1e308");
    }
    // OpenBench moves a whole number by a half at least.
    for method in ["fishtest", "weather-factory"] {
        refused(method, "{}", "width = 0");
    }
    for method in ["openbench", "fishtest"] {
        refused(method, "{}", "gain = 1e308");
        refused(method, "{}", "stability = 1e308");
        refused(method, "{ gain = 1e308 }", "");
    }
    assert!(resolved("spsa", "{}", "width = 0").is_ok());
}

#[test]
fn what_the_configuration_leaves_out_comes_from_the_engine() {
    let space =
        tuned("[params]\nqsdeltamargin = { max = 300, step = 20 }\nQsChecks = {}\nStyle = {}\n")
            .unwrap();
    let by_name = |name: &str| {
        let found = space.params().iter().find(|param| param.name == name);
        found.unwrap().clone()
    };
    let margin = by_name("QsDeltaMargin");
    assert_eq!((margin.start, margin.min, margin.max), (150.0, 0.0, 300.0));
    assert_eq!(margin.step, 20.0);
    assert_eq!(by_name("QsChecks").text(1.0), "true");
    assert_eq!(by_name("Style").text(2.0), "Mad");
}

#[test]
fn a_parameter_starts_from_the_configured_option() {
    let tune = section("[params]\nQsDeltaMargin = {}\n");
    let configured = [("QsDeltaMargin".to_owned(), "20".to_owned())];
    let space = resolve(&tune, vec![], &engine(), &configured).unwrap();
    assert_eq!(space.start(), [20.0]);
}

/// A default in place of what cannot be read would be the start of the tuning.
#[test]
fn a_declaration_that_cannot_be_read_is_refused() {
    let options: Vec<_> = [
        "option name Num type spin default 300.0 min 0 max 600",
        "option name Flag type check default 1",
        "option name Open type spin default 7",
        "option name Low type spin default 7 min -5.5 max 10",
        "option name Bare type combo default Solid",
        "option name Wrong type spin default 700 min 0 max 600",
    ]
    .iter()
    .map(|line| EngineOption::parse(line).unwrap())
    .collect();
    let resolved = |text: &str| resolve(&section(text), vec![], &options, &[]);
    for (entry, expected) in [
        (
            "Num = {}",
            "[tune.params] Num: `start` is missing, and the engine's `default 300.0` is not \
             a whole number (signed, 64 bits): set `start`",
        ),
        ("Flag = {}", "`default 1` is not true or false: set `start`"),
        (
            "Open = { max = 9 }",
            "`min` is missing, and the engine does not declare it: set `min` and `max`",
        ),
        (
            "Low = {}",
            "`min -5.5` is not a whole number (signed, 64 bits): set `min`",
        ),
        (
            "Bare = {}",
            "the engine does not declare any: set `choices`",
        ),
        (
            "Wrong = {}",
            "start 700 is outside 0 to 600; it is the engine's default: set `start`",
        ),
    ] {
        let error = resolved(&format!("[params]\n{entry}\n")).unwrap_err();
        assert!(error.to_string().ends_with(expected), "{error}");
    }
    for (entry, start) in [
        ("Num = { start = 300 }", 300.0),
        ("Flag = { start = 1 }", 1.0),
        ("Open = { min = 0, max = 9 }", 7.0),
        ("Low = { min = -5 }", 7.0),
        ("Bare = { choices = [\"Wild\", \"Solid\"] }", 1.0),
        ("Wrong = { max = 800 }", 700.0),
    ] {
        let space = resolved(&format!("[params]\n{entry}\n")).unwrap();
        assert_eq!(space.start(), [start], "{entry}");
    }
    // The configured option takes the place of the default.
    let configured = [("num".to_owned(), "20".to_owned())];
    let tune = section("[params]\nNum = {}\n");
    let space = resolve(&tune, vec![], &options, &configured).unwrap();
    assert_eq!(space.start(), [20.0]);

    for (name, reason) in [
        ("Open", "set `min` and `max`"),
        ("Wrong", "it is the engine's default: set `start`"),
    ] {
        let tune = section(&format!(
            "group = [\"Z*\", \"{name}\"]\nexclude = [\"Zet\"]\n[params]\nZet = {{}}\n"
        ));
        let error = resolve(&tune, vec![], &options, &[]).unwrap_err();
        let help = format!("{reason} in [tune.params], or leave it out with `exclude`");
        assert!(error.to_string().ends_with(&help), "{error}");
        let key = ["tune", "group", "1"].map(str::to_owned);
        assert_eq!(error.key(&tune), Some(key.to_vec()));
    }
}

/// `choices` would have no effect next to `check`, and so on.
#[test]
fn keys_of_two_kinds_are_refused() {
    for (entry, keys) in [
        ("factor = 100, decimals = 2", "`factor` and `decimals`"),
        ("check = true, factor = 2", "`check` and `factor`"),
        (
            "choices = [\"a\"], decimals = 2",
            "`choices` and `decimals`",
        ),
    ] {
        let error = tuned(&format!("[params]\nQsDeltaMargin = {{ {entry} }}\n")).unwrap_err();
        let expected = format!("QsDeltaMargin: {keys} exclude each other");
        assert!(error.to_string().contains(&expected), "{error}");
    }
}

#[test]
fn all_parameters_of_a_model_are_tuned() {
    let axis = |name: &str, min: f64, max: f64, start: f64| Axis {
        name: name.to_owned(),
        min,
        max,
        start,
        optimum: start,
        sensitivity: 1.0,
        skew: 0.0,
    };
    let axes = [
        axis("Threads", 1.0, 64.0, 2.0),
        axis("Real", 0.2, 2.0, 0.75),
        axis("Half", 0.0, 2.0, 0.5),
    ];
    let resolved = |text: &str| resolve_model(&section(text), vec![], &axes).unwrap();
    let all = resolved("");
    let texts: Vec<_> = all.options(&all.start());
    let texts: Vec<_> = texts.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(texts, ["2", "0.7500", "0.5000"]);
    assert_eq!((all.params()[1].min, all.params()[1].max), (0.2, 2.0));
    assert_eq!(resolved("group = [\"Thr*\"]\n").start(), [2.0]);
    let real = resolved("[params]\nReal = { decimals = 2 }\n");
    assert_eq!(real.options(&real.start())[0].1, "0.75");
}

#[test]
fn groups_select_spins() {
    let space = tuned("group = [\"Q*\"]\n").unwrap();
    assert_eq!(space.dimension(), 1);
    // Options that set how the engine runs are left out.
    let all = tuned("group = [\"*\"]\n").unwrap();
    let names: Vec<_> = all.params().iter().map(|param| &param.name).collect();
    assert_eq!(names, ["QsDeltaMargin"]);
    let named = tuned("[params]\nHash = {}\n").unwrap();
    assert_eq!(named.dimension(), 1);
    let careful = "group = [\"Q*\"]\nexclude = [\"Hash\"]\n";
    assert!(tuned(careful).is_ok());
    for (text, wrong) in [
        (
            "group = [\"Z*\"]\n",
            "`group` in [tune]: no parameter matches `Z*`",
        ),
        ("group = [\"Q*\", \"Hash\"]\n", "matches `Hash`"),
        (
            "group = [\"Q*\"]\nexclude = [\"Lrm*\"]\n",
            "`exclude` in [tune]: no parameter matches `Lrm*`",
        ),
    ] {
        let error = tuned(text).unwrap_err();
        assert!(error.to_string().contains(wrong), "{error}");
    }
}

/// The entry applies to what the engine declares, not to a complete parameter of
/// the group.
#[test]
fn an_entry_has_the_same_effect_with_and_without_a_group() {
    let resolved = |text: &str| {
        let space = tuned(text).unwrap();
        space.params()[0].clone()
    };
    for entry in [
        "QsDeltaMargin = { min = 100, max = 300 }",
        "qsdeltamargin = { factor = 100 }",
        "QsDeltaMargin = { start = 1, check = true, min = 0, max = 1 }",
    ] {
        let named = resolved(&format!("[params]\n{entry}\n"));
        let grouped = resolved(&format!("group = [\"Qs*\"]\n[params]\n{entry}\n"));
        assert_eq!(grouped, named);
    }
    let narrow =
        resolved("group = [\"Qs*\"]\n[params]\nQsDeltaMargin = { min = 100, max = 300 }\n");
    assert_eq!(narrow.step, 10.0);
}

#[test]
fn choices_without_the_start_are_named() {
    let resolved = |entry: &str| {
        let text = format!("[params]\nStyle = {entry}\n");
        tuned(&text)
    };
    let error = resolved("{ choices = [\"Wild\", \"Mad\"] }").unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("`choices` do not contain `Solid`"),
        "{error}"
    );
    // Set to a choice, or written in another case.
    let start = |entry: &str| resolved(entry).unwrap().start();
    assert_eq!(start("{ choices = [\"Wild\", \"Mad\"], start = 1 }"), [1.0]);
    assert_eq!(start("{ choices = [\"mad\", \"solid\"] }"), [1.0]);
}

/// With both, the two sides of a pair could play the same value.
#[test]
fn a_choice_that_is_named_twice_is_refused() {
    for twice in ["Wild", "wild", "WILD"] {
        let choices = format!("[\"Solid\", \"Wild\", \"{twice}\"]");
        let tune = section(&format!("[params]\nStyle = {{ choices = {choices} }}\n"));
        let error = resolve(&tune, vec![], &engine(), &[]).unwrap_err();
        let expected = format!("parameter `Style`: `choices` contain `{twice}` twice");
        assert!(error.to_string().starts_with(&expected), "{error}");
        let key = ["tune", "params", "Style", "choices"].map(str::to_owned);
        assert_eq!(error.key(&tune), Some(key.to_vec()));
    }
}

#[test]
fn an_entry_sets_the_kind_of_an_imported_parameter() {
    let imported = import::parse("QsChecks, int, 1, 0, 1, 0.5, 0.002\n").unwrap();
    let tune = section("import = \"list\"\n[params]\nQsChecks = { check = true }\n");
    let space = resolve(&tune, imported, &engine(), &[]).unwrap();
    assert_eq!(space.params()[0].text(1.0), "true");
}

#[test]
fn real_numbers_as_text_and_as_scaled_spins() {
    let space = tuned(
        "[params]\nLmrBase = { min = 0, max = 2, decimals = 2 }\n\
         QsDeltaMargin = { factor = 100 }\n",
    )
    .unwrap();
    let options = space.options(&space.start());
    assert!(options.contains(&("LmrBase".to_owned(), "0.75".to_owned())));
    assert!(options.contains(&("QsDeltaMargin".to_owned(), "150".to_owned())));
}

#[test]
fn a_complete_section_needs_no_engine() {
    let space = tuned(
        "[params]\nQsDeltaMargin = {}\nQsChecks = {}\nStyle = {}\n\
         LmrBase = { min = 0, max = 2 }\nHash = { factor = 4 }\n",
    )
    .unwrap();
    let params = space.params().iter();
    let complete = TuneSection {
        params: params
            .map(|param| (param.name.clone(), ParamSection::of(param)))
            .collect(),
        ..TuneSection::default()
    };
    let text = toml::to_string(&complete).unwrap();
    assert_eq!(resolve(&section(&text), vec![], &[], &[]).unwrap(), space);
}

#[test]
fn unknown_incomplete_and_duplicate_parameters_are_named() {
    let error = |text: &str| tuned(text).unwrap_err().to_string();
    for typed in ["QsDeltaMargn", "QsDelt"] {
        let error = error(&format!("[params]\n{typed} = {{}}\n"));
        assert!(error.contains("did you mean `QsDeltaMargin`"), "{error}");
    }
    let of_model = tuned("[params]\nQsDeltaMargn = {}\n")
        .unwrap_err()
        .of_model();
    assert_eq!(
        of_model.to_string(),
        "[tune.params] QsDeltaMargn: the model has no parameter `QsDeltaMargn` (did you mean `QsDeltaMargin`?)"
    );
    assert!(error("[params]\nLmrBase = {}\n").contains("`min` is missing"));
    assert!(error("").contains("no parameters"));
    assert!(
        error("[params]\nQsDeltaMargin = {}\nqsdeltamargin = { max = 300 }\n")
            .contains("`qsdeltamargin` is named twice")
    );
}
