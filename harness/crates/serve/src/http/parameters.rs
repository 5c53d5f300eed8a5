//! The parameters of an API request: unknown or invalid ones are refused.

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
                Err(refused(StatusCode::BAD_REQUEST, &text))
            }
        }
    }
}
