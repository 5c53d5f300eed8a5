//! The pages: what stands on them, in parts.

mod change;
mod finished;
#[cfg(feature = "fleet")]
mod fleet;
mod frame;
mod overview;
mod run;
mod search;
mod submit;

pub(super) use change::change;
pub(super) use finished::finished_page;
#[cfg(feature = "fleet")]
pub(super) use fleet::fleet_parts;
pub(super) use frame::{Site, document, not_found, offline, still as plain};
pub(super) use overview::overview_parts;
pub(super) use run::{Beside, nights_parts, run_parts};
pub(super) use search::Search;
pub(super) use submit::submit_page;

/// The address of a run's page. Every name of a folder can stand in it.
pub(super) fn run_href(run: &str) -> String {
    let mut href = String::from("/runs/");
    for byte in run.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            href.push(char::from(byte));
        } else {
            href += &format!("%{byte:02X}");
        }
    }
    href
}

#[cfg(test)]
mod tests {
    use super::run_href;

    #[test]
    fn any_name_can_stand_in_an_address() {
        assert_eq!(run_href("a~b-1.5+0.1"), "/runs/a~b-1.5%2B0.1");
        assert_eq!(run_href("\"><ü/.."), "/runs/%22%3E%3C%C3%BC%2F..");
    }
}
