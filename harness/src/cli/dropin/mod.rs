//! `hone fastchess` and `hone cutechess-cli`, also when the program is called
//! by one of these names.

mod log;
mod outputs;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow, bail, ensure};
use clap::{Args, FromArgMatches};

use super::errors::exit::{exit_of, failure};
use super::errors::rendered;
use super::results::outcome::resuming;
use super::{Cli, Exit, Failure, help};
use hone_base::diagnostic::Diagnostic;
use hone_base::output;
use hone_base::platform::{guard, quoted};
use hone_base::text::with_causes;
use hone_base::{errln, out, outln};
use hone_dropin::show::{Console, Files};
use hone_dropin::{
    CONFIG_JSON, KnownEngines, Program, Request, Settings, StartedRun, flags, page, wording,
};
use hone_kinds::{Match, NewRun, Place, RunKind, SequentialTest, Session};
use hone_run::config::Config;
use hone_run::ledger::Recovery;
use hone_run::{
    Ended, MANIFEST, Manifest, PrepareError, RunFiles, SessionError, StopRequests, View,
};

pub(super) use outputs::complete;
use outputs::{folder_beside, open_files};

/// Run a fastchess command line, with fastchess's output.
///
/// Takes the options of fastchess 1.8; `hone help coming-from-flags` lists them
/// with what differs. A run's folder is kept under results/ as always, so
/// `hone report`, `verify` and `resume` work. Called by the name `fastchess`
/// (a link), hone does the same.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(super) struct FastchessArgs {
    #[command(flatten)]
    line: LineArgs,
}

/// Run a cutechess-cli command line, with cutechess-cli's output.
///
/// Takes the options of cutechess-cli 1.5; `hone help coming-from-flags` lists
/// them with what differs. A run's folder is kept under results/ as always, so
/// `hone report`, `verify` and `resume` work. Called by the name
/// `cutechess-cli` (a link), hone does the same.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(super) struct CutechessArgs {
    #[command(flatten)]
    line: LineArgs,
}

/// Read by [`called`] before anything else, because a dash begins a word of
/// several letters here.
#[derive(Debug, Args)]
struct LineArgs {
    /// The options of the program. Besides: --explain prints the equivalent
    /// configuration of hone, --out DIR names the run's folder (--out none
    /// removes it when the match ends), and --exit-code verdict returns the
    /// exit codes of hone.
    #[arg(value_name = "OPTIONS", trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

impl FastchessArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        run(Program::Fastchess, "fastchess", &self.line.words)
    }
}

impl CutechessArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        run(Program::Cutechess, "cutechess-cli", &self.line.words)
    }
}

/// A command line of another program.
#[derive(Debug)]
pub(super) struct Called {
    program: Program,
    /// The name by which it was called, for messages.
    command: String,
    words: Vec<OsString>,
}

/// The command line of another program, recognised by the name of this program or by its
/// first word.
pub(super) fn called(arguments: &[OsString]) -> Option<Called> {
    let (own, words) = arguments.split_first()?;
    let is_guard = words.first().is_some_and(|word| word == guard::ARGUMENT);
    if is_guard {
        return None;
    }
    let own_name = own.to_string_lossy();
    if let Some(program) = Program::of_command(own) {
        return Some(Called {
            program,
            command: own_name.into_owned(),
            words: words.to_vec(),
        });
    }
    let (first, words) = words.split_first()?;
    let program = Program::named(first.to_str()?)?;
    Some(Called {
        program,
        command: format!("{own_name} {}", program.name()),
        words: words.to_vec(),
    })
}

impl Called {
    /// Runs the command line.
    pub(super) fn main(self) -> ExitCode {
        // Determined before anything can fail.
        let own_codes = asks_for_own_codes(&self.words);
        let words: Result<Vec<String>, _> = self
            .words
            .into_iter()
            .map(|word| {
                word.into_string()
                    .map_err(|word| anyhow!("{} is not text", word.display()))
            })
            .collect();
        let outcome = words
            .map_err(Failure::from)
            .and_then(|words| run(self.program, &self.command, &words));
        let exit = outcome.unwrap_or_else(|failure| {
            errln!("{}", rendered("play", &failure.error));
            // The other programs have one exit code for all errors.
            if own_codes {
                failure.exit
            } else {
                Exit::Rejected
            }
        });
        let Err(error) = output::finish() else {
            return exit.into();
        };
        errln!("error: cannot write to standard output: {error}");
        match (own_codes, exit) {
            (false, _) => Exit::Rejected.into(),
            // A verdict is kept: only a success becomes a failure.
            (true, Exit::Done) => Exit::Failed.into(),
            (true, exit) => exit.into(),
        }
    }
}

