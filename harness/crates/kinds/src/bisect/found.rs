//! The result of a bisection, for its row in the list of runs.

use super::facts::{BisectVerdict, Suspect, verdict};
use hone_experiment::bisect::BisectExperiment;
use hone_run::Manifest;

/// The culprit, or that nothing changed; `None` before that.
pub(super) fn found(manifest: &Manifest, experiment: &BisectExperiment) -> Option<String> {
    let commits = experiment.found().commits;
    let commits = commits.map(|number| Suspect::of(&manifest.engines[number]));
    words(verdict(experiment), &commits.collect::<Vec<_>>())
}

fn words(verdict: BisectVerdict, likeliest: &[Suspect]) -> Option<String> {
    let names: Vec<String> = likeliest.iter().map(Suspect::describe).collect();
    match (verdict, names.as_slice()) {
        (BisectVerdict::Found, [one]) => Some(format!("culprit: {one}")),
        (BisectVerdict::Found, several) => Some(format!("culprit: one of {}", several.join(", "))),
        (BisectVerdict::NoChange, _) => Some("no commit changed the strength".to_string()),
        (BisectVerdict::None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bisection_names_what_it_has_found() {
        let commit = |id: &str| Suspect {
            commit: id.to_string(),
            subject: "Faster".to_string(),
            author: None,
            date: None,
            probability: None,
            failures: None,
        };
        let both = ["0123456789", "abcdefabcd"].map(commit);
        let [one, _] = &both;
        let single = words(BisectVerdict::Found, &both[..1]).expect("found");
        assert_eq!(single, format!("culprit: {}", one.describe()));
        assert!(single.starts_with("culprit: 0123"), "{single}");
        assert!(single.ends_with(" (Faster)"), "{single}");
        let several = words(BisectVerdict::Found, &both).expect("found");
        assert!(several.starts_with("culprit: one of 0123"), "{several}");
        let none = words(BisectVerdict::NoChange, &both[..1]);
        assert_eq!(none.as_deref(), Some("no commit changed the strength"));
        assert_eq!(words(BisectVerdict::None, &both), None);
    }
}
