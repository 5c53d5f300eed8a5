//! The results of all nights together.

use std::fmt::Write as _;

use jiff::Timestamp;
use serde::Serialize;

use super::change::{Change, Detectable, Direction, SEVERAL, changes};
use super::night::Night;
use super::scale::{Scale, difference};
use hone_builds::short_id;
use hone_report::{counted, escape_markdown, signed, signed_ends};
use hone_stats::Estimate;
use hone_stats::summary::Interval;

/// A night on the joint scale.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Point {
    pub commit: String,
    pub subject: String,
    pub tag: Option<String>,
    pub date: Timestamp,
    pub bench: Option<u64>,
    /// Elo relative to the anchor, from the games of all nights; `None` if these do not
    /// connect the two.
    pub elo: Option<Estimate>,
    /// The kind of the interval of `elo`.
    pub interval: Option<Interval>,
    /// The findings that withhold a regression which its games show.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub findings: String,
}

/// The last build compared with an earlier one.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Comparison {
    pub commit: String,
    pub subject: String,
    /// Elo of the last build minus that of the other.
    pub elo: Option<Estimate>,
    /// The kind of the interval of `elo`.
    pub interval: Option<Interval>,
}

/// A number of nightlies in words.
pub(super) fn nightlies(count: usize) -> String {
    match count {
        1 => "1 nightly".to_string(),
        count => format!("{count} nightlies"),
    }
}

/// The results of all nights together.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Status {
    pub anchor: String,
    /// In the order of the commits.
    pub points: Vec<Point>,
    /// The previous nightly of its commit.
    pub previous: Option<Comparison>,
    /// The strongest of all nights before.
    pub best: Option<Comparison>,
    /// Changes, in order; nights count from 0.
    pub changes: Vec<Change>,
    /// `None` before the first night.
    #[serde(skip)]
    detectable: Option<Detectable>,
    pub false_alarm_nights: u64,
}

impl Status {
    /// The status of the last of the `nights`, which must be in the order of their commits.
    pub(super) fn new(nights: &[Night], anchor: &str, false_alarm_nights: u64) -> Self {
        let ordered: Vec<&Night> = nights.iter().collect();
        let scale = Scale::new(nights, anchor);
        let points: Vec<Point> = nights
            .iter()
            .map(|night| {
                let rated = scale.rated(&night.commit);
                Point {
                    commit: night.commit.clone(),
                    subject: night.subject.clone(),
                    tag: night.tag.clone(),
                    date: night.date,
                    bench: night.bench,
                    elo: rated.map(|rated| rated.elo),
                    interval: rated.map(|rated| rated.interval),
                    findings: night.findings.clone(),
                }
            })
            .collect();
        let compare = |other: &Point, last: &Point| {
            let rated = difference(&ordered, &last.commit, &other.commit);
            Comparison {
                commit: other.commit.clone(),
                subject: other.subject.clone(),
                elo: rated.map(|rated| rated.elo),
                interval: rated.map(|rated| rated.interval),
            }
        };
        let (mut previous, mut best) = (None, None);
        if let Some((last, before)) = points.split_last() {
            let others = || before.iter().filter(|point| point.commit != last.commit);
            // The preceding night in order may be that of an abandoned commit.
            let played = nights.last().and_then(Night::previous);
            let point = others().find(|point| Some(point.commit.as_str()) == played);
            let point = point.or_else(|| others().next_back());
            previous = point.map(|other| compare(other, last));
            // The lower end: a night of few games must not be the best by chance.
            let strength = |point: &&Point| point.elo.map_or(f64::MIN, |elo| elo.low);
            best = others()
                .max_by(|a, b| strength(a).total_cmp(&strength(b)))
                .map(|other| compare(other, last));
        }
        let (changes, detectable) = changes(&ordered, false_alarm_nights);
        Self {
            anchor: anchor.to_string(),
            previous,
            best,
            changes,
            detectable,
            points,
            false_alarm_nights,
        }
    }

    /// The changes that were noticed with the games of this commit.
    pub(crate) fn noticed_at<'a>(&'a self, commit: &'a str) -> impl Iterator<Item = &'a Change> {
        let noticed = move |change: &&Change| {
            let point = self.points.get(change.noticed);
            point.is_some_and(|point| point.commit == commit)
        };
        self.changes.iter().filter(noticed)
    }

