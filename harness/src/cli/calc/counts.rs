//! Counts of results on the command line.

use clap::Args;

use hone_stats::{Counts, Pentanomial, Wdl};

/// Results of a match, seen from the first engine.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(super) struct CountsArgs {
    /// Counts of pairs: LL,LD,DD+WL,WD,WW, or six with the drawn pairs apart: LL,LD,WL,DD,WD,WW
    #[arg(long, value_name = "COUNTS", value_parser = parse_pairs)]
    pentanomial: Option<Pairs>,
    /// Counts of single games: wins,draws,losses, or as hone prints them, wins-draws-losses
    #[arg(long, value_name = "W-D-L", value_parser = parse_games)]
    wdl: Option<Wdl>,
}

/// Counts of pairs; the level ones are split by kind if six counts were given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pairs {
    pub(super) counts: Pentanomial,
    /// Pairs with one win each, and pairs of two draws.
    pub(super) level: Option<[u64; 2]>,
}

impl CountsArgs {
    /// The given counts.
    pub(super) fn counts(&self) -> Counts {
        match (&self.pentanomial, &self.wdl) {
            (Some(pairs), _) => pairs.counts.into(),
            (None, Some(games)) => (*games).into(),
            (None, None) => unreachable!("the group of arguments is required"),
        }
    }

    /// The counts of games; `None` for five counts of pairs, which do not determine them.
    pub(super) fn games(&self) -> Option<Wdl> {
        let Some(pairs) = self.pentanomial else {
            return self.wdl;
        };
        let [ll, ld, _, wd, ww] = pairs.counts.0;
        let [wl, dd] = pairs.level?;
        Some(Wdl {
            wins: 2 * ww + wd + wl,
            draws: ld + wd + 2 * dd,
            losses: 2 * ll + ld + wl,
        })
    }

    /// Ratio of pairs with one win each to pairs of two draws; `None` if these are unknown or
    /// the number of pairs of two draws is 0.
    pub(super) fn wl_dd_ratio(&self) -> Option<f64> {
        let [wl, dd] = self.pentanomial?.level?;
        (dd > 0).then(|| wl as f64 / dd as f64)
    }
}

pub(super) fn parse_pairs(text: &str) -> Result<Pairs, String> {
    // hone and fastchess print counts in brackets.
    let inside = text.trim().strip_prefix('[');
    let inside = inside.and_then(|text| text.strip_suffix(']'));
    let text = inside.unwrap_or(text);
    match *parse_counts(text)?.as_slice() {
        [ll, ld, level, wd, ww] => Ok(Pairs {
            counts: Pentanomial([ll, ld, level, wd, ww]),
            level: None,
        }),
        [ll, ld, wl, dd, wd, ww] => Ok(Pairs {
            counts: Pentanomial([ll, ld, wl + dd, wd, ww]),
            level: Some([wl, dd]),
        }),
        ref counts => Err(format!(
            "expected 5 counts (LL,LD,DD+WL,WD,WW) or 6 (LL,LD,WL,DD,WD,WW), got {}",
            counts.len()
        )),
    }
}

fn parse_games(text: &str) -> Result<Wdl, String> {
    let counts = if text.contains(',') {
        parse_counts(text)?
    } else {
        parse_counts(&text.replace('-', ","))?
    };
    <[u64; 3]>::try_from(counts)
        .map(Wdl::from)
        .map_err(|counts| {
            format!(
                "expected 3 counts (wins,draws,losses), got {}",
                counts.len()
            )
        })
}

/// Maximum count, so that sums of a few are exact as floating-point numbers.
const MAX_COUNT: u64 = 1 << 50;

fn parse_counts(text: &str) -> Result<Vec<u64>, String> {
    text.split(',')
        .map(|count| match count.trim().parse() {
            Ok(count) if count <= MAX_COUNT => Ok(count),
            Ok(_) => Err(format!("{count} is too large: at most {MAX_COUNT}")),
            Err(_) => Err(format!(
                "`{count}` is not a count: whole numbers from 0, separated by commas"
            )),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_or_six_counts_of_pairs() {
        assert_eq!(
            parse_pairs("1,2,3,4,5").unwrap().counts,
            Pentanomial([1, 2, 3, 4, 5])
        );
        let six = parse_pairs("1, 2, 3, 4, 5, 6").unwrap();
        assert_eq!(six.counts, Pentanomial([1, 2, 7, 5, 6]));
        assert_eq!(six.level, Some([3, 4]));
        assert_eq!(
            parse_pairs("[6, 15, 11, 17, 11]").unwrap().counts,
            Pentanomial([6, 15, 11, 17, 11])
        );
    }

    #[test]
    fn games_as_they_are_printed_or_separated_by_commas() {
        let games = Wdl::from([512, 1203, 478]);
        for text in [
            "512-1203-478",
            "512 - 1203 - 478",
            "512,1203,478",
            "512, 1203, 478",
        ] {
            assert_eq!(parse_games(text), Ok(games), "{text}");
        }
    }

    #[test]
    fn what_is_not_counts_is_refused() {
        for text in [
            "1,2,3",
            "",
            "1,2,3,4,-5",
            "1,2,3,4,x",
            "1,2,3,4,1e9",
            "[1,2,3,4,5",
        ] {
            assert!(parse_pairs(text).is_err(), "{text}");
        }
        for text in ["1,2", "1-2", "1-2-3-4", "-1-2-3", "1,-2,3", "1--2-3"] {
            assert!(parse_games(text).is_err(), "{text}");
        }
        assert!(parse_games("18446744073709551615,0,0").is_err());
    }
}
