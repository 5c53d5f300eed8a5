//! The opponents of a night's build.

use super::Role;

/// An opponent of a night's build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Opponent {
    pub commit: String,
    pub role: Role,
}

/// The opponents of a commit. A build with several roles is listed once, with the first of
/// anchor, previous nightly, release. The commit's own build is left out.
pub(super) fn opponents(
    commit: &str,
    anchor: &str,
    previous: Option<&str>,
    release: Option<&str>,
) -> Vec<Opponent> {
    let wanted = [
        (Some(anchor), Role::Anchor),
        (previous, Role::Previous),
        (release, Role::Release),
    ];
    let mut opponents: Vec<Opponent> = Vec::new();
    for (opponent, role) in wanted {
        if let Some(opponent) = opponent
            && opponent != commit
            && opponents.iter().all(|known| known.commit != opponent)
        {
            opponents.push(Opponent {
                commit: opponent.to_string(),
                role,
            });
        }
    }
    opponents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_build_is_played_once_and_none_plays_itself() {
        let roles = |commit, previous, release| -> Vec<(String, Role)> {
            let opponents = opponents(commit, "a", previous, release);
            opponents.into_iter().map(|o| (o.commit, o.role)).collect()
        };
        let named = |list: &[(&str, Role)]| -> Vec<(String, Role)> {
            list.iter().map(|(c, r)| ((*c).to_string(), *r)).collect()
        };
        assert_eq!(
            roles("d", Some("c"), Some("b")),
            named(&[
                ("a", Role::Anchor),
                ("c", Role::Previous),
                ("b", Role::Release)
            ])
        );
        assert_eq!(roles("b", Some("a"), None), named(&[("a", Role::Anchor)]));
        assert_eq!(
            roles("c", Some("b"), Some("b")),
            named(&[("a", Role::Anchor), ("b", Role::Previous)])
        );
        assert_eq!(roles("a", None, Some("a")), []);
    }
}
