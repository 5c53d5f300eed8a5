//! The UCI protocol from the controlling side: one engine process, its lines,
//! its options and its answers.

mod client;
pub mod guard;
mod info;
mod lines;
mod options;
mod output;
mod process;
mod stderr;
mod transcript;
mod watch;

pub(crate) use client::PROMPT;
pub use client::{Answer, AnswerError, Client, StartError, Timeouts};
pub use lines::LineReader;
pub use options::{EngineOption, OptionError, OptionKind, check_options};
pub use output::Bell;
pub use process::{Launch, kill_group};
pub use transcript::{Direction, Transcript};
