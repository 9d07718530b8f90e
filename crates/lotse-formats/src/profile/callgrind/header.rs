//! The header of a part: who wrote it, what was counted, and why it was written.

use std::ops::Range;

use lotse_model::profile::{EventType, Formula, StatedSum, readable};
use memchr::memmem;

use super::scan::Scan;
use super::units;

/// Each function stores a number per event type, so an `events:` line as long as the file would need too much memory.
pub(super) const MAX_EVENTS: usize = 64;

/// The `key: value` lines before the costs of a part.
#[derive(Debug, Clone, Default)]
pub(super) struct CallgrindHeader {
    pub(super) version: Option<String>,
    pub(super) creator: Option<String>,
    pub(super) command: Option<String>,
    pub(super) pid: Option<u64>,
    pub(super) thread: Option<u64>,
    pub(super) part: Option<u64>,
    pub(super) trigger: Option<String>,
    /// Whether positions have an address.
    pub(super) addresses: bool,
    /// Whether positions have a line.
    pub(super) lines: bool,
    /// Whether there is an `events:` line.
    pub(super) has_events: bool,
    pub(super) events: Vec<EventType>,
    /// How many event types exceed [`MAX_EVENTS`] and are left out.
    pub(super) refused: usize,
    pub(super) formulas: Vec<Formula>,
    pub(super) stated: Vec<StatedSum>,
    /// Whether it begins with `# callgrind format`.
    pub(super) has_callgrind_mark: bool,
    /// All keys, in order.
    pub(super) keys: Vec<String>,
    /// The byte at which the costs begin.
    pub(super) body: usize,
}

/// Splits a file into its parts, each from its header to the next header. A header is recognised by its `events:` line.
pub(super) fn parts(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut starts: Vec<usize> = Vec::new();
    for found in memmem::find_iter(bytes, b"events:") {
        if found == 0 || bytes[found - 1] == b'\n' {
            starts.push(if starts.is_empty() { 0 } else { header_start(bytes, found) });
        }
    }
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// The start of the header that contains the line at `at`.
fn header_start(bytes: &[u8], at: usize) -> usize {
    let mut start = at;
    while start > 0 {
        let before = memchr::memrchr(b'\n', &bytes[..start - 1]).map_or(0, |end| end + 1);
        let line = &bytes[before..start - 1];
        let ends = line.starts_with(b"totals:") || line.starts_with(b"summary:");
        if ends || !is_header(line) {
            break;
        }
        start = before;
    }
    start
}

/// Whether a line is blank, a comment or `key: value`.
fn is_header(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.is_empty() || line.starts_with(b"#") || key(line).is_some()
}

/// The key and the value of `key: value`.
pub(super) fn key(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = line.iter().position(|byte| !byte.is_ascii_alphabetic())?;
    let fits = colon > 0 && line[colon] == b':';
    fits.then(|| (&line[..colon], line[colon + 1..].trim_ascii()))
}

/// Reads the header at the start of a part.
pub(super) fn read(bytes: &[u8], part: Range<usize>) -> CallgrindHeader {
    let mut header = CallgrindHeader { body: part.end, ..CallgrindHeader::default() };
    let mut scan = Scan::new(bytes, part.start, part.end);
    while !scan.ended() {
        let start = scan.at;
        let line = scan.line();
        if !is_header(line) {
            header.body = start;
            break;
        }
        header.has_callgrind_mark |= line.starts_with(b"# callgrind format");
        if let Some((key, value)) = key(line.trim_ascii()) {
            header.keys.push(readable(key).into_owned());
            header.set(key, value);
        }
    }
    header.lines |= !header.addresses;
    header
}

impl CallgrindHeader {
    /// Stores the value of a key. Unknown keys are ignored.
    fn set(&mut self, key: &[u8], value: &[u8]) {
        let text = readable(value);
        match key {
            b"version" => self.version = Some(text.into_owned()),
            b"creator" => self.creator = Some(text.into_owned()),
            b"cmd" => self.command = Some(text.into_owned()),
            b"pid" => self.pid = text.parse().ok(),
            b"thread" => self.thread = text.parse().ok(),
            b"part" => self.part = text.parse().ok(),
            b"desc" => self.set_description(&text),
            b"positions" => {
                self.addresses = text.split_whitespace().any(|word| matches!(word, "instr" | "addr"));
                self.lines = text.split_whitespace().any(|word| word == "line");
            }
            b"events" => self.set_events(&text),
            b"event" => self.define_event(&text),
            b"summary" | b"totals" => self.stated.push(stated(key, value)),
            _ => {}
        }
    }

    /// Takes from the previous part of the same file what this part does not repeat.
    pub(super) fn inherit(&mut self, before: &Self) {
        let Self { version, creator, command, pid, .. } = before.clone();
        self.version = self.version.take().or(version);
        self.creator = self.creator.take().or(creator);
        self.command = self.command.take().or(command);
        self.pid = self.pid.or(pid);
    }

    fn set_description(&mut self, text: &str) {
        if let Some(trigger) = text.strip_prefix("Trigger:") {
            self.trigger = Some(trigger.trim().to_owned());
        }
    }

    fn set_events(&mut self, text: &str) {
        self.has_events = true;
        let mut names = text.split_whitespace();
        let ours = self.creator.as_deref().is_some_and(|creator| creator.starts_with("lotse-"));
        let event = if ours { units::own_event } else { units::event };
        self.events = names.by_ref().take(MAX_EVENTS).map(event).collect();
        self.refused = names.count();
    }

    /// Reads `event: name = formula : title`, where formula and title are optional.
    fn define_event(&mut self, text: &str) {
        let (named, title) = text.split_once(':').map_or((text, None), |(named, title)| (named, Some(title)));
        let title = title.map(|title| title.trim().to_owned()).filter(|title| !title.is_empty());
        let (name, formula) = named.split_once('=').unwrap_or((named, ""));
        let (name, text) = (name.trim().to_owned(), formula.trim().to_owned());
        self.formulas.push(Formula { name, title, text });
    }

    /// Moves titles to the event types they belong to, and keeps as formulas only those that have one.
    pub(super) fn assign_titles(&mut self) {
        for event in &mut self.events {
            let defined = self.formulas.iter().find(|formula| formula.name == event.name);
            event.title = defined.and_then(|formula| formula.title.clone());
        }
        self.formulas.retain(|formula| !formula.text.is_empty());
    }
}

/// The sums of a `summary:` or `totals:` line.
pub(super) fn stated(key: &[u8], value: &[u8]) -> StatedSum {
    let words = value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).take(MAX_EVENTS);
    let costs = words.map_while(|word| {
        let text = std::str::from_utf8(word).ok()?;
        text.parse::<u64>().ok().or_else(|| text.parse::<i64>().ok().map(|it| it as u64))
    });
    StatedSum { name: readable(key).into_owned(), costs: costs.collect() }
}

