//! Call chains in perf.data that were recorded by frame pointers, and what an unwinder knows about their functions.

use lotse_formats::unwind::{
    CopiedThread, FramePointer, LOST, MappedByte, MemoryMap, SKIPPED, Unwind, UserFrame, unwound,
};
use lotse_model::bytes::Memory as Bytes;

use super::check::{read, samples, stacks};
use super::perf_data::{entry, longs, words};

const USER: u16 = 2;
/// Address, thread, time, call chain.
const FIELDS: u64 = 1 | 2 | 4 | 32;

/// Code at 0x1000: the first 0x100 bytes have frames, the next have none, the next use the register, then `_start`.
struct Frames;

impl Unwind for Frames {
    fn unwind(&mut self, _: &CopiedThread<'_>, _: &dyn MemoryMap) -> Vec<UserFrame> {
        panic!("no stack is copied")
    }

    fn frame_pointer(&mut self, at: &MappedByte<'_>) -> Option<FramePointer> {
        match at.offset >> 8 {
            0 => Some(FramePointer::Own),
            1 => Some(FramePointer::OfCaller),
            2 => Some(FramePointer::Other),
            3 => Some(FramePointer::Outermost),
            _ => None,
        }
    }
}

/// A pipe with one event and a sample for each chain of user code.
fn file(chains: &[&[u64]]) -> Vec<u8> {
    file_of_process(7, chains)
}

/// The same; only process 7 has mappings.
fn file_of_process(process: u32, chains: &[&[u64]]) -> Vec<u8> {
    let attribute = [words(&[1, 64]), longs(&[0, 999, FIELDS, 0, 0, 0, 0]), longs(&[1])].concat();
    let map = [words(&[7, 7]), longs(&[0x1000, 0x1000, 0]), b"/bin/a\0\0".to_vec()].concat();
    let sample = |chain: &&[u64]| {
        let head =
            [longs(&[chain[0]]), words(&[process, 7]), longs(&[1, chain.len() as u64 + 1, -512_i64 as u64])];
        entry(9, USER, &[head.concat(), longs(chain)].concat())
    };
    let samples: Vec<u8> = chains.iter().flat_map(sample).collect();
    let records = [entry(64, 0, &attribute), entry(1, USER, &map), samples].concat();
    [b"PERFILE2".to_vec(), longs(&[16]), records].concat()
}

fn unwind(chains: &[&[u64]]) -> (Vec<String>, Vec<String>) {
    let bytes = file(chains);
    let reading = unwound(&Bytes { name: "-", bytes: &bytes }, "perf-data", &mut Frames).unwrap().unwrap();
    assert_eq!(samples(&reading.value), chains.len(), "no sample is lost");
    reading.value.check().unwrap();
    let stacks = stacks(&reading.value).into_iter().map(|(stack, _)| stack).collect();
    (stacks, reading.diagnostics.into_iter().map(|it| it.message).collect())
}

#[test]
fn callers_that_were_not_recorded_are_marked() {
    for (chain, stack) in [
        // Return addresses are looked up a byte before.
        (&[0x1010, 0x1021][..], "0x20;0x10".to_owned()),
        (&[0x1110, 0x1021], format!("0x20;{SKIPPED};0x110")),
        (&[0x1110, 0x1121, 0x1031], format!("0x30;[caller not recorded 2];0x120;{SKIPPED};0x110")),
        (&[0x1210, 0x1021], format!("{LOST};0x210")),
        (&[0x1010, 0x1221, 0x1031], format!("{LOST};0x220;0x10")),
        // The register was not changed yet: what follows is a stack up to the code that calls `main`, or `_start`.
        (&[0x1210, 0x1021, 0x1121], format!("0x120;0x20;{SKIPPED};0x210")),
        (&[0x1010, 0x1221, 0x1031, 0x1311], format!("0x310;0x30;{SKIPPED};0x220;0x10")),
        (&[0x1210, 0x1121], format!("{LOST};0x210")),
        (&[0x1210, 0x1021, 0x1411, 0x1121], format!("{LOST};0x210")),
        (&[0x1010, 0x1311, 0x1021], "0x310;0x10".to_owned()),
        (&[0x1010, 0x9999, 0x1021], format!("{LOST};0x10")),
        (&[0x1110, 0x9999], format!("{LOST};0x110")),
        // The code that calls `main` has no frame; a chain that ends there is whole.
        (&[0x1010, 0x1121], "0x120;0x10".to_owned()),
        (&[0x1110], format!("{LOST};0x110")),
        (&[0x1410, 0x1021], "0x20;0x410".to_owned()),
        (&[0x9999, 0x1021], "0x20;0x9999".to_owned()),
    ] {
        assert_eq!(unwind(&[chain]).0, [stack], "{chain:x?}");
    }
}

