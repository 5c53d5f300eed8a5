//! The text of the scoreboard. Pure, so that tests can use any width.

use console::{Style, truncate_str};

use super::pace;
use crate::facts::summary_of;
use crate::numbers::{
    TOO_FEW_PAIRS, elo_text, fixed, percent, plus_minus, probability, signed, supported,
};
use crate::shown_elo::at_any_time;
use crate::standings::{Standing, by_score, standings};
use crate::table;
use crate::tournament::standing_columns;
use hone_experiment::Experiment;
use hone_run::{EngineTally, PairingTally, Progress, Tally};
use hone_stats::summary::Interval;
use hone_stats::{Estimate, Sprt};

/// Most engines in the table.
const MAX_ROWS: usize = 24;
/// Most engines in a line.
const MAX_LEADERS: usize = 3;
/// Widest interval in Elo that is shown.
const WIDEST: f64 = 800.0;
/// Most and fewest characters of the bar of the LLR.
const LONGEST_BAR: usize = 40;
const SHORTEST_BAR: usize = 8;

/// The players of a run.
#[derive(Debug)]
pub struct Players {
    pub(super) names: Vec<String>,
    /// Pairs that can be played at once; `None` on a fleet.
    pub(super) at_a_time: Option<usize>,
}

/// Where a block is shown.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    /// Characters in a line.
    pub width: usize,
    /// Lines.
    pub height: usize,
    pub colours: bool,
}

impl Terminal {
    fn paint(self, style: Style, text: &str) -> String {
        style.force_styling(self.colours).apply_to(text).to_string()
    }

