//! The statistics: numbers of other programs, properties, and simulations.

mod golden;
mod operation;
mod properties;
