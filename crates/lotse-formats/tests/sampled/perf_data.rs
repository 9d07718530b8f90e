//! perf.data.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use expect_test::expect;
use lotse_formats::Place;
use lotse_formats::unwind::LOST;
use lotse_model::Profile;
use lotse_model::id::FrameId;
use lotse_model::profile::AddressSpace;

use super::check::{as_text, damage, fixture, losses, read, samples, totals};
use super::recorded::{record, recorded};

/// A record of the kernel.
pub(crate) fn entry(kind: u32, flags: u16, body: &[u8]) -> Vec<u8> {
    let size = body.len() as u16 + 8;
    [&kind.to_le_bytes()[..], &flags.to_le_bytes(), &size.to_le_bytes(), body].concat()
}

/// Little-endian numbers of four bytes.
pub(crate) fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Little-endian numbers of eight bytes.
pub(crate) fn longs(longs: &[u64]) -> Vec<u8> {
    longs.iter().flat_map(|long| long.to_le_bytes()).collect()
}

/// A clock whose samples have address, thread, time, call chain and period; other records have times too.
fn attribute() -> Vec<u8> {
    let flags = 1 << 18 | 1 << 10;
    [words(&[1, 64]), longs(&[0, 999, 1 | 2 | 4 | 32 | 256, 0, flags, 0, 0])].concat()
}

/// Records: two samples, the later one first; a map and a name.
fn records() -> Vec<u8> {
    let trailer = |time| [words(&[7, 8]), longs(&[time])].concat();
    let sample = |time, chain: &[u64]| {
        let head = [longs(&[chain[0]]), words(&[7, 8]), longs(&[time, 1000, chain.len() as u64])].concat();
        entry(9, 2, &[head, longs(chain)].concat())
    };
    [
        entry(
            1,
            2,
            &[
                words(&[7, 7]),
                longs(&[0x40_0000, 0x1000, 0x200]),
                b"/bin/prog\0\0\0\0\0\0\0".to_vec(),
                trailer(1),
            ]
            .concat(),
        ),
        entry(3, 0, &[words(&[7, 8]), b"my prog\0".to_vec(), trailer(2)].concat()),
        sample(20, &[-512_i64 as u64, 0x40_0010, 0x40_0021]),
        sample(10, &[-128_i64 as u64, 0xffff_ffff_8000_0000, -512_i64 as u64, 0x40_0021, 0x99]),
        entry(2, 0, &[longs(&[1, 5]), trailer(30)].concat()),
    ]
    .concat()
}

fn file() -> Vec<u8> {
    let (attribute, data) = ([attribute(), longs(&[0, 0])].concat(), records());
    let header = longs(&[104, 80, 104, 80, 184, data.len() as u64, 0, 0, 0, 0, 0, 0]);
    [b"PERFILE2".to_vec(), header, attribute, data].concat()
}

fn pipe() -> Vec<u8> {
    let event = entry(64, 0, &attribute());
    [b"PERFILE2".to_vec(), longs(&[16]), event, records()].concat()
}