    /// The lines as one text, cut to the size of the terminal.
    pub fn fit(self, lines: &[String]) -> String {
        let lines = lines
            .iter()
            .take(self.height)
            .map(|line| truncate_str(line, self.width, "…").into_owned());
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// The block that is redrawn on a terminal.
pub(super) fn block(
    players: &Players,
    experiment: &impl Experiment,
    progress: &Progress<'_>,
    terminal: Terminal,
) -> String {
    let names = &players.names;
    let mut lines = vec![
        pace_line(players, experiment, progress),
        pace::time_left(experiment, progress),
    ];
    if let [first, second] = names.as_slice() {
        let pairing = first_pairing(progress.tally);
        lines.push(terminal.paint(Style::new().bold(), &format!("{first} vs {second}")));
        lines.push(score_part(&pairing));
        lines.push(elo_part(experiment, &pairing));
    } else {
        let columns = standing_columns(&best_standings(names, progress.tally));
        let mut rows = table::lines(columns, terminal.width).into_iter();
        lines.extend(
            rows.next()
                .map(|head| terminal.paint(Style::new().bold(), &head)),
        );
        lines.extend(rows);
    }
    if let Some(test) = experiment.test() {
        lines.push(llr(test));
        lines.extend(llr_bar(test, terminal));
    }
    let failures = failures(names, progress.tally);
    lines.extend(failures.map(|line| terminal.paint(Style::new().red(), &line)));
    if progress.stopping {
        lines.push(STOPPING.to_string());
    }
    terminal.fit(&lines)
}

/// Shown after a request to stop.
pub const STOPPING: &str =
    "finishing the games in progress; press Ctrl-C again to stop immediately";

/// A line for output without a terminal.
pub(super) fn line(
    players: &Players,
    experiment: &impl Experiment,
    progress: &Progress<'_>,
) -> String {
    let pairs = progress.tally.judged_pairs();
    let mut parts = vec![pace::brief(pairs, experiment.budget(), progress)];
    if players.names.len() == 2 {
        let pairing = first_pairing(progress.tally);
        parts.push(format!("Ptnml {:?}", pairing.pentanomial.0));
        parts.extend(brief_elo(experiment, &pairing));
    } else {
        let leaders = best_standings(&players.names, progress.tally);
        let leaders = leaders.iter().take(MAX_LEADERS).map(|standing| {
            let elo = standing.rating.elo;
            let elo = elo.map(|elo| format!(" ({} Elo)", signed(elo.estimate)));
            let (share, elo) = (percent(standing.score()), elo.unwrap_or_default());
            format!("{} {share}{elo}", standing.rating.name)
        });
        let leaders: Vec<String> = leaders.collect();
        if !leaders.is_empty() {
            parts.push(format!("leading: {}", leaders.join(", ")));
        }
    }
    parts.extend(experiment.test().map(brief_llr));
    let failures = brief_failures(&players.names, progress.tally);
    parts.extend((!failures.is_empty()).then(|| format!("failures: {failures}")));
    if progress.stopping {
        parts.push("finishing the games in progress".to_string());
    } else {
        parts.extend(pace::brief_time_left(experiment, progress));
    }
    parts.join("  ")
}

/// Elo with the half-width of its interval. `None` if the pairs do not support it.
fn brief_elo(experiment: &impl Experiment, pairing: &PairingTally) -> Option<String> {
    let elo = match experiment.test() {
        None => at_any_time(experiment.always_valid(), pairing.pentanomial),
        Some(_) => summary_of(experiment, pairing.pentanomial).elo,
    };
    let elo = elo.filter(is_informative)?;
    let half = (elo.high - elo.low) / 2.0;
    Some(format!("Elo {} ± {half:.1}", signed(elo.estimate)))
}

/// Whether an interval in Elo is narrow enough to tell anything about two engines.
fn is_informative(elo: &Estimate) -> bool {
    elo.high - elo.low <= WIDEST
}

fn brief_llr(test: &Sprt) -> String {
    let (lower, upper) = test.bounds();
    format!("LLR {} ({lower:.2}, {upper:.2})", fixed(test.llr(), 2))
}

/// The number of games lost by failures, by engine.
fn brief_failures(names: &[String], tally: &Tally) -> String {
    let engines = names.iter().zip(&tally.engines);
    let failing = engines.filter(|(_, engine)| engine.failures.total() > 0);
    let texts = failing.map(|(name, engine)| format!("{name} {}", engine.failures.total()));
    texts.collect::<Vec<_>>().join(", ")
}

fn pace_line(players: &Players, experiment: &impl Experiment, progress: &Progress<'_>) -> String {
    let budget = match experiment.test() {
        Some(_) => format!("at most {}", experiment.budget()),
        None => experiment.budget().to_string(),
    };
    let pairs = progress.tally.judged_pairs();
    pace::progress_text(pairs, &budget, progress, players.at_a_time)
}

/// The only pairing of a match of two engines; without results at first.
fn first_pairing(tally: &Tally) -> PairingTally {
    tally.pairings.values().next().copied().unwrap_or_default()
}

/// The best engines of a tournament.
fn best_standings(names: &[String], tally: &Tally) -> Vec<Standing> {
    let mut standings = standings(names, tally).unwrap_or_else(|_| by_score(names, tally));
    standings.truncate(MAX_ROWS);
    standings
}

fn score_part(pairing: &PairingTally) -> String {
    format!(
        "W-D-L {}  Ptnml(0-2) {:?}",
        pairing.wdl, pairing.pentanomial.0
    )
}

/// Elo, nElo and LOS. A match has only Elo, with the always-valid interval: the others are
/// not valid before its end.
fn elo_part(experiment: &impl Experiment, pairing: &PairingTally) -> String {
    if experiment.test().is_none() {
        let elo = at_any_time(experiment.always_valid(), pairing.pentanomial);
        return match elo.filter(is_informative) {
            None => format!("Elo: {TOO_FEW_PAIRS}"),
            elo => format!("Elo {}", elo_text(elo, Interval::AlwaysValid)),
        };
    }
    let mut summary = summary_of(experiment, pairing.pentanomial);
    summary.elo = summary.elo.filter(is_informative);
    let elo = elo_text(summary.elo, summary.interval);
    match (summary.nelo, summary.los) {
        _ if summary.elo.is_none() => format!("Elo, nElo and LOS: {TOO_FEW_PAIRS}"),
        (None, None) => format!("Elo {elo}  nElo and LOS: {TOO_FEW_PAIRS}"),
        (nelo, los) => format!(
            "Elo {elo}  nElo {}  LOS {}",
            supported(nelo.map(plus_minus)),
            supported(los.map(|los| probability(los, 2)))
        ),
    }
}

/// A line for each engine with failures.
fn failures<'a>(names: &'a [String], tally: &'a Tally) -> impl Iterator<Item = String> + 'a {
    let engines = names.iter().zip(&tally.engines);
    engines
        .filter(|(_, engine)| engine.failures.total() > 0)
        .map(|(name, engine)| {
            let EngineTally {
                games, failures, ..
            } = engine;
            format!(
                "{name} failed in {} of {games} games: {failures}",
                failures.total()
            )
        })
}

fn llr(test: &Sprt) -> String {
    let (lower, upper) = test.bounds();
    let config = test.config();
    format!(
        "LLR {} ({lower:.2}, {upper:.2}) [{}, {}] {}",
        fixed(test.llr(), 2),
        config.elo0,
        config.elo1,
        config.model
    )
}

/// The LLR as a bar between its bounds, with a mark at zero. `None` if the terminal is too
/// narrow.
fn llr_bar(test: &Sprt, terminal: Terminal) -> Option<String> {
    let (lower, upper) = test.bounds();
    let ends = [format!("H0 {lower:.2} "), format!(" {upper:.2} H1")];
    let room = terminal
        .width
        .saturating_sub(ends[0].len() + ends[1].len() + 2);
    let length = room.min(LONGEST_BAR);
    if length < SHORTEST_BAR {
        return None;
    }
    let at = |value: f64| {
        let share = (value - lower) / (upper - lower);
        ((share * length as f64) as usize).min(length - 1)
    };
    let (zero, now) = (at(0.0), at(test.llr()));
    let cells: String = (0..length)
        .map(|cell| match cell {
            _ if cell == now => '●',
            _ if cell == zero => '┼',
            _ if cell > zero.min(now) && cell < zero.max(now) => '━',
            _ => '─',
        })
        .collect();
    let style = match test.llr() {
        llr if llr < 0.0 => Style::new().red(),
        _ => Style::new().green(),
    };
    let bar = terminal.paint(style, &cells);
    Some(format!("{}├{bar}┤{}", ends[0], ends[1]))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use console::{measure_text_width, strip_ansi_codes};

    use super::*;
    use crate::standings::tests::tally_of;
    use hone_experiment::{Next, PairResult, TournamentExperiment, Verdict};
    use hone_stats::SprtConfig;

    /// An experiment with a given test.
    struct FixedTest(Sprt);

    impl Experiment for FixedTest {
        fn plan(&mut self, _pair: u64) -> Next {
            Next::End
        }
        fn absorb(&mut self, _result: &PairResult) {}
        fn pass_over(&mut self, _result: &PairResult) {}
        fn verdict(&self) -> Option<Verdict> {
            None
        }
        fn budget(&self) -> u64 {
            20_000
        }
        fn test(&self) -> Option<&Sprt> {
            Some(&self.0)
        }
    }

    const OUTCOMES: [[u64; 3]; 3] = [[2, 3, 5], [3, 60, 12], [5, 12, 8]];

    /// A test and its totals after [`OUTCOMES`].
    fn sprt() -> (FixedTest, Tally) {
        let mut test = Sprt::new(SprtConfig::default()).unwrap();
        for (one, row) in OUTCOMES.iter().enumerate() {
            for (two, count) in row.iter().enumerate() {
                (0..*count).for_each(|_| test.absorb_games([one, two]));
            }
        }
        (FixedTest(test), tally_of(2, &[([0, 1], OUTCOMES)]))
    }

    fn players(names: &[&str]) -> Players {
        Players {
            names: names.iter().map(|name| (*name).to_string()).collect(),
            at_a_time: Some(2),
        }
    }

    fn progress(tally: &Tally) -> Progress<'_> {
        Progress {
            tally,
            elapsed: Duration::from_secs(110),
            time_limit: None,
            played: tally.pairs,
            in_flight: 4,
            awaited: None,
            stopping: false,
            is_over: false,
        }
    }

    fn terminal(width: usize, colours: bool) -> Terminal {
        Terminal {
            width,
            height: 24,
            colours,
        }
    }

    fn widest(block: &str) -> usize {
        block.lines().map(measure_text_width).max().unwrap_or(0)
    }

    #[test]
    fn the_mark_is_right_of_zero_if_the_llr_is_positive() {
        let (test, tally) = sprt();
        assert!(test.0.llr() > 0.5, "{}", test.0.llr());
        let players = players(&["dev", "base"]);
        let text = block(&players, &test, &progress(&tally), terminal(80, false));
        let bar = text.lines().last().unwrap();
        assert!(bar.find('┼') < bar.find('●'), "{bar}");
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let names = [
            "an-engine-with-a-rather-long-name-v17",
            "b",
            "stillwater",
            "d",
        ];
        let pairings = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let tournament = tally_of(4, &pairings.map(|pairing| (pairing, OUTCOMES)));
        let round_robin = TournamentExperiment::round_robin(4, 1000);
        let (test, tally) = sprt();
        for width in [10, 20, 40, 80, 200] {
            for colours in [false, true] {
                let at = terminal(width, colours);
                let progress_of = Progress {
                    stopping: true,
                    ..progress(&tally)
                };
                let text = block(&players(&names[..2]), &test, &progress_of, at);
                assert!(widest(&text) <= width, "{width}: {text}");
                let text = block(&players(&names), &round_robin, &progress(&tournament), at);
                assert!(widest(&text) <= width, "{width}: {text}");
            }
        }
    }

    #[test]
    fn colours_do_not_change_the_text() {
        let (test, tally) = sprt();
        let players = players(&["dev", "base"]);
        let plain = block(&players, &test, &progress(&tally), terminal(80, false));
        let coloured = block(&players, &test, &progress(&tally), terminal(80, true));
        assert!(!plain.contains('\u{1b}'));
        assert!(coloured.contains('\u{1b}'));
        assert_eq!(strip_ansi_codes(&coloured), plain);
    }

    #[test]
    fn zero_has_no_sign() {
        let mut test = Sprt::new(SprtConfig::default()).unwrap();
        [1, 3]
            .into_iter()
            .for_each(|half_points| test.absorb(half_points));
        assert!(test.llr() < 0.0 && test.llr() > -0.005, "{}", test.llr());
        assert!(llr(&test).starts_with("LLR 0.00 ("), "{}", llr(&test));
    }

    /// The block and the line of a test, of a match and of a tournament: after few and many
    /// pairs, before the first one, on a fleet, and with a time limit.
    #[test]
    fn blocks_and_lines() {
        let (test, tally) = sprt();
        let few = tally_of(2, &[([0, 1], [[0, 0, 0], [0, 2, 1], [0, 0, 0]])]);
        let begun = FixedTest(Sprt::new(SprtConfig::default()).unwrap());
        let two = players(&["dev", "base"]);
        let fleet = Players {
            at_a_time: None,
            ..players(&["dev", "base"])
        };
        let none = Tally::new(2);
        let limited = |tally| Progress {
            time_limit: Some(Duration::from_secs(70)),
            ..progress(tally)
        };
        let mut shown = Vec::new();
        for (what, players, test, progress) in [
            ("test", &two, &test, progress(&tally)),
            ("on a fleet", &fleet, &test, progress(&tally)),
            ("few pairs", &two, &begun, progress(&few)),
            ("no pairs", &two, &begun, progress(&none)),
            ("time limit", &two, &test, limited(&tally)),
            ("time limit, few pairs", &two, &begun, limited(&few)),
        ] {
            let block = block(players, test, &progress, terminal(200, false));
            shown.push((what, format!("{block}\n{}", line(players, test, &progress))));
        }
        let experiment = TournamentExperiment::round_robin(2, 1000);
        let of_match = progress(&tally);
        let text = block(&two, &experiment, &of_match, terminal(200, false));
        shown.push((
            "match",
            format!("{text}\n{}", line(&two, &experiment, &of_match)),
        ));

        let pairings = [[0, 1], [0, 2], [1, 2]];
        let played = tally_of(3, &pairings.map(|pairing| (pairing, OUTCOMES)));
        let experiment = TournamentExperiment::round_robin(3, 1000);
        let three = players(&["a", "b", "c"]);
        for (what, tally, width) in [
            ("tournament", &played, 80),
            ("tournament in 30 columns", &played, 30),
            ("tournament without pairs", &Tally::new(3), 80),
        ] {
            let progress = progress(tally);
            let block = block(&three, &experiment, &progress, terminal(width, false));
            shown.push((
                what,
                format!("{block}\n{}", line(&three, &experiment, &progress)),
            ));
        }
        let shown = hone_testing::listed(shown);
        hone_testing::snapshots(&[]).bind(|| insta::assert_snapshot!("scoreboard", shown));
    }
}
