/// A logical processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Processor {
    /// The number that the system uses for it.
    pub id: usize,
    pub package: usize,
    /// Number of the physical core, unique within its package.
    pub core: usize,
}
