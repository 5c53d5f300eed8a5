use super::super::counts::Pentanomial;
use super::super::elo;
use super::games::game;
use super::*;

fn add_pairs(games: &mut Games, first: usize, second: usize, pairs: &[([usize; 2], u64)]) {
    for &([one, two], count) in pairs {
        for _ in 0..count {
            games.add_pair([game(first, second, one), game(second, first, two)]);
        }
    }
}

fn players(names: &[&str]) -> Games {
    let mut games = Games::default();
    for name in names {
        games.player(name);
    }
    games
}

/// A hundred pairs in which both games end alike more often than not.
fn two_players() -> Games {
    let mut games = players(&["a", "b"]);
    // White's half points in both games: [2, 0] is WW for `a`, and so on.
    let pairs = [
        ([2, 0], 8),
        ([2, 1], 20),
        ([2, 2], 30),
        ([1, 1], 25),
        ([1, 2], 12),
        ([0, 2], 5),
    ];
    add_pairs(&mut games, 0, 1, &pairs);
    games
}

#[test]
fn two_players_are_the_match() {
    let counts = Pentanomial([5, 12, 55, 20, 8]);
    let expected = elo::elo(counts).unwrap();
    let options = RatingOptions {
        anchors: vec![("b".to_owned(), 0.0)],
        white_advantage: Some(0.0),
        ..RatingOptions::default()
    };
    let ratings = rate(&two_players(), &options).unwrap();
    let a = ratings.ratings[0].elo.unwrap();
    assert!((a.estimate - expected.estimate).abs() < 1e-6, "{a:?}");
    let ratio = a.half_width() / expected.half_width();
    assert!((0.99..1.01).contains(&ratio), "{a:?} {expected:?}");
    let los = ratings.los[0][1].unwrap();
    assert!((los - elo::los(counts).unwrap()).abs() < 0.002);
}

#[test]
fn whites_advantage_is_estimated() {
    let ratings = rate(&two_players(), &RatingOptions::default()).unwrap();
    assert!(ratings.white_advantage.low > 0.0);
    // Away from the middle of the curve the same score takes more Elo.
    let difference = 2.0 * ratings.ratings[0].elo.unwrap().estimate;
    let without = elo::elo(Pentanomial([5, 12, 55, 20, 8])).unwrap().estimate;
    assert!(difference > without);
}

#[test]
fn pairing_narrows_the_interval() {
    // Openings decide most games: both are won by White, or both by Black.
    let mut paired = players(&["a", "b"]);
    let pairs = [
        ([2, 2], 35),
        ([0, 0], 20),
        ([1, 1], 30),
        ([2, 1], 10),
        ([1, 2], 5),
    ];
    add_pairs(&mut paired, 0, 1, &pairs);
    let mut single = players(&["a", "b"]);
    for unit in paired.units() {
        for game in unit.each() {
            single.add_single(game, unit.count);
        }
    }
    let [paired, single] =
        [paired, single].map(|games| rate(&games, &RatingOptions::default()).unwrap());
    let elo = |ratings: &Ratings| ratings.ratings[0].elo.unwrap();
    assert!((elo(&paired).estimate - elo(&single).estimate).abs() < 1e-9);
    let ratio = elo(&paired).half_width() / elo(&single).half_width();
    assert!(ratio < 0.5, "{ratio}");
}

