//! Permissions that the server denies a credential.

use async_nats::Event;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::link::LinkError;
use hone_base::diagnostic::Diagnostic;

/// Whether the server denies the credential a permission.
pub(super) fn is_denial(event: &Event) -> bool {
    let text = event.to_string().to_lowercase();
    text.contains("permissions violation")
}

/// Whether a denial is about one of these subjects.
pub(super) fn is_about(denial: &Event, subjects: &[&str]) -> bool {
    let text = denial.to_string();
    let mut subjects = subjects.iter();
    subjects.any(|subject| text.contains(&format!("\"{subject}\"")))
}

/// The next denial; other events are logged. Waits forever if none comes. Cancel safe.
pub(super) async fn next(events: &mut UnboundedReceiver<Event>) -> Event {
    loop {
        match events.recv().await {
            None => std::future::pending().await,
            Some(event) if is_denial(&event) => return event,
            Some(event) => tracing::info!("{event}"),
        }
    }
}

/// The denials that have arrived.
pub(super) fn arrived(events: &mut UnboundedReceiver<Event>) -> impl Iterator<Item = Event> {
    std::iter::from_fn(|| events.try_recv().ok()).filter(is_denial)
}

/// The error of a credential that lacks a permission of the role `submit`.
pub(super) fn error(denial: &Event) -> LinkError {
    let what = format!("the server does not let this credential do what a run needs: {denial}");
    let help = "`hone fleet invite NAME --role submit` makes a credential for runs; \
                in a `fleet.toml`, `name` must be the name of the credential";
    Diagnostic::new(what).help(help).into()
}

#[cfg(test)]
mod tests {
    use async_nats::ServerError;

    use super::*;

    #[test]
    fn a_denial_names_its_subject() {
        let text = "Permissions Violation for Publish to \"hone.ask-runs\"";
        let denial = Event::ServerError(ServerError::Other(text.to_string()));
        assert!(is_denial(&denial) && !is_denial(&Event::Connected));
        assert!(is_about(&denial, &["hone.run.*", "hone.ask-runs"]));
        assert!(!is_about(&denial, &["hone.ask"]));
    }
}
