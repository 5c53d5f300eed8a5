//! The parameters of another tuner that `import` in `[tune]` names.

use hone_base::diagnostic::{Advise, Diagnostic};
use hone_base::platform::read_text;
use hone_experiment::tune::param::Param;
use hone_experiment::tune::{TuneSection, import};

/// Reads the list, if the section names one.
///
/// # Errors
/// Names the file and what is wrong with it.
pub fn imported(section: &TuneSection) -> anyhow::Result<Vec<Param>> {
    let Some(path) = &section.import else {
        return Ok(vec![]);
    };
    let read = || anyhow::Ok(import::parse(&read_text(path)?)?);
    read().diagnosed(|| {
        let file = format!("[tune] import {}", path.display());
        Diagnostic::new(file).key(&["tune", "import"])
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use hone_base::text::with_causes;

    #[test]
    fn a_list_that_cannot_be_read_is_named_with_the_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("list");
        let section = TuneSection {
            import: Some(path.clone()),
            ..TuneSection::default()
        };
        let error = || with_causes(&imported(&section).expect_err("refused"));
        let place = format!("[tune] import {}: ", path.display());
        assert!(error().starts_with(&place), "{}", error());
        fs::write(&path, "A, int, many, 0, 9, 1, 0.002\n").expect("written");
        let reason = "line 1: `many` is not a number; the value must be one";
        assert_eq!(error(), place + reason);
        fs::write(&path, "A, int, 3, 0, 9, 1, 0.002\n").expect("written");
        assert_eq!(imported(&section).expect("a list")[0].name, "A");
        assert_eq!(imported(&TuneSection::default()).expect("none"), []);
    }
}
