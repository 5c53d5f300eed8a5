/// A logical processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Processor {
    /// As the system numbers it.
    pub id: usize,
    pub package: usize,
    /// Within its package.
    pub core: usize,
}