#[test]
fn expected_scores_are_the_points() {
    let mut games = two_players();
    let c = games.player("c");
    games.add_single(game(0, c, 2), 30);
    games.add_single(game(c, 0, 1), 50);
    games.add_single(game(1, c, 0), 10);
    games.add_single(game(c, 1, 1), 40);
    let ratings = rate(&games, &RatingOptions::default()).unwrap();
    let elo_of = |player: usize| {
        let name = &games.names()[player];
        ratings
            .ratings
            .iter()
            .find(|r| r.name == *name)
            .unwrap()
            .elo
            .unwrap()
            .estimate
    };
    let mut expected = [0.0; 3];
    for unit in games.units() {
        for game in unit.each() {
            let difference =
                elo_of(game.white) - elo_of(game.black) + ratings.white_advantage.estimate;
            let score = elo::score_of_elo(difference);
            expected[game.white] += unit.count as f64 * score;
            expected[game.black] += unit.count as f64 * (1.0 - score);
        }
    }
    for (player, expected) in expected.into_iter().enumerate() {
        let rating = ratings
            .ratings
            .iter()
            .find(|r| r.name == games.names()[player])
            .unwrap();
        assert!(
            (rating.points - expected).abs() < 1e-8,
            "{rating:?} {expected}"
        );
    }
    let mean: f64 = (0..3).map(elo_of).sum::<f64>() / 3.0;
    assert!(mean.abs() < 1e-9);
}

#[test]
fn several_anchors_keep_their_ratings() {
    let mut games = two_players();
    let c = games.player("c");
    games.add_single(game(0, c, 1), 30);
    games.add_single(game(c, 1, 2), 30);
    games.add_single(game(1, c, 2), 25);
    let options = RatingOptions {
        anchors: vec![("a".to_owned(), 3000.0), ("b".to_owned(), 2950.0)],
        ..RatingOptions::default()
    };
    let ratings = rate(&games, &options).unwrap();
    let find = |name: &str| {
        ratings
            .ratings
            .iter()
            .find(|r| r.name == name)
            .unwrap()
            .elo
            .unwrap()
    };
    assert_eq!((find("a").estimate, find("b").low), (3000.0, 2950.0));
    assert!(find("c").half_width() > 10.0 && (2900.0..3100.0).contains(&find("c").estimate));
    let unknown = RatingOptions {
        anchors: vec![("x".to_owned(), 0.0)],
        ..RatingOptions::default()
    };
    assert!(matches!(
        rate(&games, &unknown),
        Err(RatingError::UnknownAnchor { .. })
    ));
    let twice = RatingOptions {
        anchors: vec![("a".to_owned(), 3000.0), ("a".to_owned(), 2950.0)],
        ..RatingOptions::default()
    };
    assert!(matches!(
        rate(&games, &twice),
        Err(RatingError::RepeatedAnchor { name }) if name == "a"
    ));
}

#[test]
fn players_without_limit_are_not_rated() {
    let mut games = two_players();
    let winner = games.player("winner");
    games.add_single(game(winner, 0, 2), 10);
    games.add_single(game(1, winner, 0), 10);
    let ratings = rate(&games, &RatingOptions::default()).unwrap();
    let rating = ratings.ratings.iter().find(|r| r.name == "winner").unwrap();
    assert_eq!(rating.elo, None);
    assert!(
        ratings
            .warnings
            .iter()
            .any(|warning| warning.contains("winner has only wins"))
    );
    assert!(ratings.ratings.iter().filter(|r| r.elo.is_some()).count() == 2);
}

#[test]
fn separate_pools_are_not_compared() {
    let mut games = two_players();
    let (c, d) = (games.player("c"), games.player("d"));
    add_pairs(
        &mut games,
        c,
        d,
        &[([2, 1], 10), ([1, 1], 10), ([0, 1], 10)],
    );
    let ratings = rate(&games, &RatingOptions::default()).unwrap();
    assert!(
        ratings
            .warnings
            .iter()
            .any(|warning| warning.contains("2 pools"))
    );
    assert!(ratings.ratings.iter().all(|rating| rating.elo.is_some()));
    let pools: Vec<usize> = ratings.ratings.iter().map(|rating| rating.pool).collect();
    assert_eq!(pools, [0, 0, 1, 1]);
    assert_eq!(ratings.los[0][2], None);
}

#[test]
fn whites_advantage_needs_games_with_both_colours() {
    let mut games = players(&["a", "b"]);
    games.add_single(game(0, 1, 2), 76);
    games.add_single(game(0, 1, 0), 24);
    let ratings = rate(&games, &RatingOptions::default()).unwrap();
    assert_eq!(ratings.white_advantage.estimate, 0.0);
    assert!(
        ratings
            .warnings
            .iter()
            .any(|warning| warning.contains("cannot be told apart"))
    );
}

