//! Tuning: parameters, update rules, and the estimated response.
//!
//! * [`param`], [`space`]: what is tuned and which values an engine can have.
//! * [`import`], [`pattern`], [`section`], [`declaration`], [`engine_settings`],
//!   [`declared`], [`resolve`]: where parameters come from: other tuners' lists,
//!   `[tune]`, the engine's own options, a model.
//! * [`method`]: the update rules behind one trait.
//! * [`budget`]: the size of a run.
//! * [`tuner`], [`experiment`]: plan batches and pairs, always from the same
//!   results, so that a run can be killed, resumed and folded again.
//! * [`response`]: which parameters matter, and what was gained.
//! * [`advice`]: what a run would do, and what its budget can find.
//! * [`landscape`], [`pair_model`], [`model_file`]: simulated engines.
//!
//! Reproducibility: a run's values depend on its configuration, its seed and
//! the results of its games only. `exp`, `ln`, `pow` and `cos` come from the
//! platform's mathematical library, so between platforms whose libraries round
//! differently last digits may differ; on one platform they never do.

pub mod advice;
pub mod budget;
mod declaration;
mod declared;
mod design;
mod engine_settings;
pub mod experiment;
pub mod import;
mod import_json;
pub mod landscape;
pub mod method;
pub mod model_file;
pub mod pair_model;
pub mod param;
pub mod pattern;
pub mod resolve;
pub mod response;
pub mod section;
pub mod space;
pub mod stream;
pub mod tuner;

pub use experiment::TuneExperiment;
pub use section::TuneSection;
pub use space::{Space, SpaceError};
