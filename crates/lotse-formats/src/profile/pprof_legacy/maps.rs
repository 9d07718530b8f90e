//! Memory maps: lines of `/proc/self/maps`, or shorter ones with a start, an end and a path.

/// A mapped object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MapLine {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) offset: u64,
    pub(super) path: String,
}

/// Whether a line begins a memory map.
pub(super) fn begins(line: &str) -> bool {
    line.contains("--- Memory map: ---") || line.contains("MAPPED_LIBRARIES:")
}

/// All mapped objects with code. `$name` in a path is replaced by the value of an earlier line `name=…`.
pub(super) fn parse(text: &str) -> Vec<MapLine> {
    let mut names: Vec<(String, String)> = Vec::new();
    let mut maps = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(mut map) = long(line).unwrap_or_else(|| short(line)) {
            replace(&mut map.path, &names);
            maps.push(map);
        } else if let Some((name, value)) = line.split_once('=').filter(|_| names.len() < 100) {
            names.push((format!("${}", name.trim()), value.trim().to_owned()));
        }
    }
    maps
}

/// Replaces names by their values, as long as the path stays short: values may contain names again.
fn replace(path: &mut String, names: &[(String, String)]) {
    const LONGEST: usize = 4096;
    for (name, value) in names {
        let times = path.matches(name.as_str()).count();
        if times > 0 && times.saturating_mul(value.len()) < LONGEST {
            *path = path.replace(name, value);
        }
    }
}

/// Parses `00400000-00fcb000 r-xp 00000000 00:00 21306940    path`; `Some(None)` where it contains no code.
fn long(line: &str) -> Option<Option<MapLine>> {
    let mut words = line.split_whitespace();
    let (start, end) = range(words.next()?)?;
    let rights = words.next().filter(|rights| rights.bytes().all(|byte| b"rwxps-".contains(&byte)))?;
    let offset = u64::from_str_radix(words.next()?, 16).ok()?;
    words.next()?.split_once(':')?;
    words.next()?;
    let path = words.collect::<Vec<_>>().join(" ");
    Some(rights.contains('x').then_some(MapLine { start, end, offset, path }))
}

/// Parses `00400000-00fcb000: path`, with an optional `@offset` at the end.
fn short(line: &str) -> Option<MapLine> {
    let (place, rest) = line.split_once(':')?;
    let (start, end) = range(place)?;
    let (path, offset) =
        match rest.rsplit_once('@').map(|(path, at)| (path, u64::from_str_radix(at.trim(), 16))) {
            Some((path, Ok(offset))) => (path, offset),
            _ => (rest, 0),
        };
    Some(MapLine { start, end, offset, path: path.trim().to_owned() })
}

fn range(text: &str) -> Option<(u64, u64)> {
    let (start, end) = text.split_once('-')?;
    Some((u64::from_str_radix(start, 16).ok()?, u64::from_str_radix(end, 16).ok()?))
}

/// The row of the object at an address, and the offset in it. Old handlers omitted the first part of a split object.
pub(super) fn find(maps: &[MapLine], address: u64) -> Option<(usize, u64)> {
    let holds = |map: &MapLine| map.start <= address && address < map.end;
    let before = |map: &MapLine| map.start.wrapping_sub(map.offset) <= address && address < map.start;
    let row = maps.iter().position(holds).or_else(|| maps.iter().position(before))?;
    Some((row, address.wrapping_sub(maps[row].start).wrapping_add(maps[row].offset)))
}

#[cfg(test)]
mod tests {
    use super::{find, parse};

    #[test]
    fn long_and_short_lines() {
        let maps = parse(
            "source=/home\n00400000-00fcb000 r-xp 00001000 00:00 21306940    main prog\n\
             00fcb000-00ffe000 rw-p 00bca000 00:00 1 main\n  7f00-8f00: $source/lib.so\n9f00-9fff: x @10\nnothing\n",
        );
        let found: Vec<_> = maps.iter().map(|map| (map.start, map.offset, map.path.as_str())).collect();
        assert_eq!(
            found,
            [(0x40_0000, 0x1000, "main prog"), (0x7f00, 0, "/home/lib.so"), (0x9f00, 0x10, "x")]
        );
        assert_eq!(find(&maps, 0x40_0010), Some((0, 0x1010)));
        assert_eq!(find(&maps, 0x3f_f010), Some((0, 0x10)), "the omitted part");
        assert_eq!(find(&maps, 0x8f00), None);
    }
}
