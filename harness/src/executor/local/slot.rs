//! Engines that are kept running between games.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::engine::uci::{AnswerError, Client, StartError};
use crate::executor::{MemoryNote, Player, ProgramError, Rules};

/// The place of one of a pair's two players: keeps its engine alive until
/// another is needed there.
#[derive(Debug, Default)]
pub(super) struct EngineSlot {
    current: Option<(usize, Client)>,
    /// When the memory of its process was read last.
    looked: Option<Instant>,
}

/// Why an engine could not be started again.
#[derive(Debug, thiserror::Error)]
pub(super) enum RestartError {
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error(transparent)]
    Start(#[from] StartError),
}

/// How often the memory of an engine is read.
const MEMORY_INTERVAL: Duration = Duration::from_secs(1);

/// How long a start is put off that follows one that has failed.
const START_PAUSE: Duration = Duration::from_millis(500);

/// How long an engine may take to end after `quit`.
pub(super) const QUIT_PATIENCE: Duration = Duration::from_millis(500);

impl EngineSlot {
    /// Makes sure that the player's engine runs here, and that it is the
    /// program that the run began with.
    ///
    /// # Errors
    /// [`RestartError`], after a second try to start it.
    pub(super) async fn ensure_running(
        &mut self,
        player: &Player,
        rules: &Rules,
    ) -> Result<(), RestartError> {
        if self.runs(player) {
            return Ok(());
        }
        self.quit(QUIT_PATIENCE).await;
        let startup = Duration::from_millis(rules.startup_ms);
        let path = &player.launch.program;
        player.program.check(path)?;
        let start = || Client::start_as(&player.name, &player.launch, startup);
        let mut client = match start().await {
            Ok(client) => client,
            Err(error) => {
                tracing::info!("{} is started again: {error}", player.name);
                sleep(START_PAUSE).await;
                start().await?
            }
        };
        client.keep_lines(&rules.record.match_line);
        // It may have been replaced between the check and the start.
        player.program.check(path)?;
        self.current = Some((player.engine, client));
        self.looked = None;
        Ok(())
    }

    /// Whether this engine runs already, and may play another game.
    pub(super) fn runs(&self, player: &Player) -> bool {
        matches!(&self.current, Some((engine, _)) if *engine == player.engine) && !player.restart
    }

    /// The engine, if one runs.
    pub(super) fn running(&self) -> Option<&Client> {
        self.current.as_ref().map(|(_, client)| client)
    }

    /// The running engine.
    ///
    /// # Panics
    /// If none does.
    pub(super) fn client(&mut self) -> &mut Client {
        &mut self.current.as_mut().expect("an engine is running").1
    }

    /// Tells the engine its options and that a new game begins, and asks
    /// whether it is ready.
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

    /// A note if the engine's memory is far above its `Hash`. Between games only:
    /// it takes a moment.
    pub(super) fn memory_note(&mut self, player: &Player) -> Option<MemoryNote> {
        let (_, client) = self.current.as_ref()?;
        if self.looked.is_some_and(|at| at.elapsed() < MEMORY_INTERVAL) {
            return None;
        }
        self.looked = Some(Instant::now());
        MemoryNote::of(player, client.options(), client.peak_memory()?)
    }

    /// Ends the engine, if one is running, and its descendants.
    pub(super) async fn quit(&mut self, patience: Duration) {
        if let Some((_, client)) = self.current.take() {
            client.quit(patience).await;
        }
    }

    /// Ends it without asking.
    pub(super) async fn kill(&mut self) {
        if let Some((_, client)) = self.current.take() {
            client.kill().await;
        }
    }
}
