//! The other dumps of the same run: `out.PID`, `out.PID.N`, `out.PID-TID`, `out.PID.N-TID`.
//!
//! Names alone are ambiguous: `callgrind.out.17` may be part 17 of `callgrind.out`. The header decides, and a sibling
//! must be of the same process and command.
//!
//! The file named on the command line of valgrind is empty where each thread has its own file, and while the program
//! runs. The profile then consists of its siblings.
//!
//! The name without a number stands for the run: all its dumps count. The name of one dump or of one thread stands
//! for that file: the others are read, so that `--parts` can select them, but do not count unless the user named them too.

use std::io;

use lotse_model::bytes::Source;

use super::claim;
use super::header::{self, CallgrindHeader};
use crate::error::Place;
use crate::reading::Diagnostic;

/// Another dump of the same run.
#[derive(Debug)]
pub(super) struct Sibling {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// Whether it counts unless the user selects parts.
    pub(super) counted: bool,
}

/// The run that a dump belongs to. Files of one folder with the same run are parts of one profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DumpRun {
    stem: String,
    pid: Option<u64>,
    command: Option<String>,
}

impl DumpRun {
    /// The run of a file; `None` if it is no dump of callgrind.
    pub fn of(source: &dyn Source) -> Option<Self> {
        let name = file_name(source.name());
        if source.bytes().is_empty() {
            return run_of_empty(source).map(|header| Self::new(name, header));
        }
        let header = claim::is_callgrind(source.bytes()).then(|| first_header(source.bytes()))?;
        header.pid?;
        Some(Self::new(stem(name, &header), header))
    }

    fn new(stem: &str, header: CallgrindHeader) -> Self {
        Self { stem: stem.to_owned(), pid: header.pid, command: header.command }
    }

    /// The name that stands for the whole run.
    pub fn name(&self) -> &str {
        &self.stem
    }
}

/// The siblings of a source; a note for the user names those that count and those that do not.
pub(super) fn gather(source: &dyn Source, diagnostics: &mut Vec<Diagnostic>) -> Vec<Sibling> {
    let name = file_name(source.name());
    if source.bytes().is_empty() {
        let Some(run) = run_of_empty(source) else { return Vec::new() };
        let dumps = others(source, name, &run, diagnostics);
        let message = format!(
            "{name} is empty, as {WHEN_EMPTY}; what is read are the files of the run beside it: {}; to read one \
             alone, name it or choose with --parts",
            listed(&dumps)
        );
        diagnostics.push(Diagnostic::note(Place::Whole, message));
        return dumps;
    }
    let mine = first_header(source.bytes());
    if mine.pid.is_none() {
        return Vec::new();
    }
    let stem = stem(name, &mine);
    let dumps = others(source, stem, &mine, diagnostics);
    if !dumps.is_empty() {
        diagnostics.push(Diagnostic::note(Place::Whole, note(&dumps, name, stem)));
    }
    dumps
}

/// Which files count, and how to select others, for the user.
fn note(dumps: &[Sibling], name: &str, stem: &str) -> String {
    let (counted, rest): (Vec<&Sibling>, Vec<&Sibling>) = dumps.iter().partition(|it| it.counted);
    let files = |count: usize| if count == 1 { "file" } else { "files" };
    if rest.is_empty() {
        let count = counted.len();
        return format!(
            "{count} more {} of the same run {} added up with it: {}; to read one alone, name it \
             with its number, or choose with --parts",
            files(count),
            if count == 1 { "is" } else { "are" },
            listed(counted)
        );
    }
    let base = match rest.iter().any(|it| it.name == stem) {
        true => format!("name {stem} or use --parts all to read the whole run"),
        false => "use --parts all to read the whole run".to_owned(),
    };
    let count = rest.len();
    let counting = match counted.len() {
        0 => format!("only {name} counts"),
        _ => format!("{name} and {} count", listed(counted)),
    };
    format!("{counting}, not the {count} other {} of the same run: {}; {base}", files(count), listed(rest))
}

/// Up to this many names are listed.
const LISTED: usize = 4;

fn listed<'s>(siblings: impl IntoIterator<Item = &'s Sibling>) -> String {
    let siblings: Vec<&Sibling> = siblings.into_iter().collect();
    let names: Vec<&str> = siblings.iter().take(LISTED).map(|it| it.name.as_str()).collect();
    let more = if siblings.len() > LISTED { ", …" } else { "" };
    format!("{}{more}", names.join(", "))
}

/// Whether a source is empty and there are dumps beside it to be read instead.
pub(super) fn is_replaced_by_siblings(source: &dyn Source) -> bool {
    source.bytes().is_empty() && run_of_empty(source).is_some()
}

