//! The accounts of the server.
//!
//! A client chooses the subject of the answers to its messages, and the server checks no
//! permission for it. In the account of the streams, an answer to a worker could thus purge a
//! stream, stop a run or overwrite a part of an engine. Therefore each credential of workers
//! has its own account: answers stay in it, and only the subjects that a worker needs are
//! exported to it.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::tokens::{SPARE_ACCOUNTS, Token, Tokens};
use crate::access::Role;
use crate::nats::{
    Permissions, has_several_answers, inboxes, submit_permissions, worker_permissions,
};

/// The account of the streams.
const STREAMS: &str = "HONE";

/// The account of the server's own events.
pub(super) const SYSTEM: &str = "SYSTEM";

/// Time for which the server waits for an answer before it forgets where to send it. Longer than
/// the time limits of a worker's requests.
const ANSWER: &str = "20s";

/// The accounts. `admin` is the public key of `hone fleet up` itself.
pub(super) fn accounts(admin: &str, tokens: &Tokens) -> Value {
    let now = Timestamp::now();
    let mut users = vec![json!({ "nkey": admin })];
    let submitters = tokens.valid().filter(|token| token.role == Role::Submit);
    users.extend(submitters.map(|token| user(token, &submit_permissions())));
    let mut accounts = Map::new();
    accounts.insert(
        STREAMS.to_string(),
        json!({ "jetstream": "enabled", "users": users, "exports": exports() }),
    );
    accounts.insert(SYSTEM.to_string(), json!({}));
    // The place of a credential among all that were ever made never changes, so neither does
    // its account.
    let workers = tokens
        .workers()
        .map(|token| {
            if token.is_valid(now) {
                of_worker(token)
            } else {
                json!({})
            }
        })
        .chain(std::iter::repeat_n(json!({}), SPARE_ACCOUNTS));
    for (place, account) in workers.enumerate() {
        accounts.insert(format!("WORKERS-{place}"), account);
    }
    Value::Object(accounts)
}

/// The account of a credential of workers.
fn of_worker(token: &Token) -> Value {
    let permissions = worker_permissions(token.name.as_str());
    let import = |kind: &str, subject| json!({ kind: { "account": STREAMS, "subject": subject } });
    let sent = permissions.publish.iter();
    let sent = sent.map(|subject| import("service", subject));
    let received = permissions.subscribe.iter();
    let received = received.map(|subject| import("stream", subject));
    json!({
        "users": [user(token, &permissions)],
        "imports": sent.chain(received).collect::<Vec<_>>(),
    })
}

/// What workers may use in the account of the streams.
fn exports() -> Vec<Value> {
    let Permissions { publish, subscribe } = worker_permissions("*");
    let services = publish.iter().map(|subject| {
        let answers = if has_several_answers(subject) {
            "stream"
        } else {
            "singleton"
        };
        json!({ "service": subject, "response_type": answers, "threshold": ANSWER })
    });
    let streams = subscribe.iter().map(|subject| json!({ "stream": subject }));
    services.chain(streams).collect()
}

fn user(token: &Token, permissions: &Permissions) -> Value {
    let mut subscribe = permissions.subscribe.clone();
    subscribe.push(inboxes(&token.name));
    json!({
        "nkey": token.public_key,
        "permissions": {
            "publish": { "allow": permissions.publish },
            "subscribe": { "allow": subscribe },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::name;
    use crate::server::Setup;

    /// The credentials of a server that was started once, with these workers.
    fn with_workers(folder: &std::path::Path, workers: &[&str]) -> Tokens {
        let mut tokens = Tokens::open(folder).expect("no file yet");
        let listen = "127.0.0.1:4222".parse().expect("an address");
        let setup = Setup {
            data: folder.to_path_buf(),
            listen,
            websocket: None,
            shared_credential: false,
            host: "localhost".to_string(),
        };
        tokens.describe_server(&setup, "00").expect("written");
        for worker in workers {
            let made = tokens.join(name(worker), Role::Worker, None, false);
            made.expect("a new name");
        }
        let made = tokens.join(name("owner"), Role::Submit, None, false);
        made.expect("a new name");
        tokens
    }

    #[test]
    fn each_credential_of_workers_keeps_its_own_account() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut tokens = with_workers(folder.path(), &["anna", "ben"]);
        let before = accounts("ADMIN", &tokens);
        let users = before["HONE"]["users"].as_array().expect("a list");
        assert_eq!(users.len(), 2, "the admin and the owner");
        let ben = &before["WORKERS-1"];
        assert_eq!(ben["users"].as_array().map(Vec::len), Some(1));
        let import = json!({ "service": { "account": "HONE", "subject": "hone.result.ben.*.*" } });
        assert!(ben["imports"].as_array().expect("a list").contains(&import));
        assert!(!ben.to_string().contains("anna"), "{ben}");
        tokens.revoke(&name("anna")).expect("revoked");
        let after = accounts("ADMIN", &tokens);
        assert_eq!(after["WORKERS-0"], json!({}));
        assert_eq!(after["WORKERS-1"], *ben);
    }

    #[test]
    fn every_import_has_an_export_of_its_kind() {
        let folder = tempfile::tempdir().expect("a folder");
        let tokens = with_workers(folder.path(), &["anna"]);
        let all = accounts("ADMIN", &tokens);
        let exported = all["HONE"]["exports"].as_array().expect("a list");
        let imports = all["WORKERS-0"]["imports"].as_array().expect("a list");
        assert_eq!(imports.len(), exported.len());
        for import in imports {
            let (kind, import) = import
                .as_object()
                .and_then(|map| map.iter().next())
                .expect("one");
            let subject = import["subject"].as_str().expect("a subject");
            let of_all = subject.replace("anna", "*");
            assert!(exported.iter().any(|one| one[kind] == of_all), "{subject}");
        }
    }
}
