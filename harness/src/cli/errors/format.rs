//! The format of errors: `error: cannot <do what>: <why>`, then the places
//! (`  --> file:line:column`) and help (`help: …`).

use hone_base::diagnostic::Message;

/// The text of an error; `what` could not be done.
pub(in crate::cli) fn rendered(what: &str, error: &anyhow::Error) -> String {
    let message = Message::of(error.chain());
    if message.text.starts_with("cannot ") {
        format!("error: {message}")
    } else {
        format!("error: cannot {what}: {message}")
    }
}
