//! Splits a command line into flags and their values.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use anyhow::{anyhow, bail};
use strsim::damerau_levenshtein;

use super::table::{self, FlagEntry, Support};
use hone_base::diagnostic::Diagnostic;
use hone_base::text::nearest;

/// A flag with the words after it.
#[derive(Debug, Clone)]
pub(super) struct Given {
    pub entry: &'static FlagEntry,
    pub values: Vec<String>,
}

/// A word: `key=value`, or only a key.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyValue<'a> {
    pub key: &'a str,
    pub value: Option<&'a str>,
}

/// Splits a command line. Words that begin with a dash and a letter are flags; negative
/// numbers are values.
///
/// # Errors
/// A flag that neither program has, and one that is not supported.
pub(super) fn split(arguments: &[String]) -> anyhow::Result<Vec<Given>> {
    let mut given: Vec<Given> = Vec::new();
    for word in arguments {
        if !is_flag(word) {
            match given.last_mut() {
                Some(last) => last.values.push(word.clone()),
                None => bail!("`{word}` is not an option: options begin with a dash, as `-engine`"),
            }
            continue;
        }
        let entry = table::flag(word).ok_or_else(|| unknown_flag(word))?;
        if entry.support == Support::Refused {
            bail!("`{}` is not supported: {}", entry.name, entry.note);
        }
        given.push(Given {
            entry,
            values: Vec::new(),
        });
    }
    Ok(given)
}

/// The flags of a command line.
///
/// # Errors
/// A flag that neither program has, and one that is not supported.
pub fn flags(arguments: &[String]) -> anyhow::Result<Vec<&'static str>> {
    let given = split(arguments)?;
    Ok(given.iter().map(|given| given.entry.name).collect())
}

