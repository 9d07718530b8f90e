//! The other dumps of the same run: `out.PID`, `out.PID.N`, `out.PID-TID`, `out.PID.N-TID`.
//!
//! Names alone do not tell: `callgrind.out.17` may be part 17 of `callgrind.out`. The header decides, and a
//! sibling must be of the same process and command.

use lotse_model::bytes::Source;

use super::claim;
use super::header::{self, Header};
use crate::error::Place;
use crate::reading::Diagnostic;

/// Another dump of the same run.
#[derive(Debug)]
pub(super) struct Sibling {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

/// The siblings of a source; those that say nothing are told.
pub(super) fn gather(source: &dyn Source, diagnostics: &mut Vec<Diagnostic>) -> Vec<Sibling> {
    let mine = first_header(source.bytes());
    let name = file_name(source.name());
    let stem = stem(name, &mine);
    if mine.pid.is_none() {
        return Vec::new();
    }
    // A source that cannot list its neighbours has none.
    let mut names = source.siblings().unwrap_or_default();
    names.retain(|other| other != name && is_dump_of(other, stem));
    names.sort_by_key(|name| order(name, stem));
    let mut siblings = Vec::new();
    for other in names {
        match source.get(&other) {
            Ok(bytes) if bytes.is_empty() => {
                let message = format!("{other} is empty, as while a program runs; it is left out");
                diagnostics.push(Diagnostic::note(Place::Whole, message));
            }
            Ok(bytes) if belongs(&bytes, &mine) => siblings.push(Sibling { name: other, bytes }),
            Ok(_) => {}
            Err(error) => {
                let message = format!("{other} may be a part of the same run but cannot be read: {error}");
                diagnostics.push(Diagnostic::loss(Place::Whole, message));
            }
        }
    }
    siblings
}

/// Whether dump `left` comes before `right`, as the headers say.
pub(super) fn rank(bytes: &[u8]) -> (u64, u64) {
    let header = first_header(bytes);
    (header.part.unwrap_or(u64::MAX), header.thread.unwrap_or(0))
}

fn first_header(bytes: &[u8]) -> Header {
    // Headers are short; costs are not looked at.
    header::read(bytes, 0..bytes.len())
}

pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn belongs(bytes: &[u8], mine: &Header) -> bool {
    let other = first_header(bytes);
    claim::is_callgrind(bytes) && other.pid == mine.pid && other.command == mine.command
}

/// The name that all dumps of the run begin with.
fn stem<'a>(name: &'a str, header: &Header) -> &'a str {
    let name = without_thread(name);
    let Some((stem, number)) = name.rsplit_once('.') else { return name };
    let number: Option<u64> = number.parse().ok();
    if number.is_some() && number == header.part && number != header.pid { stem } else { name }
}

fn without_thread(name: &str) -> &str {
    name.rsplit_once('-').filter(|(_, thread)| is_number(thread)).map_or(name, |(stem, _)| stem)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_dump_of(name: &str, stem: &str) -> bool {
    let Some(rest) = without_thread(name).strip_prefix(stem) else { return false };
    rest.is_empty() || rest.strip_prefix('.').is_some_and(is_number)
}

/// Numbered dumps by number, the last one, which has none, at the end; then by thread.
fn order(name: &str, stem: &str) -> (u64, String) {
    let number = without_thread(name).strip_prefix(stem).and_then(|rest| rest.strip_prefix('.'));
    (number.and_then(|number| number.parse().ok()).unwrap_or(u64::MAX), name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Header, is_dump_of, stem};

    #[test]
    fn the_header_tells_what_a_number_is() {
        let header = |pid, part| Header { pid: Some(pid), part: Some(part), ..Header::default() };
        assert_eq!(stem("callgrind.out.17", &header(17, 1)), "callgrind.out.17");
        assert_eq!(stem("callgrind.out.17.3", &header(17, 3)), "callgrind.out.17");
        assert_eq!(stem("callgrind.out.17.3-02", &header(17, 3)), "callgrind.out.17");
        assert_eq!(stem("callgrind.out.17-02", &header(17, 3)), "callgrind.out.17");
        assert_eq!(stem("foo.3", &header(17, 3)), "foo");
        assert_eq!(stem("foo", &header(17, 3)), "foo");
    }

    #[test]
    fn dumps_have_numbers_and_threads_only() {
        for name in ["out.17", "out.17.1", "out.17-01", "out.17.12-03"] {
            assert!(is_dump_of(name, "out.17"), "{name}");
        }
        for name in ["out.171", "out.17.txt", "out.17.1.gz", "out.17-a", "out.18", "out.17."] {
            assert!(!is_dump_of(name, "out.17"), "{name}");
        }
    }
}
