//! Warnings about memory while a run is played, each once.

use std::collections::BTreeSet;

use crate::executor::MemoryNote;
use hone_base::diagnostic::Setting;
use hone_base::platform::MachineMemory;
use hone_uci::engine::uci::MemorySize;

const MAX_MEMORY: Setting = Setting {
    key: "engine.max_memory",
    words: "`max_memory` in [[engine]]",
};
const HASH: Setting = Setting {
    key: "engine.options.Hash",
    words: "`Hash`",
};
const CONCURRENCY: Setting = Setting {
    key: "match.concurrency",
    words: "`concurrency`",
};

/// The warnings that were given.
#[derive(Debug, Default)]
pub(super) struct MemoryWarnings {
    engines: BTreeSet<usize>,
    of_machine: bool,
}

impl MemoryWarnings {
    /// The warning of an engine with far more memory than its `Hash`.
    pub(super) fn of_engine(&mut self, note: &MemoryNote) -> Option<String> {
        self.engines.insert(note.engine).then(|| {
            format!(
                "warning: engine `{}` has used {} of memory; its `Hash` is {}\nhelp: {MAX_MEMORY} sets a limit",
                note.name, note.peak, note.hash
            )
        })
    }

    /// The warning of a machine whose memory is nearly used up.
    pub(super) fn of_machine(&mut self, memory: Option<MachineMemory>) -> Option<String> {
        let memory = memory.filter(|memory| memory.is_nearly_used_up())?;
        if self.of_machine {
            return None;
        }
        self.of_machine = true;
        let [available, total] = [memory.available, memory.total].map(MemorySize::of_bytes);
        Some(format!(
            "warning: only {available} of this machine's {total} of memory is left: engines may be slowed down or killed\nhelp: lower {HASH} or {CONCURRENCY}, or set {MAX_MEMORY}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_warning_comes_once() {
        let mut warnings = MemoryWarnings::default();
        let note = |engine| MemoryNote {
            engine,
            name: "big".into(),
            peak: "20G".parse().expect("a size"),
            hash: "16M".parse().expect("a size"),
        };
        let first = warnings.of_engine(&note(0)).expect("the first");
        assert!(first.contains("`big` has used 20G of memory; its `Hash` is 16M"));
        assert_eq!(warnings.of_engine(&note(0)), None);
        assert!(warnings.of_engine(&note(1)).is_some());

        let machine = |available| {
            Some(MachineMemory {
                total: 8 << 30,
                available,
            })
        };
        assert_eq!(warnings.of_machine(machine(4 << 30)), None);
        let first = warnings.of_machine(machine(300 << 20)).expect("the first");
        assert!(first.contains("only 300M of this machine's 8G"), "{first}");
        assert_eq!(warnings.of_machine(machine(200 << 20)), None);
        assert_eq!(warnings.of_machine(None), None);
    }
}
