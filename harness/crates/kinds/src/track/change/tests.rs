use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::*;

/// Pentanomial shares of two equal engines, as measured for Stillwater at fixed nodes.
const EVEN: [f64; 5] = [0.05, 0.22, 0.46, 0.22, 0.05];

/// Pentanomial shares of two builds that play differently in only this share of the pairs.
fn alike(different: f64) -> [f64; 5] {
    let differing = 1.0 - EVEN[2];
    let mut shares = EVEN.map(|share| share * different / differing);
    shares[2] = 1.0 - different;
    shares
}

/// Pentanomial shares if the first engine is `elo` stronger: the even ones, tilted until
/// their mean is the expected score.
fn shares(elo: f64) -> [f64; 5] {
    let expected = 1.0 / (1.0 + 10f64.powf(-elo / 400.0));
    let tilted = |tilt: f64| {
        let weights: Vec<f64> = (0..5).map(|i| EVEN[i] * (tilt * i as f64).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let shares: [f64; 5] = std::array::from_fn(|i| weights[i] / sum);
        let mean: f64 = shares
            .iter()
            .zip(Sample::<5>::SCORES)
            .map(|(p, s)| p * s)
            .sum();
        (shares, mean)
    };
    let (mut low, mut high) = (-5.0, 5.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if tilted(middle).1 < expected {
            low = middle;
        } else {
            high = middle;
        }
    }
    tilted(low).0
}

fn play(rng: &mut ChaCha8Rng, shares: &[f64; 5], pairs: u64) -> Pentanomial {
    let bounds = [0, 1, 2, 3].map(|i| shares[..=i].iter().sum::<f64>() * 2f64.powi(32));
    let mut counts = Pentanomial::default();
    for _ in 0..pairs {
        let draw = f64::from(rng.next_u32());
        counts.add(bounds.iter().filter(|bound| draw >= **bound).count());
    }
    counts
}

/// A project: its builds' Elo relative to the anchor, and that of its release.
struct Project {
    rng: ChaCha8Rng,
    pairs: u64,
    release: f64,
    /// Elo of the previous nightly.
    before: Option<f64>,
    /// Cached shares by the difference in strength.
    known: BTreeMap<i64, [f64; 5]>,
}

impl Project {
    fn new(seed: u64, pairs: u64, release: f64) -> Self {
        Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            pairs,
            release,
            before: None,
            known: BTreeMap::new(),
        }
    }

    fn match_against(&mut self, difference: f64) -> Pentanomial {
        let key = (difference * 1000.0) as i64;
        let shares = *self.known.entry(key).or_insert_with(|| shares(difference));
        play(&mut self.rng, &shares, self.pairs)
    }

    fn night(&mut self, elo: f64) -> NightObservations<'static> {
        let before = self.before.replace(elo);
        let direct = before.map(|before| self.match_against(elo - before));
        self.evidence(elo, direct)
    }

    /// A night whose build plays like the previous one, except in this share of the pairs.
    fn night_alike(&mut self, elo: f64, different: f64) -> NightObservations<'static> {
        let before = self.before.replace(elo);
        let direct = before.map(|_| play(&mut self.rng, &alike(different), self.pairs));
        self.evidence(elo, direct)
    }

    fn evidence(&mut self, elo: f64, direct: Option<Pentanomial>) -> NightObservations<'static> {
        let mut evidence = vec![
            Observation {
                series: Some("anchor"),
                pentanomial: self.match_against(elo),
            },
            Observation {
                series: Some("release"),
                pentanomial: self.match_against(elo - self.release),
            },
        ];
        evidence.extend(direct.map(|pentanomial| Observation {
            series: None,
            pentanomial,
        }));
        evidence
    }
}

#[test]
#[ignore = "simulates 365,000 nights, half a minute of a core: .ci/run runs it after the other tests"]
fn false_alarms_in_a_thousand_years_are_at_most_as_many_as_stated() {
    const YEARS: usize = 1000;
    const STATED: u64 = 3650;
    // A hundred projects of ten years; few pairs a night are the harder case.
    let mut alarms = [0, 0];
    for project in 0..100 {
        let mut simulated = Project::new(project, 40, 20.0);
        let mut detector = Detector::new(STATED);
        for _ in 0..YEARS / 100 * 365 {
            let night = simulated.night(60.0);
            if let Some(change) = detector.absorb(&night) {
                alarms[usize::from(change.direction == Direction::Gain)] += 1;
            }
        }
    }
    let allowed = YEARS * 365 / STATED as usize;
    println!("{alarms:?} false alarms of losses and gains, {allowed} allowed");
    assert!(alarms[0] <= allowed && alarms[1] <= allowed, "{alarms:?}");
    // Without any alarm, the test would prove nothing.
    assert!(alarms[0] + alarms[1] > 0, "{alarms:?}");
}

