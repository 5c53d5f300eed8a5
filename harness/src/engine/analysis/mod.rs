//! One engine that is asked about single positions: the judge of a book, the
//! solver of a suite.

mod analyst;
mod command;
mod limit;
mod pool;

pub use analyst::{AnalysisError, Analyst, Evaluation, Iteration};
pub use command::{EngineCommand, parse_option};
pub use limit::Limit;
pub use pool::evaluate_all;
