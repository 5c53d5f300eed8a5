//! The options of `hone sprt` that replace a configuration: two engines, the
//! hypotheses and the time limit.

use std::path::Path;

use anyhow::{bail, ensure};
use clap::Args;

use super::conditions::ConditionArgs;
use super::ranges::from_one;
use hone_base::diagnostic::Diagnostic;
use hone_builds::{BenchCheck, Spec};
use hone_report::counted;
use hone_run::config::{Config, Draft, Level, Profile};
use hone_uci::engine::uci::parse_option;

/// Engines and hypotheses of a test, with or without a configuration.
#[derive(Debug, Args)]
#[command(next_help_heading = "The test, with or without a configuration")]
pub(in crate::cli) struct GateArgs {
    /// The engine under test: git:REV, git:REPOSITORY@REV, worktree: (the
    /// uncommitted changes), path:FILE or FILE.
    #[arg(long, value_name = "ENGINE")]
    dev: Option<Spec>,
    /// The engine it is tested against.
    #[arg(long, value_name = "ENGINE")]
    base: Option<Spec>,
    /// Preset hypotheses and budget (`quick` also sets the limit); --elo0, --elo1
    /// and --set override parts of them.
    #[arg(long, value_enum)]
    profile: Option<Profile>,
    /// H0: the first engine is at most this much stronger, in the Elo of
    /// `sprt.model`: normalized Elo (nElo) by default.
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo0: Option<f64>,
    /// H1: it is at least this much stronger, in the same Elo.
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo1: Option<f64>,
    /// End undecided after this number of pairs.
    #[arg(long, visible_alias = "rounds", value_name = "N", value_parser = from_one::<std::num::NonZeroU32>)]
    pairs: Option<std::num::NonZeroU32>,
    /// The bench that the engine under test must have: `check` (that of the
    /// commit's message), `record` (any) or a node count.
    #[arg(long, value_name = "BENCH")]
    bench: Option<BenchCheck>,
    /// A UCI option of the engine under test.
    #[arg(long = "dev-option", value_name = "NAME=VALUE", value_parser = parse_option)]
    dev_options: Vec<(String, String)>,
    /// A UCI option of the other engine.
    #[arg(long = "base-option", value_name = "NAME=VALUE", value_parser = parse_option)]
    base_options: Vec<(String, String)>,
    #[command(flatten)]
    conditions: ConditionArgs,
}

impl GateArgs {
    /// A draft with the file's configuration, if there is one, and the engines and hypotheses of
    /// these arguments.
    pub(in crate::cli) fn draft(&self, file: Option<&Path>) -> anyhow::Result<Draft> {
        let mut draft = Draft::read_or_usual(file)?;
        if file.is_none() {
            let missing = match (&self.dev, &self.base) {
                (Some(_), Some(_)) => None,
                (Some(_), None) => Some("`--base` is missing"),
                (None, Some(_)) => Some("`--dev` is missing"),
                (None, None) => Some("no engines are named"),
            };
            if let Some(missing) = missing {
                bail!(Diagnostic::new(format!("cannot run the test: {missing}")).help("give a configuration, or both engines, as in `hone sprt --dev worktree: --base git:main --build 'make EXE={out}'`"));
            }
        }
        self.engines(&mut draft)?;
        self.question(&mut draft);
        Ok(draft)
    }

    /// The complete configuration of a test: a draft with the conditions of these arguments and
    /// `set` applied.
    pub(in crate::cli) fn finish(
        &self,
        mut draft: Draft,
        set: &[String],
    ) -> anyhow::Result<Config> {
        self.conditions.apply(&mut draft, set)?;
        let mut config = draft.finish()?;
        config.sprt.get_or_insert_default();
        Ok(config)
    }

    /// Refuses arguments that a stage of the configuration would override.
    pub(in crate::cli) fn check_stages(&self, config: &Config) -> anyhow::Result<()> {
        let is_question = self.profile.is_some()
            || self.elo0.is_some()
            || self.elo1.is_some()
            || self.pairs.is_some();
        let clashes = [
            (
                self.conditions.has_limit(),
                "--limit",
                "limit",
                config.stage.iter().any(|stage| stage.limit.is_some()),
            ),
            (
                self.conditions.has_book(),
                "--book",
                "openings",
                config.stage.iter().any(|stage| stage.openings.is_some()),
            ),
            (
                is_question,
                "--profile, --elo0, --elo1 or --pairs",
                "sprt",
                config.stage.iter().any(|stage| stage.sprt.is_some()),
            ),
        ];
        for (is_said, argument, key, is_set) in clashes {
            ensure!(
                !(is_said && is_set),
                Diagnostic::new(format!(
                    "{argument} is given, but [[stage]] sets its own `{key}`"
                ))
                .help(format!(
                    "change a stage (counted from 0) with `--set stage.0.{key}=…`"
                ))
            );
        }
        Ok(())
    }

