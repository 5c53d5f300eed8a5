//! `-log` of fastchess and `-debug` of cutechess-cli: the log of `hone` in their formats.

use std::fmt::Debug;
use std::fs::File;
use std::io::Write;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::Context;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context as LayerContext, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use hone_base::outln;
use hone_dropin::{LogFile, Settings};
use hone_uci::engine::uci::UCI_TRAFFIC;

/// Starts the logs that `settings` request.
///
/// # Errors
/// If the file cannot be opened.
pub(super) fn install(settings: &Settings) -> anyhow::Result<()> {
    let file = match &settings.log {
        Some(log) => log.open()?.map(|file| (log, file)),
        None => None,
    };
    if file.is_none() && !settings.dialogue {
        return Ok(());
    }
    let in_file = file.map(|(log, file)| InFile {
        file: Mutex::new(file),
        level: level(log),
        dialogue: log.dialogue,
    });
    let on_screen = settings.dialogue.then(|| OnScreen {
        started: Instant::now(),
    });
    let traffic = settings.dialogue || in_file.as_ref().is_some_and(|file| file.dialogue);
    // Lines of the dialogue are formatted only if they are logged.
    let most = match (&in_file, traffic) {
        (_, true) => LevelFilter::TRACE,
        (Some(file), false) => file.level,
        (None, false) => LevelFilter::OFF,
    };
    tracing_subscriber::registry()
        .with(most)
        .with(in_file)
        .with(on_screen)
        .try_init()
        .context("cannot start the log")
}

/// The level of hone's log for a level of fastchess.
fn level(log: &LogFile) -> LevelFilter {
    match log.level.as_str() {
        "trace" => LevelFilter::DEBUG,
        "info" => LevelFilter::INFO,
        "err" | "fatal" => LevelFilter::ERROR,
        _ => LevelFilter::WARN,
    }
}

/// The fields of an event.
#[derive(Debug, Default)]
struct Fields {
    message: String,
    engine: String,
    pid: u64,
    sent: bool,
    line: String,
}

impl Fields {
    fn of(event: &Event<'_>) -> Self {
        let mut fields = Self::default();
        event.record(&mut fields);
        fields
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "engine" => self.engine = value.to_string(),
            _ => self.line = value.to_string(),
        }
    }

    fn record_u64(&mut self, _: &Field, value: u64) {
        self.pid = value;
    }

    fn record_bool(&mut self, _: &Field, value: bool) {
        self.sent = value;
    }
}

/// The file of `-log`. If it cannot be written, logging stops silently: a full disk must not
/// end a run.
#[derive(Debug)]
struct InFile {
    file: Mutex<File>,
    level: LevelFilter,
    dialogue: bool,
}

impl<S: Subscriber> Layer<S> for InFile {
    fn on_event(&self, event: &Event<'_>, _: LayerContext<'_, S>) {
        let metadata = event.metadata();
        let is_traffic = metadata.target() == UCI_TRAFFIC;
        let is_wanted = if is_traffic {
            self.dialogue
        } else {
            *metadata.level() <= self.level
        };
        if !is_wanted {
            return;
        }
        let fields = Fields::of(event);
        let (label, text) = if is_traffic {
            let arrow = if fields.sent { "<---" } else { "--->" };
            (
                "Engine",
                format!(" {} {arrow} {}", fields.engine, fields.line),
            )
        } else {
            let label = label(*metadata.level());
            (label, format!("fastchess --- {}", fields.message))
        };
        let thread = std::thread::current();
        let thread = thread.name().unwrap_or_default();
        let time = jiff::Zoned::now().strftime("%H:%M:%S%.6f").to_string();
        let line = format!("[{label:<6}] [{time:>15}] <{thread:>20}> {text}\n");
        if let Ok(mut file) = self.file.lock() {
            let _ = file.write_all(line.as_bytes());
        }
    }
}

fn label(level: Level) -> &'static str {
    match level {
        Level::ERROR => "ERR",
        Level::WARN => "WARN",
        Level::INFO => "INFO",
        _ => "TRACE",
    }
}

/// The dialogue with every engine on standard output, with milliseconds since
/// the start.
#[derive(Debug)]
struct OnScreen {
    started: Instant,
}

impl<S: Subscriber> Layer<S> for OnScreen {
    fn on_event(&self, event: &Event<'_>, _: LayerContext<'_, S>) {
        if event.metadata().target() != UCI_TRAFFIC {
            return;
        }
        let fields = Fields::of(event);
        let arrow = if fields.sent { '>' } else { '<' };
        outln!(
            "{} {arrow}{}({}): {}",
            self.started.elapsed().as_millis(),
            fields.engine,
            fields.pid,
            fields.line
        );
    }
}