    /// The losses that were noticed with the games of these nights.
    pub(crate) fn losses_at(&self, nights: &[usize]) -> impl Iterator<Item = &Change> {
        let changes = self.changes.iter();
        changes.filter(move |change| {
            change.direction == Direction::Loss && nights.contains(&change.noticed)
        })
    }

    /// The losses noticed with these nights, one sentence each, except those of the last
    /// night's commit, which [`Status::sentences`] contains.
    pub(crate) fn earlier_losses(&self, nights: &[usize]) -> String {
        let last = self.points.last().map(|point| &point.commit);
        self.losses_at(nights)
            .map(|change| (change, &self.points[change.noticed].commit))
            .filter(|(_, noticed)| Some(*noticed) != last)
            .map(|(change, noticed)| {
                let sentence = self.change_sentence(change);
                format!("Detected at {}: {sentence}", short_id(noticed))
            })
            .collect()
    }

    /// The losses that were noticed with the last night.
    pub(crate) fn last_losses(&self) -> impl Iterator<Item = &Change> {
        let last = self.points.last().into_iter();
        let noticed = last.flat_map(|last| self.noticed_at(&last.commit));
        noticed.filter(|change| change.direction == Direction::Loss)
    }

    /// Whether a regression was detected with the last night.
    pub(crate) fn is_regression(&self) -> bool {
        self.last_losses().any(|loss| !self.is_withheld(loss))
    }

    /// Whether the night that showed a change has findings that withhold it.
    pub(crate) fn is_withheld(&self, change: &Change) -> bool {
        !self.points[change.noticed].findings.is_empty()
    }

    /// The verdict, one sentence per line.
    pub(super) fn sentences(&self) -> String {
        let Some(last) = self.points.last() else {
            return "No nightlies yet.\n".to_string();
        };
        let mut text = format!(
            "{} ({}): {} relative to the anchor {}, from the games of {}.\n",
            short_id(&last.commit),
            last.subject,
            elo(last.elo, last.interval),
            short_id(&self.anchor),
            nightlies(self.points.len())
        );
        // The best of many nights was also lucky, so it has no verdict.
        for (name, other, verdict) in [
            ("the previous nightly", &self.previous, true),
            ("the best earlier nightly", &self.best, false),
        ] {
            if let Some(other) = other {
                let _ = writeln!(
                    text,
                    "Against {name}, {} ({}): {}{}.",
                    short_id(&other.commit),
                    other.subject,
                    elo(other.elo, other.interval),
                    if verdict { meaning(other.elo) } else { "" }
                );
            }
        }
        let noticed: Vec<&Change> = self.noticed_at(&last.commit).collect();
        for change in &noticed {
            text += &self.change_sentence(change);
        }
        if noticed.is_empty() {
            text += "No change detected at this commit.\n";
            text += &self.detectable.map_or(String::new(), detectable_sentence);
        }
        let _ = writeln!(
            text,
            "(Without a change, a false regression is reported at most once in {} nightlies on average.)",
            self.false_alarm_nights
        );
        text
    }

    fn change_sentence(&self, change: &Change) -> String {
        let what = match change.direction {
            Direction::Loss => "REGRESSION",
            Direction::Gain => "Gain",
        };
        let point = &self.points[change.at];
        let mut text = format!(
            "{what}: {} most likely since {} ({}).\n",
            elo(Some(change.elo), None),
            short_id(&point.commit),
            point.subject
        );
        if change.direction == Direction::Loss && self.is_withheld(change) {
            let noticed = &self.points[change.noticed];
            let _ = writeln!(
                text,
                "Verdict withheld: the games of {} that show it have findings: {}",
                short_id(&noticed.commit),
                noticed.findings
            );
        }
        text
    }