#[test]
fn small_file_and_pipe() {
    let expected = expect![[r#"
        events: samples [count], cpu-clock [ns]
        totals: [2, 2000]
        command, creator: (None, None)
        part "my prog" (Some(7), Some(8)): 2 samples, first at Some(10)
        [1, 1000] 0x220;0x210
        [1, 1000] [outer callers not recorded];0x221;0xffffffff80000000
        function 0xffffffff80000000 in [kernel.kallsyms], ?
        function 0x221 in /bin/prog, ?
        function [outer callers not recorded] in ?, ?
        function 0x210 in /bin/prog, ?
        function 0x220 in /bin/prog, ?
        4 unresolved, first 0xffffffff80000000 0xffffffff80000000 Linked
        Note: the whole input: perf lost 5 records while recording
        Note: the whole input: callers were recorded by frame pointers (perf record -g): 1 of 2 stacks end at an address outside of any mapping: the caller is not known there ([outer callers not recorded]); 1 of 2 stacks contain code that may have no frame: a leaf function may appear to be called by the caller of its caller; `perf record --call-graph dwarf` records all callers, and so does building with -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer, libraries included
    "#]];
    expected.assert_eq(&as_text(&read(&file())));
    expected.assert_eq(&as_text(&read(&pipe())));
    assert_eq!(read(&file()).format_id, "perf-data");
}

#[test]
fn addresses_are_kept_and_unresolved() {
    let profile = read(&file()).value;
    let frames: Vec<_> = profile.stacks.frames(profile.parts[0].samples.stack[1]).collect();
    assert_eq!(profile.frames.address[frames[1].index()], 0x40_0021);
    let caller = profile.unresolved.iter().find(|it| it.address == 0x220).unwrap();
    assert_eq!(caller.space, AddressSpace::FileOffset);
    assert_eq!(profile.function_object(caller.function), Some("/bin/prog"));
    let kernel = profile.unresolved.iter().find(|it| it.space == AddressSpace::Linked).unwrap();
    assert_eq!(profile.function_object(kernel.function), Some("[kernel.kallsyms]"));
}

#[test]
fn big_endian() {
    let swap = |bytes: Vec<u8>, size: usize| -> Vec<u8> {
        bytes.chunks(size).flat_map(|chunk| chunk.iter().rev().copied().collect::<Vec<_>>()).collect()
    };
    let flags = (1_u64 << 18 | 1 << 10).reverse_bits();
    let attribute =
        [swap(words(&[1, 64]), 4), swap(longs(&[0, 999, 1 | 2 | 4 | 256, 0, flags, 0, 0, 0, 0]), 8)].concat();
    let sample = [
        swap(words(&[9]), 4),
        swap([2_u16, 40].iter().flat_map(|it| it.to_le_bytes()).collect(), 2),
        swap(longs(&[0x1234]), 8),
        swap(words(&[7, 8]), 4),
        swap(longs(&[20, 1000]), 8),
    ]
    .concat();
    let header = swap(longs(&[104, 80, 104, 80, 184, 40, 0, 0, 0, 0, 0, 0]), 8);
    let reading = read(&[b"2ELIFREP".to_vec(), header, attribute, sample].concat());
    assert_eq!(totals(&reading.value), [("samples".to_owned(), 1), ("cpu-clock".to_owned(), 1000)]);
    assert_eq!(reading.value.parts[0].thread, Some(8));
}

#[test]
fn damaged_input() {
    damage(&file(), "perf-data");
    damage(&pipe(), "perf-data");
}

#[test]
fn records_before_the_damage_are_kept() {
    let whole = file();
    let cut = whole.len() - 45;
    let reading = read(&whole[..cut]);
    assert_eq!(samples(&reading.value), 1);
    assert_eq!(losses(&reading)[0], Place::Byte(cut as u64));
}

#[test]
fn files_of_others() {
    let Some(bytes) = fixture("perf-data/hotspot__perf.data.true.v1") else { return };
    let reading = read(&bytes);
    assert_eq!((samples(&reading.value), losses(&reading)), (0, vec![]));
    let reading = read(&fixture("perf-data/hotspot__perf.data.true.v2").unwrap());
    assert_eq!(losses(&reading), []);
    assert_eq!(totals(&reading.value), [("samples".to_owned(), 1), ("cpu-clock".to_owned(), 250_000)]);
    let first = reading.value.unresolved[0];
    assert_eq!(first.address, 0xc2a4);
    assert!(reading.value.function_object(first.function).unwrap().ends_with("ld-2.17.so"));
    assert_eq!(reading.value.parts[0].name, "true");
}

/// Samples and periods of each thread, by its name.
type ByThread = BTreeMap<(u64, u64), (String, usize, i128)>;

fn by_thread(profile: &Profile) -> ByThread {
    let parts = profile.parts.iter().map(|part| {
        let owner = (part.process.unwrap(), part.thread.unwrap());
        let periods = (1..profile.events.len()).map(|event| part.samples.costs.total(event)).sum();
        (owner, (part.name.clone(), part.samples.len(), periods))
    });
    parts.collect()
}

/// The profile from perf's own output for the file.
fn printed_by_perf(file: &str) -> Profile {
    let args = ["script", "-i", file, "-F", "comm,pid,tid,time,period,event,ip", "--ns"];
    let output = Command::new("perf").args(args).output().unwrap();
    read(&output.stdout).value
}

/// Call chains in the order of time; `address` gives the address of a frame.
fn chains(profile: &Profile, address: impl Fn(FrameId, bool) -> u64) -> Vec<Vec<u64>> {
    let parts = profile.parts.iter();
    let in_kernel = |frame: FrameId| profile.frames.address[frame.index()] >= 0xffff_8000_0000_0000;
    let chain = |stack| {
        let is_caller =
            |frame: &FrameId| profile.function_name(profile.frames.function[frame.index()]) != LOST;
        let frames: Vec<FrameId> = profile.stacks.frames(stack).filter(is_caller).collect();
        // The point of interruption and the entry into the kernel are not return addresses.
        let is_exact =
            |depth: usize| depth == 0 || (in_kernel(frames[depth - 1]) && !in_kernel(frames[depth]));
        (0..frames.len()).map(|depth| address(frames[depth], is_exact(depth))).collect::<Vec<u64>>()
    };
    let mut timed: Vec<(i64, Vec<u64>)> = parts
        .flat_map(|part| part.samples.time.iter().zip(&part.samples.stack))
        .map(|(&time, &stack)| (time, chain(stack)))
        .collect();
    timed.sort();
    timed.into_iter().map(|(_, chain)| chain).collect()
}

/// perf prints an offset where it knows the object. Lotse names the function by the offset, or by the byte before it.
fn offset(profile: &Profile, frame: FrameId, leaf: bool) -> u64 {
    let name = profile.function_name(profile.frames.function[frame.index()]);
    let at = u64::from_str_radix(name.trim_start_matches("0x"), 16).unwrap();
    if leaf || profile.frames.address[frame.index()] == 0 { at } else { at + 1 }
}

fn compare(file: &str) {
    let ours = read(&std::fs::read(file).unwrap());
    assert_eq!(losses(&ours), []);
    let theirs = printed_by_perf(file);
    assert_eq!(by_thread(&ours.value), by_thread(&theirs));
    let printed = chains(&theirs, |frame, _| theirs.frames.address[frame.index()]);
    let read = chains(&ours.value, |frame, leaf| offset(&ours.value, frame, leaf));
    assert_eq!(read.len(), printed.len());
    let mut cut = 0;
    for (read, printed) in read.iter().zip(&printed) {
        assert!(printed.starts_with(read), "{read:x?} is not the beginning of {printed:x?}");
        cut += usize::from(read.len() < printed.len());
    }
    // perf prints addresses outside of any mapping, too; each stack that ends before one is counted.
    let counted = ours.diagnostics.iter().find_map(|it| {
        let (before, _) = it.message.split_once(" stacks end at an address outside")?;
        before.rsplit(' ').nth(2)?.parse().ok()
    });
    assert_eq!(cut, counted.unwrap_or(0), "{:?}", ours.diagnostics);
}

#[test]
fn perf_agrees() {
    let Some(file) = recorded() else { return };
    compare(file);
    let profile = read(&std::fs::read(file).unwrap()).value;
    assert!(profile.creator.unwrap().starts_with("perf "));
    assert!(profile.command.unwrap().contains("sh -c"));
}

#[test]
fn perf_agrees_on_other_ways_to_record() {
    if recorded().is_none() {
        return;
    }
    for (name, options) in [
        ("several.data", &["-g", "-e", "page-faults"][..]),
        ("counted.data", &["-g", "-c", "1000000"]),
        ("packed.data", &["-g", "-z"]),
        ("dwarf.data", &["--call-graph", "dwarf,1024"]),
    ] {
        let Some(file) = record(name, options) else {
            test_support::skip_here(format!("perf cannot record with {options:?}"));
            continue;
        };
        let ours = read(&std::fs::read(&file).unwrap());
        assert_eq!(losses(&ours), [], "{name}");
        if name == "dwarf.data" {
            assert!(ours.diagnostics.iter().any(|odd| odd.message.contains("not unwound")));
        } else {
            compare(&file);
        }
    }
}

#[test]
fn a_pipe_is_read_like_a_file() {
    if recorded().is_none() {
        return;
    }
    let output = Command::new("perf")
        .args([
            "record",
            "-q",
            "-g",
            "-e",
            "cpu-clock",
            "-F",
            "999",
            "-o",
            "-",
            "--",
            "sh",
            "-c",
            "seq 20000",
        ])
        .stderr(Stdio::null())
        .output()
        .unwrap();
    let Some(start) = output.stdout.windows(8).position(|window| window == b"PERFILE2") else { return };
    let reading = read(&output.stdout[start..]);
    assert_eq!(reading.format_id, "perf-data");
    assert!(reading.value.events.iter().any(|event| event.name.starts_with("cpu-clock")));
}
