//! The table of a comparison, as Markdown and as CSV.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::designs::games::{Elo, Games, Settings};
use crate::designs::measures::{Measured, Measures, SUITE_NODES};
use crate::designs::plan::{Comparison, Design, Topic};
use crate::designs::positions::TYPES;

/// A comparison with its results.
pub(crate) struct Table {
    pub(crate) comparison: Comparison,
    pub(crate) anchor: String,
    pub(crate) engine: String,
    pub(crate) settings: Settings,
    pub(crate) speed_runs: usize,
    pub(crate) games: Option<Games>,
    /// Elo by name, relative to the anchor.
    pub(crate) ratings: BTreeMap<String, Elo>,
    pub(crate) measures: Measures,
}

/// A design's results; `None` where it has none.
#[derive(Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) design: String,
    pub(crate) elo: Option<Elo>,
    pub(crate) games: Option<u64>,
    pub(crate) draws: Option<u64>,
    pub(crate) share: Option<f64>,
    pub(crate) line: Option<f64>,
    pub(crate) first_move: Option<f64>,
    pub(crate) nodes: [Option<f64>; 2],
    pub(crate) nps: Option<f64>,
    pub(crate) reference: Option<String>,
    pub(crate) wac: Option<(u64, u64)>,
}

impl Table {
    /// The strongest design first, those without games in alphabetical order.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let designs = self.comparison.designs.iter();
        let mut rows: Vec<Row> = designs.map(|design| self.row(design)).collect();
        let elo = |row: &Row| row.elo.map_or(f64::NEG_INFINITY, |elo| elo.estimate);
        rows.sort_by(|a, b| elo(b).total_cmp(&elo(a)));
        rows
    }

    fn row(&self, design: &Design) -> Row {
        let depths = self.comparison.main.depths();
        let measured = self.measures.of(&design.name);
        let none = self
            .measures
            .of(&self.comparison.nodes_reference(design).name);
        let (games, draws) = self
            .games
            .as_ref()
            .map(|games| games.count(&design.name))
            .unzip();
        let [first, last] = depths;
        let deepest = if design.searches_depth(last) {
            last
        } else {
            first
        };
        let count = |name: &str| measured.stats.get(&deepest)?.get(name).copied();
        let quiescence = |name| design.has_quiescence().then(|| count(name)).flatten();
        let speed = &measured.speed;
        Row {
            design: design.name.clone(),
            elo: self.ratings.get(&design.name).copied(),
            games,
            draws,
            share: quiescence("share of quiescence"),
            line: quiescence("plies of quiescence reached"),
            first_move: count("cutoffs by the first move"),
            nodes: depths.map(|depth| {
                let searches = design.searches_depth(depth);
                searches
                    .then(|| relative_nodes(&measured, &none, depth))
                    .flatten()
            }),
            nps: speed.median(),
            reference: (!speed.reference.is_empty()).then(|| speed.reference.clone()),
            wac: measured.wac.map(|suite| (suite.solved, suite.total)),
        }
    }

    pub(crate) fn markdown(&self) -> String {
        let [first, last] = self.comparison.main.depths();
        let rows = self.rows();
        let ordering = self.comparison.topic == Topic::Ordering;
        let mut text = format!("## {}\n\n{}\n\n", self.title(), self.conditions());
        let mut columns = vec!["Elo", "Games", "Draws"];
        columns.extend(["Share of quiescence", "Deepest line"]);
        if ordering {
            columns.push("First-move cutoffs");
        }
        let nodes = [first, last].map(|depth| format!("Nodes, depth {depth}"));
        columns.extend(nodes.iter().map(String::as_str));
        columns.extend(["Nodes per second", "WAC"]);
        let _ = writeln!(text, "| Design | {} |", columns.join(" | "));
        let _ = writeln!(text, "|---|{}", "---:|".repeat(columns.len()));
        for row in &rows {
            let mut cells = vec![
                row.elo
                    .map_or_else(dash, |elo| show_elo(&elo, row.design == self.anchor)),
                row.games.map_or_else(dash, |games| games.to_string()),
                percent(
                    row.games
                        .zip(row.draws)
                        .map(|(games, draws)| share(draws, games)),
                ),
                percent(row.share),
                row.line.map_or_else(dash, |line| format!("{line:.0}")),
            ];
            if ordering {
                cells.push(percent(row.first_move));
            }
            cells.extend(row.nodes.map(|nodes| number(nodes, 2)));
            cells.push(number(row.nps, 2));
            let wac = row
                .wac
                .map_or_else(dash, |(solved, total)| format!("{solved} of {total}"));
            cells.push(wac);
            let _ = writeln!(text, "| `{}` | {} |", row.design, cells.join(" | "));
        }
        text + &self.types()
    }

    fn title(&self) -> String {
        let topic = match self.comparison.topic {
            Topic::Quiescence => "Designs of quiescence search",
            Topic::Ordering => "Move ordering and ProbCut",
        };
        format!("{topic}, {} main search", self.comparison.main.name())
    }

    /// The conditions of the numbers.
    fn conditions(&self) -> String {
        let main = self.comparison.main;
        let mut text = format!("Engine: {}. ", self.engine);
        if let Some(games) = &self.games {
            let tournament = match self.comparison.topic {
                Topic::Quiescence => "Round robin",
                Topic::Ordering => "Each design against `base`",
            };
            let _ = write!(
                text,
                "{tournament}, {} pairs of each pairing, {} games, {}, openings from `{}`, seed {}. \
                 Elo is relative to `{}`; intervals are 95 % of that difference. \
                 Draws are a share of the design's games. ",
                games.pairs,
                games.total(),
                self.settings.limit,
                self.settings.openings.display(),
                self.settings.seed,
                self.anchor,
            );
        }
        let [first, last] = main.depths();
        let none = match self.comparison.topic {
            Topic::Quiescence => {
                "no quiescence with the same use of the table (`no-quiescence` or \
                 `no-quiescence-table`)"
            }
            Topic::Ordering => "`base`",
        };
        let _ = write!(
            text,
            "Share of quiescence{} and deepest line: `stillwater stats {last}` \
             (depth {first} if the design does not end an iteration at depth {last}). \
             Nodes at depths {first} and {last} are relative to {none}.",
            match self.comparison.topic {
                Topic::Quiescence => "",
                Topic::Ordering => ", cutoffs by the first move",
            },
        );
        if self.speed_runs > 0 {
            let _ = write!(
                text,
                " Nodes per second are relative to {}: median of {} alternating runs of \
                 `stillwater stats {}`, one at a time.",
                match self.comparison.topic {
                    Topic::Quiescence => "the same",
                    Topic::Ordering =>
                        "`base`, those of a design `X-unstaged` or `X-sorted` to `X`",
                },
                self.speed_runs,
                main.speed_depth()
            );
        }
        if self.rows().iter().any(|row| row.wac.is_some()) {
            let _ = write!(text, " WAC: positions solved at {SUITE_NODES} nodes each.");
        }
        text
    }

    /// The share of quiescence by type of position.
    fn types(&self) -> String {
        if self.comparison.topic == Topic::Ordering {
            return String::new();
        }
        let names: Vec<&str> = TYPES.iter().map(|(name, _)| *name).collect();
        let mut text = format!(
            "\nShare of quiescence by type of position, `go depth {}`, {} positions of each type \
             (document 002, section 5.1):\n\n| Design | {} |\n|---|{}\n",
            self.comparison.main.depths()[0],
            TYPES[0].1.len(),
            names.join(" | "),
            "---:|".repeat(names.len())
        );
        for row in self.rows() {
            let types = self.measures.of(&row.design).types;
            if types.is_empty() {
                continue;
            }
            let shares = names
                .iter()
                .map(|name| percent(types.get(*name).map(|it| it.share())));
            let cells: Vec<String> = shares.collect();
            let _ = writeln!(text, "| `{}` | {} |", row.design, cells.join(" | "));
        }
        text
    }

    pub(crate) fn csv(&self) -> String {
        let [first, last] = self.comparison.main.depths();
        let mut text = format!(
            "design,elo,elo_low,elo_high,games,draws,share_of_quiescence,deepest_line,\
             first_move_cutoffs,nodes_depth_{first},nodes_depth_{last},nps,nps_relative_to,\
             wac_solved,wac_total"
        );
        for (name, _) in TYPES {
            let _ = write!(text, ",share_{}", name.replace(' ', "_"));
        }
        text.push('\n');
        for row in self.rows() {
            let types = self.measures.of(&row.design).types;
            let elo = row.elo;
            let mut cells = vec![
                row.design.clone(),
                field(elo.map(|elo| elo.estimate), 1),
                field(elo.map(|elo| elo.low), 1),
                field(elo.map(|elo| elo.high), 1),
                row.games
                    .map_or_else(String::new, |games| games.to_string()),
                row.draws
                    .map_or_else(String::new, |draws| draws.to_string()),
                field(row.share, 1),
                field(row.line, 0),
                field(row.first_move, 1),
                field(row.nodes[0], 3),
                field(row.nodes[1], 3),
                field(row.nps, 3),
                row.reference.unwrap_or_default(),
                row.wac
                    .map_or_else(String::new, |(solved, _)| solved.to_string()),
                row.wac
                    .map_or_else(String::new, |(_, total)| total.to_string()),
            ];
            let shares = TYPES
                .iter()
                .map(|(name, _)| types.get(*name).map(|it| it.share()));
            cells.extend(shares.map(|share| field(share, 1)));
            text += &cells.join(",");
            text.push('\n');
        }
        text
    }
}

