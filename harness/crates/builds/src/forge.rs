//! Web pages of commits on hosts whose URL scheme is known.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

/// A repository on a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forge {
    /// `https://host/owner/name`.
    address: String,
    /// The path component that GitLab has before the kind of a page.
    infix: &'static str,
}

impl Forge {
    /// The repository of a remote's URL; `None` for an unknown host.
    pub fn of(remote: &str) -> Option<Self> {
        let remote = remote.trim().trim_end_matches('/');
        let remote = remote.strip_suffix(".git").unwrap_or(remote);
        let (host, path) = match remote.split_once("://") {
            Some(("https" | "http" | "ssh" | "git", rest)) => rest.split_once('/')?,
            Some(_) => return None,
            // `git@host:owner/name`
            None => remote.split_once(':')?,
        };
        // A user name or token before the host is not part of the address.
        let host = host.rsplit('@').next()?;
        let host = host.split(':').next()?;
        let infix = match host {
            "github.com" | "codeberg.org" => "",
            host if host.starts_with("gitlab.") => "-/",
            _ => return None,
        };
        let is_plain = |text: &str, marks: &str| {
            let mut chars = text.chars();
            chars.all(|c| c.is_ascii_alphanumeric() || marks.contains(c))
        };
        let is_address = is_plain(host, "-.") && is_plain(path, "-._~/") && path.contains('/');
        is_address.then(|| Self {
            address: format!("https://{host}/{path}"),
            infix,
        })
    }

    /// The page of a commit.
    pub fn commit(&self, id: &str) -> String {
        format!("{}/{}commit/{id}", self.address, self.infix)
    }

    /// The page that compares two commits.
    pub fn diff(&self, from: &str, to: &str) -> String {
        format!("{}/{}compare/{from}...{to}", self.address, self.infix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_a_remote_are_one_repository() {
        for remote in [
            "https://github.com/owner/engine.git",
            "https://name:token@github.com/owner/engine",
            "git@github.com:owner/engine.git",
            "ssh://git@github.com:22/owner/engine/",
        ] {
            let forge = Forge::of(remote).expect(remote);
            assert_eq!(
                forge.commit("abc"),
                "https://github.com/owner/engine/commit/abc"
            );
        }
        let forge = Forge::of("git@gitlab.com:group/sub/engine.git").expect("known");
        assert_eq!(
            forge.diff("a", "b"),
            "https://gitlab.com/group/sub/engine/-/compare/a...b"
        );
    }

    #[test]
    fn other_remotes_have_no_pages() {
        for remote in [
            "/srv/engine.git",
            "file:///srv/engine",
            "user@host:engine.git",
            "https://github.com/owner",
            "https://github.com/owner/\"onload=",
            "https://gitlab.\"onload=/owner/engine",
            "https://gitlab.org\n/owner/engine",
            "",
        ] {
            assert_eq!(Forge::of(remote), None, "{remote}");
        }
    }
}
