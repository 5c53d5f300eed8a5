//! Engines that keep running between games.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::executor::{MemoryNote, Player, ProgramError, Rules};
use hone_base::platform::ProcessorClocks;
use hone_uci::engine::uci::{AnswerError, Client, StartError};

/// The engine of one player of the pair. It keeps running until the slot needs another one.
#[derive(Debug, Default)]
pub(super) struct EngineSlot {
    /// The engine, with its index in the configuration.
    current: Option<(usize, Client)>,
    /// When the memory of the process was last read.
    memory_read: Option<Instant>,
    /// The processor clocks of the engine, and when they were looked up.
    processors: Option<(Instant, ProcessorClocks)>,
    /// Whether a ponder search took longer than [`SLOW_STOP`] to stop since the last
    /// [`EngineSlot::take_slow_stop`].
    has_stopped_slowly: bool,
}

/// Why an engine could not be started.
#[derive(Debug, thiserror::Error)]
pub(super) enum RestartError {
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error(transparent)]
    Start(#[from] StartError),
}

/// The memory of an engine is read at most once in this time.
const MEMORY_INTERVAL: Duration = Duration::from_secs(1);

/// Child processes of an engine are looked up again after this time.
const CHILDREN_INTERVAL: Duration = Duration::from_secs(1);

/// Delay of the second try to start an engine.
const START_PAUSE: Duration = Duration::from_millis(500);

/// An engine that takes longer to answer the `stop` of a ponder search is reported: no clock
/// runs during this wait.
pub(super) const SLOW_STOP: Duration = Duration::from_millis(250);

/// How long an engine may take to end after `quit`.
pub(super) const QUIT_TIMEOUT: Duration = Duration::from_millis(500);

impl EngineSlot {
    /// Starts the player's engine unless it runs. The program must be the one with which the
    /// run began.
    ///
    /// # Errors
    /// [`RestartError`]; a failed start is repeated once.
    pub(super) async fn ensure_running(
        &mut self,
        player: &Player,
        rules: &Rules,
    ) -> Result<(), RestartError> {
        if self.runs(player) {
            return Ok(());
        }
        self.quit(QUIT_TIMEOUT).await;
        let startup = Duration::from_millis(rules.startup_ms);
        let path = &player.launch.program;
        player.program.check(path)?;
        let start = || Client::start_as(&player.name, &player.launch, startup);
        let mut client = match start().await {
            Ok(client) => client,
            Err(error) => {
                tracing::info!("start of {} is repeated: {error}", player.name);
                sleep(START_PAUSE).await;
                start().await?
            }
        };
        client.keep_lines(&rules.record.match_line);
        // The file may have been replaced between the check and the start.
        player.program.check(path)?;
        self.current = Some((player.engine, client));
        self.memory_read = None;
        self.processors = None;
        self.has_stopped_slowly = false;
        Ok(())
    }

    /// Whether the player's engine runs and needs no restart.
    pub(super) fn runs(&self, player: &Player) -> bool {
        matches!(&self.current, Some((engine, _)) if *engine == player.engine) && !player.restart
    }

    /// Whether its engine runs, and the player sets its number of threads or the engine's own
    /// is 1.
    pub(super) fn has_known_threads(&self, player: &Player) -> bool {
        let is_threads = |name: &str| name.eq_ignore_ascii_case("Threads");
        self.running().is_some_and(|client| {
            let mut declared = client.options().iter();
            let declared = declared.find(|option| is_threads(&option.name));
            let is_one = |value: String| value == "1";
            declared.is_none_or(|option| option.default_value().is_none_or(is_one))
                || player.options.iter().any(|(name, _)| is_threads(name))
        })
    }

    /// The engine, if it runs.
    pub(super) fn running(&self) -> Option<&Client> {
        self.current.as_ref().map(|(_, client)| client)
    }

    /// The engine.
    ///
    /// # Panics
    /// If it does not run.
    pub(super) fn client(&mut self) -> &mut Client {
        &mut self.current.as_mut().expect("an engine is running").1
    }

    /// Sends the engine its options, `ucinewgame` and `isready`.
    ///
    /// # Errors
    /// [`AnswerError`] if it no longer reads.
    pub(super) async fn announce_game(
        &mut self,
        player: &Player,
        rules: &Rules,
        deadline: Instant,
    ) -> Result<(), AnswerError> {
        let options = player.all_options(rules);
        let client = self.client();
        client.configure(&options, deadline).await?;
        client.announce_game(deadline).await
    }

    /// Notes how long the engine took to answer the `stop` of a ponder search.
    pub(super) fn note_stop(&mut self, took: Duration) {
        self.has_stopped_slowly |= took > SLOW_STOP;
    }

    /// Whether the engine took longer than [`SLOW_STOP`] to stop since the last call.
    pub(super) fn take_slow_stop(&mut self) -> bool {
        std::mem::take(&mut self.has_stopped_slowly)
    }

    /// A note if the engine's memory is far above its `Hash`, at most once in
    /// [`MEMORY_INTERVAL`]. Reads a file: not for use during a game.
    pub(super) fn memory_note(&mut self, player: &Player) -> Option<MemoryNote> {
        let (_, client) = self.current.as_ref()?;
        if self
            .memory_read
            .is_some_and(|at| at.elapsed() < MEMORY_INTERVAL)
        {
            return None;
        }
        self.memory_read = Some(Instant::now());
        MemoryNote::of(player, client.options(), client.peak_memory()?)
    }

    /// The processor time that the engine has used so far; `None` if it is unknown. `now` need
    /// not be exact.
    pub(super) fn processor_time(&mut self, now: Instant) -> Option<Duration> {
        let pid = self.running()?.engine_pid();
        let known = self.processors.take();
        let known = known.filter(|(at, _)| now.saturating_duration_since(*at) < CHILDREN_INTERVAL);
        let known = known.unwrap_or_else(|| (now, ProcessorClocks::of(pid)));
        let (_, clocks) = self.processors.insert(known);
        clocks.read()
    }

    /// Ends the engine, if it runs, as [`Client::quit`].
    pub(super) async fn quit(&mut self, timeout: Duration) {
        if let Some((_, client)) = self.current.take() {
            client.quit(timeout).await;
        }
    }

    /// Kills the engine, if it runs.
    pub(super) async fn kill(&mut self) {
        if let Some((_, client)) = self.current.take() {
            client.kill().await;
        }
    }
}
