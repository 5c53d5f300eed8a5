//! Analysis of single positions by an engine, for opening books and test suites.

mod analyst;
mod at_once;
mod command;
mod limit;
mod pool;

pub use analyst::{AnalysisError, Analyst, Evaluation, Iteration};
pub use at_once::at_once;
pub use command::EngineCommand;
pub use limit::SearchLimit;
pub use pool::{Request, evaluate_all};
