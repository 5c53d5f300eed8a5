//! Signs in the totals of a run that its games are weak evidence.

use hone_run::files::findings;
use hone_run::{BookIdentity, Manifest, RunFiles, Tally};
use hone_stats::detect::{Finding, Repetition, alike, few_openings, repeated_games};

use super::engine_evidence::engine_findings;

/// The findings of a run of any kind: those of its totals, and what was found while it was
/// played.
///
/// # Errors
/// If the latter cannot be read.
pub fn evidence_findings(files: &RunFiles, tally: &Tally) -> anyhow::Result<Vec<Finding>> {
    let mut findings = findings_of(&files.manifest, tally);
    let found = findings::read(files.folder.path())?;
    findings.extend(found.into_iter().map(Finding::from));
    Ok(findings)
}

/// The findings of a run's totals: repeated games, few openings, identical games of a pair,
/// and what [`engine_findings`] finds.
fn findings_of(manifest: &Manifest, tally: &Tally) -> Vec<Finding> {
    let repetition = Repetition {
        pairs: tally.judged_pairs(),
        repeated: tally.repeated_pairs,
        dropped: tally.dropped_pairs,
        distinct_games: tally.distinct_games,
    };
    let book = manifest.book.as_ref();
    let openings = book.map_or(1, BookIdentity::distinct_openings) as u64;
    let pairs = tally.pairings.values();
    let pairs = pairs.map(|pairing| pairing.wdl.games() / 2);
    let most_pairs = pairs.max().unwrap_or(0);
    let mut findings: Vec<Finding> = [
        repeated_games(repetition),
        few_openings(most_pairs, openings),
        alike(tally.pairs, tally.mirrored_pairs),
    ]
    .into_iter()
    .flatten()
    .collect();
    findings.extend(engine_findings(manifest, tally));
    findings
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    use super::*;
    use hone_experiment::{Experiment, PairResult, TournamentExperiment, Verdict};
    use hone_run::config::Config;
    use hone_run::{BookIdentity, Fold, Kind, RepeatRule};
    use hone_uci::rules::{Effort, GameResult, Limit, Outcome, Termination};

    /// Limits of ordinary runs.
    const LIMITS: [&str; 8] = [
        "nodes=5",
        "nodes=1000",
        "nodes=200000",
        "depth=1",
        "depth=10",
        "movetime=50",
        "1+0.01",
        "40/60+0.5",
    ];

    struct Run {
        manifest: Manifest,
        limit: Limit,
        rng: ChaCha8Rng,
    }

    fn manifest(limit: &str, engines: usize, book: Option<usize>) -> Manifest {
        let tables: String = (0..engines)
            .map(|engine| format!("[[engine]]\nname = \"{engine}\"\ncmd = \"x\"\n"))
            .collect();
        let text = format!("{tables}[match]\nlimit = \"{limit}\"\n");
        let config: Config = toml::from_str(&text).expect("a configuration");
        let rule = if config.is_timed() {
            RepeatRule::Count
        } else {
            RepeatRule::Drop
        };
        Manifest {
            hone: String::new(),
            kind: Kind::Match,
            created: jiff::Timestamp::UNIX_EPOCH,
            base: "/".into(),
            concurrency: 1,
            pairs: None,
            placement: Vec::new(),
            isolation: String::new(),
            engines: Vec::new(),
            book: book.map(|openings| BookIdentity {
                file: "book".into(),
                sha256: String::new(),
                openings,
                distinct: Some(openings),
            }),
            pooled: Vec::new(),
            earlier: Vec::new(),
            repeats: rule,
            config,
        }
    }

    impl Run {
        fn below(&mut self, bound: u64) -> u64 {
            self.rng.next_u64() % bound
        }

        /// A number between two shares of `of`.
        fn between(&mut self, low: f64, high: f64, of: f64) -> f64 {
            let share = self.below(1 << 20) as f64 / f64::from(1 << 20);
            of * (low + share * (high - low))
        }

        /// Nodes, milliseconds and effort of an ordinary engine in a game of `moves` moves:
        /// one move in six is forced or near a mate; the engine checks a node limit every
        /// `check` nodes (1,024 to 4,096) and plans its clock for 40 moves.
        fn effort(&mut self, moves: u32, check: u64) -> (u64, u64, Effort) {
            let (mut nodes, mut ms, mut depth) = (0.0, 0.0, 0.0);
            for _ in 0..moves {
                if self.below(6) == 0 {
                    nodes += 40.0;
                    depth += 1.0;
                    continue;
                }
                let limit = self.limit.clone();
                if let Some(limit) = limit.nodes {
                    let up_to = limit.max(check) as f64;
                    nodes += self.between(0.6, 1.0, up_to);
                    depth += 5.0;
                } else if let Some(limit) = limit.depth {
                    nodes += 5000.0;
                    depth += f64::from(limit) + self.between(-0.2, 1.0, 2.0).round();
                } else if let Some(limit) = limit.movetime {
                    nodes += 5000.0;
                    ms += self.between(0.5, 1.1, limit as f64);
                } else if let Some(stage) = limit.stages().first() {
                    nodes += 5000.0;
                    let usual = stage.base as f64 / 40.0 + stage.increment as f64;
                    ms += self.between(0.5, 1.0, usual);
                }
            }
            let effort = Effort {
                moves,
                depth: depth.max(0.0) as u64,
                ..Effort::default()
            };
            (nodes as u64, ms as u64, effort)
        }

        fn game(&mut self) -> GameResult {
            let outcome = [Outcome::White, Outcome::Draw, Outcome::Black][self.below(3) as usize];
            let moves = 15 + self.below(60) as u32;
            let check = 1024 << self.below(3);
            let [white, black] = [self.effort(moves, check), self.effort(moves, check)];
            let digest = self.rng.next_u64();
            GameResult {
                outcome,
                termination: Termination::ResignAdjudication,
                plies: 2 * moves,
                ms: [white.1, black.1],
                nodes: [white.0, black.0],
                effort: [white.2, black.2],
                digest,
                line: Some(digest),
            }
        }

        fn pair(&mut self, pair: u64, engines: [usize; 2]) -> PairResult {
            let mut games = [self.game(), self.game()];
            // Two engines that hardly differ sometimes play the same game twice.
            if self.below(4) == 0 {
                games[1] = games[0].clone();
            }
            PairResult {
                pair,
                engines,
                games,
            }
        }
    }

    /// The findings of an ordinary run, and its verdict.
    fn ordinary(seed: u64) -> (Vec<Finding>, Option<Verdict>) {
        let limit = LIMITS[(seed % LIMITS.len() as u64) as usize];
        let book = [20, 500, 5000][(seed / 8 % 3) as usize];
        let engines = 2 + (seed / 24 % 3) as usize;
        let manifest = manifest(limit, engines, Some(book as usize));
        let is_timed = manifest.repeats == RepeatRule::Count;
        let mut run = Run {
            limit: limit.parse().expect("a limit"),
            manifest,
            rng: ChaCha8Rng::seed_from_u64(seed),
        };
        // With a clock a small book is played several times.
        let most = if is_timed { 5 * book } else { book };
        let rounds = 1 + run.below(most.min(150));
        let mut experiment = TournamentExperiment::gauntlet(engines, 1, rounds);
        let budget = experiment.budget();
        let plans: Vec<[usize; 2]> = (0..budget)
            .map_while(|pair| match experiment.plan(pair) {
                hone_experiment::Next::Play(plan) => Some([plan.first.engine, plan.second.engine]),
                _ => None,
            })
            .collect();
        let mut fold = Fold::new(experiment, engines, run.manifest.repeats);
        for (pair, engines) in (0..).zip(plans) {
            let mut result = run.pair(pair, engines);
            // With a clock, sometimes the same game twice.
            if is_timed && pair > 0 && run.below(2000) == 0 {
                result.games = [result.games[0].clone(), result.games[0].clone()];
            }
            fold.push(result);
        }
        (findings_of(&run.manifest, &fold.tally), fold.verdict())
    }

    #[test]
    fn a_thousand_ordinary_runs_have_no_finding() {
        for seed in 0..1000 {
            let (findings, verdict) = ordinary(seed);
            assert_eq!(findings, [], "run {seed}");
            assert_eq!(verdict, Some(Verdict::Complete), "run {seed}");
        }
    }

    #[test]
    fn an_ignored_limit_and_few_openings_are_found() {
        for (limit, book, scale, kinds) in [
            (
                "nodes=200000",
                Some(5000),
                20,
                &["a limit that is not kept"][..],
            ),
            ("1+0.01", Some(2), 1, &["few openings"]),
            ("1+0.01", None, 1, &["few openings"]),
            ("nodes=1000", Some(5000), 1, &[]),
        ] {
            let manifest = manifest(limit, 2, book);
            let mut run = Run {
                limit: limit.parse().expect("a limit"),
                rng: ChaCha8Rng::seed_from_u64(7),
                manifest,
            };
            let experiment = TournamentExperiment::gauntlet(2, 1, 40);
            let mut fold = Fold::new(experiment, 2, run.manifest.repeats);
            for pair in 0..40 {
                let mut result = run.pair(pair, [0, 1]);
                result.games[0].nodes[0] /= scale;
                result.games[1].nodes[1] /= scale;
                fold.push(result);
            }
            let findings = findings_of(&run.manifest, &fold.tally);
            let found: Vec<_> = findings.iter().map(|found| found.test.words()).collect();
            assert_eq!(found, kinds, "{limit}");
        }
    }
}
