//! The modules of `hone` are layers: no module imports from a higher layer, and there is no
//! cycle of imports. The layers and their order are read from the list under "# Layout" in
//! `src/lib.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The names of a module and its parents, from the root of the crate; empty for `lib.rs`.
type ModulePath = Vec<String>;

/// A module's file, read for its imports.
struct Module {
    /// Lines of code without comments.
    lines: Vec<Line>,
    /// Names that `pub use` declares, with the full paths of the items.
    re_exports: BTreeMap<String, Vec<String>>,
}

struct Line {
    text: String,
    /// Number of inline modules around the line (`mod tests { … }`).
    depth: usize,
}

struct Import {
    /// Number of the line, from 0.
    line: usize,
    /// The full path of the item.
    path: Vec<String>,
    /// Only makes the item visible under another path.
    is_re_export: bool,
}

/// The crate's modules by path.
struct Sources {
    root: PathBuf,
    modules: BTreeMap<ModulePath, Module>,
}

/// Edges from a module to those that it imports, with the places of the imports.
type Graph = BTreeMap<ModulePath, BTreeMap<ModulePath, Vec<String>>>;

#[test]
fn no_import_is_from_a_higher_layer_or_in_a_cycle() {
    let sources = Sources::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let faults = faults(&sources);
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

fn faults(sources: &Sources) -> Vec<String> {
    let layers = sources.layers();
    let mut faults = sources.undeclared(&layers);
    if !faults.is_empty() {
        return faults;
    }
    let level = |module: &ModulePath| layers.iter().position(|layer| *layer == module[0]);
    let graph = sources.graph();
    for (from, targets) in &graph {
        for (to, places) in targets {
            if level(to) > level(from) {
                faults.push(format!(
                    "`{}` imports from the higher layer `{}`: {}",
                    from.join("::"),
                    to[0],
                    places.join(", ")
                ));
            }
        }
    }
    for cycle in cycles(&graph) {
        let mut text = "a cycle of modules:".to_string();
        for from in &cycle {
            for (to, places) in &graph[from] {
                if cycle.contains(to) {
                    let (from, to) = (from.join("::"), to.join("::"));
                    text += &format!("\n  `{from}` imports from `{to}`: {}", places.join(", "));
                }
            }
        }
        faults.push(text);
    }
    faults
}

impl Sources {
    fn read(root: PathBuf) -> Self {
        let mut files = Vec::new();
        list(&root, &mut files);
        let mut texts = BTreeMap::new();
        for file in files {
            let path = module_path(&root, &file);
            if path == ["main"] {
                continue;
            }
            let text = fs::read_to_string(&file).expect("a readable source");
            texts.insert(path, text);
        }
        Self::of(root, &texts)
    }

    fn of(root: PathBuf, texts: &BTreeMap<ModulePath, String>) -> Self {
        let modules = texts
            .iter()
            .map(|(path, text)| {
                let module = Module {
                    lines: lines(text),
                    re_exports: BTreeMap::new(),
                };
                (path.clone(), module)
            })
            .collect();
        let mut sources = Self { root, modules };
        let re_exports: Vec<_> = sources
            .modules
            .keys()
            .map(|path| (path.clone(), sources.re_exports(path)))
            .collect();
        for (path, names) in re_exports {
            let module = sources.modules.get_mut(&path).expect("a known module");
            module.re_exports = names;
        }
        sources
    }

    /// The layers of the Layout list, lowest first.
    fn layers(&self) -> Vec<String> {
        let text = fs::read_to_string(self.root.join("lib.rs")).unwrap_or_default();
        let (_, list) = text.split_once("# Layout").expect("a Layout in lib.rs");
        list.lines()
            .skip(1)
            .take_while(|line| line.starts_with("//!"))
            .filter_map(|line| line.strip_prefix("//! * [`")?.split_once("`]"))
            .map(|(name, _)| name.to_string())
            .collect()
    }

    /// Modules that are missing from the Layout, and names in it that are not modules.
    fn undeclared(&self, layers: &[String]) -> Vec<String> {
        let listed: BTreeSet<_> = layers.iter().map(String::as_str).collect();
        let first = self.modules.keys().filter_map(|path| path.first());
        let declared: BTreeSet<_> = first.map(String::as_str).collect();
        let faults = listed.symmetric_difference(&declared);
        faults
            .map(|name| format!("`{name}`: the Layout in lib.rs and the modules differ"))
            .collect()
    }

    /// Imports between modules. A folder's `mod.rs` is a module of its own.
    fn graph(&self) -> Graph {
        let mut graph = Graph::new();
        for from in self.modules.keys().filter(|path| !path.is_empty()) {
            for import in self.imports(from) {
                if import.is_re_export && !self.is_used_here(from, &import) {
                    continue;
                }
                let to = self.resolve(&import.path, 0);
                if *from == to || to.is_empty() {
                    continue;
                }
                let place = format!("{}:{}", from.join("/"), import.line + 1);
                let places = graph
                    .entry(from.clone())
                    .or_default()
                    .entry(to)
                    .or_default();
                places.push(place);
            }
        }
        graph
    }

    /// The module in which an item is defined. At most 8 re-exports are followed.
    fn resolve(&self, path: &[String], followed: usize) -> ModulePath {
        let mut module = ModulePath::new();
        for (index, name) in path.iter().enumerate() {
            let mut deeper = module.clone();
            deeper.push(name.clone());
            if self.modules.contains_key(&deeper) {
                module = deeper;
                continue;
            }
            if let Some(target) = self.modules[&module].re_exports.get(name)
                && followed < 8
            {
                let mut full = target.clone();
                full.extend_from_slice(&path[index + 1..]);
                return self.resolve(&full, followed + 1);
            }
            break;
        }
        module
    }

    fn re_exports(&self, path: &ModulePath) -> BTreeMap<String, Vec<String>> {
        let uses = uses(&self.modules[path].lines);
        uses.into_iter()
            .filter(|(_, statement, _)| statement.starts_with("pub"))
            .flat_map(|(_, statement, depth)| self.named(path, depth, &statement))
            .collect()
    }

    fn imports(&self, path: &ModulePath) -> Vec<Import> {
        let module = &self.modules[path];
        let mut imports = Vec::new();
        let uses = uses(&module.lines);
        for (line, statement, depth) in &uses {
            for (_, full) in self.named(path, *depth, statement) {
                imports.push(Import {
                    line: *line,
                    path: full,
                    is_re_export: statement.starts_with("pub"),
                });
            }
        }
        for (line, code) in without_uses(&module.lines).iter().enumerate() {
            for inline in inline_paths(code) {
                if let Some(path) = self.absolute(path, module.lines[line].depth, &inline) {
                    imports.push(Import {
                        line,
                        path,
                        is_re_export: false,
                    });
                }
            }
        }
        imports
    }

    /// The names that a `use` statement declares, with full paths.
    fn named(
        &self,
        path: &ModulePath,
        depth: usize,
        statement: &str,
    ) -> Vec<(String, Vec<String>)> {
        let (_, tree) = statement.split_once("use ").expect("a `use` statement");
        let mut named = Vec::new();
        flatten(tree.trim().trim_end_matches(';'), &[], &mut named);
        named
            .into_iter()
            .filter_map(|(name, relative)| Some((name, self.absolute(path, depth, &relative)?)))
            .collect()
    }

    /// A path from the root of the crate, if it leads into the crate. `depth`
    /// is the number of inline modules around it.
    fn absolute(&self, module: &ModulePath, depth: usize, path: &[String]) -> Option<Vec<String>> {
        let first = path.first()?.as_str();
        if first == "crate" {
            return Some(path[1..].to_vec());
        }
        let ups = path.iter().take_while(|name| *name == "super").count();
        let mut base = module.clone();
        base.truncate(module.len() - ups.saturating_sub(depth).min(module.len()));
        let rest = &path[ups..];
        if ups == 0 && first != "self" {
            let mut child = base.clone();
            child.push(first.to_string());
            if !self.modules.contains_key(&child) {
                return None;
            }
        }
        base.extend(rest.iter().filter(|name| *name != "self").cloned());
        Some(base)
    }

    /// Whether the module itself uses an item that it re-exports.
    fn is_used_here(&self, module: &ModulePath, import: &Import) -> bool {
        let Some(name) = import.path.last() else {
            return false;
        };
        without_uses(&self.modules[module].lines)
            .iter()
            .filter(|code| !code.ends_with(';') || !words(code).any(|word| word == "mod"))
            .any(|code| words(code).any(|word| word == name))
    }
}

fn list(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            list(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn module_path(root: &Path, file: &Path) -> ModulePath {
    let relative = file.strip_prefix(root).expect("a file of the crate");
    let mut path: ModulePath = relative
        .with_extension("")
        .iter()
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    if path.last().is_some_and(|name| name == "mod") || path == ["lib"] {
        path.pop();
    }
    path
}

/// Lines without comments. Inline modules are found by rustfmt's indentation.
fn lines(text: &str) -> Vec<Line> {
    let mut open: Vec<usize> = Vec::new();
    text.lines()
        .map(|line| {
            let code = match line.find("//") {
                Some(at) => &line[..at],
                None => line,
            };
            let indent = code.len() - code.trim_start().len();
            if code.trim_end() == format!("{}}}", " ".repeat(indent))
                && open.last() == Some(&indent)
            {
                open.pop();
            }
            let depth = open.len();
            let mut heads = words(code).skip_while(|word| ["pub", "crate", "super"].contains(word));
            if heads.next() == Some("mod") && code.trim_end().ends_with('{') {
                open.push(indent);
            }
            Line {
                text: code.to_string(),
                depth,
            }
        })
        .collect()
}

/// `use` statements: number of the first line, text, number of inline modules around.
fn uses(lines: &[Line]) -> Vec<(usize, String, usize)> {
    let mut uses = Vec::new();
    let mut statement: Option<(usize, String, usize)> = None;
    for (number, line) in lines.iter().enumerate() {
        let text = line.text.trim();
        match &mut statement {
            Some((_, open, _)) => *open += text,
            None if is_use(text) => statement = Some((number, text.to_string(), line.depth)),
            None => continue,
        }
        if text.ends_with(';') {
            uses.extend(statement.take());
        }
    }
    uses
}

fn without_uses(lines: &[Line]) -> Vec<&str> {
    let mut inside = false;
    lines
        .iter()
        .map(|line| {
            let text = line.text.trim();
            let is_of_use = inside || is_use(text);
            inside = is_of_use && !text.ends_with(';');
            if is_of_use { "" } else { text }
        })
        .collect()
}

fn is_use(text: &str) -> bool {
    text.starts_with("use ") || (text.starts_with("pub") && text.contains(" use "))
}

/// The leaves of a `use` tree: the name each has here, and its path.
fn flatten(tree: &str, prefix: &[String], named: &mut Vec<(String, Vec<String>)>) {
    let mut depth = 0;
    let branches = tree.split(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    for branch in branches.map(str::trim).filter(|branch| !branch.is_empty()) {
        let (head, inner) = match branch.split_once('{') {
            Some((head, inner)) => (head, inner.strip_suffix('}')),
            None => (branch, None),
        };
        let (head, alias) = match head.split_once(" as ") {
            Some((head, alias)) => (head, Some(alias.trim())),
            None => (head, None),
        };
        let mut path = prefix.to_vec();
        let names = head.split("::").map(str::trim);
        path.extend(names.filter(|name| !name.is_empty()).map(str::to_string));
        match inner {
            Some(inner) => flatten(inner, &path, named),
            None => {
                let last = path.last().cloned().unwrap_or_default();
                let name = alias.map_or(last, str::to_string);
                named.push((name, path));
            }
        }
    }
}

/// Paths in code that start with `crate`, `super` or `self`.
fn inline_paths(code: &str) -> Vec<Vec<String>> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    // `pub(in crate::here)` is not an import.
    let code = code.split_once("pub(in ").map_or(code, |(before, after)| {
        after.split_once(')').map_or(before, |(_, rest)| rest)
    });
    code.split(|c| !is_part(c))
        .filter(|path| {
            ["crate::", "super::", "self::"]
                .iter()
                .any(|root| path.starts_with(root))
        })
        .map(|path| {
            let names = path.split("::").filter(|name| !name.is_empty());
            names.map(str::to_string).collect()
        })
        .collect()
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}

/// The strongly connected components of a graph, without single modules.
fn cycles(graph: &Graph) -> Vec<BTreeSet<ModulePath>> {
    let reached: BTreeMap<_, _> = graph
        .keys()
        .map(|from| (from, reach(graph, from)))
        .collect();
    let mut cycles: Vec<BTreeSet<ModulePath>> = Vec::new();
    for (from, targets) in &reached {
        if !targets.contains(*from) || cycles.iter().any(|cycle| cycle.contains(*from)) {
            continue;
        }
        let back = |to: &&ModulePath| reached.get(to).is_some_and(|all| all.contains(*from));
        cycles.push(targets.iter().filter(back).cloned().collect());
    }
    cycles
}

/// The modules that can be reached from a module by imports.
fn reach(graph: &Graph, from: &ModulePath) -> BTreeSet<ModulePath> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(module) = open.pop() {
        for to in graph.get(module).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(to.clone()) {
                open.push(to);
            }
        }
    }
    reached
}

/// The faults of a small crate, which test the functions above.
fn faults_of(files: &[(&str, &str)]) -> Vec<String> {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    faults(&Sources::read(dir.path().to_path_buf()))
}

const LAYOUT: &str = "//! # Layout\n//!\n//! * [`low`]: one.\n//! * [`high`]: two.\n";

#[test]
fn an_import_from_a_higher_layer_is_found() {
    for import in [
        "use crate::high::Thing;",
        "use crate::{\n    high::Thing,\n};",
        "use super::high;",
        "fn f() -> crate::high::Thing {}",
        "#[cfg(test)]\nmod tests {\n    use super::super::high;\n}",
    ] {
        let faults = faults_of(&[
            ("lib.rs", LAYOUT),
            ("low.rs", import),
            ("high.rs", "pub struct Thing;\n"),
        ]);
        assert_eq!(faults.len(), 1, "{import}: {faults:?}");
        assert!(faults[0].contains("higher layer `high`"), "{faults:?}");
    }
}

#[test]
fn a_cycle_is_found_behind_a_re_export() {
    let faults = faults_of(&[
        ("lib.rs", LAYOUT),
        ("low.rs", ""),
        (
            "high/mod.rs",
            "mod a;\nmod b;\npub use a::A;\npub use b::B;\n",
        ),
        ("high/a.rs", "use super::B;\npub struct A(B);\n"),
        ("high/b.rs", "use crate::high::A;\npub struct B(A);\n"),
    ]);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].starts_with("a cycle of modules"), "{faults:?}");
}

#[test]
fn layers_in_order_have_no_faults() {
    let faults = faults_of(&[
        ("lib.rs", LAYOUT),
        (
            "low.rs",
            "// use crate::high::Thing;\n#[cfg(test)]\nmod tests {\n    use super::*;\n}\n",
        ),
        ("high/mod.rs", "mod a;\npub use a::A;\npub struct C;\n"),
        (
            "high/a.rs",
            "use super::C;\nuse crate::low::Low;\npub struct A(C, Low);\n",
        ),
    ]);
    assert_eq!(faults, Vec::<String>::new());
    let faults = faults_of(&[("lib.rs", LAYOUT), ("low.rs", "")]);
    assert!(faults[0].contains("`high`"), "{faults:?}");
}
