//! Shortens long names to few columns such that different names of a table stay different.
//!
//! Promises: a result is no wider than its room; equal names with equal room give equal results; different names
//! give different results. `…` marks what is left out. Function names lose their least informative parts first: hashes,
//! arguments, template arguments, leading path segments. Paths lose their first folders. Only then is the middle left out.
//!
//! ```text
//! shortened one by one                two names that look alike
//! std::vector<…>::push_back(…)        std::vector<int, …>::push_back(…)
//! std::vector<…>::push_back(…)        std::vector<double, …>::push_back(…)
//! ```

use std::collections::{BTreeMap, BTreeSet};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

mod function;

/// The kind of a name, which determines what is left out first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NameKind {
    /// A function of C++, Rust, Go or another language.
    Function,
    /// A file or a call path, with segments between slashes.
    Path,
}

/// The mark for a part that was left out.
const LEFT_OUT: char = '…';
/// The least room; smaller ones are raised to it.
pub(crate) const NARROWEST: usize = 8;

/// A name and the room for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NameToFit<'a> {
    /// The full name, on one line.
    pub name: &'a str,
    /// The available columns.
    pub room: usize,
}

/// A name shortened to `room` columns, without regard to other names.
pub fn shortened(kind: NameKind, name: &str, room: usize) -> String {
    let room = room.max(NARROWEST);
    if name.width() <= room {
        return name.to_owned();
    }
    match kind {
        NameKind::Function => function::shortened(name, room),
        NameKind::Path => path(name, room),
    }
}

/// The names of a table column, shortened such that different names stay different.
pub fn distinct(kind: NameKind, entries: &[NameToFit<'_>]) -> Vec<String> {
    let mut shown: BTreeMap<NameToFit<'_>, String> =
        entries.iter().map(|&entry| (entry, shortened(kind, entry.name, entry.room))).collect();
    for group in alike(&shown) {
        let different = distinct_variants(kind, &group).unwrap_or_else(|| windows(&group));
        shown.extend(group.into_iter().zip(different));
    }
    add_numbers(&mut shown);
    entries.iter().map(|entry| shown[entry].clone()).collect()
}

/// Groups of entries with different names but the same shortened name.
fn alike<'a>(shown: &BTreeMap<NameToFit<'a>, String>) -> Vec<Vec<NameToFit<'a>>> {
    let mut by_short: BTreeMap<&str, Vec<NameToFit<'a>>> = BTreeMap::new();
    for (entry, short) in shown {
        by_short.entry(short).or_default().push(*entry);
    }
    let differ = |group: &Vec<NameToFit<'_>>| group.iter().any(|entry| entry.name != group[0].name);
    by_short.into_values().filter(differ).collect()
}

/// The first variant of shortening function names in which the names of a group differ.
fn distinct_variants(kind: NameKind, group: &[NameToFit<'_>]) -> Option<Vec<String>> {
    if kind != NameKind::Function {
        return None;
    }
    let variants = group.iter().map(|entry| function::variants(entry.name, entry.room.max(NARROWEST)));
    let variants: Vec<[Option<String>; function::VARIANTS]> = variants.collect();
    let variant =
        |index: usize| variants.iter().map(|of_name| of_name[index].clone()).collect::<Option<Vec<String>>>();
    let names: BTreeSet<&str> = group.iter().map(|entry| entry.name).collect();
    let differ = |shorts: &Vec<String>| shorts.iter().collect::<BTreeSet<_>>().len() >= names.len();
    (0..function::VARIANTS).filter_map(variant).find(differ)
}

/// For each name of a group, the part in which the names differ, with some context.
fn windows(group: &[NameToFit<'_>]) -> Vec<String> {
    let names: Vec<&str> = group.iter().map(|entry| entry.name).collect();
    let (before, after) = common(&names);
    group.iter().map(|entry| around(*entry, before, after)).collect()
}

/// The lengths, in characters, of the common prefix and of the common suffix of all names; they do not overlap.
fn common(names: &[&str]) -> (usize, usize) {
    let letters: Vec<Vec<char>> = names.iter().map(|name| name.chars().collect()).collect();
    let shortest = letters.iter().map(Vec::len).min().unwrap_or(0);
    let all = |same: &dyn Fn(&[char]) -> char| letters.iter().all(|it| same(it) == same(&letters[0]));
    let before = (0..shortest).take_while(|&at| all(&|it| it[at])).count();
    let after = (0..shortest - before).take_while(|&at| all(&|it| it[it.len() - 1 - at])).count();
    (before, after)
}

/// A few characters of the beginning, the part in which the name differs from others, and a few characters of the end.
/// `before` and `after` are the lengths of the common prefix and suffix.
fn around(entry: NameToFit<'_>, before: usize, after: usize) -> String {
    let room = entry.room.max(NARROWEST);
    if entry.name.width() <= room {
        return entry.name.to_owned();
    }
    let letters: Vec<char> = entry.name.chars().collect();
    let differing: String = letters[before..letters.len() - after].iter().collect();
    let (beginning, end): (String, String) =
        (letters[..before].iter().collect(), letters[letters.len() - after..].iter().collect());
    let differing = middle(&differing, room * 2 / 3);
    let rest = room.saturating_sub(differing.width() + 2);
    let tail = last(&end, rest.min(rest / 3 + 4));
    let head = first(&beginning, rest - tail.width());
    let mark = |whole: &str, part: &str| if whole == part { "" } else { "…" };
    [&head, mark(&beginning, &head), &differing, mark(&end, &tail), &tail].concat()
}

/// The last resort: different names that are still shortened alike get numbers.
fn add_numbers(shown: &mut BTreeMap<NameToFit<'_>, String>) {
    let mut taken: BTreeSet<String> = shown.values().cloned().collect();
    let groups = alike(shown);
    for group in groups {
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in group {
            if shown[&entry] == entry.name {
                // A name that is shown in full stays as it is.
                continue;
            }
            let next = numbers.len() + 1;
            let mut number = *numbers.entry(entry.name).or_insert(next);
            let mut short = numbered(entry, number);
            while !taken.insert(short.clone()) {
                number += 1;
                short = numbered(entry, number);
            }
            shown.insert(entry, short);
        }
    }
}

fn numbered(entry: NameToFit<'_>, number: usize) -> String {
    let mark = format!("…#{number}");
    first(entry.name, entry.room.max(NARROWEST).saturating_sub(mark.width())) + &mark
}

/// `…/last/segments`; a last segment that is too long loses its middle.
fn path(name: &str, room: usize) -> String {
    let tails = name.match_indices('/').map(|(at, _)| &name[at..]);
    let fitting = tails.filter(|tail| tail.len() > 1).find(|tail| tail.width() < room);
    fitting.map_or_else(|| middle(name, room), |tail| format!("{LEFT_OUT}{tail}"))
}

/// A text without its middle; more of the end is kept than of the beginning.
fn middle(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let rest = room.saturating_sub(1);
    let head = first(text, rest / 3);
    let tail = last(text, rest - head.width());
    format!("{head}{LEFT_OUT}{tail}")
}

/// The longest prefix that fits.
fn first(text: &str, room: usize) -> String {
    let mut width = 0;
    let fits = |c: &char| {
        width += c.width().unwrap_or(0);
        width <= room
    };
    text.chars().take_while(fits).collect()
}

/// The longest suffix that fits.
fn last(text: &str, room: usize) -> String {
    let mut width = 0;
    let fits = |c: &char| {
        width += c.width().unwrap_or(0);
        width <= room
    };
    let mut letters: Vec<char> = text.chars().rev().take_while(fits).collect();
    letters.reverse();
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests;
