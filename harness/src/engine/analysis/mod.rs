//! Analysis of single positions by an engine, for opening books and test suites.

mod analyst;
mod at_once;
mod command;
mod limit;
mod pool;

pub(crate) use analyst::{AnalysisError, Analyst, Evaluation, Iteration};
pub(crate) use at_once::at_once;
pub(crate) use command::EngineCommand;
pub(crate) use limit::SearchLimit;
pub(crate) use pool::{Request, evaluate_all};