    /// The same as a Markdown page with a table, and with the chart if it has a path.
    pub(super) fn markdown(&self, chart: Option<&str>) -> String {
        let mut text = String::from("# Elo over nightlies\n\n");
        for line in self.sentences().lines() {
            text += &escape_markdown(line);
            text += "\n\n";
        }
        if let Some(path) = chart {
            let _ = writeln!(text, "![Elo over commits]({path})\n");
        }
        if !self.changes.is_empty() {
            text += "Detected changes:\n\n";
            for change in &self.changes {
                let noticed = short_id(&self.points[change.noticed].commit);
                let sentence = self.change_sentence(change).trim_end().replace('\n', " ");
                let sentence = escape_markdown(&sentence);
                let _ = writeln!(text, "* {sentence} Detected at {noticed}.");
            }
            text.push('\n');
        }
        text += "| date | commit | | bench | Elo (95 %) |\n|---|---|---|---:|---:|\n";
        for point in self.points.iter().rev() {
            let tag = point.tag.as_ref().map_or(String::new(), |tag| {
                format!("**{}** ", escape_markdown(tag))
            });
            let _ = writeln!(
                text,
                "| {} | `{}` | {tag}{} | {} | {} |",
                point.date.strftime("%Y-%m-%d"),
                short_id(&point.commit),
                escape_markdown(&point.subject),
                point.bench.map_or(String::new(), |nodes| nodes.to_string()),
                elo(point.elo, point.interval)
            );
        }
        text
    }
}

/// The losses that the games of a night can show.
fn detectable_sentence(detectable: Detectable) -> String {
    let loss = |elo: f64| format!("a loss of about {elo:.0} Elo");
    let shown = match (detectable.in_one, detectable.in_several) {
        (Some(one), Some(several)) => format!(
            "{} in one nightly, and {} within {SEVERAL}",
            loss(one),
            loss(several)
        ),
        (None, Some(several)) => format!("{} within {SEVERAL} nightlies", loss(several)),
        (_, None) => return "With so few games no loss can be detected soon.\n".to_string(),
    };
    let pairs = counted(detectable.pairs, "pair");
    format!("With {pairs} a night, half of all runs would detect {shown}.\n")
}

fn elo(elo: Option<Estimate>, interval: Option<Interval>) -> String {
    let kind = match interval {
        Some(Interval::AlwaysValid) => "always-valid 95 %: ",
        _ => "",
    };
    match elo {
        Some(elo) => format!("{} Elo ({kind}{})", signed(elo.estimate), signed_ends(elo)),
        None => "unknown Elo".to_string(),
    }
}

/// The meaning of an interval.
fn meaning(elo: Option<Estimate>) -> &'static str {
    match elo {
        Some(elo) if elo.low > 0.0 => ", stronger",
        Some(elo) if elo.high < 0.0 => ", weaker",
        _ => ", no significant difference",
    }
}

#[cfg(test)]
mod tests {
    use super::super::night::tests::night;
    use super::*;
    use crate::track::Role;

    const EVEN: [u64; 5] = [10, 44, 92, 44, 10];
    const AHEAD: [u64; 5] = [4, 30, 90, 56, 20];
    const FAR_BEHIND: [u64; 5] = [80, 70, 40, 8, 2];

    /// Nights without a change, then one that is far weaker.
    fn nights() -> Vec<Night> {
        let mut nights: Vec<Night> = (1..=6)
            .map(|number| {
                let (commit, before) = (format!("c{number}"), format!("c{}", number - 1));
                let mut matches = vec![(Role::Anchor, "a", AHEAD)];
                if number > 1 {
                    matches.push((Role::Previous, before.as_str(), EVEN));
                }
                night(number, &commit, &matches)
            })
            .collect();
        let weaker = [
            (Role::Anchor, "a", EVEN),
            (Role::Previous, "c6", FAR_BEHIND),
        ];
        nights.push(night(7, "c7", &weaker));
        nights
    }

