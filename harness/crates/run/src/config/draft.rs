//! A configuration that is being assembled: a file, overridden by a profile and the command
//! line. The more specific value wins; contradicting values of the command line are refused.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, Value};

use super::Config;
use super::assignment::{Assignment, Level};
use super::castling;
use super::file_text;
use super::names::name_engines;
use super::parse_error::{document, in_words, key_of};
use super::places::{KeyPath, Places, content};
use super::tables::list_for_table;
use super::wording::Fault;
use hone_base::diagnostic::{Diagnostic, Place};
use hone_builds::Spec;

mod set_text;

/// A configuration that is not complete yet.
#[derive(Debug)]
pub struct Draft {
    /// The file it starts from; `None` without one.
    file: Option<PathBuf>,
    text: String,
    document: DocumentMut,
    assignments: Vec<Assignment>,
    /// Whether keys of the file were removed.
    is_cut: bool,
    /// Further names of engines in the keys of assignments, with their indices.
    aliases: Vec<(String, usize)>,
}

/// The settings of a run without a configuration.
const USUAL: &str = include_str!("usual.toml");

impl Draft {
    /// Reads the file that it starts from, if there is one.
    ///
    /// # Errors
    /// If it cannot be read, is not TOML, or has a list in place of a table.
    pub fn read(file: Option<&Path>) -> Result<Self, Diagnostic> {
        let text = match file {
            Some(path) => file_text::read(path)?,
            None => String::new(),
        };
        Self::of(file, text)
    }

