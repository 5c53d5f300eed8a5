//! Checks that every design in `engine/lab/designs/` plays like the listing of its document,
//! and the page on the positions of these documents.
//!
//! * [`documents`]: every listing of the source documents, written from the
//!   document, over the board's API and the static evaluation.
//! * [`tree`], [`moves`], [`plain`]: the common parts of the listings, and the plain main
//!   search of `engine/lab/designs/main/plain.toml`.
//! * [`positions`]: the positions they are compared on.
//! * [`comparison`]: the engine and the listing visit the same number of nodes
//!   and return the same score; with one option changed they do not.
//! * [`counters`]: the distinguishing counter of every design is above zero in
//!   a search from the root.
//! * [`options`]: every file of a design is accepted by the engine.
//! * [`sources`]: the positions, node counts and moves of `sources.md`.

mod comparison;
mod counters;
mod documents;
mod engines;
mod moves;
mod options;
mod plain;
mod positions;
mod sources;
mod tree;