    #[test]
    fn a_large_loss_is_a_regression_of_that_night() {
        let nights = nights();
        let quiet = Status::new(&nights[..6], "a", 3650);
        assert!(!quiet.is_regression());
        let first = Status::new(&nights[..1], "a", 3650).sentences();
        assert!(first.contains("from the games of 1 nightly.\n"), "{first}");
        assert!(
            quiet.sentences().contains("No change detected"),
            "{}",
            quiet.sentences()
        );
        let shown = quiet.detectable.expect("a night");
        assert_eq!(shown.pairs, 400);
        let (one, several) = (shown.in_one.expect("seen"), shown.in_several.expect("seen"));
        assert!(20.0 < several && several < one && one < 100.0, "{shown:?}");
        let few = [night(1, "c1", &[(Role::Anchor, "a", [3, 7, 10, 7, 3])])];
        let few = Status::new(&few, "a", 3650).sentences();
        assert!(few.contains("With 30 pairs a night, half of all "), "{few}");
        let status = Status::new(&nights, "a", 3650);
        assert!(status.is_regression());
        assert_eq!(status.changes[0].at, 6);
        let previous = status.previous.as_ref().expect("there is one");
        assert_eq!(previous.commit, "c6");
        assert!(previous.elo.expect("compared").high < 0.0);
        let text = status.sentences();
        for part in [
            "REGRESSION: -",
            "since c7",
            ", weaker",
            "once in 3650 nightlies",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        // The best of the earlier nights was also lucky.
        let best = text.lines().find(|line| line.contains("the best earlier"));
        assert!(best.expect("a line").ends_with(")."), "{text}");
        // The next night has no change, and the earlier one stays listed.
        let mut later = nights;
        later.push(night(
            8,
            "c8",
            &[(Role::Anchor, "a", EVEN), (Role::Previous, "c7", EVEN)],
        ));
        let status = Status::new(&later, "a", 3650);
        assert!(!status.is_regression());
        assert_eq!(status.changes.len(), 1);
        let page = status.markdown(None);
        assert!(page.contains("Detected at c7"), "{page}");
        assert!(page.contains("| **v1** Change"), "{page}");
    }

    /// Only the games of the night that showed the loss matter.
    #[test]
    fn a_regression_of_games_with_findings_is_withheld() {
        let mut nights = nights();
        nights[2].findings = "Invalid (x): y".to_string();
        assert!(Status::new(&nights, "a", 3650).is_regression());
        nights[6].findings = "Invalid (a limit that is not kept): c7: 900 nodes".to_string();
        let status = Status::new(&nights, "a", 3650);
        assert!(!status.is_regression());
        assert_eq!(status.last_losses().count(), 1);
        let words = "Verdict withheld: the games of c7 that show it have findings: Invalid (a limit \
                     that is not kept): c7: 900 nodes\n";
        let text = status.sentences();
        assert!(
            text.contains("REGRESSION: ") && text.contains(words),
            "{text}"
        );
        assert!(status.earlier_losses(&[6]).is_empty());
        nights.push(night(8, "c8", &[(Role::Anchor, "a", EVEN)]));
        let text = Status::new(&nights, "a", 3650).earlier_losses(&[6]);
        assert!(text.contains(words), "{text}");
    }

    #[test]
    fn a_loss_is_unreported_with_its_night_and_not_with_its_commit() {
        let mut nights = nights();
        nights.push(night(8, "c7", &[(Role::Anchor, "a", EVEN)]));
        let status = Status::new(&nights, "a", 3650);
        assert_eq!(status.changes[0].noticed, 6);
        assert_eq!(status.losses_at(&[7]).count(), 0);
        assert_eq!(status.losses_at(&[6, 7]).count(), 1);
        // `sentences` has it, because its commit is the last one.
        assert!(status.sentences().contains("REGRESSION"));
        assert_eq!(status.earlier_losses(&[6, 7]), "");
    }

    #[test]
    fn the_previous_nightly_is_the_one_that_was_played() {
        let mut nights = nights();
        let next = [(Role::Anchor, "a", AHEAD), (Role::Previous, "c6", EVEN)];
        nights.push(night(8, "c8", &next));
        let status = Status::new(&nights, "a", 3650);
        let previous = status.previous.expect("there is one");
        assert_eq!(previous.commit, "c6", "c7 was given up");
    }

    #[test]
    fn no_nights_say_nothing() {
        let status = Status::new(&[], "a", 3650);
        assert!(!status.is_regression());
        assert_eq!(status.sentences(), "No nightlies yet.\n");
        let one = Status::new(&[night(1, "a", &[])], "a", 3650);
        assert!(
            one.sentences().contains("unknown Elo"),
            "{}",
            one.sentences()
        );
    }
}