    /// Reads the file, or without one starts from the usual margin and adjudication.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_or_usual(file: Option<&Path>) -> Result<Self, Diagnostic> {
        match file {
            Some(_) => Self::read(file),
            None => Self::of(None, USUAL.to_string()),
        }
    }

    fn of(file: Option<&Path>, text: String) -> Result<Self, Diagnostic> {
        let path = file.unwrap_or(Path::new(""));
        let mut document = document(path, &text)?;
        if let Some((span, message)) = list_for_table(&text) {
            let place = Place::of(path.display(), &text, Some(span));
            return Err(Diagnostic::new(message).at(place));
        }
        // `engine = [{ … }, { … }]` is changed and extended as `[[engine]]` is.
        for list in ["engine", "stage"] {
            if let Some(inline) = document.get_mut(list)
                && let Ok(tables) = inline.clone().into_array_of_tables()
            {
                *inline = Item::ArrayOfTables(tables);
            }
        }
        Ok(Self {
            file: file.map(Path::to_path_buf),
            text,
            document,
            assignments: Vec::new(),
            is_cut: false,
            aliases: Vec::new(),
        })
    }

    fn engines(&self) -> Option<&ArrayOfTables> {
        self.document
            .get("engine")
            .and_then(Item::as_array_of_tables)
    }

    /// Number of engines.
    pub fn engine_count(&self) -> usize {
        self.engines().map_or(0, ArrayOfTables::len)
    }

    /// A text value of an engine, such as `build`.
    pub fn engine_text(&self, index: usize, key: &str) -> Option<String> {
        let path = ["engine".to_string(), index.to_string(), key.to_string()];
        let set = self.assignments.iter().filter(|set| set.path == path);
        if let Some(set) = set.max_by_key(|set| set.level) {
            return Some(content(&set.value));
        }
        self.text_in_file(index, key)
    }

    /// A whole number that the file sets.
    pub fn number(&self, path: &[&str]) -> Option<i64> {
        let mut item = self.document.as_item();
        for key in path {
            item = item.get(key)?;
        }
        item.as_integer()
    }

    /// Replaces engine `index` by one of the command line and keeps its build command; its
    /// name becomes an alias. An engine after the last one is added.
    pub fn take_engine(&mut self, index: usize, spec: &Spec, source: &str) {
        if self.engines().is_none() {
            self.document
                .insert("engine", Item::ArrayOfTables(ArrayOfTables::new()));
        }
        if let Some(engines) = self
            .document
            .get_mut("engine")
            .and_then(Item::as_array_of_tables_mut)
        {
            if engines.len() == index {
                engines.push(Table::new());
            }
            if let Some(table) = engines.get_mut(index) {
                let name = table.remove("name");
                let name = name.as_ref().and_then(Item::as_str);
                self.aliases
                    .extend(name.map(|name| (name.to_string(), index)));
                for key in ["git", "rev", "worktree", "tree"] {
                    table.remove(key);
                }
            }
        }
        let mut set = |key: &str, value: String| {
            self.set_engine(Level::Key, index, &[key], value, source);
        };
        match spec {
            Spec::Commit { repository, rev } => {
                set("git", repository.display().to_string());
                set("rev", rev.clone());
            }
            Spec::WorkTree { repository } => set("worktree", repository.display().to_string()),
            Spec::Program(program) => {
                set("cmd", program.clone());
                self.forget(index, "build");
            }
        }
    }

    /// Lets `--set engine.NAME.…` name engine `index` also by `name`, and names it so if it
    /// has no name that tells it apart.
    pub fn alias(&mut self, name: &str, index: usize) {
        self.aliases.push((name.to_string(), index));
    }

    /// Removes a key of an engine that the file sets.
    pub fn forget(&mut self, index: usize, key: &str) {
        if let Some(table) = self
            .document
            .get_mut("engine")
            .and_then(Item::as_array_of_tables_mut)
            .and_then(|engines| engines.get_mut(index))
        {
            table.remove(key);
        }
    }

    /// Removes a key of a section that the file sets.
    pub fn remove(&mut self, section: &str, key: &str) {
        if let Some(table) = self
            .document
            .get_mut(section)
            .and_then(Item::as_table_like_mut)
        {
            self.is_cut |= table.remove(key).is_some();
        }
    }

    /// Sets a key of one engine.
    pub fn set_engine(
        &mut self,
        level: Level,
        index: usize,
        keys: &[&str],
        value: impl Into<Value>,
        source: &str,
    ) {
        let number = index.to_string();
        let path = [&["engine", &number], keys].concat();
        self.set(level, &path, value, source);
    }

    /// Gives every engine the same limit.
    pub fn set_limit(&mut self, level: Level, limit: &str, source: &str) {
        self.set(level, &["match", "limit"], limit, source);
        for index in 0..self.engine_count() {
            self.forget(index, "limit");
        }
    }

    /// Sets a key to the value of a flag such as `--pairs`, if it is given.
    pub fn flag<V: Into<Value> + Display>(&mut self, flag: &str, value: Option<V>, path: &[&str]) {
        if let Some(value) = value {
            let source = format!("{flag} {value}");
            self.set(Level::Key, path, value, &source);
        }
    }

    /// Sets a key. `source` is the user's text, for errors.
    pub fn set(&mut self, level: Level, path: &[&str], value: impl Into<Value>, source: &str) {
        let mut path: KeyPath = path.iter().map(|key| (*key).to_string()).collect();
        self.use_known_spelling(&mut path);
        self.assignments.push(Assignment {
            level,
            path,
            value: value.into(),
            source: source.to_string(),
        });
    }

    fn is_changed(&self) -> bool {
        self.is_cut || !self.assignments.is_empty()
    }

    /// The text of the file with all assignments applied.
    ///
    /// # Errors
    /// Two contradicting assignments, or one that the file cannot hold.
    pub fn text(&mut self) -> Result<String, Diagnostic> {
        // A table comes before its keys.
        self.assignments
            .sort_by_key(|set| (set.level, set.path.len()));
        self.refuse_contradictions()?;
        if !self.is_changed() {
            return Ok(self.text.clone());
        }
        let mut document = self.document.clone();
        for set in &self.assignments {
            set.insert_into(&mut document)
                .map_err(|reason| Diagnostic::new(format!("`{}`: {reason}", set.source)))?;
        }
        Ok(document.to_string())
    }

    /// The configuration with all assignments applied, and checked.
    ///
    /// # Errors
    /// Two contradicting assignments; a mistake, with its place in the file or
    /// with the option that set it.
    pub fn finish(mut self) -> Result<Config, Diagnostic> {
        let (text, mut config) = self.parsed()?;
        name_engines(&mut config, &self.aliases).map_err(|message| {
            // A duplicate is in the last table of engines or before it.
            let at = text.rfind("[[engine]]").unwrap_or(0);
            self.fault(&text, Some(at..at), Diagnostic::new(message))
        })?;
        if let Some((path, message)) = castling::contradiction(&config) {
            let place = Places::of(&text).of_key(&path).next();
            return Err(self.fault(&text, place, Diagnostic::new(message)));
        }
        config.assigned = self.assignments.into_iter().map(|set| set.path).collect();
        config.r#match.openings.fill_in();
        let stages = config.stage.iter_mut();
        for openings in stages.filter_map(|stage| stage.openings.as_mut()) {
            openings.fill_in();
        }
        let verify = config.tune.as_mut().and_then(|tune| tune.verify.as_mut());
        if let Some(openings) = verify.and_then(|verify| verify.openings.as_mut()) {
            openings.fill_in();
        }
        Ok(config)
    }

    /// The complete text and its configuration. A key of type string accepts an assignment
    /// that looks like a number: `rev=1234567`.
    fn parsed(&mut self) -> Result<(String, Config), Diagnostic> {
        loop {
            let text = self.text()?;
            if let Some((span, message)) = list_for_table(&text) {
                return Err(self.fault(&text, Some(span), Diagnostic::new(message)));
            }
            match toml::from_str(&text) {
                Ok(config) => return Ok((text, config)),
                Err(error) if self.quote(&text, &error) => {}
                Err(error) => return Err(self.mistake(&text, &error)),
            }
        }
    }

    /// If the parser expects a string, replaces the assigned value by its text. Returns whether
    /// it replaced one.
    fn quote(&mut self, text: &str, error: &toml::de::Error) -> bool {
        if !Fault::of(error.message()).expects_text() {
            return false;
        }
        let places = Places::of(text);
        let at = error.span().and_then(|span| places.at(span.start));
        let Some((path, _)) = at else {
            return false;
        };
        let is_text = |value: &Value| value.is_str() || value.is_array() || value.is_inline_table();
        let mut quoted = false;
        for set in &mut self.assignments {
            if set.path == *path && !is_text(&set.value) {
                set.value = content(&set.value).into();
                quoted = true;
            }
        }
        quoted
    }

    fn refuse_contradictions(&self) -> Result<(), Diagnostic> {
        let mut rest = &self.assignments[..];
        while let Some((one, others)) = rest.split_first() {
            rest = others;
            for other in others {
                let is_said = one.level >= Level::AllEngines && one.level == other.level;
                if is_said && !one.agrees_with(other) {
                    let contradiction = Diagnostic::new(format!(
                        "`{}` and `{}` contradict each other: both set `{}`",
                        one.source,
                        other.source,
                        other.path.join(".")
                    ));
                    return Err(contradiction.help("give only one of them"));
                }
            }
        }
        Ok(())
    }

    /// The error of the parser in the complete text.
    fn mistake(&self, text: &str, error: &toml::de::Error) -> Diagnostic {
        let path = key_of(text, error);
        let message = in_words(text, error);
        // A mistake of the file alone does not depend on the assignments.
        let of_file = toml::from_str::<Config>(&self.text).err();
        let of_file = of_file.filter(|of_file| {
            of_file.message() == error.message() && key_of(&self.text, of_file) == path
        });
        match (&self.file, of_file) {
            (Some(file), Some(of_file)) => {
                message.at(Place::of(file.display(), &self.text, of_file.span()))
            }
            _ => self.fault(text, error.span(), message),
        }
    }

    /// A mistake at `span` of the complete text, with its place in the file or the option that
    /// set it.
    fn fault(&self, text: &str, span: Option<Range<usize>>, message: Diagnostic) -> Diagnostic {
        let at = span.map_or(0, |span| span.start);
        let places = Places::of(text);
        let (path, start) = match places.at(at) {
            Some((path, start)) => (path.clone(), start),
            None => (KeyPath::new(), 0),
        };
        let sources = self.sources(&path, message.what());
        let file = self.file.clone().unwrap_or_default();
        let place_at = |at| Place::of(file.display(), &self.text, Some(at..at));
        let place = match &self.file {
            None => None,
            Some(_) if !self.is_changed() => Some(place_at(at)),
            Some(_) => {
                // The same offset in the same key or value.
                let now: Vec<_> = places.of_key(&path).collect();
                let which = now.iter().position(|range| range.start == start);
                let then = Places::of(&self.text);
                let then = which.and_then(|which| then.of_key(&path).nth(which));
                then.map(|range| {
                    let distance = at.saturating_sub(start);
                    let at = range.start.saturating_add(distance).min(range.end);
                    place_at(at)
                })
            }
        };
        if sources.is_empty() {
            return message.at(place.unwrap_or_else(|| place_at(0)));
        }
        // An assigned value has no place in the file.
        let is_set = self
            .assignments
            .iter()
            .any(|set| path.starts_with(&set.path));
        let message = message.within(&sources.join(" with "));
        match place.filter(|_| !is_set) {
            Some(place) => message.at(place),
            None => message,
        }
    }

    /// The assignments of the key at `path`, or of keys below it that the message names.
    fn sources(&self, path: &KeyPath, message: &str) -> Vec<String> {
        let mut last = BTreeMap::new();
        for set in &self.assignments {
            let is_here = path.starts_with(&set.path);
            let is_below = !path.is_empty() && set.path.starts_with(path);
            if is_here || is_below || path.is_empty() {
                last.insert(&set.path, (set, is_here));
            }
        }
        let is_named = |set: &Assignment| {
            let key = set.path.last().map_or("", String::as_str);
            message
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .any(|word| word == key)
        };
        let about: Vec<_> = last
            .values()
            .filter(|(set, is_here)| *is_here || is_named(set))
            .collect();
        let about = if about.is_empty() {
            last.values().collect()
        } else {
            about
        };
        let mut sources: Vec<String> = Vec::new();
        for (set, _) in about {
            let source = format!("`{}`", set.source);
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
        sources
    }
}

#[cfg(test)]
mod tests;
