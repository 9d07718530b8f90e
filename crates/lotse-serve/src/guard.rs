//! Which requests are refused before anything looks at them.
//!
//! The server listens on the loopback interface only, but every page in the user's browser can send requests there. So a request
//! must name a loopback host (a foreign name that resolves to 127.0.0.1 is the attack called DNS rebinding), must not come from
//! another origin, and must know the token.

use axum::http::{HeaderMap, Method, StatusCode, header};

use crate::token::Token;

/// The header with the token.
pub const TOKEN_HEADER: &str = "x-lotse-token";

/// Whether a request may be answered; else the status of the refusal and its reason.
pub fn check(method: &Method, path: &str, headers: &HeaderMap, token: &Token) -> Result<(), Refusal> {
    let host = text(headers, header::HOST.as_str()).filter(|host| is_loopback(host));
    let host = host.ok_or(Refusal::host())?;
    check_origin(headers, host)?;
    if !path.starts_with("/api/") {
        return match *method {
            Method::GET | Method::HEAD => Ok(()),
            _ => Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "only GET")),
        };
    }
    let given = headers.get(TOKEN_HEADER).map_or(&b""[..], |value| value.as_bytes());
    if !token.matches(given) {
        return Err(Refusal::new(StatusCode::UNAUTHORIZED, "the token is missing or wrong"));
    }
    if *method == Method::POST && !is_json(headers) {
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "only application/json"));
    }
    Ok(())
}

/// A refused request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    pub status: StatusCode,
    pub reason: &'static str,
}

impl Refusal {
    fn new(status: StatusCode, reason: &'static str) -> Self {
        Self { status, reason }
    }

    fn host() -> Self {
        Self::new(StatusCode::MISDIRECTED_REQUEST, "this server answers to localhost only")
    }
}

/// The origin, if there is one, must be this server, and the browser must not call the request cross-site.
fn check_origin(headers: &HeaderMap, host: &str) -> Result<(), Refusal> {
    let refused = Refusal::new(StatusCode::FORBIDDEN, "the request comes from another page");
    if headers.contains_key(header::ORIGIN) {
        let origin = text(headers, header::ORIGIN.as_str()).and_then(|it| it.strip_prefix("http://"));
        if origin.is_none_or(|origin| !origin.eq_ignore_ascii_case(host)) {
            return Err(refused);
        }
    }
    match text(headers, "sec-fetch-site") {
        None if headers.contains_key("sec-fetch-site") => Err(refused),
        Some("cross-site" | "same-site") => Err(refused),
        _ => Ok(()),
    }
}

/// The only value of a header; `None` if there is none, if there are several, or if it is not plain text.
fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    values.next().is_none().then(|| first.to_str().ok()).flatten()
}

/// Whether a host with any port, as tunnels change ports, is this machine.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix("[::1]") {
        Some(rest) => return rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port),
        None => host.split_once(':').map_or(Some(host), |(name, port)| is_port(port).then_some(name)),
    };
    name.is_some_and(|name| name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost"))
}

fn is_port(text: &str) -> bool {
    (1..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = text(headers, header::CONTENT_TYPE.as_str());
    kind.and_then(|kind| kind.split(';').next()).is_some_and(|kind| kind.trim() == "application/json")
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};

    use super::{check, is_loopback};
    use crate::token::Token;

    #[test]
    fn only_loopback_names_are_hosts() {
        for good in ["127.0.0.1", "127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]", "[::1]:65535"] {
            assert!(is_loopback(good), "{good}");
        }
        for bad in [
            "",
            "evil.com",
            "127.0.0.1.evil.com",
            "localhost.evil.com",
            "0.0.0.0",
            "0.0.0.0:80",
            "127.0.0.1:",
            "127.0.0.1:80@evil.com",
            "localhost:80:80",
            "[::1]x",
            "[::1]:x",
            "[::]",
            "::1",
            "127.1",
            "2130706433",
            "localhost.",
            "127.0.0.1:123456",
        ] {
            assert!(!is_loopback(bad), "{bad}");
        }
    }

    fn status(method: Method, path: &str, headers: &[(&str, &str)]) -> u16 {
        let token = Token::random().unwrap();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let value = if *value == "TOKEN" { token.as_str() } else { value };
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            map.append(name, HeaderValue::from_str(value).unwrap());
        }
        check(&method, path, &map, &token).map_or_else(|refusal| refusal.status.as_u16(), |()| 200)
    }

    #[test]
    fn pages_of_others_are_refused() {
        let host = ("host", "127.0.0.1:9");
        for (headers, expected) in [
            (vec![host], 200),
            (vec![host, ("origin", "http://127.0.0.1:9")], 200),
            (vec![host, ("origin", "http://127.0.0.1:10")], 403),
            (vec![host, ("origin", "https://127.0.0.1:9")], 403),
            (vec![host, ("origin", "null")], 403),
            (vec![host, ("origin", "http://127.0.0.1:9"), ("origin", "http://evil.com")], 403),
            (vec![host, ("sec-fetch-site", "same-origin")], 200),
            (vec![host, ("sec-fetch-site", "none")], 200),
            (vec![host, ("sec-fetch-site", "same-site")], 403),
            (vec![host, ("sec-fetch-site", "cross-site")], 403),
            (vec![("host", "evil.com")], 421),
            (vec![host, ("host", "evil.com")], 421),
            (vec![], 421),
        ] {
            assert_eq!(status(Method::GET, "/", &headers), expected, "{headers:?}");
        }
        assert_eq!(status(Method::POST, "/", &[host]), 405);
    }

    #[test]
    fn questions_need_the_token_and_json() {
        let host = ("host", "localhost:9");
        for (method, headers, expected) in [
            (Method::GET, vec![host], 401),
            (Method::GET, vec![host, ("x-lotse-token", "")], 401),
            (Method::GET, vec![host, ("x-lotse-token", "TOKEN")], 200),
            (Method::POST, vec![host, ("x-lotse-token", "TOKEN")], 415),
            (Method::POST, vec![host, ("x-lotse-token", "TOKEN"), ("content-type", "text/plain")], 415),
            (
                Method::POST,
                vec![host, ("x-lotse-token", "TOKEN"), ("content-type", "application/json; charset=utf-8")],
                200,
            ),
        ] {
            assert_eq!(status(method, "/api/ask", &headers), expected, "{headers:?}");
        }
    }
}