#[test]
fn stacks_are_counted_by_what_they_lack() {
    let (_, notes) = unwind(&[
        &[0x1010, 0x1021],
        &[0x1110, 0x1021],
        &[0x1210, 0x1021],
        &[0x1110, 0x1021, 0x9999],
        &[0x1410, 0x1021],
    ]);
    let [note] = &notes[..] else { panic!("{notes:?}") };
    for part in [
        "2 of 5 stacks lack the caller of a function without a frame",
        "1 of 5 stacks end at code that uses the register otherwise",
        "1 of 5 stacks end at an address outside of any mapping: the caller is not known there",
        "1 of 5 stacks contain code that may have no frame",
        "perf record --call-graph dwarf",
    ] {
        assert!(note.contains(part), "{part}: {note}");
    }
    assert_eq!(unwind(&[&[0x1010, 0x1021]]).1, Vec::<String>::new(), "nothing is missing");
}

/// A recording with `--call-graph lbr` has user chains by frame pointers beside the calls of the processor.
#[test]
fn calls_recorded_by_the_processor_are_named_as_not_read() {
    let (call_stack, branches) = (1 << 11, 1 << 11);
    let attribute =
        [words(&[0, 96]), longs(&[0, 999, FIELDS | branches, 0, 0, 0, 0, 0, call_stack, 0, 0, 1])];
    let chain = longs(&[2, -512_i64 as u64, 0x1010]);
    let sample =
        [longs(&[0x1010]), words(&[7, 7]), longs(&[1]), chain, longs(&[1, 0x1020, 0x1010, 0])].concat();
    let records = [entry(64, 0, &attribute.concat()), entry(9, USER, &sample)].concat();
    let reading = read(&[b"PERFILE2".to_vec(), longs(&[16]), records].concat());
    assert_eq!(samples(&reading.value), 1);
    assert!(
        reading.diagnostics.iter().any(|it| it.message.contains("--call-graph lbr")),
        "{:?}",
        reading.diagnostics
    );
}

#[test]
fn without_an_unwinder_callers_are_kept_and_doubted() {
    let reading = read(&file(&[&[0x1110, 0x1021], &[0x1010, 0x9999]]));
    let found: Vec<String> = stacks(&reading.value).into_iter().map(|(stack, _)| stack).collect();
    assert_eq!(found, ["0x20;0x110".to_owned(), format!("{LOST};0x10")]);
    let note = &reading.diagnostics[0].message;
    assert!(
        note.contains("1 of 2 stacks end at an address") && note.contains("1 of 2 stacks contain"),
        "{note}"
    );
}

/// The records of mappings may be lost, or those of a process that ran before: then nothing tells which address is no code.
#[test]
fn without_any_mapping_callers_are_kept() {
    let reading = read(&file_of_process(8, &[&[0x1110, 0x1021, 0x1031]]));
    assert_eq!(stacks(&reading.value)[0].0, "0x1030;0x1020;0x1110");
}

#[test]
fn each_user_part_of_a_chain_begins_with_a_point_of_interruption() {
    let chain = &[0x1010, 0x1021, -512_i64 as u64, 0x1030, 0x1041];
    assert_eq!(unwind(&[chain]).0, ["0x40;0x30;0x20;0x10"]);
    let chain = &[0x1110, -512_i64 as u64, 0x1030, 0x1041, -512_i64 as u64];
    assert_eq!(unwind(&[chain]).0, [format!("0x40;0x30;{LOST};0x110")]);
}
