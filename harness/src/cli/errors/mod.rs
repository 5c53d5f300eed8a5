//! Exit codes, and the text of errors.

pub(super) mod exit;
pub(super) mod key_place;
pub(super) mod usage;

use hone_base::diagnostic::Message;

/// The text of an error, `error: cannot <what>: <why>`, with its places and help; `what` could
/// not be done.
pub(in crate::cli) fn rendered(what: &str, error: &anyhow::Error) -> String {
    let message = Message::of(error.chain());
    if message.text.starts_with("cannot ") {
        format!("error: {message}")
    } else {
        format!("error: cannot {what}: {message}")
    }
}