fn relative_nodes(design: &Measured, none: &Measured, depth: i32) -> Option<f64> {
    let nodes = |measured: &Measured| measured.stats.get(&depth)?.get("nodes").copied();
    Some(nodes(design)? / nodes(none)?.max(1.0))
}

fn share(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / (whole as f64).max(1.0)
}

fn show_elo(elo: &Elo, is_anchor: bool) -> String {
    if is_anchor {
        return "0".to_owned();
    }
    format!("{:+.0} [{:+.0}, {:+.0}]", elo.estimate, elo.low, elo.high)
}

fn percent(value: Option<f64>) -> String {
    value.map_or_else(dash, |value| format!("{value:.1} %"))
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(dash, |value| format!("{value:.digits$}"))
}

fn field(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(String::new, |value| format!("{value:.digits$}"))
}

fn dash() -> String {
    "–".to_owned()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::designs::plan::tests::{comparison, design};

    pub(crate) fn elo(estimate: f64) -> Elo {
        Elo {
            estimate,
            low: estimate - 20.0,
            high: estimate + 20.0,
        }
    }

    /// `captures` is 150 Elo above `no-quiescence`; the third design has no rating.
    pub(crate) fn table() -> Table {
        let designs = vec![
            design("no-quiescence", "Quiescence = false\nQsTt = false"),
            design("captures", "QsTt = false"),
            design(
                "last-move-own",
                "Quiescence = false\nQsTt = false\nLastMove = \"own\"",
            ),
        ];
        let ratings = [("no-quiescence", 0.0), ("captures", 150.0)];
        let mut measures = Measures::default();
        for (name, nodes, share) in [
            ("no-quiescence", 100.0, 50.0),
            ("captures", 350.0, 84.0),
            ("last-move-own", 80.0, 50.0),
        ] {
            let counts = BTreeMap::from([
                ("nodes".to_owned(), nodes),
                ("share of quiescence".to_owned(), share),
                ("plies of quiescence reached".to_owned(), 12.0),
            ]);
            let measured = Measured {
                stats: BTreeMap::from([(5, counts.clone()), (6, counts)]),
                ..Measured::default()
            };
            measures.insert(name, measured);
        }
        Table {
            comparison: comparison(Topic::Quiescence, designs),
            anchor: "no-quiescence".to_owned(),
            engine: "stillwater 0.1.0".to_owned(),
            settings: Settings {
                limit: "nodes=2500".to_owned(),
                openings: "books/quick.epd".into(),
                seed: 1,
                concurrency: None,
            },
            speed_runs: 0,
            games: None,
            ratings: ratings
                .map(|(name, rating)| (name.to_owned(), elo(rating)))
                .into(),
            measures,
        }
    }

    #[test]
    fn the_strongest_design_is_first() {
        let names: Vec<String> = table().rows().into_iter().map(|row| row.design).collect();
        assert_eq!(names, ["captures", "no-quiescence", "last-move-own"]);
    }

    #[test]
    fn no_share_without_quiescence_and_no_nodes_at_a_depth_that_is_left_out() {
        let rows = table().rows();
        assert_eq!(rows[0].share, Some(84.0));
        assert_eq!(rows[0].nodes, [Some(3.5), Some(3.5)]);
        assert_eq!(rows[1].share, None);
        assert_eq!(rows[2].nodes, [Some(0.8), None]);
    }

    #[test]
    fn markdown_has_a_row_for_each_design() {
        let text = table().markdown();
        let row = "| `captures` | +150 [+130, +170] | – | – | 84.0 % | 12 | 3.50 | 3.50 | – | – |";
        assert!(text.contains(row), "{text}");
        assert!(
            text.contains("| `no-quiescence` | 0 | – | – | – | – | 1.00 |"),
            "{text}"
        );
        let columns: Vec<usize> = text
            .lines()
            .skip_while(|line| !line.starts_with("| Design"))
            .take_while(|line| line.starts_with('|'))
            .map(|line| line.matches('|').count())
            .collect();
        assert_eq!(columns, [11; 5]);
    }

    #[test]
    fn all_lines_of_the_csv_have_the_same_number_of_fields() {
        let text = table().csv();
        let fields: Vec<usize> = text.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(fields, [15 + TYPES.len(); 4]);
        assert!(
            text.contains("captures,150.0,130.0,170.0,,,84.0,12,,3.500,3.500,,,,"),
            "{text}"
        );
    }
}
