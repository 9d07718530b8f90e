//! Unusual perf.data files, made by hand: several events, all fields of samples, processes that change, features.

use lotse_formats::Place;
use lotse_formats::unwind::LOST;
use lotse_model::Profile;

use super::check::{losses, read, samples, stacks, totals};
use super::perf_data::{entry, longs, words};

/// Address, thread, time and period; samples of several events begin with the id of the event.
const FIELDS: u64 = 1 | 2 | 4 | 256;
const NUMBERED: u64 = FIELDS | 1 << 16;
const CHAIN: u64 = 32;
const KERNEL: u16 = 1;
const USER: u16 = 2;

/// An event: its kind, what it counts, the fields of its samples, its flags, and the period.
fn attribute(kind: u32, counts: u64, fields: u64, read: u64) -> Vec<u8> {
    let frequency = 1 << 10;
    [words(&[kind, 64]), longs(&[counts, 999, fields, read, frequency, 0, 0])].concat()
}

/// A pipe: every event with its id, then the records.
fn pipe(attributes: &[(Vec<u8>, u64)], records: &[Vec<u8>]) -> Vec<u8> {
    let events =
        attributes.iter().map(|(attribute, id)| entry(64, 0, &[attribute.clone(), longs(&[*id])].concat()));
    let events: Vec<u8> = events.flatten().collect();
    [b"PERFILE2".to_vec(), longs(&[16]), events, records.concat()].concat()
}

fn sample(address: u64, process: u32, time: u64) -> Vec<u8> {
    entry(9, USER, &[longs(&[address]), words(&[process, process]), longs(&[time, 10])].concat())
}

fn numbered(id: u64, address: u64, period: u64) -> Vec<u8> {
    entry(9, USER, &[longs(&[id, address]), words(&[7, 7]), longs(&[1, period])].concat())
}

fn map(process: u32, start: u64, path: &str) -> Vec<u8> {
    let path = [path.as_bytes(), &[0; 8][path.len() % 8..]].concat();
    entry(1, USER, &[words(&[process, process]), longs(&[start, 0x1000, 0]), path].concat())
}

fn comm(process: u32, name: &str, flags: u16) -> Vec<u8> {
    let name = [name.as_bytes(), &[0; 8][name.len() % 8..]].concat();
    entry(3, flags, &[words(&[process, process]), name].concat())
}

fn fork(child: u32, parent: u32) -> Vec<u8> {
    entry(7, 0, &[words(&[child, parent, child, parent]), longs(&[1])].concat())
}

fn one(records: &[Vec<u8>]) -> Vec<u8> {
    pipe(&[(attribute(0, 0, FIELDS, 0), 1)], records)
}

/// Threads, and each stack with the object of its innermost frame.
fn as_text(profile: &Profile) -> Vec<String> {
    let rows = profile.parts.iter().flat_map(|part| {
        part.samples.stack.iter().map(move |&stack| {
            let innermost =
                profile.stacks.frames(stack).next().map(|frame| profile.frames.get(frame).function);
            let object = innermost.and_then(|function| profile.function_object(function));
            let name = innermost.map(|function| profile.function_name(function));
            format!("{}: {} in {}", part.name, name.unwrap_or("-"), object.unwrap_or("-"))
        })
    });
    rows.collect()
}

#[test]
fn several_events_by_their_numbers() {
    let events = [
        (attribute(0, 0, NUMBERED, 0), 11),
        (attribute(1, 2, NUMBERED, 0), 12),
        (attribute(9, 5, NUMBERED, 0), 13),
    ];
    let records =
        [numbered(12, 0x10, 4), numbered(11, 0x10, 100), numbered(13, 0x10, 7), numbered(11, 0x20, 1)];
    let reading = read(&pipe(&events, &records));
    assert_eq!(losses(&reading), []);
    let expected = [("samples", 4), ("cycles", 101), ("page-faults", 4), ("event 9:0x5", 7)];
    assert_eq!(totals(&reading.value), expected.map(|(name, total)| (name.to_owned(), total)));
    let stacks = stacks(&reading.value);
    assert_eq!(stacks[0], ("0x10".to_owned(), vec![3, 100, 4, 7]));
}