/// When callgrind leaves a file empty, for messages.
const WHEN_EMPTY: &str = "while a program runs, or where its threads have files of their own";

/// The header of the run to which an empty file belongs: that of the last dumps, which have no number.
fn run_of_empty(source: &dyn Source) -> Option<CallgrindHeader> {
    let stem = file_name(source.name());
    let mut names = names(source, stem).ok()?;
    names.sort_by_key(|name| (without_thread(name) != stem, order(name, stem)));
    let dumps = names.iter().filter_map(|name| source.get(name).ok());
    dumps.filter(|bytes| claim::is_callgrind(bytes)).map(|bytes| first_header(&bytes)).next()
}

/// The names of the dumps of the same run, without the source itself.
fn names(source: &dyn Source, stem: &str) -> io::Result<Vec<String>> {
    let name = file_name(source.name());
    let mut names = source.siblings()?;
    names.retain(|other| other != name && is_dump_of(other, stem));
    Ok(names)
}

/// The other dumps of the run with header `mine`, in order. Empty and unreadable files are reported.
/// All of them count if the source stands for the run, else those that the user named.
fn others(
    source: &dyn Source,
    stem: &str,
    mine: &CallgrindHeader,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Sibling> {
    let mut names = names(source, stem).unwrap_or_else(|error| {
        let message = format!("whether there are other parts of the same run is unknown: {error}");
        diagnostics.push(Diagnostic::note(Place::Whole, message));
        Vec::new()
    });
    names.sort_by_key(|name| order(name, stem));
    let stands_for_run = file_name(source.name()) == stem;
    let mut siblings = Vec::new();
    for other in names {
        match source.get(&other) {
            Ok(bytes) if bytes.is_empty() => {
                let message = format!("{other} is empty, as {WHEN_EMPTY}; it is left out");
                diagnostics.push(Diagnostic::note(Place::Whole, message));
            }
            Ok(bytes) if belongs(&bytes, mine) => {
                let counted = stands_for_run || source.named_with().contains(&other);
                siblings.push(Sibling { name: other, bytes, counted });
            }
            Ok(_) => {}
            Err(error) => {
                let message = format!("{other} may be a part of the same run but cannot be read: {error}");
                diagnostics.push(Diagnostic::loss(Place::Whole, message));
            }
        }
    }
    siblings
}

/// The sort key of a dump: part number and thread of its header.
pub(super) fn rank(bytes: &[u8]) -> (u64, u64) {
    let header = first_header(bytes);
    (header.part.unwrap_or(u64::MAX), header.thread.unwrap_or(0))
}

fn first_header(bytes: &[u8]) -> CallgrindHeader {
    // Reads no further than the end of the header.
    header::read(bytes, 0..bytes.len())
}

pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn belongs(bytes: &[u8], mine: &CallgrindHeader) -> bool {
    let other = first_header(bytes);
    claim::is_callgrind(bytes) && other.pid == mine.pid && other.command == mine.command
}

/// The name with which all names of dumps of the run begin.
fn stem<'a>(name: &'a str, header: &CallgrindHeader) -> &'a str {
    let name = match header.thread {
        Some(_) => without_thread(name),
        None => name,
    };
    let Some((stem, number)) = name.rsplit_once('.') else { return name };
    let Ok(number) = number.parse::<u64>() else { return name };
    if Some(number) == header.part && Some(number) != header.pid { stem } else { name }
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

/// The sort key of a file name: numbered dumps by number, then the last dump, which has no number; then by thread.
fn order(name: &str, stem: &str) -> (u64, String) {
    let number = without_thread(name).strip_prefix(stem).and_then(|rest| rest.strip_prefix('.'));
    (number.and_then(|number| number.parse().ok()).unwrap_or(u64::MAX), name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{CallgrindHeader, is_dump_of, stem};

    #[test]
    fn the_header_decides_what_a_number_is() {
        let header =
            |pid, part| CallgrindHeader { pid: Some(pid), part: Some(part), ..CallgrindHeader::default() };
        let threaded = |pid, part| CallgrindHeader { thread: Some(2), ..header(pid, part) };
        assert_eq!(stem("callgrind.out.17", &header(17, 1)), "callgrind.out.17");
        assert_eq!(stem("callgrind.out.17.3", &header(17, 3)), "callgrind.out.17");
        assert_eq!(stem("callgrind.out.17.3-02", &threaded(17, 3)), "callgrind.out.17");
        assert_eq!(stem("callgrind.out.17-02", &threaded(17, 3)), "callgrind.out.17");
        assert_eq!(stem("foo-02", &header(17, 3)), "foo-02");
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