/// Whether the exit codes of `hone` are requested, by the last `--exit-code`.
fn asks_for_own_codes<Word: AsRef<OsStr>>(words: &[Word]) -> bool {
    let mut asked = words.windows(2).rev();
    let last = asked.find(|pair| pair[0].as_ref() == "--exit-code");
    last.is_some_and(|pair| pair[1].as_ref() == "verdict")
}

/// The additional options of `hone`.
#[derive(Debug, Default)]
struct Own {
    explain: bool,
    /// Print the table of flags for the documentation; not in the help.
    table: bool,
    out: Option<PathBuf>,
    /// Whether the run's folder is removed when the match ends.
    is_discarded: bool,
    /// Whether the exit code is that of `hone`.
    verdict: bool,
}

impl Own {
    /// Removes them from the words.
    fn take(words: &[String]) -> anyhow::Result<(Self, Vec<String>)> {
        let mut own = Self {
            verdict: asks_for_own_codes(words),
            ..Self::default()
        };
        let mut rest = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--explain" => own.explain = true,
                "--table" => own.table = true,
                "--out" => match words.next().map(String::as_str) {
                    Some("none") => (own.out, own.is_discarded) = (None, true),
                    Some(folder) => {
                        (own.out, own.is_discarded) = (Some(folder.into()), false);
                    }
                    None => bail!("`--out` needs a folder, or none"),
                },
                "--exit-code" => match words.next().map(String::as_str) {
                    Some("verdict" | "program") => {}
                    _ => bail!("`--exit-code`: verdict or program is allowed"),
                },
                _ => rest.push(word.clone()),
            }
        }
        Ok((own, rest))
    }
}

/// The origin of a run, for messages and for resuming.
#[derive(Debug)]
struct Line<'a> {
    program: Program,
    command: &'a str,
    own: Own,
    words: Vec<String>,
}

/// Runs a command line. Messages name the flags of the other program.
fn run(program: Program, command: &str, words: &[String]) -> Result<Exit, Failure> {
    wording::name_flags_of(program);
    let (own, words) = Own::take(words)?;
    if own.table {
        out!("{}", page::tables());
        return Ok(Exit::Done);
    }
    let line = Line {
        program,
        command,
        own,
        words,
    };
    match Request::read(program, &line.words)? {
        Request::Help => {
            out!("{}", usage(program, command));
            Ok(Exit::Done)
        }
        Request::Version => {
            let own = env!("CARGO_PKG_VERSION");
            outln!("{} {} (hone {own})", program.name(), program.version());
            Ok(Exit::Done)
        }
        Request::Engines => {
            let places = KnownEngines::usual_places();
            for name in KnownEngines::in_first_of(&places).names()? {
                outln!("{name}");
            }
            Ok(Exit::Done)
        }
        Request::Compliance(words) => check(&words),
        Request::Play(settings) => line.play(&settings),
    }
}

/// Whether a run ended before it could be resumed: its folder was made, but it has no manifest.
/// Games are not replaced: a new run refuses a folder that has some.
fn has_not_begun(run: &Path) -> bool {
    run.is_dir() && !run.join(MANIFEST).exists()
}

fn usage(program: Program, command: &str) -> String {
    format!(
        "Runs command lines of {} {}.\n\nUsage: {command} -engine cmd=ENGINE -engine cmd=ENGINE -each tc=TIME [OPTIONS]\n\nOptions (`hone help coming-from-flags` describes their keys):\n{}\nOptions of hone:\n  --explain         print the equivalent configuration of hone, play nothing\n  --out DIR         the run's folder; by default a new one under results/,\n                    or under results/ beside the file of -config outname=;\n                    none: it is removed when the match ends\n  --exit-code KIND  verdict: the codes of `hone sprt`; program (default): those of the program\n\n{}\n",
        program.name(),
        program.version(),
        page::plain(program),
        help::examples_as(program.name(), command),
    )
}