/// perf names its events in a separate record, and adds a dummy event that counts nothing.
#[test]
fn names_of_events() {
    let events = [(attribute(4, 0x1c2, NUMBERED, 0), 11), (attribute(1, 9, NUMBERED, 0), 12)];
    let name = |id: u64, name: &[u8]| entry(78, 0, &[longs(&[2, id]), name.to_vec()].concat());
    let records = [name(11, b"uops:ppp"), name(12, b"dummy:u\0"), numbered(11, 0x10, 3)];
    let reading = read(&pipe(&events, &records));
    assert_eq!(totals(&reading.value), [("samples".to_owned(), 1), ("uops:ppp".to_owned(), 3)]);
}

#[test]
fn a_child_has_the_memory_and_the_name_of_its_parent() {
    let records = [
        map(7, 0x1000, "/bin/a"),
        comm(7, "parent", 0),
        fork(8, 7),
        sample(0x1010, 8, 5),
        map(8, 0x1000, "/bin/b"),
    ];
    let after = [sample(0x1010, 8, 6), sample(0x1010, 7, 7)];
    let profile = read(&one(&[records.concat(), after.concat()])).value;
    assert_eq!(
        as_text(&profile),
        ["parent: 0x10 in /bin/a", "parent: 0x10 in /bin/b", "parent: 0x10 in /bin/a"]
    );
}

#[test]
fn a_new_program_has_new_memory() {
    let exec = 1 << 13;
    let records = [map(7, 0x1000, "/bin/sh"), comm(7, "sh", 0), sample(0x1010, 7, 1), comm(7, "prog", exec)];
    let profile = read(&one(&[records.concat(), sample(0x1010, 7, 2)])).value;
    assert_eq!(as_text(&profile), ["prog: 0x10 in /bin/sh", "prog: 0x1010 in -"]);
}

#[test]
fn marks_in_a_call_chain_state_the_mode_of_the_next_addresses() {
    let (kernel, user, guest) = (-128_i64 as u64, -512_i64 as u64, -2048_i64 as u64);
    let chain = |addresses: &[u64]| {
        let head = [longs(&[0x1010]), words(&[7, 7]), longs(&[1, 10, addresses.len() as u64])].concat();
        entry(9, KERNEL, &[head, longs(addresses)].concat())
    };
    let records = [
        map(7, 0x1000, "/bin/a"),
        chain(&[kernel, 0xffff_0000_0000_1000, user, 0x1010, 0x9999]),
        chain(&[guest, 0x1010]),
        chain(&[]),
        chain(&[user]),
    ];
    let reading = read(&pipe(&[(attribute(0, 0, FIELDS | CHAIN, 0), 1)], &records));
    assert_eq!(losses(&reading), []);
    let expected = [
        "0xffff000000001000 in [kernel.kallsyms]",
        "0x1010 in -",
        "0x1010 in [kernel.kallsyms]",
        "0x10 in /bin/a",
    ];
    assert_eq!(as_text(&reading.value), expected.map(|it| format!(":7: {it}")));
    let expected = format!("{LOST};0x10;0xffff000000001000");
    assert!(stacks(&reading.value).iter().any(|(stack, _)| *stack == expected), "0x9999 is in no mapping");
}

/// Counters between the period and the call chain, alone or as a group.
#[test]
fn counters_in_samples_are_skipped() {
    let fields = FIELDS | CHAIN | 16;
    for (format, counters) in [
        (0, vec![5]),
        (3, vec![5, 100, 100]),
        (4 | 16, vec![5, 1, 0]),
        (8, vec![2, 5, 6]),
        (8 | 4 | 3, vec![2, 100, 100, 5, 1, 6, 2]),
    ] {
        let head = [longs(&[0x10]), words(&[7, 7]), longs(&[1, 10])].concat();
        let record = entry(9, USER, &[head, longs(&counters), longs(&[2, 0x10, 0x21])].concat());
        let records = [map(7, 0x0, "/bin/a"), record];
        let reading = read(&pipe(&[(attribute(0, 0, fields, format), 1)], &records));
        assert_eq!(losses(&reading), [], "{format}");
        assert_eq!(stacks(&reading.value), [("0x20;0x10".to_owned(), vec![1, 10])], "{format}");
    }
}

