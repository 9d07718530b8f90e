//! Shows profiles as text, and checks the invariants of every profile: details add up, and writing and reading back
//! changes nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use lotse_formats::write::WRITERS;
use lotse_formats::{Reading, detail, read_profile};
use lotse_model::Profile;
use lotse_model::bytes::{Memory, Source};
use lotse_model::id::FunctionId;
use lotse_model::profile::{CodePosition, Detail};
use lotse_model::work::Sequential;

/// Reads bytes in the format recognised by content, and checks the invariants.
pub(crate) fn read(bytes: &[u8]) -> Reading<Profile> {
    let source = Memory { name: "x", bytes };
    let reading = read_profile(&source, None, &Sequential).unwrap();
    assert_eq!(reading.value.check(), Ok(()));
    details_add_up(&source, &reading.value);
    written_is_read_back(&reading.value);
    reading
}

/// Reads a file without any diagnostics.
pub(crate) fn read_clean(bytes: &[u8]) -> Profile {
    let reading = read(bytes);
    assert_eq!(messages(&reading), [""; 0]);
    reading.value
}

/// A body below a header with one event type, as [`as_text`].
pub(crate) fn body(text: &str) -> String {
    as_text(&read_clean(format!("# callgrind format\nevents: A\n{text}").as_bytes()))
}

/// Checks that each body of a table (name, body, expected text) is read as expected.
pub(crate) fn table(rows: &[(&str, &str, &str)]) {
    for (what, text, expected) in rows {
        assert_eq!(body(text), *expected, "{what}");
    }
}

/// Diagnostics as text.
pub(crate) fn messages(reading: &Reading<Profile>) -> Vec<String> {
    reading.diagnostics.iter().map(|it| format!("{:?} {it}", it.weight)).collect()
}

/// The function as `object:file:name`, with `?` for unknown ones.
pub(crate) fn named(profile: &Profile, function: FunctionId) -> String {
    let object = profile.function_object(function).unwrap_or("?");
    let file = profile.function_file(function).unwrap_or("?");
    format!("{object}:{file}:{}", profile.function_name(function))
}

/// Self costs and calls, a line each, parts divided by `--`.
pub(crate) fn as_text(profile: &Profile) -> String {
    let mut text = String::new();
    for (number, part) in profile.parts.iter().enumerate() {
        text += if number > 0 { "--\n" } else { "" };
        for (row, &function) in part.own.function.iter().enumerate() {
            writeln!(text, "{} {:?}", named(profile, function), values(profile, part.own.costs.row(row)))
                .unwrap();
        }
        let calls = &part.calls;
        for row in 0..calls.len() {
            let (from, to) = (profile.function_name(calls.caller[row]), named(profile, calls.callee[row]));
            let costs = values(profile, calls.costs.row(row));
            writeln!(text, "{from} > {to} {} {costs:?}", calls.count[row]).unwrap();
        }
    }
    text
}

fn values(profile: &Profile, cells: &[u64]) -> Vec<i128> {
    cells.iter().map(|&cell| profile.value(cell)).collect()
}

/// The function of a name.
pub(crate) fn function(profile: &Profile, name: &str) -> FunctionId {
    let mut ids = profile.functions.ids();
    ids.find(|&it| profile.function_name(it) == name).unwrap_or_else(|| panic!("no {name}"))
}

fn at(profile: &Profile, place: &CodePosition) -> String {
    let file = profile.file_name(place.file).unwrap_or("?");
    let address = if place.address > 0 { format!("@{:x}", place.address) } else { String::new() };
    format!("{file}:{}{address}", place.line)
}

/// The lines of a function: place and costs.
pub(crate) fn lines(source: &dyn Source, profile: &Profile, name: &str) -> Vec<String> {
    let Detail { lines, .. } = detail(source, profile, function(profile, name)).unwrap();
    let rows = lines.place.iter().enumerate();
    rows.map(|(row, place)| format!("{} {:?}", at(profile, place), lines.costs.row(row))).collect()
}

/// The call sites of a function: place, count, target and costs.
pub(crate) fn sites(source: &dyn Source, profile: &Profile, name: &str) -> Vec<String> {
    let Detail { sites, .. } = detail(source, profile, function(profile, name)).unwrap();
    let site = |row: usize| {
        let (from, to) = (at(profile, &sites.place[row]), at(profile, &sites.target[row]));
        let callee = profile.function_name(sites.callee[row]);
        format!("{from} > {callee} {to} x{} {:?}", sites.count[row], sites.costs.row(row))
    };
    (0..sites.place.len()).map(site).collect()
}

/// The jumps of a function: source, target and count.
pub(crate) fn jumps(source: &dyn Source, profile: &Profile, name: &str) -> Vec<String> {
    let Detail { jumps, .. } = detail(source, profile, function(profile, name)).unwrap();
    let jump = |row: usize| {
        let (from, to) = (at(profile, &jumps.from[row]), at(profile, &jumps.to[row]));
        let sort = if jumps.conditional[row] { "if" } else { "always" };
        format!("{from} > {to} {sort} {}/{}", jumps.taken[row], jumps.executed[row])
    };
    (0..jumps.from.len()).map(jump).collect()
}

/// Checks that lines add up to self costs, and call sites to calls.
pub(crate) fn details_add_up(source: &dyn Source, profile: &Profile) {
    for function in profile.functions.ids() {
        let Detail { lines, sites, .. } = detail(source, profile, function).unwrap();
        for event in 0..profile.events.len() {
            let (mut own, mut calls) = (0, 0);
            for part in &profile.parts {
                let rows = part.own.function.iter().enumerate().filter(|it| *it.1 == function);
                own += rows.map(|(row, _)| part.own.costs.value(row, event)).sum::<i128>();
                let rows = part.calls.caller.iter().enumerate().filter(|it| *it.1 == function);
                calls += rows.map(|(row, _)| part.calls.costs.value(row, event)).sum::<i128>();
            }
            let name = named(profile, function);
            // Sums beyond 2^64 are reported when reading; lines keep their exact costs.
            assert!(lines.costs.total(event) == own || own == i128::from(u64::MAX), "lines of {name}");
            assert!(sites.costs.total(event) == calls || calls == i128::from(u64::MAX), "sites of {name}");
        }
    }
}

/// Checks that writing loses nothing but negative costs.
fn written_is_read_back(profile: &Profile) {
    if profile.signed {
        return;
    }
    let writer = WRITERS.iter().find(|writer| writer.id == "callgrind").unwrap();
    let mut bytes = Vec::new();
    (writer.write)(profile, &mut bytes).unwrap();
    let again = read_profile(&Memory { name: "again", bytes: &bytes }, None, &Sequential).unwrap();
    assert_eq!(sorted(&again.value), sorted(profile), "{}", String::from_utf8_lossy(&bytes));
}

/// The lines of the profile as text with how often they occur, without their order.
pub(crate) fn sorted(profile: &Profile) -> BTreeMap<String, u64> {
    let as_text = as_text(profile);
    let mut counted = BTreeMap::new();
    for line in as_text.lines().filter(|line| line.contains(" > ") || !line.ends_with("[0]")) {
        *counted.entry(line.to_owned()).or_default() += 1;
    }
    counted
}
