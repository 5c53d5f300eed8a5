use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::*;

/// Shares of a pair's results between equals, as the engines of the project
/// have them at fixed nodes.
const EVEN: [f64; 5] = [0.05, 0.22, 0.46, 0.22, 0.05];

/// Shares when the first is so much stronger in Elo: the even ones tilted
/// until their mean is the expected score.
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

/// A project: its builds' Elo over the anchor, and that of its release.
struct Project {
    rng: ChaCha8Rng,
    pairs: u64,
    release: f64,
    /// Of the previous nightly.
    before: Option<f64>,
    /// Shares against opponents of this strength, which are few.
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

    fn night(&mut self, elo: f64) -> Evidence<'static> {
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
        if let Some(before) = self.before {
            evidence.push(Observation {
                series: None,
                pentanomial: self.match_against(elo - before),
            });
        }
        self.before = Some(elo);
        evidence
    }
}

#[test]
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
    // The test would be idle if nothing ever came near.
    assert!(alarms[0] + alarms[1] > 0, "{alarms:?}");
}

/// Nights from a loss of so much until it is noticed, sorted, with the default
/// settings: after 60 quiet nights, 200 pairs against each opponent.
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
    // The first night's build before belongs to no known time.
    assert_eq!(detector.absorb(&one(None)), None);
    assert_eq!(detector.absorb(&one(Some("new each night"))), None);
    assert_eq!(detector.absorb(&one(Some("and another"))), None);
}