/// `--compliance ENGINE ARGUMENTS`.
fn check(words: &[String]) -> Result<Exit, Failure> {
    let engine = shlex::try_join(words.iter().map(String::as_str)).map_err(anyhow::Error::from)?;
    let matches = help::command().try_get_matches_from(["hone", "check", "--", &engine]);
    let matches = matches.map_err(anyhow::Error::from)?;
    let cli = Cli::from_arg_matches(&matches).map_err(anyhow::Error::from)?;
    cli.command.run()
}

impl Line<'_> {
    fn play(&self, settings: &Settings) -> Result<Exit, Failure> {
        let file = settings.config.file.as_deref();
        if let Some(file) = file.filter(|_| !settings.config.discard) {
            return self.resume(file, settings);
        }
        for warning in &settings.warnings {
            errln!("warning: {warning}");
        }
        if self.own.explain {
            out!("{}", settings.explanation()?);
            return Ok(Exit::Done);
        }
        self.start(settings)
    }

    fn start(&self, settings: &Settings) -> Result<Exit, Failure> {
        log::install(settings)?;
        for warning in &settings.warnings {
            tracing::warn!("{warning}");
        }
        guard::install();
        let started = if settings.is_sprt() {
            self.start_kind::<SequentialTest>(settings)
        } else {
            self.start_kind::<Match>(settings)
        };
        started.inspect_err(|failure| tracing::error!("{}", with_causes(&failure.error)))
    }

    fn start_kind<K: RunKind>(&self, settings: &Settings) -> Result<Exit, Failure> {
        let mut config = settings.config(rand::random())?;
        K::check(&config)?;
        let mut files = open_files(settings, Path::new(""))?;
        let outname = settings.config.outname.as_deref();
        let out = self.own.out.clone().or_else(|| folder_beside(outname?));
        let announce = &mut |what: &str| errln!("{what}");
        let prepared = loop {
            let prepared =
                NewRun::<K>::prepare(config.clone(), out.as_deref(), Place::Here, announce);
            match &prepared {
                Err(SessionError::Prepare(error)) if self.unset(&mut config, error) => {}
                _ => break prepared,
            }
        };
        let begin = |folder: &Path| self.begin(folder, settings, &mut files);
        let session = prepared.and_then(|run| run.start_after(begin, announce));
        match session {
            Ok(session) => self.conclude(session, settings, files, self.own.is_discarded),
            Err(error) => {
                files.discard();
                Err(failure(error))
            }
        }
    }

    /// Removes the option of an `error` from the configuration, with the warning of the other
    /// program, which plays without it. Returns whether there was one.
    fn unset(&self, config: &mut Config, error: &PrepareError) -> bool {
        let PrepareError::Option {
            name,
            error: source,
            ..
        } = error
        else {
            return false;
        };
        let mut engines = config.engine.iter_mut();
        let Some(engine) = engines.find(|engine| engine.name == *name) else {
            return false;
        };
        let options = &mut engine.options.0;
        let is_it = |(option, _): &(String, String)| option.eq_ignore_ascii_case(source.option());
        let Some(at) = options.iter().position(is_it) else {
            return false;
        };
        let (_, value) = options.remove(at);
        let warning = wording::unset_option(self.program, name, source, &value);
        tracing::warn!("{warning}");
        match self.program {
            Program::Fastchess => outln!("{warning}"),
            Program::Cutechess => errln!("{warning}"),
        }
        true
    }

    /// Writes what a resumed run needs, and empties the files that the run does not continue.
    fn begin(&self, folder: &Path, settings: &Settings, files: &mut Files) -> anyhow::Result<()> {
        let started = StartedRun {
            hone: env!("CARGO_PKG_VERSION").to_string(),
            program: Some(self.program.name().to_string()),
            run: std::path::absolute(folder)?,
            arguments: self.words.clone(),
        };
        outputs::keep(&started)?;
        if self.program == Program::Fastchess {
            started.write(&config_name(settings))?;
        }
        files.begin()
    }

    fn resume(&self, file: &Path, asked: &Settings) -> Result<Exit, Failure> {
        let started = StartedRun::read(file)?;
        let Request::Play(settings) = Request::read(self.program, &started.arguments)? else {
            return Err(anyhow!("{} names no match", file.display()).into());
        };
        if self.own.explain {
            out!("{}", settings.explanation()?);
            return Ok(Exit::Done);
        }
        if asked.config.anew {
            return self.start(&settings);
        }
        let mut others: Vec<&str> = flags(&self.words)?;
        others.retain(|flag| *flag != "-config");
        others.sort_unstable();
        others.dedup();
        if !others.is_empty() {
            errln!(
                "warning: no effect of `{}`: the run continues with the settings it was started with",
                others.join("`, `")
            );
        }
        let run = &started.run;
        if has_not_begun(run) {
            errln!(
                "warning: {} has no games yet: the run begins again",
                run.display()
            );
            let own = Own {
                out: Some(run.clone()),
                is_discarded: self.own.is_discarded,
                verdict: self.own.verdict,
                ..Own::default()
            };
            let line = Line {
                own,
                words: started.arguments,
                ..*self
            };
            return line.start(&settings);
        }
        log::install(&settings)?;
        guard::install();
        if settings.is_sprt() {
            self.resume_kind::<SequentialTest>(run, &settings)
        } else {
            self.resume_kind::<Match>(run, &settings)
        }
    }

    fn resume_kind<K: RunKind>(&self, run: &Path, settings: &Settings) -> Result<Exit, Failure> {
        let kind = Manifest::read(run)?.kind;
        ensure_kind::<K>(run, kind)?;
        let announce = &mut |what: &str| errln!("{what}");
        let session = Session::<K>::resume(run, Recovery::LastPair, announce).map_err(failure)?;
        let mut files = open_files(settings, &session.manifest.base)?;
        files.catch_up(&RunFiles::open(run)?)?;
        // The user may have named its folder, which may contain other files.
        self.conclude(session, settings, files, false)
    }

    /// Plays the run. With `is_discarded`, its folder is removed when the match ends, but not
    /// after an interruption, so that the run can be resumed.
    fn conclude<K: RunKind>(
        &self,
        session: Session<K>,
        settings: &Settings,
        files: Files,
        is_discarded: bool,
    ) -> Result<Exit, Failure> {
        let folder = session.folder.path().to_path_buf();
        let files = if settings.crc {
            files.with_crc()?
        } else {
            files
        };
        let mut console = Console::new(settings, &session.manifest, files)?;
        let mut stop = StopRequests::listen()?;
        let announce = &mut |what: &str| errln!("{what}");
        let played = session.run_in_view(&mut console, &mut stop, announce);
        let ended = played.map_err(failure)?.ended;
        let config = config_name(settings);
        let resume = match self.program {
            Program::Fastchess => {
                format!("{} -config file={}", self.command, quoted(&config))
            }
            Program::Cutechess => resuming(&folder),
        };
        let pairs = RunFiles::open(&folder)?.pairs.by_arrival()?.count() as u64;
        console.conclude(ended, &resume, 2 * pairs);
        if let Some(error) = console.take_file_error() {
            let help = format!("`{}` adds the missing games", resuming(&folder));
            return Err(Failure::failed(Diagnostic::of(error).help(help)));
        }
        if is_discarded && matches!(ended, Ended::Verdict(_)) {
            fs::remove_dir_all(&folder)
                .with_context(|| format!("cannot remove {}", folder.display()))
                .map_err(Failure::failed)?;
            if self.program == Program::Fastchess {
                // The file that names the folder, which may not exist.
                let _ = fs::remove_file(&config);
            }
        }
        let is_stopped = View::<K::Experiment>::is_stopped(&console);
        let is_broken_off = matches!(ended, Ended::Interrupted | Ended::Waiting);
        Ok(if !self.own.verdict {
            self.exit(is_broken_off || is_stopped)
        } else if is_broken_off && is_stopped {
            Exit::Failed
        } else {
            exit_of(ended, K::KIND)
        })
    }

    /// Exit codes of the other programs: 0 for any result; fastchess returns 1 after an
    /// interrupt, and after a crash or a stall without `-recover`.
    fn exit(&self, is_broken_off: bool) -> Exit {
        match self.program {
            Program::Fastchess if is_broken_off => Exit::Rejected,
            _ => Exit::Done,
        }
    }
}

fn ensure_kind<K: RunKind>(run: &Path, kind: hone_run::Kind) -> anyhow::Result<()> {
    ensure!(
        kind == K::KIND,
        "{} is a {}, not the {} that was started",
        run.display(),
        kind.name(),
        K::KIND.name()
    );
    Ok(())
}

fn config_name(settings: &Settings) -> PathBuf {
    let asked = settings.config.outname.clone();
    asked.unwrap_or_else(|| CONFIG_JSON.into())
}
