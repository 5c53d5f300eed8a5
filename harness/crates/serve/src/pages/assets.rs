//! Style, script and icon of all pages: embedded, and cached by browsers until they change.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use axum::body::Bytes;

use hone_report::html::{SCRIPT, STYLE};

/// Style in addition to that of the reports.
const OWN_STYLE: &str = include_str!("serve.css");

/// Scripts in addition to those of the reports.
const OWN_SCRIPT: [&str; 5] = [
    include_str!("script/live.js"),
    include_str!("script/games.js"),
    include_str!("script/boards.js"),
    include_str!("script/filter.js"),
    include_str!("script/actions.js"),
];

/// Path of the icon.
pub(crate) const ICON: &str = "/assets/icon.svg";
pub(crate) const ICON_SVG: &str = include_str!("icon.svg");

/// A file whose URL contains its hash.
#[derive(Debug)]
pub(crate) struct Asset {
    pub address: String,
    pub content: Bytes,
}

impl Asset {
    fn new(stem: &str, extension: &str, content: String) -> Self {
        let mut hasher = DefaultHasher::new();
        content.hash(&mut hasher);
        Self {
            address: format!("/assets/{stem}-{:016x}.{extension}", hasher.finish()),
            content: content.into(),
        }
    }
}

/// The style of all pages.
pub(crate) fn style() -> &'static Asset {
    static STYLE_FILE: OnceLock<Asset> = OnceLock::new();
    STYLE_FILE.get_or_init(|| Asset::new("style", "css", STYLE.concat() + OWN_STYLE))
}

/// The script of all pages, in one scope. The last part of the reports' script, which lists the
/// games on the page, is left out: live pages request their games.
pub(crate) fn script() -> &'static Asset {
    static SCRIPT_FILE: OnceLock<Asset> = OnceLock::new();
    SCRIPT_FILE.get_or_init(|| {
        let (_, shared) = SCRIPT.split_last().unwrap_or((&"", &[]));
        let body = shared.concat() + &OWN_SCRIPT.concat();
        Asset::new(
            "script",
            "js",
            format!("(() => {{\n\"use strict\";\n{body}}})();\n"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name declared twice in one scope would stop the whole script.
    #[test]
    fn no_name_is_declared_twice_in_the_script() {
        let text = String::from_utf8(script().content.to_vec()).expect("text");
        let declared = |line: &str| -> Option<String> {
            let words = ["const ", "let ", "function ", "async function "];
            let rest = words.iter().find_map(|word| line.strip_prefix(word))?;
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
            Some(rest[..end].to_string())
        };
        let mut names: Vec<String> = text.lines().filter_map(declared).collect();
        assert!(names.len() > 30, "{names:?}");
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all, "{names:?}");
    }
}
