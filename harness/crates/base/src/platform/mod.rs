//! What differs between operating systems: each module has one interface and
//! implementations for Linux, for other Unix systems (macOS) and for Windows. Outside of
//! this module, `cfg` decides only details: the syntax of commands and paths, the folders
//! that are used, file permissions, the meaning of exit statuses.
//!
//! | | Linux | macOS | Windows |
//! |---|---|---|---|
//! | an engine's child processes end with it | process group | process group | job object |
//! | engines, benches and builds end if `hone` is killed | parent-death signal, companion process | companion process | job object |
//! | blocking reads without the runtime | read timer | no | no |
//! | `affinity` | thread's mask | no | job's mask |
//! | time spent waiting for a processor | `/proc` | no | no |
//! | processor time of an engine | its processor clock | no | no |
//! | `max_memory` | `RLIMIT_DATA` | no | job object |
//! | engines cannot read or signal other processes | Landlock | no | no |
//! | `sandbox` | bubblewrap | no | no |

mod busy;
mod child_signal;
mod delay;
mod echo;
mod engine_output;
mod file_size;
mod files;
mod forwarding;
pub mod guard;
mod host;
mod isolation;
mod lock;
mod memory;
mod open_files;
mod process_group;
mod processor_time;
mod processors;
mod runtime;
pub mod sandbox;
mod shell;
mod stop;
mod supervised;
mod terminal;
mod user_folder;

pub use busy::{BUSY_PAUSE, is_busy};
pub use child_signal::{ChildSignal, signal_child};
pub use delay::{CAN_MEASURE_STARVATION, DelayMeter, processor_wait};
pub use echo::NoEcho;
pub use engine_output::{DirectRead, EngineOutput, READ_TIMEOUT, ReadTimer};
pub use file_size::fail_beyond_limit;
pub use files::{
    FileId, Outsider, append_whole, create_private, full_path, is_executable, is_same_file,
    is_unfinished, open_regular, outsider, process_mark, read_regular, read_text, remove_abandoned,
    set_len, sync, write_whole,
};
pub use files::{make_private, write_private};
pub use forwarding::run_forwarding;
pub use host::{host_name, processor_name};
pub use isolation::{Isolation, isolate, isolation};
pub use lock::lock_path;
pub use lock::{holder_in_words, lock_file, open_existing_lock, open_lock};
pub use memory::{
    CAN_LIMIT_MEMORY, MachineMemory, limit_memory, peak_memory, peak_memory_of_ended,
};
pub use open_files::{check_open_files, raise_limit};
pub use process_group::ProcessGroup;
pub use processor_time::ProcessorClocks;
pub use processors::{Processor, bind_thread, load, physical_cores, processors, usable_processors};
pub use runtime::{runtime, until};
pub use sandbox::{Access, SandboxError};
pub use shell::{quoted, shell};
pub use stop::{StopWatch, on_interrupt, on_termination};
pub use supervised::{Ended, supervise, supervised};
pub(crate) use terminal::accepts_escapes;
pub use user_folder::{UserFolder, user_folder};