/// Counts of counters and frames that are larger than their record: it is left out with its place.
#[test]
fn huge_counts_cost_only_their_record() {
    let good = sample(0x10, 7, 1);
    for counts in [[1 << 61, 0], [u64::MAX, 0], [u64::MAX / 8, 1], [3, 0]] {
        let head = [longs(&[0x10]), words(&[7, 7]), longs(&[1, 10])].concat();
        let bad = entry(9, USER, &[head.clone(), longs(&counts)].concat());
        let fine = entry(9, USER, &[head, longs(&[1, 0x10])].concat());
        let file =
            pipe(&[(attribute(0, 0, FIELDS | CHAIN, 0), 1)], &[fine.clone(), bad.clone(), fine.clone()]);
        let reading = read(&file);
        let at = file.len() - fine.len() - bad.len();
        assert_eq!(
            (losses(&reading), samples(&reading.value)),
            (vec![Place::Byte(at as u64)], 2),
            "{counts:?}"
        );
    }
    let cut = one(&[good.clone(), good]);
    let reading = read(&cut[..cut.len() - 1]);
    assert_eq!(samples(&reading.value), 1);
    assert!(matches!(losses(&reading)[..], [Place::Byte(_)]));
}

/// Version and command line of a file follow the records.
#[test]
fn features_of_a_file() {
    let text = |text: &str| {
        let padded = [text.as_bytes(), &[0; 8][text.len() % 8..]].concat();
        [words(&[padded.len() as u32]), padded].concat()
    };
    let (attribute, data) = ([attribute(0, 1, FIELDS, 0), longs(&[0, 0])].concat(), sample(0x10, 7, 1));
    let (version, command) =
        (text("6.1"), [words(&[3]), text("perf"), text("record"), text("./a b")].concat());
    let bits = 1 << 5 | 1 << 11;
    let table = 184 + data.len() as u64;
    let sizes = [version.len() as u64, command.len() as u64];
    let places = longs(&[table + 32, sizes[0], table + 32 + sizes[0], sizes[1]]);
    let header = longs(&[104, 80, 104, 80, 184, data.len() as u64, 0, 0, bits, 0, 0, 0]);
    let file = [b"PERFILE2".to_vec(), header, attribute, data, places, version, command].concat();
    let profile = read(&file).value;
    assert_eq!(profile.creator.as_deref(), Some("perf 6.1"));
    assert_eq!(profile.command.as_deref(), Some("perf record ./a b"));
    assert_eq!(totals(&profile), [("samples".to_owned(), 1), ("instructions".to_owned(), 10)]);
    for end in table as usize..file.len() {
        let reading = read(&file[..end]);
        assert_eq!(
            (samples(&reading.value), losses(&reading)),
            (1, vec![]),
            "nothing measured is behind {table}"
        );
    }
}

#[test]
fn an_unfinished_file_is_read_to_its_end() {
    let (attribute, data) = ([attribute(0, 0, FIELDS, 0), longs(&[0, 0])].concat(), sample(0x10, 7, 1));
    let header = longs(&[104, 80, 104, 80, 184, 0, 0, 0, 0, 0, 0, 0]);
    let reading = read(&[b"PERFILE2".to_vec(), header, attribute, data.repeat(3)].concat());
    assert_eq!((samples(&reading.value), losses(&reading)), (3, vec![]));
    assert!(reading.diagnostics[0].message.starts_with("the recording was not finished"));
}

#[test]
fn lost_records_are_reported() {
    let lost = |count| entry(2, 0, &longs(&[1, count]));
    let lost_samples = entry(13, 0, &longs(&[4]));
    let reading = read(&one(&[lost(3), sample(0x10, 7, 1), lost_samples, lost(u64::MAX)]));
    assert_eq!(losses(&reading), []);
    let messages: Vec<&str> = reading.diagnostics.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(messages, [format!("perf lost {} records while recording", u64::MAX)]);
}
