//! The output of fastchess and cutechess-cli during a run, on standard output.
//!
//! Games and figures are shown in the order in which pairs finish, as in both programs:
//! servers expect a block for each pair. The last block of a sequential test covers the pairs
//! up to its verdict.

mod cutechess;
mod extra_files;
mod fastchess;
mod figures;
mod scores;
mod slots;

use std::collections::BTreeMap;
use std::time::Duration;

use super::{OutputFormat, Settings};
use hone_base::{errln, out, outln};
use hone_experiment::settings::BookSource;
use hone_experiment::{Experiment, Verdict};
use hone_run::executor::PlayedPair;
use hone_run::{Ended, Manifest, PairingTally, Progress, Tally, View};
use hone_stats::{Sprt, SprtState, Wdl};
use hone_uci::openings::Order;
use hone_uci::rules::{Detail, Outcome, Termination};

pub use extra_files::Files;

use scores::{accepted, by_engine, games, test_after, with_first_game};
use slots::PairSlots;

/// The live view of a run that was started by another program's command line.
#[derive(Debug)]
pub struct Console {
    format: OutputFormat,
    intervals: super::settings::Intervals,
    penta: bool,
    names: Vec<String>,
    shuffles: bool,
    recover: bool,
    conditions: String,
    total_games: u64,
    slots: PairSlots,
    files: Files,
    /// Results of single games, by pairing.
    scores: BTreeMap<[usize; 2], Wdl>,
    finished_games: u64,
    /// All pairs in the order of arrival.
    arrived: Tally,
    /// The pairs that the run had absorbed at the last update.
    absorbed: Option<Tally>,
    /// The test of the run at the last update.
    test: Option<SprtState>,
    /// Whether an engine has crashed or stalled, and the run does not recover.
    is_stopped: bool,
    /// Number of games at the last output of results.
    printed_at: Option<u64>,
    elapsed: Duration,
}

impl Console {
    /// The view of a run with these `settings`.
    ///
    /// # Errors
    /// If the number of games is invalid.
    pub fn new(settings: &Settings, manifest: &Manifest, files: Files) -> anyhow::Result<Self> {
        let play = &manifest.config.r#match;
        let has_book = !matches!(play.openings.file, None | Some(BookSource::StartPosition));
        Ok(Self {
            format: settings.format,
            intervals: settings.intervals,
            penta: settings.penta,
            names: manifest.names(),
            shuffles: has_book && play.openings.order == Order::Random,
            recover: settings.recover,
            conditions: fastchess::conditions(manifest),
            total_games: settings.total_games()?,
            slots: PairSlots::new(manifest.concurrency),
            files,
            scores: BTreeMap::new(),
            finished_games: 0,
            arrived: Tally::new(manifest.config.engine.len()),
            absorbed: None,
            test: None,
            is_stopped: false,
            printed_at: None,
            elapsed: Duration::ZERO,
        })
    }

    fn is_cutechess(&self) -> bool {
        self.format == OutputFormat::Cutechess
    }

    fn started(&self, pair: u64, engines: [usize; 2], game: usize) {
        outln!(
            "Started game {} of {} ({} vs {})",
            number(pair, game),
            self.total_games,
            self.names[engines[game]],
            self.names[engines[1 - game]]
        );
    }

    /// Shows the start of the pairs that have a free slot.
    fn start_waiting(&mut self) {
        while let Some((pair, engines)) = self.slots.start() {
            self.started(pair, engines, 0);
        }
    }

    fn finished(&mut self, played: &PlayedPair, game: usize) {
        let result = &played.result;
        let [white, black] = result.players(game);
        let ended = &result.games[game];
        let detail = &played.texts[game].detail;
        let reason = reason(ended.termination, ended.outcome, detail);
        let number = number(result.pair, game);
        self.stop_after(number, ended.termination);
        let names = [&self.names[white], &self.names[black]];
        if !self.is_cutechess() {
            warn_of_faults(played, game, [names[0], names[1]]);
        }
        if let Some((path, crc)) = self.files.write(&played.texts[game]) {
            outln!("File {} has CRC32: {crc:#x}", path.display());
        }
        outln!(
            "Finished game {number} ({} vs {}): {} {{{reason}}}",
            names[0],
            names[1],
            ended.outcome.as_str()
        );
        self.finished_games += 1;
        let wdl = self.scores.entry(result.engines).or_default();
        wdl.add(result.first_half_points(game));
        let wdl = *wdl;
        self.print_score(result.engines, &wdl);
    }

