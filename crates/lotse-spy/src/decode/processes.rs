//! The processes of a history, their rings, and the addresses of their executables.

use std::collections::BTreeMap;

use lotse_formats::history::{History, RingStacks, SegmentRef};
use lotse_wire::ring::IMAGE_SHIFT;

/// One program image of a process (a process that calls `exec` has several), with all its segments.
#[derive(Debug)]
pub struct RecordedProcess<'h> {
    pub number: u32,
    /// Its executable; `None` if the history has no memory map of it.
    pub executable: Option<LoadedFile<'h>>,
    /// Size and modification time of the file when it was recorded.
    pub stamp: Option<(u64, u64)>,
    /// The segments of each ring, with the ring's call stacks.
    pub rings: Vec<(Vec<SegmentRef<'h>>, &'h RingStacks)>,
}

/// An executable, and the addresses it was loaded at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadedFile<'h> {
    pub path: &'h str,
    pub base: u64,
    /// One past the last address.
    pub end: u64,
}

/// The processes that have segments, ordered by the time of their first segment. `none` is used for rings without call stacks.
#[must_use]
pub fn processes<'h>(history: &'h History<'h>, none: &'h RingStacks) -> Vec<RecordedProcess<'h>> {
    let mut found: Vec<RecordedProcess<'h>> = Vec::new();
    let mut images: Vec<(u32, u32)> = Vec::new();
    for ((process, ring), segments) in by_ring(history) {
        let entry = (segments, history.stacks.get(&(process, ring)).unwrap_or(none));
        let image = (process, ring >> IMAGE_SHIFT);
        match found.last_mut().filter(|_| images.last() == Some(&image)) {
            Some(last) => last.rings.push(entry),
            None => {
                images.push(image);
                let (executable, stamp) = (executable(history, image), stamp(history, image));
                found.push(RecordedProcess { number: process, executable, stamp, rings: vec![entry] });
            }
        }
    }
    found.sort_by_key(|process| {
        process.rings.iter().filter_map(|(segments, _)| Some(segments.first()?.head.time)).min()
    });
    found
}

/// The segments of each ring of each process, in file order.
fn by_ring<'h>(history: &'h History<'h>) -> BTreeMap<(u32, u32), Vec<SegmentRef<'h>>> {
    let mut rings: BTreeMap<(u32, u32), Vec<SegmentRef<'h>>> = BTreeMap::new();
    for segment in &history.segments {
        rings.entry((segment.head.process, segment.head.ring)).or_default().push(*segment);
    }
    rings
}

fn stamp(history: &History<'_>, (number, image): (u32, u32)) -> Option<(u64, u64)> {
    let found = history
        .executables
        .iter()
        .find(|executable| (executable.process, executable.image) == (number, image))?;
    Some((found.size, found.modified))
}

fn executable<'h>(history: &'h History<'h>, (number, image): (u32, u32)) -> Option<LoadedFile<'h>> {
    executable_of_map(
        history.processes.iter().find(|process| (process.number, process.image) == (number, image))?.map,
    )
}

/// The executable in a memory map (`/proc/PID/maps`): its first file.
pub(crate) fn executable_of_map(map: &str) -> Option<LoadedFile<'_>> {
    let mut regions = map.lines().filter_map(region);
    let first = regions.next()?;
    let end =
        regions.take_while(|region| region.path == first.path).last().map_or(first.end, |last| last.end);
    Some(LoadedFile { end, ..first })
}

/// Parses a line of the memory map that names a file.
fn region(line: &str) -> Option<LoadedFile<'_>> {
    let (range, _) = line.split_once(' ')?;
    let path = line.get(line.find('/')?..)?;
    let (base, end) = range.split_once('-')?;
    let (base, end) = (hexadecimal(base)?, hexadecimal(end)?);
    Some(LoadedFile { path: path.trim_end_matches(" (deleted)"), base, end })
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::{LoadedFile, region};

    #[test]
    fn lines_of_a_map() {
        let line = "55717f8a0000-55717f8a8000 r--p 00000000 fe:00 1311    /tmp/a b/c";
        assert_eq!(
            region(line),
            Some(LoadedFile { path: "/tmp/a b/c", base: 0x5571_7f8a_0000, end: 0x5571_7f8a_8000 })
        );
        assert_eq!(region("7ffdc4bd9000-7ffdc4bfa000 rw-p 00000000 00:00 0    [stack]"), None);
    }
}
