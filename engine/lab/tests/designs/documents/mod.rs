//! The listings of the source documents as plain functions.

pub(crate) mod d000;
pub(crate) mod d002;
pub(crate) mod d003;
pub(crate) mod d004;
pub(crate) mod ethereal;
pub(crate) mod seajay;