    /// Stops the run after the first crash or stall, as both programs do without `-recover`.
    fn stop_after(&mut self, number: u64, termination: Termination) {
        let is_crash = matches!(termination, Termination::Disconnect | Termination::Stall);
        if self.recover || self.is_stopped || !is_crash {
            return;
        }
        self.is_stopped = true;
        if !self.is_cutechess() {
            warn(format!(
                "Game {number} stalled / disconnected and no recover option set for engine, stopping tournament."
            ));
        }
    }

    /// Prints the score after a game, if the program does.
    fn print_score(&self, engines: [usize; 2], wdl: &Wdl) {
        let is_printed = match self.format {
            OutputFormat::Fastchess => false,
            OutputFormat::Cutechess => self.names.len() == 2,
            OutputFormat::FastchessAsCutechess => {
                is_due(self.finished_games, self.intervals.score)
                    || self.finished_games == self.total_games
            }
        };
        if is_printed {
            out!(
                "{}",
                cutechess::score(engines.map(|engine| self.names[engine].as_str()), wdl)
            );
        }
    }

    /// Prints the results, at intervals and at the end.
    fn print_results(&mut self, tally: &Tally, test: Option<SprtState>) {
        let games = games(tally);
        if games == 0 {
            return;
        }
        self.printed_at = Some(games);
        let text = if self.names.len() > 2 {
            let all = by_engine(&tally.pairings, self.names.len());
            fastchess::ranking(&self.names, &all, self.penta)
        } else if self.format == OutputFormat::Fastchess {
            self.fastchess_block(tally, test)
        } else {
            let test = test.as_ref().map(cutechess::test);
            cutechess::elo(results(tally).wdl) + &test.unwrap_or_default()
        };
        out!("{text}");
    }

    fn fastchess_block(&self, tally: &Tally, test: Option<SprtState>) -> String {
        let names = [self.names[0].as_str(), self.names[1].as_str()];
        let test = test.as_ref().map(fastchess::test);
        format!(
            "{rule}{}{}{rule}",
            fastchess::head_to_head(names, &self.conditions, &results(tally), self.penta),
            test.unwrap_or_default(),
            rule = fastchess::RULE
        )
    }

    /// Whether results are due after the last finished game. The interval is in pairs if their
    /// counts are printed, otherwise in games.
    fn results_due(&self) -> bool {
        let unit = if self.penta { 2 } else { 1 };
        is_due(
            self.finished_games,
            self.intervals.rating.saturating_mul(unit),
        )
    }

    /// Prints what is due after the last finished game. `tally` has the games up to it.
    fn print_due(&mut self, tally: &Tally) {
        if self.results_due() {
            let test = self.test.as_ref();
            let test = test.map(|test| test_after(test, &results(tally)));
            self.print_results(tally, test);
        }
    }

    /// Prints the games of a pair with what is due after each, and adds the pair.
    fn show_pair(&mut self, pair: &PlayedPair) {
        let mut tally = std::mem::take(&mut self.arrived);
        self.finished(pair, 0);
        self.print_due(&with_first_game(&tally, &pair.result));
        self.started(pair.result.pair, pair.result.engines, 1);
        self.finished(pair, 1);
        tally.absorb(&pair.result);
        self.print_due(&tally);
        self.arrived = tally;
    }

    /// The lines at the end of a run. `resume` is the command that continues
    /// it, `played` the number of games in its ledger.
    pub fn conclude(&mut self, ended: Ended, resume: &str, played: u64) {
        let test = self.test;
        let accepted = test.as_ref().and_then(accepted);
        let tally = match (&self.absorbed, test) {
            (Some(absorbed), Some(_)) => absorbed.clone(),
            _ => self.arrived.clone(),
        };
        let is_over = matches!(ended, Ended::Verdict(_));
        let is_printed = self.printed_at == Some(tally.games());
        if self.is_cutechess() {
            if !is_printed || accepted.is_some() {
                self.print_results(&tally, test);
            }
        } else if let (Some(state), Some(accepted)) = (test, accepted) {
            self.print_decision(&tally, &state, accepted);
        } else if is_over && !is_printed {
            self.print_results(&tally, test);
        }
        if self.format == OutputFormat::Fastchess {
            self.print_failures(&tally);
        }
        if ended == Ended::Verdict(Verdict::Repeated) {
            outln!(
                "{played} of {} games were played: without a clock, the last pairs only repeat earlier games",
                self.total_games
            );
        }
        if !is_over {
            outln!("Tournament was interrupted. To resume the tournament, run: {resume}");
        } else if test.is_some() && tally.games() < played {
            outln!(
                "{} of {played} games count: the others ended after the verdict or repeat earlier games",
                tally.games()
            );
        }
        outln!("Finished match");
        if !self.is_cutechess() {
            let seconds = self.elapsed.as_secs();
            outln!(
                "Total Time: {:02}:{:02}:{:02} (hours:minutes:seconds)\n",
                seconds / 3600,
                seconds / 60 % 60,
                seconds % 60
            );
        }
    }