/// Number of false alarms of losses and of gains in simulated histories.
fn false_alarms(
    histories: u64,
    nights: usize,
    mut night: impl FnMut(&mut Project, usize) -> NightObservations<'static>,
) -> [usize; 2] {
    let mut alarms = [0, 0];
    for seed in 0..histories {
        let mut project = Project::new(seed, 200, 0.0);
        let mut detector = Detector::new(500);
        for number in 0..nights {
            let evidence = night(&mut project, number);
            if let Some(change) = detector.absorb(&evidence) {
                alarms[usize::from(change.direction == Direction::Gain)] += 1;
            }
        }
    }
    alarms
}

/// Most builds play like the previous one, or nearly so.
#[test]
fn builds_that_play_alike_raise_no_alarm_with_the_next_that_does_not() {
    for different in [0.0, 0.02] {
        let alarms = false_alarms(10, 1000, |project, number| match number % 5 {
            0 => project.night(60.0),
            _ => project.night_alike(60.0, different),
        });
        println!("{alarms:?} false alarms where builds differ in {different} of the pairs");
        assert!(alarms[0] <= 20 && alarms[1] <= 20, "{alarms:?}");
    }
}

/// False alarms at fixed nodes with a book of `openings` openings. Four of five builds play
/// like the previous one, so their games repeat where an opening does.
fn false_alarms_with_repeats(openings: usize) -> [usize; 2] {
    // Against the anchor and against the release, by opening.
    let mut results: [Vec<Pentanomial>; 2] = Default::default();
    let mut order: Vec<usize> = (0..openings).collect();
    false_alarms(20, 1000, |project, number| {
        let mut direct = Pentanomial([0, 0, project.pairs, 0, 0]);
        if number % 5 == 0 {
            let mut pair = |_| play(&mut project.rng, &EVEN, 1);
            results = [(); 2].map(|()| (0..openings).map(&mut pair).collect());
            direct = play(&mut project.rng, &EVEN, project.pairs);
        }
        let pairs = project.pairs as usize;
        for i in 0..pairs {
            let other = i + project.rng.next_u32() as usize % (openings - i);
            order.swap(i, other);
        }
        let of = |series, pentanomial| Observation {
            series,
            pentanomial,
        };
        let sum = |results: &[Pentanomial]| order[..pairs].iter().map(|&i| results[i]).sum();
        vec![
            of(Some("anchor"), sum(&results[0])),
            of(Some("release"), sum(&results[1])),
            of(None, direct),
        ]
    })
}

#[test]
fn a_book_of_twenty_times_the_pairs_keeps_the_rate_of_false_alarms() {
    let large = false_alarms_with_repeats(20 * 200);
    let small = false_alarms_with_repeats(3 * 200);
    println!(
        "{large:?} false alarms with twenty times the pairs as openings, {small:?} with three"
    );
    assert!(large[0] <= 40 && large[1] <= 40, "{large:?}");
    // The reason for the warning about small books.
    assert!(small[0] > 40 && small[1] > 40, "{small:?}");
}

/// At first every build plays like the anchor.
#[test]
fn the_first_build_that_does_not_play_as_the_anchor_raises_no_alarm() {
    let alarms = false_alarms(100, 50, |project, number| match number {
        0..20 => {
            let even = Pentanomial([0, 0, project.pairs, 0, 0]);
            let series = [Some("anchor"), Some("release"), None];
            project.before = Some(0.0);
            series
                .map(|series| Observation {
                    series,
                    pentanomial: even,
                })
                .to_vec()
        }
        _ => project.night(0.0),
    });
    println!("{alarms:?} false alarms after nights that play as the anchor");
    assert!(alarms[0] <= 10 && alarms[1] <= 10, "{alarms:?}");
}

