//! The UCI protocol from the side of the GUI: one engine process, its lines, its options
//! and its answers.

mod client;
mod command_line;
mod go;
mod info;
mod lines;
mod memory_size;
mod not_started;
mod options;
mod position;
mod process;
mod setoption;
mod stderr;
mod transcript;
mod watch;

pub use client::Client;
pub use client::PROMPT;
pub use client::{Answer, AnswerError, StartError};
pub use command_line::{is_one_line, parse_option, program_file, program_name, split_command};
pub use go::push_go;
pub(crate) use info::principal_variation;
pub use lines::LineReader;
pub use memory_size::MemorySize;
pub use options::UnreadableOptions;
pub use options::{
    EngineOption, OptionError, OptionFault, OptionKind, check_options, options_for, supports,
};
pub use position::{push_position, referee_after};
pub use process::Launch;
pub use transcript::UCI_TRAFFIC;