    fn print_decision(&mut self, tally: &Tally, state: &SprtState, accepted: &str) {
        let names = [self.names[0].as_str(), self.names[1].as_str()];
        if self.format == OutputFormat::FastchessAsCutechess {
            out!("{}", cutechess::score(names, &results(tally).wdl));
        }
        self.print_results(tally, Some(*state));
        match self.format {
            OutputFormat::Fastchess => out!("{}", fastchess::decided(state, accepted)),
            _ => outln!("Tournament finished"),
        }
    }

    /// Time forfeits and crashes of the engines that had any.
    fn print_failures(&self, tally: &Tally) {
        let mut text = String::new();
        for (name, engine) in self.names.iter().zip(&tally.engines) {
            let failures = engine.failures;
            let crashes = failures.crash + failures.stall;
            if failures.time_forfeit + crashes > 0 {
                text += &format!(
                    "Player: {name}\n  Timeouts: {}\n  Crashed: {crashes}\n",
                    failures.time_forfeit
                );
            }
        }
        if !text.is_empty() {
            outln!("\n{text}");
        }
    }

    /// The error of a requested file that could not be written, if any.
    pub fn take_file_error(&mut self) -> Option<anyhow::Error> {
        self.files.take_error()
    }
}

impl<E: Experiment> View<E> for Console {
    fn submitted(&mut self, pair: u64, engines: [usize; 2]) {
        self.slots.submit(pair, engines);
        if self.absorbed.is_some() {
            self.start_waiting();
        }
    }

    fn played(&mut self, pair: &PlayedPair) {
        let (number, engines) = (pair.result.pair, pair.result.engines);
        if !self.slots.finish(number) {
            self.started(number, engines, 0);
        }
        self.show_pair(pair);
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    fn update(&mut self, experiment: &E, progress: Progress<'_>) {
        self.elapsed = progress.elapsed;
        self.test = experiment.test().map(Sprt::state);
        if self.absorbed.replace(progress.tally.clone()).is_none() {
            // The first update of a resumed run has its earlier pairs.
            self.arrived = progress.tally.clone();
            self.finished_games = progress.tally.games();
            for (engines, pairing) in &progress.tally.pairings {
                self.scores.insert(*engines, pairing.wdl);
            }
            if self.shuffles {
                outln!("Indexing opening suite...");
            }
            return;
        }
        if !progress.stopping && !self.is_stopped && !progress.is_over {
            self.start_waiting();
        }
    }

    fn warn(&mut self, text: &str) {
        errln!("{text}");
    }
}

/// The reason for the end of a game, in the words of fastchess.
fn reason(termination: Termination, outcome: Outcome, detail: &Detail) -> String {
    match termination {
        Termination::MaxMoves => Termination::DrawAdjudication.reason(outcome, detail),
        Termination::IllegalMove => termination.reason(outcome, &Detail::None),
        _ => termination.reason(outcome, detail),
    }
}

/// The number of a game in the tournament, from 1.
fn number(pair: u64, game: usize) -> u64 {
    2 * pair + game as u64 + 1
}

fn is_due(count: u64, interval: u64) -> bool {
    interval > 0 && count.is_multiple_of(interval)
}

/// The results of the only pairing.
fn results(tally: &Tally) -> PairingTally {
    tally.pairings.values().next().copied().unwrap_or_default()
}

/// Prints the warnings of fastchess, which servers look for.
fn warn_of_faults(played: &PlayedPair, game: usize, names: [&str; 2]) {
    let ended = &played.result.games[game];
    let number = number(played.result.pair, game);
    if ended.termination == Termination::IllegalMove
        && let Some(loser) = ended.outcome.loser()
    {
        warn(format!(
            "Warning; Illegal move in game {number} played by {}",
            names[loser]
        ));
    }
    for (effort, name) in ended.effort.iter().zip(names) {
        if effort.illegal_pvs > 0 {
            warn(format!(
                "Warning; Illegal PV move - in {} searches of game {number} from {name}",
                effort.illegal_pvs
            ));
        }
    }
}

/// Prints a warning and logs it.
fn warn(text: String) {
    tracing::warn!("{text}");
    outln!("{text}");
}