#[cfg(test)]
mod tests {
    use super::{parts, read};

    const TWO: &str = "version: 1\ncmd:  x y\npart: 1\npositions: instr line\nevents: Ir Dr\nfn=a\n1 1 1\n\n\
                       totals: 1\n\npart: 2\ndesc: Trigger: dump now\nevents: Ir\nfn=a\n1 1\n";

    #[test]
    fn a_part_begins_with_its_header() {
        let ranges = parts(TWO.as_bytes());
        assert_eq!(ranges.len(), 2);
        assert!(TWO[ranges[1].clone()].starts_with("\npart: 2"), "{:?}", &TWO[ranges[1].clone()]);
        let first = read(TWO.as_bytes(), ranges[0].clone());
        assert_eq!((first.addresses, first.lines, first.events.len()), (true, true, 2));
        assert_eq!(first.command.as_deref(), Some("x y"));
        let second = read(TWO.as_bytes(), ranges[1].clone());
        assert_eq!((second.part, second.trigger.as_deref()), (Some(2), Some("dump now")));
        assert_eq!((second.addresses, second.lines), (false, true));
        assert!(TWO[second.body..].starts_with("fn=a"));
    }

    #[test]
    fn event_types_have_titles_and_formulas() {
        let text = "event: Ir : Instructions\nevent: Sum = Ir + 10 Dr : All\nevents: Ir Dr\n";
        let mut header = read(text.as_bytes(), 0..text.len());
        header.assign_titles();
        assert_eq!(header.events[0].title.as_deref(), Some("Instructions"));
        assert_eq!(header.formulas.len(), 1);
        assert_eq!(header.formulas[0].text, "Ir + 10 Dr");
        assert_eq!(header.formulas[0].title.as_deref(), Some("All"));
    }
}