    fn engines(&self, draft: &mut Draft) -> anyhow::Result<()> {
        let sides = [
            ("dev", &self.dev, &self.dev_options),
            ("base", &self.base, &self.base_options),
        ];
        for (index, (name, spec, options)) in sides.into_iter().enumerate() {
            match spec {
                Some(spec) => {
                    let source = format!("--{name} {spec}");
                    draft.take_engine(index, spec, &source);
                }
                None if draft.engine_count() == index => {
                    let engines = counted(index as u64, "engine");
                    bail!("{engines} configured, and a test needs two: name the other by --{name}")
                }
                None => {}
            }
            draft.alias(name, index);
            for (option, value) in options {
                let source = format!("--{name}-option {option}={value}");
                draft.set_engine(Level::Key, index, &["options", option], value, &source);
            }
        }
        if let Some(bench) = self.bench {
            let source = format!("--bench {bench}");
            draft.set_engine(Level::Key, 0, &["bench"], bench.to_string(), &source);
        }
        Ok(())
    }

    fn question(&self, draft: &mut Draft) {
        if let Some(profile) = self.profile {
            profile.apply(draft);
        }
        draft.flag("--elo0", self.elo0, &["sprt", "elo0"]);
        draft.flag("--elo1", self.elo1, &["sprt", "elo1"]);
        let pairs = self.pairs.map(|pairs| i64::from(pairs.get()));
        draft.flag("--pairs", pairs, &["sprt", "max_pairs"]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use hone_base::diagnostic::with_causes;
    use hone_experiment::settings::OpeningsConfig;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        gate: GateArgs,
        #[arg(long)]
        set: Vec<String>,
    }

    fn config(line: &[&str]) -> anyhow::Result<Config> {
        let words = ["hone"].iter().chain(line);
        let line = Line::parse_from(words);
        line.gate.finish(line.gate.draft(None)?, &line.set)
    }

    #[test]
    fn a_command_line_makes_a_whole_configuration() {
        let config = config(&[
            "--dev",
            "git:HEAD",
            "--base",
            "git:/r@main",
            "--set",
            "engine.base.options.Y=2",
            "--build",
            "make EXE={out}",
            "--tc",
            "8+0.08",
            "--book",
            "b.epd",
            "--option",
            "Hash=8",
            "--dev-option",
            "X=1",
            "--dev-option",
            "hash=16",
            "--concurrency",
            "3",
            "--profile",
            "non-regression",
        ])
        .expect("complete");
        let [dev, base] = &config.engine[..] else {
            panic!("{config:?}");
        };
        assert!(dev.name.starts_with("harness@"), "{}", dev.name);
        assert_eq!(base.name, "r@main");
        assert_eq!(base.options.get("Y"), Some("2"));
        assert_eq!(dev.rev.as_deref(), Some("HEAD"));
        assert_eq!(base.git.as_deref(), Some(Path::new("/r")));
        assert_eq!(dev.options.get("Hash"), Some("16"));
        assert_eq!(base.options.get("Hash"), Some("8"));
        assert_eq!(base.options.get("X"), None);
        assert_eq!(config.r#match.limit.to_string(), "8+0.08");
        assert_eq!(config.r#match.concurrency, Some(3));
        let sprt = config.sprt.expect("there is a test");
        assert_eq!((sprt.elo0, sprt.elo1), (-5.0, 0.0));
    }

    #[test]
    fn engines_of_the_command_line_are_named_after_what_tells_them_apart() {
        let folder = tempfile::tempdir().expect("made");
        let file = folder.path().join("c.toml");
        let text =
            "[[engine]]\nname = \"dev\"\ncmd = \"a\"\n[[engine]]\nname = \"base\"\ncmd = \"b\"\n";
        std::fs::write(&file, text).expect("written");
        for (file, line, names) in [
            (
                None,
                &["--dev", "./new", "--base", "./old"][..],
                ["new", "old"],
            ),
            (None, &["--dev", "./e", "--base", "./e"], ["dev", "base"]),
            (
                None,
                &["--dev", "git:v1", "--base", "git:v1"],
                ["dev", "base"],
            ),
            (
                Some(&file),
                &["--dev", "git:v2", "--base", "git:v1"],
                ["v2", "v1"],
            ),
            (Some(&file), &["--dev", "./new"], ["new", "base"]),
            (
                Some(&file),
                &["--dev", "./e", "--set", "engine.dev.name=n"],
                ["n", "base"],
            ),
            (Some(&file), &[], ["dev", "base"]),
        ] {
            let parsed = Line::parse_from(["hone", "--build=make {out}"].iter().chain(line));
            let draft = parsed
                .gate
                .draft(file.map(|file: &std::path::PathBuf| file.as_path()))
                .expect("read");
            let config = parsed.gate.finish(draft, &parsed.set).expect("valid");
            let named: Vec<&str> = config.engine.iter().map(|one| one.name.as_str()).collect();
            assert_eq!(named, names, "{line:?}");
        }
    }

    /// Before the configuration is complete, they have no names.
    #[test]
    fn an_engine_without_a_build_is_told_by_its_revision() {
        let folder = tempfile::tempdir().expect("made");
        let git = |arguments: &[&str]| {
            let mut git = std::process::Command::new("git");
            git.current_dir(folder.path()).args(arguments);
            assert!(git.status().expect("git runs").success());
        };
        git(&["init", "-q"]);
        let who = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
        let commit = ["commit", "-q", "--allow-empty", "-m", "x"];
        git(&[&who[..], &commit[..]].concat());
        let path = folder.path().display();
        for (dev, name) in [
            (format!("git:{path}@HEAD"), "HEAD".to_string()),
            (format!("worktree:{path}"), format!("worktree:{path}")),
        ] {
            let error = config(&["--dev", &dev, "--base", "./old"]).expect_err("no program");
            let expected = format!("engine `{name}`: the path of the built program is missing: ");
            assert!(error.to_string().starts_with(&expected), "{error}");
        }
    }

    #[test]
    fn a_test_without_a_configuration_is_that_of_the_template() {
        let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/sprt.toml");
        let template = Draft::read(Some(&template)).and_then(Draft::finish);
        let template = template.expect("valid");
        let own = config(&["--dev", "a", "--base", "b"]).expect("complete");
        assert_eq!(own.adjudication, template.adjudication);
        let [mut own_match, mut template_match] = [own.r#match, template.r#match];
        for config in [&mut own_match, &mut template_match] {
            config.openings = OpeningsConfig::default();
        }
        assert_eq!(format!("{own_match:?}"), format!("{template_match:?}"));
        assert_eq!(format!("{:?}", own.sprt), format!("{:?}", template.sprt));
    }

    /// As the help of a wrong bench advises.
    #[test]
    fn the_bench_of_either_engine_need_not_match() {
        let test = [
            "--dev",
            "git:HEAD",
            "--base",
            "git:HEAD",
            "--build",
            "make {out}",
        ];
        for (index, expected) in [
            (0, [BenchCheck::Record, BenchCheck::Commit]),
            (1, [BenchCheck::Commit, BenchCheck::Record]),
        ] {
            let set = format!("engine.{index}.bench=record");
            let config = config(&[&test[..], &["--set", &set]].concat()).expect("complete");
            let benches: Vec<_> = config.engine.iter().map(|engine| engine.bench).collect();
            assert_eq!(benches, expected, "{set}");
        }
    }

    #[test]
    fn the_quick_profile_fixes_the_nodes() {
        let quick = ["--dev", "a", "--base", "b", "--profile", "quick"];
        let fixed = config(&quick).expect("complete");
        assert_eq!(fixed.r#match.limit.to_string(), "nodes=10000");
        let asked = config(&[&quick[..], &["--limit", "nodes=500"]].concat()).expect("complete");
        assert_eq!(asked.r#match.limit.to_string(), "nodes=500");
    }

    #[test]
    fn what_is_missing_is_named() {
        for (line, says) in [
            (&[][..], "no engines are named\nhelp: give a configuration"),
            (&["--dev", "a"], "`--base` is missing"),
            (&["--base", "a"], "`--dev` is missing"),
            (
                &["--dev", "git:/no/such@HEAD", "--base", "b"],
                "`/no/such` is not in a git repository: no such folder",
            ),
        ] {
            let error = config(line).expect_err(says);
            let error = with_causes(&error);
            assert!(error.contains(says), "{error}");
        }
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::io::Write::write_all(&mut file, b"[[engine]]\ncmd = \"a\"\n").expect("written");
        let gate = Line::parse_from(["hone"]).gate;
        let error = gate.draft(Some(file.path())).expect_err("one engine");
        assert_eq!(
            error.to_string(),
            "1 engine configured, and a test needs two: name the other by --base"
        );
    }
}
