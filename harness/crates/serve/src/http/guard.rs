//! Checks every request and sets the headers of every answer, so that scripts of other sites
//! cannot use these pages. `act` checks the token of an action, because it also logs actions
//! without a valid one.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, HeaderValue, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::listen::HEAD_BYTES;
use super::state::Shared;

/// Content security policy: only scripts and styles of this server, and no frames on other
/// sites. Charts need inline styles, which cannot load anything. The search of finished runs is
/// a form to this server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      style-src-attr 'unsafe-inline'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Header of browsers about the origin of a request.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// Accepts requests of this server's pages, of programs and of people.
pub(super) async fn check(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let mut answer = if head_bytes(&request) > HEAD_BYTES {
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        refused(status, "the head of the request is larger than 32 kB")
    } else if let Some(reason) = refusal(request.headers(), &shared.hosts) {
        refused(StatusCode::FORBIDDEN, reason)
    } else {
        next.run(request).await
    };
    let headers = answer.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    answer
}

/// Size of the head of a request: the reader of the connection may take in more than its
/// buffer at once.
fn head_bytes(request: &Request) -> usize {
    let address = request.uri().to_string().len();
    let line_ends = ": \r\n".len();
    let headers = request.headers().iter().map(|(name, value)| {
        let text = name.as_str().len().saturating_add(value.len());
        text.saturating_add(line_ends)
    });
    headers.fold(address, usize::saturating_add)
}

/// The reason why a request is refused.
fn refusal(headers: &HeaderMap, hosts: &[String]) -> Option<&'static str> {
    let text = |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or(""));
    let Some(host) = text(&HOST) else {
        return Some("the request has no `Host` header");
    };
    if headers.get_all(HOST).iter().count() > 1 {
        return Some("the request has several `Host` headers");
    }
    // DNS rebinding: any site can resolve its name to the address of this machine.
    if !is_known(host, hosts) {
        return Some("this host name is not served; `hone serve --host NAME` allows it");
    }
    let has_other_origin = text(&ORIGIN).is_some_and(|origin| {
        origin != format!("http://{host}") && origin != format!("https://{host}")
    });
    let is_foreign =
        matches!(text(&FETCH_SITE), Some(site) if !["same-origin", "none"].contains(&site));
    // From other sites, only a link that a person follows is accepted.
    let is_link = text(&FETCH_MODE) == Some("navigate");
    (has_other_origin || is_foreign && !is_link).then_some("requests from other sites are refused")
}

/// Whether a host is an address, this machine, or a name that was allowed.
fn is_known(host: &str, hosts: &[String]) -> bool {
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split_once(']').is_some_and(|(address, port)| {
            let port = port.strip_prefix(':').or(port.is_empty().then_some("0"));
            address.parse::<std::net::Ipv6Addr>().is_ok() && port.is_some_and(is_port)
        });
    }
    let (name, port) = host.split_once(':').unwrap_or((host, "0"));
    let is_name = name.parse::<std::net::Ipv4Addr>().is_ok()
        || name.eq_ignore_ascii_case("localhost")
        || hosts.iter().any(|known| known.eq_ignore_ascii_case(name));
    is_name && is_port(port)
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok()
}

/// A refusal, as text.
pub(super) fn refused(status: StatusCode, message: &str) -> Response<Body> {
    (status, format!("{message}\n")).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refuses(headers: &[(&'static str, &str)]) -> bool {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().expect("a value"));
        }
        refusal(&map, &["my-machine".to_string()]).is_some()
    }

    #[test]
    fn only_this_machine_is_a_host() {
        for host in [
            "127.0.0.1:80",
            "localhost",
            "LocalHost:8017",
            "[::1]:8017",
            "10.0.0.7",
            "my-machine:1",
        ] {
            assert!(!refuses(&[("host", host)]), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:8017",
            "127.0.0.1.evil.example",
            "[evil]",
            "",
            "localhost:80, evil.example",
            "localhost, evil.example",
            "localhost:80:evil.example",
            "localhost:",
            "localhost:+80",
            "[::1]evil.example",
            "[::1]:80, evil.example",
        ] {
            assert!(refuses(&[("host", host)]), "{host}");
        }
        assert!(refuses(&[]));
        assert!(refuses(&[("host", "localhost"), ("host", "localhost")]));
    }

    #[test]
    fn a_long_head_is_counted_whole() {
        let request = |length: usize| {
            let builder = Request::builder().uri("/").header("host", "localhost");
            let builder = builder.header("x", "y".repeat(length));
            builder.body(Body::empty()).expect("a request")
        };
        assert!(head_bytes(&request(30_000)) <= HEAD_BYTES);
        assert!(head_bytes(&request(40_000)) > HEAD_BYTES);
    }

    #[test]
    fn other_sites_are_refused() {
        let host = ("host", "localhost:1");
        assert!(!refuses(&[host, ("origin", "http://localhost:1")]));
        assert!(refuses(&[host, ("origin", "http://localhost:2")]));
        assert!(refuses(&[host, ("origin", "null")]));
        assert!(!refuses(&[host, ("sec-fetch-site", "same-origin")]));
        assert!(refuses(&[host, ("sec-fetch-site", "cross-site")]));
        assert!(refuses(&[
            host,
            ("sec-fetch-site", "same-site"),
            ("sec-fetch-mode", "no-cors")
        ]));
        let link = [
            host,
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
        ];
        assert!(!refuses(&link));
    }
}
