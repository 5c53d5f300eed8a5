//! Arguments of the rules that end games early. They replace those of the configuration, or of
//! a run without one.

use std::num::NonZeroU32;

use clap::Args;
use serde::de::DeserializeOwned;
use toml_edit::{InlineTable, Value};

use super::ranges::from_one;
use hone_run::config::{Draft, Level};
use hone_uci::rules::{DrawRule, ResignRule};

/// Rules in place of those of `[adjudication]`.
#[derive(Debug, Args)]
pub(in crate::cli) struct AdjudicationArgs {
    /// The draw rule, as in move=34,count=8,score=20, or none.
    #[arg(long, value_name = "RULE", value_parser = Rule::parse::<DrawRule>)]
    draw: Option<Rule>,
    /// The resign rule, as in count=3,score=600, or none. Both engines must agree;
    /// twosided=false asks only the losing one.
    #[arg(long, value_name = "RULE", value_parser = Rule::parse::<ResignRule>)]
    resign: Option<Rule>,
    /// Draw a game after this number of full moves.
    #[arg(long, value_name = "N", value_parser = from_one::<NonZeroU32>)]
    max_moves: Option<NonZeroU32>,
    /// End games by Syzygy tables in this folder.
    #[arg(long, value_name = "PATH")]
    syzygy: Option<String>,
}

impl AdjudicationArgs {
    pub(super) fn apply(&self, draft: &mut Draft) {
        for (key, rule) in [("draw", &self.draw), ("resign", &self.resign)] {
            if let Some(rule) = rule {
                rule.apply(draft, key);
            }
        }
        let max_moves = self.max_moves.map(|moves| i64::from(moves.get()));
        draft.flag("--max-moves", max_moves, &["adjudication", "max_moves"]);
        let syzygy = self.syzygy.as_ref();
        draft.flag("--syzygy", syzygy, &["adjudication", "syzygy", "path"]);
    }
}

/// A rule in the words of the configuration: `KEY=VALUE,…`.
#[derive(Debug, Clone)]
struct Rule {
    text: String,
    /// `None` switches the rule off.
    table: Option<InlineTable>,
}

impl Rule {
    /// Parses a rule that the configuration reads as `T`. A key without a value is true.
    fn parse<T: DeserializeOwned>(text: &str) -> Result<Self, String> {
        let text = text.trim().to_string();
        if text == "none" {
            return Ok(Self { text, table: None });
        }
        let mut table = InlineTable::new();
        for part in text.split(',') {
            let (key, value) = part.split_once('=').unwrap_or((part, "true"));
            let (key, value) = (key.trim(), value.trim());
            let value = value
                .parse::<Value>()
                .map_err(|_| format!("`{key}={value}` has neither a number nor a boolean"))?;
            if table.insert(key, value).is_some() {
                return Err(format!("`{key}` is given twice"));
            }
        }
        toml::from_str::<T>(&lines(&table)).map_err(|error| error.message().to_string())?;
        Ok(Self {
            text,
            table: Some(table),
        })
    }

    fn apply(&self, draft: &mut Draft, key: &str) {
        let source = format!("--{key} {}", self.text);
        match &self.table {
            Some(table) => {
                draft.set(Level::Key, &["adjudication", key], table.clone(), &source);
            }
            None => draft.remove("adjudication", key),
        }
    }
}

/// The table as a document.
fn lines(table: &InlineTable) -> String {
    let pairs = table
        .iter()
        .map(|(key, value)| format!("{key} = {value}\n"));
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use hone_uci::rules::Adjudication;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        adjudication: AdjudicationArgs,
    }

    fn rules(line: &[&str]) -> Adjudication {
        let line = Line::parse_from(["hone"].iter().chain(line));
        let mut draft = Draft::read_or_usual(None).expect("valid");
        line.adjudication.apply(&mut draft);
        draft.finish().expect("valid").adjudication
    }

    #[test]
    fn rules_have_the_words_of_the_configuration() {
        let usual = rules(&[]);
        let given = rules(&[
            "--draw",
            "move=34,count=8,score=20",
            "--resign",
            "count=3, score=600, twosided",
            "--max-moves=200",
        ]);
        assert_eq!(given, usual);
        assert_eq!(rules(&["--resign", "count=3,score=600"]), usual);
        let off = rules(&["--draw=none", "--resign=count=4,score=700,twosided=false"]);
        assert_eq!(off.draw, None);
        let resign = off
            .resign
            .map(|rule| (rule.count, rule.score, rule.twosided));
        assert_eq!(resign, Some((4, 700, false)));
        assert_eq!(off.max_moves, Some(200));
        let tables = rules(&["--syzygy", "/tables"]).syzygy;
        assert_eq!(tables.map(|rule| rule.path), Some("/tables".into()));
    }

    #[test]
    fn a_wrong_rule_is_refused_with_its_key() {
        for (line, says) in [
            ("--draw=count=8,score=20", "missing field `move`"),
            ("--draw=moves=3", "unknown field `moves`, expected one of"),
            (
                "--draw=move=x",
                "`move=x` has neither a number nor a boolean",
            ),
            ("--resign=count=0,score=600", "0 is out of range"),
            ("--resign=count=3,count=4", "`count` is given twice"),
            ("--resign=", "unquoted keys cannot be empty"),
            ("--max-moves=0", "must be a whole number from 1"),
        ] {
            let error = Line::try_parse_from(["hone", line]).expect_err(line);
            assert!(error.to_string().contains(says), "{line}: {error}");
        }
    }
}