/// Splits `args=` like fastchess: at spaces outside of quotes. A backslash is literal, except
/// before a quote, which it escapes.
pub(super) fn split_arguments(text: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut quote = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let escaped = characters.next_if(|next| character == '\\' && matches!(next, '"' | '\''));
        match (character, quote) {
            _ if escaped.is_some() => word.get_or_insert_default().extend(escaped),
            (' ', None) => words.extend(word.take()),
            ('"' | '\'', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (end, Some(begin)) if end == begin => quote = None,
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

fn is_flag(word: &str) -> bool {
    let rest = word.trim_start_matches('-');
    rest.len() < word.len() && rest.starts_with(|first: char| first.is_ascii_alphabetic())
}

fn unknown_flag(word: &str) -> anyhow::Error {
    let names = table::FLAGS.iter().map(|entry| entry.name);
    let few = (word.len() / 4).saturating_add(1);
    // Similarity alone favours any long name with the same beginning.
    let nearest = nearest(word, names).filter(|name| damerau_levenshtein(word, name) <= few);
    match nearest {
        Some(name) => anyhow!(
            Diagnostic::new(format!("unknown option `{word}`"))
                .help(format!("did you mean `{name}`?"))
        ),
        None => anyhow!(
            Diagnostic::new(format!("unknown option `{word}`"))
                .help("`hone help coming-from-flags` lists the supported options")
        ),
    }
}

impl Given {
    /// As it was written.
    pub(super) fn text(&self) -> String {
        let values = self.values.iter().map(|value| format!(" {value}"));
        format!("{}{}", self.entry.name, values.collect::<String>())
    }

    /// Its only value.
    ///
    /// # Errors
    /// If it has none or several.
    pub(super) fn single(&self) -> anyhow::Result<&str> {
        match &self.values[..] {
            [value] => Ok(value),
            [] => bail!("`{}` needs a value", self.entry.name),
            _ => bail!("`{}` has several values: one is allowed", self.text()),
        }
    }

    /// Its only value as a number.
    ///
    /// # Errors
    /// If it is not a number.
    pub(super) fn number<T: std::str::FromStr>(&self) -> anyhow::Result<T> {
        number(self.entry.name, self.single()?)
    }

    /// Its values as `key=value`.
    pub(super) fn pairs(&self) -> impl Iterator<Item = KeyValue<'_>> {
        self.values.iter().map(|word| match word.split_once('=') {
            Some((key, value)) => KeyValue {
                key,
                value: Some(value),
            },
            None => KeyValue {
                key: word,
                value: None,
            },
        })
    }
}

impl<'a> KeyValue<'a> {
    /// The entry of its key among those of `flag`.
    ///
    /// # Errors
    /// If the flag does not have this key, or it is not supported.
    pub(super) fn entry(&self, flag: &str) -> anyhow::Result<&'static FlagEntry> {
        let entry = table::key(flag, self.key).ok_or_else(|| {
            let names = table::keys(flag).iter().map(|entry| entry.name);
            match nearest(self.key, names) {
                Some(name) => anyhow!(
                    Diagnostic::new(format!("`{flag}` has no key `{}`", self.key))
                        .help(format!("did you mean `{name}`?"))
                ),
                None => anyhow!("`{flag}` has no key `{}`", self.key),
            }
        })?;
        if entry.support == Support::Refused {
            bail!("`{flag} {}` is not supported: {}", self.text(), entry.note);
        }
        Ok(entry)
    }

    /// Its value.
    ///
    /// # Errors
    /// If it has no value.
    pub(super) fn value(&self, flag: &str) -> anyhow::Result<&'a str> {
        self.value.ok_or_else(|| {
            anyhow!(
                "`{flag} {}` needs a value: write {}=VALUE",
                self.key,
                self.key
            )
        })
    }

    /// Its value as a number.
    ///
    /// # Errors
    /// If it is not a number.
    pub(super) fn number<T: std::str::FromStr>(&self, flag: &str) -> anyhow::Result<T> {
        number(&format!("{flag} {}", self.key), self.value(flag)?)
    }

    /// Its value as a boolean; the key alone is true.
    ///
    /// # Errors
    /// If it is not a boolean.
    pub(super) fn flag(&self, flag: &str) -> anyhow::Result<bool> {
        match self.value {
            None | Some("true") => Ok(true),
            Some("false") => Ok(false),
            Some(other) => bail!("`{flag} {}={other}`: true or false is allowed", self.key),
        }
    }

    /// As it was written.
    pub(super) fn text(&self) -> String {
        match self.value {
            Some(value) => format!("{}={value}", self.key),
            None => self.key.to_string(),
        }
    }
}

fn number<T: std::str::FromStr>(what: &str, text: &str) -> anyhow::Result<T> {
    text.parse()
        .map_err(|_| anyhow!("`{what}`: `{text}` is not a valid number here"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_base::diagnostic::with_causes;

    #[test]
    fn only_a_name_with_few_other_letters_is_suggested() {
        for (word, name) in [
            ("-concurency", Some("-concurrency")),
            ("-egnine", Some("-engine")),
            ("-round", Some("-rounds")),
            ("-foo", None),
        ] {
            let error = with_causes(&unknown_flag(word));
            let help = name.map(|name| format!("did you mean `{name}`?"));
            let is_named = help.map_or(!error.contains("did you mean"), |help| {
                error.ends_with(&help)
            });
            assert!(is_named, "{error}");
        }
    }

    #[test]
    fn arguments_are_split_at_spaces_outside_of_quotes() {
        for (text, words) in [
            ("--opt #5  --x", &["--opt", "#5", "--x"][..]),
            (r"--path C:\nets\a.nnue", &["--path", r"C:\nets\a.nnue"]),
            ("\"a b\" 'c \"d' e\"f g\"", &["a b", "c \"d", "ef g"]),
            (r#"\"a b\" ''"#, &["\"a", "b\"", ""]),
            ("  ", &[]),
        ] {
            assert_eq!(split_arguments(text), words, "{text}");
        }
    }
}
