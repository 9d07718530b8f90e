//! Which program wrote a file. Callgrind, cachegrind and xdebug write nearly the same syntax; at most one claims a file.

use super::header::{self, CallgrindHeader};
use crate::format::Confidence;

/// How many bytes at the start of a file are examined.
const EXAMINED: usize = 64 << 10;

/// The program that wrote a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writer {
    Callgrind,
    Cachegrind,
    Xdebug,
}

/// How likely it is that `writer` wrote the bytes.
pub(crate) fn claim(bytes: &[u8], writer: Writer) -> Confidence {
    match writer_of(bytes) {
        Some((found, confidence)) if found == writer => confidence,
        _ => Confidence::No,
    }
}

/// Whether callgrind wrote the bytes, or something that writes the same dialect.
pub(super) fn is_callgrind(bytes: &[u8]) -> bool {
    claim(bytes, Writer::Callgrind) > Confidence::No
}

/// Finds the writer: by what the header says of it, else, where there are event types and functions, by which syntax
/// the file uses.
fn writer_of(bytes: &[u8]) -> Option<(Writer, Confidence)> {
    let start = &bytes[..bytes.len().min(EXAMINED)];
    let header = header::read(start, 0..start.len());
    let body = &start[header.body..];
    let creator = header.creator.as_deref().unwrap_or("");
    let version = header.version.as_deref().unwrap_or("");
    if creator.starts_with("xdebug") || version.starts_with("0.9") || is_php(&header, body) {
        return Some((Writer::Xdebug, Confidence::Certain));
    }
    if header.has_callgrind_mark || creator.starts_with("callgrind") {
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

fn is_php(header: &CallgrindHeader, body: &[u8]) -> bool {
    header.has_events && lines(body).any(|line| line.starts_with(b"f") && line.ends_with(b"php:internal"))
}

/// Whether the file has only what cachegrind writes: no numbers for names, no calls, no objects, few header keys.
fn is_cachegrind(header: &CallgrindHeader, body: &[u8]) -> bool {
    let keys: Vec<&str> = header.keys.iter().map(String::as_str).collect();
    let is_callgrind_only = |line: &[u8]| {
        line.starts_with(b"calls=")
            || line.starts_with(b"ob=")
            || line.get(2..4) == Some(b"=(") && has_number(line)
    };
    keys.contains(&"cmd")
        && keys.iter().all(|key| matches!(*key, "desc" | "cmd" | "events"))
        && body.starts_with(b"fl=")
        && !lines(body).any(is_callgrind_only)
}

fn has_number(line: &[u8]) -> bool {
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
        let writer = |text: &str| writer_of(text.as_bytes());
        let callgrind = Some((Writer::Callgrind, Confidence::Certain));
        assert_eq!(writer("# callgrind format\nevents: A\n"), callgrind);
        assert_eq!(writer("version: 1\ncreator: callgrind-3.3\n"), callgrind);
        let likely = Some((Writer::Callgrind, Confidence::Likely));
        assert_eq!(writer("events: A\nfi=~\nfn=a\n1 1\n"), likely);
        assert_eq!(writer("cmd: x\nevents: A\nfl=a\nfn=a\n1 1\ncfn=b\ncalls=1 1\n1 1\n"), likely);
        let cachegrind = Some((Writer::Cachegrind, Confidence::Certain));
        assert_eq!(writer("desc: I1 cache: 1\ncmd: x\nevents: Ir\nfl=a\nfn=b\n1 1\n"), cachegrind);
        assert_eq!(writer("cmd: x\nevents: Ir\r\nfl=(below main)\r\nfn=b\r\n"), cachegrind);
        let xdebug = Some((Writer::Xdebug, Confidence::Certain));
        assert_eq!(writer("version: 1\ncreator: xdebug 3.0.2 (PHP 7.4.14)\nevents: T\n"), xdebug);
        assert_eq!(writer("version: 0.9.6\ncmd: a.php\npart: 1\n\nevents: Time\n\nfl=a\nfn=b\n"), xdebug);
        assert_eq!(writer("events: Time\n\nfl=php:internal\nfn=php::strlen\n1 2\n"), xdebug);
        for other in ["", "\n", "a;b;c 1\n", "events: A\n", "{\"events\": 1}", "fn=a\n1 1\n"] {
            assert_eq!(writer(other), None, "{other}");
        }
    }
}
