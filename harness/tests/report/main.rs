//! Reports: the page in a browser, and the sentences.

#[path = "../common/mod.rs"]
mod common;
#[cfg(unix)]
mod page;
mod words;
