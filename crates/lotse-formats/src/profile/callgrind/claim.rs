//! Whose file is it? Callgrind, cachegrind and xdebug write nearly the same; at most one of them claims a file.

use super::header::{self, Header};
use crate::recognise::Confidence;

/// The beginning that is looked at.
const LOOKED_AT: usize = 64 << 10;

/// Who wrote a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writer {
    Callgrind,
    Cachegrind,
    Xdebug,
}

/// How sure it is that the writer wrote it.
pub(crate) fn claim(bytes: &[u8], writer: Writer) -> Confidence {
    match writer_of(bytes) {
        Some((found, confidence)) if found == writer => confidence,
        _ => Confidence::No,
    }
}

/// Whether callgrind wrote it, or something that writes as callgrind does.
pub(super) fn is_callgrind(bytes: &[u8]) -> bool {
    claim(bytes, Writer::Callgrind) > Confidence::No
}

fn writer_of(bytes: &[u8]) -> Option<(Writer, Confidence)> {
    let start = &bytes[..bytes.len().min(LOOKED_AT)];
    let header = header::read(start, 0..start.len());
    let body = &start[header.body..];
    let creator = header.creator.as_deref().unwrap_or("");
    let version = header.version.as_deref().unwrap_or("");
    if creator.starts_with("xdebug") || version.starts_with("0.9") || is_php(&header, body) {
        return Some((Writer::Xdebug, Confidence::Certain));
    }
    if header.says_callgrind || creator.starts_with("callgrind") {
        return Some((Writer::Callgrind, Confidence::Certain));
    }
    if !header.has_events || !has_function(body) {
        return None;
    }
    if is_cachegrind(&header, body) {
        return Some((Writer::Cachegrind, Confidence::Certain));
    }
    Some((Writer::Callgrind, Confidence::Likely))
}

fn has_function(body: &[u8]) -> bool {
    lines(body).any(|line| line.starts_with(b"fn="))
}

fn is_php(header: &Header, body: &[u8]) -> bool {
    header.has_events && lines(body).any(|line| line.starts_with(b"f") && line.ends_with(b"php:internal"))
}

/// Cachegrind knows no numbers for names, no calls, no positions but lines.
fn is_cachegrind(header: &Header, body: &[u8]) -> bool {
    let keys: Vec<&str> = header.keys.iter().map(String::as_str).collect();
    let callgrind = |line: &[u8]| {
        line.starts_with(b"calls=")
            || line.starts_with(b"ob=")
            || line.get(2..4) == Some(b"=(") && numbered(line)
    };
    keys.contains(&"cmd")
        && keys.iter().all(|key| matches!(*key, "desc" | "cmd" | "events"))
        && body.starts_with(b"fl=")
        && !lines(body).any(callgrind)
}

fn numbered(line: &[u8]) -> bool {
    line.get(4).is_some_and(u8::is_ascii_digit)
}

fn lines(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    body.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use super::{Confidence, Writer, writer_of};

    #[test]
    fn one_writer_claims_a_file() {
        let of = |text: &str| writer_of(text.as_bytes());
        let callgrind = Some((Writer::Callgrind, Confidence::Certain));
        assert_eq!(of("# callgrind format\nevents: A\n"), callgrind);
        assert_eq!(of("version: 1\ncreator: callgrind-3.3\n"), callgrind);
        let likely = Some((Writer::Callgrind, Confidence::Likely));
        assert_eq!(of("events: A\nfi=~\nfn=a\n1 1\n"), likely);
        assert_eq!(of("cmd: x\nevents: A\nfl=a\nfn=a\n1 1\ncfn=b\ncalls=1 1\n1 1\n"), likely);
        let cachegrind = Some((Writer::Cachegrind, Confidence::Certain));
        assert_eq!(of("desc: I1 cache: 1\ncmd: x\nevents: Ir\nfl=a\nfn=b\n1 1\n"), cachegrind);
        assert_eq!(of("cmd: x\nevents: Ir\r\nfl=(below main)\r\nfn=b\r\n"), cachegrind);
        let xdebug = Some((Writer::Xdebug, Confidence::Certain));
        assert_eq!(of("version: 1\ncreator: xdebug 3.0.2 (PHP 7.4.14)\nevents: T\n"), xdebug);
        assert_eq!(of("version: 0.9.6\ncmd: a.php\npart: 1\n\nevents: Time\n\nfl=a\nfn=b\n"), xdebug);
        assert_eq!(of("events: Time\n\nfl=php:internal\nfn=php::strlen\n1 2\n"), xdebug);
        for other in ["", "\n", "a;b;c 1\n", "events: A\n", "{\"events\": 1}", "fn=a\n1 1\n"] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
