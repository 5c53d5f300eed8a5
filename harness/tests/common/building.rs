//! Builds of an engine's repository by the library. Not a module of `common`: the tests
//! that only start the program are linked without the library.

use hone_builds::{BuildError, Builder, Built, Cache, Recipe, Revision};

use crate::common::repository::EngineRepository;

impl EngineRepository {
    /// How to build the engine of a commit.
    pub(crate) fn recipe(&self, rev: &str, build: &str, cmd: &str) -> Recipe {
        Recipe {
            repository: self.path(),
            revision: Revision::Commit(rev.to_string()),
            build: Some(build.to_string()),
            cmd: cmd.to_string(),
        }
    }

    /// Builds in the test's own cache.
    pub(crate) fn build(&self, recipe: &Recipe) -> Result<Built, BuildError> {
        Builder::with_cache(Cache::at(&self.cache())).build(recipe, &mut |_| {})
    }
}