#[test]
fn an_advantage_without_limit_is_named() {
    for (results, says) in [
        ([2, 2], "White won every game between comparable players"),
        ([0, 0], "White lost every game between comparable players"),
    ] {
        let mut games = players(&["a", "b"]);
        add_pairs(&mut games, 0, 1, &[(results, 50)]);
        let ratings = rate(&games, &RatingOptions::default()).unwrap();
        assert_eq!(ratings.white_advantage.estimate, 0.0);
        let [warning] = ratings.warnings.as_slice() else {
            panic!("{:?}", ratings.warnings);
        };
        assert!(warning.contains(says), "{warning}");
    }
}

/// A player with only wins is comparable with nobody, so no game is left for the advantage.
#[test]
fn games_of_players_without_limit_warn_of_no_advantage() {
    let mut games = players(&["a", "b"]);
    add_pairs(&mut games, 0, 1, &[([2, 0], 17)]);
    let ratings = rate(&games, &RatingOptions::default()).unwrap();
    assert_eq!(ratings.white_advantage.estimate, 0.0);
    assert!(!ratings.white_advantage_supported);
    let of_white = |warning: &&String| warning.contains("White");
    assert_eq!(ratings.warnings.iter().find(of_white), None);
}

#[test]
fn whites_advantage_needs_different_results() {
    let is_supported = |pairs: &[([usize; 2], u64)], options: &RatingOptions| {
        let mut games = players(&["a", "b"]);
        add_pairs(&mut games, 0, 1, pairs);
        rate(&games, options).unwrap().white_advantage_supported
    };
    let estimated = RatingOptions::default();
    // A pair with a win each by the same player is level for White, as two draws are.
    for pairs in [
        &[([1, 1], 100)][..],
        &[([1, 1], 100), ([2, 1], 4)],
        &[([1, 1], 100), ([2, 0], 50), ([0, 2], 50)],
        &[([1, 1], 20), ([2, 1], 20), ([0, 1], 19)],
        // White won every game: the fit warns.
        &[([2, 2], 100)],
    ] {
        assert!(!is_supported(pairs, &estimated), "{pairs:?}");
    }
    assert!(is_supported(&[([1, 1], 95), ([2, 1], 5)], &estimated));
    let given = RatingOptions {
        white_advantage: Some(30.0),
        ..RatingOptions::default()
    };
    assert!(is_supported(&[([1, 1], 100)], &given));
}

#[test]
fn intervals_cover_the_truth() {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    // Pairs with a shared opening bias, so that their games are correlated.
    let truth = [30.0, 0.0, -30.0];
    let mut inside = 0;
    const RUNS: u64 = 150;
    for seed in 0..RUNS {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut uniform = || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let mut games = players(&["a", "b", "c"]);
        for (first, second) in [(0, 1), (1, 2), (0, 2)] {
            for _ in 0..100 {
                let bias = if uniform() < 0.5 { 250.0 } else { -100.0 };
                let mut play = |white: usize, black: usize| {
                    let score = elo::score_of_elo(truth[white] - truth[black] + bias);
                    let draw = 0.6 * score.min(1.0 - score);
                    let u = uniform();
                    let half =
                        usize::from(u < score - draw / 2.0) + usize::from(u < score + draw / 2.0);
                    game(white, black, half)
                };
                let pair = [play(first, second), play(second, first)];
                games.add_pair(pair);
            }
        }
        let ratings = rate(&games, &RatingOptions::default()).unwrap();
        let a = ratings
            .ratings
            .iter()
            .find(|r| r.name == "a")
            .unwrap()
            .elo
            .unwrap();
        // The openings' bias flattens the curve: on the scale of ratings the
        // strength of 30 Elo is about 27.
        inside += u64::from(a.low <= 27.0 && 27.0 <= a.high);
    }
    // 95 % of 150, less four standard errors.
    assert!(inside >= 131, "{inside} of {RUNS}");
}
