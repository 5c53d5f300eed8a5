//! The parameters of an API request: unknown or invalid ones are refused with a plain message.

use axum::extract::{FromRequestParts, Query};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::guard::refused;

/// The parameters of a request.
pub(super) struct Parameters<T>(pub T);

/// The parameters of a path without parameters.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoParameters {}

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Parameters<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Response> {
        match Query::try_from_uri(&parts.uri) {
            Ok(Query(parameters)) => Ok(Self(parameters)),
            Err(rejection) => {
                let text = rejection.body_text();
                Err(refused(StatusCode::BAD_REQUEST, &in_plain_words(&text)))
            }
        }
    }
}

/// Text of axum before the name of a parameter and the message of serde.
const BEFORE: &str = "Failed to deserialize query string: ";

/// Messages of serde and of the standard library, and their replacements.
const WORDS: [(&str, &str); 7] = [
    ("unknown field", "unknown parameter"),
    (", there are no fields", ": this address has no parameters"),
    ("missing field", "missing parameter"),
    ("unknown variant", "unknown value"),
    (
        "number too large to fit in target type",
        "the number is too large",
    ),
    ("invalid digit found in string", "not a whole number"),
    (
        "cannot parse integer from empty string",
        "a number is missing",
    ),
];

/// The message of a refused query.
fn in_plain_words(text: &str) -> String {
    let mut text = text.strip_prefix(BEFORE).unwrap_or(text).to_string();
    for (theirs, ours) in WORDS {
        text = text.replace(theirs, ours);
    }
    match text.split_once(": ") {
        // The message names the parameter already.
        Some((name, why)) if why.contains(&format!("`{name}`")) => why.to_string(),
        Some((name, why)) if !name.contains('`') => {
            format!("the parameter `{name}` is not valid: {why}")
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index;

    fn refusal<T: DeserializeOwned>(query: &str) -> Option<String> {
        let address = format!("http://localhost/api?{query}");
        let parsed = Query::<T>::try_from_uri(&address.parse().expect("an address"));
        Some(in_plain_words(&parsed.err()?.body_text()))
    }

    #[test]
    fn a_query_is_refused_in_plain_words() {
        for (query, why) in [
            (
                "offset=99999999999999999999",
                "the parameter `offset` is not valid: the number is too large",
            ),
            (
                "offset=ten",
                "the parameter `offset` is not valid: not a whole number",
            ),
            (
                "result=foo",
                "the parameter `result` is not valid: expected `w`, `d`, `b`, `won:N` or \
                 `lost:N`, found `foo`",
            ),
        ] {
            assert_eq!(refusal::<index::Query>(query).as_deref(), Some(why));
        }
        let unknown = refusal::<index::Query>("x=1").expect("refused");
        assert!(
            unknown.starts_with("unknown parameter `x`, expected"),
            "{unknown}"
        );
        for query in ["result=", "result=won:", "result=won:-1", "result=drawn:1"] {
            assert!(refusal::<index::Query>(query).is_some(), "{query}");
        }
        for query in ["offset=10", "result=d", "result=lost:1"] {
            assert_eq!(refusal::<index::Query>(query), None);
        }
        assert_eq!(refusal::<NoParameters>(""), None);
        assert_eq!(
            refusal::<NoParameters>("state=x").as_deref(),
            Some("unknown parameter `state`: this address has no parameters")
        );
    }
}