#[test]
fn a_night_after_equal_builds_is_as_certain_as_its_own_games() {
    let night = |direct| {
        let of = |series, counts| Observation {
            series,
            pentanomial: Pentanomial(counts),
        };
        vec![of(Some("anchor"), [0, 0, 2, 3, 195]), of(None, direct)]
    };
    let detected = |last| {
        let mut detector = Detector::new(3650);
        for _ in 0..21 {
            assert_eq!(detector.absorb(&night([0, 0, 200, 0, 0])), None);
        }
        detector.absorb(&night(last))
    };
    // -16.5 Elo, 95 %: -46 to 13.
    assert_eq!(detected([34, 37, 71, 30, 28]), None);
    // -98 Elo, 95 %: -129 to -69.
    let change = detected([70, 45, 50, 25, 10]).expect("noticed");
    assert_eq!((change.direction, change.at), (Direction::Loss, 21));
    let margin = change.elo.half_width();
    assert!((25.0..35.0).contains(&margin), "{change:?}");
}

/// Nights until a loss of `loss` Elo is detected, sorted, with the default settings: after 60
/// nights without a change, 200 pairs against each opponent.
fn delays(loss: f64, histories: u64) -> Vec<usize> {
    let mut delays: Vec<usize> = (0..histories)
        .map(|seed| {
            let mut project = Project::new(1000 + seed, 200, 20.0);
            let mut detector = Detector::new(3650);
            for _ in 0..60 {
                let night = project.night(60.0);
                detector.absorb(&night);
            }
            let found = (1..500).find_map(|nights| {
                let night = project.night(60.0 - loss);
                let change = detector.absorb(&night)?;
                (change.direction == Direction::Loss).then_some(nights)
            });
            found.unwrap_or(500)
        })
        .collect();
    delays.sort_unstable();
    delays
}

#[test]
fn a_loss_of_ten_elo_is_noticed_within_the_stated_nights() {
    let delays = delays(10.0, 200);
    let (median, most) = (delays[100], delays[189]);
    println!("median {median}, 95 % within {most} nights");
    assert!(median <= 15, "median {median}");
    assert!(most <= 30, "95 % within {most}");
    let large = self::delays(60.0, 20);
    println!("60 Elo: at most {} nights", large[19]);
    assert!(large[19] <= 2, "a large one at once: {large:?}");
}

#[test]
fn the_estimate_of_a_change_is_near_its_size_and_time() {
    let mut project = Project::new(7, 400, 20.0);
    let mut detector = Detector::new(3650);
    for _ in 0..40 {
        let night = project.night(60.0);
        assert_eq!(detector.absorb(&night), None);
    }
    let change = (0..40)
        .find_map(|_| {
            let night = project.night(85.0);
            detector.absorb(&night)
        })
        .expect("noticed");
    assert_eq!(change.direction, Direction::Gain);
    assert!((38..=42).contains(&change.at), "{change:?}");
    assert!(
        change.elo.low < 25.0 && 25.0 < change.elo.high,
        "{change:?}"
    );
}

#[test]
fn the_evidence_is_what_integrating_gives() {
    for score in [-0.3, 0.02, 1.5] {
        let shift = Shift {
            score,
            information: 0.02,
        };
        for (sign, evidence) in [-1.0, 1.0].into_iter().zip(shift.evidence()) {
            let step = 0.001;
            let density = |size: f64| {
                let of = |typical: f64| (-0.5 * (size / typical).powi(2)).exp() / typical;
                (of(SHIFTS[0]) + of(SHIFTS[1])) / (2.0 * std::f64::consts::PI).sqrt()
            };
            let integral: f64 = (0..400_000)
                .map(|i| {
                    let size = (f64::from(i) + 0.5) * step;
                    let ln = sign * size * shift.score - 0.5 * size * size * shift.information;
                    step * density(size) * ln.exp()
                })
                .sum();
            assert!(
                (evidence / integral - 1.0).abs() < 1e-6,
                "{evidence} {integral}"
            );
        }
    }
}

#[test]
fn without_anything_to_compare_with_there_is_no_evidence() {
    let mut detector = Detector::new(10);
    let one = |series| {
        vec![Observation {
            series,
            pentanomial: Pentanomial([100, 0, 0, 0, 0]),
        }]
    };
    // The previous nightly of the first night has no other matches.
    assert_eq!(detector.absorb(&one(None)), None);
    assert_eq!(detector.absorb(&one(Some("new each night"))), None);
    assert_eq!(detector.absorb(&one(Some("and another"))), None);
}
