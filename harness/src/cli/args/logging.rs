//! Logging, on standard error or in a file.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Mutex;

use anyhow::Context;
use clap::{ArgAction, Args, ValueEnum};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::fmt::format::debug_fn;
use tracing_subscriber::fmt::{MakeWriter, layer};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use hone_base::err;

/// Heading of these options in the help of every command.
const HEADING: &str = "Logging";

/// Options of logging.
#[derive(Debug, Args)]
pub(in crate::cli) struct LogArgs {
    /// Show on standard error what hone does: engine starts, builds, restarts.
    /// -vv also shows pairs and the UCI traffic.
    #[arg(short, long, global = true, help_heading = HEADING, action = ArgAction::Count)]
    verbose: u8,
    /// Append what hone does to a file.
    #[arg(long, global = true, help_heading = HEADING, value_name = "FILE")]
    log: Option<PathBuf>,
    /// How much goes into the file.
    #[arg(long, global = true, help_heading = HEADING, value_name = "LEVEL", requires = "log")]
    #[arg(value_enum, default_value_t = Level::Info)]
    log_level: Level,
}

/// The level of logging.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Level {
    /// Engine starts, builds, restarts, resumed pairs.
    Info,
    /// Also every pair.
    Debug,
    /// Also the UCI traffic.
    Trace,
}

impl Level {
    fn filter(self) -> LevelFilter {
        match self {
            Self::Info => LevelFilter::INFO,
            Self::Debug => LevelFilter::DEBUG,
            Self::Trace => LevelFilter::TRACE,
        }
    }
}

impl LogArgs {
    /// Starts logging. If it is not requested, nothing is installed, and an event costs one
    /// comparison.
    pub(in crate::cli) fn install(&self) -> anyhow::Result<()> {
        let shown = match self.verbose {
            0 => LevelFilter::OFF,
            1 => LevelFilter::INFO,
            _ => LevelFilter::TRACE,
        };
        if shown == LevelFilter::OFF && self.log.is_none() {
            return Ok(());
        }
        let file = match &self.log {
            Some(path) => Some(
                File::options()
                    .create(true)
                    .append(true)
                    .open(path)
                    .with_context(|| format!("cannot open the log {}", path.display()))?,
            ),
            None => None,
        };
        let on_screen = plain(Screen).with_filter(shown);
        let in_file = file.map(|file| {
            let level = self.log_level.filter();
            plain(Mutex::new(file)).with_filter(level)
        });
        tracing_subscriber::registry()
            .with((shown != LevelFilter::OFF).then_some(on_screen))
            .with(in_file)
            .try_init()
            .context("cannot start the log")
    }
}

/// Lines of time, level and text. If the log cannot be written, logging stops silently: a full
/// disk must not end a run.
fn plain<S, W>(writer: W) -> impl Layer<S>
where
    S: tracing::Subscriber + for<'a> tracing_subscriber::registry::LookupSpan<'a>,
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let message_only = debug_fn(|writer, field, value| match field.name() {
        "message" => write!(writer, "{value:?}"),
        _ => Ok(()),
    });
    layer()
        .fmt_fields(message_only)
        .with_target(false)
        .log_internal_errors(false)
        .with_writer(writer)
}

/// Standard error, by way of [`hone_base::output`].
struct Screen;

impl<'a> MakeWriter<'a> for Screen {
    type Writer = Screen;

    fn make_writer(&'a self) -> Screen {
        Screen
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        err!("{}", String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
